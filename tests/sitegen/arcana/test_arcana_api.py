"""The evidence API of an ARCANA season: the platform's shapes, and enough to verify from."""

import hashlib
import json
from typing import Any

import pytest
from arcana_site import Made, Make
from frozen import POLICY

from sitegen.api import AGENT_TEXT
from verifier.arcana.manifest import parse_manifest
from verifier.arcana.recompute import recompute
from verifier.findings import Verdict
from verifier.proof import check_proof

VERIFICATION = {
    "agent": {"id", "name"},
    "score": {"season_id", "ts", "seal", "seal_scheme", "stored"},
    "formula": {"version", "url"},
    "manifest": {"sha256", "bytes", "body", "parsed"},
}
OUTPUTS = [
    *("performance", "risk", "strategy", "regime", "consistency", "creator", "longevity"),
    *("strategy_multiplier", "ranked", "arcana"),
]
WORKING = {
    *("tick_count", "decision_count", "buys", "sells", "exposure", "exposure_used"),
    *("creator_peer_mean", "total_return", "per_tick_returns", "return_stdev_per_exposure"),
    *("max_drawdown_per_exposure", "turnover", "sell_share", "strategy_checkable"),
    "weighted_sum",
}
LEAF = {
    *("seal", "kind", "status", "anchor", "leaf_index", "leaf_count", "proof"),
    *("expected_input", "checks", "on_chain", "how_to_check"),
}
ANCHOR = {
    *("id", "scheme", "root", "leaf_count", "decisions", "chain_id", "sender", "tx_hash"),
    *("explorer_url", "status", "block_number", "gas_cost_usd", "note", "created_at", "mined_at"),
}


def scores(made: Made) -> list[Any]:
    """Every answer about a score."""
    return [made.answer(path) for path in made.files if "/scores/" in path]


def test_every_sealed_score_is_verified(honest: Made) -> None:
    """There is an answer for each of them, and all 27 checks of it hold."""
    answers = scores(honest)
    assert len(answers) == 71
    for answer in answers:
        assert answer["status"] == "verified"
        assert answer["summary"] == "27 of 27 checks pass"
        assert all(check["ok"] is True for check in answer["checks"])
        assert answer["agent_text"] == AGENT_TEXT


def test_the_body_is_what_the_seal_names(honest: Made) -> None:
    """A reader who has nothing but the answer can hash and recompute the score."""
    for answer in scores(honest):
        body = answer["manifest"]["body"].encode()
        assert hashlib.sha256(body).hexdigest() == answer["score"]["seal"]
        assert len(body) == answer["manifest"]["bytes"]
        manifest: Any = parse_manifest(body)
        assert recompute(manifest).outputs == answer["outputs"] == answer["recomputed"]


def test_verification_has_the_platforms_keys(honest: Made) -> None:
    """Whoever reads the platform's answer can read this one."""
    for answer in scores(honest):
        for member, keys in VERIFICATION.items():
            assert set(answer[member]) == keys
        assert set(answer["outputs"]) == set(OUTPUTS)
        assert set(answer["working"]) == WORKING
        assert set(answer["manifest"]["parsed"]) == {
            *("scheme", "formula", "agent_id", "season_id", "ts", "constants", "strategy_type"),
            *("nav_series", "decisions", "creator_peers", "outputs", "previous_seal"),
        }
        assert [item["input"] for item in answer["coverage"]] == [
            "portfolio snapshots",
            "decisions",
            "creator peer scores",
        ]
        for item in answer["coverage"]:
            assert (item["unsealed_note"] is None) == (item["sealed"] == item["total"])


def test_the_latest_score_answers_for_its_agent(honest: Made) -> None:
    """Without a choice of season and time, the platform gives the newest sealed score."""
    latest = [path for path in honest.files if path.endswith("/score/verification.json")]
    assert len(latest) == 15
    for path in latest:
        answer = honest.answer(path)
        folder = path.removesuffix("score/verification.json")
        own = [
            honest.answer(other) for other in honest.files if other.startswith(f"{folder}scores/")
        ]
        if not own:
            assert answer["status"] == "not_sealed"
            assert answer["agent_text"] == AGENT_TEXT
            continue
        newest = max(own, key=lambda each: each["score"]["ts"])
        assert answer == newest
        assert len(answer["other_sealed_scores"]) == min(10, len(own) - 1)


