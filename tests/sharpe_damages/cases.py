"""How damages to the small arena of SharpeArena boards are written down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from sharpe_publisher import Files


def add(cases: list[Any], verdict: str, step: int, *values: Any) -> Callable[[Any], Any]:
    """Add a damage to *cases*, once for each of the values that it takes."""

    def register(damage: Any) -> Any:
        name = damage.__name__.strip("_").replace("_", "-")
        for value in values or ((),):
            with_value = (lambda files, v=value: damage(files, v)) if values else damage
            label = f"{name}-{value}" if values else name
            cases.append(pytest.param(with_value, verdict, step, id=label))
        return damage

    return register


def board(files: Files, name: str = "new") -> Any:
    """One of the three boards."""
    return files[f"sharpe/boards/{name}.json"]
