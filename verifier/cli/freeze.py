"""``tallyproof freeze``: a season's table and its evidence, from a clean audit only."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifier.cli.options import (
    BundleArgument,
    JobsOption,
    NoColorOption,
    PolicyOption,
    QuietOption,
    emit,
    policy_from,
)
from verifier.cli.progress import progress_bar
from verifier.core.shape import Obj
from verifier.report.visible import visible

if TYPE_CHECKING:
    from verifier.freeze import Frozen
    from verifier.report.model import Report

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: tallyproof freeze season.zip --season season-0 --out site/seasons")
def freeze_command(
    path: BundleArgument,
    season: Annotated[
        str,
        typer.Option("--season", help="Id of the season; for SharpeArena a name for the release."),
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder of frozen seasons.")],
    family: Annotated[
        str | None,
        typer.Option("--family", help="arcana, floor or sharpe, where two name the season."),
    ] = None,
    allow_unproven: Annotated[
        str | None,
        typer.Option(
            "--allow-unproven",
            metavar="REASON",
            help="Freeze although claims are unproven; the reason is on every page.",
        ),
    ] = None,
    policy: PolicyOption = None,
    jobs: JobsOption = 1,
    quiet: QuietOption = False,
    no_color: NoColorOption = False,
) -> None:
    """
    Freeze a season: its table, the report and policy of its audit, its evidence.

    Only a clean audit can be frozen. A season that is frozen already is never
    overwritten: with the same bytes all is well, with others the command
    refuses. Exit codes: 0 frozen; 1 a claim is wrong; 2 could not run, or
    frozen already with other bytes; 3 a claim is unproven.
    """
    from verifier.freeze import freeze  # noqa: PLC0415 - not for --help

    trusted = policy_from(policy)
    with progress_bar(quiet=quiet, no_color=no_color) as progress:
        frozen = freeze(
            path,
            season=season,
            out=out,
            policy=trusted,
            family=family,
            allow_unproven=allow_unproven,
            jobs=jobs,
            progress=progress,
        )
    if frozen.folder is None:
        from verifier.report import exit_code  # noqa: PLC0415 - only for a refusal

        if not quiet:
            typer.echo(_refusal(season, frozen.report, path, policy), err=True)
        raise typer.Exit(exit_code(frozen.report))
    if not quiet:
        emit(_success(frozen).encode(), None)


def _success(frozen: Frozen) -> str:
    from verifier.report.words import verdict_sentence  # noqa: PLC0415 - after the work is done

    record = Obj(dict(frozen.record), (), open_ended=True)
    how = "frozen now" if frozen.new else "frozen already, with the same bytes"
    lines = [
        ("season", f"{record.text('season')} ({record.text('family')}), {how}"),
        ("folder", str(frozen.folder)),
        ("evidence", str(frozen.archive)),
        ("audit", verdict_sentence(frozen.report)),
    ]
    if record.value["unproven"] is not None:
        lines.append(("reason", Obj(record.value["unproven"], ("count", "reason")).text("reason")))
    lines += [
        (name, Obj(record.value[name], ("sha256",), open_ended=True).text("sha256"))
        for name in ("bundle", "table", "report", "policy")
    ]
    return "".join(f"{label:<10}{visible(text)}\n" for label, text in lines)


def _refusal(season: str, report: Report, place: str, policy: Path | None) -> str:
    """Say which checks are in the way, and which command tells more."""
    from verifier.bundle.location import shown  # noqa: PLC0415 - as above
    from verifier.report.words import SEVERITY, verdict_sentence  # noqa: PLC0415 - as above

    lines = [f"The season {season} is not frozen.", verdict_sentence(report)]
    for check in report.checks:
        found = [
            f"{check.count(verdict)} {verdict.value}"
            for verdict in SEVERITY[:2]
            if check.count(verdict)
        ]
        if found:
            lines.append(f"  {check.id:<24}{', '.join(found)}")
    command = ["tallyproof", "audit", shown(place)]
    if policy is not None:
        command += ["--policy", str(policy)]
    lines.append(f"Each is named by: {visible(shlex.join(command), limit=None)}")
    return "\n".join(lines)
