"""
No input of a megabyte takes a reader more than 2 seconds or 256 MiB.

The readers are those that are fuzzed, and the inputs the worst that are known: what
is small as a text and large in memory, and what makes careless code look at
everything again for each byte. It takes minutes, so it runs when ``TALLYPROOF_SLOW`` is set.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

HERE: Final = Path(__file__).parent
TARGETS: Final = sorted(path.name for path in (HERE.parent / "fuzz").glob("fuzz_*.py"))
MEGABYTE: Final = 1 << 20
SIZE: Final = MEGABYTE
SECONDS: Final = 2.0
MEBIBYTES: Final = 256
# Targets that give one input to several readers, or to one several times, and how often.
READS: Final = {
    "fuzz_answers.py": 20,
    "fuzz_bundle.py": 4,
    "fuzz_fetched.py": 2,
    "fuzz_frozen.py": 18,
    "fuzz_json.py": 8,
    "fuzz_node.py": 7,
    "fuzz_report.py": 8,
    "fuzz_signed.py": 2,
    "fuzz_venues.py": 8,
}


@pytest.mark.skipif("TALLYPROOF_SLOW" not in os.environ, reason="TALLYPROOF_SLOW is not set")
@pytest.mark.parametrize("target", TARGETS)
def test_a_megabyte_is_cheap(target: str) -> None:
    """Each hostile input, in seconds of processor time; all of them, in memory at the peak."""
    done = subprocess.run(
        [sys.executable, HERE / "hostile.py", target, str(SIZE)], check=True, capture_output=True
    )
    cost = json.loads(done.stdout)
    allowed = SECONDS * READS.get(target, 1) * SIZE / MEGABYTE
    assert {name: took for name, took in cost["seconds"].items() if took > allowed} == {}
    assert cost["mebibytes"] < MEBIBYTES
