"""
The clarifications of the platform's format, one by one: layout, inputs, scores, trust.

Each case lays a small change over the demo season and states which steps then
fail or leave something unproven. Numbers are those of the clarifications.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import pytest
from demo_changes import (
    AGENT,
    FAIL,
    POLICY,
    SCORE,
    STRANGER,
    UNPROVEN,
    Changes,
    Steps,
    agent_rows,
    bundle_json,
    edit,
    judge,
    manifest_path,
    output,
    put,
    resealed,
    rows,
    set_agent,
    set_first,
    set_members,
    text_of,
    trust,
    turn,
)
from shared import FIXTURES

from verifier.audit import audit_bundle
from verifier.bundle import Bundle, open_bundle, overlay
from verifier.errors import EvidenceError
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.policy import Policy


@pytest.fixture(scope="module", name="demo")
def _demo() -> Iterator[Bundle]:
    with open_bundle(FIXTURES / "arcana-demo") as bundle:
        yield bundle


def layout_cases() -> Iterator[tuple[str, Changes, Steps]]:
    """Clarifications 2 to 9, 42: what is wrong with the layout is step 0's."""
    wrong: Steps = {0: FAIL}
    entry = {"family": "arcana", "id": "x", "sha256": "0" * 64}
    yield "2 arcana season listed", {"bundle.json": bundle_json(seasons=[entry])}, wrong
    yield "2 newline after bundle.json", {"bundle.json": bundle_json() + b"\n"}, wrong
    last = f"arcana/chain/{rows('anchors')[-1]['tx_hash']}.json"
    pretty = json.dumps(json.loads(text_of(last)), indent=1).encode() + b"\n"
    yield "2 chain record as it came", {last: pretty}, {}
    for name in ("agents", "seasons", "snapshots", "decisions", "scores", "anchors"):
        yield f"4 {name} out of order", edit(name, turn), wrong
    yield "4 reputations out of order", edit("reputations", turn), wrong
    yield "4 boards out of order", edit("leaderboards", turn), wrong
    yield "4 agent twice", edit("agents", lambda x: x.insert(0, x[0])), wrong
    yield (
        "5 created_at with six digits",
        edit("anchors", set_first(created_at="2026-09-13T00:00:00.000000Z")),
        wrong,
    )
    yield "5 mined_at no time", edit("anchors", set_first(mined_at="soon")), wrong
    yield "5 season not listed", edit("seasons", lambda x: x.pop(0)), wrong
    yield "5 season without rows", edit("seasons", lambda x: x.pop()), {}
    yield "42 row file missing", {"arcana/formulas.jsonl": None}, wrong
    yield (
        "42 not canonical",
        {"arcana/seasons.jsonl": text_of("arcana/seasons.jsonl").replace(b":", b": ", 1)},
        wrong,
    )


def input_cases() -> Iterator[tuple[str, Changes, Steps]]:
    """Clarifications 6, 10, 12 to 16, 37, 41: steps 1 and 3."""
    new = {
        **rows("snapshots")[0],
        "portfolio_id": "nobody's",
        "ts": "2026-09-10T00:00:45.900000Z",
    }
    at = next(i for i, row in enumerate(rows("snapshots")) if row["ts"] > str(new["ts"]))
    yield (
        "6 empty strategy for null",
        edit(
            "agents",
            lambda x: [r.update(strategy_type="") for r in x if r["strategy_type"] is None],
        ),
        {},
    )
    yield "6 old portfolio, named by manifests", edit("agents", set_agent(portfolio_id=None)), {}
    yield "6 of no listed portfolio", edit("snapshots", lambda x: x.insert(at, new)), {3: UNPROVEN}
    yield "10 manifest of a score missing", {manifest_path(SCORE): None}, {1: UNPROVEN}
    for name, seal in (("snapshots", "seal"), ("decisions", "commitment")):
        found = next(row[seal] for row in rows(name) if row[seal] is not None)
        yield f"10 manifest of {name} missing", {manifest_path(found): None}, {3: UNPROVEN}
    body = text_of(manifest_path(SCORE))
    unnamed = body.replace(b'"regime":50', b'"regime":51')
    yield "10 no row names it", {manifest_path(sha256(unnamed).hexdigest()): unnamed}, {1: FAIL}
    yield (
        "10 wrong folder",
        {manifest_path(SCORE): None, f"arcana/manifests/00/{SCORE}.txt": body},
        {1: FAIL},
    )
    yield "10 another content", {manifest_path(SCORE): unnamed}, {1: FAIL}
    yield "13 another strategy", edit("agents", set_agent(strategy_type="hodl")), {3: FAIL}
    yield (
        "14 listed, not counted",
        edit("decisions", lambda x: agent_rows(x)[0].update(counted=False)),
        {3: FAIL},
    )
    yield (
        "14 counted, not listed",
        edit("decisions", lambda x: [r.update(counted=True) for r in x]),
        {3: FAIL},
    )
    twin = {**rows("decisions")[0], "commitment": "0" * 64}
    yield (
        "42 one id twice",
        edit("decisions", lambda x: x.insert(1, twin)),
        {0: FAIL, 3: FAIL},
    )


