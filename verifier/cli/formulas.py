"""``tallyproof formulas``: the formula versions that this release knows."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verifier.cli.options import OutputOption, TextFormat, TextFormatOption, emit
from verifier.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: tallyproof formulas arcana-score-formula/v1")
def formulas_command(
    formula_id: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", help="Formula version; all of them if not given."),
    ] = None,
    form: TextFormatOption = TextFormat.TEXT,
    output: OutputOption = None,
) -> None:
    """
    List the formula versions, or show one: its steps, constants and source.

    A released version is never edited: what changes a number is a new version.
    """
    import json  # noqa: PLC0415 - not for --help

    from formulas.errors import UnknownFormulaError  # noqa: PLC0415
    from formulas.registry import FORMULAS, formula, read_document  # noqa: PLC0415

    if formula_id is None:
        if form is TextFormat.JSON:
            listed = [
                {"id": item.id, "family": item.family, "title": item.title}
                for item in FORMULAS.values()
            ]
            emit((json.dumps(listed, indent=1) + "\n").encode(), output)
            return
        wide = max(len(item) for item in FORMULAS)
        rows = [f"{item.id:<{wide}}  {item.title}" for item in FORMULAS.values()]
        emit(("\n".join(rows) + "\n").encode(), output)
        return
    try:
        document = read_document(formula(formula_id))
    except UnknownFormulaError as error:
        known = ", ".join(FORMULAS)
        raise UsageError(f"{error}; known are {known}") from None
    if form is TextFormat.JSON:
        emit((json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode(), output)
    else:
        emit(("\n".join(_document(document)) + "\n").encode(), output)


def _document(document: Mapping[str, Any]) -> Iterator[str]:
    in_force = document["in_force"]
    yield document["title"]
    yield f"id        {document['id']}"
    since = in_force["from"] or "a day that its publisher does not state"
    yield f"in force  from {since} until {in_force['until'] or 'today'}"
    for source in document["source"]:
        yield fill(source, 80, initial_indent="source    ", subsequent_indent=" " * 10)
    yield ""
    yield "Constants"
    yield from _constants(document["constants"], "  ")
    yield ""
    yield "Steps"
    for number, step in enumerate(document["steps"], start=1):
        yield fill(step, 80, initial_indent=f"{number:>3}  ", subsequent_indent="     ")
    if document.get("notes"):
        yield ""
        yield "Notes"
        for note in document["notes"]:
            yield fill(note, 80, initial_indent="  - ", subsequent_indent="    ")


def _constants(constants: Mapping[str, Any], indent: str) -> Iterator[str]:
    for name, value in constants.items():
        if isinstance(value, dict):
            yield f"{indent}{name}"
            yield from _constants(value, f"{indent}  ")
        else:
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            label = f"{indent}{name:<28} "
            yield fill(
                text,
                80,
                initial_indent=label,
                subsequent_indent=" " * len(label),
                break_long_words=False,
                break_on_hyphens=False,
            )
