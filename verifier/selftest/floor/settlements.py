"""Steps 5 and 6: attempts, outcomes, what decided, and points."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from formulas.floor.primitives import SECOND_MS, format_time, parse_time
from verifier.floor.checks.catalogue import CONFIRMATION, POINTS, SETTLEMENT
from verifier.floor.checks.points import points_of
from verifier.selftest.floor.forgery import Evidence, Forgery, Row
from verifier.selftest.mutations import Mutation

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.report.model import CheckInfo
    from verifier.selftest.mutations import Changes


def _first(
    evidence: Evidence, *, change: Callable[[Row, Row], bool], rescore: bool = True
) -> Changes | None:
    """Change the first settled call that the change concerns; score it anew."""
    forgery = Forgery(evidence)
    for body, record in forgery.settled:
        if not change(body, record):
            continue
        call = evidence.context.calls[body["call"]]
        if rescore:
            gained = points_of(call, body["outcome"], evidence.rules)
            body["points"] = None if gained is None else float(gained)
        return forgery.changes()
    return None


def _flip(body: Row, record: Row) -> bool:
    if body["outcome"] == "void":
        return False
    body["outcome"] = record["outcome"] = "miss" if body["outcome"] == "hit" else "hit"
    return True


def _void(body: Row, record: Row) -> bool:
    """Void a call as if its data had had a gap."""
    if body["outcome"] == "void":
        return False
    record["attempts"][-1]["result"] = "data_gap"
    record |= {"outcome": "void", "deciding": None}
    body |= {"outcome": "void", "reason": "data_gap"}
    return True


def _early(body: Row, record: Row) -> bool:
    """Move a last attempt to a minute before its deadline's grace is over."""
    last = record["attempts"][-1]
    last["at"] = format_time(parse_time(last["at"]) - 3600 * SECOND_MS)
    body["settled_at"] = last["at"]
    body["final_at"] = format_time(parse_time(last["at"]) + 86_400 * SECOND_MS)
    return len(record["attempts"]) == 1


def _fetched_early(evidence: Evidence) -> Changes | None:
    """Date the response that settled a call before its deadline."""
    forgery = Forgery(evidence)
    for body, record in forgery.settled:
        if body["outcome"] == "void":
            continue
        name = record["attempts"][-1]["source"][0]
        for row in forgery.raw:
            if row["sha256"] == name:
                at = parse_time(row["fetched_at"]) - 7200 * SECOND_MS
                row["fetched_at"] = format_time(at)
        return forgery.changes()
    return None


def _no_source(_: Row, record: Row) -> bool:
    if record["attempts"][-1]["result"] != "settled":
        return False
    record["attempts"][-1]["source"] = []
    return True


def _deciding(member: str, change: Callable[[str], str]) -> Callable[[Row, Row], bool]:
    def changed(_: Row, record: Row) -> bool:
        if record["deciding"] is None or record["deciding"][member] is None:
            return False
        record["deciding"][member] = change(record["deciding"][member])
        return True

    return changed


def _digit(text: str) -> str:
    # The last digit of a plain decimal is never 0 behind a point.
    return text[:-1] + ("1" if text[-1] != "1" else "2")


def _minute(text: str) -> str:
    return format_time(parse_time(text) - 60 * SECOND_MS)


def _unconfirmed(body: Row, record: Row) -> bool:
    if body["outcome"] == "void" or not record["attempts"][-1]["confirm"]:
        return False
    record["attempts"][-1]["result"] = "unconfirmed"
    record |= {"outcome": "void", "deciding": None}
    body |= {"outcome": "void", "reason": "unconfirmed"}
    return True


def _more_points(body: Row, _: Row) -> bool:
    if body["points"] is None:
        return False
    body["points"] = round(body["points"] + 0.0001, 4)
    return True


def _void_points(body: Row, _: Row) -> bool:
    if body["outcome"] != "void":
        return False
    body["points"] = 0
    return True


def _mutation(
    check: CheckInfo,
    name: str,
    what: str,
    change: Callable[[Row, Row], bool],
    *,
    rescore: bool = True,
) -> Mutation:
    apply = partial(_first, change=change, rescore=rescore)
    return Mutation(name=name, aims_at=check.id, what=what, apply=apply)


MUTATIONS: Final = (
    _mutation(SETTLEMENT, "outcome-flipped", "A hit is a miss, or a miss a hit.", _flip),
    _mutation(SETTLEMENT, "voided", "A settled call is void for a gap that was not.", _void),
    _mutation(SETTLEMENT, "attempt-early", "An attempt comes an hour too early.", _early),
    _mutation(SETTLEMENT, "no-source", "An attempt names no response of its source.", _no_source),
    Mutation(
        name="fetched-early",
        aims_at=SETTLEMENT.id,
        what="The response that settled a call was fetched before its deadline.",
        apply=_fetched_early,
    ),
    _mutation(
        CONFIRMATION, "source-value", "What decided has another value.", _deciding("source", _digit)
    ),
    _mutation(
        CONFIRMATION,
        "second-value",
        "The second venue had another value.",
        _deciding("confirm", _digit),
    ),
    _mutation(
        CONFIRMATION,
        "minute-before",
        "It was decided a minute before.",
        _deciding("at", _minute),
    ),
    _mutation(
        CONFIRMATION, "not-confirmed", "A confirmed call is void as unconfirmed.", _unconfirmed
    ),
    _mutation(
        POINTS,
        "points-last-digit",
        "Points are 0.0001 too high, all else redone.",
        _more_points,
        rescore=False,
    ),
    _mutation(POINTS, "void-scored", "A void scores 0 points.", _void_points, rescore=False),
)
