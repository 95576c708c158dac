"""The adaptive curriculum, and the replay of its log."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formulas.errors import FormulaDomainError
from formulas.sharpe.curriculum import Curriculum, weight_of
from verifier.errors import EvidenceError, FormatError
from verifier.sharpe.curriculum import replay


def by_scan(levels: list[int], prior: float, outcomes: list[tuple[int, bool]]) -> list[int]:
    """Selections by looking at every level, as the rule is written."""
    selected = []
    tally = dict.fromkeys(levels, (0, 0))

    def weight(level: int) -> float:
        solved, attempts = tally[level]
        return weight_of(solved / attempts if attempts else prior)

    for level, solved in [*outcomes, (levels[0], False)]:
        best = max(weight(each) for each in tally)
        selected.append(next(each for each in tally if weight(each) == best))
        tally[level] = (tally[level][0] + solved, tally[level][1] + 1)
    return selected


@given(
    levels=st.lists(st.integers(0, 9), min_size=1, max_size=8),
    prior=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    data=st.data(),
)
def test_selections_are_those_of_the_rule(
    levels: list[int], prior: float, data: st.DataObject
) -> None:
    """Largest weight first, of equal ones the first listed, after any outcomes."""
    outcome = st.tuples(st.sampled_from(levels), st.booleans())
    outcomes = data.draw(st.lists(outcome, max_size=30))
    schedule = Curriculum(levels, prior)
    selected = [schedule.select()]
    for level, solved in outcomes:
        schedule.record(level, solved=solved)
        selected.append(schedule.select())
    assert selected == by_scan(levels, prior, outcomes)


@pytest.mark.parametrize(("levels", "prior"), [([], 0.5), ([1], 1.1), ([1], float("nan"))])
def test_no_curriculum(levels: list[int], prior: float) -> None:
    """Without levels, or with a prior that is no rate, there is none."""
    with pytest.raises(FormulaDomainError):
        Curriculum(levels, prior)


def log(*outcomes: bool | None, levels: tuple[int, ...] = (4, 5, 6)) -> dict[str, Any]:
    """An honest log with these outcomes."""
    schedule = Curriculum(levels)
    episodes = []
    for solved in outcomes:
        seed = schedule.select()
        rate, weight = schedule.rate(seed), schedule.weight(seed)
        episodes.append({"seed": seed, "solved": solved, "success_rate": rate, "weight": weight})
        if solved is not None:
            schedule.record(seed, solved=solved)
    return {
        "format": "sharpe-curriculum/1",
        "levels": list(levels),
        "prior": 0.5,
        "episodes": episodes,
    }


def replayed(value: Any) -> Any:
    """Replay a log given as decoded JSON."""
    return replay(json.dumps(value).encode())


def test_an_honest_log() -> None:
    """Everything follows; an episode that never ended counts for nothing."""
    found = replayed(log(True, None, False, True, True, None))
    assert found.deviations == ()
    assert found.episodes == 6
    assert sum(level.attempts for level in found.levels) == 4


def test_another_selection() -> None:
    """A seed that should not have been selected is named, and its outcome counts."""
    value = log(True, False)
    value["episodes"][1]["seed"] = 6
    (found,) = replayed(value).deviations
    assert (found.episode, found.what, found.recorded, found.recomputed) == (1, "seed", 6, 5)


@pytest.mark.parametrize("name", ["success_rate", "weight"])
def test_another_figure(name: str) -> None:
    """A rate or weight that is another double is named."""
    value = log(True, False, True)
    value["episodes"][2][name] += 2**-53
    (found,) = replayed(value).deviations
    assert (found.episode, found.what) == (2, name)


def test_a_seed_off_the_schedule() -> None:
    """A seed that is no level has no rate, and counts for nothing."""
    value = log(True, True)
    value["episodes"][1]["seed"] = 99
    found = replayed(value)
    assert [(each.what, each.recomputed) for each in found.deviations] == [
        ("seed", 5),
        ("success_rate", None),
        ("weight", None),
    ]
    assert sum(level.attempts for level in found.levels) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"format": "sharpe-curriculum/2"},
        {"levels": []},
        {"levels": [-1]},
        {"levels": ["4"]},
        {"prior": 2},
        {"prior": None},
        {"episodes": {}},
        {"episodes": [{}]},
        {"episodes": [{"seed": 4, "solved": 1, "success_rate": 0.5, "weight": 0.25}]},
        {"episodes": [{"seed": 4, "solved": True, "success_rate": "0.5", "weight": 0.25}]},
        {"more": 1},
    ],
)
def test_what_is_no_log(change: dict[str, Any]) -> None:
    """Another shape is one error that points at it."""
    with pytest.raises(FormatError):
        replayed(log() | change)


@given(st.binary(max_size=60))
def test_anything(data: bytes) -> None:
    """Any bytes end in our error."""
    with pytest.raises(EvidenceError):
        replay(data)
