"""``tallyproof prove``: one record, one file."""

from __future__ import annotations

from typing import Annotated

import typer

from verifier.cli.options import BundleOption, OutputOption, PolicyOption, emit, policy_from

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: tallyproof prove SEAL --bundle season/ -o proof.json")
def prove_command(
    seal: Annotated[
        str, typer.Argument(help="Seal of the record or call, or hash of the entry, 64 hex digits.")
    ],
    bundle: BundleOption = ".",
    output: OutputOption = None,
    policy: PolicyOption = None,
) -> None:
    """Write a one-file inclusion proof of any sealed record of a bundle."""
    from verifier.bundle import open_bundle  # noqa: PLC0415 - not for --help
    from verifier.proof import prove  # noqa: PLC0415

    trusted = policy_from(policy)
    with open_bundle(bundle, limits=trusted.limits) as evidence:
        emit(prove(evidence, seal, policy=trusted), output)
