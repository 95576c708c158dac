"""
Step 10: a call was signed by its agent's wallet, for this call, and once.

The message is five lines: version, path, timestamp, nonce, and the hash of
claim, note and terms. It is rebuilt from what the call says and compared; the
signer is recovered from the signature, in its one strict form.

Source:
    floor.md section 10; floor-clarifications.md 5, 45, 50; EIP-191.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError
from formulas.floor.primitives import SECOND_MS, parse_time
from verifier.claim import Claim
from verifier.errors import FormatError
from verifier.ethereum.personal_sign import recover_personal_sign
from verifier.findings import Where
from verifier.floor.checks.calls import CALLS, subject
from verifier.floor.checks.catalogue import ENVELOPE
from verifier.floor.columns import nonce_of
from verifier.floor.when import say_time

if TYPE_CHECKING:
    from verifier.findings import Finding
    from verifier.floor.context import Context
    from verifier.floor.rows import Call, Envelope

__all__ = ["ENVELOPES", "check_envelope"]

ENVELOPES: Final = "floor/envelopes.jsonl"
LINES: Final = 5
_HEX: Final = re.compile(r"[0-9a-f]+\Z")
_SIGNATURE: Final = re.compile(r"0x[0-9a-f]{130}\Z")


def check_envelope(context: Context, call: Call) -> list[Finding]:
    """Judge the signed message that a call names."""
    envelope = context.envelopes.get(call.envelope)
    if envelope is None:
        claim = Claim(ENVELOPE, subject(call), Where(CALLS, call.line, "/envelope"))
        claim.unproven("no line of envelopes.jsonl has this hash", published=call.envelope)
        return claim.found
    claim = Claim(ENVELOPE, subject(call), Where(ENVELOPES, envelope.line))
    agent = context.agents.get(call.agent)
    if agent is None:
        claim.unproven("agents.json names no wallet of the agent", published=call.agent)
    else:
        claim.equal("the agent's wallet", envelope.address, agent.wallet, pointer="/address")
    _check_signer(claim, envelope)
    _check_message(claim, context, call, envelope)
    return claim.close("signed by the agent's wallet for this call")


def _check_signer(claim: Claim, envelope: Envelope) -> None:
    if _SIGNATURE.match(envelope.signature) is None:
        claim.fail(
            "the signature is not 0x and 130 lower-case hex digits",
            published=envelope.signature,
            pointer="/signature",
        )
        return
    try:
        signer = recover_personal_sign(
            envelope.message.encode(), bytes.fromhex(envelope.signature[2:])
        )
    except FormatError as error:
        claim.fail(f"the signature is refused: {error}", pointer="/signature")
        return
    claim.equal("the signer", envelope.address, signer, pointer="/signature")


def _check_message(claim: Claim, context: Context, call: Call, envelope: Envelope) -> None:
    rules = context.rules.envelope
    lines = envelope.message.split("\n")
    if len(lines) != LINES:
        claim.fail("the message is not five lines", published=len(lines), pointer="/message")
        return
    version, path, stamp, nonce, signed = lines
    claim.equal("the version", version, rules.version, pointer="/message")
    claim.equal("the path", path, rules.path, pointer="/message")
    claim.equal("the hash of claim, note and terms", signed, call.signed, pointer="/message")
    try:
        skew = abs(parse_time(stamp) - call.posted_at)
    except FormulaDomainError as problem:
        claim.fail(f"the timestamp: {problem}", pointer="/message")
    else:
        if skew > rules.skew_seconds * SECOND_MS:
            claim.fail(
                f"signed more than {rules.skew_seconds} s from posting",
                published=stamp,
                recomputed=say_time(call.posted_at),
                pointer="/message",
            )
    if len(nonce) != rules.nonce_hex or _HEX.match(nonce) is None:
        claim.fail(f"the nonce is not {rules.nonce_hex} hex digits", published=nonce)
    first = context.nonces.get(nonce_of(envelope.address, nonce))
    if first is not None and first != call.line:
        claim.fail(
            f"the wallet used the nonce before, for the call in line {first}",
            published=nonce,
            pointer="/message",
        )
