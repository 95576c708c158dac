"""An item that breaks a check: what is wrong beside it is found all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from overlays import overlays
from shared import FIXTURES

from verifier.audit import audit_bundle
from verifier.bundle import open_bundle, overlay
from verifier.engine import Serial
from verifier.engine.processes import Processes
from verifier.findings import Verdict
from verifier.floor import family
from verifier.floor.checks.points import check_points
from verifier.policy import parse_policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from verifier.bundle import Bundle
    from verifier.family import Engine
    from verifier.report.model import Report

FORGED: Final = "points-off"


@pytest.fixture(scope="module")
def forged() -> Iterator[Bundle]:
    """A bundle with one entry whose points are wrong."""
    with open_bundle(FIXTURES / "floor-demo") as base:
        (each,) = (each for each in overlays("floor-demo") if each.name == FORGED)
        yield overlay(base, each.changes(base), relist=each.relist)


def _audit(bundle: Bundle, engine: Engine, journal: Path | None = None) -> Report:
    policy = parse_policy((FIXTURES / "policy.toml").read_bytes(), file="policy.toml")
    return audit_bundle(bundle, policy=policy, engine=engine, resume=journal)


def _problems(report: Report) -> set[tuple[str, str, Verdict]]:
    return {
        (each.check, each.subject, each.verdict)
        for each in report.findings
        if each.verdict is not Verdict.EXEMPT
    }


def _but(check: Callable[..., Any], line: int) -> Callable[..., Any]:
    """Break a check of entries at one line, as a defect of it would."""

    def broken(context: Any, entry: Any) -> Any:
        if entry.line == line:
            raise RecursionError
        return check(context, entry)

    return broken


@pytest.mark.parametrize("engine", [Serial(), Processes(2)])
def test_a_row_that_breaks_a_check_hides_no_other(
    forged: Bundle, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entries that are judged together with it are judged one by one."""
    known = _problems(_audit(forged, Serial()))
    ((_, subject, _),) = (each for each in known if each[0] == "floor/points")
    place = int(subject.removeprefix("entry "))
    beside = place - 1 if place % 2 else place + 1
    broken = _but(check_points, beside + 1)
    monkeypatch.setattr("verifier.floor.family.check_points", broken)
    report = _audit(forged, engine)
    given_up = ("bundle/unchecked", f"floor entries {beside}", Verdict.UNPROVEN)
    assert _problems(report) == known | {given_up}
    assert report.verdict is Verdict.FAIL


def test_what_is_not_about_a_row_is_checked_part_by_part(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A part that breaks off is named, asked again by a journal, and hides no other part."""

    def broken(_context: object) -> list[object]:
        raise MemoryError

    whole = family.JUDGED
    journal = tmp_path / "journal"
    with open_bundle(FIXTURES / "floor-demo") as base:
        lines = base.read("floor/roots.jsonl").split(b"\n")
        forged = overlay(base, {"floor/roots.jsonl": b"\n".join(lines[1:])}, relist=True)
        monkeypatch.setattr(family, "JUDGED", (*whole[:-1], broken))
        for _ in range(2):
            report = _audit(forged, Serial(), journal)
            given_up = ("bundle/unchecked", f"floor whole {len(whole) - 1}", Verdict.UNPROVEN)
            assert _problems(report) == {("floor/roots", "hours", Verdict.FAIL), given_up}
        monkeypatch.setattr(family, "JUDGED", whole)
        assert _problems(_audit(forged, Serial(), journal)) == {
            ("floor/roots", "hours", Verdict.FAIL)
        }
