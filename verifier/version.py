"""The version of this release: the one place that states it; the package takes it from here."""

from typing import Final

VERSION: Final = "0.1.0"
