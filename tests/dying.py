"""
A command that ends, without any clean-up, before the change of the disk of a number.

Run as a program this file loads the command once, and forks for each time that it is
asked to run: every fork is a process that really ends, and only Python's start, which
writes nothing, is not waited for again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["ENDED", "dying"]

ENDED: Final = 9
OWNERS: Final = {"os": os, "Path": Path}


@contextmanager
def dying(*changes: str) -> Iterator[Callable[[int, list[str]], tuple[int, str]]]:
    """
    Start the program; what it gives runs a command that dies before a change.

    Args:
        changes: Functions that change the disk, such as ``os.rename``.

    Returns:
        A function of the number of changes that are made and of the command's arguments.
        It returns the exit code, ``ENDED`` if there was one change more, and what was said.
    """
    with subprocess.Popen(
        [sys.executable, __file__, *changes],
        cwd=Path(__file__).parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as program:

        def run(made: int, arguments: list[str]) -> tuple[int, str]:
            assert program.stdin is not None
            assert program.stdout is not None
            program.stdin.write(json.dumps([made, arguments]) + "\n")
            program.stdin.flush()
            code, said = json.loads(program.stdout.readline())
            return code, said

        yield run


def _count(made: int, changes: list[str]) -> None:
    left = made

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **options: Any) -> Any:
            nonlocal left
            if left == 0:
                os._exit(ENDED)
            left -= 1
            return call(*arguments, **options)

        return step

    for change in changes:
        owner, _, name = change.partition(".")
        setattr(OWNERS[owner], name, counted(getattr(OWNERS[owner], name)))


def _serve(changes: list[str]) -> None:
    # What every fork would load.
    import verifier.audit  # noqa: PLC0415
    import verifier.cli.app  # noqa: PLC0415
    import verifier.freeze  # noqa: F401, PLC0415
    from verifier.cli import main  # noqa: PLC0415

    for line in sys.stdin:
        made, arguments = json.loads(line)
        with tempfile.TemporaryFile() as talk:
            child = os.fork()
            if child == 0:
                os.dup2(talk.fileno(), 1)
                os.dup2(talk.fileno(), 2)
                _count(made, changes)
                main(arguments)
            _, status = os.waitpid(child, 0)
            talk.seek(0)
            said = talk.read().decode(errors="replace")
        print(json.dumps([os.waitstatus_to_exitcode(status), said]), flush=True)  # noqa: T201


if __name__ == "__main__":
    _serve(sys.argv[1:])
