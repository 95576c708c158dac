"""
Proofs that a block's tries hold a transaction and its receipt, made from what a node gives.

All transactions of the block are encoded, and all receipts; if the tries over them
have the header's roots, the nodes on the way of the index are the proof. Nodes of
ARCANA's chain put a transaction of their own kind into each block, whose encoding
is theirs alone: its bytes are asked for as they are. Where a node does not give
what is needed there is no proof, which is no fault: nothing is claimed without one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.arcana.chainrecord import ChainRecord
from verifier.arcana.checks.mined import header_of
from verifier.errors import EvidenceError, FormatError
from verifier.ethereum.block import receipt_from_rpc
from verifier.ethereum.fields import data, items, members, quantity
from verifier.ethereum.transaction import is_supported, transaction_from_rpc
from verifier.ethereum.trie import ordered_trie_proof, ordered_trie_root

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verifier.collect.chain_answers import Answers, Node
    from verifier.core.jsonread import JsonValue

__all__ = ["with_proofs"]

_ONE_BY_ONE: Final = 1000
"""Items of a block that are asked for singly, where the node does not give them together."""


def with_proofs(node: Node, answers: Answers, chain_id: int) -> ChainRecord:
    """
    Give the record of a transaction, with proofs as far as the node lets them be made.

    Raises:
        CollectError: The node can no longer be asked.
    """
    if answers.block is None or answers.receipt is None:
        return answers.record
    header = header_of(answers.block, chain_id)
    index = quantity(answers.receipt, "transactionIndex")
    block_hash = f"0x{header.hash.hex()}"
    return ChainRecord(
        answers.transaction,
        answers.receipt,
        answers.block,
        _proof(lambda: _transactions(node, block_hash), index, header.transactions_root),
        _proof(lambda: _receipts(node, answers.block), index, header.receipts_root),
    )


def _proof(read: Callable[[], Sequence[bytes]], index: int, root: bytes) -> JsonValue:
    try:
        values = read()
    except EvidenceError:
        return None
    if index >= len(values) or ordered_trie_root(values) != root:
        return None
    return [f"0x{node.hex()}" for node in ordered_trie_proof(values, index)]


def _transactions(node: Node, block_hash: str) -> list[bytes]:
    full = members(node.ask_if_known("eth_getBlockByHash", block_hash, True), "block")
    encoded = []
    asked = 0
    for value in items(full, "transactions"):
        if is_supported(value):
            encoded.append(transaction_from_rpc(value).encoded)
            continue
        asked += 1
        if asked > _ONE_BY_ONE:
            raise FormatError("too many transactions of unknown types")
        name = members(value, "transaction").get("hash")
        raw = node.ask_if_known("eth_getRawTransactionByHash", name)
        encoded.append(data({"raw": raw}, "raw"))
    return encoded


def _receipts(node: Node, block: dict[str, JsonValue] | None) -> list[bytes]:
    block = members(block, "block")
    together = node.ask_if_known("eth_getBlockReceipts", block.get("number"))
    if isinstance(together, list):
        return [receipt_from_rpc(value) for value in together]
    listed = items(block, "transactions")
    if len(listed) > _ONE_BY_ONE:
        raise FormatError("too many receipts")
    return [
        receipt_from_rpc(node.ask_if_known("eth_getTransactionReceipt", name)) for name in listed
    ]
