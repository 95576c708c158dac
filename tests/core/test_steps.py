"""Proofs that name their sides, as ARCANA publishes them."""

import hashlib
import json
from dataclasses import replace
from typing import Any, Final, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import FIXTURES

from verifier.core.merkle import Side, root
from verifier.core.schemes import RFC9162
from verifier.core.steps import Step, check_steps, inclusion_steps
from verifier.errors import ProofError

VECTORS: Final = FIXTURES / "vectors/merkle"
TREES: Final = json.loads((VECTORS / "trees-1-20.json").read_bytes())["trees"]


def decode(proof: list[dict[str, Any]]) -> list[Step]:
    """Read the published form of a proof."""
    return [Step(bytes.fromhex(step["sibling"]), step["position"]) for step in proof]


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: f"{tree['n']}-leaves")
def test_platform_tree(tree: dict[str, Any]) -> None:
    """Leaf hashes, root and every proof are those of the platform's engine."""
    leaves = [RFC9162.leaf(bytes.fromhex(seal)) for seal in tree["leaves"]]
    assert [leaf.hex() for leaf in leaves] == tree["leaf_hashes"]
    assert root(leaves).hex() == tree["root"]
    for index, proof in enumerate(tree["proofs"]):
        assert inclusion_steps(leaves, index) == decode(proof)
        check_steps(leaves[index], index, len(leaves), decode(proof), bytes.fromhex(tree["root"]))


def test_platform_tree_of_1000() -> None:
    """The same for a thousand leaves and the proofs published of them."""
    tree = json.loads((VECTORS / "tree-1000.json").read_bytes())
    seals = [hashlib.sha256(f"commitment-{i}".encode()).digest() for i in range(tree["n"])]
    leaves = [RFC9162.leaf(seal) for seal in seals]
    assert root(leaves).hex() == tree["root"]
    for index, proof in tree["proofs"].items():
        assert inclusion_steps(leaves, int(index)) == decode(proof)


@pytest.mark.parametrize("name", ["good-proof-carried", "bad-proof-side"])
def test_platform_claim(name: str) -> None:
    """A carried leaf needs one step; a step on the wrong side is refused."""
    claim = json.loads((VECTORS / f"{name}.json").read_bytes())
    leaf = RFC9162.leaf(bytes.fromhex(claim["seal"]))
    published = (decode(claim["proof"]), bytes.fromhex(claim["root"]))
    if claim["expect"]["verdict"] == "valid":
        check_steps(leaf, claim["leaf_index"], claim["leaf_count"], *published)
    else:
        with pytest.raises(ProofError):
            check_steps(leaf, claim["leaf_index"], claim["leaf_count"], *published)


@given(st.integers(2, 60), st.data())
def test_sides_are_those_of_the_index(size: int, draw: st.DataObject) -> None:
    """Good siblings do not save a proof that names another side for one of them."""
    leaves = [RFC9162.leaf(bytes([i])) for i in range(size)]
    index = draw.draw(st.integers(0, size - 1))
    steps = inclusion_steps(leaves, index)
    check_steps(leaves[index], index, size, steps, root(leaves))
    at = draw.draw(st.integers(0, len(steps) - 1))
    (other,) = set(get_args(Side)) - {steps[at].position}
    steps[at] = replace(steps[at], position=other)
    with pytest.raises(ProofError, match=f"step {at} stands on the {other}"):
        check_steps(leaves[index], index, size, steps, root(leaves))
