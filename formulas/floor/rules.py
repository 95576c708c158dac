"""
The Floor's rule set document: every constant that a formula uses.

The document is canonical JSON; decimals are strings, counts and seconds are
integers. Every choice the Floor's prose leaves open is a member of it, so no
formula here holds such a number as a literal. Where the document names a
*kind* of rule (which side an equal print falls on, how rounding goes) this
version computes exactly one, and a document that asks for another is refused
rather than half applied.

A member that is missing, unknown or of another type is refused by its pointer.

Source:
    floor-rules.md.
"""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final, TypeVar, get_type_hints

from formulas.errors import FormulaConstantsError, FormulaDomainError
from formulas.floor.primitives import parse_decimal

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "AdmissionRules",
    "BaselineRules",
    "DecimalRules",
    "EnvelopeRules",
    "FlagRules",
    "LedgerRules",
    "Rules",
    "ScoreRules",
    "SeasonRules",
    "SettlementRules",
    "TextRules",
    "VenueRules",
    "rules_from",
]

T = TypeVar("T")

Strings = tuple[str, ...]
Decimals = tuple[Decimal, ...]
Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class AdmissionRules:
    """Which calls may be posted; times in seconds, *margins* None when any is admitted."""

    cutoff_daily_seconds: int
    cutoff_hourly_seconds: int
    duplicate_seconds: int
    grid_seconds: int
    horizon_max_seconds: int
    horizon_min_seconds: int
    hugging: Decimal
    hugging_label: str
    kinds: Strings
    margins: Decimals | None
    max_calls: int
    max_calls_seconds: int
    max_open: int
    max_open_provisional: int
    measures: Strings
    p_max: Decimal
    p_min: Decimal
    provisional_settled: int
    symbols: Strings


@dataclass(frozen=True, slots=True)
class BaselineRules:
    """Constants of the baseline; *decay* is the member ``lambda``."""

    annual_hours: int
    decay: Decimal
    funding_days: int
    funding_min_prints: int
    history_days: int
    history_min_hours: int
    relative: Decimal
    series_remainder: Decimal
    version: str
    year_seconds: int


@dataclass(frozen=True, slots=True)
class DecimalRules:
    """Decimals of the published numbers."""

    b: int
    brier: int
    p: int
    points: int
    rounding: str
    standing: int


@dataclass(frozen=True, slots=True)
class EnvelopeRules:
    """The signed message of a posting."""

    nonce_hex: int
    path: str
    skew_seconds: int
    version: str


@dataclass(frozen=True, slots=True)
class CopyRules:
    """A call close behind a ranked agent's call on the same side."""

    on: bool
    weight: Decimal
    window_seconds: int


@dataclass(frozen=True, slots=True)
class OperatorRules:
    """Two agents of one operator on one source."""

    on: bool
    window_seconds: int


@dataclass(frozen=True, slots=True)
class FlagRules:
    """Season flags."""

    copy: CopyRules
    one_operator: OperatorRules


@dataclass(frozen=True, slots=True)
class LedgerRules:
    """The chain of entries."""

    dispute_seconds: int
    kind: str
    order: Strings
    unit: str


@dataclass(frozen=True, slots=True)
class ScoreRules:
    """Points: ``scale * log(p / b)`` to the base *log_base*, both clamped."""

    clamp_max: Decimal
    clamp_min: Decimal
    half_life_seconds: int
    log_base: int
    scale: int


@dataclass(frozen=True, slots=True)
class SeasonRules:
    """The season table."""

    min_settled: int
    order: Strings
    tie: str
    weight_at: str


@dataclass(frozen=True, slots=True)
class SettlementRules:
    """Times, gaps and tolerances of a settlement; times in seconds."""

    close_equal: str
    confirm_tolerance: Decimal
    fetch_seconds: int
    final_seconds: int
    funding_gap_seconds: int
    funding_window_seconds: int
    gap_minutes: int
    grace_seconds: int
    no_trade_rows: str
    range_edge: str
    range_first: str
    retry_seconds: int
    touch_equal: str
    value_max_age_seconds: int


@dataclass(frozen=True, slots=True)
class TextRules:
    """What a claim or note may not hold."""

    markup: Strings
    refused_code_points: Pairs
    urls: Strings
    words: Strings


@dataclass(frozen=True, slots=True)
class CoinbaseRules:
    """What Coinbase is asked for."""

    max_rows: int
    measures: Strings


@dataclass(frozen=True, slots=True)
class HyperliquidRules:
    """What Hyperliquid is asked for."""

    max_rows: int
    max_rows_funding: int
    measures: Strings


@dataclass(frozen=True, slots=True)
class VenueRules:
    """The venues."""

    coinbase: CoinbaseRules
    hyperliquid: HyperliquidRules


@dataclass(frozen=True, slots=True)
class Rules:
    """A whole rule set document; see floor-rules.md for its members."""

    admission: AdmissionRules
    baseline: BaselineRules
    decimals: DecimalRules
    envelope: EnvelopeRules
    flags: FlagRules
    id: str
    ledger: LedgerRules
    score: ScoreRules
    season: SeasonRules
    settlement: SettlementRules
    text: TextRules
    venues: VenueRules


