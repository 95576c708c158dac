"""
The stamp of a site: what it was made from, by what, and the root of its files.

``stamp.json`` is canonical JSON with a newline at its end::

    {"files":<number>,"format":"tallyproof-site/1",
     "generator":{"libraries":{"<name>":"<version>",...},"name":"tallyproof","version":"..."},
     "root":"<hex>","seasons":[{"bundle":"<hex>","family":"...","id":"...","policy":"<hex>",
     "report":"<hex>","table":"<hex>"},...]}

``files`` counts what the root covers: every file but ``stamp.json`` and ``SHA256SUMS``.
The root is the RFC 9162 root of their lines as ``SHA256SUMS`` has them, newline
included, sorted by the bytes of the path. ``SHA256SUMS`` lists everything but
itself, the stamp too, and is what ``sha256sum -c`` reads. ``libraries`` names those
whose releases may write other bytes, so that a rebuild that differs can be explained.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final

from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.core.merkle import StreamingRoot
from verifier.core.schemes import RFC9162
from verifier.errors import EvidenceError
from verifier.folder import content_of
from verifier.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from sitegen.model import Season
    from sitegen.write import Written
    from verifier.core.jsonread import JsonValue

__all__ = ["FORMAT", "STAMP", "SUMS", "is_site", "site_root", "stamp_json", "sums_lines"]

FORMAT: Final = "tallyproof-site/1"
STAMP: Final = "stamp.json"
SUMS: Final = "SHA256SUMS"

_LIBRARIES: Final = (
    *("font-source-serif-pro", "jinja2", "latex2mathml", "markdown-it-py", "markupsafe"),
    *("mdit-py-plugins", "pyarrow", "resvg-py"),
)


def sums_lines(files: Mapping[str, Written]) -> list[bytes]:
    """Write the lines of ``SHA256SUMS``, sorted by the bytes of the path."""
    return [
        f"{files[path].sha256.hex()}  {path}\n".encode()
        for path in sorted(files, key=lambda path: path.encode())
    ]


def site_root(lines: Iterable[bytes]) -> str:
    """Compute the RFC 9162 root of lines of ``SHA256SUMS``, in hex."""
    tree = StreamingRoot()
    tree.extend(RFC9162.leaf(line) for line in lines)
    return tree.root().hex()


def stamp_json(files: Mapping[str, Written], seasons: Sequence[Season]) -> bytes:
    """
    Write the stamp.

    Args:
        files: Every file of the site but the stamp and the sums.
        seasons: The seasons of the site, in their order.
    """
    return (
        canonical_bytes(
            {
                "files": len(files),
                "format": FORMAT,
                "generator": {
                    "libraries": _libraries(),
                    "name": "tallyproof",
                    "version": VERSION,
                },
                "root": site_root(sums_lines(files)),
                "seasons": [_hashes(season) for season in seasons],
            }
        )
        + b"\n"
    )


def is_site(folder: Path) -> bool:
    """Tell whether a folder holds a stamp of this format."""
    try:
        file = folder / STAMP
        stamp = read_json(content_of(file)) if file.is_file() else None
    except (OSError, EvidenceError):
        return False
    return isinstance(stamp, dict) and stamp.get("format") == FORMAT


def _libraries() -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _hashes(season: Season) -> dict[str, JsonValue]:
    hashes: dict[str, JsonValue] = {"family": season.family, "id": season.id}
    for part in ("bundle", "policy", "report", "table"):
        member = season.record[part]
        assert isinstance(member, dict)  # read_season has checked it
        hashes[part] = member["sha256"]
    return hashes
