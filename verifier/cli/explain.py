"""``tallyproof explain``: every step from the evidence to one published number."""

from __future__ import annotations

from typing import Annotated

import typer

from verifier.cli.options import (
    BundleOption,
    NoColorOption,
    OutputOption,
    PolicyOption,
    TextFormat,
    TextFormatOption,
    emit,
    policy_from,
    use_color,
)

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: tallyproof explain 5ab1f2 --bundle season/")
def explain_command(
    subject: Annotated[
        str,
        typer.Argument(
            help="A seal, the beginning of one (6 digits or more), or a subject as reports "
            "name it, such as 'score AGENT TIME'."
        ),
    ],
    bundle: BundleOption = ".",
    form: TextFormatOption = TextFormat.TEXT,
    output: OutputOption = None,
    policy: PolicyOption = None,
    no_color: NoColorOption = False,
) -> None:
    """
    Show every step from the raw evidence to one published number.

    Published and recomputed values stand side by side with their bits, and the
    first that differs is marked. Exits with 1 when something differs, with 3 when
    evidence is missing.
    """
    from verifier.bundle import open_bundle  # noqa: PLC0415 - not for --help
    from verifier.explain import explain  # noqa: PLC0415
    from verifier.explanation import render_json, render_text  # noqa: PLC0415

    trusted = policy_from(policy)
    with open_bundle(bundle, limits=trusted.limits) as evidence:
        explanation = explain(evidence, subject, policy=trusted)
    if form is TextFormat.JSON:
        emit(render_json(explanation), output)
    else:
        color = output is None and not no_color and use_color()
        emit(render_text(explanation, color=color), output)
    differs = explanation.first_difference is not None
    raise typer.Exit(1 if differs else 3 if explanation.unproven else 0)
