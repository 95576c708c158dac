"""The tables of a board: its rows, gates, pairs, gaps and checklist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from formulas.sharpe.ranking import order
from sitegen.components import Cell, Column, Row, Table, missing_cell, verdict_cell
from sitegen.numbers import fixed
from sitegen.sharpe.cells import CONTEXT_ONLY, figure_cell, interval_cell
from sitegen.text import shown
from verifier.dossier.sharpe_row import GATES
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitegen.sharpe.shelf import Shelf
    from verifier.dossier.sharpe import BoardDossier, RowDossier
    from verifier.dossier.sharpe_gaps import GapShown
    from verifier.dossier.sharpe_order import PairShown
    from verifier.dossier.sharpe_row import Gate

__all__ = [
    "board_table",
    "claims_table",
    "disclosure_table",
    "gap_table",
    "gates_table",
    "in_order",
    "pairs_table",
    "transfer_table",
]

_RATE: Final = "share of seeds on which the agent passes on its own"
_VERDICTS: Final = {
    "tied": "no difference shown",
    "a_better": "the higher one is better",
    "b_better": "the lower one is better",
    None: "—",
}


def in_order(dossier: BoardDossier) -> list[RowDossier]:
    """Rows by published score, highest first, whatever their printed order is."""
    return [dossier.rows[at] for at in order([row.row.deflated_sharpe for row in dossier.rows])]


def board_table(dossier: BoardDossier, shelf: Shelf) -> Table:
    """The ranking itself, in printed order."""
    columns = (
        Column("rank", "rank", "rank", figure="rank"),
        Column("agent", "agent", "name"),
        Column("score", "deflated Sharpe", "number", figure="deflated_sharpe"),
        Column("interval", "interval", "number", note=_interval_note(dossier), figure="lo hi"),
        Column("rate", "pass^k", "number", note=_RATE, figure="pass_k_rate"),
        Column(
            "mean",
            "mean return",
            "number",
            sortable=False,
            note=CONTEXT_ONLY,
            figure="mean_return",
        ),
        Column("eligible", "eligible", "text"),
        Column("next", "against the next", "text", sortable=False),
        Column("verdict", "recomputed", "verdict"),
    )
    spans, ids = _spans(dossier), _row_ids(dossier, shelf)
    return Table(
        id="board",
        caption=f"Board {shown(dossier.name)}, ranked on deflated Sharpe",
        columns=columns,
        rows=tuple(
            Row(
                id=row_id,
                cells=tuple(_board_cells(dossier, shelf, row)),
                rank_span=span,
                muted=row.row.deflated_sharpe is None,
                of=row.policy,
            )
            for row, row_id, span in zip(dossier.rows, ids, spans, strict=True)
        ),
        context_only=("mean",),
    )


def _interval_note(dossier: BoardDossier) -> str:
    scoring = dossier.board.scoring
    confidence = fixed((1 - scoring.alpha) * 100, 6).rstrip("0").rstrip(".")
    return (
        f"{confidence}% bootstrap over seeds, {scoring.n_boot:,} resamples; a column is sorted by "
        "the low end"
    )


def _row_ids(dossier: BoardDossier, shelf: Shelf) -> Iterator[str]:
    """Ids of the rows; of a policy that stands twice, the first row has it."""
    named: set[str] = set()
    for row in dossier.rows:
        yield "" if row.policy in named else shelf.row_anchor(row.policy)
        named.add(row.policy)


def _spans(dossier: BoardDossier) -> list[int]:
    """Rows that share a printed rank, counted on the first of each run."""
    ranks = [row.row.rank for row in dossier.rows]
    spans = [1] * len(ranks)
    first = 0
    for place, rank in enumerate(ranks):
        if place and rank == ranks[place - 1] and rank.endswith("="):
            spans[first] += 1
            spans[place] = 0
        else:
            first = place
    return spans


def _board_cells(dossier: BoardDossier, shelf: Shelf, row: RowDossier) -> Iterator[Cell]:
    yield rank_cell(row)
    yield Cell(row.policy, href=shelf.entry_page(dossier.name, row.policy))
    yield figure_cell(row.score)
    yield interval_cell(row.interval["lo"], row.interval["hi"])
    yield figure_cell(row.rate)
    yield figure_cell(row.mean, 6)
    yield eligible_cell(row)
    yield _next_cell(dossier.pair_below(row.policy))
    yield verdict_cell(row.verdict)


def rank_cell(row: RowDossier) -> Cell:
    """Rank as printed, and as the scores give it where that is another."""
    printed = row.row.rank
    if row.row.rank == row.rank:
        return Cell(printed, sort=printed.rstrip("=~") if printed != "-" else "")
    html = Markup("<b>fail</b> {} <small>recomputed</small> {}").format(shown(printed), row.rank)
    return Cell(printed, sort=row.rank.rstrip("=~-"), html=html, verdict="fail")


def eligible_cell(row: RowDossier) -> Cell:
    """Whether the row is rank-eligible, and which gates say no."""
    if row.row.eligible is None:
        return missing_cell("the board does not say whether it is eligible")
    reasons = ", ".join(row.row.reasons)
    text = "yes" if row.row.eligible else f"no: {reasons or 'no reason is given'}"
    verdict = row.verdict_of(6)
    if verdict is Verdict.PASS:
        return Cell(text)
    return Cell(
        text, html=Markup("<b>{}</b> {}").format(verdict.value, shown(text)), verdict=verdict.value
    )


def _next_cell(pair: PairShown | None) -> Cell:
    if pair is None:
        return missing_cell("no scored entry stands below it")
    text = _against(pair, pair.published or pair.recomputed)
    if pair.published is None:
        text += ", but not published"
    elif pair.recomputed not in (None, pair.published):
        text += f"; recomputed: {_against(pair, pair.recomputed)}"
    if pair.verdict is Verdict.PASS:
        return Cell(text, href="#pairs")
    html = Markup("<b>{}</b> {}").format(pair.verdict.value, shown(text))
    return Cell(text, html=html, verdict=pair.verdict.value, href="#pairs", title=pair.note)


def _against(pair: PairShown, said: str | None) -> str:
    return {
        "tied": f"no difference shown from {pair.b}",
        "a_better": f"better than {pair.b}",
        "b_better": f"worse than {pair.b}",
    }.get(said or "", f"not compared with {pair.b}")


def gates_table(dossier: BoardDossier, shelf: Shelf) -> Table:
    """Every gate of every row."""
    columns = [Column("agent", "agent", "name")]
    columns += [Column(name, name, "text", note=title) for name, title in GATES.items()]
    columns.append(Column("verdict", "recomputed", "verdict"))
    return Table(
        id="gates-table",
        caption="Gates of rank eligibility: an entry is eligible when all six hold",
        columns=tuple(columns),
        rows=tuple(
            Row(
                id="",
                cells=(
                    Cell(row.policy, href=shelf.entry_page(dossier.name, row.policy)),
                    *(_gate_cell(gate) for gate in row.gates),
                    verdict_cell(row.verdict_of(6)),
                ),
            )
            for row in dossier.rows
        ),
    )


def _gate_cell(gate: Gate) -> Cell:
    said = {True: "holds", False: "does not hold", None: "not judged"}[gate.holds]
    title = f"{gate.value}; asked: {gate.asked}"
    if gate.verdict is Verdict.FAIL:
        stated = "does not hold" if gate.named else "holds"
        html = Markup("<b>fail</b> <small>published</small> {}<br><small>recomputed</small> {}")
        return Cell(said, html=html.format(stated, said), verdict="fail", title=title)
    return Cell(said, title=title)


def pairs_table(dossier: BoardDossier) -> Table:
    """Each two neighbours by score."""
    trials = dossier.board.pairs_trials
    return Table(
        id="pairs-table",
        caption=f"Neighbours by score, compared seed by seed with {trials:,} declared trials",
        columns=(
            Column("a", "higher", "name"),
            Column("b", "lower", "name"),
            Column("point_diff", "difference", "number", figure="point_diff"),
            Column("interval", "interval", "number", figure="lo hi"),
            Column("p_value", "p", "number", figure="p_value"),
            Column("said", "verdict", "text"),
            Column("verdict", "recomputed", "verdict"),
        ),
        rows=tuple(
            Row(id=f"pair-{index}", cells=tuple(_pair_cells(pair)))
            for index, pair in enumerate(dossier.pairs, 1)
        ),
        note=(
            "The verdict comes from the interval: no difference is shown where it holds 0. "
            "There is no correction for several tests."
        ),
    )


def _pair_cells(pair: PairShown) -> Iterator[Cell]:
    figures = {figure.name: figure for figure in pair.figures}
    yield Cell(pair.a)
    yield Cell(pair.b)
    yield figure_cell(figures["point_diff"])
    yield interval_cell(figures["lo"], figures["hi"])
    yield figure_cell(figures["p_value"], 3)
    stated = _VERDICTS.get(pair.published, pair.published or "")
    if pair.recomputed is None or pair.published == pair.recomputed:
        yield Cell(stated)
    else:
        html = Markup("<b>fail</b> <small>published</small> {}<br><small>recomputed</small> {}")
        yield Cell(
            stated, html=html.format(shown(stated), _VERDICTS[pair.recomputed]), verdict="fail"
        )
    yield verdict_cell(pair.verdict, title=pair.note)


def claims_table(dossier: BoardDossier) -> Table:
    """What the publisher says beats what."""
    return Table(
        id="claims-table",
        caption="What the publisher claims",
        columns=(
            Column("claim", "claim", "text"),
            Column("pair", "the paired test of the two", "text"),
            Column("verdict", "recomputed", "verdict"),
        ),
        rows=tuple(
            Row(
                id="",
                cells=(
                    Cell(f"{claim.better} beats {claim.worse}"),
                    Cell(
                        f"{claim.winner} is better"
                        if claim.winner is not None
                        else "no difference shown: a coin flip dressed as a result"
                        if claim.compared
                        else "the two were never compared: a coin flip dressed as a result"
                    ),
                    verdict_cell(claim.verdict),
                ),
            )
            for claim in dossier.claims
        ),
    )


def gap_table(dossier: BoardDossier, shelf: Shelf) -> Table:
    """Generalization gap of every row."""
    return Table(
        id="gaps-table",
        caption="Generalization: score on the train band less that on the test band",
        columns=(
            Column("agent", "agent", "name"),
            Column("train", "train", "number", figure="train"),
            Column("test", "test", "number", figure="test"),
            Column(
                "gap", "gap", "number", note="positive: overfit to the train band", figure="gap"
            ),
            Column("verdict", "recomputed", "verdict"),
        ),
        rows=tuple(
            Row(
                id="",
                cells=(
                    Cell(row.policy, href=shelf.entry_page(dossier.name, row.policy)),
                    *_gap_cells(row.generalization),
                    _gap_verdict(row.generalization),
                ),
                of=row.policy,
            )
            for row in dossier.rows
        ),
        note=(
            "Gaps declare no trials, so these scores are deflated against 50 and cannot be "
            "compared with the board's."
        ),
    )


def _gap_cells(gap: GapShown) -> Iterator[Cell]:
    for side in gap.sides:
        yield figure_cell(side.score)
    yield figure_cell(gap.gap)


def _gap_verdict(gap: GapShown) -> Cell:
    figures = (*(side.score for side in gap.sides), gap.gap)
    if gap.missing is not None:
        return verdict_cell(Verdict.UNPROVEN, f"unproven: {gap.missing}")
    failed = sum(figure.verdict is Verdict.FAIL for figure in figures)
    if failed:
        return verdict_cell(Verdict.FAIL, f"fail: {failed} of {len(figures)} differ")
    return verdict_cell(Verdict.PASS)


def transfer_table(dossier: BoardDossier, rows: Sequence[RowDossier], shelf: Shelf) -> Table | None:
    """Transfers to other tiers; None where no row lists one."""
    listed = [
        Row(
            id="",
            cells=(
                Cell(row.policy, href=shelf.entry_page(dossier.name, row.policy)),
                Cell(gap.to or ""),
                *_gap_cells(gap),
                _gap_verdict(gap),
            ),
            of=f"{row.policy} to {gap.to}",
        )
        for row in rows
        for gap in row.transfers
    ]
    if not listed:
        return None
    return Table(
        id="transfers-table",
        caption=f"Transfer: score on {shown(dossier.board.tier)} less that on another tier",
        columns=(
            Column("agent", "agent", "name"),
            Column("to", "to tier", "text"),
            Column("in", "in", "number", figure="in"),
            Column("out", "out", "number", figure="out"),
            Column("gap", "gap", "number", figure="gap"),
            Column("verdict", "recomputed", "verdict"),
        ),
        rows=tuple(listed),
        note="The same seeds on both tiers. Transfers are not required of an entry.",
    )


def disclosure_table(dossier: BoardDossier) -> Table:
    """The checklist of what an entry must state."""
    return Table(
        id="disclosure-table",
        caption="What an entry must state",
        columns=(
            Column("what", "item", "text"),
            Column("stated", "stated", "text"),
            Column("canonical", "canonical", "text"),
            Column("verdict", "result", "verdict"),
        ),
        rows=tuple(
            Row(
                id="",
                cells=(
                    Cell(item.what),
                    Cell(item.stated),
                    missing_cell("nothing is canonical here")
                    if item.canonical is None
                    else Cell(item.canonical),
                    verdict_cell(
                        item.verdict,
                        f"{item.verdict.value}: {item.note}" if item.note else None,
                    ),
                ),
            )
            for item in dossier.disclosures
        ),
    )
