"""
The commands that recompute what a page shows, typed at the root of the downloaded site.

A season's evidence lies there as one zip, and the policy of its audit beside its pages:
under another policy the same evidence may come to another verdict.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sitegen.model import Season

__all__ = ["REBUILD", "audit_season", "board_of_season", "explain_in_season"]

REBUILD: Final = "tallyproof site check . --source SOURCE"
"""How a page of no season is made again, with the publisher's sources."""


def audit_season(season: Season) -> str:
    """Write the command that audits a season again."""
    return f"tallyproof audit {_archive(season)} {_policy(season)}"


def explain_in_season(season: Season, subject: str) -> str:
    """
    Write the command that explains one record.

    Args:
        season: The season that has it.
        subject: A seal, or a subject as reports name it; hostile text is quoted for a shell.
    """
    said = shlex.quote(subject)
    return f"tallyproof explain {said} --bundle {_archive(season)} {_policy(season)}"


def board_of_season(season: Season, board: str) -> str:
    """Write the command that recomputes one board of SharpeArena; see :func:`explain_in_season`."""
    name = shlex.quote(board)
    return f"tallyproof sharpe board --bundle {_archive(season)} --name {name} {_policy(season)}"


def _archive(season: Season) -> str:
    return f"{season.evidence.rstrip('/')}.zip"


def _policy(season: Season) -> str:
    return f"--policy {season.root}policy.toml"
