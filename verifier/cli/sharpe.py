"""``tallyproof sharpe …``: one board, boards from rows, and the log of a curriculum."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifier.cli.files import read_file
from verifier.cli.options import (
    Findings,
    FindingsOption,
    FormatOption,
    NoColorOption,
    OutputOption,
    PolicyOption,
    QuietOption,
    ReportFormat,
    TextFormat,
    TextFormatOption,
    bundle_option,
    emit,
    emit_report,
    policy_from,
    use_color,
)
from verifier.errors import EvidenceError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from verifier.core.jsonread import JsonValue
    from verifier.findings import Finding
    from verifier.policy import Policy
    from verifier.report.model import Keep
    from verifier.sharpe.board import Board
    from verifier.sharpe.checks.returns import RowReturns
    from verifier.sharpe.context import BoardFile
    from verifier.sharpe.single import BoardAudit

app = typer.Typer(
    add_completion=False,
    help="Recompute leaderboards of SharpeArena, and make them from rows.",
    no_args_is_help=True,
)


@app.callback()
def _group() -> None:
    """Recompute leaderboards of SharpeArena, and make them from rows."""


@app.command("board", epilog="Example: tallyproof sharpe board season/sharpe/boards/calm.json")
def board_command(
    file: Annotated[
        Path | None, typer.Argument(help="The board: sharpe/boards/NAME.json in a bundle.")
    ] = None,
    bundle: Annotated[
        str | None,
        bundle_option(
            *("--bundle", "-b"), about="Bundle of the returns; the one around FILE if not given."
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="Name of a board of the bundle, instead of FILE.")
    ] = None,
    regenerate: Annotated[
        bool,
        typer.Option(
            "--regenerate",
            help="Also replay the seeds through the public package (extra arena), and compare.",
        ),
    ] = False,
    form: FormatOption = ReportFormat.TEXT,
    output: OutputOption = None,
    policy: PolicyOption = None,
    findings: FindingsOption = Findings.PROBLEMS,
    quiet: QuietOption = False,
    no_color: NoColorOption = False,
) -> None:
    """
    Recompute one leaderboard from its per-seed returns.

    Shows the board with its intervals, ties and what each gate said, then the findings.
    Exits with the verdict on this board alone. A FILE outside the bundle is judged as
    the bundle's board of that name.
    """
    audit = _audit(
        file, bundle, name, policy_from(policy), keep=findings.value, regenerate=regenerate
    )
    if form is ReportFormat.TEXT and (not quiet or output is not None):
        from verifier.cli.sharpe_text import board  # noqa: PLC0415 - not for --help
        from verifier.report import exit_code  # noqa: PLC0415
        from verifier.report.text import render  # noqa: PLC0415

        color = output is None and not no_color and use_color()
        emit(board(audit) + b"\n" + render(audit.report, color=color), output)
        raise typer.Exit(exit_code(audit.report))
    emit_report(audit.report, form=form, output=output, quiet=quiet, no_color=no_color)


def _audit(
    file: Path | None,
    bundle: str | None,
    name: str | None,
    policy: Policy,
    *,
    keep: Keep,
    regenerate: bool,
) -> BoardAudit:
    from verifier.bundle import open_bundle, overlay  # noqa: PLC0415 - not for --help
    from verifier.sharpe.context import BOARDS  # noqa: PLC0415
    from verifier.sharpe.single import audit_board  # noqa: PLC0415

    if (file is None) == (name is None):
        raise UsageError("name one board: by its FILE, or by --name and --bundle")
    further = _regenerate if regenerate else None
    if file is None or name is not None:
        if bundle is None or name is None:
            raise UsageError("--name needs --bundle")
        with open_bundle(bundle, limits=policy.limits) as opened:
            return audit_board(opened, name, policy=policy, keep=keep, further=further)
    data = read_file(file)
    root = _around(file) if bundle is None else bundle
    with open_bundle(root, limits=policy.limits) as opened:
        path = f"{BOARDS}{file.stem}.json"
        judged = opened
        if not opened.has(path) or opened.read(path) != data:
            judged = overlay(opened, {path: data}, relist=True)
        return audit_board(judged, file.stem, policy=policy, keep=keep, further=further)


def _around(file: Path) -> Path:
    """Find the bundle that a file lies in."""
    for folder in file.absolute().parents:
        if (folder / "bundle.json").is_file():
            return folder
    raise UsageError(f"{file}: lies in no bundle (a folder with bundle.json); name it by --bundle")


def _regenerate(file: BoardFile, board: Board, rows: Sequence[RowReturns]) -> Iterable[Finding]:
    from verifier.sharpe.regenerate import installed_arena, regenerate  # noqa: PLC0415 - if asked

    return regenerate(installed_arena(), file, board, rows)


@app.command(
    "import",
    epilog="Example: tallyproof sharpe import rows.json --name calm --release 0.31.0 -o calm/",
)
def import_command(
    rows: Annotated[Path, typer.Argument(help="Rows of run_baselines(), written as JSON.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="New folder for the bundle.")],
    name: Annotated[str, typer.Option("--name", help="Name of the board.")],
    release: Annotated[
        str, typer.Option("--release", help="Release of sharpearena that made the rows.")
    ],
    pairs: Annotated[
        Path | None,
        typer.Option("--pairs", help="Pairs of pairwise_significance(); computed if not given."),
    ] = None,
    tier: Annotated[str, typer.Option("--tier", help="calm, hard or extreme.")] = "calm",
    seeds: Annotated[
        str, typer.Option("--seeds", help="Seeds in their order: 0-15, or 3,1,2.")
    ] = "0-7",
    symbols: Annotated[int, typer.Option("--symbols", min=1, help="Number of symbols.")] = 4,
    trials: Annotated[int, typer.Option("--trials", min=0, help="Declared trials.")] = 6,
    alpha: Annotated[float, typer.Option("--alpha", help="One minus the confidence.")] = 0.05,
    n_boot: Annotated[int, typer.Option("--n-boot", min=0, help="Number of resamples.")] = 2000,
    resample_seed: Annotated[
        int, typer.Option("--resample-seed", min=0, help="Seed of the resampling.")
    ] = 0x5BA72026,
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", help="Time that the bundle speaks of; now if not given."),
    ] = None,
) -> None:
    """
    Make a bundle with one board from the rows of the public package.

    The package is not imported. What rows do not say (eligibility, gaps) stays null,
    and is unproven in an audit.
    """
    from formulas.sharpe.interval import Bootstrap  # noqa: PLC0415 - not for --help
    from verifier.sharpe.convert import Setup, convert, read_pairs  # noqa: PLC0415

    setup = Setup(
        name=name,
        release=release,
        tier=tier,
        seeds=_seeds(seeds),
        as_of=as_of or _now(),
        symbols=symbols,
        bootstrap=Bootstrap(trials=trials, n_boot=n_boot, resample_seed=resample_seed, alpha=alpha),
    )
    read = _json(rows)
    paired = None if pairs is None else _json(pairs)
    if pairs is not None:
        try:
            read_pairs(paired)
        except EvidenceError as error:
            raise error.in_file(str(pairs)) from None
    try:
        files = convert(read, paired, setup)
    except EvidenceError as error:
        raise error.in_file(str(rows)) from None
    _write(output, files)


def _json(path: Path) -> JsonValue:
    from verifier.core.jsonread import read_json  # noqa: PLC0415 - not for --help

    try:
        return read_json(read_file(path))
    except EvidenceError as error:
        raise error.in_file(str(path)) from None


def _now() -> str:
    from datetime import UTC, datetime  # noqa: PLC0415 - only where no time is given

    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _seeds(text: str) -> list[int]:
    """Read ``0-15`` or ``3,1,2``, at most 65,536 seeds."""
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        ends = (first, last if dash else first)
        if not all(end.isascii() and end.isdigit() and len(end) <= 15 for end in ends):
            raise UsageError(f"--seeds is a list such as 0-15 or 3,1,2, not {text!r}")
        start, stop = int(ends[0]), int(ends[1]) + 1
        if not 0 < stop - start <= (1 << 16) - len(found):
            raise UsageError(f"--seeds {text!r} is empty, or names more than 65536 seeds")
        found += range(start, stop)
    return found


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a bundle whole or not at all; the folder must not hold anything yet."""
    from shutil import rmtree  # noqa: PLC0415 - only here
    from tempfile import mkdtemp  # noqa: PLC0415

    temporary = None
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"{folder}: is there already, and nothing is written over")
        folder.absolute().parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(mkdtemp(prefix=".tallyproof-", dir=folder.absolute().parent))
        for path, data in files.items():
            target = temporary / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        temporary.chmod(0o755)
        temporary.replace(folder)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written: {error.strerror}") from None
    finally:
        if temporary is not None and temporary.exists():
            rmtree(temporary)


@app.command("curriculum", epilog="Example: tallyproof sharpe curriculum log.json")
def curriculum_command(
    file: Annotated[Path, typer.Argument(help="Log of an adaptive curriculum, JSON.")],
    form: TextFormatOption = TextFormat.TEXT,
    output: OutputOption = None,
) -> None:
    """
    Recompute rates, weights and selections of a recorded curriculum.

    A training aid of the protocol, no rule of a board. Exits with 1 when something
    recorded does not follow.
    """
    from verifier.cli import sharpe_text  # noqa: PLC0415 - not for --help
    from verifier.sharpe.curriculum import replay  # noqa: PLC0415

    try:
        found = replay(read_file(file))
    except EvidenceError as error:
        raise error.in_file(str(file)) from None
    json = form is TextFormat.JSON
    emit(sharpe_text.curriculum_json(found) if json else sharpe_text.curriculum(found), output)
    raise typer.Exit(1 if found.deviations else 0)
