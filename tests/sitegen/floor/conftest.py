"""The demo of the Floor, open for the tests of its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from shared import FIXTURES

from verifier.bundle import Bundle, open_bundle

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def demo() -> Iterator[Bundle]:
    """Open the demo."""
    with open_bundle(FIXTURES / "floor-demo") as opened:
        yield opened
