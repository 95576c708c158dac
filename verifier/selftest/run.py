"""
Running the mutations: each is laid over the bundle in memory, and audited.

A mutation is caught when the verdict turns away from pass and the check that
it aims at reports something that it did not report of the unchanged bundle.
An error instead of a verdict is not a catch: the mutations damage claims, and
all of them leave the bundle readable.
"""

from __future__ import annotations

import multiprocessing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from verifier.audit import audit_bundle
from verifier.bundle import overlay, reopen
from verifier.errors import EvidenceError
from verifier.findings import Verdict
from verifier.selftest.mutations import SUITES
from verifier.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from verifier.bundle import Bundle, ReopenToken
    from verifier.policy import Policy
    from verifier.report.model import CheckCount, Report
    from verifier.selftest.mutations import Mutation

__all__ = ["Selftest", "State", "Trial", "run_selftest"]

State = Literal["caught", "missed", "not applicable"]
_Problem = tuple[str, str, Verdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """
    What an audit said of one mutation.

    Args:
        verdict: Of the whole bundle; None when there was nothing to damage, or
            no verdict.
        reported_by: Checks that report what they did not before, in order.
        error: Why there was no verdict.
    """

    verdict: Verdict | None = None
    reported_by: tuple[str, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One mutation and what came of it."""

    mutation: Mutation
    outcome: Outcome

    @property
    def state(self) -> State:
        """Whether the check that was aimed at caught it."""
        outcome = self.outcome
        if outcome.verdict is None and outcome.error is None:
            return "not applicable"
        caught = outcome.verdict not in {None, Verdict.PASS}
        return "caught" if caught and self.mutation.aims_at in outcome.reported_by else "missed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selftest:
    """
    What a selftest showed.

    Args:
        tool_version: Version of the release that was tested.
        bundle_sha256: Seal of the unchanged bundle.
        policy_sha256: Digest of the policy.
        title: What the bundle says it is about; text of its publisher.
        unchanged: Verdict of the unchanged bundle. Unless it is pass, nothing
            was tried: a mutation could not turn the verdict.
        checks: The checks that were to be shown to fail, in order.
        trials: One for each mutation, in the order of the suites.
    """

    tool_version: str
    bundle_sha256: str
    policy_sha256: str
    title: str
    unchanged: Verdict
    checks: tuple[CheckCount, ...]
    trials: tuple[Trial, ...]

    def count(self, state: State) -> int:
        """Count the mutations that came out so."""
        return sum(trial.state == state for trial in self.trials)

    def aimed_at(self, check_id: str) -> list[Trial]:
        """List the mutations that aim at a check."""
        return [trial for trial in self.trials if trial.mutation.aims_at == check_id]

    @property
    def untried(self) -> tuple[str, ...]:
        """Checks for which this bundle had nothing to damage."""
        return tuple(
            check.id
            for check in self.checks
            if all(trial.state == "not applicable" for trial in self.aimed_at(check.id))
        )

    @property
    def exit_code(self) -> int:
        """0 all caught; 1 one was missed; 3 the bundle does not show it of every check."""
        if self.count("missed"):
            return 1
        return 3 if self.unchanged is not Verdict.PASS or self.untried else 0


def run_selftest(
    bundle: Bundle,
    *,
    policy: Policy,
    jobs: int = 1,
    only: Callable[[Mutation], bool] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Selftest:
    """
    Damage one thing of every kind in a copy of a bundle, and audit each copy.

    Args:
        bundle: The evidence; nothing is written to it.
        policy: What the caller trusts.
        jobs: Processes to use; their number cannot be seen in the result.
        only: Chooses the mutations to try; the checks that none of them aims at
            are left out of the result.
        progress: Called with what is being done, how much is done, and of how much.

    Raises:
        EvidenceError: The unchanged bundle cannot be read.
    """
    unchanged = audit_bundle(bundle, policy=policy)
    suites = _suites_of(unchanged)
    chosen = [item for item in _all_mutations(suites) if only is None or only(item[2])]
    trials: list[Trial] = []
    if unchanged.verdict is Verdict.PASS:
        outcomes = _try_all(bundle, policy, suites, chosen, jobs)
        for (_, _, mutation), outcome in zip(chosen, outcomes, strict=True):
            trials.append(Trial(mutation=mutation, outcome=outcome))
            if progress is not None:
                progress("damaging and auditing", len(trials), len(chosen))
    aims = {mutation.aims_at for _, _, mutation in chosen}
    return Selftest(
        tool_version=VERSION,
        bundle_sha256=bundle.sha256,
        policy_sha256=policy.sha256,
        title=bundle.index.title,
        unchanged=unchanged.verdict,
        checks=tuple(check for check in unchanged.checks if only is None or check.id in aims),
        trials=tuple(trials),
    )


def _suites_of(report: Report) -> tuple[str, ...]:
    """Name the suites of the checks that an audit ran."""
    families = dict.fromkeys(check.id.partition("/")[0] for check in report.checks)
    return tuple(name for name in families if name in SUITES)


_Chosen = tuple[str, int, "Mutation"]


def _all_mutations(suites: Sequence[str]) -> Iterator[_Chosen]:
    for name in suites:
        for index, mutation in enumerate(SUITES[name]().mutations):
            yield name, index, mutation


def _try_all(
    bundle: Bundle, policy: Policy, suites: Sequence[str], chosen: Sequence[_Chosen], jobs: int
) -> Iterator[Outcome]:
    if jobs <= 1 or len(chosen) <= 1:
        bench = _Bench(bundle, policy, suites)
        for name, index, _ in chosen:
            yield bench.attempt(name, index)
        return
    places = [(name, index) for name, index, _ in chosen]
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    initial = (bundle.reopen_token, policy, suites)
    with multiprocessing.get_context(method).Pool(jobs, _start, initial) as pool:
        yield from pool.imap(_attempt, places)


class _Bench:
    """One process's bundle, with what the suites read of it."""

    def __init__(self, bundle: Bundle, policy: Policy, suites: Sequence[str]) -> None:
        self._bundle = bundle
        self._policy = policy
        self._suites = {name: SUITES[name]() for name in suites}
        self._loaded = {name: suite.load(bundle, policy) for name, suite in self._suites.items()}
        self._before: dict[str, frozenset[_Problem]] = {}

    def attempt(self, suite: str, index: int) -> Outcome:
        mutation = self._suites[suite].mutations[index]
        changes = mutation.apply(self._loaded[suite])
        if changes is None:
            return Outcome()
        policy = self._policy
        before: frozenset[_Problem] = frozenset()
        if mutation.rule is not None:
            policy = mutation.rule.tighten(policy)
            before = self._before.get(mutation.rule.text, before)
            if mutation.rule.text not in self._before:
                before = _problems(audit_bundle(self._bundle, policy=policy))
                self._before[mutation.rule.text] = before
        try:
            damaged = overlay(self._bundle, changes, relist=mutation.relist)
            report = audit_bundle(damaged, policy=policy)
        except EvidenceError as error:
            return Outcome(error=str(error))
        reporting = {check for check, _, _ in _problems(report) - before}
        return Outcome(
            verdict=report.verdict,
            reported_by=tuple(check.id for check in report.checks if check.id in reporting),
        )


def _problems(report: Report) -> frozenset[_Problem]:
    return frozenset(
        (finding.check, finding.subject, finding.verdict)
        for finding in report.findings
        if finding.verdict in {Verdict.FAIL, Verdict.UNPROVEN}
    )


_benches: list[Any] = []


def _start(token: ReopenToken, policy: Policy, suites: Sequence[str]) -> None:
    _benches.append(_Bench(reopen(token), policy, suites))


def _attempt(place: tuple[str, int]) -> Outcome:
    outcome: Outcome = _benches[0].attempt(*place)
    return outcome
