"""The pages of the Floor's formulas: baseline, points, Brier, standing, and both rule sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from sitegen.commands import REBUILD
from sitegen.components import Cell, Column, Row, Table, missing_cell
from sitegen.floor.formula_steps import BASELINE, FORMULAS, FULL, RULES
from sitegen.floor.rules_page import breakable
from sitegen.formula_parts import code_of, code_sha256, step_math
from sitegen.model import Crumb, Page
from sitegen.text import shown
from verifier.dossier.floor_rules import constants_of, known_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitegen.floor.formula_steps import FloorFormula
    from verifier.dossier.floor_rules import Constant

__all__ = ["formula_page", "formula_pages"]

COLUMNS: Final = (
    Column("constant", "constant", "text"),
    Column("value", "value", "text"),
    Column("before", "in the version before", "text"),
    Column("words", "what it is", "text"),
    Column("mark", "fixed by", "text", note="S: the Floor's own rules. F: the evidence format."),
)


def formula_page(slug: str) -> str:
    """The page of a formula."""
    return f"formulas/{slug}/index.html"


def formula_pages() -> Iterator[Page]:
    """Make a page of every formula of the Floor."""
    for each in FORMULAS:
        before = RULES if each is FULL else None
        constants = _constants(each)
        code = code_of("floor", *each.code)
        earlier = None if before is None else _constants(before)
        changed = [] if earlier is None else list(_changes(constants, earlier))
        yield Page(
            path=formula_page(each.slug),
            template="floor/formula.html",
            title=each.title,
            finding=each.what,
            trail=(Crumb("Formulas", "formulas/index.html"), Crumb(each.id)),
            values={
                "formula": each,
                "before": None if before is None else (before.id, formula_page(before.slug)),
                "after": (FULL.id, formula_page(FULL.slug)) if each is RULES else None,
                "changes": changed,
                "steps": [
                    (str(number), step.words, step_math(*step.latex))
                    for number, step in enumerate(each.steps, start=1)
                ],
                "constants": _table(constants, earlier),
                "code": code,
            },
            data_sha256=code_sha256(code),
            command=_command(each),
            search=f"{each.id} {each.title} formula constants steps Floor",
        )


def _command(formula: FloorFormula) -> str:
    # The full rule set is a reference's: no release of the verifier has a document of it.
    if formula is FULL:
        return REBUILD
    document = formula.id if formula is BASELINE else formula.rule_set
    return f"tallyproof formulas {document}"


def _constants(formula: FloorFormula) -> list[Constant]:
    """Take the constants that a formula uses; all of them for a rule set."""
    found = constants_of(known_document(formula.rule_set))
    if not formula.groups:
        return list(found)
    return [
        each
        for each in found
        if each.group in formula.groups or f"{each.group}.{each.name}" in formula.groups
    ]


def _name(constant: Constant) -> str:
    return f"{constant.group}.{constant.name}" if constant.name else constant.group


def _changes(constants: Sequence[Constant], earlier: Sequence[Constant]) -> Iterator[str]:
    values = {_name(each): each.value for each in earlier}
    for each in constants:
        name = _name(each)
        if values.get(name) != each.value:
            yield f"{name} is {each.value}; before, it was {values.get(name, 'not there')}."


def _table(constants: Sequence[Constant], earlier: Sequence[Constant] | None) -> Table:
    values = None if earlier is None else {_name(each): each.value for each in earlier}
    return Table("constants", "Constants", COLUMNS, [_row(each, values) for each in constants])


def _row(constant: Constant, earlier: dict[str, str] | None) -> Row:
    name = _name(constant)
    if earlier is None:
        before = missing_cell("there is no version before")
    elif earlier.get(name) == constant.value:
        before = Cell("the same")
    else:
        text = earlier.get(name, "not there")
        before = Cell(text, html=Markup("<b>{}</b>").format(shown(text)))
    return Row(
        f"constant-{name.replace('.', '-')}",
        [
            Cell(name, html=breakable(name)),
            Cell(constant.value, html=Markup("<code>{}</code>").format(shown(constant.value))),
            before,
            Cell(constant.words),
            Cell(constant.mark or "not known"),
        ],
    )
