"""
The report: every claim counted, and the findings worth showing.

A report is a function of bundle, policy and release, and of nothing else: no
clock, no machine, no order of arrival. :class:`ReportBuilder` counts findings
as they come and keeps those asked for; :class:`Report` is what the renderers
turn into bytes.

**Verdict.** ``fail`` if any finding fails, else ``unproven`` if any is
unproven, else ``pass``. A report without a single passing finding is never
``pass``: what checked nothing has proved nothing.

**Order.** Findings are sorted by the position of their check in the declared
sequence, then by subject, message, verdict, place (file, line, pointer),
published and recomputed value; what is absent comes first, and texts are
compared by code point. The order is total up to findings that are equal in
every member, so it is the same for any number of jobs.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.findings import Finding

__all__ = ["CheckCount", "CheckInfo", "Keep", "Report", "ReportBuilder", "exit_code"]

Keep = Literal["problems", "all"]

RECOMPUTED: Final = "every number recomputed and equal"
COVERAGE: Final = ("inputs", "sealed", "anchored")

_EXIT_CODES: Final = {Verdict.PASS: 0, Verdict.FAIL: 1, Verdict.UNPROVEN: 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckInfo:
    """
    A check as its family declares it.

    Args:
        id: ``family/name``, stable once released.
        step: Step of the family's published procedure; 0 for the layout.
        title: The rule in a few words.
    """

    id: str
    step: int
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCount:
    """How many claims one check judged, by verdict."""

    id: str
    step: int
    title: str
    pass_: int
    fail: int
    unproven: int
    exempt: int

    def count(self, verdict: Verdict) -> int:
        """Count the claims that came out as *verdict*."""
        match verdict:
            case Verdict.PASS:
                return self.pass_
            case Verdict.FAIL:
                return self.fail
            case Verdict.UNPROVEN:
                return self.unproven
            case Verdict.EXEMPT:
                return self.exempt


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """
    What an audit found.

    Args:
        tool_version: Version of the release that judged.
        as_of: The only clock of the audit, RFC 3339 with ``Z``.
        bundle_sha256: Digest of the bundle, where one was read.
        policy_sha256: Digest of the policy in force.
        title: What the bundle says it is about; text of its publisher.
        checks: Every declared check in order, also one that judged nothing.
        coverage: Counts of evidence: ``inputs``, ``sealed`` and ``anchored`` always.
        keep: Whether *findings* leaves out those that pass.
        findings: In the order that the module states.
        notes: Sentences that end a report, such as what it does not establish.
        meaning: What a pass of these checks means, in a few words.
    """

    tool_version: str
    as_of: str | None
    bundle_sha256: str | None
    policy_sha256: str
    title: str | None
    checks: tuple[CheckCount, ...]
    coverage: Mapping[str, int]
    keep: Keep
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    meaning: str = RECOMPUTED

    def count(self, verdict: Verdict) -> int:
        """Count the claims of all checks that came out as *verdict*."""
        return sum(check.count(verdict) for check in self.checks)

    @property
    def verdict(self) -> Verdict:
        """PASS, FAIL or UNPROVEN, by the rule that the module states."""
        if self.count(Verdict.FAIL):
            return Verdict.FAIL
        if self.count(Verdict.UNPROVEN) or not self.count(Verdict.PASS):
            return Verdict.UNPROVEN
        return Verdict.PASS


def exit_code(report: Report) -> int:
    """Give the exit code of a report's verdict: 0 pass, 1 fail, 3 unproven."""
    return _EXIT_CODES[report.verdict]


class ReportBuilder:
    """
    Counts findings as they arrive, in any order.

    Args:
        checks: All checks that may report, in the order to show them.
        keep: ``problems`` keeps what is not a pass, ``all`` keeps everything.

    Raises:
        ValueError: Two checks have the same id.
    """

    def __init__(self, checks: Sequence[CheckInfo], *, keep: Keep = "problems") -> None:
        self._checks = tuple(checks)
        self._keep: Keep = keep
        self._position = {check.id: index for index, check in enumerate(self._checks)}
        if len(self._position) != len(self._checks):
            raise ValueError("two checks have the same id")
        self._counts = [dict.fromkeys(Verdict, 0) for _ in self._checks]
        self._findings: list[Finding] = []

    def add(self, finding: Finding) -> None:
        """
        Count a finding, and keep it if it is worth showing.

        Raises:
            ValueError: No declared check has this id and step.
        """
        position = self._position.get(finding.check)
        if position is None or self._checks[position].step != finding.step:
            raise ValueError(f"no check {finding.check!r} of step {finding.step} is declared")
        self._counts[position][finding.verdict] += 1
        if self._keep == "all" or finding.verdict is not Verdict.PASS:
            self._findings.append(finding)

    def count_passed(self, check: str, claims: int) -> None:
        """
        Count claims that passed without listing them.

        Raises:
            ValueError: No declared check has this id.
        """
        position = self._position.get(check)
        if position is None:
            raise ValueError(f"no check {check!r} is declared")
        self._counts[position][Verdict.PASS] += claims

    def declare(self, check: CheckInfo) -> None:
        """Add a check after all others, unless it is declared already."""
        if check.id not in self._position:
            self._position[check.id] = len(self._checks)
            self._checks += (check,)
            self._counts.append(dict.fromkeys(Verdict, 0))

    def build(  # noqa: PLR0913  the facts of a report, each named by its caller
        self,
        *,
        tool_version: str,
        policy_sha256: str,
        bundle_sha256: str | None = None,
        as_of: str | None = None,
        title: str | None = None,
        coverage: Mapping[str, int] | None = None,
        notes: Sequence[str] = (),
        meaning: str = RECOMPUTED,
    ) -> Report:
        """Put the counts and the sorted findings together; see :class:`Report`."""
        return Report(
            tool_version=tool_version,
            as_of=as_of,
            bundle_sha256=bundle_sha256,
            policy_sha256=policy_sha256,
            title=title,
            checks=tuple(
                CheckCount(
                    id=check.id,
                    step=check.step,
                    title=check.title,
                    pass_=counts[Verdict.PASS],
                    fail=counts[Verdict.FAIL],
                    unproven=counts[Verdict.UNPROVEN],
                    exempt=counts[Verdict.EXEMPT],
                )
                for check, counts in zip(self._checks, self._counts, strict=True)
            ),
            coverage=MappingProxyType({**dict.fromkeys(COVERAGE, 0), **(coverage or {})}),
            keep=self._keep,
            findings=tuple(sorted(self._findings, key=self._order)),
            notes=tuple(notes),
            meaning=meaning,
        )

    def _order(self, finding: Finding) -> tuple[object, ...]:
        where = finding.where
        return (
            self._position[finding.check],
            finding.subject,
            finding.message,
            finding.verdict,
            () if where is None else (where.file, *map(_absent_first, (where.line, where.pointer))),
            _absent_first(finding.published),
            _absent_first(finding.recomputed),
        )


def _absent_first(value: str | int | None) -> tuple[str | int, ...]:
    return () if value is None else (value,)
