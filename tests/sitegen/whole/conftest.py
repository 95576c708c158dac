"""The demo site, built once for all workers of a run."""

import pytest
from demo_site import DemoSite, demo_site


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoSite:
    """Build the demo site, or take the one that is there."""
    return demo_site(tmp_path_factory)
