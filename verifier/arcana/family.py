"""ARCANA as a family: what there is to check in a bundle, and who checks it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from formulas.arcana_score import v1
from verifier.arcana.checks.anchor import check_anchor
from verifier.arcana.checks.catalogue import CHECKS, FORMULA
from verifier.arcana.checks.chain import check_order, check_senders, missing_nonces
from verifier.arcana.checks.public import check_board, check_reputation
from verifier.arcana.checks.records import check_decision, check_portfolios, check_snapshot
from verifier.arcana.checks.score import check_score
from verifier.arcana.checks.seals import check_unclaimed
from verifier.arcana.context import MANIFESTS, Context, load_context
from verifier.arcana.layout import ROW_FILES
from verifier.claim import Claim
from verifier.family import Family, Item, Outcome
from verifier.findings import Where

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from verifier.findings import Finding

__all__ = ["ARCANA"]

# Subjects of one kind that are checked together: enough to outweigh handing them over.
_RUN: Final = {"scores": 8, "snapshots": 64, "decisions": 64, "anchors": 16}


def _items(context: Context) -> list[Item]:
    items: list[Item] = [("bundle", 0, len(_WHOLE))]
    for kind in _CHECKERS:
        count = len(getattr(context.tables, kind))
        run = _RUN.get(kind, 1)
        items += [(kind, start, min(start + run, count)) for start in range(0, count, run)]
    return items


def _check(context: Context, item: Item) -> Outcome:
    kind, start, stop = item
    if kind == "bundle":
        return Outcome([each for check in _WHOLE[start:stop] for each in check(context)])
    subjects = getattr(context.tables, kind)[start:stop]
    findings: list[Finding] = []
    coverage: Counter[str] = Counter()
    for subject in subjects:
        found = _CHECKERS[kind](context, subject)
        if isinstance(found, Outcome):
            coverage.update(found.coverage)
            findings += found.findings
        else:
            findings += found
    return Outcome(findings, coverage)


# Decisions come before the scores, which ask who took them.
_CHECKERS: Final[Mapping[str, Callable[[Context, Any], list[Finding] | Outcome]]] = {
    "decisions": check_decision,
    "scores": check_score,
    "snapshots": check_snapshot,
    "anchors": check_anchor,
    "reputations": check_reputation,
    "boards": check_board,
}


def _check_documents(context: Context) -> list[Finding]:
    """Step 5, the documents: what the platform publishes of a version is that version."""
    found: list[Finding] = []
    for document in context.tables.formulas:
        claim = Claim(
            FORMULA,
            f"formula {document.version}",
            Where("arcana/formulas.jsonl", document.line, "/constants"),
        )
        if document.version != v1.ID:
            claim.exempt("this release does not know the version", published=document.version)
        elif not v1.same_constants(document.constants, v1.CONSTANTS):
            claim.fail("the published constants are not those of the version")
        found += claim.close("the published constants are those of the version")
    return found


# Everything that is not about one row.
_WHOLE: Final[Sequence[Callable[[Context], Iterable[Finding]]]] = (
    lambda context: context.tables.findings,
    check_unclaimed,
    check_portfolios,
    _check_documents,
    check_senders,
    check_order,
)


def _notes(context: Context) -> Sequence[str]:
    gaps = missing_nonces(context)
    notes = [
        "ARCANA: regime measures nothing; it is the neutral value for every agent.",
        (
            "ARCANA: a night on which nothing was sealed leaves no trace, so that no score was "
            "left out altogether cannot be shown from a bundle."
        ),
    ]
    if gaps:
        notes.append(
            f"ARCANA: {gaps} nonces of the sender lie between the anchors' and belong to no "
            "mined anchor of this bundle."
        )
    return notes


def _knows(path: str) -> bool:
    return path in ROW_FILES or path.startswith((MANIFESTS, "arcana/chain/"))


ARCANA: Final = Family(
    name="arcana",
    checks=CHECKS,
    load=load_context,
    items=_items,
    check=_check,
    notes=_notes,
    knows=_knows,
)
