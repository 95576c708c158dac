"""Roots, inclusion and consistency proofs against vectors, other libraries and damage."""

import hashlib
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors import Row, cases, expected

from verifier.core.merkle import (
    StreamingRoot,
    check_consistency,
    check_inclusion,
    consistency_proof,
    inclusion_proof,
    root,
    sides,
)
from verifier.core.schemes import RFC9162, SCHEMES
from verifier.errors import ProofError

records = st.lists(st.binary(max_size=40), min_size=1, max_size=70)


def hexes(values: list[str]) -> list[bytes]:
    """Decode hexadecimal strings."""
    return [bytes.fromhex(value) for value in values]


def verdict(row: Row) -> AbstractContextManager[Any]:
    """What the check of a row must do."""
    return nullcontext() if expected(row) == "accept" else pytest.raises(ProofError)


def refused(check: Callable[..., None], *claim: object) -> bool:
    """Whether the check of a claim ends in the error of proofs."""
    try:
        check(*claim)
    except ProofError:
        return True
    return False


def bytes_tree(size: int) -> list[bytes]:
    """Leaf hashes of the records 00, 01, 02 and so on."""
    return [RFC9162.leaf(bytes([i % 256])) for i in range(size)]


@pytest.mark.parametrize("row", cases("merkle", "merkle/rfc6962_roots"))
def test_root(row: Row) -> None:
    """The root over hashed records is the published one."""
    assert root(map(RFC9162.leaf, hexes(row["leaves_hex"]))).hex() == row["root"]


@pytest.mark.parametrize("row", cases("merkle", "merkle/rfc6962_inclusion"))
def test_inclusion(row: Row) -> None:
    """Good proofs are accepted, each damaged one is refused."""
    if "leaf_input_hex" in row:
        assert RFC9162.leaf(bytes.fromhex(row["leaf_input_hex"])).hex() == row["leaf_hash"]
    with verdict(row):
        check_inclusion(
            bytes.fromhex(row["leaf_hash"]),
            row["leaf_index"],
            row["tree_size"],
            hexes(row["proof"]),
            bytes.fromhex(row["root"]),
        )


@pytest.mark.parametrize("row", cases("merkle", "merkle/rfc6962_consistency"))
def test_consistency(row: Row) -> None:
    """Good proofs are accepted, each damaged one is refused."""
    with verdict(row):
        check_consistency(
            row["size1"],
            row["size2"],
            hexes(row["proof"]),
            bytes.fromhex(row["root1"]),
            bytes.fromhex(row["root2"]),
        )


class TestSplit:
    """RFC 9162: k is the largest power of two smaller than n; the tree splits at k."""

    @staticmethod
    def definition(leaves: list[bytes]) -> bytes:
        """The recursive definition of the root, word for word."""
        if len(leaves) <= 1:
            return leaves[0] if leaves else hashlib.sha256().digest()
        k = 1 << (len(leaves) - 1).bit_length() - 1
        left, right = TestSplit.definition(leaves[:k]), TestSplit.definition(leaves[k:])
        return hashlib.sha256(b"\x01" + left + right).digest()

    @staticmethod
    @pytest.mark.parametrize("size", [*range(131), 1023, 1024, 1025, 2048, 3071, 3072, 3073, 5000])
    def test_root_is_the_definition(size: int) -> None:
        """Chunks and carried hashes give the same root as the definition."""
        leaves = bytes_tree(size)
        assert root(leaves) == TestSplit.definition(leaves)

    @staticmethod
    def test_streaming_at_every_size() -> None:
        """The root may be asked for between any two leaves, and asking changes nothing."""
        tree, leaves = StreamingRoot(), bytes_tree(2100)
        for i, leaf in enumerate(leaves):
            tree.add(leaf)
            if i % 97 == 0 or i % 1024 in (0, 1022, 1023):
                assert tree.root() == TestSplit.definition(leaves[: i + 1])
        assert tree.size == len(leaves)

    @staticmethod
    @given(st.lists(st.integers(0, 1500), max_size=6))
    def test_any_portions(portions: list[int]) -> None:
        """It does not matter in which portions the leaves arrive."""
        tree, leaves = StreamingRoot(), bytes_tree(sum(portions))
        rest = iter(leaves)
        for portion in portions:
            tree.extend([next(rest) for _ in range(portion)])
        assert tree.root() == root(leaves)


