"""The families that this release verifies; each is imported when a bundle holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from verifier.family import Family

__all__ = ["FAMILIES"]


def _arcana() -> Family:
    from verifier.arcana.family import ARCANA  # noqa: PLC0415 - only when there is ARCANA evidence

    return ARCANA


def _floor() -> Family:
    from verifier.floor.family import FLOOR  # noqa: PLC0415 - only when there are calls

    return FLOOR


def _sharpe() -> Family:
    from verifier.sharpe.family import SHARPE  # noqa: PLC0415 - only when there are boards

    return SHARPE


FAMILIES: Final[Mapping[str, Callable[[], Family]]] = {
    "arcana": _arcana,
    "floor": _floor,
    "sharpe": _sharpe,
}
