"""
The audit: everything in a bundle, checked under the caller's policy.

A report is a function of bundle, policy and release. Nothing here touches the
network, a clock or the environment.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from verifier.bundle import open_bundle
from verifier.claim import Claim
from verifier.engine import run_tasks
from verifier.families import FAMILIES
from verifier.findings import Verdict, Where
from verifier.policy import Policy
from verifier.report.model import CheckInfo, Report, ReportBuilder
from verifier.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Any

    from verifier.bundle import Bundle
    from verifier.family import Family
    from verifier.findings import Finding
    from verifier.report.model import Keep

__all__ = ["BUNDLE_LAYOUT", "all_checks", "audit", "audit_bundle"]

BUNDLE_LAYOUT: Final = CheckInfo(
    id="bundle/layout", step=0, title="every file is listed and hashes to its listing"
)


def all_checks() -> tuple[CheckInfo, ...]:
    """List every check of this release, in the order of reports."""
    return (BUNDLE_LAYOUT, *(check for family in FAMILIES.values() for check in family().checks))


def audit(
    path: str | Path,
    *,
    policy: Policy | None = None,
    jobs: int = 1,
    keep: Keep = "problems",
    progress: Callable[[str, int, int], None] | None = None,
) -> Report:
    """
    Verify everything in an evidence bundle.

    Args:
        path: Directory, ``.zip``, ``.tar`` or ``.tar.gz``.
        policy: What the caller trusts; the built-in policy when None.
        jobs: Processes to use.
        keep: Which findings the report holds.
        progress: Called with what is being done, how much is done, and of how much.

    Raises:
        EvidenceError: The bundle cannot be read, so there is no verdict.
    """
    policy = policy or Policy()
    hashing = None
    if progress is not None:
        tell = progress
        hashing = lambda done, total: tell("hashing", done, total)  # noqa: E731
    with open_bundle(path, limits=policy.limits, progress=hashing) as bundle:
        return audit_bundle(bundle, policy=policy, jobs=jobs, keep=keep, progress=progress)


def audit_bundle(
    bundle: Bundle,
    *,
    policy: Policy,
    jobs: int = 1,
    keep: Keep = "problems",
    progress: Callable[[str, int, int], None] | None = None,
) -> Report:
    """Verify an opened bundle; see :func:`audit`."""
    families = _families(bundle)
    builder = ReportBuilder(
        (BUNDLE_LAYOUT, *(check for family in families for check in family.checks)), keep=keep
    )
    for finding in _layout(bundle):
        builder.add(finding)
    loaded: dict[str, tuple[Family, Any]] = {}
    for family in families:
        if progress is not None:
            progress(f"reading {family.name}", 0, 0)
        loaded[family.name] = (family, family.load(bundle, policy))
    tasks = [
        (name, item) for name, (family, context) in loaded.items() for item in family.items(context)
    ]
    coverage: Counter[str] = Counter()
    judged = False
    for done, outcome in enumerate(run_tasks(loaded, tasks, jobs=jobs), start=1):
        for finding in outcome.findings:
            builder.add(finding)
            judged = judged or finding.verdict is not Verdict.EXEMPT
        coverage.update(outcome.coverage)
        if progress is not None:
            progress("checking", done, len(tasks))
    for finding in () if judged else _no_evidence():
        builder.add(finding)
    notes = [note for family, context in loaded.values() for note in family.notes(context)]
    unread = [path for path in bundle.paths if not _known(path, families)]
    if unread:
        notes.append(
            "Not read, since they belong to no known part of the format: "
            f"{len(unread)} of the bundle's files, {unread[0]} the first."
        )
    if policy.as_of is None:
        notes.insert(
            0, "The policy names no time, so the bundle's own as_of is the clock of this audit."
        )
    return builder.build(
        tool_version=VERSION,
        policy_sha256=policy.sha256,
        bundle_sha256=bundle.sha256,
        as_of=policy.as_of or bundle.index.as_of,
        title=bundle.index.title,
        coverage=coverage,
        notes=notes,
    )


def _known(path: str, families: list[Family]) -> bool:
    return path == "bundle.json" or any(family.knows(path) for family in families)


def _families(bundle: Bundle) -> list[Family]:
    """Choose the families that are there, listed in the index or not."""
    folders = {path.partition("/")[0] for path in bundle.paths}
    return [
        family()
        for name, family in FAMILIES.items()
        if name in folders or name in bundle.index.families
    ]


def _layout(bundle: Bundle) -> Iterator[Finding]:
    """Step 0: the hash list holds, and lists every file and nothing else."""
    for problem in bundle.problems:
        # A line is one of the hash list, which is what makes the false claim.
        place = Where(problem.path) if problem.line is None else Where("SHA256SUMS", problem.line)
        claim = Claim(BUNDLE_LAYOUT, problem.path, place)
        claim.fail(
            problem.reason,
            published=problem.published or None,
            recomputed=problem.recomputed or None,
        )
        yield from claim.found
    for family in bundle.index.families:
        if family not in FAMILIES:
            claim = Claim(BUNDLE_LAYOUT, family, Where("bundle.json", pointer="/families"))
            claim.unproven("this release has no checks for the family", published=family)
            yield from claim.found
    if not bundle.problems:
        whole = Claim(BUNDLE_LAYOUT, "bundle", Where("SHA256SUMS"))
        yield from whole.close(f"{len(bundle.paths)} files, all listed, all as listed")


def _no_evidence() -> list[Finding]:
    """Say that nothing was judged: a list that holds is never a pass by itself."""
    claim = Claim(BUNDLE_LAYOUT, "evidence", Where("bundle.json", pointer="/families"))
    claim.unproven("nothing in the bundle is evidence that this release can check")
    return claim.found
