"""
A report that somebody else made: signed, and checked by who receives it.

``audit --sign KEY`` puts the report, as ``json`` or ``intoto``, into a DSSE
envelope. Checking one, in four steps:

1. **signature**: a key that the caller trusts signed it. Without such a key or
   without a signature that is unproven, since anyone can write a report.
2. **figures**: its counts add up over its checks, what is counted as a problem is
   listed, and the verdict follows from the counts.
3. **subject**: it is about the bundle and the policy that the caller names, if any.
4. **verdict**: what it says, which is the verdict here at best. One of another
   command, such as ``anchor check``, says nothing about the numbers: unproven.

That the report is *true* shows in one way alone, which is to audit the bundle.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.claim import Claim
from verifier.core.dsse import (
    Envelope,
    format_envelope,
    parse_envelope,
    private_key,
    public_key,
    sign_envelope,
    verify_envelope,
)
from verifier.core.jsonread import read_canonical, read_json
from verifier.core.shape import Obj
from verifier.errors import EvidenceError, FormatError, ProofError, UsageError
from verifier.findings import Verdict, Where
from verifier.report.intoto import EXTENSION, PREDICATE_TYPE, STATEMENT_TYPE
from verifier.report.model import CheckInfo, Report, ReportBuilder
from verifier.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from Crypto.PublicKey.ECC import EccKey

    from verifier.core.jsonread import JsonValue
    from verifier.findings import Finding
    from verifier.policy import Policy
    from verifier.report.model import Keep

__all__ = ["PAYLOAD_TYPES", "REPORT_CHECKS", "check_report", "sign_report"]

SIGNATURE: Final = CheckInfo(id="report/signature", step=1, title="a trusted key signed the report")
FIGURES: Final = CheckInfo(
    id="report/figures", step=2, title="counts, findings and verdict agree with each other"
)
SUBJECT: Final = CheckInfo(
    id="report/subject", step=3, title="it is about the named bundle and policy"
)
VERDICT: Final = CheckInfo(id="report/verdict", step=4, title="what the report says")
REPORT_CHECKS: Final = (SIGNATURE, FIGURES, SUBJECT, VERDICT)

PAYLOAD_TYPES: Final = {
    "json": "application/vnd.tallyproof.report+json",
    "intoto": "application/vnd.in-toto+json",
}

_REPORT: Final = "tallyproof-report/1"
_DIGEST: Final = re.compile(r"[0-9a-f]{64}\Z")
_COUNTS: Final = tuple(verdict.value for verdict in Verdict)


@dataclass(frozen=True, slots=True)
class _Said:
    """What a report says about itself; problems are those that it lists, where it lists them."""

    verdict: str
    counts: dict[str, int]
    checks: tuple[dict[str, int], ...] | None
    problems: tuple[str, ...] | None
    bundle: str | None
    policy: str
    passed: bool | None
    meaning: str | None


def sign_report(report: bytes, form: str, pem: bytes) -> bytes:
    """
    Put a rendered report into an envelope.

    Args:
        report: As the renderer wrote it.
        form: ``json`` or ``intoto``.
        pem: Ed25519 private key, PKCS#8 in PEM without a password.

    Raises:
        UsageError: Reports of this form are not signed.
        FormatError: The key is none.
    """
    if form not in PAYLOAD_TYPES:
        raise UsageError(f"--sign needs --format json or intoto, not {form}")
    return format_envelope(sign_envelope(PAYLOAD_TYPES[form], report, private_key(pem)))


def check_report(  # noqa: PLR0913  what the caller knows, each named
    data: bytes,
    *,
    name: str,
    policy: Policy,
    keys: Sequence[tuple[str, bytes]] = (),
    bundle_sha256: str | None = None,
    policy_sha256: str | None = None,
    keep: Keep = "problems",
) -> Report:
    """
    Check a report of ``audit --format json`` or ``intoto``, signed or not.

    Args:
        data: The file's bytes.
        name: Its name, for messages.
        policy: The policy in force, which this report is made under.
        keys: Name and PEM of each Ed25519 public key that the caller trusts.
        bundle_sha256: The bundle that it must be about.
        policy_sha256: The policy that it must be about.
        keep: Which findings the report holds.

    Raises:
        EvidenceError: The file is no report of a known shape, or a key is none.
    """
    trusted = []
    for file, pem in keys:
        try:
            trusted.append(public_key(pem))
        except EvidenceError as error:
            raise error.in_file(file) from None
    try:
        envelope, payload = _open(data)
        said = _read(envelope, payload)
    except EvidenceError as error:
        raise error.in_file(name) from None
    claims = [Claim(check, name, Where(name)) for check in REPORT_CHECKS]
    signature, figures, subject, verdict = claims
    _check_signature(signature, envelope, trusted)
    _check_figures(figures, said)
    _check_subject(subject, said, bundle_sha256, policy_sha256)
    if said.meaning is not None:
        verdict.unproven("it is no report of an audit", published=said.meaning)
    if said.verdict != "pass":
        verdict.say(Verdict(said.verdict), "the report does not pass", published=said.verdict)
    builder = ReportBuilder(REPORT_CHECKS, keep=keep)
    for finding in _findings(claims):
        builder.add(finding)
    return builder.build(
        tool_version=VERSION,
        policy_sha256=policy.sha256,
        bundle_sha256=said.bundle,
        title=f"report with the verdict {said.verdict}, and {said.counts['pass']} claims that pass",
        notes=["A signature shows who made a report. That it is true, auditing the bundle shows."],
        meaning="signed by a key you trust, and it passes; nothing was recomputed here",
    )


def _findings(claims: list[Claim]) -> Iterator[Finding]:
    for claim in claims:
        yield from claim.close("as it should be")


def _open(data: bytes) -> tuple[Envelope | None, bytes]:
    value = read_json(data)
    if isinstance(value, dict) and "payloadType" in value:
        envelope = parse_envelope(data)
        return envelope, envelope.payload
    return None, data


def _read(envelope: Envelope | None, payload: bytes) -> _Said:
    if not payload.endswith(b"\n"):
        raise FormatError("a report ends in a newline")
    value = read_canonical(payload[:-1])
    if isinstance(value, dict) and "_type" in value:
        form, said = "intoto", _read_statement(value)
    else:
        form, said = "json", _read_report(value)
    if envelope is not None and envelope.payload_type != PAYLOAD_TYPES[form]:
        raise FormatError(
            f"is {envelope.payload_type!r}, and its payload is {PAYLOAD_TYPES[form]}",
            pointer="/payloadType",
        )
    return said


def _read_report(value: JsonValue) -> _Said:
    names = ("format", "verdict", "bundle", "policy", "counts", "checks", "findings")
    report = Obj(value, names, open_ended=True)
    if report.text("format") != _REPORT:
        raise FormatError(f"is not {_REPORT}", pointer="/format")
    bundle = Obj(report.value["bundle"], ("sha256",), pointer="/bundle", open_ended=True)
    policy = Obj(report.value["policy"], ("sha256",), pointer="/policy", open_ended=True)
    return _Said(
        verdict=_verdict(report),
        counts=_counts(report.value["counts"], "/counts"),
        checks=tuple(_counts(check, pointer) for pointer, check in report.items("checks")),
        problems=tuple(
            Obj(item, ("verdict",), pointer=pointer, open_ended=True).text("verdict")
            for pointer, item in report.items("findings")
        ),
        bundle=None if bundle.value["sha256"] is None else _digest(bundle, "sha256"),
        policy=_digest(policy, "sha256"),
        passed=None,
        meaning=report.text("meaning") if "meaning" in report.value else None,
    )


def _read_statement(value: JsonValue) -> _Said:
    statement = Obj(value, ("_type", "subject", "predicateType", "predicate"))
    kinds = (statement.text("_type"), statement.text("predicateType"))
    if kinds != (STATEMENT_TYPE, PREDICATE_TYPE):
        raise FormatError(f"is no Statement of {PREDICATE_TYPE}", pointer="/predicateType")
    subjects = [
        Obj(value, ("digest",), pointer=pointer, open_ended=True)
        for pointer, value in statement.items("subject")
    ]
    if len(subjects) != 1:
        raise FormatError("is not one subject", pointer="/subject")
    (subject,) = subjects
    digest = Obj(subject.value["digest"], ("sha256",), pointer="/subject/0/digest")
    predicate = Obj(
        statement.value["predicate"],
        ("policy", "verificationResult", EXTENSION),
        pointer="/predicate",
        open_ended=True,
    )
    policy = Obj(predicate.value["policy"], ("digest",), pointer="/predicate/policy")
    own = Obj(
        predicate.value[EXTENSION],
        ("verdict", "counts"),
        pointer=f"/predicate/{EXTENSION}",
        open_ended=True,
    )
    return _Said(
        verdict=_verdict(own),
        counts=_counts(own.value["counts"], f"{own.pointer}/counts"),
        checks=None,
        problems=None,
        bundle=_digest(digest, "sha256"),
        policy=_digest(
            Obj(policy.value["digest"], ("sha256",), pointer="/predicate/policy/digest"), "sha256"
        ),
        passed=predicate.text("verificationResult") == "PASSED",
        meaning=own.text("meaning") if "meaning" in own.value else None,
    )


def _check_signature(claim: Claim, envelope: Envelope | None, trusted: list[EccKey]) -> None:
    if envelope is None:
        claim.unproven("the report is not signed")
    elif not trusted:
        claim.unproven("no key was named that may sign it", published=envelope.key_ids[0])
    else:
        try:
            verify_envelope(envelope, trusted)
        except ProofError as error:
            claim.fail(error.reason, published=envelope.key_ids[0], pointer="/signatures")


def _check_figures(claim: Claim, said: _Said) -> None:
    if said.checks is not None:
        for name in _COUNTS:
            total = sum(check[name] for check in said.checks)
            claim.equal(f"the count {name!r}", said.counts[name], total, pointer=f"/counts/{name}")
    if said.problems is not None:
        for name in _COUNTS[1:]:
            listed = said.problems.count(name)
            claim.equal(f"the number of findings listed as {name}", listed, said.counts[name])
    verdict = "pass" if said.counts["pass"] else "unproven"
    verdict = "unproven" if said.counts["unproven"] else verdict
    verdict = "fail" if said.counts["fail"] else verdict
    claim.equal("the verdict", said.verdict, verdict, pointer="/verdict")
    if said.passed is not None:
        claim.equal("whether the result is PASSED", said.passed, verdict == "pass")


def _check_subject(claim: Claim, said: _Said, bundle: str | None, policy: str | None) -> None:
    if bundle is None and policy is None:
        claim.say(Verdict.EXEMPT, "no bundle or policy was named", published=said.bundle)
    if bundle is not None:
        claim.equal("the bundle", said.bundle, bundle, pointer="/bundle/sha256")
    if policy is not None:
        claim.equal("the policy", said.policy, policy, pointer="/policy/sha256")


def _verdict(report: Obj) -> str:
    verdict = report.text("verdict")
    if verdict not in {"pass", "fail", "unproven"}:
        raise FormatError("is no verdict", pointer=f"{report.pointer}/verdict")
    return verdict


def _counts(value: JsonValue, pointer: str) -> dict[str, int]:
    counts = Obj(value, _COUNTS, pointer=pointer, open_ended=True)
    return {name: counts.integer(name) for name in _COUNTS}


def _digest(report: Obj, name: str) -> str:
    digest = report.text(name)
    if _DIGEST.match(digest) is None:
        raise FormatError("is no sha256 in lower-case hex", pointer=f"{report.pointer}/{name}")
    return digest
