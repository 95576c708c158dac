"""Python and JavaScript agree on every number of the fixtures, bit for bit or digit for digit."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import pytest
from shared import SHARED, needs_shared
from verify_node import count, described, needs_node, values
from verify_payloads import (
    ARCANA,
    FLOOR,
    SEALED,
    agent_payload,
    call_payload,
    calls,
    home_payload,
    leaderboard_payload,
    ledger,
    lines,
    manifest_text,
    score_payload,
    sealed_scores,
    season_payload,
)

from formulas.floor.primitives import as_written, parse_time, plain
from formulas.floor.proved import decimal
from formulas.floor.score import points
from formulas.floor.season import Entry, season_table
from formulas.floor.standing import standing
from verifier.arcana.manifest import ScoreManifest, parse_manifest
from verifier.arcana.recompute import recompute
from verifier.bundle import open_bundle
from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.core.schemes import RFC9162
from verifier.core.steps import inclusion_steps
from verifier.floor.rulesets import known_rules
from verifier.policy import load_policy
from verifier.proof import prove

if TYPE_CHECKING:
    from decimal import Decimal
    from pathlib import Path

    from formulas.floor.rules import Rules

pytestmark = needs_node

LARGE: Final = SHARED / "reference/bundles/floor-full"
BUNDLES: Final = (
    pytest.param(FLOOR, id="demo"),
    pytest.param(LARGE, id="full", marks=needs_shared),
)


def rules_of(bundle: Path) -> Rules:
    """Give the rules that a bundle names."""
    return known_rules(json.loads((bundle / "floor/rules.json").read_bytes())["id"])


def entries_of(bundle: Path) -> list[Entry]:
    """Give the ledger as the season formula takes it."""
    listed = []
    for entry in ledger(bundle):
        body = entry["body"]
        call = calls(bundle)[body["call"]]
        gained = None if body["points"] is None else as_written(body["points"])
        p = as_written(call["terms"]["p"])
        at = parse_time(body["settled_at"])
        listed.append(Entry(call["agent"], body["outcome"], p, gained, at))
    return listed


def js_calls(entries: list[Entry]) -> list[tuple[str, str, str, str | None, int]]:
    """Give the same to the driver, with times in seconds."""
    return [
        (
            each.agent,
            each.outcome,
            f"{each.p:f}",
            None if each.points is None else f"{each.points:f}",
            each.settled_at // 1000,
        )
        for each in entries
    ]


@pytest.mark.parametrize("bundle", BUNDLES)
def test_every_seal_and_every_hash(bundle: Path) -> None:
    """Calls, bodies and records of the ledger in canonical form; the chain; the hours' roots."""
    sealed = [{key: call[key] for key in SEALED} for call in calls(bundle).values()]
    bodies = [entry["body"] for entry in ledger(bundle)]
    texts = [json.dumps(value) for value in (*sealed, *bodies)]
    expected = [canonical_bytes(value).decode() for value in (*sealed, *bodies)]
    assert values(("canonical", text) for text in texts) == expected
    seals = [*calls(bundle), *(entry["hash"] for entry in ledger(bundle))]
    assert values(("sha256", text) for text in expected) == seals
    chained = (bundle / "floor/ledger.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    assert values([("chain", chained)]) == [None]
    hours = lines(bundle / "floor/roots.jsonl")
    trees = [
        [each["hash"] for each in ledger(bundle)[hour["first"] : hour["last"] + 1]]
        if hour["entries"]
        else []
        for hour in hours
    ]
    assert values(("root", tree) for tree in trees) == [hour["root"] for hour in hours]
    count(f"{len(seals)} hashes, {len(hours)} roots")


@pytest.mark.parametrize("bundle", BUNDLES)
def test_every_number_of_calls(bundle: Path) -> None:
    """Points of every call, for both outcomes: what happened and what did not."""
    rules = rules_of(bundle)
    listed = [
        (as_written(call["terms"]["p"]), as_written(call["baseline"]["b"]), hit)
        for call in calls(bundle).values()
        for hit in (True, False)
    ]
    asked = [("points", f"{p:f}", f"{b:f}", hit) for p, b, hit in listed]
    answers = values(asked)
    for (p, b, hit), answer in zip(listed, answers, strict=True):
        exact = decimal(points(p, b, hit=hit, rules=rules.score), rules.decimals.points)
        assert answer["text"] == plain(exact)
    count(f"{len(listed)} points: {Counter(answer['by'] for answer in answers)}")


@pytest.mark.parametrize("bundle", BUNDLES)
def test_every_number_of_seasons(bundle: Path) -> None:
    """Rows, ranks and the unlisted of every season, and of the whole ledger as one."""
    rules, entries = rules_of(bundle), entries_of(bundle)
    spans = [
        (parse_time(table["season"]["start"]), parse_time(table["season"]["end"]))
        for table in (
            json.loads(path.read_bytes()) for path in sorted((bundle / "floor/seasons").iterdir())
        )
    ]
    spans.append((0, max(each.settled_at for each in entries) + 1000))
    asked = [("table", js_calls(entries), start // 1000, end // 1000) for start, end in spans]
    numbers = 0
    for (start, end), got in zip(spans, values(asked), strict=True):
        table = season_table(entries, start=start, end=end, rules=rules)
        want = [
            {
                **row._asdict(),
                "standing": plain(row.standing),
                "brier": plain(row.brier),
            }
            for row in table.rows
        ]
        assert [{key: row[key] for key in want[0]} for row in got["rows"]] == want
        assert [(row["agent"], row["settled"], row["standing"]) for row in got["unlisted"]] == [
            (row.agent, row.settled, plain(row.standing)) for row in table.unlisted
        ]
        numbers += 7 * len(want) + 2 * len(table.unlisted)
    count(f"{numbers} numbers of {len(spans)} tables")


@pytest.mark.parametrize("bundle", BUNDLES)
def test_every_standing_on_the_way(bundle: Path) -> None:
    """The standing of each agent whenever one of its calls settles, and a month later."""
    rules = rules_of(bundle)
    own: dict[str, list[tuple[Decimal, int]]] = {}
    asked, expected = [], []
    for entry in entries_of(bundle):
        if entry.points is None:
            continue
        scored = own.setdefault(entry.agent, [])
        scored.append((entry.points, entry.settled_at))
        for at in (entry.settled_at, entry.settled_at + 2_592_000_000 + 1000):
            ages = [(f"{gained:f}", (at - settled) // 1000) for gained, settled in scored]
            asked.append(("standing", ages))
            exact = decimal(standing(scored, at=at, rules=rules.score), rules.decimals.standing)
            expected.append(plain(exact))
    answers = values(asked)
    assert [answer["text"] for answer in answers] == expected
    count(f"{len(expected)} standings: {Counter(answer['by'] for answer in answers)}")


@pytest.mark.parametrize("bundle", BUNDLES)
def test_pages_of_the_floor_pass(bundle: Path) -> None:
    """Every call, agent and season, with all that the page brings checked."""
    seasons = sorted(path.stem for path in (bundle / "floor/seasons").iterdir())
    agents = [
        agent_payload(row["agent"], season, bundle)
        for season in seasons
        for row in json.loads((bundle / f"floor/seasons/{season}.json").read_bytes())["rows"]
    ]
    pages = [
        *(call_payload(seal, bundle) for seal in calls(bundle)),
        *(season_payload(season, bundle) for season in seasons),
        *agents,
    ]
    results = values(("verify", page) for page in pages)
    bad = [result for result in results if result["verdict"] != "pass"]
    assert not bad, bad[:1]
    heads = [
        check
        for result in results
        for check in result["checks"]
        if check["what"].startswith("the ledger's head follows")
    ]
    assert len(heads) == len(seasons)
    count(f"{len(pages)} pages of {Counter(page['kind'] for page in pages)}")


@cache
def manifests() -> dict[str, str]:
    """Read every manifest of the demo."""
    return {
        path.stem: manifest_text(path.stem)
        for path in sorted((ARCANA / "arcana/manifests").glob("*/*.txt"))
    }


def test_every_manifest_and_every_output() -> None:
    """Each is in its one right form and hashes to its name; outputs are the same bits."""
    answers = values(("manifest", text) for text in manifests().values())
    assert values(("sha256", text) for text in manifests().values()) == list(manifests())
    outputs = 0
    for text, answer in zip(manifests().values(), answers, strict=True):
        manifest = parse_manifest(text.encode())
        if not isinstance(manifest, ScoreManifest):
            assert "outputs" not in answer
            continue
        recomputed = recompute(manifest).outputs
        assert answer["outputs"] == {key: described(value) for key, value in recomputed.items()}
        outputs += len(recomputed)
    assert outputs == 10 * len(sealed_scores())
    count(f"{len(answers)} manifests, {outputs} outputs")


def test_every_leaf_of_every_anchor() -> None:
    """Roots, and the proof of each leaf with its sides."""
    asked: list[tuple[Any, ...]] = []
    roots: list[tuple[str, list[str]]] = []
    for anchor in lines(ARCANA / "arcana/anchors.jsonl"):
        seals = [leaf["commitment"] for leaf in anchor["leaves"]]
        roots.append((anchor["root"], seals))
        hashes = [RFC9162.leaf(bytes.fromhex(seal)) for seal in seals]
        for index, seal in enumerate(seals):
            path = [
                {"sibling": step.sibling.hex(), "position": step.position}
                for step in inclusion_steps(hashes, index)
            ]
            asked.append(("inclusion", seal, index, len(seals), path, anchor["root"]))
    assert values(("root", seals) for _, seals in roots) == [root for root, _ in roots]
    assert all(values(asked))
    count(f"{len(asked)} leaves of {len(roots)} anchors")


def test_pages_of_arcana_pass() -> None:
    """Every sealed score, the leaderboard, and a home page."""
    pages = [*map(score_payload, sealed_scores()), leaderboard_payload(), home_payload()]
    results = values(("verify", page) for page in pages)
    bad = [result for result in results if result["verdict"] != "pass"]
    assert not bad, bad[:1]
    proved = sum(page.get("proof") is not None for page in pages)
    assert proved > 50
    count(f"{len(pages)} pages, {proved} scores in an anchor")


def test_proof_files_hold() -> None:
    """As the program writes them: nothing fails, and what only a node knows is unproven."""
    policy = load_policy(FLOOR.parent / "policy.toml")
    files = []
    with open_bundle(ARCANA) as bundle:
        seals = [row["seal"] for row in sealed_scores()][:3]
        seals += [row["seal"] for row in lines(ARCANA / "arcana/snapshots.jsonl") if row["seal"]][
            :2
        ]
        seals += [
            row["commitment"]
            for row in lines(ARCANA / "arcana/decisions.jsonl")
            if row["commitment"]
        ][:2]
        files += [prove(bundle, seal, policy=policy) for seal in seals]
    with open_bundle(FLOOR) as bundle:
        files += [prove(bundle, entry["hash"], policy=policy) for entry in ledger()[:5]]
    assert all(read_json(file) for file in files)
    for result in values(("verifyFile", file.hex()) for file in files):
        assert result["verdict"] == "unproven"
        assert [c["what"] for c in result["checks"] if c["verdict"] != "pass"] in (
            ["the transaction is on the chain, by that sender"],
            ["who vouches for the hour's root"],
        )


def test_manifest_files_hold() -> None:
    """A manifest by itself: its form, its seal, its outputs."""
    texts = [manifests()[row["seal"]] for row in sealed_scores()[:3]]
    texts += list(manifests().values())[:6]
    results = values(("verifyFile", text.encode().hex()) for text in texts)
    for text, result in zip(texts, results, strict=True):
        assert result["verdict"] == "pass"
        seal = sha256(text.encode()).hexdigest()
        assert seal in [check["value"] for check in result["checks"]]
