"""
The commands of ``tallyproof``, and how they are started.

Each command is a module of this package with a Typer ``app``. It is imported,
and its options are read, when the command is asked for: doing so for all of
them would take a tenth of every start.
"""

from __future__ import annotations

import re
from collections import UserDict
from importlib import import_module
from inspect import cleandoc
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_command

from verifier.version import VERSION

if TYPE_CHECKING:
    from typer._click import Command, Context

__all__ = ["COMMANDS", "app", "run_app"]

COMMANDS: Final = (
    "audit",
    "arcana",
    "floor",
    "sharpe",
    "explain",
    "prove",
    "check-proof",
    "check-report",
    "selftest",
    "diff",
    "fetch",
    "anchor",
    "watch",
    "freeze",
    "site",
    "formulas",
    "policy",
)
"""Names in the order of the help; the module of ``check-proof`` is ``check_proof``."""

_ELSEWHERE: Final = {"site": "sitegen.cli"}


class _Commands(UserDict[str, Any]):
    """The commands by name, each built when it is first looked up."""

    def __getitem__(self, name: str) -> Command:
        command: Command | None = self.data[name]
        if command is None:
            here = f"verifier.cli.{name.replace('-', '_')}"
            module = import_module(_ELSEWHERE.get(name, here))
            command = self.data[name] = get_command(module.app)
            command.name = name
            for each in (command, *getattr(command, "commands", {}).values()):
                # Paragraphs wrap where the terminal does, and not where the docstring did.
                each.help = re.sub(r"(?<!\n)\n(?!\n)", " ", cleandoc(each.help or ""))
        return command


class _Root(TyperGroup):
    """The program itself, which knows the names of its commands and no more."""

    def __init__(self, **attributes: Any) -> None:  # noqa: ANN401 - Typer's own, passed on
        super().__init__(**attributes)
        self.commands = _Commands(dict.fromkeys(COMMANDS))

    def invoke(self, ctx: Context) -> object:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except (EOFError, SystemExit) as error:
            # Typer takes the first for a prompt without an answer and would leave with 1.
            # The second is none of ours: a library that gives up gives no verdict.
            raise RuntimeError(f"{type(error).__name__}: {error}") from error


app = typer.Typer(
    cls=_Root,
    name="tallyproof",
    help=(
        "Recompute published scores from their evidence, exactly, offline.\n\n"
        "Exit codes: 0 everything recomputed and equal; 1 a claim is wrong; "
        "2 could not run; 3 nothing wrong, but something could not be proved."
    ),
    epilog="Example: tallyproof audit season.zip --policy policy.toml",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tallyproof {VERSION}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the trace of an error.")] = False,
) -> None:
    """Recompute published scores from their evidence."""


def run_app(arguments: list[str]) -> int:
    """Run one command and return its exit code; our errors are left to the caller."""
    try:
        app(arguments, prog_name="tallyproof")
    except SystemExit as leaving:
        if isinstance(leaving.__context__, BrokenPipeError):
            # Typer leaves with 1, which here would mean that a claim is wrong.
            raise leaving.__context__ from None
        code = leaving.code
        return code if isinstance(code, int) else 0 if code is None else 1
    return 0
