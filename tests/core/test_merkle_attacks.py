"""Trees of other schemes, and attacks on them that index, size and prefixes refuse."""

import hashlib
import json
from collections.abc import Callable
from functools import partial
from typing import Final

import pytest
from shared import FIXTURES
from vectors import Row, cases

from verifier.core.merkle import (
    check_consistency,
    check_inclusion,
    inclusion_proof,
    root,
    sides,
)
from verifier.core.schemes import RFC9162, SCHEMES, Scheme
from verifier.errors import ProofError
from verifier.ethereum.openzeppelin import check_membership

VECTORS: Final = FIXTURES / "vectors/merkle"
PLAIN: Final = {
    "sha256": Scheme(name="plain", start=hashlib.sha256, ordered=True, domain_separated=False),
    "keccak256": SCHEMES["keccak256-merkly"],
}

BITCOIN: Final = Scheme(
    name="bitcoin",
    start=lambda data: hashlib.sha256(hashlib.sha256(data).digest()),
    ordered=True,
    domain_separated=False,
)


def hexes(values: list[str]) -> list[bytes]:
    """Decode hexadecimal strings."""
    return [bytes.fromhex(value) for value in values]


def refused(check: Callable[..., None], *claim: object) -> bool:
    """Whether the check of a claim ends in the error of proofs."""
    try:
        check(*claim)
    except ProofError:
        return True
    return False


@pytest.mark.parametrize("row", cases("merkle", "merkle/merkletreejs"))
def test_plain_trees(row: Row) -> None:
    """Merkletreejs without options builds our trees without prefixes; its other options do not."""
    scheme, leaves = PLAIN[row["hash"]], hexes(row["leaves"])
    published, size = bytes.fromhex(row["root"]), len(row["leaves"])
    if row["option"] == "plain":
        proof = hexes([hash_ for _, hash_ in row["proof"]])
        assert root(leaves, scheme) == published
        assert inclusion_proof(leaves, row["index"], scheme) == proof
        assert sides(row["index"], size) == [side for side, _ in row["proof"]]
        check_inclusion(leaves[row["index"]], row["index"], size, proof, published, scheme=scheme)
    elif row["option"] == "duplicateOdd":
        # A copied last leaf makes a difference unless no level is odd.
        assert (root(leaves, scheme) == published) == (size & (size - 1) == 0)
    elif row["option"] == "bitcoin":
        assert (root(leaves, scheme) == published) == (size == 1)
    else:
        assert sorted_root(leaves, scheme) == published


def sorted_root(level: list[bytes], scheme: Scheme) -> bytes:
    """Root of a tree whose pairs are sorted: an oracle, since no scheme of ours is such a tree."""
    while len(level) > 1:
        pairs = [sorted(level[i : i + 2]) for i in range(0, len(level), 2)]
        level = [scheme.node(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return level[0]


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case["id"])
        for case in json.loads((VECTORS / "merkle-root.json").read_bytes())["cases"]
        if "leaves" in case["input"]  # one case is about hours of a ledger
    ],
)
def test_composed_roots(case: Row) -> None:
    """The composed lists have their RFC 9162 roots, and without prefixes those carried up."""
    leaves = hexes(case["input"]["leaves"])
    assert root(map(RFC9162.leaf, leaves)).hex() == case["expected"]["rfc6962"]
    if leaves:
        assert root(leaves, PLAIN["sha256"]).hex() == case["expected"]["promote_last"]


class TestAttacks:
    """Every attack is refused, by the rule that it was made to break."""

    @staticmethod
    @pytest.mark.parametrize("row", cases("merkle", "merkle/attacks"))
    def test_refused(row: Row) -> None:
        """In the attacked scheme too, index and size from the root's side refuse the claim."""
        tree, claim = row["tree"], row["claim"]
        top = bytes.fromhex(tree["root"])
        kind = tree["scheme"].split()[0].rstrip(":")
        if kind == "sorted":  # a proof of several leaves at once, which nothing here reads
            proof = hexes(claim["proof"])
            for leaf in hexes(claim["leaves"]):
                for length in range(len(proof) + 1):
                    assert refused(check_membership, leaf, proof[:length], top)
            return
        scheme = {"plain": PLAIN["sha256"], "bitcoin": BITCOIN, "rfc6962": RFC9162}[kind]
        if "leaves" in claim:  # two lists that have one root where the last leaf is copied
            honest, forged = (
                root(hexes(tree["leaves"]), scheme),
                root(hexes(claim["leaves"]), scheme),
            )
            assert honest != forged
            return
        leaf = (
            scheme.leaf(bytes.fromhex(claim["leaf_data_hex"]))
            if "leaf_data_hex" in claim
            else bytes.fromhex(claim["leaf_hash"])
        )
        proof = hexes([x if isinstance(x, str) else x[0] for x in claim["proof"]])
        size = tree.get("tree_size") or len(tree.get("leaves", "four"))
        check = partial(check_inclusion, scheme=scheme)
        if row["id"] == "authored/empty-root-as-leaf":
            # The leaf hash itself is the lie, and it is the verifier who makes leaf hashes.
            check(leaf, 0, size, proof, top)
            assert scheme.leaf(b"") != leaf == scheme.empty_root
        else:
            assert refused(check, leaf, claim.get("leaf_index", 0), size, proof, top)

    @staticmethod
    def test_unseparated_second_preimage() -> None:
        """Without prefixes two joined hashes pass for a record, so the scheme says so."""
        merkly = SCHEMES["keccak256-merkly"]
        leaves = [merkly.leaf(bytes([i])) for i in range(4)]
        forged = merkly.leaf(leaves[0] + leaves[1])
        upper = merkly.node(leaves[2], leaves[3])
        check_inclusion(forged, 0, 2, [upper], root(leaves, merkly), scheme=merkly)
        assert not merkly.domain_separated
        with pytest.raises(ProofError):  # and the size from the sealed side still refuses it
            check_inclusion(forged, 0, 4, [upper], root(leaves, merkly), scheme=merkly)

    @staticmethod
    def test_unbounded_proof() -> None:
        """A proof of a million hashes is refused for its length alone."""
        with pytest.raises(ProofError, match="1000000 hashes"):
            check_inclusion(bytes(32), 0, 2, [bytes(32)] * 1_000_000, bytes(32))

    @staticmethod
    @pytest.mark.parametrize(
        ("index", "size"),
        [(0, 0), (-1, 3), (4, 3), (0, 2**64 + 1), (10**5000, 5), (-(10**5000), 5)],
        ids=["empty", "negative", "beyond", "huge size", "huge index", "huge negative"],
    )
    def test_impossible_place(index: int, size: int) -> None:
        """No place outside the tree, and no tree beyond 2**64, is looked at."""
        with pytest.raises(ProofError):
            check_inclusion(bytes(32), index, size, [], bytes(32))
        with pytest.raises(ProofError):
            check_consistency(index, size, [], bytes(32), bytes(32))

    @staticmethod
    def test_largest_tree() -> None:
        """The last leaf of a tree of 2**64 has a proof of 64 hashes."""
        proof = [bytes([i]) * 32 for i in range(64)]
        top = leaf = RFC9162.leaf(b"")
        for sibling in proof:
            top = RFC9162.node(sibling, top)
        check_inclusion(leaf, 2**64 - 1, 2**64, proof, top)
