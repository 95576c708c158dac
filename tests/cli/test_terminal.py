"""What a terminal shows: colours only where they are wanted, help with an example."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from shared import FIXTURES
from typer.main import get_command

from formulas.registry import FORMULAS
from verifier.cli import main
from verifier.cli.app import COMMANDS, app

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")

DEMO: Final = str(FIXTURES / "arcana-demo")
COLOUR: Final = re.compile(rb"\x1b\[[0-9;]*m")


def on_a_terminal(*arguments: str, **environment: str) -> bytes:
    """Run the command on a terminal of its own, and give all that it shows."""
    plain = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "verifier", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={**plain, "COLUMNS": "80", "TERM": "xterm-256color", **environment},
    ):
        os.close(theirs)
        shown = b"".join(_until_closed(ours))
    os.close(ours)
    return shown


def _until_closed(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # how Linux says that the other side has closed
            return
        if not part:
            return
        yield part


def test_a_terminal_gets_colours_and_a_progress_bar() -> None:
    """Both go only to a terminal, and the bar is gone when the report comes."""
    shown = on_a_terminal("audit", DEMO)
    assert COLOUR.search(shown)
    assert b"hashing" in shown
    assert b"hashing" not in shown[shown.index(b"tallyproof 0") :]


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [((), {"NO_COLOR": "1"}), ((), {"TERM": "dumb"}), (("--no-color",), {})],
    ids=["NO_COLOR", "dumb", "--no-color"],
)
def test_no_colour_where_none_is_wanted(
    arguments: tuple[str, ...], environment: Mapping[str, str]
) -> None:
    """Neither in the report nor in the progress bar."""
    shown = on_a_terminal("audit", DEMO, *arguments, **environment)
    assert b"VERDICT: FAIL" in shown
    assert not COLOUR.search(shown)


def leaves() -> Iterator[tuple[str, Any]]:
    """Every command that does something, by its whole name."""
    for name in COMMANDS:
        command = get_command(app).commands[name]  # type: ignore[attr-defined] # a group
        below = getattr(command, "commands", None)
        yield from (
            [(name, command)]
            if below is None
            else [(f"{name} {each}", leaf) for each, leaf in below.items()]
        )


@pytest.mark.parametrize(
    ("name", "command"), [pytest.param(*leaf, id=leaf[0]) for leaf in leaves()]
)
def test_every_command_shows_an_example_that_parses(
    name: str, command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The example in the help is one of this command, with options that it has."""
    monkeypatch.chdir(tmp_path)
    program, *words = command.epilog.removeprefix("Example: ").split()
    assert program == "tallyproof"
    assert words[: len(name.split())] == name.split()
    command.make_context(name, words[len(name.split()) :]).close()


def test_paragraphs_of_the_help_wrap_at_the_terminal() -> None:
    """A narrow terminal shows no line with a single word left over from the source."""
    done = subprocess.run(
        [sys.executable, "-m", "verifier", "check-proof", "--help"],
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "60", "PYTHONIOENCODING": "utf-8"},
    )
    shown = done.stdout
    prose = shown[shown.index("The record hashes") : shown.index("--root.")]
    lines = [line.strip() for line in prose.splitlines()]
    assert len(lines) > 3
    assert min(len(line) for line in lines[:-1]) > 40


@pytest.mark.parametrize("formula_id", FORMULAS)
def test_documents_of_formulas_fit_eighty_columns(
    formula_id: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Lists of constants wrap, and are written without the marks of any language."""
    with pytest.raises(SystemExit) as leaving:
        main(["formulas", formula_id])
    shown = capfdbinary.readouterr().out.decode()
    assert leaving.value.code == 0
    assert max(map(len, shown.splitlines())) <= 80
    constants = shown[shown.index("\nConstants\n") : shown.index("\nSteps\n")]
    assert not set("[]'{}") & set(constants)
