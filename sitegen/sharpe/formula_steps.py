"""
The kernels' steps as formulas, by the words with which their documents begin.

A document states a step in one line of text, which is normative. The formula beside
it is for the eye; what a version does not share with the others is written here once
for each of the two ways.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BOARD_LATEX", "KERNEL_LATEX", "latex_of"]

_PSR: Final = (
    r"\mathrm{PSR}(b) = \Phi\left(\frac{(SR - b)\sqrt{n - 1}}{\sqrt{v}}\right)",
    r"v = \max\left(10^{-12},\; 1 - g_3 SR + \frac{g_4 - 1}{4} SR^2\right)",
)
"""Probabilistic Sharpe ratio, the same in every kernel."""

KERNEL_LATEX: Final[Mapping[str, tuple[str, ...]]] = {
    "m = sum(x) / n": (
        r"m = \frac{1}{n}\sum_{i=1}^{n} x_i, \quad SR = \frac{m}{s}",
        r"s = \sqrt{\frac{1}{n-1}\sum_{i=1}^{n}(x_i - m)^2}",
    ),
    "u = s;": (
        r"u = s, \quad z_i = \frac{x_i - m}{u}",
        r"g_3 = \frac{1}{n}\sum_{i=1}^{n} z_i^3, \quad g_4 = \frac{1}{n}\sum_{i=1}^{n} z_i^4",
    ),
    "u = sqrt(": (
        r"u = \sqrt{\frac{1}{n}\sum_{i=1}^{n}(x_i - m)^2}, \quad z_i = \frac{x_i - m}{u}",
        r"g_3 = \frac{1}{n}\sum_{i=1}^{n} z_i^3, \quad g_4 = \frac{1}{n}\sum_{i=1}^{n} z_i^4",
    ),
    "erf:": (
        r"t = \frac{1}{1 + 0.3275911\, a}, \quad \mathrm{erf}(a) = 1 - q(t)\, t\, e^{-a^2}",
        r"\Phi(x) = \frac{1}{2}\left(1 + \mathrm{erf}\left(\frac{x}{\sqrt{2}}\right)\right)",
    ),
    "inv:": (
        r"\Phi^{-1}(p) \approx \frac{A(r)\, q}{B(r)}, \quad q = p - \frac{1}{2}, \quad r = q^2",
        r"\Phi^{-1}(p) \approx -\frac{C(q)}{D(q)}, \quad q = \sqrt{-2 \ln (1 - p)}",
    ),
    "sd = prior a period": (r"\sigma = \mathrm{prior}, \quad N = 50 + \mathrm{declared}",),
    "sd = prior / sqrt": (
        r"\sigma = \frac{\mathrm{prior}}{\sqrt{252}}, \quad N = 50 + \mathrm{declared}",
    ),
    "bar = ": (
        (
            r"b^{*} = \sigma\left((1 - \gamma)\, \Phi^{-1}\left(1 - \frac{1}{N}\right)"
            r" + \gamma\, \Phi^{-1}\left(1 - \frac{1}{N e}\right)\right)"
        ),
    ),
    "v = 1 - g3": (*_PSR, r"\mathrm{DSR} = \mathrm{PSR}(b^{*})"),
    "pass^k rate": (
        r"\mathrm{rate} = \frac{1}{k}\sum_{j=1}^{k} \left[\mathrm{PSR}_j(0) \geq 0.9\right]",
    ),
    "interval:": (
        (
            r"p = q (m - 1), \quad Q(q) = v_{\lfloor p \rfloor} + "
            r"\left(v_{\lceil p \rceil} - v_{\lfloor p \rfloor}\right)(p - \lfloor p \rfloor)"
        ),
    ),
    "paired difference": (
        r"d_r = \mathrm{DSR}(A_r) - \mathrm{DSR}(B_r)",
        (
            r"p = \min\left(1,\; \frac{2}{R} \min\left(\sum_r [d_r \leq 0],\; "
            r"\sum_r [d_r \geq 0]\right)\right)"
        ),
    ),
}

BOARD_LATEX: Final[Mapping[str, tuple[str, ...]]] = {
    "gap = first": (
        r"\mathrm{gap} = \mathrm{DSR}_{\mathrm{train}} - \mathrm{DSR}_{\mathrm{test}}",
    ),
    "process:": (r"\mathrm{score} = \max(0,\; 1 - 0.1\, w) \text{ without a block, else } 0",),
    "bootstrap p:": (r"p = \frac{1 + \sum_r [\bar{x}_r \geq \bar{x}]}{1 + R}",),
    "drawdown:": (r"\max_t \left(1 - \frac{W_t}{\max_{u \leq t} W_u}\right)",),
}


def latex_of(step: str, formulas: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Formulas of a step; none where the words say it all."""
    return next((latex for words, latex in formulas.items() if step.startswith(words)), ())
