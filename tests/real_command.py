"""The real command, in a process of its own with next to no environment."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from shared import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run ``tallyproof`` in the checkout; nothing but *environment* and a path is inherited."""
    return subprocess.run(
        [sys.executable, "-m", "verifier", *map(str, arguments)],
        capture_output=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", **environment},
        cwd=ROOT,
    )
