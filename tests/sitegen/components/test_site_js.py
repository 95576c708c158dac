"""The script of the pages: its pure parts under Node, and what it must not do."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

import sitegen

SCRIPT: Final = Path(sitegen.__file__).parent / "static" / "site.js"
NODE: Final = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="Node is not installed")
def test_the_pure_parts_under_node() -> None:
    """Sorting, filtering and searching do what site.test.cjs says."""
    assert NODE is not None
    done = subprocess.run(
        [NODE, "--test", str(Path(__file__).with_name("site.test.cjs"))],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"pass 10\b", done.stdout), done.stdout


def test_nothing_in_it_makes_markup_of_text() -> None:
    """Hostile text reaches a page as text alone; no request is made, nothing is kept."""
    source = SCRIPT.read_text()
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "document.write",
        "eval(",
        "Function(",
    ):
        assert word not in source
    for word in (
        "fetch(",
        "XMLHttp",
        "WebSocket",
        "sendBeacon",
        "localStorage",
        "cookie",
        ".style",
    ):
        assert word not in source
