"""
The kernel before 0.5.0: SharpeArena 0.7.0 and 0.8.0, with the unit bug.

The prior 0.5 is used a period, without dividing it by the root of the periods a
year, so the bar is some sixteen times too high and every published deflated
Sharpe prints 0.0000. All else is as in 0.5.0. The constants and steps are in
``kernel_0_4.json``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from formulas.sharpe import kernel_0_5

__all__ = ["KERNEL"]

KERNEL: Final = replace(kernel_0_5.KERNEL, name="0.4", annual_prior=False)
