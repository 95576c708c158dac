"""Every released formula is known by its exact id, and its document says what its code does."""

from pathlib import Path
from typing import Final, cast

import pytest

import formulas
from formulas.arcana_score import v1
from formulas.errors import UnknownFormulaError
from formulas.registry import FORMULAS, Formula, formula, read_document

ROOT: Final = Path(next(iter(formulas.__path__)))


@pytest.mark.parametrize("described", FORMULAS.values(), ids=FORMULAS.keys())
def test_document_is_of_its_formula(described: Formula) -> None:
    """The document names the formula, and every part that a reader is promised is there."""
    document = read_document(described)
    assert document["id"] == described.id == next(k for k, v in FORMULAS.items() if v is described)
    assert document["family"] == described.family
    assert document["title"] == described.title
    for part in ("in_force", "source", "constants", "steps", "notes"):
        assert document[part], part
    assert callable(described.load())


def test_every_document_can_be_shown() -> None:
    """No document lies beside the code unregistered; rule sets are data that bundles publish."""
    files = {path for path in ROOT.glob("*/*.json") if not path.name.startswith("floor-rules-")}
    assert {ROOT / described.document for described in FORMULAS.values()} == files


def test_arcana_document_states_the_constants() -> None:
    """The document's constants are the code's, and it has the fifteen steps."""
    document = read_document(formula(v1.ID))
    assert v1.same_constants(document["constants"], v1.CONSTANTS)
    assert list(cast("dict[str, object]", document["constants"])) == list(v1.CONSTANTS)
    assert len(cast("list[str]", document["steps"])) == 15
    assert formula(v1.ID).load() is v1.score


@pytest.mark.parametrize(
    "formula_id", ["", "arcana-score-formula", "arcana-score-formula/v2", "ARCANA-SCORE-FORMULA/V1"]
)
def test_no_latest_and_no_fallback(formula_id: str) -> None:
    """An id is known exactly, or not at all."""
    with pytest.raises(UnknownFormulaError) as caught:
        formula(formula_id)
    assert caught.value.formula_id == formula_id
    assert repr(formula_id) in str(caught.value)
