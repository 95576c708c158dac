"""
Bytes of a stranger in every place of a bundle.

The input is opened as an archive, and laid over a small bundle as its
``SHA256SUMS``, its ``bundle.json``, a file of lines and the name of a file.
"""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from verifier.bundle import Bundle, BundleLimits, open_bundle, overlay
from verifier.errors import EvidenceError

LIMITS: Final = BundleLimits(
    files=200, total_bytes=1 << 22, line_bytes=1000, spool_bytes=1 << 22, archive_ratio=20
)
INDEX: Final = (
    b'{"arena":"a","as_of":"2026-09-20T03:30:00Z","families":["arcana"],'
    b'"format":"evidence-bundle/1","seasons":[],"title":"t"}'
)


def one_input(data: bytes) -> None:
    """Open what *data* is, and what a bundle becomes with *data* in it."""
    with TemporaryDirectory() as folder:
        archive = Path(folder) / "archive"
        archive.write_bytes(data)
        with suppress(EvidenceError), open_bundle(archive, limits=LIMITS) as bundle:
            read_all(bundle)
        root = Path(folder) / "bundle"
        (root / "arcana").mkdir(parents=True)
        (root / "bundle.json").write_bytes(INDEX)
        (root / "arcana" / "a").write_bytes(b"line\n")
        with open_bundle(root, limits=LIMITS) as bundle:
            name = data.decode("utf-8", "surrogateescape")
            for changed in ("SHA256SUMS", "bundle.json", "arcana/a", name):
                with suppress(EvidenceError):
                    read_all(overlay(bundle, {changed: data}))


def read_all(bundle: Bundle) -> None:
    """Read every file in both ways; a bundle that was opened keeps what it said."""
    for path in bundle.paths:
        content = bundle.read(path)
        assert sha256(content).hexdigest() == bundle.digest(path)
        assert len(content) == bundle.size(path)
        with suppress(EvidenceError):
            lines = [line for _, line in bundle.lines(path)]
            assert b"".join(line + b"\n" for line in lines) == content
    for problem in bundle.problems:
        assert f"{problem.path}{problem.reason}{problem.published}".isprintable()
    assert bundle.problems or bundle.digest("SHA256SUMS") == bundle.sha256
