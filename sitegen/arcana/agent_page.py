"""The page of one ARCANA agent: its scores, the latest one taken apart, its NAV, its creator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitegen.arcana.creator_page import averaged_table
from sitegen.arcana.figures import history, nav, waterfall
from sitegen.arcana.formulas import formula_page
from sitegen.arcana.score_parts import (
    doubts,
    headline,
    outputs_table,
    participation_note,
    payload,
    regime_note,
    steps_of,
    unranked_why,
)
from sitegen.arcana.words import LABELS, column_cell, moment_cell, number_text, segments
from sitegen.components import Cell, Column, Row, Table, coverage_bar, missing_cell, verdict
from sitegen.model import Crumb, Page
from sitegen.numbers import count
from verifier.dossier.arcana import coverage_of
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitegen.arcana.shelf import Shelf
    from sitegen.components import Download
    from verifier.dossier.arcana_agent import AgentDossier
    from verifier.dossier.arcana_score import ScoreDossier

__all__ = ["agent_page", "season_scores"]


def season_scores(shelf: Shelf, agent: AgentDossier) -> list[ScoreDossier]:
    """Read the agent's scores of the season, oldest first."""
    rows = (row for row in agent.scores if row.season_id == shelf.shown.season_id)
    return [shelf.arena.score(row) for row in rows]


def agent_page(
    shelf: Shelf,
    agent: AgentDossier,
    scores: Sequence[ScoreDossier],
    files: Sequence[Download],
) -> Page:
    """
    Make the page of an agent.

    Args:
        shelf: The season.
        agent: Whose page.
        scores: Its scores of the season, oldest first.
        files: Its downloads.
    """
    path = shelf.agent_page(agent.agent.agent_id)
    assert path is not None
    latest = scores[-1] if scores else None
    sealed = [score for score in scores if score.row.seal is not None]
    creator = agent.agent.creator_id
    told = None if creator is None else shelf.arena.creator(creator)
    samples = agent.nav(shelf.shown.season_id)
    return Page(
        path=path,
        template="arcana/agent.html",
        title=agent.agent.name,
        finding=_finding(scores, sealed),
        trail=shelf.trail(Crumb(agent.agent.name)),
        values={
            "agent": agent.agent,
            "listed": shelf.arena.listed(agent.agent.agent_id),
            "latest": latest,
            "latest_path": None if latest is None else shelf.score_page(latest.row.seal),
            "headline": None if latest is None else headline(latest),
            "why": None if latest is None else unranked_why(latest),
            "verdict_line": _verdict_line(sealed),
            "doubts": doubts(shelf, sealed),
            "scores": _scores_table(shelf, scores) if scores else None,
            "history": history(score.row for score in scores),
            "waterfall": None if latest is None else waterfall(latest),
            "regime": None if latest is None else regime_note(latest),
            "participation": None if latest is None else participation_note(shelf, latest),
            "outputs": outputs_table(latest) if latest is not None and latest.outputs else None,
            "nav": nav(samples),
            "nav_count": len(samples),
            "coverage": coverage_bar(segments(coverage_of(sealed))) if sealed else None,
            "sealed_count": len(sealed),
            "creator": told,
            "creator_name": None if creator is None else shelf.creator_name(creator),
            "creator_path": shelf.creator_page(creator),
            "averaged": averaged_table(shelf, told) if told is not None and told.averaged else None,
            "steps": () if latest is None else steps_of(latest),
            "formula": None if latest is None else latest.formula,
            "formula_path": None if latest is None else formula_page(latest.formula),
            "files_": list(files),
            "number_text": number_text,
        },
        season=shelf.season,
        data_sha256=(None if latest is None else latest.row.seal) or shelf.digest("agents"),
        command=shelf.command(None if latest is None else latest.row.seal),
        payload=None if latest is None or latest.row.seal is None else payload(shelf, latest),
        search=f"{agent.agent.name} {agent.agent.agent_id}",
    )


def _finding(scores: Sequence[ScoreDossier], sealed: Sequence[ScoreDossier]) -> str:
    if not scores:
        return "This agent has no score in the season."
    if not sealed:
        few = "score of the season is" if len(scores) == 1 else "scores of the season are"
        return f"The agent's {few} not sealed, so nothing can be recomputed from a manifest."
    equal = sum(
        bool(score.outputs) and all(output.equal for output in score.outputs) for score in sealed
    )
    found = coverage_of(sealed)
    why = unranked_why(scores[-1])
    standing = "" if why is None else f" Its latest score is {why}."
    return (
        f"{equal} of {count(len(sealed), 'sealed score')} recompute to the last bit. Of "
        f"{count(found.total, 'input')} that they list, {found.sealed_at_all} are sealed and "
        f"{found.anchored} anchored.{standing}"
    )


def _verdict_line(sealed: Sequence[ScoreDossier]) -> object:
    if not sealed:
        return verdict("exempt", "no score of this agent is sealed in the season")
    said = [score.verdict for score in sealed]
    passing = sum(each is Verdict.PASS or each is Verdict.EXEMPT for each in said)
    word = next((each for each in (Verdict.FAIL, Verdict.UNPROVEN) if each in said), Verdict.PASS)
    return verdict(
        word.value, f"{passing} of {count(len(sealed), 'sealed score')} pass every check"
    )


def _scores_table(shelf: Shelf, scores: Sequence[ScoreDossier]) -> Table:
    rows = []
    for score in reversed(scores):
        why = unranked_why(score) or "null in the row"
        seal = score.row.seal
        when = moment_cell(score.row.ts)
        rows.append(
            Row(
                f"score-{score.row.ts[:19].replace(':', '.')}" if _plain(score.row.ts) else "",
                (
                    Cell(when.text, html=when.html, href=shelf.score_page(seal)),
                    *(column_cell(score.row.columns[name], why) for name in LABELS),
                    missing_cell("recorded before sealing began")
                    if seal is None
                    else Cell(seal, href=shelf.score_page(seal)),
                    Cell(score.verdict.value, verdict=score.verdict.value),
                ),
                muted=not score.ranked,
            )
        )
    return Table(
        "scores",
        "Scores of the season, the newest first",
        (
            Column("ts", "Scored", "time"),
            *(
                Column(
                    name,
                    label,
                    "points",
                    sortable=name != "regime_score",
                    note="Regime is the same for every agent and measures nothing."
                    if name == "regime_score"
                    else None,
                )
                for name, label in LABELS.items()
            ),
            Column("seal", "Seal", "hash"),
            Column("verdict", "Checks", "verdict"),
        ),
        rows,
        note="Columns as stored, with two decimals. A row without a seal has no manifest to "
        "compare with, and is exempt.",
        context_only=("regime_score",),
    )


def _plain(ts: str) -> bool:
    return ts[:19].replace(":", "").replace("-", "").replace("T", "").isalnum() and ts.isascii()
