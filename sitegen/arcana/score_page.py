"""The page of one sealed ARCANA score: its manifest, its outputs, its inputs, its anchor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitegen.arcana.figures import waterfall
from sitegen.arcana.formulas import formula_page
from sitegen.arcana.inputs_table import FIRST, InputList, input_lists, pages_of
from sitegen.arcana.score_parts import (
    checks_table,
    doubts,
    finding,
    headline,
    outputs_table,
    participation_note,
    payload,
    regime_note,
    steps_of,
)
from sitegen.arcana.words import moment, segments
from sitegen.components import Download, coverage_bar, hash_chip, verdict
from sitegen.model import Crumb, Page
from sitegen.numbers import count
from verifier.findings import Verdict

if TYPE_CHECKING:
    from markupsafe import Markup

    from sitegen.arcana.shelf import Shelf
    from verifier.dossier.arcana_anchor import AnchorDossier
    from verifier.dossier.arcana_score import ScoreDossier

__all__ = ["score_page"]

_WHOLE: Final = 200_000
"""Characters of a manifest that its page shows; the file is whole in any case."""


def score_page(shelf: Shelf, score: ScoreDossier, download: Download | None) -> Page:
    """
    Make the page of a score.

    Args:
        shelf: The season.
        score: A score with a page.
        download: The response of the evidence API about it, where it is published.
    """
    seal = score.row.seal
    path = shelf.score_page(seal)
    assert path is not None
    assert seal is not None
    name = shelf.name(score.row.agent_id)
    lists = () if score.inputs is None else input_lists(shelf, score.inputs)
    place = score.place
    anchor = None if place is None else shelf.arena.anchor(place.anchor.anchor_id)
    manifest = score.manifest
    text = None if manifest is None else manifest.text
    return Page(
        path=path,
        template="arcana/score.html",
        title=f"Score of {name}, {score.row.ts[:10]}",
        finding=finding(score),
        trail=shelf.trail(
            Crumb(name, shelf.agent_page(score.row.agent_id)),
            Crumb(f"Score of {score.row.ts[:10]}"),
        ),
        values={
            "headline": headline(score),
            "verdict_line": _verdict_line(score),
            "doubts": doubts(shelf, [score]),
            "facts_": _facts(shelf, score),
            "outputs": outputs_table(score) if score.outputs else None,
            "unencodable": _unencodable(score),
            "waterfall": waterfall(score),
            "regime": regime_note(score),
            "participation": participation_note(shelf, score),
            "lists": [_list_values(shelf, score, each) for each in lists],
            "anchor": anchor,
            "anchor_path": None if anchor is None else shelf.anchor_page(anchor.anchor.anchor_id),
            "proof": None if anchor is None else _proof(score, anchor),
            "leaf": None if place is None else place.leaf,
            "previous": score.previous,
            "previous_path": shelf.score_page(score.previous),
            "manifest": manifest,
            "manifest_text": None if text is None else text[:_WHOLE],
            "manifest_rest": 0 if text is None else max(0, len(text) - _WHOLE),
            "manifest_path": shelf.manifest(seal),
            "formula": score.formula,
            "formula_path": formula_page(score.formula),
            "checks": checks_table(shelf, score),
            "steps": steps_of(score),
            "files_": _downloads(shelf, score, download),
        },
        season=shelf.season,
        data_sha256=seal,
        command=shelf.command(seal),
        payload=payload(shelf, score),
        search=f"{name} {score.row.ts[:10]} {seal}",
    )


def _verdict_line(score: ScoreDossier) -> Markup:
    passing = sum(found.verdict is Verdict.PASS for found in score.findings)
    return verdict(score.verdict.value, f"{passing} of {count(len(score.findings), 'check')} pass")


def _facts(shelf: Shelf, score: ScoreDossier) -> list[tuple[str, str | Markup]]:
    facts: list[tuple[str, str | Markup]] = [
        ("agent", shelf.name(score.row.agent_id)),
        ("agent id", score.row.agent_id),
        ("season", score.season_name or score.row.season_id),
        ("scored at", moment(score.row.ts)),
        ("seal", hash_chip(score.row.seal or "")),
    ]
    if score.formula is not None:
        facts.append(("formula", score.formula))
    return facts


def _list_values(shelf: Shelf, score: ScoreDossier, each: InputList) -> dict[str, object]:
    return {
        "title": each.title,
        "key": each.key,
        "bar": coverage_bar(segments(each.coverage), each.title.lower()),
        "table": each.first if each.total else None,
        "rest": max(0, each.total - FIRST),
        "more": pages_of(shelf, score, each),
    }


def _proof(score: ScoreDossier, anchor: AnchorDossier) -> tuple[tuple[str, str], ...] | None:
    if anchor.tree is None or score.place is None:
        return None
    steps = anchor.tree.proof(anchor.place_of(score.place.leaf))
    return tuple((step.position, step.sibling) for step in steps)


def _unencodable(score: ScoreDossier) -> str | None:
    """The text that stands in place of outputs that were no numbers."""
    parsed = None if score.manifest is None else score.manifest.parsed
    outputs = None if parsed is None else parsed.outputs
    return outputs if isinstance(outputs, str) else None


def _downloads(shelf: Shelf, score: ScoreDossier, api: Download | None) -> list[Download]:
    found = []
    path = shelf.manifest(score.row.seal)
    if score.manifest is not None and path is not None:
        found.append(
            Download(
                "The manifest, its exact bytes",
                path,
                score.manifest.sha256,
                score.manifest.size,
                "Its SHA-256 is the seal.",
            )
        )
    return found if api is None else [*found, api]
