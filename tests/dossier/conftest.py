"""The demo of the Floor, loaded and settled again once for all tests of its dossiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from shared import FIXTURES

from verifier.bundle import Bundle, open_bundle
from verifier.dossier.floor import FloorSeason, load_floor
from verifier.dossier.floor_call import FloorCall, floor_call
from verifier.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def floor_demo() -> Iterator[Bundle]:
    """Open the demo."""
    with open_bundle(FIXTURES / "floor-demo") as opened:
        yield opened


@pytest.fixture(scope="session")
def season(floor_demo: Bundle) -> FloorSeason:
    """Load the demo's first season."""
    return load_floor(floor_demo, Policy(), "season-1")


@pytest.fixture(scope="session")
def shown(season: FloorSeason) -> tuple[FloorCall, ...]:
    """Settle every call of the season again."""
    return tuple(floor_call(season, held) for held in season.calls)