class TestInclusion:
    """A proof for one leaf of one tree proves that and nothing else."""

    @staticmethod
    @given(records, st.data())
    def test_one_index(data: list[bytes], draw: st.DataObject) -> None:
        """A proof for one index proves that index and no other."""
        leaves = [RFC9162.leaf(bytes([i]) + record) for i, record in enumerate(data)]
        i, j = (draw.draw(st.integers(0, len(leaves) - 1)) for _ in "ij")
        proof = inclusion_proof(leaves, i)
        with nullcontext() if i == j else pytest.raises(ProofError):
            check_inclusion(leaves[j], j, len(leaves), proof, root(leaves))

    @staticmethod
    @given(records, st.data())
    def test_damage(data: list[bytes], draw: st.DataObject) -> None:
        """Each kind of damage to a good claim is refused."""
        leaves = [RFC9162.leaf(bytes([i]) + record) for i, record in enumerate(data)]
        size, top = len(leaves), root(leaves)
        index = draw.draw(st.integers(0, size - 1))
        proof, leaf = inclusion_proof(leaves, index), leaves[index]
        check_inclusion(leaf, index, size, proof, top)
        flipped = bytes([leaf[0] ^ 1]) + leaf[1:]
        damaged: dict[str, tuple[bytes, int, int, list[bytes], bytes]] = {
            "leaf": (flipped, index, size, proof, top),
            "root": (leaf, index, size, proof, flipped),
            "index beyond": (leaf, size, size, proof, top),
            "negative index": (leaf, index - size, size, proof, top),
            "longer": (leaf, index, size, [*proof, top], top),
            "longer below": (leaf, index, size, [leaf, *proof], top),
            "size 0": (leaf, index, 0, proof, top),
            "short root": (leaf, index, size, proof, top[:31]),
            "long leaf": (leaf + b"\0", index, size, proof, top),
        }
        if proof:
            damaged["shorter"] = (leaf, index, size, proof[1:], top)
            changed = [bytes([proof[0][0] ^ 128]) + proof[0][1:], *proof[1:]]
            damaged["changed"] = (leaf, index, size, changed, top)
        if len(proof) > 1:
            damaged["joined"] = (leaf, index, size, [b"".join(proof)], top)
            damaged["reversed"] = (leaf, index, size, proof[::-1], top)
        for name, claim in damaged.items():
            assert refused(check_inclusion, *claim), name

    @staticmethod
    @given(records, st.data())
    def test_pymerkle_agrees(data: list[bytes], draw: st.DataObject) -> None:
        """Pymerkle has the same roots and proofs, when it is told index and size."""
        pymerkle = pytest.importorskip("pymerkle")
        tree = pymerkle.InmemoryTree(algorithm="sha256")
        for record in data:
            tree.append_entry(record)
        leaves = [RFC9162.leaf(record) for record in data]
        size, top = len(leaves), root(leaves)
        index = draw.draw(st.integers(0, size - 1))
        theirs = tree.prove_inclusion(index + 1, size)  # it counts leaves from 1
        assert tree.get_root() == top
        assert hexes(theirs.serialize()["path"])[1:] == inclusion_proof(leaves, index)
        pymerkle.verify_inclusion(leaves[index], top, theirs, index=index + 1, size=size)

    @staticmethod
    @given(st.lists(st.text(min_size=1, max_size=8), min_size=2, max_size=40, unique=True))
    def test_merkly_agrees(texts: list[str]) -> None:
        """Merkly has the same roots and proofs in its own scheme."""
        mtree = pytest.importorskip("merkly.mtree")
        scheme = SCHEMES["keccak256-merkly"]
        tree, leaves = mtree.MerkleTree(texts), [scheme.leaf(text.encode()) for text in texts]
        assert tree.root == root(leaves, scheme)
        for index, text in enumerate(texts):
            theirs = tree.proof(text)
            assert [node.data for node in theirs] == inclusion_proof(leaves, index, scheme)
            assert [node.side.name.lower() for node in theirs] == sides(index, len(leaves))


