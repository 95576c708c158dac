"""
A one-file inclusion proof of a record: ``tallyproof-proof/1``.

Canonical JSON and one newline. Of a sealed ARCANA record::

    {"format":"tallyproof-proof/1",
     "record":{"family":"arcana","kind":"score","manifest":"<text>"|null,"seal":H},
     "tree":{"leaf_count":n,"leaf_index":i,"proof":[H...],"root":H,"scheme":"rfc9162-sha256"},
     "anchor":{"block_number","chain_id","id","scheme","sender","tx_hash","leaf":{...}},
     "chain":{"block","receipt","transaction"}|null}

and of an entry of the Floor's ledger::

    {"format":"tallyproof-proof/1","hour":T,
     "record":{"body":{...},"family":"floor","kind":"entry","seal":H},
     "tree":{as above}}

Three steps are checked: the record hashes to the seal; the seal is that leaf
of that root; the root is one that somebody vouches for. For ARCANA that is a
mined transaction of a sender whom the policy trusts. The Floor's hourly roots
are in no chain: that step is unproven until the caller names the root of the
hour as known from elsewhere. Only what the file itself proves passes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.jsonread import read_json
from verifier.errors import EvidenceError, UsageError
from verifier.proof.form import FORMAT, PROOF_CHECKS, SEAL
from verifier.report.model import Report, ReportBuilder
from verifier.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from verifier.bundle import Bundle
    from verifier.core.jsonread import JsonValue
    from verifier.findings import Finding
    from verifier.policy import Policy
    from verifier.report.model import Keep

__all__ = ["FORMAT", "PROOF_CHECKS", "check_proof", "prove"]


def prove(bundle: Bundle, seal: str, *, policy: Policy) -> bytes:
    """
    Write the inclusion proof of one record of a bundle.

    Args:
        bundle: The evidence.
        seal: The seal of an ARCANA record or of a call, or the hash of a ledger
            entry: 64 lower-case hex digits.
        policy: What the caller trusts; nothing of it goes into the proof.

    Raises:
        UsageError: The seal is malformed, or under no root of the bundle.
        EvidenceError: The bundle's rows cannot be read.
    """
    if SEAL.match(seal) is None:
        raise UsageError(f"a seal is 64 lower-case hex digits, not {seal!r}")
    folders = {path.partition("/")[0] for path in bundle.paths}
    for family, write in _WRITERS.items():
        proof = write(bundle, seal, policy) if family in folders else None
        if proof is not None:
            return proof
    raise UsageError(f"no mined anchor or hourly root of the bundle has the leaf {seal}")


def _arcana(bundle: Bundle, seal: str, policy: Policy) -> bytes | None:
    from verifier.proof.arcana import prove_record  # noqa: PLC0415 - one family of several

    return prove_record(bundle, seal, policy)


def _floor(bundle: Bundle, seal: str, policy: Policy) -> bytes | None:
    from verifier.proof.floor import prove_entry  # noqa: PLC0415 - one family of several

    return prove_entry(bundle, seal, policy)


_WRITERS: Final[Mapping[str, Callable[[Bundle, str, Policy], bytes | None]]] = {
    "arcana": _arcana,
    "floor": _floor,
}


def check_proof(
    data: bytes, *, name: str, policy: Policy, root: str | None = None, keep: Keep = "problems"
) -> Report:
    """
    Check a proof file against what the caller trusts.

    Args:
        data: The file's bytes.
        name: Its name, for messages.
        policy: What the caller trusts.
        root: The root of the hour as the caller knows it, for a proof of the Floor.
        keep: Which findings the report holds.

    Raises:
        UsageError: A root was named that is none, or for a proof that needs none.
        EvidenceError: The file is no JSON, or no proof of a known shape.
    """
    if root is not None and SEAL.match(root) is None:
        raise UsageError(f"a root is 64 lower-case hex digits, not {root!r}")
    try:
        seal, findings = _judge(read_json(data), name, policy, root)
    except EvidenceError as error:
        raise error.in_file(name) from None
    builder = ReportBuilder(PROOF_CHECKS, keep=keep)
    for finding in findings:
        builder.add(finding)
    return builder.build(
        tool_version=VERSION,
        policy_sha256=policy.sha256,
        title=f"inclusion proof of {seal}",
        notes=["A proof shows when a record existed at the latest, not that its content is right."],
    )


def _judge(
    value: JsonValue, name: str, policy: Policy, root: str | None
) -> tuple[str, tuple[Finding, ...]]:
    record = value.get("record") if isinstance(value, dict) else None
    if isinstance(record, dict) and record.get("family") == "floor":
        from verifier.proof.floor import judge_entry, read_entry_proof  # noqa: PLC0415

        entry = read_entry_proof(value)
        return entry.seal, judge_entry(entry, name, root)
    if root is not None:
        raise UsageError("--root is for proofs of the Floor; the chain vouches for this one")
    from verifier.proof.arcana import judge_record, read_record_proof  # noqa: PLC0415

    proof = read_record_proof(value)
    return proof.seal, judge_record(proof, name, policy)
