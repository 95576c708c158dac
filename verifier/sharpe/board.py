"""
A published board: ``sharpe/boards/<name>.json``, read strictly.

A board states what was run (release, kernel, environment, settings, costs,
seeds, scoring) and what came of it (rows, pairs, claims). It has exactly the
members below; a missing, unknown or mistyped one is a :class:`FormatError` that
points at it, and ends up as a finding of step 9.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from formulas.sharpe.interval import Interval
from verifier.core.canon import canonical_bytes
from verifier.core.shape import Obj, kind_of, pointer_to
from verifier.errors import FormatError

if TYPE_CHECKING:
    from verifier.core.jsonread import JsonValue

__all__ = [
    "PAIR",
    "Board",
    "BoardClaim",
    "Pair",
    "PublishedGap",
    "Row",
    "Scoring",
    "SealedSeeds",
    "Settings",
    "Transfer",
    "read_board",
    "read_interval",
    "read_pair",
]

RELEASE_PREFIX: Final = "sharpearena/"


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the environment."""

    n_symbols: int
    n_days: int
    max_weight: float
    allow_short: bool
    vol_clustering: float
    impact_exponent: float


@dataclass(frozen=True, slots=True)
class Scoring:
    """Settings of the scoring; trials are the declared ones."""

    alpha: float
    n_boot: int
    periods_per_year: float
    resample_seed: int
    trials: int


@dataclass(frozen=True, slots=True)
class SealedSeeds:
    """Seeds that a salt gives; only their number is stated."""

    count: int


@dataclass(frozen=True, slots=True)
class PublishedGap:
    """Generalization gap of a row; parts that the kernel refuses are None."""

    gap: float | None
    test: float | None
    train: float | None


@dataclass(frozen=True, slots=True)
class Transfer:
    """Transfer gap of a row to another tier."""

    gap: float | None
    inside: float | None
    outside: float | None
    to: str


@dataclass(frozen=True, slots=True)
class Row:
    """One printed row, with its place on the board from 0."""

    index: int
    policy: str
    rank: str
    deflated_sharpe: float | None
    pass_k_rate: float | None
    mean_return: float
    interval: Interval | None
    eligible: bool | None
    reasons: tuple[str, ...]
    returns: str
    gap: PublishedGap | None
    transfers: tuple[Transfer, ...]
    status: str

    @property
    def pointer(self) -> str:
        """Where the row stands in its board."""
        return f"/rows/{self.index}"


@dataclass(frozen=True, slots=True)
class Pair:
    """One row of the pairwise table."""

    a: str
    b: str
    point_diff: float
    lo: float
    hi: float
    p_value: float
    significant: bool
    verdict: str


@dataclass(frozen=True, slots=True)
class BoardClaim:
    """A statement "A beats B" of the publisher."""

    better: str
    worse: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """
    One board.

    Args:
        name: Name that the board states.
        protocol: Release that made it, ``sharpearena/0.31.0``.
        kernel: Scoring kernel, as stated.
        env_id: Version-pinned environment.
        tier: Tier of difficulty.
        richness: How much the agents see.
        settings: Settings of the environment.
        costs: Slippage and fees, as canonical JSON text.
        leakage: Mode and number of violations.
        seeds: The public list, or how many are sealed.
        scoring: Settings of the scoring.
        pairs_trials: Declared trials of the pairwise table.
        rows: In printed order.
        pairs: In printed order.
        claims: What the publisher says beats what.
    """

    name: str
    protocol: str
    kernel: str
    env_id: str
    tier: str
    richness: str
    settings: Settings
    costs: str
    leakage: tuple[str, int]
    seeds: tuple[int, ...] | SealedSeeds
    scoring: Scoring
    pairs_trials: int
    rows: tuple[Row, ...]
    pairs: tuple[Pair, ...]
    claims: tuple[BoardClaim, ...]

    @property
    def release(self) -> str:
        """Version of the release, empty where the protocol is another."""
        found = self.protocol.removeprefix(RELEASE_PREFIX)
        return found if found != self.protocol else ""

    @property
    def seed_count(self) -> int:
        """How many seeds the board was made on."""
        return self.seeds.count if isinstance(self.seeds, SealedSeeds) else len(self.seeds)

    @property
    def world(self) -> tuple[object, ...]:
        """Everything but the tier that decides the returns of a stateless policy on a seed."""
        return (self.protocol, self.settings, self.costs, self.richness)


_MEMBERS: Final = (
    *("board", "protocol", "kernel", "env_id", "tier", "richness", "settings", "costs"),
    *("leakage", "seeds", "scoring", "pairs_trials", "rows", "pairs", "claims"),
)
_ROW_MEMBERS: Final = (
    *("rank", "policy", "deflated_sharpe", "pass_k_rate", "mean_return", "interval"),
    *("eligible", "reasons", "returns", "gap", "transfers", "status"),
)
_INTERVAL: Final = ("confidence", "hi", "lo", "n_boot", "point", "width")
PAIR: Final = ("a", "b", "point_diff", "lo", "hi", "p_value", "significant", "verdict")