def test_there_is_an_answer_for_every_leaf(honest: Made) -> None:
    """Each has the platform's keys, and is a proof file that this tool accepts."""
    anchors = [
        honest.answer(path)
        for path in honest.files
        if path.startswith("v1/anchors/") and "/leaves/" not in path
    ]
    seals = {leaf["commitment"] for anchor in anchors for leaf in anchor["leaves"]}
    paths = [path for path in honest.files if path.startswith("v1/anchors/leaves/")]
    assert {path.rpartition("/")[2] for path in paths} >= {f"{seal}.json" for seal in seals}
    anchored = 0
    for path in paths:
        answer = honest.answer(path)
        assert set(answer) == LEAF
        if answer["status"] != "anchored":
            assert answer["status"] in {"pending", "anchoring"}
            continue
        anchored += 1
        assert set(answer["anchor"]) == ANCHOR
        assert len(answer["checks"]) == 8
        assert all(check["ok"] for check in answer["checks"])
    assert anchored > 800
    proof = check_proof(honest.files[paths[0]], name=paths[0], policy=POLICY)
    # An answer has no chain record: that the root is mined is the bundle's to prove.
    assert Verdict.FAIL not in {finding.verdict for finding in proof.findings}


def test_anchors_are_listed_with_their_totals(honest: Made) -> None:
    """One page holds all of them, and counts what it holds."""
    answer = honest.answer("v1/anchors.json")
    assert answer["total"] == len(answer["items"]) == 68
    assert answer["totals"]["mined"] == 66
    assert answer["totals"]["records_anchored"] == sum(
        item["leaf_count"] for item in answer["items"] if item["status"] == "mined"
    )
    assert not answer["has_more"]


def test_the_leaderboard_says_what_cannot_be_ranked_on(honest: Made) -> None:
    """The unranked follow without a rank, and the regime is listed as not rankable."""
    answer = honest.answer("v1/leaderboard.json")
    assert answer["agent_text"] == AGENT_TEXT
    assert answer["total_ranked"] + answer["total_unranked"] == answer["total"]
    last = answer["items"][-1]
    assert (last["rank"], last["score"], last["ranked"]) == (None, None, False)
    assert last["unranked_note"]
    rankable = {each["key"]: each["rankable"] for each in answer["categories"]}
    assert rankable.pop("regime") is False
    assert all(rankable.values())
    weights = [each["weight"] for each in answer["categories"] if each["weight"] is not None]
    assert sum(weights) == answer["weights_sum"]
    assert answer["season"]["status"] == "ended"


def test_formulas_are_answered_under_their_slash(honest: Made) -> None:
    """The version has a slash, and the published document is what is answered."""
    answer = honest.answer("v1/score-formulas/arcana-score-formula/v1.json")
    assert answer["version"] == "arcana-score-formula/v1"
    assert len(answer["constants"]) == 20
    assert len(answer["steps"]) == 16


@pytest.mark.parametrize(
    ("name", "failed"),
    [
        ("ulp-resealed", "consistency recomputes"),
        ("column-off", "stored "),
        ("decision-invented", "each decision exists with that time, action and commitment"),
        ("decision-dropped", "no counted decision up to the score's time is missing"),
    ],
)
def test_a_forged_score_is_a_mismatch(make: Make, name: str, failed: str) -> None:
    """The check that fails is named, and the others still hold."""
    wrong = [answer for answer in scores(make(name)) if answer["status"] == "mismatch"]
    assert wrong
    said = {check["name"] for answer in wrong for check in answer["checks"] if not check["ok"]}
    assert any(each.startswith(failed) for each in said)


def test_every_answer_is_canonical_json(honest: Made) -> None:
    """The bytes of an answer follow from what it says."""
    from verifier.core.canon import canonical_bytes  # noqa: PLC0415 - one use

    for path, content in honest.files.items():
        if path.startswith("v1/"):
            assert canonical_bytes(json.loads(content)) + b"\n" == content
