"""``tallyproof selftest``: damage a copy of a bundle in every way, and see it caught."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from verifier.cli.options import (
    BundleArgument,
    JobsOption,
    NoColorOption,
    OutputOption,
    PolicyOption,
    QuietOption,
    TextFormat,
    TextFormatOption,
    emit,
    policy_from,
    use_color,
)
from verifier.cli.progress import progress_bar
from verifier.errors import UsageError

if TYPE_CHECKING:
    from verifier.selftest import Mutation

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: tallyproof selftest season/ --policy policy.toml --jobs 2")
def selftest_command(
    path: BundleArgument,
    form: TextFormatOption = TextFormat.TEXT,
    output: OutputOption = None,
    policy: PolicyOption = None,
    check: Annotated[
        str | None,
        typer.Option("--check", help="Try only what aims at this check, such as arcana/seal."),
    ] = None,
    jobs: JobsOption = 1,
    quiet: QuietOption = False,
    no_color: NoColorOption = False,
) -> None:
    """
    Damage one thing of every kind in a copy of a bundle, and see each caught.

    The copies are in memory. Exit codes: 0 every mutation caught by the check
    that it aims at; 1 one was not; 2 could not run; 3 the unchanged bundle does
    not pass under the policy, or it has nothing to damage for some check.
    """
    from verifier.audit import all_checks  # noqa: PLC0415 - not for --help
    from verifier.bundle import open_bundle  # noqa: PLC0415
    from verifier.selftest import run_selftest  # noqa: PLC0415
    from verifier.selftest.render import render_json, render_text  # noqa: PLC0415

    if check is not None and check not in {known.id for known in all_checks()}:
        raise UsageError(f"no check {check!r}")
    only = None if check is None else partial(_aims_at, check=check)
    trusted = policy_from(policy)
    with (
        progress_bar(quiet=quiet, no_color=no_color) as progress,
        open_bundle(path, limits=trusted.limits) as bundle,
    ):
        selftest = run_selftest(bundle, policy=trusted, jobs=jobs, only=only, progress=progress)
    if not quiet or output is not None:
        if form is TextFormat.JSON:
            emit(render_json(selftest), output)
        else:
            color = output is None and not no_color and use_color()
            emit(render_text(selftest, color=color), output)
    raise typer.Exit(selftest.exit_code)


def _aims_at(mutation: Mutation, *, check: str) -> bool:
    return mutation.aims_at == check
