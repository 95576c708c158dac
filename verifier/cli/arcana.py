"""``tallyproof arcana …``: single ARCANA records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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
    bundle_option,
    emit_report,
    policy_from,
)
from verifier.errors import UsageError

app = typer.Typer(add_completion=False, help="Verify single ARCANA records.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Verify single ARCANA records."""


@app.command("score", epilog="Example: tallyproof arcana score 5ab1f2….txt --evidence season/")
def score(
    file: Annotated[Path, typer.Argument(help="Score manifest, exactly as it was sealed.")],
    evidence: Annotated[
        str | None,
        bundle_option(
            *("--evidence", "-e"), about="Bundle that holds its inputs, anchors and chain records."
        ),
    ] = None,
    seal: Annotated[
        str | None, typer.Option("--seal", help="The seal that it must hash to, 64 hex digits.")
    ] = None,
    form: FormatOption = ReportFormat.TEXT,
    output: OutputOption = None,
    policy: PolicyOption = None,
    findings: FindingsOption = Findings.PROBLEMS,
    quiet: QuietOption = False,
    no_color: NoColorOption = False,
) -> None:
    """
    Verify one score manifest, on its own or with its evidence.

    On its own: its seal, its exact form, its formula version and constants, and
    all ten outputs, bit for bit. A file named by 64 hex digits must hash to them.
    """
    if seal is not None and (len(seal) != 64 or set(seal) - set("0123456789abcdef")):
        raise UsageError(f"--seal must be 64 lower-case hex digits, is {seal!r}")
    trusted = policy_from(policy)
    data = read_file(file)
    if evidence is None:
        from verifier.arcana.single import verify_score  # noqa: PLC0415 - not for --help

        report = verify_score(data, name=file.name, policy=trusted, seal=seal, keep=findings.value)
    else:
        from verifier.arcana.with_evidence import audit_score  # noqa: PLC0415 - only with evidence
        from verifier.bundle import open_bundle  # noqa: PLC0415

        with open_bundle(evidence, limits=trusted.limits) as bundle:
            report = audit_score(
                data, name=file.name, bundle=bundle, policy=trusted, seal=seal, keep=findings.value
            )
    emit_report(report, form=form, output=output, quiet=quiet, no_color=no_color)
