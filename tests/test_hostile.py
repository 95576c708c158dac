"""The command line against a hostile surrounding: one line, the right code, and no waiting."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Final

import pytest
from shared import FIXTURES, ROOT

if TYPE_CHECKING:
    from pathlib import Path

DEMO: Final = FIXTURES / "arcana-demo"
POLICY: Final = FIXTURES / "policy.toml"
TOOL: Final = f"{sys.executable} -m verifier"


def shell(command: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of shell at the root of the checkout; nothing here may take long."""
    return subprocess.run(
        ["/bin/sh", "-c", command],
        capture_output=True,
        check=False,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
        timeout=30,
    )


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full", ">&- 2>&-", "2>/dev/null"])
def test_the_code_does_not_hang_on_standard_error(redirection: str) -> None:
    """With nobody to tell why, an audit that cannot run still leaves with 2, never a verdict."""
    assert shell(f"{TOOL} audit no-such-bundle {redirection}").returncode == 2
    done = shell(f"{TOOL} audit {DEMO} --policy {POLICY} -q {redirection}")
    assert done.returncode == 0


@pytest.mark.parametrize(
    "command",
    [
        "arcana score PIPE",
        "check-proof PIPE",
        f"audit {DEMO} --policy PIPE",
        "policy show --policy PIPE",
        "audit PIPE",
    ],
)
def test_a_pipe_without_a_writer_is_not_waited_for(tmp_path: Path, command: str) -> None:
    """Opening it would never return."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = shell(f"{TOOL} {command.replace('PIPE', str(pipe))}")
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert str(pipe).encode() in done.stderr


def test_a_pipe_with_a_writer_is_read() -> None:
    """A policy may come through a pipe."""
    done = shell(f"cat {POLICY} | {TOOL} policy show --policy /dev/stdin")
    assert (done.returncode, b'participation = "engine"' in done.stdout) == (0, True)


def test_a_report_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """Where no file may grow to its size, nothing of it stays behind."""
    # Ignored, the signal becomes an error of the write, as a full disk gives.
    # Compiled modules would be cut off too, and break every later run.
    limit = "trap '' XFSZ; ulimit -f 1; export PYTHONDONTWRITEBYTECODE=1"
    report = f"-f json --findings all -o {tmp_path}/report.json"
    done = shell(f"{limit}; {TOOL} audit {DEMO} {report}")
    assert done.returncode == 2
    assert b"cannot be written" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_is_one_line(tmp_path: Path, jobs: str) -> None:
    """Processes and pools write no trace of their own."""
    slow = tmp_path / "slow.py"
    slow.write_text(
        "import signal, time\n"
        # Where tests run in the background it is ignored, and that is inherited.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import verifier.arcana.checks.records as records\n"
        "true = records.check_manifest\n"
        "def late(*args, **more):\n"
        "    time.sleep(0.02)\n"
        "    return true(*args, **more)\n"
        "records.check_manifest = late\n"
        "from verifier.cli import main\n"
        "main()\n"
    )
    running = subprocess.Popen(
        [sys.executable, slow, "audit", DEMO, "--jobs", jobs],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    time.sleep(2.5)
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=20)
    assert (running.returncode, out) == (130, b"")
    assert err == b"tallyproof: interrupted\n"
