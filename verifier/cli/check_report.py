"""``tallyproof check-report``: a report that somebody else made."""

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
    QuietOption,
    ReportFormat,
    bundle_option,
    emit_report,
    policy_from,
)

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: tallyproof check-report report.json --key maintainer.pem")
def check_report_command(
    file: Annotated[
        Path, typer.Argument(help="Report of audit --format json or intoto, signed or not.")
    ],
    key: Annotated[
        list[Path] | None,
        typer.Option("--key", help="Ed25519 public key in PEM that you trust; may be repeated."),
    ] = None,
    bundle: Annotated[
        str | None,
        bundle_option("--bundle", "-b", about="Bundle that the report must be about."),
    ] = None,
    policy: Annotated[
        Path | None, typer.Option("--policy", help="Policy that the report must have judged by.")
    ] = None,
    form: FormatOption = ReportFormat.TEXT,
    output: OutputOption = None,
    findings: FindingsOption = Findings.PROBLEMS,
    quiet: QuietOption = False,
    no_color: NoColorOption = False,
) -> None:
    """
    Check a report that somebody else made.

    A key that you trust signed it, its figures agree with each other, and it is
    about the bundle and the policy that you name. Whether it is true shows in
    auditing the bundle yourself.
    """
    from verifier.bundle import open_bundle  # noqa: PLC0415 - not for --help
    from verifier.signed import check_report  # noqa: PLC0415

    trusted = policy_from(policy)
    digest = None
    if bundle is not None:
        with open_bundle(bundle, limits=trusted.limits) as opened:
            digest = opened.sha256
    report = check_report(
        read_file(file),
        name=file.name,
        policy=trusted,
        keys=[(str(path), read_file(path)) for path in key or ()],
        bundle_sha256=digest,
        policy_sha256=None if policy is None else trusted.sha256,
        keep=findings.value,
    )
    emit_report(report, form=form, output=output, quiet=quiet, no_color=no_color)
