"""
Boards, and what lies behind them, of a stranger.

The first line of an input names what the rest is: a file under ``sharpe`` of a small sound
arena that it takes the place of, ``rows`` for rows to make a board of, or ``log`` for the
log of a curriculum. What can be read is audited, shown and explained.
"""

from atexit import register
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from sharpe_publisher import published, written
from small_bundle import write_tree

from verifier.bundle import Bundle, open_bundle, overlay
from verifier.cli.sharpe_text import board, curriculum
from verifier.core.jsonread import read_json
from verifier.errors import EvidenceError, UsageError
from verifier.explain import explain
from verifier.explanation import render_text
from verifier.policy import Policy
from verifier.report.text import render
from verifier.sharpe.convert import Setup, convert
from verifier.sharpe.curriculum import replay
from verifier.sharpe.single import audit_board

# One board of three, so that an input takes a few milliseconds.
OTHERS: Final = ("old", "sealed")
FILES: Final = {
    path: data
    for path, data in written(published()).items()
    if path != "SHA256SUMS" and not any(f"/{name}" in path for name in OTHERS)
}
POLICY: Final = Policy()
FOLDER: Final = TemporaryDirectory()
register(FOLDER.cleanup)
BASE: Final = open_bundle(write_tree(Path(FOLDER.name) / "bundle", FILES))
SETUP: Final = Setup(
    name="fuzzed",
    release="0.31.0",
    tier="calm",
    seeds=range(4),
    as_of="2026-11-20T00:00:00Z",
)


def one_input(data: bytes) -> None:
    """Read one text as what its first line says."""
    first, _, content = data.partition(b"\n")
    name = first.decode(errors="replace")
    try:
        if name == "log":
            curriculum(replay(content))
        elif name == "rows":
            convert(read_json(content), None, SETUP)
        else:
            path = f"sharpe/{name}.json"
            path = path if path in FILES else "sharpe/boards/new.json"
            look(overlay(BASE, {path: content}, relist=True))
    except (EvidenceError, UsageError):
        return


def look(bundle: Bundle) -> None:
    """Audit, show and explain the one board."""
    audit = audit_board(bundle, "new", policy=POLICY, keep="all")
    for shown in (board(audit), render(audit.report)):
        assert not any(line.lstrip().startswith(b"::") for line in shown.splitlines())
    assert audit.report.findings
    assert render_text(explain(bundle, "new/mine", policy=POLICY))
