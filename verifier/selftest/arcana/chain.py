"""Step 8: what a node is said to have answered about an anchor's transaction."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from verifier.arcana.chainrecord import chain_path, read_chain_record
from verifier.arcana.checks.catalogue import ANCHOR
from verifier.core.canon import canonical_bytes
from verifier.selftest.arcana.anchors import mined, other_digit
from verifier.selftest.arcana.forgery import Evidence, Forgery
from verifier.selftest.mutations import Mutation

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.core.jsonread import JsonValue
    from verifier.selftest.mutations import Changes


def _answer(
    evidence: Evidence, *, part: str, change: Callable[[dict[str, Any]], dict[str, Any] | None]
) -> Changes | None:
    """Change members of the first answer that is there and that the change concerns."""
    for anchor in mined(evidence):
        record = read_chain_record(evidence.context.bundle, anchor.tx_hash or "")
        answer = getattr(record, part, None)
        members = change(answer) if isinstance(answer, dict) else None
        if members is not None:
            forgery = Forgery(evidence)
            forgery.chain(anchor.tx_hash or "", part, **members)
            return forgery.changes()
    return None


def _other(member: str) -> Callable[[dict[str, Any]], dict[str, Any] | None]:
    def change(answer: dict[str, Any]) -> dict[str, Any] | None:
        value = answer.get(member)
        return {member: other_digit(value)} if isinstance(value, str) else None

    return change


def _set(**members: object) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda _: dict(members)


def _parity(answer: dict[str, Any]) -> dict[str, Any]:
    turned = "0x0" if answer.get("yParity", answer.get("v")) == "0x1" else "0x1"
    return {name: turned for name in ("v", "yParity") if name in answer}


def _legacy(answer: dict[str, Any]) -> dict[str, Any]:
    # 35 + 2 * chain + parity: the same chain and parity in the older spelling.
    parity = int(answer.get("yParity", answer["v"]), 16)
    return {"type": "0x0", "v": hex(35 + 2 * int(answer["chainId"], 16) + parity)}


def _other_input(answer: dict[str, Any]) -> dict[str, Any]:
    return {"input": other_digit(answer["input"])}


def _not_listed(answer: dict[str, Any]) -> dict[str, Any] | None:
    listed = answer.get("transactions")
    if not isinstance(listed, list) or not all(isinstance(item, str) for item in listed):
        return None
    return {"transactions": [other_digit(item) for item in listed]}


def _alone(answer: dict[str, Any]) -> bool:
    """Tell whether a block holds one transaction, so that its receipts can be judged."""
    listed = answer.get("transactions")
    return isinstance(listed, list) and len(listed) == 1


def _gas_of_alone(evidence: Evidence) -> Changes | None:
    for anchor in mined(evidence):
        record = read_chain_record(evidence.context.bundle, anchor.tx_hash or "")
        if record is not None and isinstance(record.block, dict) and _alone(record.block):
            assert isinstance(record.receipt, dict)
            used = other_digit(str(record.receipt["cumulativeGasUsed"]))
            forgery = Forgery(evidence)
            forgery.chain(anchor.tx_hash or "", "receipt", cumulativeGasUsed=used)
            return forgery.changes()
    return None


def _missing(evidence: Evidence) -> Changes | None:
    for anchor in mined(evidence):
        path = chain_path(anchor.tx_hash or "")
        if evidence.context.bundle.has(path):
            return {path: None}
    return None


def _unknown(evidence: Evidence) -> Changes | None:
    for anchor in mined(evidence):
        nothing: JsonValue = {"transaction": None, "receipt": None, "block": None}
        return {chain_path(anchor.tx_hash or ""): canonical_bytes(nothing)}
    return None


def _given_up(evidence: Evidence) -> Changes | None:
    for anchor in mined(evidence):
        forgery = Forgery(evidence)
        forgery.put("anchors", anchor.line, status="dropped")
        return forgery.changes()
    return None


def _mutation(name: str, what: str, apply: Callable[[Evidence], Changes | None]) -> Mutation:
    return Mutation(name=name, aims_at=ANCHOR.id, what=what, apply=apply)


def _changed(
    name: str,
    what: str,
    part: str,
    change: Callable[[dict[str, Any]], dict[str, Any] | None],
) -> Mutation:
    return _mutation(name, what, partial(_answer, part=part, change=change))


MUTATIONS: Final = (
    _mutation("chain-record-missing", "The chain record is taken away.", _missing),
    _mutation("chain-knows-nothing", "The node knows neither transaction nor receipt.", _unknown),
    _mutation("anchor-given-up", "An anchor on the chain is said to be dropped.", _given_up),
    _changed("tx-reverted", "The transaction failed.", "receipt", _set(status="0x0")),
    _changed("tx-pending", "The transaction is in no block.", "receipt", _set(blockNumber=None)),
    _changed("tx-input", "The transaction holds another root.", "transaction", _other_input),
    _changed("tx-value", "The transaction sends a wei.", "transaction", _set(value="0x1")),
    _changed("tx-recipient", "The transaction goes elsewhere.", "transaction", _other("to")),
    _changed("tx-chain", "The transaction is for chain 1.", "transaction", _set(chainId="0x1")),
    _changed("tx-nonce", "The transaction has another nonce.", "transaction", _other("nonce")),
    _changed("tx-type", "The transaction is spelled as an older type.", "transaction", _legacy),
    _changed("tx-parity", "The signature is another signer's.", "transaction", _parity),
    _changed("tx-signature", "The signature is changed.", "transaction", _other("s")),
    _changed(
        "receipt-of-another",
        "The receipt is that of another transaction.",
        "receipt",
        _other("transactionHash"),
    ),
    _changed("receipt-block", "The receipt names another block.", "receipt", _other("blockHash")),
    _changed("receipt-sender", "The receipt names another sender.", "receipt", _other("from")),
    _mutation("receipt-gas", "A receipt alone in its block used other gas.", _gas_of_alone),
    _changed("block-time", "The block's time is changed.", "block", _other("timestamp")),
    _changed("block-state", "The block's state root is changed.", "block", _other("stateRoot")),
    _changed("block-without-tx", "The block lists other transactions.", "block", _not_listed),
)
