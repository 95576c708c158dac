"""A small sound bundle, and ways to put it into the world: folder, zip, tar."""

from __future__ import annotations

import io
import tarfile
import zipfile
from hashlib import sha256
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

INDEX: Final = (
    b'{"arena":"test","as_of":"2026-09-20T03:30:00Z","families":["arcana"],'
    b'"format":"evidence-bundle/1","seasons":[],"title":"a small bundle"}'
)
EVIDENCE: Final = {
    "bundle.json": INDEX,
    "arcana/agents.jsonl": b'{"agent_id":"1"}\n{"agent_id":"2"}\n',
    "arcana/empty.jsonl": b"",
    "arcana/manifests/ab/caf\u00e9.json": b"{}",
    "arcana-notes.txt": b"sorts before the folder\n",
}


def sums_of(files: Mapping[str, bytes]) -> bytes:
    """Write the list that holds for these files."""
    return b"".join(
        f"{sha256(files[path]).hexdigest()}  {path}\n".encode()
        for path in sorted(files, key=str.encode)
        if path != "SHA256SUMS"
    )


def sound(**changes: bytes) -> dict[str, bytes]:
    """Return the small bundle with some files exchanged or added, and its list."""
    files = EVIDENCE | changes
    return files | {"SHA256SUMS": sums_of(files)}


def write_tree(root: Path, files: Mapping[str, bytes]) -> Path:
    """Write files below a new folder."""
    root.mkdir()
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return root


def zipped(files: Mapping[str, bytes], *, top: str = "") -> bytes:
    """Pack files into a zip, every other one stored."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for at, (path, content) in enumerate(files.items()):
            method = zipfile.ZIP_STORED if at % 2 else zipfile.ZIP_DEFLATED
            archive.writestr(top + path, content, method)
    return out.getvalue()


def tarred(
    files: Mapping[str, bytes],
    *,
    top: str = "",
    form: int = tarfile.PAX_FORMAT,
    packed: bool = False,
) -> bytes:
    """Pack files into a tar, with gzip if *packed*."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz" if packed else "w", format=form) as archive:
        for path, content in files.items():
            member = tarfile.TarInfo(top + path)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()
