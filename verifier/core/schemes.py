"""
Named ways to hash a Merkle tree, and what each of them is good for.

=======================  ======================  =======================  =======  =========
name                     leaf hash of ``d``      node of ``l`` and ``r``  ordered  separated
=======================  ======================  =======================  =======  =========
rfc9162-sha256           ``H(00 || d)``          ``H(01 || l || r)``      yes      yes
keccak256-openzeppelin   ``K(K(d))``             ``K(min || max)``        no       yes
keccak256-merkly         ``K(d)``                ``K(l || r)``            yes      no
=======================  ======================  =======================  =======  =========

``H`` is SHA-256 and ``K`` Keccak-256; ``min`` and ``max`` are *l* and *r* sorted as bytes.

*Ordered* trees bind a leaf to its index; one with sorted pairs proves that a
leaf is somewhere, never where, so it must not hold a ledger. In a *separated*
tree no record hashes to an inner node; without that, the two child hashes of a
node, joined, pass for a record that was never logged. Which schemes are good
enough is the caller's decision and never the evidence's.

ARCANA anchors its records with ``rfc9162-sha256`` over the 32 bytes of each seal.

Source:
    RFC 9162, section 2.1.1; OpenZeppelin's ``merkle-tree`` (the leaf is the ABI
    encoding of the values); merkly.

>>> scheme("rfc9162-sha256").leaf(b"").hex()
'6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

from verifier.core.keccak import keccak
from verifier.errors import ProofError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

__all__ = ["HASH_SIZE", "RFC9162", "SCHEMES", "Hashed", "Scheme", "scheme"]

HASH_SIZE: Final = 32
"""Bytes of a hash in every scheme."""


class Hashed(Protocol):
    """What a hash constructor returns."""

    def digest(self) -> bytes:
        """Return the hash as bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """
    How leaves and nodes are hashed.

    Args:
        name: Name in policies and reports.
        start: Constructor of the hash, from the bytes to hash.
        leaf_prefix: What stands before a record.
        node_prefix: What stands before the two hashes below a node.
        leaf_rounds: How many times a record is hashed.
        ordered: Whether left and right are told apart; if not, they are sorted.
        domain_separated: Whether no record can hash to an inner node.
    """

    name: str
    start: Callable[[bytes], Hashed]
    leaf_prefix: bytes = b""
    node_prefix: bytes = b""
    leaf_rounds: int = 1
    ordered: bool
    domain_separated: bool

    def leaf(self, record: bytes) -> bytes:
        """Return the leaf hash of a record."""
        digest = self.start(self.leaf_prefix + record).digest()
        for _ in range(1, self.leaf_rounds):
            digest = self.start(digest).digest()
        return digest

    def node(self, left: bytes, right: bytes) -> bytes:
        """Return the hash of the node above two hashes."""
        if not self.ordered and right < left:
            left, right = right, left
        return self.start(self.node_prefix + left + right).digest()

    def level(self, hashes: Sequence[bytes]) -> list[bytes]:
        """Return the level above *hashes*; an odd last one moves up unchanged."""
        pairs = iter(hashes)
        if self.ordered:
            # Every hash of a tree but the leaves' comes from this line: a call of node() here
            # would cost a quarter of the time.
            start, prefix = self.start, self.node_prefix
            above = [start(prefix + x + y).digest() for x, y in zip(pairs, pairs, strict=False)]
        else:
            above = [self.node(left, right) for left, right in zip(pairs, pairs, strict=False)]
        if len(hashes) % 2:
            above.append(hashes[-1])
        return above

    @property
    def empty_root(self) -> bytes:
        """Root of the tree without leaves: the hash of nothing."""
        return self.start(b"").digest()


RFC9162: Final = Scheme(
    name="rfc9162-sha256",
    start=hashlib.sha256,
    leaf_prefix=b"\x00",
    node_prefix=b"\x01",
    ordered=True,
    domain_separated=True,
)

SCHEMES: Final[Mapping[str, Scheme]] = MappingProxyType(
    {
        known.name: known
        for known in (
            RFC9162,
            Scheme(
                name="keccak256-openzeppelin",
                start=keccak,
                leaf_rounds=2,
                ordered=False,
                domain_separated=True,
            ),
            Scheme(
                name="keccak256-merkly",
                start=keccak,
                ordered=True,
                domain_separated=False,
            ),
        )
    }
)
"""Every scheme by its name."""


def scheme(name: str, *, allowed: Collection[str] | None = None) -> Scheme:
    """
    Look up a scheme that the evidence names.

    Args:
        name: Name as the evidence gives it.
        allowed: Names that the caller's policy accepts; None accepts all known.

    Raises:
        ProofError: The scheme is unknown or not allowed.
    """
    found = SCHEMES.get(name)
    if found is None:
        raise ProofError(f"unknown Merkle scheme {name[:40]!r}; known: {', '.join(SCHEMES)}")
    if allowed is not None and name not in allowed:
        raise ProofError(f"the policy does not allow the Merkle scheme {name}")
    return found
