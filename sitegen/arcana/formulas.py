"""The pages of ARCANA's formula versions: constants, steps, source, and what changed."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from formulas.arcana_score import legacy, v1
from formulas.registry import FORMULAS, read_document
from sitegen.arcana.formula_steps import LEGACY, SYMBOLS, V1_LATEX
from sitegen.commands import REBUILD
from sitegen.components import Cell, Column, Row, Table
from sitegen.formula_parts import code_of, code_sha256, step_math
from sitegen.model import Crumb, Page

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sitegen.arcana.formula_steps import Legacy

__all__ = ["formula_page", "formula_pages", "step_formulas"]

_V1_SLUG: Final = "arcana-score-formula-v1"
_V1_CHANGES: Final = (
    (
        "Deviation and drawdown are divided by the mean invested share, which is at least 0.02. "
        "Before, a portfolio that held cash looked calm."
    ),
    (
        "Consistency is measured on a scale of 0.04. Before, it was 0.02, and 50 for an agent "
        "without a decision."
    ),
    "An agent with fewer than five decisions is unranked. Before, everyone was ranked.",
)
# What version 1 knows and the earlier formulas do not use.
_NOT_LEGACY: Final = ("min_exposure", "min_participation_decisions")
_NOT_ADDED: Final = ("strategy_floor",)
_NOT_FIXED: Final = (
    *("strategy_min_decisions", "strategy_fit_tolerance", "strategy_profiles"),
    *("w_strat_turnover", "w_strat_sell_share"),
)


def formula_page(version: str | None) -> str | None:
    """The page of a formula version, if this release knows it."""
    return f"formulas/{_V1_SLUG}/index.html" if version == v1.ID else None


@cache
def step_formulas(version: str | None) -> Mapping[str, Markup]:
    """Each step of a version in MathML, by its number; none for a version that is not known."""
    if version != v1.ID:
        return {}
    return {step: step_math(*latex) for step, latex in V1_LATEX.items()}


def formula_pages() -> Iterator[Page]:
    """Make a page of every version of ARCANA's score formula, the oldest first."""
    before: dict[str, str] | None = None
    for each in LEGACY:
        constants = _legacy_constants(each)
        yield _legacy_page(each, constants, before)
        before = constants
    yield _v1_page(before)


def _v1_page(before: dict[str, str] | None) -> Page:
    document = read_document(FORMULAS[v1.ID])
    words, notes, source = (document[key] for key in ("steps", "notes", "source"))
    assert isinstance(words, list)
    assert isinstance(notes, list)
    assert isinstance(source, list)
    constants = _flat(v1.CONSTANTS)
    formulas = step_formulas(v1.ID)
    code = code_of("arcana_score", "v1.py", "steps.py")
    return Page(
        path=f"formulas/{_V1_SLUG}/index.html",
        template="arcana/formula.html",
        title="ARCANA season score, version 1",
        finding="In force since 2026-09-09; scores are sealed from 2026-09-14, all under this "
        f"version. {len(words)} steps, {len(constants)} constants.",
        trail=(Crumb("Formulas", "formulas/index.html"), Crumb(v1.ID)),
        values={
            "version": v1.ID,
            "since": "2026-09-09",
            "until": None,
            "sealed": "Scores are sealed from 2026-09-14, all under this version.",
            "steps": [
                (str(number), text, formulas.get(str(number)))
                for number, text in enumerate(words, start=1)
            ],
            "symbols": SYMBOLS,
            "constants": _constants_table(constants, before),
            "notes": notes,
            "sources": source,
            "changes": _V1_CHANGES,
            "before": ("F3", "formulas/arcana-score-f3/index.html"),
            "after": None,
            "code": code,
        },
        data_sha256=code_sha256(code),
        command=f"tallyproof formulas {v1.ID}",
        search=f"{v1.ID} ARCANA score formula constants steps",
    )


