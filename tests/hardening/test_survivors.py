"""What mutants of the core and the formulas got away with, before these tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import pytest

from formulas.arcana_score import steps, v1
from verifier.core.hashchain import Break, body_link, walk
from verifier.core.seals import seal_of_record

if TYPE_CHECKING:
    from verifier.core.jsonread import JsonValue

C: Final = steps.read_constants(v1.CONSTANTS)
ZEROS: Final = "0" * 64
# buy_and_hold: turnover up to 0.2 and a sell share up to 0.15 fit, and a tolerance of 0.25.
HELD: Final = "buy_and_hold"


def entry(number: int, prev: str) -> dict[str, Any]:
    """One entry of a chain in the layout with a body."""
    body: dict[str, Any] = {"entry": number, "prev": prev, "call": "c", "record": None}
    return {"body": body, "hash": seal_of_record(body).hex}


def test_a_break_says_what_is_published_and_what_follows() -> None:
    """Both values stand where a report shows them, and the head is the last good one."""
    first = entry(0, ZEROS)
    other = "f" * 64
    chain = walk([first, entry(1, other)], body_link)
    assert chain.broken == Break(
        1, "prev is not the hash of the entry before", other, first["hash"]
    )
    assert chain.head.hex == first["hash"]
    assert walk([entry(0, other)], body_link).broken == Break(
        0, "prev is not 64 zeros", other, ZEROS
    )
    assert walk([first, entry(5, first["hash"])], body_link).broken == Break(
        1, "number is not the position", "5", "1"
    )
    edited = first | {"hash": other}
    assert walk([edited], body_link).broken == Break(
        0, "hash is not that of the entry", other, first["hash"]
    )
    entries: list[JsonValue] = [cast("JsonValue", first), []]
    unreadable = walk(entries, body_link)
    assert (unreadable.count, unreadable.head.hex) == (1, first["hash"])


def test_exposure_counts_ticks_that_have_a_value() -> None:
    """Cash above the NAV is nothing invested, no tick is an exposure of 0, and pairs are pairs."""
    assert steps.exposure_of([100.0, 100.0], [150.0, 50.0]) == 0.25
    assert steps.exposure_of([0.5], [0.25]) == 0.5
    assert steps.exposure_of([0.0, -1.0], [0.0, 0.0]) == 0.0
    with pytest.raises(ValueError, match="shorter"):
        steps.exposure_of([100.0, 100.0], [50.0])


@pytest.mark.parametrize(
    ("actions", "strategy"),
    [
        # Turnover 1 is 0.8 too much and fits with 0; a sell share of 0 fits.
        (["buy"] * 5, 40.0),
        # Turnover 0.2 is the end of the band.
        (["buy", *["hold"] * 4], 100.0),
        # Turnover 0.3 is 0.1 too much: 1 - 0.4, times 0.6; the sell share fits.
        (["buy"] * 3 + ["hold"] * 7, 76.0),
        # No trade: the sell share fits.
        (["hold"] * 5, 100.0),
    ],
)
def test_a_strategy_fits_by_its_distance_from_the_band(actions: list[str], strategy: float) -> None:
    """Each case worked out by hand from the published step."""
    fit = steps.fit_of(C, HELD, actions)
    assert fit.checkable is True
    assert fit.turnover == (actions.count("buy") + actions.count("sell")) / len(actions)
    assert fit.strategy == strategy
    assert fit.multiplier == 0.7 + 0.3 * (strategy / 100)


def test_below_the_band_it_fits_less_as_well() -> None:
    """A profile that must trade, and one that must sell."""
    low = {"turnover_lo": 0.5, "turnover_hi": 1, "sell_share_lo": 0.5, "sell_share_hi": 1}
    c = C._replace(strategy_profiles={"busy": low})
    # Turnover 0.4 and sell share 0.4 are each 0.1 short: 1 - 0.4 each.
    fit = steps.fit_of(c, "busy", ["buy"] * 6 + ["sell"] * 4 + ["hold"] * 15)
    assert (fit.turnover, fit.sell_share, fit.strategy) == (0.4, 0.4, 60.0)


def test_what_cannot_be_checked_is_neutral() -> None:
    """Too few decisions, none at all, or no such profile; as many as the minimum are enough."""
    neutral = steps.Fit(False, None, None, C.neutral, 1.0)
    assert steps.fit_of(C, HELD, ["hold"] * 4) == neutral
    assert steps.fit_of(C, "unheard of", ["hold"] * 9) == neutral
    assert steps.fit_of(C._replace(strategy_min_decisions=0), HELD, []) == neutral
    assert steps.fit_of(C, HELD, ["hold"] * 5).checkable is True
