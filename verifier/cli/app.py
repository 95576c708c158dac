"""The commands of ``tallyproof``, and how they are started."""

from __future__ import annotations

from typing import Annotated

import typer

from verifier.cli import arcana, audit, diff, explain, formulas, policy, prove
from verifier.version import VERSION

__all__ = ["app", "run_app"]

app = typer.Typer(
    name="tallyproof",
    help=(
        "Recompute published scores from their evidence, exactly, offline.\n\n"
        "Exit codes: 0 everything recomputed and equal; 1 a claim is wrong; "
        "2 could not run; 3 nothing wrong, but something could not be proved."
    ),
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


app.command("audit", epilog="Example: tallyproof audit season.zip --policy policy.toml")(
    audit.audit_command
)
app.add_typer(arcana.app, name="arcana")
app.command("explain", epilog="Example: tallyproof explain 5ab1f2 --bundle season/")(
    explain.explain_command
)
app.command("prove", epilog="Example: tallyproof prove SEAL --bundle season/ -o proof.json")(
    prove.prove_command
)
app.command("check-proof", epilog="Example: tallyproof check-proof proof.json")(
    prove.check_proof_command
)
app.command("diff", epilog="Example: tallyproof diff september.zip october.zip --expect extension")(
    diff.diff_command
)
app.command("formulas", epilog="Example: tallyproof formulas arcana-score-formula/v1")(
    formulas.formulas_command
)
app.add_typer(policy.app, name="policy")


def run_app(arguments: list[str]) -> int:
    """Run one command and return its exit code; our errors are left to the caller."""
    try:
        app(arguments, prog_name="tallyproof")
    except SystemExit as leaving:
        code = leaving.code
        return code if isinstance(code, int) else 0 if code is None else 1
    return 0
