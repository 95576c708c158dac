"""Options that several commands share, and what they mean."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifier.cli.files import read_file
from verifier.errors import UsageError

if TYPE_CHECKING:
    from verifier.policy import Policy
    from verifier.report.model import Report

__all__ = [
    "BundleOption",
    "FindingsOption",
    "FormatOption",
    "JobsOption",
    "NoColorOption",
    "OutputOption",
    "PolicyOption",
    "QuietOption",
    "emit",
    "emit_report",
    "policy_from",
]


class ReportFormat(StrEnum):
    """Forms of a report."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    SARIF = "sarif"
    GITHUB = "github"
    MARKDOWN = "markdown"


class TextFormat(StrEnum):
    """Forms of everything that is no report."""

    TEXT = "text"
    JSON = "json"


class Findings(StrEnum):
    """Which findings a report lists."""

    PROBLEMS = "problems"
    ALL = "all"


FormatOption = Annotated[
    ReportFormat, typer.Option("--format", "-f", help="Form of the report.", show_default=True)
]
TextFormatOption = Annotated[
    TextFormat, typer.Option("--format", "-f", help="Form of the output.", show_default=True)
]
OutputOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="File to write; standard output if not given."),
]
PolicyOption = Annotated[
    Path | None,
    typer.Option("--policy", help="TOML file: what you trust. Default: the built-in policy."),
]
JobsOption = Annotated[
    int, typer.Option("--jobs", "-j", min=1, max=256, help="Processes to use.", show_default=True)
]
FindingsOption = Annotated[
    Findings,
    typer.Option("--findings", help="List what is not a pass, or everything.", show_default=True),
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="Write no report and no progress; only the exit code.")
]
NoColorOption = Annotated[
    bool, typer.Option("--no-color", help="No colours (also: the environment variable NO_COLOR).")
]
BundleOption = Annotated[
    Path, typer.Option("--bundle", "-b", help="Evidence bundle: directory, .zip, .tar or .tar.gz.")
]


def policy_from(path: Path | None) -> Policy:
    """Load the policy that the caller names, or the built-in one."""
    from verifier.policy import Policy, parse_policy  # noqa: PLC0415 - not every command needs it

    return Policy() if path is None else parse_policy(read_file(path), file=str(path))


def emit(data: bytes, output: Path | None) -> None:
    """
    Write data to a file, whole or not at all, or to standard output.

    Raises:
        UsageError: The file cannot be written.
        BrokenPipeError: Nobody reads standard output any more.
    """
    if output is None:
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise UsageError(f"standard output cannot be written: {error.strerror}") from None
        return
    from tempfile import NamedTemporaryFile  # noqa: PLC0415 - only with --output

    try:
        if output.exists() and not output.is_file():
            # A pipe or device is written to as it is: it cannot be replaced.
            output.write_bytes(data)
            return
        with NamedTemporaryFile(dir=output.parent, prefix=".tallyproof-", delete=False) as file:
            temporary = Path(file.name)
        try:
            temporary.write_bytes(data)
            umask = os.umask(0)
            os.umask(umask)
            temporary.chmod(0o666 & ~umask)
            temporary.replace(output)
        except BaseException:
            temporary.unlink()
            raise
    except OSError as error:
        raise UsageError(f"{output}: cannot be written: {error.strerror}") from None


def emit_report(
    report: Report,
    *,
    form: ReportFormat,
    output: Path | None,
    quiet: bool,
    no_color: bool,
) -> None:
    """Render a report, write it, and leave with the exit code of its verdict."""
    from verifier.report import RENDERERS, exit_code  # noqa: PLC0415 - after the work is done

    if not quiet or output is not None:
        if form is ReportFormat.TEXT:
            from verifier.report.text import render  # noqa: PLC0415

            color = output is None and not no_color and use_color()
            emit(render(report, color=color), output)
        else:
            emit(RENDERERS[form.value](report), output)
    raise typer.Exit(exit_code(report))


def use_color() -> bool:
    """Tell whether standard output is a terminal that may be coloured."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain
