"""The page of one creator: the reputation, published and recomputed, and all that it averages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitegen.arcana.words import moment_cell, number_text
from sitegen.components import (
    Cell,
    Column,
    Row,
    Table,
    big_number,
    missing_cell,
    verdict,
    verdict_cell,
)
from sitegen.model import Crumb, Page
from sitegen.numbers import count
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitegen.arcana.shelf import Shelf
    from sitegen.components import Download
    from verifier.dossier.arcana_creator import Averaged, CreatorDossier

__all__ = ["averaged_table", "creator_page"]


def creator_page(shelf: Shelf, creator: CreatorDossier, files: Sequence[Download]) -> Page:
    """Make the page of a creator."""
    path = shelf.creator_page(creator.creator_id)
    assert path is not None
    name = shelf.creator_name(creator.creator_id)
    published = None if creator.published is None else creator.published.value
    return Page(
        path=path,
        template="arcana/creator.html",
        title=f"Creator {name}",
        finding=_finding(creator),
        trail=shelf.trail(Crumb(f"Creator {name}")),
        values={
            "creator": creator,
            "name": name,
            "headline": big_number("—", "not measured")
            if creator.value is None
            else big_number(
                number_text(creator.value),
                f"points, the mean of {count(len(creator.averaged), 'score')}, recomputed",
            ),
            "published_text": _published(creator, published),
            "verdict_line": verdict(creator.verdict.value, "the published reputation"),
            "averaged": averaged_table(shelf, creator) if creator.averaged else None,
            "excluded": _excluded_table(shelf, creator) if creator.excluded else None,
            "problems": [each for each in creator.findings if each.verdict is not Verdict.PASS],
            "files_": list(files),
            "number_text": number_text,
        },
        season=shelf.season,
        data_sha256=shelf.digest("reputations"),
        command=shelf.command(),
        search=f"creator {name} {creator.creator_id}",
    )


def averaged_table(shelf: Shelf, creator: CreatorDossier) -> Table:
    """List every score that a reputation averages."""
    rows = []
    for each in creator.averaged:
        shown = each.shown
        rows.append(
            Row(
                f"averaged-{shelf.agents.get(each.agent_id, '')}"
                if each.agent_id in shelf.agents
                else "",
                (
                    Cell(
                        shown.name,
                        href=shelf.agent_page(each.agent_id),
                        title=f"agent {each.agent_id}",
                    ),
                    moment_cell(shown.score_ts),
                    missing_cell("not listed")
                    if each.published is None
                    else Cell(number_text(each.published.performance_score)),
                    missing_cell("not due")
                    if each.recomputed is None
                    else Cell(number_text(each.recomputed.performance_score)),
                    Cell(
                        shown.seal, href=shelf.score_page(shown.seal) or shelf.manifest(shown.seal)
                    ),
                    _anchored_cell(each),
                    verdict_cell(_verdict(creator, each), _said(each)),
                ),
            )
        )
    return Table(
        "averaged",
        "Scores that the reputation averages",
        (
            Column("agent", "Agent", "name"),
            Column("ts", "Scored", "time"),
            Column("published", "Published", "points"),
            Column("recomputed", "Recomputed", "points"),
            Column("seal", "Seal", "hash"),
            Column("anchored", "Anchored", "verdict"),
            Column("equal", "Result", "verdict"),
        ),
        rows,
        note="Each active agent's latest sealed score, its performance at the two stored decimals, "
        "added in the order of the agents' ids and divided once.",
    )


def _anchored_cell(each: Averaged) -> Cell:
    if each.recomputed is None:
        said = "anchored" if each.shown.anchored else "not anchored"
        return Cell(f"{said}, as published", verdict="unproven")
    if each.recomputed.anchored:
        return Cell("anchored", verdict="pass")
    return Cell("not anchored", verdict="unproven")


def _verdict(creator: CreatorDossier, each: Averaged) -> Verdict:
    if creator.published is None:
        return Verdict.UNPROVEN
    return Verdict.PASS if each.equal else Verdict.FAIL


def _said(each: Averaged) -> str:
    if each.published is None:
        return "not listed"
    if each.recomputed is None:
        return "not due"
    return "equal" if each.equal else "differs"


def _finding(creator: CreatorDossier) -> str:
    if creator.value is None:
        end = (
            "."
            if creator.published is None or creator.published.value is None
            else (f", although {number_text(creator.published.value)} is published.")
        )
        return f"The reputation is not measured: no active agent has a sealed score{end}"
    over = count(len(creator.averaged), "agent")
    mean = f"{number_text(creator.value)} points, the mean over {over}"
    if creator.published is None:
        return f"The rows give {mean}; no reputation is published in the bundle."
    if creator.verdict is Verdict.PASS:
        return f"The published reputation is what the rows give: {mean}."
    return f"The published reputation is not what the rows give: {mean}."


def _published(creator: CreatorDossier, value: float | None) -> str:
    if creator.published is None:
        return "nothing is published in the bundle"
    return creator.published.status if value is None else number_text(value)


def _excluded_table(shelf: Shelf, creator: CreatorDossier) -> Table:
    return Table(
        "excluded",
        "The creator's other agents",
        (
            Column("agent", "Agent", "name"),
            Column("status", "Status", "text"),
            Column("reason", "Why it is not averaged", "text"),
        ),
        [
            Row(
                f"excluded-{shelf.agents[each.agent_id]}",
                (
                    Cell(each.name, href=shelf.agent_page(each.agent_id)),
                    Cell(each.status),
                    Cell(each.reason),
                ),
                muted=True,
            )
            for each in creator.excluded
        ],
    )
