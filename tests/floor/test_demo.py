"""The demo season of the Floor: what an honest bundle gives, and what each forgery of it gives."""

from __future__ import annotations

import hashlib
import json
import shutil
from typing import TYPE_CHECKING, Any, Final

import pytest
from overlays import Overlay, overlays
from real_command import run
from shared import FIXTURES, SHARED, needs_shared

from verifier.audit import audit_bundle
from verifier.bundle import Bundle, open_bundle, overlay
from verifier.core.canon import canonical_bytes
from verifier.findings import Verdict
from verifier.floor.checks.calls import check_seal
from verifier.floor.checks.catalogue import CHECKS
from verifier.floor.context import load_context
from verifier.policy import FloorPolicy, Policy, load_policy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from verifier.report.model import Report

DEMO: Final = FIXTURES / "floor-demo"
BUNDLES: Final = SHARED / "reference" / "bundles"
POLICY: Final = FIXTURES / "policy.toml"
PROBLEMS: Final = {Verdict.FAIL, Verdict.UNPROVEN}


@pytest.fixture(scope="module")
def demo() -> Iterator[Bundle]:
    """Open the demo bundle once."""
    with open_bundle(DEMO) as bundle:
        yield bundle


@pytest.fixture(scope="module")
def report(demo: Bundle) -> Report:
    """Audit the demo bundle once."""
    return audit_bundle(demo, policy=load_policy(POLICY))


def lines(path: Path) -> int:
    """Count the lines of a file."""
    return path.read_bytes().count(b"\n")


def test_the_season_passes(report: Report) -> None:
    """Every published number is equal, and each claim was counted once."""
    assert report.verdict is Verdict.PASS
    passed = {check.id: check.pass_ for check in report.checks}
    calls, entries = lines(DEMO / "floor/calls.jsonl"), lines(DEMO / "floor/ledger.jsonl")
    for check in ("seal", "terms", "baseline", "admission", "envelope"):
        assert passed[f"floor/{check}"] == calls
    for check in ("settlement", "points", "ledger", "finality"):
        assert passed[f"floor/{check}"] == entries
    assert passed["floor/closure"] == calls + entries - 2  # two calls are still open
    assert passed["floor/roots"] == lines(DEMO / "floor/roots.jsonl") + 1
    assert passed["floor/raw"] == lines(DEMO / "raw/index.jsonl")
    rows = [
        len(table["rows"]) + len(table["unlisted"])
        for path in (DEMO / "floor/seasons").iterdir()
        if (table := json.loads(path.read_bytes()))
    ]
    assert passed["floor/standing"] == sum(rows)
    assert passed["floor/season"] == sum(rows) + 2 * len(rows)


def test_the_report_ends_with_what_a_pass_does_not_establish(report: Report) -> None:
    """Calls by outcome first, then each limit, counted where it can be."""
    outcomes = {"hit": 0, "miss": 0, "void": 0}
    for line in (DEMO / "floor/ledger.jsonl").read_bytes().splitlines():
        outcomes[json.loads(line)["body"]["outcome"]] += 1
    settled = (DEMO / "floor/settlements.jsonl").read_bytes().splitlines()
    floor = [note for note in report.notes if note.startswith("Floor: ")]
    assert (
        f"346 calls: {outcomes['hit']} hit, {outcomes['miss']} missed, {outcomes['void']} void"
        in floor[0]
    )
    for count in ("881 raw responses", "346 signatures", "497 attempts", "329 answers of Coinbase"):
        assert sum(count in note for note in floor) == 1
    alone = [row for row in map(json.loads, settled) if row["attempts"][0]["result"] != "settled"]
    alone = [row for row in alone if len(row["attempts"]) == 1]
    assert any(note.endswith(f"in the last minutes allowed: {len(alone)}.") for note in floor)


@pytest.mark.parametrize("forgery", overlays("floor-demo"), ids=lambda forgery: forgery.name)
def test_forgery(demo: Bundle, forgery: Overlay) -> None:
    """Each forgery gets its verdict, and fails at the one check that one would expect."""
    forged = overlay(demo, forgery.changes(demo), relist=forgery.relist)
    found = audit_bundle(forged, policy=load_policy(POLICY))
    assert found.verdict == forgery.verdict
    reporting = {item.check for item in found.findings if item.verdict == forgery.verdict}
    assert forgery.check in reporting
    if forgery.verdict == "fail":
        assert reporting == {forgery.check}


def forgeries() -> list[Any]:
    """Name every forgery of the reference bundles."""
    index = BUNDLES / "overlays" / "index.json"
    listed = json.loads(index.read_bytes()) if index.is_file() else []
    return [pytest.param(each, id=each["name"]) for each in listed]


@needs_shared
@pytest.mark.parametrize("forgery", forgeries())
def test_forgery_as_it_lies_on_disk(forgery: dict[str, Any]) -> None:
    """Each published overlay, laid over its base with its own hash list, gets its verdict."""
    folder = BUNDLES / "overlays" / forgery["name"]
    changes: dict[str, bytes | None] = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    changes |= dict.fromkeys(forgery.get("remove", ()))
    with open_bundle(BUNDLES / forgery["base"]) as base:
        found = audit_bundle(overlay(base, changes), policy=Policy())
    assert found.verdict == {"failed": "fail"}.get(forgery["verdict"], forgery["verdict"])