def _legacy_page(each: Legacy, constants: dict[str, str], before: dict[str, str] | None) -> Page:
    position = LEGACY.index(each)
    earlier = LEGACY[position - 1] if position else None
    later = LEGACY[position + 1] if position + 1 < len(LEGACY) else None
    since = f"from {each.since} " if each.since else ""
    code = code_of("arcana_score", "legacy.py")
    return Page(
        path=_legacy_path(each),
        template="arcana/formula.html",
        title=each.title,
        finding=f"In force {since}until {each.until}. No score was ever sealed under it: it "
        "matters only for rows that were published without a manifest.",
        trail=(Crumb("Formulas", "formulas/index.html"), Crumb(each.name)),
        values={
            "version": each.name,
            "since": each.since,
            "until": each.until,
            "sealed": "No score was ever sealed under this version.",
            "steps": [("14", _SUM_WORDS[each.name], step_math(*each.sum))],
            "symbols": SYMBOLS,
            "constants": _constants_table(constants, before),
            "notes": [
                (
                    "The other steps are those of version 1, without an exposure, with a "
                    "consistency of 50 for an agent without a decision, and with everyone ranked."
                )
            ],
            "sources": [each.source],
            "changes": each.changes,
            "before": None if earlier is None else (earlier.name, _legacy_path(earlier)),
            "after": (v1.ID, f"formulas/{_V1_SLUG}/index.html")
            if later is None
            else (later.name, _legacy_path(later)),
            "code": code,
        },
        data_sha256=code_sha256(code),
        command=REBUILD,
        search=f"{each.name} ARCANA score formula before sealing",
    )


_SUM_WORDS: Final = {
    "F1": "Each factor times its weight, the strategy being 50 for every agent, added in this "
    "order and rounded to one decimal.",
    "F2": "Each factor times its weight, the measured strategy among them, added in this order "
    "and rounded to one decimal.",
    "F3": "Each factor times its weight, added in this order; times the strategy's multiplier; "
    "rounded to one decimal.",
}


def _legacy_path(each: Legacy) -> str:
    return f"formulas/arcana-score-{each.name.lower()}/index.html"


def _legacy_constants(each: Legacy) -> dict[str, str]:
    found = {
        "F1": legacy.CONSTANTS["F1"],
        "F2": legacy.CONSTANTS["F2"],
        "F3": legacy.CONSTANTS["F3"],
    }[each.name]
    unused = {
        "F1": {*_NOT_LEGACY, *_NOT_ADDED, *_NOT_FIXED},
        "F2": {*_NOT_LEGACY, *_NOT_ADDED},
        "F3": {*_NOT_LEGACY},
    }[each.name]
    named = {name: value for name, value in found._asdict().items() if name not in unused}
    if each.name != "F3":
        named["w_strategy"] = 0.1
    return _flat(named)


def _flat(constants: Mapping[str, object]) -> dict[str, str]:
    """Write constants as text, those of the profiles under their whole names."""
    found: dict[str, str] = {}
    for name, value in constants.items():
        if hasattr(value, "items"):
            inner = _flat(dict(value.items()))
            found |= {
                f"{name.removeprefix('strategy_')}.{key}": text for key, text in inner.items()
            }
        else:
            assert isinstance(value, int | float)
            found[name] = json.dumps(value).removesuffix(".0")
    return found


def _constants_table(constants: dict[str, str], before: dict[str, str] | None) -> Table:
    names = [*constants, *(name for name in before or {} if name not in constants)]
    rows = []
    for name in names:
        value, earlier = constants.get(name), None if before is None else before.get(name)
        changed = before is not None and value != earlier
        rows.append(
            Row(
                f"constant-{name}",
                (
                    Cell(name),
                    Cell("not used", sort="") if value is None else Cell(value),
                    _earlier_cell(before, earlier, changed=changed),
                ),
            )
        )
    return Table(
        "constants",
        "Constants",
        (
            Column("name", "Constant", "text"),
            Column("value", "Value", "number"),
            Column("before", "In the version before", "text"),
        ),
        rows,
        note="As published; a manifest repeats them, and a score with others fails.",
    )


def _earlier_cell(before: dict[str, str] | None, value: str | None, *, changed: bool) -> Cell:
    if before is None:
        return Cell("not known")
    if not changed:
        return Cell("the same")
    return Cell(
        "not used" if value is None else value, html=Markup("<b>{}</b>").format(value or "not used")
    )
