"""How a command leaves: its exit code and one line, whatever becomes of its output."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from shared import FIXTURES

from verifier.cli import app as commands
from verifier.cli import main

DEMO: Final = str(FIXTURES / "arcana-demo")
PROGRAM: Final = (sys.executable, "-m", "verifier")
FULL: Final = Path("/dev/full")


def run(*arguments: str, encoding: str = "utf-8") -> subprocess.CompletedProcess[bytes]:
    """Run the command in a process of its own."""
    return subprocess.run(
        [*PROGRAM, *arguments],
        check=False,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp1252"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["arcana", "score", "--help"],
        ["explain", "--help"],
        ["formulas", "arcana-score-formula/v1"],
    ],
    ids=" ".join,
)
def test_a_terminal_of_another_encoding_is_no_reason_to_fail(
    arguments: list[str], encoding: str
) -> None:
    """What the encoding lacks is shown as its number."""
    done = run(*arguments, encoding=encoding)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_report_is_utf_8_on_any_terminal() -> None:
    """The bytes of a report do not depend on where they are shown."""
    reports = [run("audit", DEMO, encoding=name).stdout for name in ("utf-8", "latin-1")]
    assert reports[0] == reports[1]
    assert "✗".encode() in reports[0]


def test_an_error_names_a_path_that_the_encoding_lacks() -> None:
    """One line and exit code 2, with the character's number in it."""
    done = run("audit", "/nowhere/caf\u00e9\u2026", encoding="ascii")
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert rb"tallyproof: /nowhere/caf\xe9\u2026: cannot be read" in done.stderr


@pytest.mark.parametrize("arguments", [["audit", DEMO], ["--help"]], ids=" ".join)
def test_a_reader_that_has_gone_does_not_make_a_claim_wrong(arguments: list[str]) -> None:
    """Exit code 1 is kept for wrong claims; with no reader a command could not run."""
    with subprocess.Popen(
        [*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read()
    assert (process.returncode, errors) == (2, b"")


@pytest.mark.skipif(not FULL.exists(), reason="this system has no full device")
def test_a_full_disk_is_one_line() -> None:
    """Output that cannot be written is an error of the caller's, and not a bug."""
    with FULL.open("wb") as full:
        done = subprocess.run(
            [*PROGRAM, "policy", "show"], check=False, stdout=full, stderr=subprocess.PIPE
        )
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"standard output cannot be written" in done.stderr


def test_an_interrupt_is_130() -> None:
    """The shell's code for an interrupt, without a trace."""
    code = (
        "import os, signal\n"
        "import verifier.audit as audit\n"
        "def interrupt(*_, **__): os.kill(os.getpid(), signal.SIGINT)\n"
        "audit.audit = interrupt\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from verifier.cli import main\n"
        f"main(['audit', {DEMO!r}])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert done.returncode == 128 + signal.SIGINT
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "tallyproof: there is not enough memory\n"),
        (
            RecursionError("too deep"),
            "tallyproof: this is a bug, --debug shows the trace: RecursionError: too deep\n",
        ),
    ],
    ids=["memory", "bug"],
)
def test_what_no_error_of_ours_covers_is_one_line_too(
    error: BaseException,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exit code 2, and the trace only on demand."""

    def fail(_arguments: list[str]) -> int:
        raise error

    monkeypatch.setattr(commands, "run_app", fail)
    with pytest.raises(SystemExit) as leaving:
        main(["audit", DEMO])
    assert leaving.value.code == 2
    assert capsys.readouterr().err == message
    with pytest.raises(type(error)):
        main(["audit", DEMO, "--debug"])


@pytest.mark.parametrize("error", [EOFError("data too short"), SystemExit(0), SystemExit(None)])
def test_a_library_that_gives_up_gives_no_verdict(
    error: BaseException, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Typer would leave with 1 for the first, and with 0 for the others."""

    def fail(*_arguments: object, **_more: object) -> None:
        raise error

    monkeypatch.setattr("verifier.audit.audit", fail)
    with pytest.raises(SystemExit) as leaving:
        main(["audit", DEMO])
    assert leaving.value.code == 2
    assert capsys.readouterr().err == (
        "tallyproof: this is a bug, --debug shows the trace: "
        f"RuntimeError: {type(error).__name__}: {error}\n"
    )
