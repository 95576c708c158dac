"""Every check of SharpeArena fails for a lie at least, and its lies are all caught."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from sharpe_publisher import published, written
from small_bundle import write_tree

from verifier.bundle import Bundle, open_bundle, overlay
from verifier.findings import Verdict
from verifier.policy import Policy
from verifier.selftest import Mutation, Selftest, run_selftest
from verifier.selftest.sharpe import SUITE
from verifier.sharpe.checks.catalogue import CHECKS

if TYPE_CHECKING:
    from collections.abc import Iterator

SOLE: Final = {
    # Nothing else rests on these lies, so that only the check that must see them does.
    "release-unknown": "sharpe/pinned",
    "impact-zero": "sharpe/pinned",
    "reveal-other-salt": "sharpe/seeds",
    "salt-withheld": "sharpe/seeds",
    "returns-hash-wrong": "sharpe/returns",
    "returns-of-no-row": "sharpe/complete",
    "rate-one-ulp": "sharpe/figures",
    "bound-one-ulp": "sharpe/figures",
    "interval-left-out": "sharpe/figures",
    "ranks-swapped": "sharpe/order",
    "tie-mark-dropped": "sharpe/order",
    "declared-eligible": "sharpe/eligibility",
    "block-hidden": "sharpe/eligibility",
    "pair-left-out": "sharpe/pairs",
    "bold-claim": "sharpe/pairs",
    "gap-one-ulp": "sharpe/gaps",
    "gap-left-out": "sharpe/gaps",
    "costs-unstated": "sharpe/complete",
    "board-newline": "sharpe/complete",
}
ASKED_FOR: Final = {
    "ranks-swapped",
    "score-one-ulp",
    "other-resample-seed",
    "seed-dropped",
    "returns-of-another",
    "other-alpha",
    "sealed-seeds-public",
    "reveal-other-salt",
}


def of_sharpe(mutation: Mutation) -> bool:
    """Choose what aims at a check of SharpeArena."""
    return mutation.aims_at.startswith("sharpe/")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundle]:
    """Write and open the small arena once."""
    with open_bundle(write_tree(tmp_path_factory.mktemp("a") / "b", written(published()))) as found:
        yield found


@pytest.fixture(scope="module")
def result(base: Bundle) -> Selftest:
    """Try everything once."""
    return run_selftest(base, policy=Policy(), only=of_sharpe)


def test_every_mutation_is_caught(result: Selftest) -> None:
    """By the check that it aims at; the small arena has something for each of them."""
    states = {trial.mutation.name: trial.state for trial in result.trials}
    assert set(states.values()) == {"caught"}, states
    assert len(states) == len(SUITE.mutations)
    assert states.keys() >= ASKED_FOR
    assert [check.id for check in result.checks] == [check.id for check in CHECKS]
    assert not result.untried


def test_lies_are_tied_up(result: Selftest) -> None:
    """Nothing but the check that must see such a lie has anything to say."""
    reported = {trial.mutation.name: trial.outcome.reported_by for trial in result.trials}
    assert {name: reported[name] for name in SOLE} == {n: (check,) for n, check in SOLE.items()}


def test_what_is_not_there_is_not_applicable(base: Bundle) -> None:
    """Without a sealed board nothing sealed can be damaged, and nothing is missed."""
    files = published()
    seeds = files["sharpe/seeds.json"] | {"commitments": []}
    gone = {
        path: None for path in base.paths if path.split("/")[2:3] in (["sealed"], ["sealed.json"])
    }
    changes = {**gone, **written({"sharpe/seeds.json": seeds})}
    del changes["SHA256SUMS"]
    result = run_selftest(overlay(base, changes, relist=True), policy=Policy(), only=of_sharpe)
    assert result.unchanged is Verdict.PASS
    states = {trial.mutation.name: trial.state for trial in result.trials}
    assert {name for name, state in states.items() if state == "not applicable"} == {
        *("sealed-seeds-public", "reveal-other-salt", "commitment-late", "salt-withheld"),
        "commitment-missing",
    }
    assert result.count("missed") == 0
