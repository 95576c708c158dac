"""Finding what a reader asks about, in whichever family it is, and explaining it."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from verifier.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from verifier.bundle import Bundle
    from verifier.explanation import Explanation
    from verifier.policy import Policy

    Match = tuple[str, Callable[[], Explanation]]

__all__ = ["explain"]

_PREFIX: Final = re.compile(r"[0-9a-f]{6,64}\Z")


def explain(bundle: Bundle, subject: str, *, policy: Policy) -> Explanation:
    """
    Explain one published number of a bundle.

    Args:
        bundle: The evidence.
        subject: A seal or an entry's hash, at least six of its first digits, or the
            subject of a finding.
        policy: What the caller trusts.

    Raises:
        UsageError: Nothing in the bundle, or more than one thing, goes by that name.
        EvidenceError: The bundle's rows cannot be read.
    """
    folders = {path.partition("/")[0] for path in bundle.paths}
    found = [
        match
        for family, search in _SEARCHES.items()
        if family in folders
        for match in search(bundle, subject, policy)
    ]
    if not found:
        raise UsageError(
            f"nothing goes by {subject!r}: give a seal, the first 6 digits of it or more, "
            "or a subject as reports name it, such as 'score AGENT TIME', 'entry 7' or "
            "'BOARD/POLICY'"
        )
    if len(found) > 1:
        names = ", ".join(name[:32] for name, _ in found[:4])
        raise UsageError(f"{len(found)} things go by {subject!r}: {names}, …")
    return found[0][1]()


def _scores(bundle: Bundle, subject: str, policy: Policy) -> Iterator[Match]:
    from verifier.arcana.context import load_context  # noqa: PLC0415 - one family of several
    from verifier.arcana.explain import explain_score  # noqa: PLC0415

    context = load_context(bundle, policy)
    digits = _PREFIX.match(subject) is not None
    for row in context.tables.scores:
        named = subject == f"score {row.agent_id} {row.ts}"
        if named or (digits and row.seal is not None and row.seal.startswith(subject)):
            yield f"score {row.seal}", partial(explain_score, context, row)


def _calls(bundle: Bundle, subject: str, policy: Policy) -> Iterator[Match]:
    from verifier.floor.context import load_context  # noqa: PLC0415 - one family of several
    from verifier.floor.find import find  # noqa: PLC0415

    return find(load_context(bundle, policy), subject)


def _boards(bundle: Bundle, subject: str, policy: Policy) -> Iterator[Match]:
    from verifier.sharpe.context import load_context  # noqa: PLC0415 - one family of several
    from verifier.sharpe.find import find  # noqa: PLC0415

    return find(load_context(bundle, policy), subject)


_SEARCHES: Final[Mapping[str, Callable[[Bundle, str, Policy], Iterator[Match]]]] = {
    "arcana": _scores,
    "floor": _calls,
    "sharpe": _boards,
}
