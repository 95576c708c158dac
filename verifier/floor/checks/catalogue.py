"""The checks of the Floor, in the order of the sections of ``floor.md``, which are the steps."""

from __future__ import annotations

from typing import Final

from verifier.report.model import CheckInfo

LAYOUT: Final = CheckInfo(
    id="floor/layout", step=0, title="rows are canonical, in order, told apart"
)
RULES: Final = CheckInfo(
    id="floor/rules", step=1, title="the rule set document is a known one, to the byte"
)
SEAL: Final = CheckInfo(id="floor/seal", step=2, title="seals are those of the sealed members")
TERMS: Final = CheckInfo(id="floor/terms", step=2, title="terms are such as their kind allows")
BASELINE: Final = CheckInfo(
    id="floor/baseline", step=3, title="baselines recomputed from their raw responses"
)
SETTLEMENT: Final = CheckInfo(
    id="floor/settlement", step=5, title="attempts and outcomes follow from their raw responses"
)
CONFIRMATION: Final = CheckInfo(
    id="floor/confirmation", step=5, title="both venues' deciding values recomputed"
)
POINTS: Final = CheckInfo(id="floor/points", step=6, title="points recomputed, every digit proved")
STANDING: Final = CheckInfo(id="floor/standing", step=6, title="standings and Brier recomputed")
LEDGER: Final = CheckInfo(id="floor/ledger", step=7, title="entries hash, link, and say the record")
ROOTS: Final = CheckInfo(id="floor/roots", step=7, title="hourly roots recomputed, none left out")
FINALITY: Final = CheckInfo(
    id="floor/finality", step=7, title="entries become final when disputes end"
)
CLOSURE: Final = CheckInfo(
    id="floor/closure", step=7, title="every call has its entry, every entry its call"
)
SEASON: Final = CheckInfo(
    id="floor/season", step=7, title="season tables: members, counts, order, ranks, hash"
)
RAW: Final = CheckInfo(id="floor/raw", step=8, title="raw bodies are there and hash to their names")
ADMISSION: Final = CheckInfo(
    id="floor/admission", step=9, title="calls kept the rules of admission when posted"
)
FLAGS: Final = CheckInfo(id="floor/flags", step=9, title="season flags: one operator, copies")
ENVELOPE: Final = CheckInfo(
    id="floor/envelope", step=10, title="calls were signed by their agent's wallet"
)
VENUE_AGREEMENT: Final = CheckInfo(
    id="floor/venue-agreement", step=11, title="responses of one venue agree on closed candles"
)

CHECKS: Final = (
    LAYOUT,
    RULES,
    SEAL,
    TERMS,
    BASELINE,
    SETTLEMENT,
    CONFIRMATION,
    POINTS,
    STANDING,
    LEDGER,
    ROOTS,
    FINALITY,
    CLOSURE,
    SEASON,
    RAW,
    ADMISSION,
    FLAGS,
    ENVELOPE,
    VENUE_AGREEMENT,
)
