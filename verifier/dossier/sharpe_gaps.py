"""
Gaps of a row: generalization and transfers, with both sides of each.

Gaps declare no trials, so their scores cannot be compared with the board's. A row
without a generalization gap is incomplete, and presumed overfit. Transfers are not
required; one that is listed without its series is unproven.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaError
from formulas.sharpe.gaps import gap
from verifier.dossier.sharpe_figures import Figure, compared, unjudged
from verifier.sharpe.checks.catalogue import GAPS
from verifier.sharpe.context import Files, gap_path
from verifier.sharpe.evidence import read_gap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formulas.sharpe.kernel import Kernel
    from verifier.bundle import Bundle
    from verifier.sharpe.board import Row
    from verifier.sharpe.context import BoardFile
    from verifier.sharpe.evidence import GapFile, Side

__all__ = ["GapShown", "SideShown", "generalization_of", "transfers_of"]

NO_GAP: Final = "no generalization gap is published: presumed overfit"
NO_FILE: Final = "the series behind it are not in the bundle"


@dataclass(frozen=True, slots=True, kw_only=True)
class SideShown:
    """
    One side of a gap.

    Args:
        name: ``train`` and ``test``, or ``in`` and ``out``.
        tier: Tier of its series; None where there are none.
        seeds: Number of its seeds.
        first: Its lowest seed, None without seeds.
        last: Its highest seed.
        score: Deflated Sharpe of the side.
    """

    name: str
    tier: str | None
    seeds: int | None
    first: int | None
    last: int | None
    score: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class GapShown:
    """
    One gap.

    Args:
        what: ``generalization``, or ``transfer``.
        to: Tier of the out side of a transfer; None for generalization.
        stated: Whether the row states it at all.
        sides: First and second side.
        gap: First less second.
        file: The file of its series in the bundle.
        missing: What keeps it from being judged; None where it was.
    """

    what: str
    to: str | None
    stated: bool
    sides: tuple[SideShown, SideShown]
    gap: Figure
    file: str
    missing: str | None


def generalization_of(bundle: Bundle, kernel: Kernel | None, file: BoardFile, row: Row) -> GapShown:
    """Generalization gap of a row, whether or not it states one."""
    path = gap_path(file.name, row.policy, "generalization")
    found = _read(bundle, path, row)
    sides = None if found is None or len(found.sides) != 2 else found.sides
    published: tuple[float | None, float | None, float | None] = (None, None, None)
    if row.gap is not None:
        published = (row.gap.train, row.gap.test, row.gap.gap)
    missing = _missing(bundle, kernel, path, sides)
    return _shown(
        kernel,
        ("generalization", None, ("train", "test")),
        published,
        sides,
        path,
        NO_GAP if row.gap is None else missing,
    )


def transfers_of(
    bundle: Bundle, kernel: Kernel | None, file: BoardFile, row: Row
) -> tuple[GapShown, ...]:
    """Transfers that a row lists."""
    path = gap_path(file.name, row.policy, "transfer")
    found = _read(bundle, path, row) if row.transfers else None
    whole = found is not None and len(found.sides) == 1 + len(row.transfers)
    shown = []
    for index, transfer in enumerate(row.transfers):
        sides = None
        if found is not None and whole:
            sides = (found.sides[0], found.sides[1 + index])
        shown.append(
            _shown(
                kernel,
                ("transfer", transfer.to, ("in", "out")),
                (transfer.inside, transfer.outside, transfer.gap),
                sides,
                path,
                _missing(bundle, kernel, path, sides),
            )
        )
    return tuple(shown)


def _read(bundle: Bundle, path: str, row: Row) -> GapFile | None:
    if not bundle.has(path):
        return None
    return Files(bundle).read(path, read_gap, GAPS, row.policy)[0]


def _missing(
    bundle: Bundle, kernel: Kernel | None, path: str, sides: Sequence[Side] | None
) -> str | None:
    if kernel is None:
        return "the board's kernel cannot be judged"
    if not bundle.has(path):
        return NO_FILE
    return "the file does not hold the sides of this gap" if sides is None else None


def _shown(  # noqa: PLR0913, PLR0917 - a gap as published, and what there is to recompute it
    kernel: Kernel | None,
    kind: tuple[str, str | None, tuple[str, str]],
    published: tuple[float | None, float | None, float | None],
    sides: Sequence[Side] | None,
    path: str,
    missing: str | None,
) -> GapShown:
    what, to, names = kind
    figures: list[Figure] = []
    if missing is None and kernel is not None and sides is not None:
        try:
            found = gap(kernel, sides[0].band, sides[1].band)
        except FormulaError as error:
            missing = f"cannot be computed: {error}"
        else:
            scores = (found.first.score, found.second.score, found.deflated_sharpe)
            figures = [
                compared(name, value, score.value, score.status if score.value is None else None)
                for name, value, score in zip((*names, "gap"), published, scores, strict=True)
            ]
    if not figures:
        figures = [
            unjudged(name, value, missing or NO_FILE)
            for name, value in zip((*names, "gap"), published, strict=True)
        ]
    first, second, difference = figures
    return GapShown(
        what=what,
        to=to,
        stated=missing != NO_GAP,
        sides=(
            _side(names[0], sides[0] if sides else None, first),
            _side(names[1], sides[1] if sides else None, second),
        ),
        gap=difference,
        file=path,
        missing=missing,
    )


def _side(name: str, side: Side | None, score: Figure) -> SideShown:
    seeds = None if side is None else side.seeds
    return SideShown(
        name=name,
        tier=None if side is None else side.tier,
        seeds=None if seeds is None else len(seeds),
        first=min(seeds) if seeds else None,
        last=max(seeds) if seeds else None,
        score=score,
    )
