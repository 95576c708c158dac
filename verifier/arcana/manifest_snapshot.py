"""
Portfolio snapshot manifest, scheme ``arcana-portfolio-snapshot/v1``.

=============  ==========================================================
line           JSON value
=============  ==========================================================
portfolio_id   string or null
agent_id       string or null
season_id      string or null
ts             a time or null
nav            string, column text, or null
cash           string, column text, or null
holdings       object of symbols and numbers, sorted; never null
previous_seal  string or null
=============  ==========================================================

An empty text is written as null.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.arcana.gojson import number_text, quote
from verifier.arcana.manifest_lines import Line, optional_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["KEYS", "SCHEME", "SnapshotManifest"]

SCHEME: Final = "arcana-portfolio-snapshot/v1"

KEYS: Final = (
    "portfolio_id",
    "agent_id",
    "season_id",
    "ts",
    "nav",
    "cash",
    "holdings",
    "previous_seal",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotManifest:
    """A snapshot manifest that was read."""

    portfolio_id: str | None
    agent_id: str | None
    season_id: str | None
    ts: str | None
    nav: str | None
    cash: str | None
    holdings: Mapping[str, float]
    previous_seal: str | None


def from_lines(lines: Sequence[Line]) -> SnapshotManifest:
    """
    Give the eight lines their meaning.

    Raises:
        ManifestError: A value is not of the type that its line demands.
    """
    by_key = {line.key: line for line in lines}
    return SnapshotManifest(
        portfolio_id=by_key["portfolio_id"].optional_text(),
        agent_id=by_key["agent_id"].optional_text(),
        season_id=by_key["season_id"].optional_text(),
        ts=by_key["ts"].optional_time(),
        nav=by_key["nav"].optional_text(),
        cash=by_key["cash"].optional_text(),
        holdings=by_key["holdings"].doubles(),
        previous_seal=by_key["previous_seal"].optional_text(),
    )


def to_text(m: SnapshotManifest) -> str:
    """
    Write the manifest, without the escapes that Go adds for pages.

    Raises:
        JsonError: A number is infinite or NaN.
    """
    holdings = ",".join(
        f"{quote(symbol)}:{number_text(m.holdings[symbol])}" for symbol in sorted(m.holdings)
    )
    return (
        f"{SCHEME}\n"
        f"portfolio_id: {optional_text(m.portfolio_id)}\n"
        f"agent_id: {optional_text(m.agent_id)}\n"
        f"season_id: {optional_text(m.season_id)}\n"
        f"ts: {optional_text(m.ts)}\n"
        f"nav: {optional_text(m.nav)}\n"
        f"cash: {optional_text(m.cash)}\n"
        f"holdings: {{{holdings}}}\n"
        f"previous_seal: {optional_text(m.previous_seal)}\n"
    )
