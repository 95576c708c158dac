"""
Readings of the normative clarifications that a forger, or an unusual publisher, could meet.

The base is a small honest season whose keys are known, so that every change can be
signed, sealed and chained again: what is left to find is the one thing that is wrong.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import pytest
from floor_publisher import Agent, publish

from formulas.floor.primitives import SECOND_MS, format_time, parse_time
from verifier.audit import audit_bundle
from verifier.bundle import Bundle, open_bundle, overlay
from verifier.core.canon import canonical_bytes
from verifier.ethereum.personal_sign import personal_sign_digest
from verifier.findings import Finding, Verdict
from verifier.policy import Policy
from verifier.selftest.floor.forgery import Evidence, Files, Forgery, load_evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from coincurve import PrivateKey

    from verifier.report.model import Report

Row = dict[str, Any]
Problems = set[tuple[str, str]]
CALLS: Final = 48
AGENTS: Final = "floor/agents.json"
ORDER: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundle]:
    """Publish a few agents' calls."""
    folder = tmp_path_factory.mktemp("published")
    publish(folder, CALLS)
    with open_bundle(folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def evidence(bundle: Bundle) -> Evidence:
    """Read the rows of the season."""
    return load_evidence(bundle, Policy())


def audited(
    evidence: Evidence,
    change: Callable[[Forgery], object],
    *,
    late: Callable[[Files], object] | None = None,
    files: dict[str, bytes | None] | None = None,
) -> Report:
    """Audit the season with a change tied up, and some files as they are given."""
    forgery = Forgery(evidence)
    change(forgery)
    changes = forgery.changes(late) | (files or {})
    return audit_bundle(overlay(evidence.context.bundle, changes, relist=True), policy=Policy())


def problems(
    evidence: Evidence,
    change: Callable[[Forgery], object],
    *,
    late: Callable[[Files], object] | None = None,
    files: dict[str, bytes | None] | None = None,
) -> Problems:
    """Audit a changed season: each check that reports fail or unproven."""
    report = audited(evidence, change, late=late, files=files)
    return {
        (item.check, item.verdict.value)
        for item in report.findings
        if item.verdict in (Verdict.FAIL, Verdict.UNPROVEN)
    }


def fails(item: Finding) -> bool:
    """Tell whether a finding is a failure."""
    return item.verdict is Verdict.FAIL


def sign(key: PrivateKey, envelope: Row, message: str) -> None:
    """Write a message and its signature into an envelope."""
    signed = key.sign_recoverable(personal_sign_digest(message.encode()), hasher=None)
    envelope["message"] = message
    envelope["signature"] = f"0x{signed[:64].hex()}{signed[64] + 27:02x}"


def signed_again(
    forgery: Forgery, place: int, change: Callable[[list[str]], object], key: PrivateKey
) -> None:
    """Change the lines of a call's message and sign it; the hash is that of the call."""
    call, envelope = forgery.calls[place]
    lines = envelope["message"].split("\n")
    text = {name: call[name] for name in ("claim", "note", "terms")}
    lines[4] = sha256(canonical_bytes(text)).hexdigest()
    change(lines)
    sign(key, envelope, "\n".join(lines))


def key_of(forgery: Forgery, place: int) -> PrivateKey:
    """Find the key of a call's agent."""
    return Agent(int(forgery.calls[place][0]["agent"].removeprefix("a-"))).key


def copied(forgery: Forgery, agent: str) -> int:
    """Let another agent make the first call too, with the same envelope and settlement."""
    call, envelope = (json.loads(canonical_bytes(row)) for row in forgery.calls[0])
    body, record = (
        json.loads(canonical_bytes(row)) for row in forgery.entry(forgery.calls[0][0]["seal"])
    )
    call |= {"agent": agent, "seal": "copied"}
    body["call"] = "copied"
    forgery.calls.append((call, envelope))
    forgery.settled.append((body, record))
    return len(forgery.calls) - 1


def agents_with(evidence: Evidence, agent: str) -> dict[str, bytes | None]:
    """List one more agent, who shares the wallet of the first call's."""
    rows = json.loads(evidence.context.bundle.read(AGENTS))
    first = evidence.rows["calls"][0]["agent"]
    wallet = next(row["wallet"] for row in rows if row["agent"] == first)
    rows.append({"agent": agent, "name": "Twin", "operator": "twin", "wallet": wallet})
    return {AGENTS: canonical_bytes(rows)}


def test_the_season_passes(evidence: Evidence) -> None:
    """What is changed below is sound, and so is tying it up again."""
    assert problems(evidence, lambda _: None) == set()


class TestLabels:
    """6: ``labels`` is ``[]`` or ``["baseline-hugging"]``."""

    @pytest.mark.parametrize("labels", [[""], ["none"], ["Baseline-hugging"], ["own"]])
    def test_no_other_label(self, evidence: Evidence, labels: list[str]) -> None:
        """A filler is a label too."""

        def change(forgery: Forgery) -> None:
            call = next(call for call, _ in forgery.calls if not call["labels"])
            call["labels"] = labels

        assert problems(evidence, change) == {("floor/admission", "fail")}

    def test_not_twice(self, evidence: Evidence) -> None:
        """The one label stands once."""

        def change(forgery: Forgery) -> None:
            for call, _ in forgery.calls:
                call["labels"] = call["labels"] * 2

        assert any(row["labels"] for row in evidence.rows["calls"])
        assert problems(evidence, change) == {("floor/admission", "fail")}


class TestEnvelopes:
    """5, 50: one line a call, and each nonce once a wallet, whoever shares it."""

    def test_two_calls_may_not_name_one_envelope(self, evidence: Evidence) -> None:
        """A signature admits one call; agents of one wallet could else post it twice."""

        def once(files: Files) -> None:
            lines = files.lines["floor/envelopes.jsonl"]
            files.lines["floor/envelopes.jsonl"] = list(dict.fromkeys(lines))

        found = problems(
            evidence,
            lambda forgery: copied(forgery, "b-twin"),
            late=once,
            files=agents_with(evidence, "b-twin"),
        )
        assert found == {("floor/envelope", "fail")}

    def test_two_agents_may_share_a_wallet(self, evidence: Evidence) -> None:
        """With a nonce for each call they are honest."""

        def change(forgery: Forgery) -> None:
            place = copied(forgery, "b-twin")

            def fresh(lines: list[str]) -> None:
                lines[3] = "ab" * 16

            signed_again(forgery, place, fresh, key_of(forgery, 0))

        assert problems(evidence, change, files=agents_with(evidence, "b-twin")) == set()

    @pytest.mark.parametrize(
        ("seconds", "honest"), [(60, True), (-60, True), (61, False), (-61, False)]
    )
    def test_skew(self, evidence: Evidence, seconds: int, *, honest: bool) -> None:
        """Signed up to a minute before or after posting, both ends included."""

        def change(forgery: Forgery) -> None:
            posted_at = parse_time(forgery.calls[0][0]["posted_at"])

            def moved(lines: list[str]) -> None:
                lines[2] = format_time(posted_at + seconds * SECOND_MS)

            signed_again(forgery, 0, moved, key_of(forgery, 0))

        assert problems(evidence, change) == (set() if honest else {("floor/envelope", "fail")})

    @pytest.mark.parametrize(
        ("line", "text"),
        [
            (0, "floor-envelope/2"),
            (1, "POST /v1/calls/"),
            (2, "2026-11-03T01:00:05+00:00"),
            (3, "ab" * 15),
            (4, "0" * 64),
        ],
    )
    def test_every_line_is_what_the_call_says(
        self, evidence: Evidence, line: int, text: str
    ) -> None:
        """Properly signed, but not for this."""

        def change(forgery: Forgery) -> None:
            def other(lines: list[str]) -> None:
                lines[line] = text

            signed_again(forgery, 0, other, key_of(forgery, 0))

        assert problems(evidence, change) == {("floor/envelope", "fail")}

    def test_the_other_half_of_the_order(self, evidence: Evidence) -> None:
        """The same signature in its other form is refused."""

        def change(forgery: Forgery) -> None:
            envelope = forgery.calls[0][1]
            raw = bytes.fromhex(envelope["signature"][2:])
            s = ORDER - int.from_bytes(raw[32:64], "big")
            v = 55 - raw[64]
            envelope["signature"] = f"0x{raw[:32].hex()}{s:064x}{v:02x}"

        assert problems(evidence, change) == {("floor/envelope", "fail")}


class TestEvidenceInTime:
    """9, 37: an attempt's responses are fetched from its start to a minute later."""

    @staticmethod
    def fetched(forgery: Forgery, seconds: int) -> None:
        """Move the fetch of the responses of the last deadline's attempts."""
        last = forgery.settled[-1][1]["attempts"][-1]
        at = parse_time(last["at"]) + seconds * SECOND_MS
        for row in forgery.raw:
            if row["sha256"] in last["source"]:
                row["fetched_at"] = format_time(at)

    @pytest.mark.parametrize(
        ("seconds", "honest"), [(0, True), (60, True), (61, False), (-1, False)]
    )
    def test_bounds(self, evidence: Evidence, seconds: int, *, honest: bool) -> None:
        """Both ends are included; a line out of time is a failure."""
        found = problems(evidence, lambda forgery: self.fetched(forgery, seconds))
        if honest:
            assert found == set()
        else:
            assert ("floor/settlement", "fail") in found

    def test_a_body_out_of_time_that_is_gone(self, evidence: Evidence) -> None:
        """Taking the body away does not turn the failure into a lack."""
        gone = evidence.rows["settlements"][-1]["attempts"][-1]["source"]
        found = problems(
            evidence,
            lambda forgery: self.fetched(forgery, -1),
            files=dict.fromkeys(f"raw/{name[:2]}/{name}" for name in gone),
        )
        assert ("floor/settlement", "fail") in found

    def test_a_body_fetched_twice(self, evidence: Evidence) -> None:
        """7: one line in time is enough, whatever the others say."""

        def change(forgery: Forgery) -> None:
            forgery.raw += [
                row | {"fetched_at": format_time(parse_time(row["fetched_at"]) + 3_600_000)}
                for row in forgery.raw
            ]

        assert problems(evidence, change) == set()

    def test_identical_lines(self, evidence: Evidence) -> None:
        """50: the same line twice is a failure."""
        found = problems(evidence, lambda forgery: forgery.raw.append(forgery.raw[0]))
        assert found == {("floor/layout", "fail")}

    def test_another_status_contributes_nothing(self, evidence: Evidence) -> None:
        """10: so what it would have shown is unproven."""

        def change(forgery: Forgery) -> None:
            last = forgery.settled[-1][1]["attempts"][-1]
            for row in forgery.raw:
                if row["sha256"] in last["source"]:
                    row["status"] = 203

        assert problems(evidence, change) == {
            ("floor/settlement", "unproven"),
            ("floor/confirmation", "unproven"),
        }

    @pytest.mark.parametrize(
        ("body", "reason"),
        [
            (b'{"message":"Too Many Requests"}', "not a list"),
            (b"<html>429</html>", "at character 0"),
            (b'[{"t":1793606400000,"o":"1"', "at character"),
        ],
    )
    def test_an_error_body_is_no_evidence(
        self, evidence: Evidence, body: bytes, reason: str
    ) -> None:
        """10: it is not zero candles, so no gap; the finding names the body and what it is."""
        old = evidence.rows["settlements"][-1]["attempts"][-1]["source"][0]
        new = sha256(body).hexdigest()

        def change(forgery: Forgery) -> None:
            for row in forgery.raw:
                if row["sha256"] == old:
                    row |= {"bytes": len(body), "sha256": new}
            for _, record in forgery.settled:
                for each in record["attempts"]:
                    if old in each["source"]:
                        each["source"] = sorted({*each["source"], new} - {old})

        report = audited(
            evidence,
            change,
            files={f"raw/{old[:2]}/{old}": None, f"raw/{new[:2]}/{new}": body},
        )
        found = [item for item in report.findings if item.verdict is not Verdict.EXEMPT]
        assert {(item.check, item.verdict) for item in found} == {
            ("floor/settlement", Verdict.UNPROVEN),
            ("floor/confirmation", Verdict.UNPROVEN),
        }
        for item in found:
            assert f"raw/{new[:2]}/{new} gives nothing: " in item.message
            assert reason in item.message
            assert item.where is not None
            assert item.where.line is not None


class TestEveryAttemptIsJudged:
    """16: every result follows from its own responses, whatever is wrong with another."""

    def test_a_false_last_attempt_behind_one_that_is_unproven(self, evidence: Evidence) -> None:
        """What cannot be proved of one attempt hides nothing of the next."""

        def change(forgery: Forgery) -> None:
            body, record = forgery.settled[-1]
            (only,) = record["attempts"]
            first = only | {
                "at": format_time(parse_time(only["at"]) - SECOND_MS),
                "result": "data_gap",
                "source": ["0" * 64],
            }
            record |= {
                "attempts": [first, only | {"result": "data_gap"}],
                "deciding": None,
                "outcome": "void",
            }
            body |= {"outcome": "void", "points": None, "reason": "data_gap"}

        report = audited(evidence, change)
        failing = {item.where.pointer for item in report.findings if fails(item) and item.where}
        assert "/attempts/1/result" in failing


def test_a_record_of_another_hash(evidence: Evidence) -> None:
    """Floor section 7: the settlement is there, so another hash is wrong and not a lack."""

    def damage(files: Files) -> None:
        lines = files.lines["floor/settlements.jsonl"]
        record = json.loads(lines[-1])
        record["attempts"][0]["confirm"].append("f" * 64)
        lines[-1] = canonical_bytes(record)

    assert ("floor/ledger", "fail") in problems(evidence, lambda _: None, late=damage)


def test_a_settlement_that_is_gone(evidence: Evidence) -> None:
    """An entry whose settlement is not in the bundle is unproven, and nothing else."""

    def damage(files: Files) -> None:
        files.lines["floor/settlements.jsonl"].pop()

    found = problems(evidence, lambda _: None, late=damage)
    assert found == {("floor/ledger", "unproven")}
