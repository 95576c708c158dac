"""
The files behind a board: returns, traces, gaps and ``seeds.json``, read strictly.

Seeds of a sealed board are decimal texts, public ones numbers; both become
integers here, and a file says which of the two it holds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from verifier.core.shape import Obj, kind_of, pointer_to
from verifier.errors import FormatError
from verifier.sharpe.board import decimal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.core.jsonread import JsonValue

__all__ = [
    "Commitment",
    "GapFile",
    "ReturnsFile",
    "SeedsFile",
    "Side",
    "TraceFile",
    "read_gap",
    "read_returns",
    "read_seeds",
    "read_traces",
]

Band = tuple[tuple[float, ...], ...]
SeedKind = Literal["public", "sealed"]

BAND_LIMIT: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class ReturnsFile:
    """Per-seed returns of one policy; ``kind`` is None where there are no seeds."""

    policy: str
    seeds: tuple[int, ...]
    kind: SeedKind | None
    band: Band


@dataclass(frozen=True, slots=True)
class TraceFile:
    """Process events of one policy, one list a run."""

    policy: str
    runs: tuple[tuple[Mapping[str, JsonValue], ...], ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a gap file."""

    tier: str
    seeds: tuple[int, ...]
    kind: SeedKind | None
    band: Band


@dataclass(frozen=True, slots=True)
class GapFile:
    """Both sides of a gap, or the in side and one out side for each transfer."""

    policy: str
    what: str
    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True)
class Commitment:
    """A commitment to the seeds of a sealed board; the salt is None until it is revealed."""

    index: int
    board: str
    closed_at: str
    commitment: str
    count: int
    published_at: str
    salt: str | None


@dataclass(frozen=True, slots=True)
class SeedsFile:
    """Public bands and all commitments."""

    gap: int
    n_test: int
    n_train: int
    start: int
    commitments: tuple[Commitment, ...]


def read_returns(value: JsonValue) -> ReturnsFile:
    """
    Read a returns file.

    Raises:
        FormatError: Another shape; a return that is no number names seed and bar.
    """
    file = Obj(value, ("policy", "returns", "seeds"))
    seeds, kind = _seeds(file)
    return ReturnsFile(file.text("policy"), seeds, kind, _band(file))


def read_traces(value: JsonValue) -> TraceFile:
    """
    Read a trace file; what the events mean is judged by the process gate.

    Raises:
        FormatError: Another shape.
    """
    file = Obj(value, ("events", "policy"))
    runs = []
    for pointer, item in file.items("events"):
        if not isinstance(item, list):
            raise FormatError(f"must be a list, is {kind_of(item)}", pointer=pointer)
        runs.append(
            tuple(
                Obj(event, (), pointer=pointer_to(pointer, at), open_ended=True).value
                for at, event in enumerate(item)
            )
        )
    return TraceFile(file.text("policy"), tuple(runs))


def read_gap(value: JsonValue) -> GapFile:
    """
    Read a gap file.

    Raises:
        FormatError: Another shape; a return that is no number names seed and bar.
    """
    file = Obj(value, ("policy", "sides", "what"))
    sides = []
    for pointer, item in file.items("sides"):
        side = Obj(item, ("returns", "seeds", "tier"), pointer=pointer)
        seeds, kind = _seeds(side)
        sides.append(Side(side.text("tier"), seeds, kind, _band(side)))
    return GapFile(file.text("policy"), file.text("what"), tuple(sides))


def read_seeds(value: JsonValue) -> SeedsFile:
    """
    Read ``seeds.json``.

    Raises:
        FormatError: Another shape, or a band of more than 2^20 seeds.
    """
    file = Obj(value, ("bands", "commitments"))
    bands = Obj(file.value["bands"], ("gap", "n_test", "n_train", "start"), pointer="/bands")
    gap, n_test, n_train, start = (
        bands.integer(name) for name in ("gap", "n_test", "n_train", "start")
    )
    if max(n_test, n_train) > BAND_LIMIT:
        raise FormatError(f"a band has at most {BAND_LIMIT} seeds", pointer="/bands")
    commitments = tuple(
        _commitment(index, pointer, item)
        for index, (pointer, item) in enumerate(file.items("commitments"))
    )
    return SeedsFile(gap, n_test, n_train, start, commitments)


def _commitment(index: int, pointer: str, value: JsonValue) -> Commitment:
    names = ("board", "closed_at", "commitment", "count", "published_at", "salt")
    entry = Obj(value, names, pointer=pointer)
    return Commitment(
        index,
        entry.text("board"),
        entry.text("closed_at"),
        entry.text("commitment"),
        entry.integer("count"),
        entry.text("published_at"),
        entry.text_or_null("salt"),
    )


def _seeds(owner: Obj) -> tuple[tuple[int, ...], SeedKind | None]:
    found: list[int] = []
    kinds: set[SeedKind] = set()
    for pointer, item in owner.items("seeds"):
        seed = decimal(item) if isinstance(item, str) else item
        if type(seed) is not int or not 0 <= seed < 1 << 64:
            raise FormatError("must be a seed: a number, or a plain decimal text", pointer=pointer)
        found.append(seed)
        kinds.add("sealed" if isinstance(item, str) else "public")
    if len(kinds) > 1:
        raise FormatError(
            "seeds are numbers or texts, not both", pointer=pointer_to(owner.pointer, "seeds")
        )
    return tuple(found), next(iter(kinds), None)


def _band(owner: Obj) -> Band:
    return tuple(
        _series(seed, pointer, item) for seed, (pointer, item) in enumerate(owner.items("returns"))
    )


def _series(seed: int, pointer: str, value: JsonValue) -> tuple[float, ...]:
    if not isinstance(value, list):
        raise FormatError(f"must be a list, is {kind_of(value)}", pointer=pointer)
    series = []
    for bar, item in enumerate(value):
        if (type(item) is not float and type(item) is not int) or not math.isfinite(item):
            raise FormatError(
                f"the return of seed {seed}, bar {bar} must be a number, is {kind_of(item)}",
                pointer=pointer_to(pointer, bar),
            )
        series.append(float(item))
    return tuple(series)
