"""Steps 6 to 9: eligibility, pairs and claims, gaps, and what a board must state."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from verifier.core.canon import canonical_bytes
from verifier.selftest.mutations import Mutation
from verifier.selftest.sharpe.forgery import Evidence, Forgery, boards, nudged, rows
from verifier.sharpe.checks.catalogue import COMPLETE, ELIGIBILITY, GAPS, PAIRS
from verifier.sharpe.context import gap_path, trace_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.selftest.mutations import Changes
    from verifier.selftest.sharpe.forgery import Members


def _declared_eligible(evidence: Evidence) -> Changes | None:
    for file, _, row in rows(evidence, lambda _, row: row.eligible is False):
        forgery = Forgery(evidence)
        forgery.row(file, row).update(eligible=True, reasons=[])
        return forgery.changes()
    return None


def _reason_dropped(evidence: Evidence) -> Changes | None:
    for file, _, row in rows(evidence, lambda _, row: len(row.reasons) > 1):
        forgery = Forgery(evidence)
        forgery.row(file, row)["reasons"].pop(0)
        return forgery.changes()
    return None


def _not_judged(evidence: Evidence) -> Changes | None:
    for file, _, row in rows(evidence, lambda _, row: row.eligible is not None):
        forgery = Forgery(evidence)
        forgery.row(file, row).update(eligible=None, reasons=[])
        return forgery.changes()
    return None


def _traces(
    evidence: Evidence, *, change: Callable[[Forgery, str], object], clean: bool = False
) -> Changes | None:
    """Change the traces of the first row that has some; of one that no event blocks if asked."""
    for file, board, row in rows(evidence, lambda _, row: row.eligible is not None):
        path = trace_path(file.name, row.policy)
        forgery = Forgery(evidence)
        if forgery.has(path) and board.seed_count and not (clean and "process" in row.reasons):
            change(forgery, path)
            return forgery.changes()
    return None


def _add_block(forgery: Forgery, path: str) -> None:
    event = {"kind": "order_placed", "risk_gate_passed": False}
    forgery.file(path)["events"][0].append(event)


def _hide_member(forgery: Forgery, path: str) -> None:
    forgery.file(path)["events"][0].append({"kind": "drawdown_halt"})


def _pair(evidence: Evidence, *, change: Callable[[list[Members]], object]) -> Changes | None:
    for file, board in boards(evidence):
        if board.pairs:
            forgery = Forgery(evidence)
            change(forgery.file(file.path)["pairs"])
            return forgery.changes()
    return None


def _nudge_difference(pairs: list[Members]) -> None:
    pairs[0]["point_diff"] = nudged(pairs[0]["point_diff"])


def _flip(pairs: list[Members]) -> None:
    tied = pairs[0]["verdict"] == "tied"
    pairs[0].update(significant=tied, verdict="a_better" if tied else "tied")


def _bold_claim(evidence: Evidence) -> Changes | None:
    """Claim that the lower of two neighbours beats the higher one."""
    for file, board in boards(evidence):
        for pair in board.pairs:
            if pair.verdict != "b_better":
                forgery = Forgery(evidence)
                claims = forgery.file(file.path)["claims"]
                claims.append({"better": pair.b, "worse": pair.a})
                return forgery.changes()
    return None


def _gap(
    evidence: Evidence, *, change: Callable[[Forgery, Members, str], object]
) -> Changes | None:
    """Change the generalization gap of the first row that has one with both sides scored."""
    for file, _, row in rows(evidence, lambda _, row: row.gap is not None):
        assert row.gap is not None
        path = gap_path(file.name, row.policy, "generalization")
        forgery = Forgery(evidence)
        if row.gap.train != row.gap.test and row.gap.gap is not None and forgery.has(path):
            change(forgery, forgery.row(file, row), path)
            return forgery.changes()
    return None


def _nudge_gap(_: Forgery, row: Members, __: str) -> None:
    row["gap"]["gap"] = nudged(row["gap"]["gap"])


def _turn_round(forgery: Forgery, _: Members, path: str) -> None:
    forgery.file(path)["sides"].reverse()


def _shorten(forgery: Forgery, _: Members, path: str) -> None:
    side = forgery.file(path)["sides"][1]
    side["seeds"].pop()
    side["returns"].pop()


def _leave_out(forgery: Forgery, row: Members, path: str) -> None:
    row["gap"] = None
    forgery.put(path, None)


def _transfer(evidence: Evidence) -> Changes | None:
    for file, _, row in rows(evidence, lambda _, row: bool(row.transfers)):
        forgery = Forgery(evidence)
        transfer = forgery.row(file, row)["transfers"][0]
        if transfer["out"] is not None:
            transfer["out"] = nudged(transfer["out"])
            return forgery.changes()
    return None


def _without(evidence: Evidence, *, member: str) -> Changes | None:
    for file, _ in boards(evidence):
        forgery = Forgery(evidence)
        del forgery.file(file.path)[member]
        return forgery.changes()
    return None


def _newline(evidence: Evidence) -> Changes | None:
    for file, _ in boards(evidence):
        content = Forgery(evidence).file(file.path)
        return {file.path: canonical_bytes(content) + b"\n"}
    return None


def _mutation(aims_at: str) -> Callable[..., Mutation]:
    def make(name: str, what: str, apply: Callable[[Evidence], Changes | None]) -> Mutation:
        return Mutation(name=name, aims_at=aims_at, what=what, apply=apply)

    return make


_eligibility, _pairs = _mutation(ELIGIBILITY.id), _mutation(PAIRS.id)
_gaps, _complete = _mutation(GAPS.id), _mutation(COMPLETE.id)

MUTATIONS: Final = (
    _eligibility(
        "declared-eligible", "An entry that fails a gate is called eligible.", _declared_eligible
    ),
    _eligibility("reason-dropped", "A reason is dropped from an entry's reasons.", _reason_dropped),
    _eligibility("not-judged", "The board does not say whether an entry is eligible.", _not_judged),
    _eligibility(
        "block-hidden",
        "An order that passed no risk gate is in the traces, and not among the reasons.",
        partial(_traces, change=_add_block, clean=True),
    ),
    _eligibility(
        "event-cut",
        "An event lacks the member that says whether it blocks.",
        partial(_traces, change=_hide_member),
    ),
    _eligibility(
        "traces-missing",
        "The traces of an entry are taken away.",
        partial(_traces, change=lambda forgery, path: forgery.put(path, None)),
    ),
    _pairs(
        "pair-one-ulp",
        "A paired difference is one unit in the last place off.",
        partial(_pair, change=_nudge_difference),
    ),
    _pairs(
        "significance-flipped",
        "A paired verdict says the opposite of its interval.",
        partial(_pair, change=_flip),
    ),
    _pairs(
        "pair-left-out",
        "Two neighbours are not compared.",
        partial(_pair, change=lambda pairs: pairs.pop(0)),
    ),
    _pairs("bold-claim", "An entry is said to beat the one above it.", _bold_claim),
    _gaps(
        "gap-one-ulp",
        "A generalization gap is one unit in the last place off.",
        partial(_gap, change=_nudge_gap),
    ),
    _gaps(
        "gap-turned-round",
        "Train and test side of a gap are exchanged.",
        partial(_gap, change=_turn_round),
    ),
    _gaps(
        "gap-band-cut",
        "The test side of a gap lacks the last seed of its band.",
        partial(_gap, change=_shorten),
    ),
    _gaps(
        "gap-left-out",
        "A row states no gap, and the returns behind it are taken away.",
        partial(_gap, change=_leave_out),
    ),
    _gaps(
        "transfer-one-ulp",
        "The out score of a transfer is one unit in the last place off.",
        _transfer,
    ),
    _complete(
        "costs-unstated",
        "A board does not state its costs.",
        partial(_without, member="costs"),
    ),
    _complete("board-newline", "A board ends in a newline, so it is not canonical.", _newline),
)
