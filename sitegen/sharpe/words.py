"""What pages of boards say in words, with the numbers that the words rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitegen.components import hash_chip, time
from sitegen.numbers import count, fixed, integer, plain, spelled
from verifier.errors import FormatError
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from markupsafe import Markup

    from verifier.dossier.sharpe import BoardDossier, RowDossier

__all__ = [
    "board_facts",
    "finding_of",
    "interval_words",
    "row_finding",
    "sentences",
    "tie_notes",
]


def sentences(notes: Iterable[str]) -> list[str]:
    """
    Take from notes of a report the name of the family, which the page has already.

    >>> sentences(["SharpeArena: equal means equal."])
    ['Equal means equal.']
    """
    plain_notes = [spelled(note.removeprefix("SharpeArena: ")) for note in notes]
    return [note[:1].upper() + note[1:] for note in plain_notes]


def interval_words(dossier: BoardDossier) -> str:
    """Name what the intervals of a board are."""
    confidence = fixed((1 - dossier.board.scoring.alpha) * 100, 6).rstrip("0").rstrip(".")
    return f"bootstrap {confidence}% interval"


def finding_of(dossier: BoardDossier) -> str:
    """The finding on a board: what recomputes, who is unavailable, what the pairs show."""
    figures = dossier.figures
    same = sum(figure.verdict is Verdict.PASS for figure in figures)
    failed = sum(figure.verdict is Verdict.FAIL for figure in figures)
    open_ = len(figures) - same - failed
    parts = [f"{integer(same)} of {count(len(figures), 'figure')} recompute to the same double"]
    if failed:
        parts.append(f"{count(failed, 'differs', 'differ')}")
    if open_:
        parts.append(f"{integer(open_)} cannot be recomputed")
    scored = [row for row in dossier.rows if row.row.deflated_sharpe is not None]
    away = len(dossier.rows) - len(scored)
    rows = f"{count(len(dossier.rows), 'entry', 'entries')}, {len(scored)} scored"
    if away:
        rows += f", {away} unavailable"
    parts.append(rows)
    shown_ = sum(pair.recomputed in ("a_better", "b_better") for pair in dossier.pairs)
    if dossier.pairs:
        parts.append(
            f"{shown_} of {count(len(dossier.pairs), 'pair')} of neighbours differ beyond noise"
        )
    eligible = sum(row.row.eligible is True for row in dossier.rows)
    parts.append(f"{eligible or 'none'} rank-eligible")
    return f"{'; '.join(parts)}."


def tie_notes(dossier: BoardDossier) -> list[str]:
    """Say which entries have one score, and what the release makes of it."""
    ranks = {row.policy: row.rank for row in dossier.rows}
    return [
        f"{', '.join(tie)} have the same score to the last bit"
        + (
            f", and share rank {ranks[tie[0]]}."
            if ranks[tie[0]].endswith("=")
            else "; this release marks no ties, and prints them in the order of declaration."
        )
        for tie in dossier.exact_ties
    ]


def row_finding(dossier: BoardDossier, row: RowDossier) -> str:
    """The finding on one entry of a board."""
    figures = row.figures
    same = sum(figure.verdict is Verdict.PASS for figure in figures)
    parts = [f"{same} of {count(len(figures), 'figure')} recompute to the same double"]
    if row.reason is not None:
        parts.append(f"no score: {row.reason}")
    else:
        parts.append(f"rank {row.row.rank} of {len(dossier.rows)}")
    if row.row.eligible is not None:
        reasons = ", ".join(row.row.reasons)
        parts.append("rank-eligible" if row.row.eligible else f"not rank-eligible ({reasons})")
    if not row.generalization.stated:
        parts.append("no generalization gap: presumed overfit")
    return f"{'; '.join(parts)}."


def board_facts(dossier: BoardDossier) -> list[tuple[str, str | Markup]]:
    """What a board was made with."""
    return list(_facts(dossier))


def _facts(dossier: BoardDossier) -> Iterator[tuple[str, str | Markup]]:
    board = dossier.board
    yield "release", f"{board.protocol}, scoring kernel {board.kernel}"
    yield "environment", f"{board.env_id}, tier {board.tier}"
    kind = "sealed" if dossier.sealed else "public"
    yield "seeds", f"{count(board.seed_count, f'{kind} seed')}, {board.settings.n_days} bars each"
    if dossier.trials is not None and dossier.bar is not None:
        declared = f"{board.scoring.trials:,} declared and the kernel's own 50"
        bar = f"a Sharpe ratio of {plain(dossier.bar)} a period"
        yield "deflated against", f"{dossier.trials:,} trials: {declared}; {bar}"
    commitment = dossier.commitment
    if commitment is not None:
        yield "commitment", hash_chip(commitment.commitment)
        yield "committed", _moment(commitment.published_at)
        yield "submissions closed", _moment(commitment.closed_at)
        salt = commitment.salt
        yield "salt", "not revealed" if salt is None else hash_chip(salt)


def _moment(text: str) -> str | Markup:
    # What is no time was said by step 2, and is shown as it stands.
    try:
        return time(text)
    except FormatError:
        return text
