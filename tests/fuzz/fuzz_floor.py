"""
A line of any of the Floor's files: refused with a place, or read into a value that holds.

Lines of the ledger, calls and settlements are read in two ways, fast and strict, which
must agree; terms can be put into words; texts by agents are judged without a crash;
and an envelope names a signer or is refused.
"""

from formulas.floor.primitives import format_time
from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import JsonValue, read_json
from verifier.errors import EvidenceError, FormatError
from verifier.ethereum.personal_sign import recover_personal_sign
from verifier.floor import rows
from verifier.floor.ledger import Entry, _read_slowly, read_entries
from verifier.floor.plain import plain_call, plain_settlement
from verifier.floor.rulesets import KNOWN, known_rules
from verifier.floor.seasons import read_season
from verifier.floor.text import text_problem
from verifier.floor.words import describe
from verifier.report.visible import visible


def one_input(data: bytes) -> None:
    """Read a line as a row of every file."""
    judge_plain(data)
    try:
        value = read_json(data)
    except EvidenceError:
        return
    judge_call(value)
    judge_envelope(value, data)
    for read in (rows.read_settlement, rows.read_root, rows.read_raw_line):
        try:
            read(1, value, data)
        except EvidenceError as error:
            refused(error)
    try:
        read_season("floor/seasons/x.json", value)
    except EvidenceError as error:
        refused(error)
    judge_entry(data)


def judge_plain(data: bytes) -> None:
    """Read calls and settlements by pattern: such a line is canonical, and read alike strictly."""
    for plain, strict in (
        (plain_call, rows.read_call),
        (plain_settlement, rows.read_settlement),
    ):
        row = plain(1, data)
        if row is not None:
            value = read_json(data)
            assert row == strict(1, value, data)
            assert canonical_bytes(value) == data


def judge_call(value: JsonValue) -> None:
    """Read a call, and say what it says."""
    try:
        call = rows.read_call(1, value, b"")
    except EvidenceError as error:
        refused(error)
        return
    assert visible(describe(call.terms))
    assert format_time(call.posted_at)
    for name in KNOWN:
        text_problem(call.claim, known_rules(name).text)


def judge_envelope(value: JsonValue, data: bytes) -> None:
    """Read an envelope, and recover whoever signed it."""
    try:
        envelope = rows.read_envelope(1, value, data)
        signature = bytes.fromhex(envelope.signature.removeprefix("0x"))
    except EvidenceError as error:
        refused(error)
        return
    except ValueError:
        return
    try:
        signer = recover_personal_sign(envelope.message.encode(), signature)
    except FormatError:
        return
    assert len(signer) == 42


def judge_entry(data: bytes) -> None:
    """Read an entry twice: what the fast way accepts, the strict way reads alike."""
    try:
        strict: Entry | None = _read_slowly(1, data)
    except EvidenceError as error:
        refused(error)
        strict = None
    try:
        entry: Entry | None = next(read_entries([(1, data)]))
    except EvidenceError as error:
        refused(error)
        entry = None
    assert entry == strict
    assert entry is None or not entry.canonical or canonical_bytes(read_json(data)) == data


def refused(error: EvidenceError) -> None:
    """Demand a reason."""
    assert error.reason
