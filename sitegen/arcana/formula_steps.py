"""
ARCANA's score formulas as they are printed: each step in words and in symbols.

The words of version 1 are those of its document, ``formulas/arcana_score/v1.json``.
The symbols are for readers; nothing is computed from them. Numbers in them are
version 1's constants, so the earlier versions have symbols of their own where a
constant differs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["LEGACY", "SYMBOLS", "V1_LATEX", "Legacy"]

SYMBOLS: Final = (
    ("v", "the NAV of each tick, T of them; c its cash"),
    ("n", "decisions; b of them are buys and s are sells"),
    ("clamp", "0 below 0, 1 above 1, else unchanged"),
    ("round₁", "to one decimal, halves away from zero"),
    ("P, K, R, Q, C, L", "performance, risk, regime, consistency, creator and longevity"),
    ("S, M", "strategy and the multiplier that follows from it"),
    ("W, A", "the weighted sum and the ARCANA score"),
)

V1_LATEX: Final = {
    "1": (r"v_i = \mathrm{double}(\mathrm{nav}_i), \quad c_i = \mathrm{double}(\mathrm{cash}_i)",),
    "2": (r"e = \frac{1}{m} \sum_{v_i > 0} \max\left(0, \frac{v_i - c_i}{v_i}\right)",),
    "3": (r"n = b + s + \mathrm{others}",),
    "4": (r"\bar{p} = \frac{1}{k} \sum_{j=1}^{k} p_j",),
    "5": (
        r"F(x) = \mathrm{clamp}\left(1 - \frac{\max(l - x, x - h, 0)}{0.25}\right)",
        (
            r"S = \mathrm{round}_1\left(100 \left(0.6 F\left(\frac{b + s}{n}\right)"
            r" + 0.4 F\left(\frac{s}{b + s}\right)\right)\right)"
        ),
    ),
    "6": (r"M = 0.7 + 0.3 \cdot \frac{S}{100}",),
    "7": (r"n \geq 5",),
    "8": (
        r"R = 50",
        r"L = 100 \cdot \mathrm{clamp}\left(\frac{T}{20}\right)",
        r"C = 100 \cdot \mathrm{clamp}\left(\frac{\bar{p}}{100}\right)",
    ),
    "9": (r"T = 0 \Rightarrow P = K = Q = 50",),
    "10": (r"r_i = \frac{v_i - v_{i-1}}{v_{i-1}}, \quad v_{i-1} > 0",),
    "11": (
        (
            r"P = 100 \cdot \mathrm{clamp}\left(0.5 + \frac{1}{0.2} \cdot"
            r" \frac{v_T - v_1}{v_1}\right)"
        ),
    ),
    "12": (r"e' = \max(e, 0.02)",),
    "13": (
        r"\sigma = \frac{1}{e'} \sqrt{\frac{1}{N} \sum_{i=1}^{N} (r_i - \bar{r})^2}",
        (
            r"d = \frac{1}{e'} \max_i \frac{\hat{v}_i - v_i}{\hat{v}_i}, \quad"
            r" \hat{v}_i = \max_{j \leq i} v_j"
        ),
        (
            r"K = \mathrm{round}_1\left(50 \cdot \mathrm{clamp}\left(1 - \frac{\sigma}{0.05}\right)"
            r" + 50 \cdot \mathrm{clamp}\left(1 - \frac{d}{0.2}\right)\right)"
        ),
        r"Q = 100 \cdot \mathrm{clamp}\left(1 - \frac{\sigma}{0.04}\right)",
    ),
    "14": (
        r"W = 0.35 P + 0.25 K + 0.1 R + 0.15 Q + 0.05 C + 0.1 L",
        r"A = \mathrm{round}_1(W \cdot M)",
    ),
    "15": (r"n < 5 \Rightarrow K = Q = A = \mathrm{null}",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Legacy:
    """
    A formula from before scores were sealed.

    Args:
        name: As ``formulas.arcana_score.legacy`` calls it.
        title: One line.
        since: First day in force; None when nobody knows.
        until: Last day in force.
        changes: What differs from the version before, in sentences.
        sum: The weighted sum and the score, in symbols.
        source: Where the rule was read.
    """

    name: str
    title: str
    since: str | None
    until: str
    changes: tuple[str, ...]
    sum: tuple[str, ...]
    source: str


LEGACY: Final = (
    Legacy(
        name="F1",
        title="ARCANA season score F1, before sealing",
        since=None,
        until="2026-09-09",
        changes=(
            (
                "The version before it took NAVs, age, a stored reputation and a count of "
                "decisions; its source is not public, so what changed is not known."
            ),
        ),
        sum=(
            r"A = \mathrm{round}_1(0.3 P + 0.2 K + 0.1 \cdot 50 + 0.1 R + 0.15 Q + 0.05 C + 0.1 L)",
        ),
        source="ARCANA's source as stored before 2026-09-09",
    ),
    Legacy(
        name="F2",
        title="ARCANA season score F2, before sealing",
        since="2026-09-09",
        until="2026-09-09",
        changes=(
            "The strategy is measured against the declared profile. Before, it was 50 for all.",
        ),
        sum=(r"A = \mathrm{round}_1(0.3 P + 0.2 K + 0.1 S + 0.1 R + 0.15 Q + 0.05 C + 0.1 L)",),
        source="https://github.com/Arcana-arena/arcana, commit 0d56ea20",
    ),
    Legacy(
        name="F3",
        title="ARCANA season score F3, before sealing",
        since="2026-09-09",
        until="2026-09-09",
        changes=(
            "The strategy multiplies the sum. Before, it was added to it with a weight of 0.1.",
            "The weights of performance and risk rise to 0.35 and 0.25.",
        ),
        sum=(
            r"W = 0.35 P + 0.25 K + 0.1 R + 0.15 Q + 0.05 C + 0.1 L",
            r"A = \mathrm{round}_1(W \cdot M)",
        ),
        source="ARCANA's docs/scoring-formula.md, from which it was rebuilt",
    ),
)
