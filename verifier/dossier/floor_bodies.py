"""
The raw responses that a call names: at posting, and at every attempt to settle it.

Source:
    floor.md section 8; floor-clarifications.md 7, 9.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.core.canon import canonical_bytes
from verifier.floor.raw import body_path
from verifier.floor.rows import RawLine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.floor.context import Context
    from verifier.floor.rows import Call, SettlementRow

__all__ = ["Body", "RawLine", "bodies_of", "request_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """
    One raw response.

    Args:
        sha256: Its hash, which names it.
        path: Its file in the bundle.
        present: Whether the bundle holds it, with that hash.
        lines: What the index says of it: when, from where, for which request.
        uses: What it is named for.
    """

    sha256: str
    path: str
    present: bool
    lines: tuple[RawLine, ...]
    uses: tuple[str, ...]


def bodies_of(context: Context, call: Call, row: SettlementRow | None) -> tuple[Body, ...]:
    """List every response that a call and its settlement name, in the order of their use."""
    uses: dict[str, list[str]] = {}
    for sha256, use in _named(call, row):
        uses.setdefault(sha256, []).append(use)
    return tuple(
        Body(
            sha256=sha256,
            path=body_path(sha256),
            present=context.responses.has(sha256),
            lines=context.raw.get(sha256, ()),
            uses=tuple(named),
        )
        for sha256, named in uses.items()
    )


def _named(call: Call, row: SettlementRow | None) -> Iterator[tuple[str, str]]:
    for sha256 in call.spot:
        yield sha256, "spot at posting"
    for sha256 in call.history:
        yield sha256, "history at posting"
    for place, each in enumerate(() if row is None else row.attempts, start=1):
        for sha256 in each.source:
            yield sha256, f"attempt {place}, source"
        for sha256 in each.confirm:
            yield sha256, f"attempt {place}, second venue"


def request_of(line: RawLine) -> str:
    """Say what was asked for: method, address, and body if there was one."""
    asked = f"{line.method} {line.url}"
    return asked if line.body is None else f"{asked} {canonical_bytes(dict(line.body)).decode()}"
