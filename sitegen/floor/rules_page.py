"""The rules as frozen: every constant, who fixed it, and what it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from sitegen.commands import audit_season
from sitegen.components import Cell, Column, Row, Table
from sitegen.model import Crumb, Page
from sitegen.text import shown
from verifier.dossier.floor_rules import rules_shown
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sitegen.components import Download
    from sitegen.floor.shelf import Shelf
    from verifier.dossier.floor_rules import Constant

__all__ = ["breakable", "constants_table", "rules_page"]

COLUMNS: Final = (
    Column("constant", "constant", "text"),
    Column("value", "value", "text"),
    Column("words", "what it is", "text"),
    Column(
        "mark",
        "fixed by",
        "text",
        note="S: stated by the Floor's own rules. F: fixed in the evidence format, since those "
        "rules are silent.",
    ),
    Column("section", "section", "text"),
)


def rules_page(shelf: Shelf, files: Sequence[Download]) -> Page:
    """Make the page of the rules as frozen; *files* can be taken away."""
    rules = rules_shown(shelf.floor.context)
    stated = sum(each.mark == "S" for each in rules.constants)
    fixed = sum(each.mark == "F" for each in rules.constants)
    name = rules.name or "no rule set"
    return Page(
        path=shelf.rules_page,
        template="floor/rules.html",
        title=f"Rules of {shelf.season.id}: {name}",
        finding=(
            f"{len(rules.constants)} constants: {stated} stated by the Floor, {fixed} fixed by the "
            "evidence format where the Floor's rules are silent. Nothing sealed under these rules "
            "is judged by others."
        ),
        trail=shelf.trail(Crumb("rules")),
        values={
            "rules": rules,
            "verdict_words": _words(rules.verdict),
            "constants": constants_table(rules.constants, f"Constants of {name}"),
            "files": files,
            "document": shelf.evidence("floor/rules.json"),
        },
        season=shelf.season,
        data_sha256=rules.published,
        command=audit_season(shelf.season),
        search=f"rules {name} {shelf.season.id} constants",
    )


def _words(verdict: Verdict) -> str:
    return {
        Verdict.PASS: "the document is the known one, to the byte",
        Verdict.FAIL: "the document has a known name and other bytes",
    }.get(verdict, "this release does not know the document")


def constants_table(constants: Iterable[Constant], caption: str) -> Table:
    """List constants with what they are."""
    return Table("constants", caption, COLUMNS, [_row(each) for each in constants])


def breakable(name: str) -> Markup:
    """Show a name of the document, which may break behind its dots and underlines."""
    parts = re.split(r"(?<=[._])", shown(name))
    return Markup("<code>{}</code>").format(Markup("<wbr>").join(parts))


def _row(constant: Constant) -> Row:
    name = f"{constant.group}.{constant.name}" if constant.name else constant.group
    value = Markup("<code>{}</code>").format(shown(constant.value))
    return Row(
        name.replace(".", "-"),
        [
            Cell(name, html=breakable(name)),
            Cell(constant.value, html=value),
            Cell(constant.words),
            Cell(constant.mark or "not known"),
            Cell(constant.section or "not known"),
        ],
    )
