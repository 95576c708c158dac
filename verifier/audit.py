"""
The audit: everything in a bundle, checked under the caller's policy.

A report is a function of bundle, policy and release. Nothing here touches a
clock or the environment, nor the network unless the bundle is given by a URL.
"""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from os import sep
from os.path import realpath
from typing import TYPE_CHECKING, Any, Final

from verifier.bundle import open_bundle
from verifier.bundle.location import local_path
from verifier.claim import Claim
from verifier.engine import engine_for
from verifier.errors import UsageError
from verifier.families import FAMILIES
from verifier.family import Outcome, Unchecked
from verifier.findings import Verdict, Where
from verifier.policy import Policy
from verifier.report.model import CheckInfo, Report, ReportBuilder
from verifier.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from verifier.bundle import Bundle
    from verifier.family import Engine, Family, Item
    from verifier.findings import Finding
    from verifier.journal import Journal
    from verifier.report.model import Keep

__all__ = ["BUNDLE_LAYOUT", "UNCHECKED", "all_checks", "audit", "audit_bundle"]

BUNDLE_LAYOUT: Final = CheckInfo(
    id="bundle/layout", step=0, title="every file is listed and hashes to its listing"
)
UNCHECKED: Final = CheckInfo(id="bundle/unchecked", step=0, title="every item could be checked")
"""Declared by a report only where there was such an item, which every other report denies."""


def all_checks() -> tuple[CheckInfo, ...]:
    """List every check of this release, in the order of reports."""
    return (BUNDLE_LAYOUT, *(check for family in FAMILIES.values() for check in family().checks))


def audit(  # noqa: PLR0913  each is one thing that the caller chooses, named by it
    path: str | Path,
    *,
    policy: Policy | None = None,
    jobs: int = 1,
    keep: Keep = "problems",
    progress: Callable[[str, int, int], None] | None = None,
    engine: Engine | None = None,
    resume: Path | None = None,
) -> Report:
    """
    Verify everything in an evidence bundle.

    Args:
        path: Directory, ``.zip``, ``.tar`` or ``.tar.gz``; as a text also the URL of one,
            which asks the store that it names and nobody else.
        policy: What the caller trusts; the built-in policy when None.
        jobs: Processes to use, where no engine is given.
        keep: Which findings the report holds.
        progress: Called with what is being done, how much is done, and of how much.
        engine: Who computes; the bytes of the report do not depend on it.
        resume: Journal to go on from and to write; see :mod:`verifier.journal`.

    Raises:
        EvidenceError: The bundle cannot be read, so there is no verdict.
        UsageError: The engine or the journal cannot be used, or the journal is inside the
            bundle.
    """
    policy = policy or Policy()
    if resume is not None:
        _check_outside(resume, path)
    hashing = None
    if progress is not None:
        tell = progress
        hashing = lambda done, total: tell("hashing", done, total)  # noqa: E731
    with open_bundle(path, limits=policy.limits, progress=hashing) as bundle:
        return audit_bundle(
            bundle,
            policy=policy,
            jobs=jobs,
            keep=keep,
            progress=progress,
            engine=engine,
            resume=resume,
        )


def _check_outside(resume: Path, path: str | Path) -> None:
    """Refuse a journal that would change the bundle, or stand where the bundle does."""
    there = local_path(path)
    if there is None:
        return
    bundle, journal = realpath(there), realpath(resume)
    if journal == bundle or journal.startswith(bundle.rstrip(sep) + sep):
        raise UsageError(f"{resume}: a journal inside the bundle would change it")


def audit_bundle(  # noqa: PLR0913  as above
    bundle: Bundle,
    *,
    policy: Policy,
    jobs: int = 1,
    keep: Keep = "problems",
    progress: Callable[[str, int, int], None] | None = None,
    engine: Engine | None = None,
    resume: Path | None = None,
) -> Report:
    """Verify an opened bundle; see :func:`audit`."""
    engine = engine or engine_for(None, jobs=jobs)
    families = _families(bundle)
    checks = (BUNDLE_LAYOUT, *(check for family in families for check in family.checks))
    builder = ReportBuilder(checks, keep=keep)
    for finding in _layout(bundle):
        builder.add(finding)
    loaded: dict[str, tuple[Family, Any]] = {}
    for family in families:
        if progress is not None:
            progress(f"reading {family.name}", 0, 0)
        context = (
            family.load(bundle, policy)
            if family.load_with is None
            else family.load_with(bundle, policy, engine)
        )
        loaded[family.name] = (family, context)
    tasks = [
        (name, item) for name, (family, context) in loaded.items() for item in family.items(context)
    ]
    coverage: Counter[str] = Counter()
    judged = False
    journal = (
        nullcontext()
        if resume is None
        else _journal(resume, bundle, policy, tasks, keep=keep, checks=checks)
    )
    with journal as book:
        outcomes = _outcomes(engine, (loaded, keep), tasks, book)
        for done, (task, outcome) in enumerate(outcomes, start=1):
            coverage.update(_count(builder, task, outcome))
            judged = judged or _judges(outcome)
            if progress is not None:
                progress("checking", min(done, len(tasks)), len(tasks))
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


