"""The reference vectors hold in the second implementation too."""

from __future__ import annotations

import json
from decimal import ROUND_HALF_UP, Decimal
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from shared import FIXTURES, SHARED, needs_shared
from verify_node import ask, bits, needs_node, values

if TYPE_CHECKING:
    from pathlib import Path

VECTORS: Final = FIXTURES / "vectors"
ARCANA: Final = VECTORS / "arcana"

pytestmark = needs_node


def cases(path: Path) -> list[dict[str, Any]]:
    """Read the cases of a vector file, JSON or JSON lines."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.split("\n") if line]
    found: list[dict[str, Any]] = json.loads(text)["cases"]
    return found


def test_numbers_and_strings_are_written_as_go_writes_them() -> None:
    """Doubles, and every escape."""
    doubles = cases(ARCANA / "facts/float-format.json")
    assert values(("goNumber", case["bits"]) for case in doubles) == [
        case["text"] for case in doubles
    ]
    texts = cases(ARCANA / "facts/string-escape.json")
    assert values(("goString", case["text"]) for case in texts) == [
        bytes.fromhex(case["hex"]).decode() for case in texts
    ]


def test_number_text_is_read_as_the_engine_reads_it() -> None:
    """A NaN is a NaN, whatever its payload; all other doubles are the same bits."""
    texts = [case for case in cases(ARCANA / "facts/number-text.json") if case["value"] != "nan"]
    assert values(("goFloat", case["text"]) for case in texts) == [case["bits"] for case in texts]
    assert values([("goFloat", "nan"), ("goFloat", "NaN")]) == ["7ff8000000000000"] * 2


def test_rounding_and_multiplier() -> None:
    """One decimal, halves away from zero; 1 - 0.7 is folded exactly."""
    rounded = cases(ARCANA / "facts/round1.json")
    assert values(("round1", case["in_bits"]) for case in rounded) == [
        case["out_bits"] for case in rounded
    ]
    assert values([("complement", bits(0.7)), ("complement", bits(0.25))]) == [
        bits(0.3),
        bits(0.75),
    ]


def manifest_cases(folder: Path, kind: str) -> list[tuple[dict[str, Any], str]]:
    """List the manifests of a kind that are there, with their texts."""
    listed = cases(folder / "manifests/index.json")
    return [
        (case, (folder / case["file"]).read_bytes().decode())
        for case in listed
        if case["kind"] == kind and (folder / case["file"]).exists()
    ]


def _hold_manifests(folder: Path) -> int:
    scores = manifest_cases(folder, "score_manifest")
    for (case, text), answer in zip(
        scores, ask(("manifest", text) for _, text in scores), strict=True
    ):
        reasons = case["expect"]["reasons"]
        if reasons and reasons[0] in {"not_canonical", "format"}:
            assert answer["error"] == "Refused", case["id"]
            continue
        value = answer["value"]
        assert value["published"] == (reasons != ["constants_not_published"]), case["id"]
        if reasons != ["outputs_unencodable"]:
            same = value["outputs"] == case["outputs_hex"]
            assert same == (reasons != ["output_mismatch"]), case["id"]
        assert (sha256(text.encode()).hexdigest() == case["seal"]) == (
            reasons != ["seal_mismatch"]
        ), case["id"]
    others = [
        each
        for kind in ("snapshot_manifest", "commitment_manifest")
        for each in manifest_cases(folder, kind)
    ]
    assert len(values(("manifest", text) for _, text in others)) == len(others)
    return len(scores) + len(others)


def test_manifests_are_judged_as_the_reference_says() -> None:
    """Good ones recompute bit for bit; each bad one is refused or differs, as its reason says."""
    assert _hold_manifests(ARCANA) > 80


@needs_shared
def test_all_manifests_of_the_reference() -> None:
    """The large ones too, which are not in this repository."""
    assert _hold_manifests(SHARED / "reference/arcana") == 92


def test_formulas_from_before_sealing() -> None:
    """F1, F2 and F3, bit for bit."""
    listed = cases(ARCANA / "legacy/legacy-formulas.json")
    asked = [
        (
            "legacy",
            case["formula"],
            {
                "navs": case["nav"],
                "cash": case["cash"],
                "actions": case["actions"],
                "strategy": case["strategy_type"],
                "peers": [bits(float(peer)) for peer in case["peer_performance"]],
            },
        )
        for case in listed
    ]
    for case, value in zip(listed, values(asked), strict=True):
        assert case["outputs_hex"].items() <= value.items(), case["id"]


def test_trees_of_the_platform() -> None:
    """1 to 20 leaves, every proof; a proof of 1,000; a wrong side is refused."""
    trees = json.loads((VECTORS / "merkle/trees-1-20.json").read_text())["trees"]
    for tree, root in zip(trees, values(("root", tree["leaves"]) for tree in trees), strict=True):
        assert root == tree["root"]
    proofs = [
        ("inclusion", tree["leaves"][index], index, tree["n"], proof, tree["root"])
        for tree in trees
        for index, proof in enumerate(tree["proofs"])
    ]
    assert values(proofs) == [True] * 210
    large = json.loads((VECTORS / "merkle/tree-1000.json").read_text())
    leaves = [sha256(f"commitment-{index}".encode()).hexdigest() for index in range(1000)]
    asked = [
        ("inclusion", leaves[int(index)], int(index), 1000, proof, large["root"])
        for index, proof in large["proofs"].items()
    ]
    assert values([("root", leaves)]) == [large["root"]]
    assert all(values(asked))
    for name, good in (("good-proof-carried", True), ("bad-proof-side", False)):
        case = json.loads((VECTORS / f"merkle/{name}.json").read_text())
        answer = ask(
            [
                (
                    "inclusion",
                    case["seal"],
                    case["leaf_index"],
                    case["leaf_count"],
                    case["proof"],
                    case["root"],
                )
            ]
        )[0]
        assert answer.get("value", False) is good


def test_inclusion_proofs_of_certificate_logs() -> None:
    """Real ones hold, each mutation of one is refused or leads elsewhere."""
    listed = cases(VECTORS / "merkle/rfc6962_inclusion.jsonl")
    asked = [
        ("walk", case["leaf_hash"], case["leaf_index"], case["tree_size"], case["proof"])
        for case in listed
    ]
    for case, answer in zip(listed, ask(asked), strict=True):
        holds = answer.get("value") == case["root"]
        assert holds == (case["expect"] == "accept"), case["id"]
        assert "value" in answer or answer["error"] == "Refused", case["id"]


def test_strict_json_and_its_canonical_form() -> None:
    """Pairs have their canonical form; each text to be rejected is refused."""
    listed = cases(VECTORS / "json/pairs.jsonl")
    asked = [("canonical", bytes.fromhex(case["input_hex"]).decode()) for case in listed]
    assert values(asked) == [bytes.fromhex(case["canonical_hex"]).decode() for case in listed]
    rejected = []
    for case in cases(VECTORS / "json/reject.jsonl"):
        try:
            text = bytes.fromhex(case["input_hex"]).decode()
        except UnicodeDecodeError:
            continue  # bytes reach the reader as text, and decoding them is strict
        if case["expect"] == "reject":
            rejected.append((case["id"], text))
    assert len(rejected) > 20
    answers = ask(("canonical", text) for _, text in rejected)
    for (name, _), answer in zip(rejected, answers, strict=True):
        assert answer.get("error") == "Refused", name


def test_points_and_brier_scores_of_the_reference() -> None:
    """Each is the correct rounding of the exact value."""
    listed = cases(VECTORS / "floor/ref-log-score.json")
    asked = [
        ("points", case["input"]["p"], case["input"]["b"], hit)
        for case in listed
        for hit in (True, False)
    ]
    expected = [case["expected"][key] for case in listed for key in ("hit", "miss")]
    for want, got in zip(expected, values(asked), strict=True):
        exact = Decimal(want).quantize(Decimal("0.0001"), ROUND_HALF_UP)
        assert Decimal(got["text"]) == exact
    means = cases(VECTORS / "floor/ref-brier.json")
    briers = values(
        (
            "brier",
            [
                (call["p"], call["outcome"] == "hit")
                for call in case["input"]["calls"]
                if call["outcome"] != "void"
            ],
        )
        for case in means
    )
    for case, got in zip(means, briers, strict=True):
        mean = case["expected"]["mean_decimal"]
        wanted = None if mean is None else Decimal(mean).quantize(Decimal("1e-6"), ROUND_HALF_UP)
        assert (None if got is None else Decimal(got)) == wanted, case["id"]


def test_weights_of_the_reference() -> None:
    """A call's weight after so many days, for a call of a million points."""
    listed = [
        (int(Decimal(case["input"]["age_days"]) * 86_400), Decimal(case["expected"]["weight"]))
        for case in cases(VECTORS / "floor/ref-half-life.json")
        if "weight" in case["expected"]
        and case["input"].get("half_life_days") == "30"
        and Decimal(case["input"]["age_days"]) * 86_400 % 1 == 0
    ]
    assert len(listed) > 10
    answers = values(("standing", [("1000000", age)]) for age, _ in listed)
    for (age, weight), answer in zip(listed, answers, strict=True):
        assert abs(Decimal(answer["text"]) - weight * 1_000_000) <= Decimal("0.0001"), age
