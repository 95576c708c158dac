"""
The command line: a thin face over functions that a notebook can call.

Exit codes are stable: 0 everything recomputed and equal, 1 a claim is wrong,
2 it could not run, 3 nothing wrong but something could not be proved. Every
error of ours becomes one line on standard error and exit code 2; so does a
bug, whose trace ``--debug`` shows.
"""

from __future__ import annotations

import os
import signal
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn, TextIO

from verifier.errors import TallyproofError

__all__ = ["main"]

CANNOT_RUN = 2
INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> None:
    """Run the command line, and leave the process with its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    # Before parsing, so that it works behind any command and for errors of parsing.
    debug = "--debug" in given
    # Without standard error there is no talk, and the exit code still tells.
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - open until the process ends
    # A terminal that cannot show a character shows its number.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(_run([item for item in given if item != "--debug"], debug=debug))


def _run(arguments: list[str], *, debug: bool) -> int:
    from verifier.cli.app import run_app  # noqa: PLC0415 - errors of importing are ours to show

    try:
        code = run_app(arguments)
        # Typer turns an interrupt into this code, without a word.
        return code if code != INTERRUPTED else _interrupted()
    except TallyproofError as error:
        if debug:
            raise
        return _cannot_run(str(error))
    except KeyboardInterrupt:
        return _interrupted()
    except BrokenPipeError:
        # The reader of our output has gone; nothing more can be said to it.
        _forget(sys.stdout)
        return CANNOT_RUN
    except MemoryError:
        if debug:
            raise
        return _cannot_run("there is not enough memory")
    except Exception as error:
        if debug:
            raise
        kind = type(error).__name__
        return _cannot_run(f"this is a bug, --debug shows the trace: {kind}: {error}")


def _interrupted() -> NoReturn:
    # Everything of ours is cleaned up. Libraries may have threads that wait for a peer, and
    # would write traces if somebody interrupted that too; nobody waits for them.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _cannot_run("interrupted", INTERRUPTED)
    os._exit(INTERRUPTED)


def _cannot_run(message: str, code: int = CANNOT_RUN) -> int:
    from verifier.report.visible import visible  # noqa: PLC0415 - only for errors

    try:
        sys.stderr.write(f"tallyproof: {visible(message)}\n")
        sys.stderr.flush()
    except OSError:
        _forget(sys.stderr)
    return code


def _forget(stream: TextIO) -> None:
    # What it still holds would be written when Python ends, and change the exit code.
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