@needs_shared
def test_the_full_design_passes() -> None:
    """Every kind of call, funding and conditions included, and calls of up to thirty days."""
    with open_bundle(BUNDLES / "floor-full") as bundle:
        found = audit_bundle(bundle, policy=Policy())
    assert found.verdict is Verdict.PASS
    passed = {check.id: check.pass_ for check in found.checks}
    assert passed["floor/baseline"] == passed["floor/settlement"] == 64


@needs_shared
def test_fixture_is_the_published_bundle(demo: Bundle) -> None:
    """The copy in the fixtures is the bundle that its publisher made."""
    with open_bundle(BUNDLES / "floor-demo") as theirs:
        assert demo.sha256 == theirs.sha256


def test_same_bytes_everywhere(tmp_path: Path) -> None:
    """Jobs, archive, locale, time zone and hash seed cannot be seen in a report."""
    archive = shutil.make_archive(str(tmp_path / "demo"), "zip", DEMO)
    command = ("--policy", POLICY, "--format", "json", "--findings", "all")
    first = run("audit", DEMO, *command, PYTHONHASHSEED="1", TZ="UTC", LC_ALL="C")
    other = run(
        "audit", archive, *command, "--jobs", "2",
        PYTHONHASHSEED="2", TZ="Asia/Tokyo", LC_ALL="tr_TR.UTF-8",
    )  # fmt: skip
    assert (first.returncode, first.stderr) == (0, b"")
    assert first.stdout == other.stdout
    assert {each["id"] for each in json.loads(first.stdout)["checks"]} > {
        check.id for check in CHECKS
    }


def test_finality_is_by_the_callers_clock(demo: Bundle) -> None:
    """An entry is provisional until disputes end, by the policy's time and no other."""
    for as_of, provisional in (("2026-11-07T05:20:00Z", 56), ("2026-12-01T00:00:00Z", 0)):
        found = audit_bundle(demo, policy=Policy(as_of=as_of))
        assert found.verdict is Verdict.PASS
        assert any(f"{provisional} may still be disputed" in note for note in found.notes)


def test_nothing_is_stated_of_the_future(demo: Bundle) -> None:
    """By a clock before the last postings, these have not happened."""
    found = audit_bundle(demo, policy=Policy(as_of="2026-11-07T03:00:00Z"))
    wrong = {item.check for item in found.findings if item.verdict is Verdict.FAIL}
    assert wrong == {"floor/closure", "floor/season"}


def test_revisions_by_policy(demo: Bundle) -> None:
    """Responses of one venue that disagree are a finding to read, or a failure."""
    (listed,) = (
        item
        for item in audit_bundle(demo, policy=Policy()).findings
        if item.check == "floor/venue-agreement"
    )
    assert listed.verdict is Verdict.EXEMPT
    strict = Policy(floor=FloorPolicy(venue_revisions="fail"))
    failed = audit_bundle(demo, policy=strict)
    assert {item.check for item in failed.findings if item.verdict is Verdict.FAIL} == {
        "floor/venue-agreement"
    }


def test_an_untrusted_rule_set_is_unproven(demo: Bundle) -> None:
    """What judges is the caller's choice."""
    found = audit_bundle(demo, policy=Policy(floor=FloorPolicy(rules=("floor-rules/1-full",))))
    problems = [item for item in found.findings if item.verdict in PROBLEMS]
    assert [(item.check, item.verdict) for item in problems] == [("floor/rules", "unproven")]


def test_an_unknown_rule_set_judges_nothing(demo: Bundle) -> None:
    """Every check that needs rules says that it was not made; none of them passes."""
    rules = demo.read("floor/rules.json").replace(b'"floor-rules/1"', b'"floor-rules/9"')
    found = audit_bundle(overlay(demo, {"floor/rules.json": rules}, relist=True), policy=Policy())
    assert found.verdict is Verdict.UNPROVEN
    judged = {check.id for check in found.checks if check.pass_ and check.id.startswith("floor/")}
    assert judged == {"floor/layout", "floor/seal", "floor/raw"}
    assert sum(check.unproven for check in found.checks) == len(CHECKS) - 4


def test_known_rules_with_other_bytes_fail(demo: Bundle) -> None:
    """A known id stands for one document; calls are judged by that one all the same."""
    rules = demo.read("floor/rules.json").replace(b'"max_calls":6', b'"max_calls":9')
    found = audit_bundle(overlay(demo, {"floor/rules.json": rules}, relist=True), policy=Policy())
    assert {item.check for item in found.findings if item.verdict is Verdict.FAIL} == {
        "floor/rules"
    }


def test_a_wrong_seal_is_diagnosed(demo: Bundle) -> None:
    """A seal over another spelling of the members fails, and the finding guesses which."""
    rows = demo.read("floor/calls.jsonl").split(b"\n")
    call = json.loads(rows[0])
    spelled = json.dumps({name: call[name] for name in ("agent", "baseline", "posted_at", "terms")})
    call["seal"] = hashlib.sha256(spelled.encode()).hexdigest()
    rows[0] = canonical_bytes(call)
    forged = overlay(demo, {"floor/calls.jsonl": b"\n".join(rows)}, relist=True)
    context = load_context(forged, Policy())
    (finding,) = check_seal(context, context.tables.calls[0])
    assert finding.verdict is Verdict.FAIL
    assert finding.message.endswith("guess: it would match with a space after separators")
