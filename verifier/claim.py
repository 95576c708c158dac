"""
One claim under examination: collects what is wrong, or passes.

A check says everything that is wrong with a claim, not only the first thing.
A claim about which nothing was said passes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from verifier.findings import Finding, Verdict, Where

if TYPE_CHECKING:
    from verifier.report.model import CheckInfo

__all__ = ["Claim"]


@dataclass(slots=True)
class Claim:
    """
    What one check found out about one subject.

    Args:
        check: The check that looks.
        subject: What it looks at.
        where: The place of the claim in the bundle.
    """

    check: CheckInfo
    subject: str
    where: Where | None = None
    found: list[Finding] = field(default_factory=list)

    def say(
        self,
        verdict: Verdict,
        message: str,
        *,
        published: object = None,
        recomputed: object = None,
        pointer: str | None = None,
    ) -> None:
        """Add one finding; values are shown as text, and a pointer refines the place."""
        where = self.where
        if where is not None and pointer is not None:
            where = replace(where, pointer=pointer)
        self.found.append(
            Finding(
                check=self.check.id,
                step=self.check.step,
                subject=self.subject,
                verdict=verdict,
                message=message,
                published=_text(published),
                recomputed=_text(recomputed),
                where=where,
            )
        )

    def fail(
        self,
        message: str,
        *,
        published: object = None,
        recomputed: object = None,
        pointer: str | None = None,
    ) -> None:
        """Say that the claim is wrong."""
        self.say(Verdict.FAIL, message, published=published, recomputed=recomputed, pointer=pointer)

    def equal(
        self, what: str, published: object, recomputed: object, *, pointer: str | None = None
    ) -> None:
        """Say that a value is wrong unless both are the same."""
        if published != recomputed:
            self.fail(
                f"{what} differs",
                published="null" if published is None else published,
                recomputed="null" if recomputed is None else recomputed,
                pointer=pointer,
            )

    def unproven(self, message: str, *, published: object = None) -> None:
        """Say that the evidence needed is not there."""
        self.say(Verdict.UNPROVEN, message, published=published)

    def exempt(self, message: str, *, published: object = None, recomputed: object = None) -> None:
        """Say that the rules ask for nothing here."""
        self.say(Verdict.EXEMPT, message, published=published, recomputed=recomputed)

    def close(self, message: str) -> list[Finding]:
        """Return what was found; with nothing found, the claim passes with that message."""
        if not self.found:
            self.say(Verdict.PASS, message)
        return self.found


def _text(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else str(value)
