"""``tallyproof floor …``: one call, standings, an agent's record, a season under other rules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from verifier.cli.files import read_file
from verifier.cli.options import (
    BundleArgument,
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
from verifier.errors import EvidenceError, FormatError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from formulas.floor.rules import Rules
    from verifier.floor.context import Context
    from verifier.policy import Policy

_T = TypeVar("_T")

app = typer.Typer(
    add_completion=False,
    help="Follow calls, standings and seasons of the Floor.",
    no_args_is_help=True,
)


@app.callback()
def _group() -> None:
    """Follow calls, standings and seasons of the Floor."""


@app.command("call", epilog="Example: tallyproof floor call 7a342a --bundle season/")
def call_command(
    seal: Annotated[str, typer.Argument(help="The call's seal, or 6 of its first digits or more.")],
    bundle: BundleOption = ".",
    form: TextFormatOption = TextFormat.TEXT,
    json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    output: OutputOption = None,
    policy: PolicyOption = None,
    no_color: NoColorOption = False,
) -> None:
    """
    Settle and score one call again, step by step.

    Exits with 1 when something differs, with 3 when evidence is missing.
    """
    from verifier.explanation import render_json, render_text  # noqa: PLC0415 - not for --help
    from verifier.floor.explain import explain_call  # noqa: PLC0415
    from verifier.floor.find import one_call  # noqa: PLC0415

    explanation = _with_context(
        bundle, policy_from(policy), lambda context: explain_call(context, one_call(context, seal))
    )
    if json or form is TextFormat.JSON:
        emit(render_json(explanation), output)
    else:
        color = output is None and not no_color and use_color()
        emit(render_text(explanation, color=color), output)
    differs = explanation.first_difference is not None
    raise typer.Exit(1 if differs else 3 if explanation.unproven else 0)


@app.command(
    "standings", epilog="Example: tallyproof floor standings season/ --at 2026-11-05T00:00:00Z"
)
def standings_command(
    bundle: BundleArgument,
    at: Annotated[
        str | None,
        typer.Option("--at", help="The moment, as 2026-11-05T00:00:00Z; the bundle's if none."),
    ] = None,
    form: TextFormatOption = TextFormat.TEXT,
    output: OutputOption = None,
    policy: PolicyOption = None,
) -> None:
    """
    Show where every agent stands at a moment, over all its settled calls.

    The numbers are those of the ledger; `tallyproof audit` says whether they hold.
    """
    from verifier.cli import floor_text  # noqa: PLC0415 - not for --help
    from verifier.floor.records import records_at  # noqa: PLC0415

    def show(context: Context) -> bytes:
        moment = _moment(at, context)
        records = records_at(context, moment)
        render = floor_text.standings_json if form is TextFormat.JSON else floor_text.standings
        return render(records, moment)

    emit(_with_context(bundle, policy_from(policy), show), output)


@app.command("agent", epilog="Example: tallyproof floor agent a-0007 --bundle season/")
def agent_command(
    agent: Annotated[str, typer.Argument(help="The agent's id.")],
    bundle: BundleOption = ".",
    at: Annotated[
        str | None, typer.Option("--at", help="The moment; the bundle's if none.")
    ] = None,
    form: TextFormatOption = TextFormat.TEXT,
    output: OutputOption = None,
    policy: PolicyOption = None,
) -> None:
    """Show one agent's record: its calls, how they came out, and where it stands."""
    from verifier.cli import floor_text  # noqa: PLC0415 - not for --help
    from verifier.floor.records import records_at  # noqa: PLC0415

    def show(context: Context) -> bytes:
        moment = _moment(at, context)
        for record in records_at(context, moment):
            if record.agent == agent:
                render = floor_text.agent_json if form is TextFormat.JSON else floor_text.agent
                return render(record, moment)
        raise UsageError(f"no agent of the bundle has the id {agent!r}")

    emit(_with_context(bundle, policy_from(policy), show), output)


@app.command("season", epilog="Example: tallyproof floor season season/ --rules mine.json")
def season_command(
    bundle: BundleArgument,
    rules: Annotated[Path, typer.Option("--rules", help="Rule set document to try, JSON.")],
    season: Annotated[
        str | None, typer.Option("--season", help="Id of one season; all of them if not given.")
    ] = None,
    form: TextFormatOption = TextFormat.TEXT,
    output: OutputOption = None,
    policy: PolicyOption = None,
) -> None:
    """
    Recompute a season under another rule set, and show what would change.

    A what-if: the result is not the published table, and judges nothing.
    """
    from formulas.errors import FormulaError  # noqa: PLC0415 - not for --help
    from verifier.cli import floor_text  # noqa: PLC0415
    from verifier.floor.whatif import what_if  # noqa: PLC0415

    other = _rules_of(rules)

    def show(context: Context) -> bytes:
        tables = [table for table in context.tables.seasons if season in {None, table.season_id}]
        if not tables:
            raise UsageError(f"the bundle has no season {season!r}")
        try:
            found = [what_if(context, table, other) for table in tables]
        except FormulaError as problem:
            raise UsageError(
                f"the season cannot be computed under these rules: {problem}"
            ) from None
        render = floor_text.season_json if form is TextFormat.JSON else floor_text.season
        return render(found, other.id)

    emit(_with_context(bundle, policy_from(policy), show), output)


def _with_context(bundle: str, policy: Policy, work: Callable[[Context], _T]) -> _T:
    from verifier.bundle import open_bundle  # noqa: PLC0415 - not for --help
    from verifier.floor.context import load_context  # noqa: PLC0415

    with open_bundle(bundle, limits=policy.limits) as evidence:
        if not any(path.startswith("floor/") for path in evidence.paths):
            raise UsageError("the bundle holds no evidence of the Floor")
        return work(load_context(evidence, policy))


def _moment(text: str | None, context: Context) -> int:
    from formulas.errors import FormulaDomainError  # noqa: PLC0415 - not for --help
    from formulas.floor.primitives import parse_time  # noqa: PLC0415

    if text is None:
        return context.now
    try:
        return parse_time(text)
    except FormulaDomainError as problem:
        raise UsageError(f"--at: {problem}") from None


def _rules_of(path: Path) -> Rules:
    from formulas.errors import FormulaError  # noqa: PLC0415 - not for --help
    from formulas.floor.rules import rules_from  # noqa: PLC0415
    from verifier.core.jsonread import read_json  # noqa: PLC0415

    try:
        value = read_json(read_file(path))
    except EvidenceError as error:
        raise error.in_file(str(path)) from None
    if not isinstance(value, dict):
        raise FormatError("a rule set document is an object", file=str(path))
    try:
        return rules_from(value)
    except FormulaError as problem:
        raise FormatError(str(problem), file=str(path)) from None
