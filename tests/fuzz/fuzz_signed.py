"""
Reports of a stranger: envelopes, statements and JSON reports, and keys in PEM.

Whatever the bytes are, the key that is trusted has signed none of them: the
corpus holds a report that it did sign, and every change to it must show.
"""

from contextlib import suppress
from pathlib import Path
from typing import Final

from verifier.core.dsse import format_envelope, parse_envelope, private_key, public_key
from verifier.errors import EvidenceError
from verifier.findings import Verdict
from verifier.policy import Policy
from verifier.signed import check_report

CORPUS: Final = Path(__file__).parent / "corpus" / "signed"
KEY: Final = ("key.pem", (CORPUS / "public.pem").read_bytes())
PAYLOADS: Final = {parse_envelope(path.read_bytes()).payload for path in CORPUS.glob("*.dsse.json")}


def one_input(data: bytes) -> None:
    """Check the bytes as a report, and read them as an envelope and as keys."""
    with suppress(EvidenceError):
        report = check_report(data, name="report", policy=Policy(), keys=[KEY])
        if report.verdict is Verdict.PASS:
            assert parse_envelope(data).payload in PAYLOADS
    with suppress(EvidenceError):
        envelope = parse_envelope(data)
        assert parse_envelope(format_envelope(envelope)) == envelope
    for read in (private_key, public_key):
        with suppress(EvidenceError):
            read(data)
