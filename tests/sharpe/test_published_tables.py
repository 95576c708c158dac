"""The three tables of the protocol's document, against what is recomputed and printed."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from shared import FIXTURES

from verifier.bundle import open_bundle
from verifier.cli.sharpe_text import board
from verifier.findings import Verdict
from verifier.policy import Policy
from verifier.sharpe.single import audit_board

TABLES: Final = FIXTURES / "vectors" / "sharpe" / "published_tables.json"
PUBLISHED: Final[dict[str, Any]] = json.loads(TABLES.read_bytes())["published_as_printed"]


@pytest.mark.parametrize("tier", PUBLISHED)
def test_eighteen_rows_agree(tier: str) -> None:
    """Rank, policy, score, rate and mean of each row, at all digits that the document shows."""
    with open_bundle(FIXTURES / "sharpe-demo") as bundle:
        audit = audit_board(bundle, tier, policy=Policy())
    assert audit.report.verdict is Verdict.PASS
    assert audit.file.board is not None
    assert audit.file.board.protocol == "sharpearena/0.9.0"
    shown = [line.split() for line in board(audit).decode().splitlines() if line.startswith("✓ ")]
    printed = [[cells[1], cells[2], cells[3], cells[6], cells[7]] for cells in shown]
    assert printed == [
        [
            str(row["rank"]),
            row["policy"],
            row["deflated_sharpe"],
            row["passed_k_rate"],
            row["mean_return"],
        ]
        for row in PUBLISHED[tier]
    ]
    assert len(printed) == 6
