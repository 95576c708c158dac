"""Every check of the Floor fails for a lie at least, and its lies are all caught."""

from __future__ import annotations

from typing import Final

import pytest
from shared import FIXTURES

from verifier.bundle import Bundle, open_bundle
from verifier.findings import Verdict
from verifier.floor.checks.catalogue import CHECKS
from verifier.policy import Policy, load_policy
from verifier.selftest import Mutation, Selftest, run_selftest
from verifier.selftest.floor import SUITE
from verifier.selftest.render import render_json

DEMO: Final = FIXTURES / "floor-demo"
SOLE: Final = {
    # Tied up so well that the check which must see the lie is the only one that does.
    "calls-exchanged": "floor/layout",
    "rules-edited": "floor/rules",
    "seal-changed": "floor/seal",
    "no-history": "floor/baseline",
    "outcome-flipped": "floor/settlement",
    "source-value": "floor/confirmation",
    "points-last-digit": "floor/points",
    "standing-last-digit": "floor/standing",
    "reason-invented": "floor/ledger",
    "root-changed": "floor/roots",
    "final-early": "floor/finality",
    "entry-removed": "floor/closure",
    "row-dropped": "floor/season",
    "body-unlisted": "floor/raw",
    "label-removed": "floor/admission",
    "claim-edited": "floor/envelope",
    "candle-revised": "floor/venue-agreement",
}


def of_floor(mutation: Mutation) -> bool:
    """Choose what aims at a check of the Floor."""
    return mutation.aims_at.startswith("floor/")


@pytest.fixture(scope="module")
def result() -> Selftest:
    """Try everything once, in two processes."""
    with open_bundle(DEMO) as bundle:
        policy = load_policy(FIXTURES / "policy.toml")
        return run_selftest(bundle, policy=policy, jobs=2, only=of_floor)


def test_every_mutation_is_caught(result: Selftest) -> None:
    """By the check that it aims at; nothing is left that the demo cannot show."""
    states = {trial.mutation.name: trial.state for trial in result.trials}
    assert set(states.values()) == {"caught"}, states
    assert len(states) == len(SUITE.mutations) >= 50
    assert not result.untried
    assert [check.id for check in result.checks] == [check.id for check in CHECKS]


def test_a_lie_that_is_tied_up_is_seen_by_one_check(result: Selftest) -> None:
    """No other check is disturbed by what the forger had the means to redo."""
    caught_by = {trial.mutation.name: trial.outcome.reported_by for trial in result.trials}
    assert {name: caught_by[name] for name in SOLE} == {
        name: (check,) for name, check in SOLE.items()
    }


def some(bundle: Bundle, names: set[str], jobs: int) -> Selftest:
    """Try the mutations of these names."""
    return run_selftest(
        bundle, policy=Policy(), jobs=jobs, only=lambda mutation: mutation.name in names
    )


def test_jobs_cannot_be_seen() -> None:
    """One process and two give the same bytes, and the bundle is left alone."""
    names = {"points-last-digit", "high-s", "body-gone"}
    with open_bundle(DEMO) as bundle:
        one, two = (some(bundle, names, jobs) for jobs in (1, 2))
        assert render_json(one) == render_json(two)
        assert one.unchanged is Verdict.PASS
        assert len(one.trials) == len(names)
