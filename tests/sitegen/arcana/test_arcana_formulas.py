"""The pages of ARCANA's formulas: every step, every constant, and what changed between versions."""

import itertools
import re

from formulas.arcana_score import v1
from sitegen.arcana.formula_steps import LEGACY, V1_LATEX
from sitegen.arcana.formulas import formula_page, formula_pages, step_formulas
from sitegen.components import Table
from sitegen.render import Renderer, Site

RENDERER = Renderer(Site(title="Arena", description="Scores."))


def test_every_version_has_a_page() -> None:
    """Three versions from before sealing, and the one that scores are sealed under."""
    pages = list(formula_pages())
    assert [page.values["version"] for page in pages] == ["F1", "F2", "F3", v1.ID]
    for page in pages:
        html = RENDERER.render(page)
        assert "<math " in html
        assert "Regime measures nothing" in html
    assert formula_page(v1.ID) == pages[-1].path
    assert formula_page("arcana-score-formula/v2") is None
    assert step_formulas("arcana-score-formula/v2") == {}


def test_every_step_has_its_formula_and_its_words() -> None:
    """The 15 steps of the document, each in words and in symbols."""
    page = list(formula_pages())[-1]
    steps = page.values["steps"]
    assert isinstance(steps, list)
    assert [number for number, _, _ in steps] == list(V1_LATEX)
    assert all(words and formula for _, words, formula in steps)


def test_numbers_in_the_symbols_are_the_constants() -> None:
    """A formula is printed with the constants of its version and no others."""
    known = set(numbers(v1.CONSTANTS))
    # Halves, percents, indices, a square, and the exact 1 - 0.7 of the multiplier.
    known |= {"0", "0.3", "0.5", "1", "2", "100"}
    for latex in (part for parts in V1_LATEX.values() for part in parts):
        assert set(re.findall(r"\d+(?:\.\d+)?", latex)) <= known


def numbers(constants: object) -> list[str]:
    """Write all numbers of nested constants."""
    if hasattr(constants, "values"):
        return [text for value in constants.values() for text in numbers(value)]
    return [f"{constants:g}" if isinstance(constants, int | float) else ""]


def test_the_difference_from_the_version_before_is_marked() -> None:
    """Changed constants show the value before; all others say that they are the same."""
    page = list(formula_pages())[-1]
    table = page.values["constants"]
    assert isinstance(table, Table)
    changed = {
        row.cells[0].text: row.cells[2].text
        for row in table.rows
        if row.cells[2].text != "the same"
    }
    assert changed == {
        "consistency_scale": "0.02",
        "min_exposure": "not used",
        "min_participation_decisions": "not used",
    }
    assert page.values["before"] == ("F3", "formulas/arcana-score-f3/index.html")


def test_each_version_names_its_neighbours() -> None:
    """A reader can walk from the first version to the last and back."""
    pages = {str(page.values["version"]): page for page in formula_pages()}
    order = list(pages)
    for earlier, later in itertools.pairwise(order):
        assert pages[earlier].values["after"] == (later, pages[later].path)
        assert pages[later].values["before"] == (earlier, pages[earlier].path)
    assert len(LEGACY) == 3
