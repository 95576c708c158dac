"""
Replaying the log of an adaptive curriculum.

The log is one JSON object::

    {"format":"sharpe-curriculum/1","levels":[…],"prior":0.5,
     "episodes":[{"seed","solved","success_rate","weight"}…]}

``levels`` are the candidate seeds in their order and ``prior`` the success rate of an
unseen one. An episode is what the public environment reports about it: ``seed``,
``success_rate`` and ``weight`` in ``info["curriculum"]`` of its reset, so before its
outcome, and ``info["curriculum_solved"]`` of its last step, null where the episode never
ended. Each is compared with what the episodes before it give; equal means the same
double. The replay goes on from what is recorded: a seed that should not have been
selected counts with its outcome all the same, one that is no level counts for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError
from formulas.sharpe.curriculum import Curriculum
from verifier.core.jsonread import read_json
from verifier.core.shape import Obj, kind_of
from verifier.errors import FormatError

if TYPE_CHECKING:
    from verifier.core.jsonread import JsonValue

__all__ = ["Deviation", "Level", "Replay", "replay"]

FORMAT: Final = "sharpe-curriculum/1"


@dataclass(frozen=True, slots=True)
class Level:
    """One level after the whole log."""

    seed: int
    solved: int
    attempts: int
    rate: float
    weight: float


@dataclass(frozen=True, slots=True)
class Deviation:
    """
    One recorded value that does not follow from the episodes before it.

    Args:
        episode: The episode, from 0.
        what: Name of the member.
        recorded: Its value in the log.
        recomputed: The value that follows.
    """

    episode: int
    what: str
    recorded: float
    recomputed: float | None


@dataclass(frozen=True, slots=True)
class Replay:
    """
    What a log gives.

    Args:
        episodes: How many it holds.
        levels: All levels in their order, after the last episode.
        following: The level to select next.
        deviations: What does not follow, in order.
    """

    episodes: int
    levels: tuple[Level, ...]
    following: int
    deviations: tuple[Deviation, ...]


def replay(data: bytes) -> Replay:
    """
    Recompute every success rate, weight and selection of a log.

    Raises:
        JsonError: It is no strict JSON.
        FormatError: It is no such log.
    """
    log = Obj(read_json(data), ("format", "levels", "prior", "episodes"))
    if log.text("format") != FORMAT:
        raise FormatError(f"must be {FORMAT}", pointer="/format")
    levels = [_seed(value, pointer) for pointer, value in log.items("levels")]
    try:
        schedule = Curriculum(levels, log.number("prior"))
    except FormulaDomainError as error:
        raise FormatError(str(error)) from None
    deviations: list[Deviation] = []
    count = 0
    for pointer, item in log.items("episodes"):
        _episode(schedule, count, Obj(item, _EPISODE, pointer=pointer), deviations)
        count += 1
    return Replay(
        count,
        tuple(
            Level(seed, *schedule.attempts(seed), schedule.rate(seed), schedule.weight(seed))
            for seed in schedule.levels
        ),
        schedule.select(),
        tuple(deviations),
    )


_EPISODE: Final = ("seed", "solved", "success_rate", "weight")


def _episode(schedule: Curriculum, at: int, item: Obj, deviations: list[Deviation]) -> None:
    seed = _seed(item.value["seed"], f"{item.pointer}/seed")
    rate, weight = item.number("success_rate"), item.number("weight")
    solved = None if item.value["solved"] is None else item.boolean("solved")
    selected = schedule.select()
    if seed != selected:
        deviations.append(Deviation(at, "seed", seed, selected))
    known = schedule.knows(seed)
    for what, recorded, recomputed in (
        ("success_rate", rate, schedule.rate(seed) if known else None),
        ("weight", weight, schedule.weight(seed) if known else None),
    ):
        if recorded != recomputed:
            deviations.append(Deviation(at, what, recorded, recomputed))
    if known and solved is not None:
        schedule.record(seed, solved=solved)


def _seed(value: JsonValue, pointer: str) -> int:
    if type(value) is not int or value < 0:
        raise FormatError(
            f"must be a seed, a whole number of at least 0, is {kind_of(value)}", pointer=pointer
        )
    return value
