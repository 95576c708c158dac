"""Comparing returns with those of an environment; the real one is in ``tests/arena``."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
from sharpe_publisher import DAYS, published, written
from small_bundle import write_tree

from verifier.bundle import Bundle, open_bundle
from verifier.errors import UsageError
from verifier.findings import Verdict
from verifier.policy import Policy
from verifier.sharpe.regenerate import Arena, installed_arena, regenerate
from verifier.sharpe.single import audit_board

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.findings import Finding
    from verifier.sharpe.board import Board
    from verifier.sharpe.checks.returns import RowReturns
    from verifier.sharpe.context import BoardFile

POLICIES: Final = ("flat", "equal_weight_long", "momentum", "max_sharpe")


class World:
    """An environment that pays what the policy, here a list of rewards by seed, asks for."""

    def __init__(self, **options: Any) -> None:
        self.seed = options["seed"]
        self.days = options["n_days"]
        self.bar = 0

    def reset(self) -> tuple[int, dict[str, Any]]:
        """Begin with the seed as the only thing to see."""
        return self.seed, {}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Pay what the policy knows was paid."""
        reward = action[self.seed][self.bar]
        self.bar += 1
        return self.seed, reward, False, self.bar == self.days, {}


def rewards(board: str, policy: str) -> dict[int, list[float]]:
    """Published returns of a policy by seed."""
    found = published()[f"sharpe/returns/{board}/{policy}.json"]
    return {
        int(s): list(series) for s, series in zip(found["seeds"], found["returns"], strict=True)
    }


def arena(board: str = "new", **changes: Any) -> Arena:
    """A package that knows all policies but the publisher's own."""
    known = {name: rewards(board, name) for name in POLICIES}
    policies = {name: (lambda paid=paid: lambda _: paid) for name, paid in known.items()}
    return replace(Arena("0.31.0", World, policies), **changes)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundle]:
    """Write and open the small arena once."""
    with open_bundle(write_tree(tmp_path_factory.mktemp("a") / "b", written(published()))) as found:
        yield found


def found_by(base: Bundle, package: Arena, name: str = "new", **changes: Any) -> list[Finding]:
    """Findings of a regeneration, of a board changed so."""
    kept: list[Finding] = []

    def further(file: BoardFile, board: Board, rows: Sequence[RowReturns]) -> list[Finding]:
        kept.extend(regenerate(package, file, replace(board, **changes), rows))
        return kept

    audit_board(base, name, policy=Policy(), further=further)
    return kept


@pytest.mark.parametrize("name", ["new", "sealed"])
def test_equal(base: Bundle, name: str) -> None:
    """Equal series pass; a policy that the package lacks is unproven."""
    verdicts = {each.subject: each.verdict for each in found_by(base, arena(name), name)}
    assert verdicts.pop(f"{name}/mine") is Verdict.UNPROVEN
    assert verdicts == {f"{name}/{policy}": Verdict.PASS for policy in POLICIES}


def test_the_report_says_what_was_regenerated(base: Bundle) -> None:
    """Only the series that were not are still the environment's word."""

    def replay(file: BoardFile, board: Board, rows: Sequence[RowReturns]) -> list[Finding]:
        return regenerate(arena(), file, board, rows)

    for further, said, other in (
        (replay, f"{4 * len(rewards('new', 'flat'))} return series behind the rows are those", 1),
        (None, "return series behind the rows are those", len(POLICIES) + 1),
    ):
        report = audit_board(base, "new", policy=Policy(), further=further).report
        notes = "\n".join(report.notes)
        assert (said in notes) is (further is not None)
        word = f"{other * len(rewards('new', 'flat'))} return series behind the rows are the env"
        assert word in notes


def test_one_bit(base: Bundle) -> None:
    """One bit of one bar is named with its seed and bar."""
    package = arena()
    paid = rewards("new", "momentum")
    paid[2][DAYS - 1] = math.nextafter(paid[2][DAYS - 1], 1.0)
    package = replace(package, policies={**package.policies, "momentum": lambda: lambda _: paid})
    failed = [each for each in found_by(base, package) if each.verdict is Verdict.FAIL]
    assert [each.subject for each in failed] == ["new/momentum"]
    assert f"seed 2, bar {DAYS - 1}" in failed[0].message


def test_another_length(base: Bundle) -> None:
    """An episode that ends before its time has another length."""

    class Short(World):
        def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
            """End at the second bar."""
            seen, reward, _, _, info = super().step(action)
            return seen, reward, self.bar == 2, False, info

    found = found_by(base, arena(environment=Short))
    assert {each.recomputed for each in found if each.verdict is Verdict.FAIL} == {"2"}


@pytest.mark.parametrize("changes", [{"richness": "data_rich"}, {"costs": '{"model":"other"}'}])
def test_what_cannot_be_told(base: Bundle, changes: dict[str, Any]) -> None:
    """A world that the package cannot be told is unproven, not replayed in another one."""
    found = found_by(base, arena(), **changes)
    assert {each.verdict for each in found} == {Verdict.UNPROVEN}


def test_another_release(base: Bundle) -> None:
    """Another release says nothing about a board: the message names the one to install."""
    with pytest.raises(UsageError, match=r"pip install sharpearena==0\.31\.0"):
        found_by(base, arena(release="0.9.0"))


def test_an_environment_that_fails(base: Bundle) -> None:
    """An error of the package is one line that names policy and seed."""

    def refuses(**_: Any) -> Any:
        raise ValueError("no such tier")

    with pytest.raises(UsageError, match=r"cannot replay .* on seed 0: no such tier"):
        found_by(base, arena(environment=refuses))


def test_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package the message says what to install."""
    monkeypatch.setitem(sys.modules, "sharpearena", None)
    with pytest.raises(UsageError, match=r"tallyproof\[arena\]"):
        installed_arena()
