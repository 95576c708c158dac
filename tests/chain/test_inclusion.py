"""Trie proofs: public vectors of real blocks, attacks on them, and another library's opinion."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import SHARED, needs_shared
from trie.hexary import HexaryTrie
from vectors import Row, expected, read_rows

from verifier.core.keccak import keccak256
from verifier.errors import EvidenceError, FormatError, ProofError
from verifier.ethereum.block import header_from_rlp
from verifier.ethereum.inclusion import check_indexed, proven_value
from verifier.ethereum.rlp import rlp_decode, rlp_encode
from verifier.ethereum.trie import ordered_trie_proof, ordered_trie_root, trie_proof, trie_root

if TYPE_CHECKING:
    from collections.abc import Iterator

entries_of = st.dictionaries(
    st.binary(max_size=4), st.binary(min_size=1, max_size=40), min_size=1, max_size=40
)


def nodes_of(row: Row) -> list[bytes]:
    """The proof of a row, which may state one node for many."""
    times: int = row.get("proof_repeat", 1)
    return [bytes.fromhex(node) for node in row["proof"]] * times


def check(row: Row, kind: str) -> None:
    """Header, its hash, and the item at its index."""
    header = header_from_rlp(bytes.fromhex(row["header_rlp"]))
    if header.hash.hex() != row["block_hash"]:
        raise ProofError("the header is another block's")
    root = header.transactions_root if kind == "tx_raw" else header.receipts_root
    check_indexed(root, row["tx_index"], bytes.fromhex(row[kind]), nodes_of(row))


def rows(name: str) -> list[Any]:
    """Rows of a file of vectors beside the checkout, named by their ids; one skipped without it."""
    found = read_rows(SHARED / f"reference/crypto/ethereum/{name}.jsonl")
    return [pytest.param(row, id=row["id"]) for row in found] or [
        pytest.param({}, marks=needs_shared)
    ]


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        pytest.param(*case.values, kind, id=case.id, marks=case.marks)
        for name, kind in (
            ("tx_inclusion", "tx_raw"),
            ("receipt_inclusion", "receipt_raw"),
        )
        for case in rows(name)
    ],
)
def test_vector(row: Row, kind: str) -> None:
    """Proofs in real blocks hold; every damaged or misplaced one is refused."""
    if expected(row) == "accept":
        check(row, kind)
    else:
        with pytest.raises(EvidenceError):
            check(row, kind)


@pytest.mark.parametrize("row", rows("eth_getproof"))
def test_account(row: Row) -> None:
    """The proofs of an account and its slots lead to what the node claims of them, or nowhere."""
    try:
        same = all(_proven(row))
    except ProofError:
        same = False
    assert same == (expected(row) == "accept")


def _proven(row: Row) -> Iterator[bool]:
    """Whether the account, and then each slot, is what the node claims."""
    proof = row["proof"]
    account = rlp_encode(
        [
            *(_number(proof[name]) for name in ("nonce", "balance")),
            *(bytes.fromhex(proof[name][2:]) for name in ("storageHash", "codeHash")),
        ]
    )
    claims: list[tuple[str, str, bytes | None, list[str]]] = []
    claims.append((row["state_root"], proof["address"][2:], account, proof["accountProof"]))
    for slot in proof["storageProof"]:
        number = _number(slot["value"])
        value = rlp_encode(number) if number else None
        key = slot["key"][2:].rjust(64, "0")
        claims.append((proof["storageHash"][2:], key, value, slot["proof"]))
    for root, key, value, nodes in claims:
        found = proven_value(
            bytes.fromhex(root),
            keccak256(bytes.fromhex(key)),
            [bytes.fromhex(node[2:]) for node in nodes],
        )
        yield found == value


def _number(text: str) -> bytes:
    number = int(text, 16)
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


@given(entries_of, st.binary(max_size=4), st.data())
def test_every_key_is_proven_or_proven_absent(
    entries: dict[bytes, bytes], other: bytes, draw: st.DataObject
) -> None:
    """A proof gives the value of its key, or that there is none, and not one node can be missed."""
    key = draw.draw(st.sampled_from([*entries, other]))
    root, proof = trie_root(entries), trie_proof(entries, key)
    assert proven_value(root, key, proof) == entries.get(key)
    with pytest.raises(ProofError):
        proven_value(root, key, proof[:-1])
    with pytest.raises(ProofError):
        proven_value(root, key, [*proof, proof[0]])
    at = draw.draw(st.integers(0, len(proof) - 1))
    damaged = bytearray(proof[at])
    damaged[draw.draw(st.integers(0, len(damaged) - 1))] ^= draw.draw(st.integers(1, 255))
    with pytest.raises(ProofError):
        proven_value(root, key, [*proof[:at], bytes(damaged), *proof[at + 1 :]])


@given(entries_of)
def test_the_trie_library_agrees(entries: dict[bytes, bytes]) -> None:
    """py-trie builds the same root, makes the same proofs, and accepts ours."""
    theirs: Any = HexaryTrie({})
    for key, value in entries.items():
        theirs[key] = value
    assert theirs.root_hash == trie_root(entries)
    for key, value in entries.items():
        proof = trie_proof(entries, key)
        listed = [rlp_encode(list(node)) for node in theirs.get_proof(key)]
        assert proof == [node for place, node in enumerate(listed) if place == 0 or len(node) >= 32]
        nodes = [rlp_decode(node) for node in listed]
        assert theirs.get_from_proof(theirs.root_hash, key, nodes) == value


@given(st.lists(st.binary(min_size=1, max_size=60), min_size=1, max_size=300), st.data())
def test_index(values: list[bytes], draw: st.DataObject) -> None:
    """An item is proven at its own index and at no other."""
    index = draw.draw(st.integers(0, len(values) - 1))
    root, proof = ordered_trie_root(values), ordered_trie_proof(values, index)
    check_indexed(root, index, values[index], proof)
    with pytest.raises(ProofError, match="something else at index"):
        check_indexed(root, index, values[index] + b"\0", proof)
    with pytest.raises(ProofError):
        check_indexed(root, len(values) + index, values[index], proof)


@given(st.lists(st.binary(max_size=60), max_size=4), st.binary(max_size=4))
def test_any_nodes(nodes: list[bytes], key: bytes) -> None:
    """Arbitrary nodes, the first made the root, are read or refused."""
    with contextlib.suppress(ProofError):
        proven_value(keccak256(nodes[0]) if nodes else b"", key, nodes)


@given(
    st.recursive(st.binary(max_size=34), lambda below: st.lists(below, max_size=17)),
    st.binary(max_size=3),
)
def test_any_node_in_form(node: Any, key: bytes) -> None:
    """The same for what is RLP and may look like a node."""
    encoded = rlp_encode(node)
    with contextlib.suppress(ProofError):
        proven_value(keccak256(encoded), key, [encoded])


@pytest.mark.parametrize(
    ("node", "key", "reason"),
    [
        ([b"\x20", b"v", b"w"], b"\x12", "has 3 items"),
        ([b"", b"v"], b"\x12", "path of a node is malformed"),
        ([b"\x40", b"v"], b"\x12", "path of a node is malformed"),
        ([b"\x20", []], b"", "value of a trie is a list"),
        ([b"\x01", b"v"], b"\x12", "not padded with zero"),
        ([b"\x00", b"\0" * 32], b"\x12", "extends its path by nothing"),
        ([b"\x00\x12", b"short"], b"\x12", "child of a node has 5 bytes"),
        ([b"\x00\x12", [b"\x20", b"v" * 40]], b"\x12", "stands inside its parent"),
        (b"text", b"\x12", "is no list"),
    ],
)
def test_malformed_nodes(node: Any, key: bytes, reason: str) -> None:
    """Each rule of a node's form is kept."""
    encoded = rlp_encode(node)
    with pytest.raises(ProofError, match=reason):
        proven_value(keccak256(encoded), key, [encoded])


def test_empty_trie() -> None:
    """Nothing is in the empty trie, which is proven by its only node."""
    assert trie_proof({}, b"k") == [b"\x80"]
    assert proven_value(trie_root({}), b"k", [b"\x80"]) is None
    with pytest.raises(FormatError):
        rlp_decode(b"")
