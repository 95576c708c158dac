"""The rule set document: released bytes, and every way to be no rule set."""

from __future__ import annotations

import hashlib
import json
from copy import deepcopy
from decimal import Decimal
from importlib.resources import files
from typing import Any

import pytest
from floor_evidence import rules

from formulas.errors import FormulaConstantsError
from formulas.floor.rules import Rules, rules_from

# As the specification of the documents fixes them.
RELEASED = {
    "floor-rules-1": "fefe7fe8f9c3849166885b373c2c06553b2b4385beafb26598979ab7c737f442",
    "floor-rules-1-full": "bb478b4ad2f44048b84effdb569ddd462a0075fa366ac99e35d0660fb07531f5",
}


def document() -> dict[str, Any]:
    """Read the launch document afresh."""
    made = json.loads(files("formulas.floor").joinpath("floor-rules-1.json").read_bytes())
    assert isinstance(made, dict)
    return made


@pytest.mark.parametrize("name", RELEASED)
def test_released_documents_never_change(name: str) -> None:
    """A known rule set id is fixed to the byte (clarification 2)."""
    data = files("formulas.floor").joinpath(f"{name}.json").read_bytes()
    assert hashlib.sha256(data).hexdigest() == RELEASED[name]
    assert rules(name).id == name.replace("rules-1", "rules/1")


def test_constants_are_exact() -> None:
    """Decimals keep their digits, and null margins admit any."""
    launch, full = rules("floor-rules-1"), rules("floor-rules-1-full")
    assert launch.baseline.decay == Decimal("0.94")
    assert launch.settlement.confirm_tolerance == Decimal("0.005")
    assert launch.admission.margins == (Decimal(0),)
    assert full.admission.margins is None
    assert launch.text.refused_code_points[0] == (0, 31)
    assert launch.score == full.score


def leaves(value: Any, pointer: str = "") -> list[str]:
    """Give the pointer of every member, objects included."""
    found = []
    for name, inner in value.items():
        found.append(f"{pointer}/{name}")
        if isinstance(inner, dict):
            found.extend(leaves(inner, f"{pointer}/{name}"))
    return found


def changed(pointer: str, value: object = None, *, remove: bool = False) -> dict[str, Any]:
    """Change one member of the document."""
    made = deepcopy(document())
    *path, last = pointer.split("/")[1:]
    inner: Any = made
    for name in path:
        inner = inner[name]
    if remove:
        del inner[last]
    else:
        inner[last] = value
    return made


def refusal(made: Any) -> str:
    """Demand that a document is refused, and say how."""
    with pytest.raises(FormulaConstantsError) as caught:
        rules_from(made)
    return str(caught.value)


@pytest.mark.parametrize("pointer", leaves(document()))
def test_every_member_is_needed_and_typed(pointer: str) -> None:
    """Without a member, or with one of no type at all, there is no rule set; its name is told."""
    assert pointer in refusal(changed(pointer, remove=True))
    assert pointer in refusal(changed(pointer, 1.5))
    if pointer != "/admission/margins":
        assert pointer in refusal(changed(pointer, None))


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/more", 1),
        ("/score/more", 1),
        ("/score/log_base", 10),
        ("/score/half_life_seconds", 0),
        ("/score/half_life_seconds", -1),
        ("/score/half_life_seconds", True),
        ("/score/half_life_seconds", 2**60),
        ("/score/clamp_min", "0"),
        ("/score/clamp_min", "0.99"),
        ("/score/clamp_max", "1"),
        ("/score/clamp_max", "9.8e-1"),
        ("/score/clamp_max", "0.98 "),
        ("/baseline/lambda", "1"),
        ("/baseline/lambda", "0"),
        ("/baseline/relative", "1.1"),
        ("/baseline/year_seconds", 0),
        ("/baseline/version", "v2"),
        ("/decimals/rounding", "half-even"),
        ("/decimals/b", 16),
        ("/settlement/touch_equal", "miss"),
        ("/settlement/close_equal", "hit"),
        ("/settlement/range_edge", "inside"),
        ("/settlement/range_first", "high"),
        ("/settlement/no_trade_rows", "present"),
        ("/season/order", ["brier", "standing", "settled"]),
        ("/season/tie", "standing"),
        ("/text/refused_code_points", [[1]]),
        ("/text/refused_code_points", [[1, "2"]]),
        ("/text/words", "buy"),
        ("/text/words", ["buy", 1]),
        ("/flags/copy/on", 1),
        ("/admission/margins", ["x"]),
        ("/admission/margins", "0"),
    ],
)
def test_what_is_not_computed_here_is_refused(pointer: str, value: object) -> None:
    """Another kind of rule, or a value out of range, is refused rather than half applied."""
    assert pointer.rsplit("/", 1)[0] in refusal(changed(pointer, value))


@pytest.mark.parametrize("made", [None, [], "x", 1])
def test_no_object(made: Any) -> None:
    """Only an object can be a rule set."""
    assert "/" in refusal(made)


def test_numbers_may_be_others() -> None:
    """A what-if changes counts and decimals freely."""
    made = rules_from(changed("/score/half_life_seconds", 86_400))
    assert isinstance(made, Rules)
    assert made.score.half_life_seconds == 86_400


@pytest.mark.parametrize("name", ["baseline-v1", "settlement-v1"])
def test_formula_documents_state_the_constants(name: str) -> None:
    """What explains a formula holds the very constants of the rule set."""
    explained = json.loads(files("formulas.floor").joinpath(f"{name}.json").read_bytes())
    if name == "baseline-v1":
        wanted = document()["baseline"] | {"decimals": document()["decimals"]["b"]}
        assert explained["id"] == document()["baseline"]["version"]
    else:
        names = ("decimals", "ledger", "score", "season", "settlement")
        wanted = {section: document()[section] for section in names}
        assert explained["id"] == document()["id"]
    assert explained["constants"] == wanted
    assert explained["steps"]