class TestConsistency:
    """The tree of the first m leaves is the beginning of the tree of n."""

    @staticmethod
    @pytest.mark.parametrize("new", [1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 32, 33, 64, 65, 100])
    def test_every_size(new: int) -> None:
        """Every earlier size has a proof, of the length that RFC 9162 gives it."""
        leaves = bytes_tree(new)
        for old in range(1, new + 1):
            proof = consistency_proof(leaves, old)
            check_consistency(old, new, proof, root(leaves[:old]), root(leaves))
            assert proof == TestConsistency.definition(old, leaves, whole=True)

    @staticmethod
    def definition(m: int, leaves: list[bytes], *, whole: bool) -> list[bytes]:
        """SUBPROOF of RFC 9162, section 2.1.4.1."""
        n = len(leaves)
        if m == n:
            return [] if whole else [root(leaves)]
        k = 1 << (n - 1).bit_length() - 1
        if m <= k:
            return [*TestConsistency.definition(m, leaves[:k], whole=whole), root(leaves[k:])]
        below = TestConsistency.definition(m - k, leaves[k:], whole=False)
        return [*below, root(leaves[:k])]

    @staticmethod
    @given(st.integers(2, 80), st.data())
    def test_damage(new: int, draw: st.DataObject) -> None:
        """Each kind of damage to a good proof is refused."""
        old = draw.draw(st.integers(1, new - 1))
        leaves = bytes_tree(new)
        proof, before, after = consistency_proof(leaves, old), root(leaves[:old]), root(leaves)
        rewritten = root([RFC9162.leaf(b"rewritten"), *leaves[1:old]])
        damaged: dict[str, tuple[int, int, list[bytes], bytes, bytes]] = {
            "rewritten history": (old, new, proof, rewritten, after),
            "wrong new root": (old, new, proof, before, rewritten),
            "swapped roots": (old, new, proof, after, before),
            "swapped sizes": (new, old, proof, before, after),
            "from nothing": (0, new, proof, before, after),
            "from nothing, no proof": (0, new, [], RFC9162.empty_root, after),
            "negative": (-old, new, proof, before, after),
            "longer": (old, new, [*proof, after], before, after),
            "longer below": (old, new, [before, *proof], before, after),
            "shorter": (old, new, proof[:-1], before, after),
            "no proof": (old, new, [], before, after),
            "changed": (old, new, [*proof[:-1], bytes(32)], before, after),
            "short hash": (old, new, [*proof[:-1], proof[-1][:31]], before, after),
            "equal sizes": (new, new, proof, after, after),
            "equal sizes, other root": (new, new, [], before, after),
            "too large": (old, 2**64 + 1, proof, before, after),
        }
        for name, claim in damaged.items():
            assert refused(check_consistency, *claim), name


@pytest.mark.parametrize("call", [inclusion_proof, consistency_proof])
def test_prover_refuses_what_it_cannot_prove(call: Any) -> None:
    """No proof is made for a place outside the tree, a short hash, or a tree without order."""
    leaves = bytes_tree(3)
    for bad in (-1, 4):
        with pytest.raises(ProofError):
            call(leaves, bad)
    with pytest.raises(ProofError, match="32 bytes"):
        call([*leaves, b"short"], 1)
    with pytest.raises(ProofError, match="order"):
        call(leaves, 1, SCHEMES["keccak256-openzeppelin"])


def test_streaming_refuses_short_hashes() -> None:
    """A leaf hash is 32 bytes."""
    with pytest.raises(ProofError, match="32 bytes"):
        StreamingRoot().add(b"record")
