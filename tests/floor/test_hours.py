"""The composed case of a day's hours: which have a root, which are empty, which are not over."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
from shared import FIXTURES

from formulas.floor.primitives import HOUR_MS, SECOND_MS, format_time, parse_time
from verifier.bundle import open_bundle, overlay
from verifier.core.canon import canonical_bytes
from verifier.core.merkle import root
from verifier.core.schemes import scheme
from verifier.findings import Verdict
from verifier.floor.checks.roots import TREE, check_root, check_roots, leaves
from verifier.floor.context import load_context
from verifier.floor.rows import Root
from verifier.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from verifier.core.schemes import Scheme
    from verifier.floor.context import Context

CASES: Final = json.loads((FIXTURES / "vectors/merkle/merkle-root.json").read_bytes())["cases"]
CASE: Final[dict[str, Any]] = next(case for case in CASES if "entry_hours" in case["input"])
DAY: Final = parse_time("2026-11-03T00:00:00Z")


@pytest.fixture(scope="module")
def day() -> Context:
    """Settle entries of the demo in the hours of the case, on their first or last second."""
    given: list[int] = CASE["input"]["entry_hours"]
    with open_bundle(FIXTURES / "floor-demo") as bundle:
        lines = bundle.read("floor/ledger.jsonl").splitlines()
        rows = [json.loads(line) for line in lines[: len(given)]]
        for place, hour in enumerate(given):
            begins = given[place - 1 : place] != [hour]
            at = DAY + hour * HOUR_MS + (0 if begins else HOUR_MS - SECOND_MS)
            rows[place]["body"]["settled_at"] = format_time(at)
        ledger = b"".join(canonical_bytes(row) + b"\n" for row in rows)
        context = load_context(
            overlay(bundle, {"floor/ledger.jsonl": ledger}, relist=True), Policy()
        )
    finished = CASE["input"]["finished_before_hour"]
    return replace(context, as_of=DAY + finished * HOUR_MS)


def tree(context: Context, hour: int, *, line: int) -> Root:
    """Publish the root of one hour of the day."""
    own = [context.tables.entries[place] for place in context.hours.get(DAY + hour * HOUR_MS, ())]
    first, last = (own[0].entry, own[-1].entry) if own else (None, None)
    found = root(leaves(own), scheme(TREE)).hex()
    return Root(line, len(own), first, DAY + hour * HOUR_MS, last, found)


def verdicts(context: Context, rows: Sequence[Root]) -> set[Verdict]:
    """Judge the rows, each and together."""
    published = replace(context, tables=replace(context.tables, roots=tuple(rows)))
    findings = check_roots(published)
    for row in rows:
        findings += check_root(published, row)
    return {finding.verdict for finding in findings}


def test_hours_of_a_day(day: Context) -> None:
    """Entries go by the hour that their second begins; an empty hour has the stated empty root."""
    expected = CASE["expected"]
    rows = [tree(day, hour, line=hour + 1) for hour in range(CASE["input"]["finished_before_hour"])]
    assert verdicts(day, rows) == {Verdict.PASS}
    empty = CASES[0]["expected"]["rfc6962"]
    said = {(row.hour - DAY) // HOUR_MS: row for row in rows}
    assert [hour for hour, row in said.items() if row.entries] == expected["hours_with_a_root"]
    assert [hour for hour, row in said.items() if row.root == empty] == expected["empty_hours"]
    (unfinished,) = expected["not_finished"]
    assert unfinished not in said


@pytest.mark.parametrize("hour", CASE["expected"]["empty_hours"])
def test_never_the_root_of_the_hour_before(day: Context, hour: int) -> None:
    """An empty hour that repeats the root before it fails, and so does one that is left out."""
    rows = [tree(day, each, line=each + 1) for each in range(CASE["input"]["finished_before_hour"])]
    occupied = max(each for each in CASE["expected"]["hours_with_a_root"] if each < hour)
    repeated = [
        replace(row, root=rows[occupied].root) if place == hour else row
        for place, row in enumerate(rows)
    ]
    assert Verdict.FAIL in verdicts(day, repeated)
    assert Verdict.FAIL in verdicts(day, rows[:hour] + rows[hour + 1 :])


def test_no_root_before_the_hour_is_over(day: Context) -> None:
    """The hour that runs has none yet."""
    (unfinished,) = CASE["expected"]["not_finished"]
    rows = [tree(day, hour, line=hour + 1) for hour in range(unfinished + 1)]
    assert Verdict.FAIL in verdicts(day, rows)


def test_an_hour_that_stands_a_thousand_times_is_computed_once(
    day: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line of the file is short, and the hour that it names may have a million entries."""
    computed: list[object] = []
    kept = root

    def counted(leaves: Iterable[bytes], scheme: Scheme) -> bytes:
        computed.append(scheme)
        return kept(leaves, scheme)

    monkeypatch.setattr("verifier.floor.checks.roots.root", counted)
    fresh = replace(day)
    row = tree(day, (min(day.hours) - DAY) // HOUR_MS, line=1)
    rows = [row] * 1_000 + [replace(row, root="0" * 64)]
    found = [finding.verdict for each in rows for finding in check_root(fresh, each)]
    assert found == [Verdict.PASS] * 1_000 + [Verdict.FAIL]
    assert len(computed) == 1


def test_entries_of_an_hour_are_counted_in_words(day: Context) -> None:
    """One entry is no plural."""
    said = set()
    for hour in range(CASE["input"]["finished_before_hour"]):
        row = tree(day, hour, line=1)
        published = replace(day, tables=replace(day.tables, roots=(row,)))
        said |= {(row.entries, finding.message) for finding in check_root(published, row)}
    assert (1, "root over 1 entry") in said
    assert {message for entries, message in said if entries != 1} == {
        f"root over {entries} entries" for entries, _ in said if entries != 1
    }
