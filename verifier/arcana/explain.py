"""
Explaining one ARCANA score: its checks, its inputs, and the arithmetic in steps.

The arithmetic shows every intermediate value with its 64 bits. Published
values exist for the ten outputs and the eight stored columns; they stand
beside the recomputed ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaConstantsError
from verifier.arcana.checks.score import check_score, stored_text
from verifier.arcana.manifest import ScoreManifest
from verifier.arcana.recompute import (
    VERSIONS,
    bits_of,
    describe_difference,
    differences,
    recompute,
)
from verifier.arcana.rows import SCORE_COLUMNS
from verifier.explanation import Explanation, Line, Section
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from formulas.arcana_score import v1
    from verifier.arcana.context import Context
    from verifier.arcana.rows import ScoreRow

__all__ = ["explain_score"]

# Member of the working -> the published steps that give it.
WORKING: Final[Mapping[str, str]] = {
    "ticks": "1",
    "exposure": "2",
    "decisions": "3",
    "buys": "3",
    "sells": "3",
    "peer_mean": "4",
    "checkable": "5",
    "turnover": "5",
    "sell_share": "5",
    "strategy": "5",
    "strategy_multiplier": "6",
    "ranked": "7",
    "regime": "8",
    "longevity": "8",
    "creator": "8",
    "returns": "10",
    "total_return": "11",
    "performance": "11",
    "exposure_used": "12",
    "mean_return": "13",
    "stdev_return": "13",
    "stdev_per_exposure": "13",
    "drawdown": "13",
    "drawdown_per_exposure": "13",
    "risk": "13",
    "consistency": "13",
    "weighted_sum": "14",
    "arcana": "14",
}


_SHOWN_BELOW: Final = ("arcana/recompute", "arcana/stored")


def explain_score(context: Context, row: ScoreRow) -> Explanation:
    """
    Explain one score row of a bundle.

    A row without a readable manifest is explained as far as its checks go.
    """
    manifest = None if row.seal is None else context.readable(row.seal)
    sections = [Section("Checks of this score", tuple(_check_lines(context, row)))]
    if isinstance(manifest, ScoreManifest):
        sections.append(Section("Inputs, as the manifest lists them", tuple(_inputs(manifest))))
        sections += explain_manifest(manifest)
        if not isinstance(manifest.outputs, str):
            sections.append(Section("Stored columns", tuple(_column_lines(row, manifest.outputs))))
    agent = context.agents.get(row.agent_id)
    return Explanation(
        f"score {row.agent_id} {row.ts}",
        (
            ("agent", agent.name if agent is not None else "not listed"),
            ("season", row.season_id),
            ("seal", row.seal or "none: recorded before sealing began"),
        ),
        tuple(sections),
    )


def explain_manifest(manifest: ScoreManifest) -> Iterator[Section]:
    """Explain the arithmetic of one score manifest: the working, then the outputs."""
    if manifest.formula not in VERSIONS:
        return
    try:
        working = recompute(manifest)
    except FormulaConstantsError as error:
        line = Line(step="5", name="constants", recomputed=f"cannot be computed with: {error}")
        yield Section("Arithmetic", (line,))
        return
    title = f"Arithmetic of {manifest.formula}, every value with its 64 bits"
    yield Section(title, tuple(_working_lines(working, manifest)))


def _check_lines(context: Context, row: ScoreRow) -> Iterator[Line]:
    for finding in sorted(
        check_score(context, row).findings, key=lambda found: (found.step, found.check)
    ):
        # Outputs and columns that differ are shown with their bits further down.
        fails = finding.verdict is Verdict.FAIL
        if fails and finding.check in _SHOWN_BELOW and finding.recomputed is not None:
            continue
        yield Line(
            step=str(finding.step),
            name=finding.check,
            recomputed=finding.recomputed
            if fails and finding.recomputed is not None
            else f"{finding.verdict}: {finding.message}",
            published=(finding.published or "") if fails and finding.recomputed else None,
            note=f"{finding.verdict}: {finding.message}" if fails and finding.recomputed else None,
            differs=fails,
            unproven=finding.verdict is Verdict.UNPROVEN,
        )


def _inputs(manifest: ScoreManifest) -> Iterator[Line]:
    navs = manifest.nav_series
    span = f": {navs[0].nav} at {navs[0].ts} to {navs[-1].nav} at {navs[-1].ts}" if navs else ""
    yield Line(step="3", name="snapshots", recomputed=f"{len(navs)}{span}")
    actions = [decision.action for decision in manifest.decisions]
    kinds = ", ".join(f"{actions.count(action)} {action}" for action in sorted(set(actions)))
    yield Line(step="3", name="decisions", recomputed=f"{len(actions)}: {kinds}")
    yield Line(step="3", name="creator's peer scores", recomputed=str(len(manifest.peers)))
    yield Line(step="3", name="strategy", recomputed=manifest.strategy_type or "none declared")


def _working_lines(working: v1.Working, manifest: ScoreManifest) -> Iterator[Line]:
    published = {} if isinstance(manifest.outputs, str) else manifest.outputs
    outputs = working.outputs
    differing = {name for name, _, _ in differences(published, outputs)} if published else set()
    for name, step in WORKING.items():
        # An unranked score publishes null for what was computed all the same.
        value = outputs[name] if name in outputs else getattr(working, name)
        line_note = None
        if name in outputs and value is None:
            line_note = f"unranked: null, computed {getattr(working, name)!r}"
        if name not in published:
            yield Line(step=step, name=name, recomputed=_show(value), bits=_bits(value))
            continue
        differs = name in differing
        yield Line(
            step="15" if value is None else step,
            name=name,
            recomputed=_show(value),
            bits=_bits(value),
            published=_show(published[name]),
            published_bits=_bits(published[name]),
            note=describe_difference(published[name], value) if differs else line_note,
            differs=differs,
        )


def _column_lines(row: ScoreRow, outputs: Mapping[str, float | bool | None]) -> Iterator[Line]:
    for column, output in SCORE_COLUMNS.items():
        value = outputs[output]
        stored = row.columns[column]
        recomputed = None if value is None else stored_text(value)
        yield Line(
            step="7",
            name=column,
            recomputed=recomputed or "null",
            published=stored or "null",
            note="the column is not the output rounded" if stored != recomputed else None,
            differs=stored != recomputed,
        )


def _show(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value)


def _bits(value: object) -> str | None:
    return bits_of(value) if isinstance(value, float) else None