# The choices that this version computes; another one is another rule set.
_COMPUTED: Final[Mapping[str, object]] = {
    "/baseline/version": "v1-lognormal-zero-drift",
    "/decimals/rounding": "half-away-from-zero",
    "/ledger/order": ("settled_at", "call"),
    "/score/log_base": 2,
    "/season/order": ("standing", "brier", "settled"),
    "/season/tie": "agent",
    "/season/weight_at": "end",
    "/settlement/close_equal": "miss",
    "/settlement/no_trade_rows": "absent",
    "/settlement/range_edge": "outside",
    "/settlement/range_first": "low",
    "/settlement/touch_equal": "hit",
}

_POSITIVE: Final = frozenset(
    {"/baseline/annual_hours", "/baseline/year_seconds", "/score/half_life_seconds"}
)
_MAX_PLACES: Final = 15  # more decimals than a JSON number can carry
_JSON_NAMES: Final = {"decay": "lambda"}


def rules_from(document: Mapping[str, object]) -> Rules:
    """
    Read a rule set document.

    Args:
        document: The parsed JSON object: decimals still strings, counts integers.

    Returns:
        The constants, decimals exact.

    Raises:
        FormulaConstantsError: A member is missing, unknown, of another type or
            out of range, or asks for a rule that this version does not compute.

    Source:
        floor-rules.md.
    """
    rules: Rules = _object(Rules, document, "")
    if not 0 < rules.baseline.decay < 1:
        raise _wrong("/baseline/lambda", "a decimal between 0 and 1")
    if not 0 < rules.score.clamp_min <= rules.score.clamp_max < 1:
        raise _wrong("/score/clamp_min", "0 < clamp_min <= clamp_max < 1")
    if not 0 <= rules.baseline.relative <= 1:
        raise _wrong("/baseline/relative", "a probability")
    return rules


def _wrong(pointer: str, wanted: str) -> FormulaConstantsError:
    return FormulaConstantsError(f"rule set, {pointer or '/'}: expected {wanted}")


def _object(kind: type[T], value: object, pointer: str) -> T:
    if not isinstance(value, dict):
        raise _wrong(pointer, "an object")
    hints = get_type_hints(kind)
    names = {_JSON_NAMES.get(name, name): name for name in hints}
    for member in sorted(names.keys() ^ value.keys(), key=str):
        if member in names:
            raise _wrong(f"{pointer}/{member}", "a value; the member is missing")
        raise _wrong(f"{pointer}/{member}", "no such member")
    read = {
        name: _value(hints[name], value[member], f"{pointer}/{member}")
        for member, name in names.items()
    }
    return kind(**read)


def _value(kind: object, value: object, pointer: str) -> object:
    read: object
    if isinstance(kind, type) and is_dataclass(kind):
        return _object(kind, value, pointer)
    if kind is bool:
        read = _instance(bool, value, pointer, "true or false")
    elif kind is int:
        read = _count(value, pointer)
    elif kind is str:
        read = _instance(str, value, pointer, "a string")
    elif kind is Decimal:
        read = _decimal(value, pointer)
    elif kind == Strings:
        read = tuple(_instance(str, each, pointer, "strings") for each in _items(value, pointer))
    elif kind == Pairs:
        read = tuple(_pair(each, pointer) for each in _items(value, pointer))
    else:  # margins: None admits any
        read = (
            None
            if value is None
            else tuple(_decimal(each, pointer) for each in _items(value, pointer))
        )
    if pointer in _COMPUTED and read != _COMPUTED[pointer]:
        raise _wrong(pointer, f"{_COMPUTED[pointer]!r}, the only rule computed here")
    return read


def _instance(kind: type[T], value: object, pointer: str, wanted: str) -> T:
    if not isinstance(value, kind):
        raise _wrong(pointer, wanted)
    return value


def _items(value: object, pointer: str) -> list[object]:
    return _instance(list, value, pointer, "a list")


def _count(value: object, pointer: str) -> int:
    # bool is an int in Python; a count is not.
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 2**53:
        raise _wrong(pointer, "an integer from 0")
    if pointer in _POSITIVE and value == 0:
        raise _wrong(pointer, "an integer above 0")
    if pointer.startswith("/decimals/") and value > _MAX_PLACES:
        raise _wrong(pointer, f"at most {_MAX_PLACES} decimals")
    return value


def _pair(value: object, pointer: str) -> tuple[int, int]:
    items = _items(value, pointer)
    if len(items) != 2:
        raise _wrong(pointer, "pairs of code points")
    return _count(items[0], pointer), _count(items[1], pointer)


def _decimal(value: object, pointer: str) -> Decimal:
    try:
        return parse_decimal(_instance(str, value, pointer, "a decimal string"))
    except FormulaDomainError as problem:
        raise _wrong(pointer, "a decimal string") from problem
