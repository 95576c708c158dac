"""What was rewritten, in words, for the folder that proves it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.canon import canonical_bytes
from verifier.core.shape import Obj
from verifier.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.jsonread import JsonValue
    from verifier.watch.reading import Change

__all__ = ["readme"]

_TEXT = """\
# A rewrite of what was published

{url} showed one thing, and later another that contradicts it.
The second answer was complete at {at}. What was rewritten, {count}:

{changes}

Everything needed to check this is in this folder:

    tallyproof watch --check FOLDER

It needs no network and takes nothing here on trust: it reads the exact bytes of both
answers (`before.jsonl`, `after.jsonl`, `bodies/`), compares them anew, and demands that
`proof.json` says what it finds. Any SHA-256 tool shows that a body is the one named.

What it cannot show is who served these bytes, for web servers do not sign what they
serve. That is the word of the observer: `observation.json` is observation {number},
written before the second answer came, and `checkpoints/` holds its heads, which others
may have kept or cosigned. Where a hash was published elsewhere, such as the head of a
ledger or a transaction on a chain, it shows which of the two answers is the first.
"""


def readme(proof: dict[str, JsonValue], changes: Sequence[Change], number: int) -> str:
    """
    Write the README of a proof.

    Args:
        proof: Content of ``proof.json``.
        changes: Those that it lists.
        number: Of the observation that was contradicted.
    """
    said = Obj(proof, (), open_ended=True)
    total = said.integer("total")
    lines = []
    for change, (pointer, item) in zip(changes, said.items("changes"), strict=True):
        # Indented text is code in Markdown: nothing that a stranger wrote is formatted.
        lines.append(f"    {visible(change.sentence(), limit=None)}")
        for _, member in Obj(item, (), pointer=pointer, open_ended=True).items("members"):
            differs = Obj(member, ("after", "before", "pointer"))
            was, now = (_shown(differs.value[name]) for name in ("before", "after"))
            lines.append(f"        {visible(differs.text('pointer'))}: was {was}, is {now}")
    if total > len(changes):
        lines.append(f"    … and {total - len(changes)} more")
    return _TEXT.format(
        url=visible(said.text("url")),
        at=said.text("at"),
        changes="\n".join(lines),
        count="1 thing" if total == 1 else f"{total} things",
        number=number,
    )


def _shown(value: JsonValue) -> str:
    return visible(canonical_bytes(value).decode())
