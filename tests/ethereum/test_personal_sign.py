"""Strict verification of messages that a wallet signed."""

import re
from typing import Any, Final

import pytest
from vectors import Row, cases, expected

from verifier.errors import FormatError
from verifier.ethereum.personal_sign import (
    personal_sign_digest,
    recover_personal_sign,
    recover_wire,
)

NOBODY: Final = "nobody"


def recovered(call: Any, signed: bytes, signature: str) -> str:
    """The address that *call* recovers, or nobody's."""
    try:
        address: str = call(signed, bytes.fromhex(signature))
    except FormatError:
        return NOBODY
    return address


@pytest.mark.parametrize("row", cases("ethereum", "eip191/personal_sign"))
def test_personal_sign(row: Row) -> None:
    """One byte string is accepted for a message and its signer, every other is refused."""
    address = recovered(recover_personal_sign, bytes.fromhex(row["message_hex"]), row["signature"])
    assert (address == row["address"].lower()) == (expected(row) == "accept")


@pytest.mark.parametrize("row", cases("ethereum", "eip191/raw_digest"))
def test_raw_digest(row: Row) -> None:
    """The same over a digest that was made elsewhere."""
    address = recovered(recover_wire, bytes.fromhex(row["digest"]), row["signature"])
    assert (address == row["address"].lower()) == (expected(row) == "accept")


@pytest.mark.parametrize("row", cases("ethereum", "eip191/digests"))
def test_digest(row: Row) -> None:
    """The prefix has the length in plain decimal, counted in bytes."""
    same = personal_sign_digest(bytes.fromhex(row["message_hex"])).hex() == row["digest"]
    assert same == (expected(row) == "accept")


SEAL_TEXT: Final = re.compile(
    r"(?P<origin>[^\n]+) wants a ledger seal\nendpoint: (?P<endpoint>[^\n]+)\n"
    r"chain-id: (?P<chain_id>[0-9]+)\nledger: (?P<ledger>[^\n]+)\nroot: [0-9a-f]{64}\n"
    r"nonce: (?P<nonce>[0-9]+)\nissued-at: [^\n]+\nexpires: (?P<expires>[^\n]+)"
)


@pytest.mark.parametrize("row", cases("ethereum", "eip191/replay"))
def test_replay(row: Row) -> None:
    """All these signatures are genuine; who compares the whole text with his context sees which."""
    context = row["context"]
    signer = recover_personal_sign(row["message"].encode(), bytes.fromhex(row["signature"]))
    assert signer == context["address"].lower()
    text = SEAL_TEXT.fullmatch(row["message"])
    good = (
        text is not None
        and context["now"] <= text["expires"]
        and all(
            text[name] == str(context[name])
            for name in ("origin", "endpoint", "chain_id", "ledger", "nonce")
        )
    )
    assert good == (expected(row) == "accept")
