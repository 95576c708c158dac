"""
A bundle as it would be with some files changed, without writing anything.

The changed files live in memory, all others stay where they are and are not
hashed again. The result is a bundle like any other, with its own seal and its
own problems: damage done this way is judged exactly as if it stood on disk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from verifier.bundle.bundle import Bundle, assemble
from verifier.bundle.inventory import SUMS
from verifier.bundle.paths import check_collisions, check_member

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verifier.bundle.sources import Source

__all__ = ["overlay"]


def overlay(base: Bundle, changes: Mapping[str, bytes | None], *, relist: bool = False) -> Bundle:
    """
    Lay changed files over a bundle.

    Args:
        base: The bundle underneath. It must stay open while the result is used,
            and closing the result leaves it open.
        changes: New content by path, None for a file that is taken away. Taking
            away what is not there changes nothing.
        relist: Write ``SHA256SUMS`` anew so that it holds.

    Raises:
        EvidenceError: As opening the changed bundle would.
    """
    for path in changes:
        check_member(path, base.limits)
    inventory = base.inventory.with_changes(changes)
    check_collisions(inventory.paths)
    if relist:
        sums = b"".join(inventory.sums())
        changes = {**changes, SUMS: sums}
        inventory = inventory.with_changes({SUMS: sums})
    return assemble(_OverlaySource(base.source, dict(changes)), inventory, base.limits)


class _OverlaySource:
    __slots__ = ("_base", "_changes", "_owns_base")

    def __init__(
        self, base: Source, changes: dict[str, bytes | None], *, owns_base: bool = False
    ) -> None:
        self._base = base
        self._changes = changes
        self._owns_base = owns_base

    def chunks(self, path: str, size: int) -> Iterator[bytes]:
        content = self._changes.get(path)
        if content is None:
            yield from self._base.chunks(path, size)
        elif content:
            yield content

    def part(self, path: str, offset: int, size: int) -> bytes | None:
        content = self._changes.get(path)
        if content is None:
            return self._base.part(path, offset, size)
        return content[offset : offset + size]

    def detached(self) -> Self:
        return type(self)(self._base.detached(), self._changes, owns_base=True)

    def close(self) -> None:
        # The base of an overlay that was not reopened belongs to its caller.
        if self._owns_base:
            self._base.close()
