"""The checks of SharpeArena, in the order of the published procedure."""

from __future__ import annotations

from typing import Final

from verifier.report.model import CheckInfo

PINNED: Final = CheckInfo(
    id="sharpe/pinned", step=1, title="environment pinned and canonical, or deviations named"
)
SEEDS: Final = CheckInfo(
    id="sharpe/seeds", step=2, title="seeds lie in one band, or were committed to and revealed"
)
RETURNS: Final = CheckInfo(
    id="sharpe/returns", step=3, title="returns hash to their rows, whole and without contradiction"
)
FIGURES: Final = CheckInfo(
    id="sharpe/figures", step=4, title="scores, rates, means and intervals recomputed, bit for bit"
)
ORDER: Final = CheckInfo(
    id="sharpe/order", step=5, title="rows ordered by deflated Sharpe, ties marked by the release"
)
ELIGIBILITY: Final = CheckInfo(
    id="sharpe/eligibility", step=6, title="eligibility and its reasons follow from all gates"
)
PAIRS: Final = CheckInfo(
    id="sharpe/pairs", step=7, title="paired verdicts recomputed, and every claim rests on one"
)
GAPS: Final = CheckInfo(
    id="sharpe/gaps", step=8, title="generalization and transfer gaps recomputed from both sides"
)
COMPLETE: Final = CheckInfo(
    id="sharpe/complete", step=9, title="everything an entry must state is there, in canonical form"
)

CHECKS: Final = (
    PINNED,
    SEEDS,
    RETURNS,
    FIGURES,
    ORDER,
    ELIGIBILITY,
    PAIRS,
    GAPS,
    COMPLETE,
)
