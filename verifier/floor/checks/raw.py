"""
Step 8: raw bodies are there, hash to their names, and are listed.

Source:
    floor.md section 8; floor-clarifications.md 7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.claim import Claim
from verifier.findings import Where
from verifier.floor.checks.catalogue import RAW
from verifier.floor.raw import body_path

if TYPE_CHECKING:
    from verifier.findings import Finding
    from verifier.floor.context import Context
    from verifier.floor.rows import RawLine

__all__ = ["RAW_INDEX", "check_raw", "check_unlisted"]

RAW_INDEX: Final = "raw/index.jsonl"


def check_raw(context: Context, row: RawLine) -> list[Finding]:
    """Judge one line of the index: its body is there, and is the one that it names."""
    claim = Claim(RAW, f"response {row.sha256} line {row.line}", Where(RAW_INDEX, row.line))
    path = body_path(row.sha256)
    if not context.bundle.has(path):
        claim.unproven("the body is not in the bundle", published=row.sha256)
        return claim.found
    claim.equal("the SHA-256 of the body", row.sha256, context.bundle.digest(path))
    claim.equal("the number of bytes", row.size, context.bundle.size(path), pointer="/bytes")
    return claim.close("the body hashes to its name")


def check_unlisted(context: Context) -> list[Finding]:
    """Fail every file in ``raw/`` that no line of the index names."""
    listed = {body_path(sha256) for sha256 in context.raw}
    found = []
    for path in context.bundle.paths:
        if path.startswith("raw/") and path != RAW_INDEX and path not in listed:
            claim = Claim(RAW, path, Where(path))
            claim.fail("no line of the index names the body")
            found += claim.found
    return found
