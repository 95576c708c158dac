"""A season of ARCANA whose bundle may be forged, as a chapter of the site."""

from collections.abc import Callable, Iterator

import pytest
from arcana_site import Made, Make, season_of
from frozen import ARCANA, frozen_demo
from overlays import overlays

from sitegen.arcana.chapter import chapter
from sitegen.model import Season
from verifier.bundle import overlay
from verifier.freeze import FrozenSeason, read_season

FORGERIES = {forgery.name: forgery for forgery in overlays("arcana-demo")}


@pytest.fixture(scope="session")
def frozen() -> Iterator[FrozenSeason]:
    """The honest demo season, frozen."""
    with read_season(frozen_demo(ARCANA)) as season:
        yield season


@pytest.fixture(scope="session")
def season(frozen: FrozenSeason) -> Callable[[], Season]:
    """Show the honest demo."""
    return lambda: season_of(frozen, frozen.bundle)


@pytest.fixture(scope="session")
def make(frozen: FrozenSeason) -> Make:
    """Make the chapter of the demo, of a forgery by name, or of the demo with changed files."""

    def made(
        name: str | None = None,
        *,
        changes: dict[str, bytes | None] | None = None,
        newest: bool = True,
    ) -> Made:
        bundle = frozen.bundle
        if name is not None:
            bundle = overlay(bundle, FORGERIES[name].changes(bundle), relist=True)
        if changes:
            bundle = overlay(bundle, changes, relist=True)
        return Made(chapter(season_of(frozen, bundle), newest=newest))

    return made


@pytest.fixture(scope="session")
def honest(make: Make) -> Made:
    """The honest chapter."""
    return make()
