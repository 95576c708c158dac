"""
A proof file of either shape: refused, or judged in three steps with a report.

What is judged comes with chain records of a stranger, so this target reaches
transactions, receipts and blocks too.
"""

from typing import Final

from verifier.errors import EvidenceError
from verifier.findings import Verdict
from verifier.policy import ArcanaPolicy, Policy
from verifier.proof import PROOF_CHECKS, check_proof
from verifier.report import RENDERERS

# The sender of the proofs in the corpus, so that a sound one passes all three steps.
POLICY: Final = Policy(arcana=ArcanaPolicy(senders=("0x3ef7678422a3c9aa932aec6b4cb03541b709fb3f",)))


def one_input(data: bytes) -> None:
    """Check a proof, and show what came of it."""
    try:
        report = check_proof(data, name="proof.json", policy=POLICY, keep="all")
    except EvidenceError as error:
        refused(error)
        return
    judged = {finding.check for finding in report.findings}
    assert judged == {check.id for check in PROOF_CHECKS}
    assert report.verdict is not Verdict.PASS or report.count(Verdict.PASS) == len(PROOF_CHECKS)
    for render in RENDERERS.values():
        render(report)


def refused(error: EvidenceError) -> None:
    """Demand an error that names the file."""
    assert str(error).startswith("proof.json")
