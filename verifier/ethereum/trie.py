"""
Roots and proofs of Merkle-Patricia tries, built from all their entries.

A trie maps byte keys to byte values; a key is walked by its hexadecimal
digits. A node is one of three lists, and its RLP is what gets hashed:

* leaf: ``[rest of the key, value]``
* extension: ``[digits all keys below share, child]``
* branch: sixteen children by next digit, and the value of the key ending here

A child whose RLP is shorter than 32 bytes stands in its parent as it is, any
other as its Keccak-256. The root is always hashed. A block's transactions and
receipts are tries from ``rlp(index)`` to the encoded item.

Source:
    Ethereum Yellow Paper, appendices C and D.

>>> ordered_trie_root([]).hex()
'56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.keccak import keccak256
from verifier.ethereum.rlp import int_to_rlp, rlp_encode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.ethereum.rlp import RlpItem

__all__ = ["ordered_trie_proof", "ordered_trie_root", "trie_proof", "trie_root"]


def ordered_trie_root(values: Sequence[bytes]) -> bytes:
    """Return the root of the trie that maps ``rlp(i)`` to the *i*-th of *values*."""
    return trie_root({rlp_encode(int_to_rlp(i)): value for i, value in enumerate(values)})


def trie_root(entries: Mapping[bytes, bytes]) -> bytes:
    """
    Return the root of the trie that holds exactly *entries*.

    Args:
        entries: Value by key; an empty value is no entry.
    """
    # A digit a byte, so that slices and comparisons work on digits; sorted,
    # so that the entries below a node are always neighbours.
    items = sorted((_digits(key), value) for key, value in entries.items() if value)
    return keccak256(rlp_encode(_node(items, 0) if items else b""))


def ordered_trie_proof(values: Sequence[bytes], index: int) -> list[bytes]:
    """Return the proof of the item at *index*; see :func:`trie_proof`."""
    entries = {rlp_encode(int_to_rlp(i)): value for i, value in enumerate(values)}
    return trie_proof(entries, rlp_encode(int_to_rlp(index)))


def trie_proof(entries: Mapping[bytes, bytes], key: bytes) -> list[bytes]:
    """
    Return the nodes on the way of *key*, from the root down, each in RLP.

    They show what the trie holds under the key, or that it holds nothing; see
    :mod:`verifier.ethereum.inclusion`.
    """
    items = sorted((_digits(name), value) for name, value in entries.items() if value)
    digits, depth = _digits(key), 0
    proof = [] if items else [rlp_encode(b"")]
    while items:
        encoded = rlp_encode(_node(items, depth))
        if not proof or len(encoded) >= 32:
            proof.append(encoded)
        shared = _shared(items, depth)
        if len(items) == 1 or digits[depth:shared] != items[0][0][depth:shared]:
            break
        if shared == depth:
            shared += 1
            items = [item for item in items if item[0][depth:shared] == digits[depth:shared] != b""]
        depth = shared
    return proof


def _digits(key: bytes) -> bytes:
    return bytes(digit for byte in key for digit in (byte >> 4, byte & 15))


def _node(items: Sequence[tuple[bytes, bytes]], depth: int) -> RlpItem:
    """Build the node below which *items* lie, whose keys agree in *depth* digits."""
    first = items[0][0]
    if len(items) == 1:
        return [_path(first[depth:], leaf=True), items[0][1]]
    shared = _shared(items, depth)
    if shared > depth:
        return [_path(first[depth:shared], leaf=False), _child(items, shared)]
    value = b""
    if len(first) == depth:
        value, items = items[0][1], items[1:]
    below: list[list[tuple[bytes, bytes]]] = [[] for _ in range(16)]
    for item in items:
        below[item[0][depth]].append(item)
    return [*(_child(part, depth + 1) if part else b"" for part in below), value]


def _shared(items: Sequence[tuple[bytes, bytes]], depth: int) -> int:
    """Count the digits in which all keys agree, of which *depth* are known."""
    # In sorted order the first and last keys share only what all of them share.
    first, last = items[0][0], items[-1][0]
    while depth < len(first) and first[depth] == last[depth]:
        depth += 1
    return depth


def _child(items: Sequence[tuple[bytes, bytes]], depth: int) -> RlpItem:
    node = _node(items, depth)
    encoded = rlp_encode(node)
    return node if len(encoded) < 32 else keccak256(encoded)


def _path(digits: bytes, *, leaf: bool) -> bytes:
    """Pack digits two a byte, after a digit that says leaf or not, odd or even."""
    flag = 2 * leaf + len(digits) % 2
    padded = bytes([flag, *digits]) if len(digits) % 2 else bytes([flag, 0, *digits])
    return bytes(16 * high + low for high, low in zip(padded[::2], padded[1::2], strict=True))
