"""``tallyproof policy show``: what is trusted."""

from __future__ import annotations

import typer

from verifier.cli.options import OutputOption, PolicyOption, emit, policy_from

app = typer.Typer(add_completion=False, help="Show what the verifier trusts.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Show what the verifier trusts."""


@app.command("show", epilog="Example: tallyproof policy show --policy policy.toml")
def show(policy: PolicyOption = None, output: OutputOption = None) -> None:
    """
    Print the policy in force, defaults included; its hash goes to standard error.

    The hash is the SHA-256 of exactly the text that is printed, and the one
    that reports state.
    """
    trusted = policy_from(policy)
    emit(trusted.to_toml().encode(), output)
    typer.echo(f"sha256 {trusted.sha256}", err=True)
