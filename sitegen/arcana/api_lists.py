"""
The evidence API's answers about the season: leaderboard, reputations, formulas.

The keys are the platform's. What a bundle does not hold is null: ``version`` of
an agent, ``universes``, and a season's ``status`` beyond what its bounds and the
bundle's time say. ``leaderboard.json`` is the overall board with the unranked;
each other category has ``leaderboards/<category>.json``. No parameter is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formulas.arcana_score.v1 import CONSTANTS
from sitegen.arcana.api_values import column_number
from sitegen.arcana.board_tables import ABOUT
from sitegen.arcana.score_parts import REGIME
from verifier.core.jsonread import read_json
from verifier.dossier.arcana import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitegen.arcana.api_values import Body
    from sitegen.arcana.shelf import Shelf
    from verifier.dossier.arcana_board import BoardDossier, Seat
    from verifier.dossier.arcana_creator import CreatorDossier

__all__ = ["board_body", "formula_bodies", "reputation_body"]

_REPUTATION: Final = (
    "Take every active agent of the creator.",
    "Of each, take the latest sealed score of any season, and its stored performance score.",
    "Add them in the order of the agents' ids, and divide by their number.",
    "Without one, the reputation is not measured; it is never 0 for that.",
)


def board_body(shelf: Shelf, board: BoardDossier) -> Body:
    """Answer for a leaderboard, the unranked included."""
    season = board.season
    as_of = f"{shelf.season.as_of[:-1]}.000000Z"
    status = "upcoming" if as_of < season.start else "running" if as_of < season.end else "ended"
    return {
        "items": [_item(shelf, seat) for seat in board.seats],
        "page": 1,
        "page_size": len(board.seats),
        "total": len(board.seats),
        "has_more": False,
        "season": {"id": season.season_id, "name": season.name, "status": status},
        "category": board.category,
        "category_column": CATEGORIES[board.category],
        "category_about": ABOUT[board.category],
        "categories": list(_categories()),
        "weights_sum": 1,
        "strategy_note": "the strategy carries no weight: it multiplies the sum",
        "include_unranked": True,
        "threshold_decisions": _constant("min_participation_decisions"),
        "facets": {
            "universes": None,
            "statuses": [*sorted({agent.status for agent in shelf.arena.context.tables.agents})],
        },
        "total_ranked": board.ranked,
        "total_unranked": len(board.seats) - board.ranked,
        "regime_note": REGIME,
        "note": "as published, in its order; recomputed_equal says whether each row follows from "
        "the score rows",
    }


def _categories() -> Iterator[Body]:
    for category, about in ABOUT.items():
        yield {
            "key": category,
            "label": category.capitalize(),
            "about": about,
            "weight": _constant(f"w_{category}"),
            "weight_note": "it multiplies the sum" if category == "strategy" else None,
            "rankable": True,
        }
    yield {
        "key": "regime",
        "label": "Regime",
        "about": REGIME,
        "weight": _constant("w_regime"),
        "weight_note": "a constant: it adds the same to every score",
        "rankable": False,
    }


def _item(shelf: Shelf, seat: Seat) -> Body:
    shown, row = seat.shown, seat.row
    agent = shelf.arena.context.agents.get(seat.agent_id)
    creator = None if agent is None else agent.creator_id
    columns = {} if row is None else row.columns
    scores: Body = {
        category: column_number(columns.get(column)) for category, column in CATEGORIES.items()
    }
    return {
        "rank": shown.rank,
        "agent_id": seat.agent_id,
        "agent_name": shown.agent_name,
        "version": None,
        "status": None if agent is None else agent.status,
        "strategy_type": None if agent is None else agent.strategy_type,
        "creator": None
        if creator is None
        else {"id": creator, "handle": shelf.arena.handle(creator)},
        "score": shown.score,
        "scores": scores,
        "decisions": _decisions(shelf, seat),
        "ranked": shown.ranked,
        "unranked_note": None if shown.ranked else seat.reason,
        "as_of": None if row is None else row.ts,
        "recomputed_equal": seat.equal,
        "seal": None if row is None else row.seal,
    }


def _decisions(shelf: Shelf, seat: Seat) -> int:
    """Count the agent's counted decisions of all seasons, as the platform's board does."""
    found = shelf.arena.context.decisions
    return sum(
        len(found.get((seat.agent_id, season.season_id), ())) for season in shelf.arena.seasons
    )


def reputation_body(shelf: Shelf, creator: CreatorDossier) -> Body:
    """Answer for a creator: what is published, and beside it what the rows give."""
    published = creator.published
    return {
        "creator": {"id": creator.creator_id, "handle": creator.handle},
        "version": "arcana-creator-reputation/v1",
        "value": None if published is None else published.value,
        "status": None if published is None else published.status,
        "note": None
        if published is not None
        else "the bundle holds no published reputation of this creator",
        "recomputed": {
            "value": creator.value,
            "status": "measured" if creator.measured else "not_measured",
            "equal": creator.verdict.value == "pass",
        },
        "agents": [
            {
                "agent_id": each.agent_id,
                "name": each.shown.name,
                "score_ts": each.shown.score_ts,
                "season_id": each.shown.season_id,
                "performance_score": each.shown.performance_score,
                "seal": each.shown.seal,
                "anchored": each.shown.anchored,
                "verify": f"v1/agents/{shelf.agents.get(each.agent_id)}/scores/"
                f"{each.shown.seal}.json"
                if shelf.score_page(each.shown.seal)
                else None,
            }
            for each in creator.averaged
        ],
        "excluded": [
            {
                "agent_id": each.agent_id,
                "name": each.name,
                "status": each.status,
                "reason": each.reason,
            }
            for each in creator.excluded
        ],
        "formula": list(_REPUTATION),
        "how_to_check": "Each score's verification names its manifest, whose stored column is the "
        "performance score listed here.",
    }


def formula_bodies(shelf: Shelf) -> Iterator[tuple[str, Body]]:
    """Answer for each formula version that the bundle publishes: its name, and its document."""
    bundle = shelf.season.bundle
    if not bundle.has("arcana/formulas.jsonl"):
        return
    for _, line in bundle.lines("arcana/formulas.jsonl"):
        value = read_json(line)
        if isinstance(value, dict) and isinstance(value.get("version"), str):
            version = value["version"]
            assert isinstance(version, str)
            yield (
                version,
                {
                    "version": version,
                    "constants": value.get("constants"),
                    "source": "arcana/formulas.jsonl of the bundle, as published",
                    "steps": value.get("steps"),
                    "notes": value.get("notes"),
                    "how_to_recompute": list(_HOW),
                },
            )


_HOW: Final = (
    "Hash the manifest's exact bytes; the result is the seal.",
    "Compare its constants with these, by value.",
    "Take the steps in their order, each operation a double's, none fused.",
    "Compare all ten outputs to the last bit.",
)


def _constant(name: str) -> float | None:
    """Take a constant of the formula in force; None where the formula has none of that name."""
    value = CONSTANTS.get(name)
    return value if isinstance(value, int | float) else None
