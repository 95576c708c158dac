"""Options that several commands share, and what they mean."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from verifier.cli.files import read_file
from verifier.errors import EvidenceError, UsageError

if TYPE_CHECKING:
    from verifier.policy import Policy
    from verifier.report.model import Report

__all__ = [
    "AlsoOption",
    "BundleArgument",
    "BundleOption",
    "EngineOption",
    "FindingsOption",
    "FormatOption",
    "JobsOption",
    "NoColorOption",
    "OutputOption",
    "PolicyOption",
    "QuietOption",
    "ResumeOption",
    "SchedulerOption",
    "SignOption",
    "bundle_option",
    "emit",
    "emit_report",
    "place",
    "policy_from",
    "reports_from",
]


SIGNED: Final = frozenset({"json", "intoto"})
_BUNDLE: Final = "Evidence bundle: directory, .zip, .tar or .tar.gz, or the URL of one."


def place(text: str) -> str:
    """Take a URL as it is, whose slashes all count, and a path as the system spells it."""
    from verifier.bundle.location import is_url  # noqa: PLC0415 - not for --help

    return text if is_url(text) else str(Path(text))


def bundle_option(*names: str, about: str = _BUNDLE) -> Any:  # noqa: ANN401 - as Typer says
    """Make an option that takes a bundle, with its own names and help."""
    return typer.Option(*names, parser=place, help=about)


class ReportFormat(StrEnum):
    """Forms of a report."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    SARIF = "sarif"
    GITHUB = "github"
    MARKDOWN = "markdown"
    INTOTO = "intoto"
    SHIELDS = "shields"


class TextFormat(StrEnum):
    """Forms of everything that is no report."""

    TEXT = "text"
    JSON = "json"


class Findings(StrEnum):
    """Which findings a report lists."""

    PROBLEMS = "problems"
    ALL = "all"


class EngineChoice(StrEnum):
    """Who computes."""

    SERIAL = "serial"
    PROCESSES = "processes"
    DASK = "dask"


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
EngineOption = Annotated[
    EngineChoice | None,
    typer.Option("--engine", help="Who computes. Default: processes if --jobs is over 1."),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler", metavar="ADDRESS", help="Dask scheduler (needs the extra: tallyproof[dask])."
    ),
]
ResumeOption = Annotated[
    Path | None,
    typer.Option(
        "--resume", metavar="FILE", help="Journal: go on where an interrupted audit stopped."
    ),
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
AlsoOption = Annotated[
    list[str] | None,
    typer.Option(
        "--also",
        metavar="FORMAT=FILE",
        help="Write the report to a file in this form as well; may be given more than once.",
    ),
]
SignOption = Annotated[
    Path | None,
    typer.Option(
        "--sign", help="Ed25519 key in PEM: sign reports in the forms json and intoto (DSSE)."
    ),
]
BundleArgument = Annotated[str, typer.Argument(parser=place, help=_BUNDLE)]
BundleOption = Annotated[str, bundle_option("--bundle", "-b")]


@dataclass(frozen=True, slots=True)
class Reports:
    """
    What else is written of a report, and the key that signs it.

    Args:
        also: Forms and the files that they go to.
        key: Ed25519 private key in PEM.
    """

    also: tuple[tuple[ReportFormat, Path], ...] = ()
    key: bytes | None = None

    def render(self, report: Report, form: ReportFormat) -> bytes:
        """Render a report in one form; those that programs read are signed if there is a key."""
        from verifier.report import RENDERERS  # noqa: PLC0415 - after the work is done

        data = RENDERERS[form.value](report)
        if self.key is None or form.value not in SIGNED:
            return data
        from verifier.signed import sign_report  # noqa: PLC0415 - few reports are signed

        return sign_report(data, form.value, self.key)


def reports_from(
    form: ReportFormat, also: list[str] | None, sign: Path | None, *written: Path | None
) -> Reports:
    """
    Read the options that ask for more than one report, before the work begins.

    Args:
        form: Of the first report.
        also: FORMAT=FILE of the others.
        sign: The key.
        written: Other files that the command writes.

    Raises:
        UsageError: A form is unknown, two go to one file, or there is nothing to sign.
        EvidenceError: The key cannot be read, or is none.
    """
    chosen = []
    for text in also or ():
        name, equals, file = text.partition("=")
        if not equals or not file or name not in set(ReportFormat):
            forms = ", ".join(ReportFormat)
            raise UsageError(f"--also takes FORMAT=FILE with a form of {forms}, not {text!r}")
        chosen.append((ReportFormat(name), Path(file)))
    files = [file for _, file in chosen] + [file for file in written if file is not None]
    # Links are left alone: where /dev/stdout leads is where /dev/stderr may lead, too.
    if len(set(map(os.path.abspath, files))) != len(files):
        raise UsageError("one file twice among those that are to be written")
    if sign is None:
        return Reports(tuple(chosen))
    if not SIGNED & {form.value, *(one.value for one, _ in chosen)}:
        raise UsageError("--sign needs a report in the form json or intoto")
    from verifier.core.dsse import private_key  # noqa: PLC0415 - few reports are signed

    key = read_file(sign)
    try:
        private_key(key)
    except EvidenceError as error:
        raise error.in_file(str(sign)) from None
    return Reports(tuple(chosen), key)


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
    more: Reports | None = None,
) -> None:
    """Render a report, write it, and leave with the exit code of its verdict."""
    from verifier.report import exit_code  # noqa: PLC0415 - after the work is done

    more = more or Reports()
    for also, file in more.also:
        emit(more.render(report, also), file)
    if not quiet or output is not None:
        if form is ReportFormat.TEXT:
            from verifier.report.text import render  # noqa: PLC0415

            color = output is None and not no_color and use_color()
            emit(render(report, color=color), output)
        else:
            emit(more.render(report, form), output)
    raise typer.Exit(exit_code(report))


def use_color() -> bool:
    """Tell whether standard output is a terminal that may be coloured."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain
