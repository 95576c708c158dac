"""
Programs that tests drive and no Python package brings: a browser, and Node.

Where one is missing its tests are skipped and say so. In CI, where ``.ci/run``
installs both, they fail instead: a test that never runs shows nothing.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from pytest import MarkDecorator  # noqa: PT013 - a type alone

IN_CI: Final = bool(os.environ.get("CI"))


def path_of(program: str) -> str:
    """Where a program lies; a test without it fails here."""
    found = shutil.which(program)
    assert found is not None, f"{program} is not installed: .ci/run installs it"
    return found


def needs(program: str) -> MarkDecorator:
    """Skip a test without the program, but never in CI."""
    return pytest.mark.skipif(
        shutil.which(program) is None and not IN_CI,
        reason=f"{program} is not installed (Debian's package has it), so this is not shown",
    )


needs_chromium: Final = needs("chromium")
needs_node: Final = needs("node")