def read_board(value: JsonValue) -> Board:
    """
    Read a board.

    Raises:
        FormatError: A member is missing, unknown, or of another type.
    """
    board = Obj(value, _MEMBERS)
    leakage = Obj(board.value["leakage"], ("mode", "violations"), pointer="/leakage")
    costs = Obj(board.value["costs"], ("model",), pointer="/costs", open_ended=True)
    costs.text("model")
    return Board(
        name=board.text("board"),
        protocol=board.text("protocol"),
        kernel=board.text("kernel"),
        env_id=board.text("env_id"),
        tier=board.text("tier"),
        richness=board.text("richness"),
        settings=_settings(board.value["settings"]),
        costs=canonical_bytes(costs.value).decode(),
        leakage=(leakage.text("mode"), leakage.integer("violations")),
        seeds=_seeds(board.value["seeds"]),
        scoring=_scoring(board.value["scoring"]),
        pairs_trials=board.integer("pairs_trials"),
        rows=tuple(
            _row(index, pointer, item) for index, (pointer, item) in enumerate(board.items("rows"))
        ),
        pairs=tuple(
            read_pair(Obj(item, PAIR, pointer=pointer)) for pointer, item in board.items("pairs")
        ),
        claims=tuple(_claim(pointer, item) for pointer, item in board.items("claims")),
    )


def _settings(value: JsonValue) -> Settings:
    names = tuple(Settings.__dataclass_fields__)
    settings = Obj(value, names, pointer="/settings")
    return Settings(
        settings.integer("n_symbols"),
        settings.integer("n_days"),
        settings.number("max_weight"),
        settings.boolean("allow_short"),
        settings.number("vol_clustering"),
        settings.number("impact_exponent"),
    )


def _scoring(value: JsonValue) -> Scoring:
    scoring = Obj(value, tuple(Scoring.__dataclass_fields__), pointer="/scoring")
    return Scoring(
        scoring.number("alpha"),
        scoring.integer("n_boot"),
        scoring.number("periods_per_year"),
        _resample_seed(scoring),
        scoring.integer("trials"),
    )


def _resample_seed(scoring: Obj) -> int:
    """A number up to 2^53 - 1, and a decimal text above (clarification 2)."""
    value = scoring.value["resample_seed"]
    if not isinstance(value, str):
        return scoring.integer("resample_seed")
    found = decimal(value)
    if found is None or not 1 << 53 <= found < 1 << 64:
        raise FormatError(
            "must be a plain decimal from 2^53 to 2^64 - 1 where it is a text",
            pointer="/scoring/resample_seed",
        )
    return found


def decimal(text: str) -> int | None:
    """Read a plain decimal text of up to 20 digits; None for any other text."""
    plain = text.isascii() and text.isdigit() and len(text) <= 20
    return int(text) if plain and (text == "0" or text[0] != "0") else None


def _seeds(value: JsonValue) -> tuple[int, ...] | SealedSeeds:
    kind = Obj(value, ("kind",), pointer="/seeds", open_ended=True).text("kind")
    if kind == "sealed":
        return SealedSeeds(Obj(value, ("kind", "count"), pointer="/seeds").integer("count"))
    if kind != "public":
        raise FormatError("must be public or sealed", pointer="/seeds/kind")
    listed = []
    for pointer, item in Obj(value, ("kind", "list"), pointer="/seeds").items("list"):
        if type(item) is not int or item < 0:
            raise FormatError(
                f"a public seed is a number, this is {kind_of(item)}", pointer=pointer
            )
        listed.append(item)
    return tuple(listed)


def _row(index: int, pointer: str, value: JsonValue) -> Row:
    row = Obj(value, _ROW_MEMBERS, pointer=pointer)
    return Row(
        index=index,
        policy=row.text("policy"),
        rank=row.text("rank"),
        deflated_sharpe=row.number_or_null("deflated_sharpe"),
        pass_k_rate=row.number_or_null("pass_k_rate"),
        mean_return=row.number("mean_return"),
        interval=read_interval(row, "interval"),
        eligible=None if row.value["eligible"] is None else row.boolean("eligible"),
        reasons=tuple(_texts(row, "reasons")),
        returns=row.text("returns"),
        gap=_gap(row),
        transfers=tuple(_transfer(place, item) for place, item in row.items("transfers")),
        status=row.text("status"),
    )


def _texts(owner: Obj, key: str) -> list[str]:
    found = []
    for pointer, item in owner.items(key):
        if not isinstance(item, str):
            raise FormatError(f"must be a text, is {kind_of(item)}", pointer=pointer)
        found.append(item)
    return found


def read_interval(row: Obj, key: str) -> Interval | None:
    """
    Read the interval that a row holds; None for null.

    Raises:
        FormatError: A member is missing, unknown, or of another type.
    """
    if row.value[key] is None:
        return None
    found = Obj(row.value[key], _INTERVAL, pointer=pointer_to(row.pointer, key))
    return Interval(
        found.number("point"),
        found.number("lo"),
        found.number("hi"),
        found.number("width"),
        found.number("confidence"),
        found.integer("n_boot"),
    )


def _gap(row: Obj) -> PublishedGap | None:
    if row.value["gap"] is None:
        return None
    names = ("gap", "test", "train")
    found = Obj(row.value["gap"], names, pointer=pointer_to(row.pointer, "gap"))
    return PublishedGap(*(found.number_or_null(name) for name in names))


def _transfer(pointer: str, value: JsonValue) -> Transfer:
    found = Obj(value, ("gap", "in", "out", "to"), pointer=pointer)
    return Transfer(
        found.number_or_null("gap"),
        found.number_or_null("in"),
        found.number_or_null("out"),
        found.text("to"),
    )


def read_pair(pair: Obj) -> Pair:
    """
    Read one row of the pairwise table.

    Raises:
        FormatError: A member is of another type.
    """
    return Pair(
        pair.text("a"),
        pair.text("b"),
        pair.number("point_diff"),
        pair.number("lo"),
        pair.number("hi"),
        pair.number("p_value"),
        pair.boolean("significant"),
        pair.text("verdict"),
    )


def _claim(pointer: str, value: JsonValue) -> BoardClaim:
    claim = Obj(value, ("better", "worse"), pointer=pointer)
    return BoardClaim(claim.text("better"), claim.text("worse"))
