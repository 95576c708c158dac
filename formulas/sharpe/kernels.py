"""The released kernels by the name that a board states; a literal table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formulas.errors import UnknownFormulaError
from formulas.sharpe import kernel_0_4, kernel_0_5, kernel_0_28

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formulas.sharpe.kernel import Kernel

__all__ = ["KERNELS", "KERNEL_OF_RELEASE", "kernel"]

KERNELS: Final[Mapping[str, Kernel]] = {
    "0.4": kernel_0_4.KERNEL,
    "0.5.0": kernel_0_5.KERNEL,
    "0.28.0": kernel_0_28.KERNEL,
}

KERNEL_OF_RELEASE: Final[Mapping[str, str]] = {
    "0.9.0": "0.5.0",
    "0.10.0": "0.5.0",
    "0.11.1": "0.5.0",
    "0.12.0": "0.5.0",
    "0.13.0": "0.5.0",
    "0.14.0": "0.5.0",
    "0.15.0": "0.5.0",
    "0.31.0": "0.28.0",
}
"""Scoring kernel of each SharpeArena release whose boards can be judged."""


def kernel(name: str) -> Kernel:
    """
    Released kernel called *name*.

    Raises:
        UnknownFormulaError: No released kernel of ours has that name.
    """
    try:
        return KERNELS[name]
    except KeyError:
        raise UnknownFormulaError(f"sharpe-kernel/{name}") from None
