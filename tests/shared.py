"""Where the shared reference data lies: beside the checkout, and absent from a fresh clone."""

from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]
FIXTURES: Final = ROOT / "fixtures"
SHARED: Final = ROOT.parent / "shared"

needs_shared: Final = pytest.mark.skipif(
    not (SHARED / "README.md").is_file(),
    reason="the shared reference data is not beside this checkout",
)
