"""
A rule set document constant by constant: its value as frozen, who fixed it, and what it is.

Each constant has a mark. **S**: stated by the Floor's own rules. **F**: fixed in the
evidence format, because those rules are silent. A constant without words here is
shown all the same, so that an unknown document is shown whole.

Source:
    floor.md, marks [S] and [F]; floor-rules.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.findings import Verdict
from verifier.floor.rulesets import KNOWN, known_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verifier.core.jsonread import JsonValue
    from verifier.floor.context import Context

__all__ = ["Constant", "Mark", "RulesShown", "constants_of", "known_document", "rules_shown"]

Mark: TypeAlias = Literal["S", "F"]


class _Meaning(NamedTuple):
    mark: Mark
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """
    One constant.

    Args:
        group: Member of the document that holds it.
        name: Its own name, with dots where it lies deeper.
        value: As JSON.
        mark: Who fixed it; None of a constant that this release does not know.
        words: What it is.
        section: Section of ``floor.md`` that uses it; empty if not known.
    """

    group: str
    name: str
    value: str
    mark: Mark | None
    words: str
    section: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesShown:
    """
    A rule set document.

    Args:
        name: Its id; None if the bundle has no document.
        published: Hash of the document's bytes.
        known: Hash that this release knows for the id; None if it knows no such id.
        verdict: *pass* if they are equal, *unproven* of an unknown id.
        trusted: Whether the policy lets it judge.
        constants: In the order of the document.
    """

    name: str | None
    published: str | None
    known: str | None
    verdict: Verdict
    trusted: bool
    constants: tuple[Constant, ...]


def rules_shown(context: Context) -> RulesShown:
    """Show the rule set of a bundle."""
    state = context.state
    known = KNOWN.get(state.name or "")
    verdict = Verdict.UNPROVEN
    if known is not None:
        verdict = Verdict.PASS if known == state.digest else Verdict.FAIL
    return RulesShown(
        name=state.name,
        published=state.digest,
        known=known,
        verdict=verdict,
        trusted=state.trusted,
        constants=tuple(constants_of(context.tables.rules or {})),
    )


def known_document(name: str) -> dict[str, JsonValue]:
    """
    Read a rule set document that this release knows.

    Raises:
        FormatError: The installed document is not the one that its hash names.
    """
    known_rules(name)  # which checks its hash
    data = files("formulas.floor").joinpath(f"{name.replace('/', '-')}.json").read_bytes()
    value = read_json(data)
    assert isinstance(value, dict)
    return value


def constants_of(document: Mapping[str, JsonValue]) -> Iterator[Constant]:
    """List the constants of a document, whatever it holds."""
    for group, members in document.items():
        if not isinstance(members, dict):
            yield _constant(group, "", members)
            continue
        for name, value in members.items():
            if isinstance(value, dict):
                for inner, deeper in value.items():
                    yield _constant(group, f"{name}.{inner}", deeper)
            else:
                yield _constant(group, name, value)


def _constant(group: str, name: str, value: JsonValue) -> Constant:
    meaning = _MEANINGS.get(group, {}).get(name)
    return Constant(
        group=group,
        name=name,
        value=canonical_bytes(value).decode(),
        mark=None if meaning is None else meaning.mark,
        words="not known to this release" if meaning is None else meaning.words,
        section=_SECTIONS.get(group, ""),
    )


_SECTIONS: Final = {
    "admission": "9",
    "baseline": "3",
    "decimals": "1",
    "envelope": "10",
    "flags": "9",
    "id": "1",
    "ledger": "7",
    "score": "6",
    "season": "7",
    "settlement": "5",
    "text": "9",
    "venues": "4",
}


def _stated(words: str) -> _Meaning:
    return _Meaning("S", words)


def _fixed(words: str) -> _Meaning:
    return _Meaning("F", words)


_MEANINGS: Final[Mapping[str, Mapping[str, _Meaning]]] = {
    "id": {"": _fixed("the name under which calls are sealed and judged; another set, another id")},
    "admission": {
        "cutoff_daily_seconds": _stated("no close or relative is posted later before a 00:00 UTC"),
        "cutoff_hourly_seconds": _stated("the same before any other full hour"),
        "duplicate_seconds": _stated(
            "two open calls on one source and kind with deadlines this near are duplicates"
        ),
        "grid_seconds": _stated("deadlines of close and relative lie on this grid"),
        "horizon_max_seconds": _stated("a deadline is at most this far from the posting"),
        "horizon_min_seconds": _stated("a deadline is at least this far from the posting"),
        "hugging": _stated("a p this near to b, or nearer, must carry the label"),
        "hugging_label": _stated("the label; no other call may carry it"),
        "kinds": _stated("kinds of calls that may be posted"),
        "margins": _stated("margins that a relative may have; null: any"),
        "max_calls": _stated("calls of one agent within the time below"),
        "max_calls_seconds": _stated("the time over which they are counted"),
        "max_open": _stated("open calls of one agent"),
        "max_open_provisional": _stated("open calls of an agent that is provisional"),
        "measures": _stated("what a source may measure"),
        "p_max": _stated("the highest p that may be posted"),
        "p_min": _stated("the lowest p that may be posted"),
        "provisional_settled": _stated(
            "with fewer hits and misses than this an agent is provisional; voids do not count"
        ),
        "symbols": _stated("symbols that may be called"),
    },
    "baseline": {
        "annual_hours": _fixed("hours of a year, by which hourly variance becomes annual"),
        "funding_days": _stated("days of funding prints whose share is the baseline"),
        "funding_min_prints": _fixed("with fewer prints than this there is no baseline"),
        "history_days": _stated("days of hourly closes that volatility is taken from"),
        "history_min_hours": _fixed("with fewer hours than this there is no baseline"),
        "lambda": _fixed("weight of the variance so far in each step of the moving average"),
        "relative": _stated("baseline of every relative call"),
        "series_remainder": _stated("the double-barrier series is summed until less is left"),
        "version": _stated("the model's name, sealed with every call"),
        "year_seconds": _fixed("seconds of a year, by which the time to the deadline is divided"),
    },
    "decimals": {
        "b": _fixed("decimals of a baseline"),
        "brier": _fixed("decimals of a Brier score"),
        "p": _fixed("decimals that a p may have"),
        "points": _fixed("decimals of points"),
        "rounding": _fixed("how a value in the middle is rounded; applied to the exact value"),
        "standing": _fixed("decimals of a standing"),
    },
    "envelope": {
        "nonce_hex": _fixed("hex digits of the nonce, used once a wallet"),
        "path": _fixed("second line of the signed message"),
        "skew_seconds": _fixed("the signed time is at most this far from the posting"),
        "version": _fixed("first line of the signed message"),
    },
    "flags": {
        "copy.on": _stated("whether calls close behind a ranked agent's weigh less"),
        "copy.weight": _stated("what the copier's call would weigh"),
        "copy.window_seconds": _stated("how close behind is a copy"),
        "one_operator.on": _stated("whether of one operator's agents only the better call counts"),
        "one_operator.window_seconds": _stated("how close together such postings are"),
    },
    "ledger": {
        "dispute_seconds": _stated("an entry is final this long after its settlement"),
        "kind": _fixed("kind of every entry"),
        "order": _fixed("what entries are ordered by"),
        "unit": _fixed("what the points of an entry count toward"),
    },
    "score": {
        "clamp_max": _stated("p and b above this are scored as this"),
        "clamp_min": _stated("p and b below this are scored as this"),
        "half_life_seconds": _stated("points lose half of their weight in this time"),
        "log_base": _stated("base of the logarithm"),
        "scale": _stated("points for doubling the baseline's probability of what happened"),
    },
    "season": {
        "min_settled": _stated("hits and misses in the season that it takes to be listed"),
        "order": _stated("the table's order: standing and settled descending, Brier ascending"),
        "tie": _fixed("what equals are shown in the order of; they share a rank"),
        "weight_at": _fixed("when standing is taken, over the season's calls alone"),
    },
    "settlement": {
        "close_equal": _fixed("outcome of a close whose value equals the level"),
        "confirm_tolerance": _stated("the second venue may differ by this share of the price"),
        "fetch_seconds": _fixed("responses count if fetched this long after an attempt began"),
        "final_seconds": _fixed("a void takes an attempt in this last part of the retries"),
        "funding_gap_seconds": _stated("funding prints further apart than this are a gap"),
        "funding_window_seconds": _stated("the time up to the deadline that is looked at for gaps"),
        "gap_minutes": _stated("more consecutive missing minutes than this are a gap"),
        "grace_seconds": _stated("no attempt begins earlier after the deadline"),
        "no_trade_rows": _fixed("a candle without trades counts as this"),
        "range_edge": _stated("where a print on the edge of a range lies"),
        "range_first": _fixed("the edge that decides if one minute left by both"),
        "retry_seconds": _stated("attempts are repeated for this long after the grace"),
        "touch_equal": _fixed("outcome of a touch whose print equals the level"),
        "value_max_age_seconds": _fixed("a close older than this is no value"),
    },
    "text": {
        "markup": _stated("texts that hold one of these are refused as markup"),
        "refused_code_points": _stated("ranges of characters that are refused"),
        "urls": _stated("texts that hold one of these are refused as addresses"),
        "words": _stated("trading instructions, refused as words"),
    },
    "venues": {
        "coinbase.max_rows": _fixed("a response this long covers only its first to last row"),
        "coinbase.measures": _stated("what the venue is a source of"),
        "hyperliquid.max_rows": _fixed("a response this long covers only its first to last row"),
        "hyperliquid.max_rows_funding": _fixed("the same for its funding prints"),
        "hyperliquid.measures": _stated("what the venue is a source of"),
    },
}
