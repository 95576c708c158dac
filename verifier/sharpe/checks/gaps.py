"""
Step 8: generalization gap and transfers, recomputed from both of their sides.

Gaps declare no trials, whatever the board declares. A generalization gap stands on
the whole train band and the whole test band, increasing, on the board's tier: a part
of a band would be a choice. A row without one is incomplete, "presumed overfit". A
transfer file has the in side, on the board's tier, and one out side for each listed
transfer, in their order, all on the same public seeds of one band. To the same tier
the policies without state have equal series and a gap of exactly 0. A series that is
too short, here too, is a matter of step 3, and leaves nothing to judge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaError
from formulas.sharpe.gaps import Gap, gap
from verifier.claim import Claim
from verifier.findings import Where
from verifier.sharpe.checks.catalogue import GAPS, RETURNS
from verifier.sharpe.checks.figures import compare, not_computed
from verifier.sharpe.checks.pinned import TIERS
from verifier.sharpe.checks.returns import STATELESS, series_fault
from verifier.sharpe.checks.seeds import bands_of, one_band
from verifier.sharpe.context import gap_path
from verifier.sharpe.evidence import GapFile, read_gap

if TYPE_CHECKING:
    from formulas.sharpe.kernel import Kernel
    from verifier.findings import Finding
    from verifier.sharpe.board import Board, Row
    from verifier.sharpe.context import BoardFile, Context, Files
    from verifier.sharpe.evidence import Side

__all__ = ["check_gaps"]

GENERALIZATION: Final = "generalization"
TRANSFER: Final = "transfer"


def check_gaps(  # noqa: PLR0913, PLR0917 - evidence, rules, and the row of a board
    context: Context, files: Files, kernel: Kernel, file: BoardFile, board: Board, row: Row
) -> list[Finding]:
    """Judge the gaps of one row."""
    return [
        *_check_generalization(context, files, kernel, file, board, row),
        *_check_transfers(context, files, kernel, file, board, row),
    ]


def _check_generalization(  # noqa: PLR0913, PLR0917 - as above
    context: Context, files: Files, kernel: Kernel, file: BoardFile, board: Board, row: Row
) -> list[Finding]:
    pointer = f"{row.pointer}/gap"
    claim = Claim(GAPS, f"{file.name}/{row.policy}", Where(file.path, pointer=pointer))
    path = gap_path(file.name, row.policy, GENERALIZATION)
    if row.gap is None or not files.bundle.has(path):
        claim.unproven(
            "no generalization gap: presumed overfit"
            if row.gap is None
            else "the returns behind the gap are not in the bundle: presumed overfit"
        )
        return claim.found
    sides = _sides(claim, files, board, row, path, GENERALIZATION)
    if sides is None:
        return claim.found
    if len(sides) != 2:
        claim.fail("a gap has two sides, train and test", published=len(sides), recomputed=2)
        return claim.found
    if context.seeds is None:
        claim.unproven("without seeds.json the bands of the gap are unknown")
    else:
        public = bands_of(context.seeds)
        for side, band, name in zip(
            sides, (public.train, public.test), ("train", "test"), strict=True
        ):
            if side.tier != board.tier:
                claim.fail(
                    f"the {name} side is on another tier",
                    published=side.tier,
                    recomputed=board.tier,
                )
            if side.seeds != tuple(band) or side.kind == "sealed":
                claim.fail(
                    f"the {name} side is not the whole {name} band in increasing order",
                    published=f"{len(side.seeds)} seeds",
                    recomputed=f"[{band.start}, {band.stop})",
                )
    found = _gap(claim, kernel, sides[0], sides[1])
    if found is not None:
        compare(
            claim, "the train score", row.gap.train, found.first.score.value, f"{pointer}/train"
        )
        compare(claim, "the test score", row.gap.test, found.second.score.value, f"{pointer}/test")
        compare(claim, "the gap", row.gap.gap, found.deflated_sharpe.value, f"{pointer}/gap")
    return claim.close("both sides and their difference are the recomputed doubles")


def _sides(  # noqa: PLR0913, PLR0917 - where the sides are, and of what they must be
    claim: Claim, files: Files, board: Board, row: Row, path: str, what: str
) -> tuple[Side, ...] | None:
    """Sides of a gap file; None where a failure says why they cannot be judged."""
    found, faults = files.read(path, read_gap, GAPS, claim.subject)
    if found is None:
        claim.found += faults
        return None
    _check_file(Claim(GAPS, claim.subject, Where(path), claim.found), row, found, what)
    for index, side in enumerate(found.sides):
        fault = series_fault(board, side.seeds, side.band)
        if fault is not None:
            place = Where(path, pointer=f"/sides/{index}")
            series = Claim(RETURNS, claim.subject, place, claim.found)
            series.fail(fault[0], published=fault[1], recomputed=fault[2])
            return None
    return found.sides


def _check_file(claim: Claim, row: Row, found: GapFile, what: str) -> None:
    claim.equal("the policy of the file", found.policy, row.policy)
    claim.equal("the kind of gap", found.what, what)


def _gap(claim: Claim, kernel: Kernel, first: Side, second: Side) -> Gap | None:
    try:
        return gap(kernel, first.band, second.band)
    except FormulaError as error:
        not_computed(claim, "the scores of the gap", error)
        return None


def _check_transfers(  # noqa: PLR0913, PLR0917 - as above
    context: Context, files: Files, kernel: Kernel, file: BoardFile, board: Board, row: Row
) -> list[Finding]:
    pointer = f"{row.pointer}/transfers"
    claim = Claim(GAPS, f"{file.name}/{row.policy} transfers", Where(file.path, pointer=pointer))
    path = gap_path(file.name, row.policy, TRANSFER)
    present = files.bundle.has(path)
    if not row.transfers:
        if present:
            claim.fail("a transfer file for a row that lists no transfer", published=path)
        else:
            claim.exempt("transfers are not required, and none is listed")
        return claim.found
    if not present:
        claim.unproven("the returns behind the transfers are not in the bundle")
        return claim.found
    sides = _sides(claim, files, board, row, path, TRANSFER)
    if sides is None:
        return claim.found
    if len(sides) != 1 + len(row.transfers):
        claim.fail(
            "not one out side for each listed transfer",
            published=len(sides) - 1,
            recomputed=len(row.transfers),
        )
        return claim.found
    _check_seeds(claim, context, sides)
    inside, *outside = sides
    claim.equal("the tier of the in side", inside.tier, board.tier)
    for index, side in enumerate(outside):
        _check_transfer(claim, kernel, row, index, inside, side)
    return claim.close("all sides and their differences are the recomputed doubles")


def _check_seeds(claim: Claim, context: Context, sides: tuple[Side, ...]) -> None:
    seeds = sides[0].seeds
    if any(side.seeds != seeds or side.kind == "sealed" for side in sides):
        claim.fail("the sides are not on the same public seeds")
    if context.seeds is None:
        claim.unproven("without seeds.json the band of the transfers is unknown")
    elif not seeds or not one_band(seeds, bands_of(context.seeds)):
        claim.fail("the seeds do not lie in one public band", published=f"{len(seeds)} seeds")


def _check_transfer(  # noqa: PLR0913, PLR0917 - a transfer, and its two sides
    claim: Claim, kernel: Kernel, row: Row, index: int, inside: Side, outside: Side
) -> None:
    published, pointer = row.transfers[index], f"{row.pointer}/transfers/{index}"
    claim.equal("the tier of the out side", outside.tier, published.to, pointer=f"{pointer}/to")
    if published.to not in TIERS:
        claim.fail("no such tier", published=published.to, pointer=f"{pointer}/to")
    found = _gap(claim, kernel, inside, outside)
    if found is None:
        return
    compare(claim, "the in score", published.inside, found.first.score.value, f"{pointer}/in")
    compare(claim, "the out score", published.outside, found.second.score.value, f"{pointer}/out")
    compare(claim, "the transfer gap", published.gap, found.deflated_sharpe.value, f"{pointer}/gap")
    if (
        row.policy in STATELESS
        and outside.tier == inside.tier
        and outside.seeds == inside.seeds
        and outside.band != inside.band
    ):
        claim.fail("a policy without state has other series on the same tier", pointer=pointer)