def score_cases() -> Iterator[tuple[str, Changes, Steps]]:
    """Clarifications 11, 17 to 19, 32 to 36: a score that waits for its anchor."""
    waits: Steps = {8: UNPROVEN}
    yield "17 not anchored yet", resealed(), waits
    yield (
        "11 spelled 0.250",
        resealed(lambda x: x.replace('"w_risk":0.25', '"w_risk":0.250')),
        {1: FAIL, **waits},
    )
    yield (
        "11 spelled 50.0",
        resealed(lambda x: x.replace('"neutral":50', '"neutral":50.0')),
        {1: FAIL, **waits},
    )
    yield (
        "33 seal that is no hex",
        resealed(lambda x: re.sub(r'"commitment":"\w+"', '"commitment":"zz"', x, count=1)),
        {3: FAIL, 4: UNPROVEN, **waits},
    )
    yield (
        "18 unknown version",
        resealed(lambda x: x.replace("formula/v1", "formula/v2")),
        {5: UNPROVEN, **waits},
    )
    yield (
        "35 other constants",
        resealed(lambda x: x.replace('"w_risk":0.25', '"w_risk":0.35')),
        {5: FAIL, 6: FAIL, **waits},
    )
    yield (
        "35 a constant missing",
        resealed(lambda x: x.replace('"w_risk":0.25,', "")),
        {5: FAIL, **waits},
    )
    yield (
        "35 a constant of text",
        resealed(lambda x: x.replace('"w_risk":0.25', '"w_risk":"0.25"')),
        {5: FAIL, **waits},
    )
    unencodable = '"unencodable: json: unsupported value: NaN"'
    yield (
        "35 outputs unencodable",
        resealed(lambda x: re.sub("outputs: .*", f"outputs: {unencodable}", x)),
        {6: FAIL, **waits},
    )
    for value in ("1e+300", "1.7976931348623157e+308", "5e-324"):
        yield (
            f"19 output {value}",
            resealed(output(value)),
            {6: FAIL, 7: FAIL, **waits},
        )
    yield (
        "19 a hundredth off",
        resealed(column=lambda r: r.update(longevity_score="99.99")),
        {7: FAIL, 10: FAIL, **waits},
    )
    for text in ("100.0", "100", "0100.00", "1e2", ""):
        yield (
            f"36 spelled {text!r}",
            resealed(column=set_members(longevity_score=text)),
            {0: FAIL, 7: FAIL, 10: FAIL, **waits} if text == "" else {0: FAIL, 7: FAIL, **waits},
        )
    yield (
        "18 published constants differ",
        edit("formulas", lambda x: x[0]["constants"].update(w_risk=0.26)),
        {5: FAIL},
    )
    yield "18 prose is not compared", edit("formulas", set_first(notes=[], steps=[])), {}


CASES: Final = [
    pytest.param(changes, steps, id=name)
    for cases in (layout_cases, input_cases, score_cases)
    for name, changes, steps in cases()
]


@pytest.mark.parametrize(("changes", "steps"), CASES)
def test_clarification(demo: Bundle, changes: Changes, steps: Steps) -> None:
    """Exactly the steps that a clarification names say fail or unproven."""
    assert judge(demo, changes) == steps


