"""An audit that ends early takes all of its processes with it, and says one line."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import Final

import pytest
from shared import FIXTURES, ROOT

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="processes are not forked there")

# The real command, but every item says that it is being checked, and takes its time.
PROGRAM: Final = """
import os, signal, time
import verifier.audit as audit
check = audit._check
def slowly(shared, task):
    os.write(1, b".")
    time.sleep(0.2)
    return check(shared, task)
audit._check = slowly
from verifier.cli import main
# A shell that runs something in the background has it ignore interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
main()
"""


def _started() -> subprocess.Popen[bytes]:
    """Start an audit in two processes, and wait until both are in the middle of an item."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "audit", str(FIXTURES / "arcana-demo"), "--jobs", "2"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.read(2) == b".."
    return process


def _end(process: subprocess.Popen[bytes]) -> tuple[int, bytes]:
    """Wait until nobody can write to its output any more: it and all processes have ended."""
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors


@pytest.mark.parametrize("times", [1, 3])
def test_an_interrupt_is_one_line(times: int) -> None:
    """On a terminal it reaches all processes; an impatient second one changes nothing."""
    process = _started()
    for _ in range(times):
        process.send_signal(signal.SIGINT)
    assert _end(process) == (130, b"tallyproof: interrupted\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_an_audit_that_is_killed_leaves_no_process_behind(number: signal.Signals) -> None:
    """Nobody tells its processes, so they see to it themselves."""
    process = _started()
    process.send_signal(number)
    assert _end(process) == (-number, b"")
