"""
What nodes say about a transaction, read strictly and compared.

A node can say whatever it likes. What follows from the transaction's own fields
is recomputed here at once: an answer about another transaction, a receipt or a
block that cannot be read, or a block that does not hash to its hash is a fault of
the node, and there is no verdict. What is then left to lie about is *where* the
transaction is, and whether it succeeded: for that a second node is asked, and any
difference is refused, as there is no telling which of the two is right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from verifier.arcana.chainrecord import ChainRecord
from verifier.arcana.checks.mined import header_of
from verifier.collect.errors import CollectError
from verifier.errors import EvidenceError, FormatError
from verifier.ethereum.block import receipt_from_rpc
from verifier.ethereum.fields import data, is_given, items, members, quantity
from verifier.ethereum.transaction import is_supported, transaction_from_rpc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.jsonread import JsonValue

__all__ = [
    "Answers",
    "DisagreementError",
    "Node",
    "ask",
    "ask_all",
    "ask_chain_id",
    "ask_number",
    "hash_at",
]

_TRANSACTION: Final = ("hash", "blockHash", "blockNumber", "transactionIndex", "from")
_RECEIPT: Final = (
    *("transactionHash", "blockHash", "blockNumber", "transactionIndex", "status"),
    *("from", "to", "cumulativeGasUsed", "logsBloom"),
)
_BLOCK: Final = ("hash", "number")


class Node(Protocol):
    """A node that can be asked by JSON-RPC; *name* is how messages call it."""

    name: str

    def ask(self, method: str, *params: JsonValue) -> JsonValue:
        """Ask for one result; a CollectError if the node gives none."""
        ...

    def ask_if_known(self, method: str, *params: JsonValue) -> JsonValue:
        """Ask for what not every node can give; None where it answers with an error."""
        ...


class DisagreementError(CollectError):
    """Two nodes say different things, so that neither can be taken at its word."""


@dataclass(frozen=True, slots=True)
class Answers:
    """
    What a node says of one transaction.

    Args:
        transaction: None if it does not know it.
        receipt: None while it is in no block.
        block: The block that the chain has at the receipt's height, with the hashes of
            its transactions.
    """

    transaction: dict[str, JsonValue] | None
    receipt: dict[str, JsonValue] | None
    block: dict[str, JsonValue] | None

    @property
    def record(self) -> ChainRecord:
        """The answers as a bundle stores them."""
        return ChainRecord(self.transaction, self.receipt, self.block)


def ask_number(nodes: Sequence[Node], method: str) -> list[int]:
    """
    Ask each node for a number, such as ``eth_chainId``.

    Raises:
        CollectError: One gives none.
    """
    numbers = []
    for node in nodes:
        try:
            numbers.append(quantity({method: node.ask(method)}, method))
        except EvidenceError as error:
            raise _fault(node, method, error) from None
    return numbers


def ask_chain_id(nodes: Sequence[Node]) -> int:
    """
    Ask each node which chain it is of.

    Raises:
        DisagreementError: They are of different chains.
        CollectError: One does not say.
    """
    numbers = ask_number(nodes, "eth_chainId")
    for node, number in zip(nodes[1:], numbers[1:], strict=True):
        if number != numbers[0]:
            raise DisagreementError(
                f"{nodes[0].name} and {node.name} disagree: the first is of chain {numbers[0]} "
                f"and the second of chain {number}"
            )
    return numbers[0]


def ask_all(nodes: Sequence[Node], tx_hash: str, chain_id: int) -> Answers:
    """
    Ask every node about a transaction.

    Raises:
        DisagreementError: They do not say the same.
        CollectError: One cannot be asked, or contradicts itself.
    """
    answers = [ask(node, tx_hash, chain_id) for node in nodes]
    for node, other in zip(nodes[1:], answers[1:], strict=True):
        differs = _difference(answers[0], other)
        if differs is not None:
            raise DisagreementError(
                f"{nodes[0].name} and {node.name} disagree about transaction {tx_hash}: {differs}"
            )
    return answers[0]


def ask(node: Node, tx_hash: str, chain_id: int) -> Answers:
    """
    Ask one node about a transaction.

    Args:
        node: The node.
        tx_hash: ``0x`` and 64 lower-case hex digits.
        chain_id: The chain, which decides how a header is hashed.

    Raises:
        CollectError: It cannot be asked, or contradicts itself.
    """
    method = "eth_getTransactionByHash"
    try:
        transaction = _transaction(node.ask(method, tx_hash), tx_hash)
        method = "eth_getTransactionReceipt"
        receipt = _receipt(node.ask(method, tx_hash), tx_hash)
        if receipt is None:
            return Answers(transaction, None, None)
        if transaction is None:
            raise FormatError("there is a receipt, and the transaction is not known")
        method = "eth_getBlockByNumber"
        block = _block_at(node, quantity(receipt, "blockNumber"), chain_id)
    except EvidenceError as error:
        raise _fault(node, method, error) from None
    return Answers(transaction, receipt, block)


def hash_at(node: Node, number: int, chain_id: int) -> str | None:
    """
    Ask for the hash of the block that the chain has at a height; None if it is not that high.

    Raises:
        CollectError: The node gives no such block.
    """
    try:
        block = _block_at(node, number, chain_id)
    except EvidenceError as error:
        raise _fault(node, "eth_getBlockByNumber", error) from None
    return None if block is None else str(block["hash"])


def _block_at(node: Node, number: int, chain_id: int) -> dict[str, JsonValue] | None:
    value = node.ask("eth_getBlockByNumber", hex(number), False)
    if value is None:
        return None
    block = members(value, "block")
    header = header_of(block, chain_id)
    if header.number != number:
        raise FormatError(f"block {number} was asked for, and {header.number} is given")
    if data(block, "hash", length=32) != header.hash:
        raise FormatError(f"block {number} does not hash to the hash that is stated")
    items(block, "transactions")
    return block


def _transaction(value: JsonValue, tx_hash: str) -> dict[str, JsonValue] | None:
    if value is None:
        return None
    transaction = members(value, "transaction")
    # Of a type that cannot be encoded here only the anchor is to blame, not the node.
    own = (
        transaction_from_rpc(transaction).hash
        if is_supported(transaction)
        else data(transaction, "hash", length=32)
    )
    if f"0x{own.hex()}" != tx_hash:
        raise FormatError(f"{tx_hash} was asked for, and 0x{own.hex()} is given")
    return transaction


def _receipt(value: JsonValue, tx_hash: str) -> dict[str, JsonValue] | None:
    """Read a receipt; one without a block, as some nodes give it, is none yet."""
    if value is None:
        return None
    receipt = members(value, "receipt")
    if f"0x{data(receipt, 'transactionHash', length=32).hex()}" != tx_hash:
        raise FormatError("the receipt is another transaction's")
    if not is_given(receipt, "blockNumber"):
        return None
    receipt_from_rpc(receipt)
    data(receipt, "blockHash", length=32)
    quantity(receipt, "transactionIndex")
    return receipt


def _difference(one: Answers, two: Answers) -> str | None:
    """Name the first thing that two nodes say differently."""
    for what, names in (("transaction", _TRANSACTION), ("receipt", _RECEIPT), ("block", _BLOCK)):
        here: dict[str, JsonValue] | None = getattr(one, what)
        there: dict[str, JsonValue] | None = getattr(two, what)
        if here is None or there is None:
            if here is not there:
                known = ("none", "one") if here is None else ("one", "none")
                return f"the first has {known[0]} and the second {known[1]} for its {what}"
            continue
        for name in names:
            if _folded(here.get(name)) != _folded(there.get(name)):
                return (
                    f"{name} of the {what} is {_shown(here.get(name))} to the first "
                    f"and {_shown(there.get(name))} to the second"
                )
    receipts = [each.receipt for each in (one, two) if each.receipt is not None]
    return "the logs of the receipt differ" if len({*map(receipt_from_rpc, receipts)}) > 1 else None


def _folded(value: JsonValue) -> JsonValue:
    return value.lower() if isinstance(value, str) else value


def _shown(value: JsonValue) -> str:
    text = value if isinstance(value, str) else type(value).__name__
    return text if len(text) <= 80 else f"{text[:76]}..."


def _fault(node: Node, method: str, error: EvidenceError) -> CollectError:
    return CollectError(f"{node.name}: {method}: {error}")
