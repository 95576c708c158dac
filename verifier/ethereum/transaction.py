"""
Signed transactions, rebuilt from what a JSON-RPC node says about them.

A node's ``hash`` and ``from`` are claims. The transaction's own fields, encoded
as they were sent, decide both: the hash is Keccak-256 of the encoding, and the
sender is the address recovered from the signature over the unsigned form.

====  ==========================================================================
type  encoding
====  ==========================================================================
0     ``rlp([nonce, gasPrice, gas, to, value, input, v, r, s])``
1     ``01 || rlp([chainId, nonce, gasPrice, gas, to, value, input, accessList,
      yParity, r, s])``
2     ``02 || rlp([chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas, to,
      value, input, accessList, yParity, r, s])``
====  ==========================================================================

The unsigned form leaves the signature out; for type 0 with ``v`` from 35 on,
which names a chain, ``chainId, 0, 0`` stand in its place.

Source:
    EIP-155 (type 0), EIP-2930 (type 1), EIP-1559 (type 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.keccak import keccak256
from verifier.errors import FormatError
from verifier.ethereum import fields
from verifier.ethereum.rlp import int_to_rlp, rlp_encode
from verifier.ethereum.signature import recover_address

if TYPE_CHECKING:
    from verifier.core.jsonread import JsonValue
    from verifier.ethereum.rlp import RlpItem

__all__ = ["AccessList", "Transaction", "is_supported", "transaction_from_rpc"]

AccessList = tuple[tuple[bytes, tuple[bytes, ...]], ...]
"""Pairs of a 20-byte address and its 32-byte storage keys."""

_WORD: Final = 256  # bits of an EVM word, the widest any quantity gets
_ADDRESS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Transaction:
    """
    A signed transaction's own fields; nothing in it is taken on a node's word.

    Attributes:
        type: 0 (legacy), 1 (access list) or 2 (fee market).
        chain_id: Chain that the signature is bound to, None for none.
        nonce: Number of the sender's earlier transactions.
        fees: Wei per gas: the gas price, or for type 2 the priority fee and the fee cap.
        gas: Gas limit.
        to: 20-byte recipient, empty when a contract is created.
        value: Wei.
        input: Payload.
        access_list: Empty for type 0.
        v: Last member of the signature as encoded: the parity, for type 0 with its offset.
        r: First half of the signature.
        s: Second half of the signature.
    """

    type: int
    chain_id: int | None
    nonce: int
    fees: tuple[int, ...]
    gas: int
    to: bytes
    value: int
    input: bytes
    access_list: AccessList
    v: int
    r: int
    s: int

    @property
    def encoded(self) -> bytes:
        """The raw signed transaction, as it was sent and as the block's trie holds it."""
        return self._encode([int_to_rlp(x) for x in (self.v, self.r, self.s)])

    @property
    def hash(self) -> bytes:
        """The 32-byte transaction hash."""
        return keccak256(self.encoded)

    @property
    def signing_hash(self) -> bytes:
        """The 32 bytes that the sender signed."""
        if self.type == 0 and self.chain_id is not None:
            return keccak256(self._encode([int_to_rlp(self.chain_id), b"", b""]))
        return keccak256(self._encode([]))

    def sender(self) -> str:
        """
        Recover the sender's address, ``0x`` and lower-case hex.

        Raises:
            FormatError: The signature is not strict (see :mod:`verifier.ethereum.signature`).
        """
        parity = self.v if self.type else (self.v - 27 if self.v < 35 else (self.v - 35) % 2)
        return recover_address(self.signing_hash, self.r, self.s, parity)

    def _encode(self, signature: list[bytes]) -> bytes:
        body: list[RlpItem] = [
            *map(int_to_rlp, (self.nonce, *self.fees, self.gas)),
            self.to,
            int_to_rlp(self.value),
            self.input,
        ]
        if self.type == 0:
            return rlp_encode([*body, *signature])
        # chain_id is None for type 0 alone: the reader demands it for the others.
        chain_id = int_to_rlp(self.chain_id or 0)
        return bytes([self.type]) + rlp_encode([chain_id, *body, self.access_list, *signature])


