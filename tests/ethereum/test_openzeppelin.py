"""Dumps and proofs of OpenZeppelin's merkle-tree."""

import copy
from typing import Any, Final

import pytest
from vectors import Row, all_rows, cases, expected

from verifier.core.keccak import keccak256
from verifier.errors import EvidenceError, FormatError, ProofError
from verifier.ethereum.abi import abi_encode
from verifier.ethereum.openzeppelin import SCHEME, check_membership, load_dump


def unhex(text: str) -> bytes:
    """Decode hexadecimal behind ``0x``."""
    return bytes.fromhex(text.removeprefix("0x"))


def check(row: Row) -> None:
    """Load the dump, and check each proof of a value with the leaf made from that value."""
    tree = load_dump(row["dump"])
    if tree.root != unhex(row["root"]):
        raise ProofError("root of the dump is not the published one")
    for claim in row["proofs"]:
        if tree.leaves[claim["index"]] != unhex(claim["leaf"]):
            raise ProofError("leaf is another value's")
        check_membership(unhex(claim["leaf"]), list(map(unhex, claim["proof"])), tree.root)


@pytest.mark.parametrize("row", cases("merkle", "merkle/openzeppelin"))
def test_vector(row: Row) -> None:
    """Good dumps and proofs are accepted, each damaged one is refused."""
    if expected(row) == "accept":
        check(row)
    else:
        with pytest.raises(EvidenceError):
            check(row)


STANDARD: Final = next(
    row["dump"]
    for row in all_rows("merkle", "merkle/openzeppelin")
    if row["id"].startswith("generated/std-6")
)
SIMPLE: Final = next(
    row["dump"]
    for row in all_rows("merkle", "merkle/openzeppelin")
    if row["id"].startswith("generated/simple-6")
)


def damaged(dump: Row, path: list[Any], value: Any) -> Row:
    """A copy of a dump with one value replaced."""
    twin = copy.deepcopy(dump)
    inner: Any = twin
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return twin


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["tree", 0], "0x" + "00" * 32),
        (["tree", 10], "0x" + "00" * 32),
        (["tree", 3], "0x00"),
        (["tree"], []),
        (["tree"], STANDARD["tree"][:-1]),
        (["tree"], [*STANDARD["tree"], STANDARD["tree"][-1]]),
        (["values"], []),
        (["values"], STANDARD["values"][:-1]),
        (["values", 1], STANDARD["values"][0]),
        (["values", 0, "treeIndex"], 0),
        (["values", 0, "treeIndex"], -3),
        (["values", 0, "treeIndex"], 10**5000),
        (["values", 0, "treeIndex"], True),
        (["values", 0, "value", 1], "2"),
        (["values", 0, "value", 1], "01000000000000000000"),
        (["values", 0, "value", 1], -1),
        (["values", 0, "value", 1], str(2**256)),
        (["values", 0, "value"], ["0x" + "00" * 20]),
        (["values", 0, "hash"], "0x"),
        (["format"], "simple-v1"),
        (["format"], ["standard-v1"]),
        (["leafEncoding"], ["uint256", "address"]),
        (["leafEncoding"], ["address", "uint264"]),
        (["leafEncoding"], ["address", "uint7"]),
        (["leafEncoding"], None),
        (["extra"], 1),
    ],
    ids=range(26),
)
def test_damaged_dump(path: list[Any], value: Any) -> None:
    """Nothing of a dump is believed: what is not recomputed is refused."""
    load_dump(STANDARD)
    with pytest.raises(EvidenceError):
        load_dump(damaged(STANDARD, path, value))


def test_proof_is_bounded() -> None:
    """Proofs beyond 64 hashes, and hashes of other lengths, are refused before hashing."""
    tree = load_dump(SIMPLE)
    with pytest.raises(ProofError, match="more than 64"):
        check_membership(tree.leaves[0], [bytes(32)] * 65, tree.root)
    for leaf, proof, top in (
        (b"", [bytes(32)], tree.root),
        (tree.leaves[0], [bytes(31)], tree.root),
        (tree.leaves[0], [bytes(64)], tree.root),
        (tree.leaves[0], [], tree.root[:-1]),
    ):
        with pytest.raises(ProofError, match="32 bytes"):
            check_membership(leaf, proof, top)


def test_a_value_is_no_inner_node() -> None:
    """Two joined hashes, taken for the encoding of a value, do not hash to their node."""
    tree = [unhex(hash_) for hash_ in SIMPLE["tree"]]
    check_membership(tree[1], [tree[2]], tree[0])  # an inner node passes as a leaf hash …
    joined = b"".join(sorted([tree[3], tree[4]]))
    assert keccak256(joined) == tree[1] != SCHEME.leaf(joined)  # … but is no value's


class TestAbi:
    """Flat values are encoded as Solidity's abi.encode does."""

    @staticmethod
    def test_words_and_tails() -> None:
        """The specification's own example of static and dynamic values, in the types known here."""
        encoded = abi_encode(
            ["uint32", "string", "bool", "bytes", "address", "bytes32"],
            ["69", "dave", True, "0x" + "ab" * 33, "0x" + "11" * 20, "0x" + "22" * 32],
        )
        words = [encoded[i : i + 32].hex() for i in range(0, len(encoded), 32)]
        assert words == [
            f"{69:064x}",
            f"{6 * 32:064x}",
            f"{1:064x}",
            f"{8 * 32:064x}",
            "00" * 12 + "11" * 20,
            "22" * 32,
            f"{4:064x}",
            b"dave".hex().ljust(64, "0"),
            f"{33:064x}",
            "ab" * 32,
            "ab".ljust(64, "0"),
        ]
        assert abi_encode(["string"], [""]).hex() == f"{32:064x}{0:064x}"

    @staticmethod
    @pytest.mark.parametrize(
        ("kind", "value"),
        [
            ("uint8", "256"),
            ("uint8", True),
            ("uint8", 1.0),
            ("uint8", " 1"),
            pytest.param("uint256", "9" * 100_000, id="uint256-long"),
            ("uint", "1"),
            ("int256", "1"),
            ("bool", 1),
            ("bool", "true"),
            ("address", "0x11"),
            ("bytes32", "0x11"),
            ("bytes", "11"),
            ("string", 1),
            ("string", "\ud800"),
            ("uint256[]", []),
            (None, None),
            ([], []),
        ],
    )
    def test_refused(kind: Any, value: Any) -> None:
        """A value that is not of its type, or a type that is not known, is refused."""
        with pytest.raises(FormatError):
            abi_encode([kind], [value])
