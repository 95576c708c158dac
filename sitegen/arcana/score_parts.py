"""What an ARCANA score's page and its agent's page both show of a score."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sitegen.arcana.formulas import step_formulas
from sitegen.arcana.words import LABELS, column_cell, number_text, segments, value_cell, value_text
from sitegen.components import (
    Cell,
    Column,
    Row,
    Table,
    big_number,
    checked,
    coverage_bar,
    missing_cell,
    verdict,
    verdict_cell,
)
from sitegen.numbers import count
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from markupsafe import Markup

    from sitegen.arcana.shelf import Shelf
    from verifier.core.jsonread import JsonValue
    from verifier.dossier.arcana_score import ScoreDossier, StoredColumn
    from verifier.explanation import Section

__all__ = [
    "REGIME",
    "checks_table",
    "doubts",
    "finding",
    "headline",
    "outputs_table",
    "participation_note",
    "payload",
    "regime_note",
    "steps_of",
    "unranked_why",
]

REGIME: Final = (
    "Regime measures nothing: it is the neutral value for every agent. It is shown because the "
    "formula adds it, and no table is ordered by it."
)

_NO_VALUE: Final = "the check compares no single value"
_UNRANKED: Final = "null, since the agent is unranked"


def unranked_why(score: ScoreDossier) -> str | None:
    """Say why a score has no rank; None when it has one."""
    if score.ranked:
        return None
    if score.participation is None:
        return "unranked: the row has no score"
    listed, needed = score.participation.listed, score.participation.needed
    if listed >= needed:
        return f"unranked, although {count(listed, 'decision')} are listed"
    return f"unranked: {count(listed, 'decision')}, and a rank takes {needed}"


def finding(score: ScoreDossier) -> str:
    """Say in one sentence what came of a score."""
    if score.manifest is None:
        return "This score's manifest is not in the bundle, so nothing of it can be recomputed."
    if score.manifest.parsed is None:
        return "This score's manifest is not the exact text that its seal asks for."
    if not score.outputs:
        return "This score's outputs cannot be recomputed: see its checks."
    equal = sum(output.equal for output in score.outputs)
    total = len(score.outputs)
    columns = sum(column.equal for column in score.columns)
    assert score.inputs is not None
    found = score.inputs.coverage
    return (
        f"{equal} of {total} outputs recompute to the last bit and {columns} of "
        f"{len(score.columns)} stored columns are their roundings; of "
        f"{count(found.total, 'input')} {found.sealed_at_all} are sealed and {found.anchored} "
        "anchored."
    )


def headline(score: ScoreDossier) -> Markup:
    """Show the score itself, large, with the coverage of its inputs beside it."""
    text = score.row.columns["arcana_score"]
    beside = None
    if score.inputs is not None:
        beside = coverage_bar(segments(score.inputs.coverage))
    if text is None:
        why = unranked_why(score) or "unranked"
        return big_number("—", why, beside)
    return big_number(text, "points of 100", beside, check="arcana_score")


def doubts(shelf: Shelf, scores: Iterable[ScoreDossier]) -> list[Markup]:
    """
    Say which of the anchors that hold scores and their inputs do not pass their own checks.

    An input counts as anchored by the platform's word; here the word is compared with the chain.
    """
    counts: Counter[str] = Counter()
    for score in scores:
        held = [] if score.place is None else [score.place.anchor.anchor_id]
        if score.inputs is not None:
            evidence = [
                *(item.evidence for item in score.inputs.snapshots),
                *(item.evidence for item in score.inputs.decisions),
                *(item.evidence for item in score.inputs.peers),
            ]
            held += [each.anchor_id for each in evidence if each.anchor_id is not None]
        counts.update(shelf.arena.anchor_verdict(anchor).value for anchor in held)
    return [
        verdict(word, f"{count(counts[word], 'anchored seal')} stand{tail} in {anchors}")
        for word, anchors in (
            ("fail", "anchors that fail their own checks"),
            ("unproven", "anchors that are not proved to be on the chain"),
        )
        if counts[word]
        for tail in ["s" if counts[word] == 1 else ""]
    ]


def outputs_table(score: ScoreDossier) -> Table:
    """Put each output and each stored column beside the recomputed value."""
    columns = {column.output: column for column in score.columns}
    rows = []
    for output in score.outputs:
        reason = _UNRANKED
        text = "equal bits" if output.equal else output.distance or "differs"
        rows.append(
            Row(
                f"output-{output.name}",
                (
                    Cell(output.name.replace("_", " ")),
                    value_cell(output.published, reason, output.name),
                    value_cell(output.recomputed, reason, output.name),
                    verdict_cell(Verdict.PASS if output.equal else Verdict.FAIL, text),
                    *_stored(columns.get(output.name)),
                ),
            )
        )
    return Table(
        "outputs",
        "Outputs, published and recomputed",
        (
            Column("output", "Output", "text"),
            Column("published", "Published in the manifest", "number"),
            Column("recomputed", "Recomputed", "number"),
            Column("equal", "Result", "verdict"),
            Column("stored", "Stored column", "points"),
            Column("rounded", "Output rounded", "verdict"),
        ),
        rows,
        note="Every digit is shown: the shortest text that reads back as the same double. "
        f"{REGIME}",
    )


def _stored(column: StoredColumn | None) -> tuple[Cell, Cell]:
    if column is None:
        why = "no column is stored for this output"
        return missing_cell(why), missing_cell(why)
    shown = column.rounded or "null"
    rounded = verdict_cell(Verdict.PASS if column.equal else Verdict.FAIL, shown)
    return (
        column_cell(column.stored, _UNRANKED, column.column),
        replace(rounded, html=checked(shown, column.column)),
    )


def checks_table(shelf: Shelf, score: ScoreDossier) -> Table:
    """List what each check said, with published and recomputed where they differ."""
    rows = [
        Row(
            "",
            (
                Cell(str(found.step)),
                Cell(found.check, href=f"checks/{found.check}/index.html"),
                verdict_cell(found.verdict),
                Cell(found.message),
                missing_cell(_NO_VALUE) if found.published is None else Cell(found.published),
                missing_cell(_NO_VALUE) if found.recomputed is None else Cell(found.recomputed),
            ),
        )
        for found in score.findings
    ]
    return Table(
        "checks",
        "Checks of this score",
        (
            Column("step", "Step", "number"),
            Column("check", "Check", "link"),
            Column("verdict", "Verdict", "verdict"),
            Column("message", "What was found", "text"),
            Column("published", "Published", "text", sortable=False),
            Column("recomputed", "Recomputed", "text", sortable=False),
        ),
        rows,
        note=f"Under the policy of this season; {shelf.season.as_of} is its clock.",
    )


def participation_note(shelf: Shelf, score: ScoreDossier) -> str | None:
    """Say how many decisions count, by the engine and by the published page."""
    found = score.participation
    if found is None:
        return None
    protective = found.listed - found.chosen
    if not protective:
        return f"{count(found.listed, 'decision')} listed, all of them chosen."
    rule = shelf.season.policy.arcana.participation
    return (
        f"{count(found.listed, 'decision')} listed: {found.chosen} chosen and "
        f"{count(protective, 'protective exit')}. The platform's page says that protective exits "
        f"do not count toward the {found.needed} that a rank takes; its engine counts them. This "
        "season is judged by "
        f"{'the engine' if rule == 'engine' else 'the page'}."
    )


def regime_note(score: ScoreDossier) -> str | None:
    """Say what the regime term adds, and that it measures nothing."""
    term = next((term for term in score.terms if term.constant), None)
    if term is None:
        return None
    return (
        f"The regime term is {number_text(term.factor)} for every agent. With its weight of "
        f"{number_text(term.weight)} it adds {value_text(term.product) or 'nothing'} points to "
        "every sum. It measures nothing."
    )


def steps_of(score: ScoreDossier) -> list[tuple[Section, Mapping[str, Markup]]]:
    """
    Take the sections of a score's explanation, with the formulas of its arithmetic.

    Checks and columns have tables of their own on the page. The steps of the other sections are
    those of the verification, which are numbered apart from the formula's.
    """
    formulas = step_formulas(score.formula)
    return [
        (section, formulas if section.title.startswith("Arithmetic") else {})
        for section in score.explanation.sections
        if section.title not in {"Checks of this score", "Stored columns"}
    ]


def payload(shelf: Shelf, score: ScoreDossier) -> dict[str, JsonValue] | None:
    """Give ``verify.js`` the exact text, what is shown of it, and its proof."""
    if score.manifest is None or score.manifest.text is None:
        return None
    return {
        "kind": "score",
        "agent": score.row.agent_id,
        "season": score.row.season_id,
        "ts": score.row.ts,
        "seal": score.row.seal,
        "manifest": score.manifest.text,
        "published": {column: score.row.columns[column] for column in LABELS},
        "proof": _proof(shelf, score),
    }


def _proof(shelf: Shelf, score: ScoreDossier) -> JsonValue:
    if score.place is None:
        return None
    anchor = shelf.arena.anchor(score.place.anchor.anchor_id)
    if anchor.tree is None:
        return None
    steps = anchor.tree.proof(anchor.place_of(score.place.leaf))
    return {
        "scheme": anchor.anchor.scheme,
        "leaf_index": score.place.leaf.index,
        "leaf_count": anchor.anchor.leaf_count,
        "path": [{"sibling": step.sibling, "position": step.position} for step in steps],
        "root": anchor.anchor.root,
        "tx_input": None if anchor.chain is None else anchor.chain.input,
    }