_Task = tuple[str, "Item"]
_Shared = tuple["Mapping[str, tuple[Family, Any]]", "Keep"]


def _check(shared: _Shared, task: _Task) -> Outcome:
    """Check one item; of claims that pass, only their number is worth sending back."""
    (loaded, keep), (name, item) = shared, task
    family, context = loaded[name]
    outcome = family.check(context, item)
    kept, passed = [], Counter[str]()
    for finding in outcome.findings:
        if keep == "problems" and finding.verdict is Verdict.PASS:
            passed[finding.check] += 1
        else:
            kept.append(finding)
    return Outcome(kept, outcome.coverage, dict(passed))


def _outcomes(
    engine: Engine, shared: _Shared, tasks: Sequence[_Task], journal: Journal | None
) -> Iterator[tuple[_Task, Outcome | Unchecked]]:
    """
    Yield all tasks with their outcomes: those of the journal, and the others checked.

    Of an item that cannot be checked the subjects follow at the end, one by one:
    what breaks a check must not hide what is wrong beside it.
    """
    known: dict[int, Outcome] = {} if journal is None else journal.known
    fresh = engine.map(
        _check, shared, [task for place, task in enumerate(tasks) if place not in known]
    )
    alone: list[_Task] = []
    for place, task in enumerate(tasks):
        if place in known:
            yield task, known.pop(place)
            continue
        outcome = next(fresh)
        name, (kind, start, stop) = task
        if isinstance(outcome, Unchecked) and stop - start > 1:
            alone += ((name, (kind, at, at + 1)) for at in range(start, stop))
            continue
        if journal is not None and isinstance(outcome, Outcome):
            journal.add(place, outcome)
        yield task, outcome
    yield from zip(alone, engine.map(_check, shared, alone), strict=True)


def _journal(  # noqa: PLR0913  all that an outcome depends on
    path: Path,
    bundle: Bundle,
    policy: Policy,
    tasks: Sequence[_Task],
    *,
    keep: Keep,
    checks: Sequence[CheckInfo],
) -> Journal:
    from verifier.engine.release import release_digest  # noqa: PLC0415 - not without a journal
    from verifier.journal import Journal, identity_of  # noqa: PLC0415 - as above

    return Journal(
        path,
        identity_of(
            {
                "bundle": bundle.sha256,
                "keep": keep,
                "policy": policy.sha256,
                "problems": [str(problem) for problem in bundle.problems],
                "release": release_digest(),
                "tasks": [[name, kind, start, stop] for name, (kind, start, stop) in tasks],
            }
        ),
        {check.id: check.step for check in checks},
    )


def _count(builder: ReportBuilder, task: _Task, outcome: Outcome | Unchecked) -> Mapping[str, int]:
    """Count what an item gave; return its part of the coverage."""
    if isinstance(outcome, Unchecked):
        name, (kind, start, _) = task
        claim = Claim(UNCHECKED, f"{name} {kind} {start}")
        claim.unproven(f"the item is not checked: {outcome.reason}")
        builder.declare(UNCHECKED)
        builder.add(claim.found[0])
        return {}
    for finding in outcome.findings:
        builder.add(finding)
    for check, claims in outcome.passed.items():
        builder.count_passed(check, claims)
    return outcome.coverage


def _judges(outcome: Outcome | Unchecked) -> bool:
    """Tell whether there was something to judge, and not exemptions alone."""
    if isinstance(outcome, Unchecked) or outcome.passed:
        return True
    return any(finding.verdict is not Verdict.EXEMPT for finding in outcome.findings)


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