def is_supported(value: JsonValue) -> bool:
    """Tell whether *value* is an object of a type that this module can encode."""
    return isinstance(value, dict) and value.get("type", "0x0") in ("0x0", "0x1", "0x2")


def transaction_from_rpc(value: JsonValue) -> Transaction:
    """
    Read the transaction object of ``eth_getTransactionByHash`` or of a full block.

    Args:
        value: Decoded JSON. A missing ``type`` means 0, as old nodes have it.

    Raises:
        FormatError: A member is missing or not spelled as JSON-RPC demands, the
            type is none of 0, 1, 2, or ``v`` and ``yParity`` or ``chainId`` disagree.
    """
    obj = fields.members(value, "transaction")
    kind = fields.quantity(obj, "type") if "type" in obj else 0
    if kind == 0:
        access_list: AccessList = ()
        v, chain_id = _legacy_v(obj)
    elif kind in (1, 2):
        access_list = _access_list(obj)
        v, chain_id = _parity(obj), fields.quantity(obj, "chainId", bits=_WORD)
    else:
        raise FormatError(f"member type is {kind}; types 0, 1 and 2 are known")
    fee_names = ("maxPriorityFeePerGas", "maxFeePerGas") if kind == 2 else ("gasPrice",)
    if "to" not in obj:
        raise FormatError("member to is missing")
    return Transaction(
        type=kind,
        chain_id=chain_id,
        nonce=fields.quantity(obj, "nonce"),
        fees=tuple(fields.quantity(obj, name, bits=_WORD) for name in fee_names),
        gas=fields.quantity(obj, "gas"),
        to=fields.data(obj, "to", length=_ADDRESS) if fields.is_given(obj, "to") else b"",
        value=fields.quantity(obj, "value", bits=_WORD),
        input=fields.data(obj, "input"),
        access_list=access_list,
        v=v,
        r=fields.quantity(obj, "r", bits=_WORD),
        s=fields.quantity(obj, "s", bits=_WORD),
    )


def _legacy_v(obj: dict[str, JsonValue]) -> tuple[int, int | None]:
    v = fields.quantity(obj, "v", bits=_WORD)
    if v in (27, 28):
        parity, chain_id = v - 27, None
    elif v >= 35:
        parity, chain_id = (v - 35) % 2, (v - 35) // 2
    else:
        raise FormatError(f"member v is {v}, which no transaction of type 0 has")
    if fields.is_given(obj, "yParity") and fields.quantity(obj, "yParity") != parity:
        raise FormatError("members v and yParity disagree")
    if (
        chain_id is not None
        and fields.is_given(obj, "chainId")
        and fields.quantity(obj, "chainId", bits=_WORD) != chain_id
    ):
        raise FormatError(f"member chainId is not {chain_id}, which v is bound to")
    return v, chain_id


def _parity(obj: dict[str, JsonValue]) -> int:
    given = {
        fields.quantity(obj, name, bits=_WORD)
        for name in ("yParity", "v")
        if fields.is_given(obj, name)
    }
    if len(given) != 1 or not given <= {0, 1}:
        raise FormatError("members v and yParity are missing, disagree, or are not 0 or 1")
    return given.pop()


def _access_list(obj: dict[str, JsonValue]) -> AccessList:
    pairs = []
    for value in fields.items(obj, "accessList"):
        entry = fields.members(value, "entry of accessList")
        keys = tuple(
            fields.to_bytes(key, "key in storageKeys", length=32)
            for key in fields.items(entry, "storageKeys")
        )
        pairs.append((fields.data(entry, "address", length=_ADDRESS), keys))
    return tuple(pairs)