@pytest.mark.parametrize("text", ["010", "+1", "-1", "1.0", "", " 1", "9223372036854775808"])
def test_3_ids_are_plain_decimal(demo: Bundle, text: str) -> None:
    """An id of another spelling cannot be read, and the error names the line."""
    with pytest.raises(EvidenceError, match=r"^arcana/decisions.jsonl:1 .*plain decimal"):
        judge(demo, edit("decisions", set_first(id=text)))


@pytest.mark.parametrize(
    ("listed", "steps"),
    [(None, {}), (0, {6: FAIL, 8: UNPROVEN}), (2, {3: FAIL, 6: FAIL, 8: UNPROVEN})],
)
def test_15_an_agent_not_active_is_listed_whole_or_not_at_all(
    demo: Bundle, listed: int | None, steps: Steps
) -> None:
    """Step 3 takes all rows of a retired peer or none; the outputs tell which it was."""
    agents = rows("agents")
    creator = agent_rows(agents)[0]["creator_id"]
    peer = next(r for r in agents if r["creator_id"] == creator and r["agent_id"] != AGENT)
    peer["status"] = "retired"
    changes = {} if listed is None else resealed(lambda text: _keep(text, peer["agent_id"], listed))
    assert (
        judge(demo, {**changes, **put("agents", agents), "arcana/reputations.jsonl": None}) == steps
    )


def _keep(text: str, agent_id: str, count: int) -> str:
    before, peers, after = re.split(r"(?<=creator_peers: )(.*)", text)
    kept = []
    for peer in json.loads(peers):
        if peer["agent_id"] == agent_id:
            count -= 1
        if peer["agent_id"] != agent_id or count >= 0:
            kept.append(peer)
    return before + json.dumps(kept, separators=(",", ":")) + after


@pytest.mark.parametrize(
    ("policy", "steps"),
    [
        pytest.param(trust(sealing_start="2026-09-15T00:00:00Z"), {3: FAIL}, id="16 sealed early"),
        pytest.param(
            trust(sealing_start="2026-09-13T00:00:00Z"), {3: UNPROVEN}, id="16 not sealed"
        ),
        pytest.param(
            trust(commitments_start="2026-09-14T00:00:00Z"), {3: FAIL}, id="16 committed early"
        ),
        pytest.param(
            trust(commitments_start="2026-09-12T00:00:00Z"), {3: UNPROVEN}, id="16 not committed"
        ),
        pytest.param(trust(chain_id=1), {8: FAIL}, id="21 another chain"),
        pytest.param(trust(senders=()), {8: UNPROVEN}, id="23 no sender named"),
        pytest.param(trust(senders=(STRANGER,)), {8: FAIL}, id="23 another sender"),
        pytest.param(trust(senders=(STRANGER, *POLICY.arcana.senders)), {}, id="23 two senders"),
        pytest.param(trust(participation="published"), {9: FAIL}, id="24 published rule"),
        pytest.param(trust(formulas=()), {5: UNPROVEN}, id="35 version not trusted"),
        pytest.param(replace(POLICY, as_of="2026-09-19T23:30:03Z"), {}, id="41 at the last score"),
        pytest.param(replace(POLICY, as_of="2026-09-19T23:30:02Z"), {3: FAIL}, id="41 before it"),
    ],
)
def test_trust(demo: Bundle, policy: Policy, steps: Steps) -> None:
    """What the caller trusts decides, and nothing in the bundle does."""
    assert judge(demo, {}, policy) == steps


def test_37_a_portfolio_without_owner_is_one_finding(demo: Bundle) -> None:
    """However many rows it has."""
    row = {**rows("snapshots")[0], "portfolio_id": "nobody's"}
    times = [f"2026-09-10T00:00:45.3379{digits}Z" for digits in ("53", "54", "55")]
    snapshots = [*rows("snapshots"), *({**row, "ts": ts} for ts in times)]
    snapshots.sort(key=lambda item: (item["ts"], item["portfolio_id"]))
    report = audit_bundle(overlay(demo, put("snapshots", snapshots), relist=True), policy=POLICY)
    (finding,) = (item for item in report.findings if item.verdict is not Verdict.EXEMPT)
    assert (finding.verdict, finding.step) == (Verdict.UNPROVEN, 3)
