"""RLP, headers, JSON-RPC objects, dumps and wallet signatures of any shape end in our error."""

from contextlib import suppress

from verifier.core.jsonread import read_json
from verifier.errors import EvidenceError
from verifier.ethereum.block import (
    header_from_rlp,
    header_from_rpc,
    receipt_from_rpc,
    transactions_root,
)
from verifier.ethereum.openzeppelin import load_dump
from verifier.ethereum.personal_sign import recover_personal_sign
from verifier.ethereum.rlp import rlp_decode, rlp_encode
from verifier.ethereum.transaction import transaction_from_rpc


def one_input(data: bytes) -> None:
    """Read the bytes as everything that a chain's evidence is made of."""
    with suppress(EvidenceError):
        assert rlp_encode(rlp_decode(data)) == data
    with suppress(EvidenceError):
        assert header_from_rlp(data).encoded == data
    with suppress(EvidenceError):
        recover_personal_sign(data[65:], data[:65])
    with suppress(EvidenceError):
        value = read_json(data, big_integers="keep")
        with suppress(EvidenceError):
            transaction_from_rpc(value).sender()
        for read in (header_from_rpc, receipt_from_rpc, load_dump):
            with suppress(EvidenceError):
                read(value)
        transactions_root([value])
