"""``tallyproof audit``: everything in a bundle."""

from __future__ import annotations

import typer

from verifier.cli.options import (
    AlsoOption,
    BundleArgument,
    EngineOption,
    Findings,
    FindingsOption,
    FormatOption,
    JobsOption,
    NoColorOption,
    OutputOption,
    PolicyOption,
    QuietOption,
    ReportFormat,
    ResumeOption,
    SchedulerOption,
    SignOption,
    emit_report,
    policy_from,
    reports_from,
)
from verifier.cli.progress import progress_bar

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: tallyproof audit season.zip --policy policy.toml")
def audit_command(
    path: BundleArgument,
    form: FormatOption = ReportFormat.TEXT,
    output: OutputOption = None,
    policy: PolicyOption = None,
    jobs: JobsOption = 1,
    findings: FindingsOption = Findings.PROBLEMS,
    also: AlsoOption = None,
    sign: SignOption = None,
    engine: EngineOption = None,
    scheduler: SchedulerOption = None,
    resume: ResumeOption = None,
    quiet: QuietOption = False,
    no_color: NoColorOption = False,
) -> None:
    """Verify everything in an evidence bundle."""
    from verifier.audit import audit  # noqa: PLC0415 - not for --help
    from verifier.engine import engine_for  # noqa: PLC0415 - as above

    chosen = engine_for(None if engine is None else engine.value, jobs=jobs, scheduler=scheduler)
    trusted = policy_from(policy)
    more = reports_from(form, also, sign, output, resume)
    with progress_bar(quiet=quiet, no_color=no_color) as progress:
        report = audit(
            path,
            policy=trusted,
            keep=findings.value,
            progress=progress,
            engine=chosen,
            resume=resume,
        )
    emit_report(report, form=form, output=output, quiet=quiet, no_color=no_color, more=more)
