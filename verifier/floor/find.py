"""Finding a call or a ledger entry by what a reader calls it."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from verifier.errors import UsageError
from verifier.floor.explain import explain_call, explain_entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verifier.explanation import Explanation
    from verifier.floor.context import Context
    from verifier.floor.rows import Call

__all__ = ["find", "one_call"]

_PREFIX: Final = re.compile(r"[0-9a-f]{6,64}\Z")


def find(context: Context, subject: str) -> Iterator[tuple[str, Callable[[], Explanation]]]:
    """
    Yield everything that goes by a name, with how to explain it.

    Args:
        context: The bundle.
        subject: The beginning of a seal or of an entry's hash, six digits or more,
            or the subject of a finding: ``call SEAL``, ``entry NUMBER``.
    """
    digits = _PREFIX.match(subject) is not None
    for call in context.tables.calls:
        if subject == f"call {call.seal}" or (digits and call.seal.startswith(subject)):
            yield f"call {call.seal}", partial(explain_call, context, call)
    for entry in context.tables.entries:
        if subject == f"entry {entry.line - 1}" or (digits and entry.hash.startswith(subject)):
            yield f"entry {entry.hash}", partial(explain_entry, context, entry)


def one_call(context: Context, seal: str) -> Call:
    """
    Find the one call whose seal begins so.

    Raises:
        UsageError: No call, or more than one.
    """
    found = [
        call
        for call in context.tables.calls
        if _PREFIX.match(seal) is not None and call.seal.startswith(seal)
    ]
    if not found:
        raise UsageError(f"no call has the seal {seal!r}: give 6 of its first digits or more")
    if len(found) > 1:
        seals = ", ".join(call.seal[:16] for call in found[:4])
        raise UsageError(f"{len(found)} calls have the seal {seal!r}: {seals}, …")
    return found[0]
