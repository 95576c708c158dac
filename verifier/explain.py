"""Finding what a reader asks about, in whichever family it is, and explaining it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.errors import UsageError

if TYPE_CHECKING:
    from verifier.arcana.context import Context
    from verifier.arcana.rows import ScoreRow
    from verifier.bundle import Bundle
    from verifier.explanation import Explanation
    from verifier.policy import Policy

__all__ = ["explain"]

_PREFIX: Final = re.compile(r"[0-9a-f]{6,64}\Z")


def explain(bundle: Bundle, subject: str, *, policy: Policy) -> Explanation:
    """
    Explain one published number of a bundle.

    Args:
        bundle: The evidence.
        subject: A seal, at least six of its first digits, or the subject of a finding.
        policy: What the caller trusts.

    Raises:
        UsageError: Nothing in the bundle, or more than one thing, goes by that name.
        EvidenceError: The bundle's rows cannot be read.
    """
    from verifier.arcana.context import load_context  # noqa: PLC0415 - one family of several
    from verifier.arcana.explain import explain_score  # noqa: PLC0415

    context = load_context(bundle, policy)
    return explain_score(context, _one_score(context, subject))


def _one_score(context: Context, subject: str) -> ScoreRow:
    found = [
        row
        for row in context.tables.scores
        if subject == f"score {row.agent_id} {row.ts}"
        or (row.seal is not None and _PREFIX.match(subject) and row.seal.startswith(subject))
    ]
    if not found:
        raise UsageError(
            f"no score goes by {subject!r}: give its seal, the first 6 digits of it or more, "
            "or 'score AGENT TIME'"
        )
    if len(found) > 1:
        seals = ", ".join(str(row.seal)[:16] for row in found[:4])
        raise UsageError(f"{len(found)} scores go by {subject!r}: {seals}, …")
    return found[0]
