"""``tallyproof check-proof``: one record, one anchor, offline."""

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
    emit_report,
    policy_from,
)

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: tallyproof check-proof proof.json")
def check_proof_command(
    file: Annotated[
        Path, typer.Argument(help="Proof file, of tallyproof or of /v1/anchors/leaves/SEAL.")
    ],
    root: Annotated[
        str | None,
        typer.Option("--root", help="Root of the hour that you trust, for a proof of the Floor."),
    ] = None,
    form: FormatOption = ReportFormat.TEXT,
    output: OutputOption = None,
    policy: PolicyOption = None,
    findings: FindingsOption = Findings.PROBLEMS,
    quiet: QuietOption = False,
    no_color: NoColorOption = False,
) -> None:
    """
    Check a proof file, offline.

    The record hashes to its seal, the seal is a leaf of the root, and the root
    is in a mined transaction of a sender that the policy trusts; or, for an entry of
    the Floor, it is the root that you name with --root.
    """
    from verifier.proof import check_proof  # noqa: PLC0415 - not for --help

    trusted = policy_from(policy)
    report = check_proof(
        read_file(file), name=file.name, policy=trusted, root=root, keep=findings.value
    )
    emit_report(report, form=form, output=output, quiet=quiet, no_color=no_color)
