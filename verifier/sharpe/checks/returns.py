"""
Step 3: each row's returns are there, hash to what the row says, and are whole.

A row names the SHA-256 of its returns file. The file names the row's policy and
holds one series a seed, each of exactly as many bars as the board has days: the
engine stops there.

What a bundle holds twice must be the same. The reference policies are fixed by the
release, and a board gives each seed a new policy object; so two boards of one
release with equal tier, settings, costs and richness have the same series for the
same reference policy and seed. ``flat`` and ``equal_weight_long`` keep no state, so
this holds for the sides of their gap files too, by the side's tier.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from formulas.sharpe.ranking import REFERENCE_POLICIES
from verifier.claim import Claim
from verifier.findings import Where
from verifier.sharpe.checks.catalogue import RETURNS
from verifier.sharpe.context import Files, gap_path, kernel_of, returns_path
from verifier.sharpe.evidence import read_gap, read_returns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.findings import Finding
    from verifier.sharpe.board import Board, Row
    from verifier.sharpe.context import BoardFile, Context
    from verifier.sharpe.evidence import Band, ReturnsFile

__all__ = [
    "STATELESS",
    "RowReturns",
    "check_names",
    "check_returns",
    "check_twice",
    "series_fault",
]

STATELESS: Final = ("flat", "equal_weight_long")


@dataclass(frozen=True, slots=True)
class RowReturns:
    """
    A row with what its returns file holds.

    Args:
        row: The published row.
        file: The file as read, None where it is missing or has another shape.
        band: The series, None where the figures cannot be judged by them.
        absent: Whether the bundle has no such file: then nothing is shown, and nothing refuted.
    """

    row: Row
    file: ReturnsFile | None
    band: Band | None
    absent: bool = False


def check_returns(
    files: Files, file: BoardFile, board: Board
) -> tuple[list[RowReturns], list[Finding]]:
    """Read and judge the returns of every row of a board."""
    rows, findings = [], []
    seen: set[str] = set()
    for row in board.rows:
        if row.policy in seen:
            # Said by the names, and no reason to read the file once more.
            rows.append(RowReturns(row, None, None))
            continue
        seen.add(row.policy)
        read, found = _check_row(files, file, board, row)
        rows.append(read)
        findings += found
    return rows, findings


def _check_row(
    files: Files, file: BoardFile, board: Board, row: Row
) -> tuple[RowReturns, list[Finding]]:
    subject, path = f"{file.name}/{row.policy}", returns_path(file.name, row.policy)
    claim = Claim(RETURNS, subject, Where(file.path, pointer=f"{row.pointer}/returns"))
    if not files.bundle.has(path):
        claim.unproven("the returns file is not in the bundle", published=row.returns)
        return RowReturns(row, None, None, absent=True), claim.found
    claim.equal("the hash of the returns", row.returns, files.bundle.digest(path))
    found, faults = files.read(path, read_returns, RETURNS, subject)
    if found is None:
        return RowReturns(row, None, None), [*claim.found, *faults]
    inside = Claim(RETURNS, subject, Where(path), claim.found)
    if found.policy != row.policy:
        inside.fail("the file names another policy", published=found.policy, recomputed=row.policy)
    fault = series_fault(board, found.seeds, found.band)
    if fault is not None:
        inside.fail(fault[0], published=fault[1], recomputed=fault[2])
    elif board.seed_count != len(found.band):
        # Step 2 names the seeds that differ; here they only have to be as many.
        inside.fail(
            "not one series for each of the board's seeds",
            published=len(found.band),
            recomputed=board.seed_count,
        )
    band = found.band if fault is None else None
    return RowReturns(row, found, band), inside.close(
        f"{len(found.band)} series of {board.settings.n_days} bars"
    )


def series_fault(
    board: Board, seeds: Sequence[int], band: Band
) -> tuple[str, object, object] | None:
    """First thing that is wrong with the shape of a band: message, published, recomputed."""
    if len(seeds) != len(band):
        return "not one series for each seed of the file", len(band), len(seeds)
    days = board.settings.n_days
    for seed, series in enumerate(band):
        if len(series) != days:
            return f"the series of seed {seed} has not n_days bars", len(series), days
    return None


def check_names(file: BoardFile, board: Board) -> list[Finding]:
    """Judge that file and board have one name, and that no policy stands twice."""
    claim = Claim(RETURNS, file.name, Where(file.path))
    claim.equal("the name of the board", board.name, file.name, pointer="/board")
    seen: set[str] = set()
    for row in board.rows:
        if row.policy in seen:
            claim.fail("a policy stands twice", published=row.policy, pointer=row.pointer)
        seen.add(row.policy)
    return claim.close("file and board have one name, and each policy one row")


def check_twice(context: Context) -> list[Finding]:
    """Judge that what the bundle holds twice is the same."""
    claim = Claim(RETURNS, "series held twice", Where("sharpe"))
    files = Files(context.bundle)
    first: dict[tuple[object, ...], tuple[bytes, str]] = {}
    compared = 0
    for file in context.boards:
        board = file.board
        if board is None or kernel_of(board) is None:
            continue
        for path, policy, tier, seeds, band in _series_of(files, file, board):
            for seed, series in zip(seeds, band, strict=False):
                digest = hashlib.sha256(struct.pack(f"<{len(series)}d", *series)).digest()
                place = f"{path}, seed {seed}"
                known, where = first.setdefault((*board.world, policy, tier, seed), (digest, place))
                compared += where != place
                if known != digest:
                    claim.fail(
                        f"another series of the same policy, seed and world than in {where}",
                        published=place,
                    )
    return claim.close(f"{compared} series stand in two places and are the same in both")


def _series_of(
    files: Files, file: BoardFile, board: Board
) -> Iterator[tuple[str, str, str, Sequence[int], Band]]:
    """Series of a board that the release alone decides: file, policy, tier, seeds, series."""
    for policy in dict.fromkeys(row.policy for row in board.rows):
        if policy not in REFERENCE_POLICIES:
            continue
        path = returns_path(file.name, policy)
        if files.bundle.has(path):
            found, _ = files.read(path, read_returns, RETURNS, policy)
            if found is not None:
                yield path, policy, board.tier, found.seeds, found.band
        if policy not in STATELESS:
            continue
        for what in ("generalization", "transfer"):
            path = gap_path(file.name, policy, what)
            if files.bundle.has(path):
                gap, _ = files.read(path, read_gap, RETURNS, policy)
                for at, side in enumerate(gap.sides if gap is not None else ()):
                    yield f"{path}, side {at}", policy, side.tier, side.seeds, side.band
