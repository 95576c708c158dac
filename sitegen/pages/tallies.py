"""
What the audits of all seasons add up to.

Two seasons may rest on one bundle and one policy, and then on one audit: its
claims and inputs are counted once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sitegen.numbers import integer
from verifier.core.jsonread import read_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sitegen.model import Season
    from verifier.core.jsonread import JsonValue

__all__ = ["VERDICTS", "Tally", "by_check", "sentence", "tally", "total"]

VERDICTS = ("pass", "fail", "unproven", "exempt")


@dataclass(frozen=True, slots=True)
class Tally:
    """
    The counts of one audit or of several.

    Args:
        verdicts: Number of claims by verdict.
        inputs: Inputs that the scores were computed from, where they are listed one by one.
        sealed: Of these, how many were sealed.
        anchored: Of these, how many are on the chain.
    """

    verdicts: Mapping[str, int]
    inputs: int
    sealed: int
    anchored: int


def tally(season: Season) -> Tally:
    """Read the counts of a season's audit from its record."""
    report = _members(season.record["report"])
    counts = _members(report["counts"])
    coverage = _members(report["coverage"])
    return Tally(
        {verdict: _int(counts[verdict]) for verdict in VERDICTS},
        inputs=_int(coverage["inputs"]),
        sealed=_int(coverage["sealed"]),
        anchored=_int(coverage["anchored"]),
    )


def total(seasons: Iterable[Season]) -> Tally:
    """Add up the audits of seasons, each audit once."""
    audits = {_members(each.record["report"])["sha256"]: tally(each) for each in seasons}
    return Tally(
        {each: sum(audit.verdicts[each] for audit in audits.values()) for each in VERDICTS},
        inputs=sum(audit.inputs for audit in audits.values()),
        sealed=sum(audit.sealed for audit in audits.values()),
        anchored=sum(audit.anchored for audit in audits.values()),
    )


def sentence(counted: Tally) -> str:
    """
    Say what was found, with its numbers.

    >>> sentence(Tally({"pass": 9, "fail": 0, "unproven": 1, "exempt": 3}, 0, 0, 0))
    '9 of 10 published claims recompute, 0 differ, 1 is unproven.'
    """
    counts = counted.verdicts
    judged = counts["pass"] + counts["fail"] + counts["unproven"]
    text = (
        f"{integer(counts['pass'])} of {integer(judged)} published claims recompute, "
        f"{integer(counts['fail'])} {'differs' if counts['fail'] == 1 else 'differ'}, "
        f"{integer(counts['unproven'])} {'is' if counts['unproven'] == 1 else 'are'} unproven."
    )
    if counted.inputs:
        text += (
            f" Of {integer(counted.inputs)} inputs, {integer(counted.sealed)} are sealed, "
            f"{integer(counted.anchored)} anchored."
        )
    return text


def by_check(season: Season) -> dict[str, dict[str, int]]:
    """Read the counts of each check, by its id and verdict, from a season's report."""
    report = _members(read_json(season.report))
    checks = report["checks"]
    assert isinstance(checks, list)  # the report is ours, and was hashed
    return {
        str(_members(check)["id"]): {each: _int(_members(check)[each]) for each in VERDICTS}
        for check in checks
    }


def _members(value: JsonValue) -> Mapping[str, JsonValue]:
    assert isinstance(value, dict)  # records and reports were checked when they were read
    return value


def _int(value: JsonValue) -> int:
    assert isinstance(value, int)
    return value
