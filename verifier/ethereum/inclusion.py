"""
Proofs that a Merkle-Patricia trie holds a value under a key, or holds none.

A proof is the list of the nodes on the way of the key, from the root down, each in
RLP; a node shorter than 32 bytes stands inside its parent and not in the list.
Whoever knows the root needs to trust nobody: every node must hash to what the
node above says, the way must be that of the key, and the list must end with the
way. So a list has one spelling, and what stands behind it is refused.

A header's ``transactionsRoot`` and ``receiptsRoot`` are such roots, with the RLP of
the index as the key.

Source:
    Ethereum Yellow Paper, appendix D; EIP-1186 (the same lists for accounts).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.keccak import keccak256
from verifier.errors import FormatError, ProofError
from verifier.ethereum.rlp import int_to_rlp, rlp_decode, rlp_encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.ethereum.rlp import RlpItem

__all__ = ["check_indexed", "proven_value"]

_HASH: Final = 32
_BRANCH: Final = 17


def check_indexed(root: bytes, index: int, value: bytes, proof: Sequence[bytes]) -> None:
    """
    Check that a block's trie holds *value* at *index*.

    Args:
        root: The header's root of transactions or of receipts.
        index: Index in the block.
        value: The encoded transaction or receipt, made by the verifier.
        proof: Nodes from the root down.

    Raises:
        ProofError: The proof is malformed, or the trie holds something else there.
    """
    found = proven_value(root, rlp_encode(int_to_rlp(index)), proof)
    if found != value:
        what = "nothing" if found is None else "something else"
        raise ProofError(f"the trie holds {what} at index {index}")


def proven_value(root: bytes, key: bytes, proof: Sequence[bytes]) -> bytes | None:
    """
    Follow a proof from the root to where its key ends.

    Returns:
        The value under the key; None where the proof shows that there is none.

    Raises:
        ProofError: A node does not hash to what stands above it, has not the form of
            a node, or the list is shorter or longer than the way.
    """
    digits = [digit for byte in key for digit in (byte >> 4, byte & 15)]
    nodes = _Nodes(proof)
    node: RlpItem = nodes.take(root)
    found: RlpItem = b""
    at = 0
    while not isinstance(node, bytes):
        if len(node) == _BRANCH:
            if at == len(digits):
                found = node[-1]
                break
            child = node[digits[at]]
            at += 1
        elif len(node) == 2:
            path, is_leaf = _path(node[0])
            end = len(digits) if is_leaf else at + len(path)
            if digits[at:end] != path:
                break
            if is_leaf:
                found = node[1]
                break
            child = node[1]
            at = end
        else:
            raise ProofError(f"node of a trie has {len(node)} items, not 2 or 17")
        node = nodes.below(child)
    if node != b"" and isinstance(node, bytes):
        raise ProofError("node of a trie is no list")
    nodes.finish()
    if not isinstance(found, bytes):
        raise ProofError("value of a trie is a list")
    return found or None


class _Nodes:
    """The nodes of a proof, given out one after another."""

    def __init__(self, proof: Sequence[bytes]) -> None:
        self._proof = proof
        self._used = 0

    def take(self, expected: bytes) -> RlpItem:
        """Give the next node, which must hash to *expected*."""
        number = self._used
        if number == len(self._proof):
            raise ProofError(f"proof ends after {number} nodes, before the way of its key does")
        if keccak256(self._proof[number]) != expected:
            raise ProofError(f"node {number} of the proof does not hash to what stands above it")
        self._used += 1
        try:
            return rlp_decode(self._proof[number])
        except FormatError as error:
            raise ProofError(f"node {number} of the proof is no node: {error}") from None

    def below(self, child: RlpItem) -> RlpItem:
        """Give the node that a child stands for: nothing, itself, or the one it is the hash of."""
        if not isinstance(child, bytes):
            if len(rlp_encode(child)) >= _HASH:
                raise ProofError("node of 32 bytes or more stands inside its parent")
            return child
        if not child:
            return b""
        if len(child) != _HASH:
            raise ProofError(f"child of a node has {len(child)} bytes, not {_HASH}")
        return self.take(child)

    def finish(self) -> None:
        """Demand that every node was used."""
        if self._used != len(self._proof):
            raise ProofError(f"proof has {len(self._proof)} nodes, its key needs {self._used}")


def _path(packed: RlpItem) -> tuple[list[int], bool]:
    """Unpack the digits of a short node, and whether it is a leaf."""
    if not isinstance(packed, bytes) or not packed or packed[0] >> 4 > 3:
        raise ProofError("path of a node is malformed")
    flag = packed[0] >> 4
    digits = [digit for byte in packed for digit in (byte >> 4, byte & 15)]
    if flag & 1:
        digits = digits[1:]
    elif digits[1]:
        raise ProofError("path of a node is not padded with zero")
    else:
        digits = digits[2:]
    if not digits and flag < 2:
        raise ProofError("node extends its path by nothing")
    return digits, flag >= 2
