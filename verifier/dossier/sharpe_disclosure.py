"""
What the protocol says that a board must state, item by item.

Each item holds what the board states, the canonical value where there is one, and a
verdict: a deviation that is stated is exempt ("not the canonical benchmark"), one that
the rules forbid is a failure, and what nobody can see from the bundle is unproven.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from formulas.sharpe.eligibility import Scorer
from formulas.sharpe.interval import Bootstrap
from formulas.sharpe.kernels import KERNEL_OF_RELEASE
from verifier.dossier.sharpe_figures import worst
from verifier.findings import Verdict
from verifier.sharpe.board import SealedSeeds, Settings
from verifier.sharpe.checks.catalogue import SEEDS
from verifier.sharpe.checks.pinned import CANONICAL, DEFAULT_COSTS, TIERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.findings import Finding
    from verifier.sharpe.board import Board

__all__ = ["Disclosure", "disclosures_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """
    One thing that an entry must state.

    Args:
        what: What it is.
        stated: As the board states it.
        canonical: What the canonical benchmark has; None where nothing is canonical.
        verdict: What came of it.
        note: Why, where the two texts do not say it.
    """

    what: str
    stated: str
    canonical: str | None
    verdict: Verdict
    note: str | None = None


def disclosures_of(board: Board, findings: Sequence[Finding]) -> tuple[Disclosure, ...]:
    """
    Go through the checklist of a board.

    Args:
        board: The board.
        findings: All findings on it.
    """
    return (
        *_where(board, findings),
        *_settings(board),
        *_scoring(board),
        *_results(board),
    )


def _where(board: Board, findings: Sequence[Finding]) -> Iterator[Disclosure]:
    kernel = KERNEL_OF_RELEASE.get(board.release)
    known = Verdict.UNPROVEN if kernel is None else Verdict.PASS
    yield Disclosure(
        what="release",
        stated=board.protocol,
        canonical=None,
        verdict=known,
        note=None if kernel else "a release that this verifier does not know",
    )
    matches = Verdict.PASS if board.kernel == kernel else Verdict.FAIL
    yield Disclosure(
        what="scoring kernel",
        stated=board.kernel,
        canonical=kernel,
        verdict=Verdict.UNPROVEN if kernel is None else matches,
    )
    expected = TIERS.get(board.tier)
    yield Disclosure(
        what="environment and tier",
        stated=f"{board.env_id}, {board.tier}",
        canonical=f"{expected}, {board.tier}" if expected else None,
        verdict=Verdict.PASS if expected == board.env_id else Verdict.FAIL,
    )
    mode, violations = board.leakage
    yield Disclosure(
        what="point-in-time",
        stated=f"{mode}, {violations} violations",
        canonical="point-in-time, 0 violations",
        verdict=Verdict.PASS if board.leakage == ("point-in-time", 0) else Verdict.FAIL,
    )
    yield _stated("costs", board.costs, DEFAULT_COSTS)
    yield _stated("richness", board.richness, "standard")
    sealed = isinstance(board.seeds, SealedSeeds)
    of_seeds = [found for found in findings if found.check == SEEDS.id]
    yield Disclosure(
        what="seeds",
        stated=f"{board.seed_count} {'sealed' if sealed else 'public'} seeds",
        canonical=None,
        verdict=worst(of_seeds) or Verdict.UNPROVEN,
        note=next((found.message for found in of_seeds if found.verdict is not Verdict.PASS), None),
    )


def _stated(what: str, stated: object, canonical: object) -> Disclosure:
    same = stated == canonical
    return Disclosure(
        what=what,
        stated=_text(stated),
        canonical=_text(canonical),
        verdict=Verdict.PASS if same else Verdict.EXEMPT,
        note=None if same else "stated, and not the canonical benchmark",
    )


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _settings(board: Board) -> Iterator[Disclosure]:
    for name in Settings.__dataclass_fields__:
        yield _stated(name, getattr(board.settings, name), getattr(CANONICAL, name))


def _scoring(board: Board) -> Iterator[Disclosure]:
    defaults = Bootstrap()
    for name in ("alpha", "n_boot", "resample_seed"):
        yield _stated(name, getattr(board.scoring, name), getattr(defaults, name))
    yield _stated("periods_per_year", board.scoring.periods_per_year, Scorer().periods_per_year)
    yield Disclosure(
        what="declared trials",
        stated=str(board.scoring.trials),
        canonical=None,
        verdict=Verdict.PASS,
        note="the kernel adds 50; that no trial was left out cannot be proved offline",
    )
    yield Disclosure(
        what="declared trials of the pairs",
        stated=str(board.pairs_trials),
        canonical=None,
        verdict=Verdict.PASS,
        note=None
        if board.pairs_trials == board.scoring.trials
        else "other than the board's, so a difference is not that of the two scores above",
    )


def _results(board: Board) -> Iterator[Disclosure]:
    rows = board.rows
    scored = [row for row in rows if row.deflated_sharpe is not None]
    yield _counted("deflated Sharpe, or why there is none", len(rows), len(rows))
    yield _counted("pass^k rate and mean return", len(rows), len(rows))
    yield _counted(
        "interval on the deflated Sharpe",
        sum(row.interval is not None for row in scored),
        len(scored),
    )
    yield _counted(
        "generalization gap with both sides", sum(row.gap is not None for row in rows), len(rows)
    )
    named = {frozenset((pair.a, pair.b)) for pair in board.pairs}
    claims = [frozenset((claim.better, claim.worse)) for claim in board.claims]
    if claims:
        yield _counted(
            "paired verdict for each claim", sum(c in named for c in claims), len(claims), "claim"
        )
    else:
        yield Disclosure(
            what="paired verdict for each claim",
            stated="no claim is made",
            canonical=None,
            verdict=Verdict.EXEMPT,
        )
    listed = sum(bool(row.transfers) for row in rows)
    yield Disclosure(
        what="transfers to other tiers",
        stated=f"{listed} of {len(rows)} rows",
        canonical=None,
        verdict=Verdict.PASS if listed else Verdict.EXEMPT,
        note="not required",
    )


def _counted(what: str, there: int, asked: int, unit: str = "row") -> Disclosure:
    return Disclosure(
        what=what,
        stated=f"{there} of {asked} {unit if asked == 1 else f'{unit}s'}",
        canonical=None,
        verdict=Verdict.PASS if there == asked else Verdict.UNPROVEN,
    )
