"""
Every released formula by the id that sealed records name.

There is no latest version and no fallback: an id is known exactly, or not at
all. Each formula has a document beside its code, a JSON object with:

=============  ================================================================
``id``         the id
``family``     the arena's family
``title``      one line
``in_force``   dates ``from`` and ``until``, null while it lasts
``source``     where the rule was published
``constants``  as published
``steps``      the rule, in the order in which it is computed
``notes``      what else has to be known to get the same bits
=============  ================================================================

The documents explain; nothing is computed from them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from formulas.errors import UnknownFormulaError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["FORMULAS", "Family", "Formula", "formula", "read_document"]

Family = Literal["arcana", "floor", "sharpe"]


@dataclass(frozen=True, slots=True)
class Formula:
    """
    One released formula.

    Args:
        id: What sealed records call it.
        family: The arena's family.
        title: One line about it.
        document: Path of its document within this package.
        load: Imports and returns the function that computes it, so that no
            command pays for the formulas that it does not use.
    """

    id: str
    family: Family
    title: str
    document: str
    load: Callable[[], Callable[..., object]]


def _arcana_score_v1() -> Callable[..., object]:
    from formulas.arcana_score.v1 import score  # noqa: PLC0415 - see Formula.load

    return score


def _lognormal_baseline() -> Callable[..., object]:
    from formulas.floor.pricing import price  # noqa: PLC0415 - see Formula.load

    return price


def _floor_rules_1() -> Callable[..., object]:
    from formulas.floor.settlement import attempt  # noqa: PLC0415 - see Formula.load

    return attempt


def _sharpe_board_1() -> Callable[..., object]:
    from formulas.sharpe.ranking import rank_cells  # noqa: PLC0415 - see Formula.load

    return rank_cells


def _sharpe_kernel(name: str) -> Callable[..., object]:
    from formulas.sharpe.kernels import kernel  # noqa: PLC0415 - see Formula.load
    from formulas.sharpe.row import score_row  # noqa: PLC0415

    return partial(score_row, kernel(name))


FORMULAS: Final[Mapping[str, Formula]] = MappingProxyType(
    {
        "arcana-score-formula/v1": Formula(
            id="arcana-score-formula/v1",
            family="arcana",
            title="ARCANA season score, version 1",
            document="arcana_score/v1.json",
            load=_arcana_score_v1,
        ),
        "v1-lognormal-zero-drift": Formula(
            id="v1-lognormal-zero-drift",
            family="floor",
            title="Floor baseline: a lognormal price without drift",
            document="floor/baseline-v1.json",
            load=_lognormal_baseline,
        ),
        "floor-rules/1": Formula(
            id="floor-rules/1",
            family="floor",
            title="Floor settlement, points, standing and season order under rule set 1",
            document="floor/settlement-v1.json",
            load=_floor_rules_1,
        ),
        "sharpe-kernel/0.4": Formula(
            id="sharpe-kernel/0.4",
            family="sharpe",
            title="SharpeBench scoring kernel before 0.5.0, with the unit bug",
            document="sharpe/kernel_0_4.json",
            load=partial(_sharpe_kernel, "0.4"),
        ),
        "sharpe-kernel/0.5.0": Formula(
            id="sharpe-kernel/0.5.0",
            family="sharpe",
            title="SharpeBench scoring kernel 0.5.0",
            document="sharpe/kernel_0_5.json",
            load=partial(_sharpe_kernel, "0.5.0"),
        ),
        "sharpe-kernel/0.28.0": Formula(
            id="sharpe-kernel/0.28.0",
            family="sharpe",
            title="SharpeBench scoring kernel 0.28.0",
            document="sharpe/kernel_0_28.json",
            load=partial(_sharpe_kernel, "0.28.0"),
        ),
        "sharpe-board/1": Formula(
            id="sharpe-board/1",
            family="sharpe",
            title="SharpeArena board rules around the kernel",
            document="sharpe/board.json",
            load=_sharpe_board_1,
        ),
    }
)


def formula(formula_id: str) -> Formula:
    """
    Look up a formula.

    Raises:
        UnknownFormulaError: No released formula has exactly that id.

    >>> formula("arcana-score-formula/v1").title
    'ARCANA season score, version 1'
    """
    try:
        return FORMULAS[formula_id]
    except KeyError:
        raise UnknownFormulaError(formula_id) from None


def read_document(described: Formula) -> dict[str, object]:
    """Read a formula's document, which ships with this package."""
    text = resources.files("formulas").joinpath(described.document).read_text("utf-8")
    document: dict[str, object] = json.loads(text)
    return document
