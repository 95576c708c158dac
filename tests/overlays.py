"""Competent forgeries over the demo bundles, from ``fixtures/overlays``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shared import FIXTURES

if TYPE_CHECKING:
    from verifier.bundle import Bundle

OVERLAYS: Final = FIXTURES / "overlays"


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlay:
    """One forgery: what it claims to be, and what an audit must say of it."""

    name: str
    verdict: str
    check: int
    steps: tuple[int, ...]
    without_named_sender: str
    remove: tuple[str, ...]
    files: dict[str, str]
    edits: dict[str, list[tuple[int, int, list[str]]]]

    def changes(self, base: Bundle) -> dict[str, bytes | None]:
        """Write what the forgery changes in the bundle that it is laid over."""
        changes: dict[str, bytes | None] = dict.fromkeys(self.remove)
        for path, edits in self.edits.items():
            lines = base.read(path).decode().split("\n")
            for first, end, replacement in reversed(edits):
                lines[first:end] = replacement
            changes[path] = "\n".join(lines).encode()
        changes |= {path: text.encode() for path, text in self.files.items()}
        return changes


def overlays(base: str) -> list[Overlay]:
    """Read all forgeries over one demo bundle."""
    read = []
    for path in sorted((OVERLAYS / base).glob("*.json")):
        value = json.loads(path.read_bytes())
        read.append(
            Overlay(
                name=value["name"],
                verdict=value["verdict"],
                check=value["check"],
                steps=tuple(value["steps"]),
                without_named_sender=value["without_named_sender"],
                remove=tuple(value["remove"]),
                files=value["files"],
                edits=value["edits"],
            )
        )
    return read
