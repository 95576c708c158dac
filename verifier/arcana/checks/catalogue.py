"""The checks of ARCANA, in the order of the published procedure (``spec/arcana.md``)."""

from __future__ import annotations

from typing import Final

from verifier.report.model import CheckInfo

LAYOUT: Final = CheckInfo(
    id="arcana/layout", step=0, title="rows are canonical, in order, told apart"
)
SEAL: Final = CheckInfo(id="arcana/seal", step=1, title="manifests hash to their seals")
IDENTITY: Final = CheckInfo(
    id="arcana/identity", step=2, title="scores name agent, season, time and the seal before"
)
INPUTS_RECORDED: Final = CheckInfo(
    id="arcana/inputs-recorded", step=3, title="inputs are the recorded rows, all of them"
)
INPUTS_ANCHORED: Final = CheckInfo(
    id="arcana/inputs-anchored", step=4, title="inputs were anchored before the score"
)
FORMULA: Final = CheckInfo(
    id="arcana/formula", step=5, title="formula version known, constants as published"
)
RECOMPUTE: Final = CheckInfo(
    id="arcana/recompute", step=6, title="all ten outputs recomputed, bit for bit"
)
STORED: Final = CheckInfo(id="arcana/stored", step=7, title="stored columns are the outputs")
ANCHOR: Final = CheckInfo(id="arcana/anchor", step=8, title="seals are leaves of mined anchors")
PARTICIPATION: Final = CheckInfo(
    id="arcana/participation", step=9, title="ranked scores have five chosen decisions"
)
REPUTATION: Final = CheckInfo(id="arcana/reputation", step=10, title="reputations recomputed")
LEADERBOARDS: Final = CheckInfo(id="arcana/leaderboards", step=10, title="leaderboards recomputed")

CHECKS: Final = (
    LAYOUT,
    SEAL,
    IDENTITY,
    INPUTS_RECORDED,
    INPUTS_ANCHORED,
    FORMULA,
    RECOMPUTE,
    STORED,
    ANCHOR,
    PARTICIPATION,
    REPUTATION,
    LEADERBOARDS,
)
