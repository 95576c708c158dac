"""Competent forgeries over the demo bundles, from ``fixtures/overlays``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shared import FIXTURES

from verifier.bundle.inventory import SUMS

if TYPE_CHECKING:
    from verifier.bundle import Bundle

OVERLAYS: Final = FIXTURES / "overlays"


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlay:
    """
    One forgery: what it claims to be, and what an audit must say of it.

    *check* is what must report it, a step of ARCANA's or a check id of the Floor's;
    *relist* is False where the lie is in the hash list itself.
    """

    name: str
    verdict: str
    check: int | str
    steps: tuple[int, ...]
    without_named_sender: str
    remove: tuple[str, ...]
    files: dict[str, str]
    edits: dict[str, list[tuple[int, int, list[str]]]]

    @property
    def relist(self) -> bool:
        """Whether the forger wrote the hash list anew, so that it holds."""
        return SUMS not in self.edits

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
                steps=tuple(value.get("steps", ())),
                without_named_sender=value.get("without_named_sender", ""),
                remove=tuple(value["remove"]),
                files=value["files"],
                edits=value["edits"],
            )
        )
    return read
