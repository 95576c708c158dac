"""Pages of the scoring kernels: every version, its formulas, and what changed."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from sitegen.render import Renderer, Site
from sitegen.sharpe.formula_steps import BOARD_LATEX, KERNEL_LATEX, latex_of
from sitegen.sharpe.formulas import formula_pages

if TYPE_CHECKING:
    from sitegen.model import Page


@cache
def rendered() -> dict[str, tuple[Page, str]]:
    """All pages, by the last folder of their path."""
    renderer = Renderer(Site(title="Arena", description="Formulas."))
    return {page.path.split("/")[1]: (page, renderer.render(page)) for page in formula_pages()}


def test_every_version_has_its_page() -> None:
    """Three kernels and the board's rules, each with what it was found to be."""
    assert list(rendered()) == [
        "sharpe-kernel-0.4",
        "sharpe-kernel-0.5.0",
        "sharpe-kernel-0.28.0",
        "sharpe-board-1",
    ]
    assert "7 releases, SharpeArena 0.9.0 to 0.15.0" in rendered()["sharpe-kernel-0.5.0"][0].finding


def test_steps_are_drawn() -> None:
    """Steps with an equation have it in MathML, and no formula is left over."""
    for name, (page, html) in rendered().items():
        steps = page.values["steps"]
        assert isinstance(steps, list)
        drawn = sum(formulas.count("<math ") for _, formulas in steps)
        assert html.count("<math ") == drawn
        assert drawn >= (4 if name == "sharpe-board-1" else 15)
    words = [step for page, _ in rendered().values() for step, _ in page.values["steps"]]  # type: ignore[attr-defined]
    for latex in (KERNEL_LATEX, BOARD_LATEX):
        used = {formulas for step in words if (formulas := latex_of(step, latex))}
        assert used == set(latex.values())


def test_what_changed() -> None:
    """A kernel names the steps and constants in which it differs from the one before."""
    _, first = rendered()["sharpe-kernel-0.4"]
    assert 'id="changes"' not in first
    _, second = rendered()["sharpe-kernel-0.5.0"]
    assert "1 of 13 steps differs" in second
    assert "the unit bug" in second
    _, third = rendered()["sharpe-kernel-0.28.0"]
    assert "5 of 13 steps differ" in third
    row = re.search(r"<tr id=[^>]*>(?:(?!</tr>).)*population_moments.*?</tr>", third, re.DOTALL)
    assert row is not None
    assert ">true<" in row[0]
    assert ">false<" in row[0]


def test_the_code_is_there() -> None:
    """The page shows the module that computes it."""
    assert "population_moments=True" in rendered()["sharpe-kernel-0.28.0"][1]
