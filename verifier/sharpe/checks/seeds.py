"""
Step 2: the seeds lie in one public band, or were committed to before the board closed.

* every returns file holds exactly the board's seeds, in its order;
* a public list names no seed twice and lies wholly in the train band or wholly in
  the test band;
* a sealed board has exactly one commitment, published before submissions closed
  (equal is too late) and closed by the time of the audit; the revealed salt hashes
  to it, its slots give the seeds, and none lies in a public band. A salt that is
  not revealed is unproven, and the figures are judged all the same.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaError
from formulas.sharpe.seeds import Bands, bands, commitment, sealed_seeds
from verifier.claim import Claim
from verifier.findings import Where
from verifier.sharpe.board import SealedSeeds
from verifier.sharpe.checks.catalogue import SEEDS
from verifier.sharpe.context import SEEDS_FILE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.findings import Finding
    from verifier.sharpe.board import Board
    from verifier.sharpe.checks.returns import RowReturns
    from verifier.sharpe.context import BoardFile, Context
    from verifier.sharpe.evidence import Commitment, SeedsFile

__all__ = ["bands_of", "check_commitments", "check_seeds", "one_band"]

SEEDS_LIMIT: Final = 1 << 16

_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z\Z")
_HASH: Final = re.compile(r"[0-9a-f]{64}\Z")
_SALT: Final = re.compile(r"(?:[0-9a-f]{2})+\Z")


def bands_of(seeds: SeedsFile) -> Bands:
    """Public bands that ``seeds.json`` states."""
    return bands(seeds.n_train, seeds.n_test, seeds.start, seeds.gap)


def one_band(seeds: Sequence[int], public: Bands) -> bool:
    """Whether all seeds lie in the train band, or all in the test band."""
    return any(all(seed in band for seed in seeds) for band in (public.train, public.test))


def check_seeds(
    context: Context, file: BoardFile, board: Board, rows: Sequence[RowReturns]
) -> list[Finding]:
    """Judge the seeds of one board."""
    claim = Claim(SEEDS, file.name, Where(file.path, pointer="/seeds"))
    if context.seeds is None:
        claim.unproven("without seeds.json nothing can be said about the seeds")
        return claim.found
    public = bands_of(context.seeds)
    if isinstance(board.seeds, SealedSeeds):
        seeds = _sealed(claim, context, board, rows, public)
        message = "the revealed salt hashes to its commitment and gives the seeds"
        kind = "sealed"
    else:
        seeds = board.seeds
        message = "the seeds lie in one public band"
        kind = "public"
        for seed, times in Counter(seeds).items():
            if times > 1:
                claim.fail(f"seed {seed} stands {times} times in the list", published=seed)
        if not one_band(seeds, public):
            claim.fail(
                "the list lies neither wholly in the train band nor wholly in the test band",
                published=_span(seeds),
                recomputed=f"[{public.train.start}, {public.train.stop}) or "
                f"[{public.test.start}, {public.test.stop})",
            )
    if seeds is not None:
        _same_seeds(claim, rows, seeds, kind)
    return claim.close(message)


def _span(seeds: Sequence[int]) -> str:
    return f"{len(seeds)} seeds from {min(seeds)} to {max(seeds)}" if seeds else "no seeds"


def _same_seeds(claim: Claim, rows: Sequence[RowReturns], seeds: Sequence[int], kind: str) -> None:
    for row in rows:
        file = row.file
        if file is None:
            continue
        if file.seeds != tuple(seeds):
            claim.fail(
                f"the returns of {row.row.policy} are not on the board's seeds in its order",
                published=_span(file.seeds),
                recomputed=_span(seeds),
            )
        elif file.kind not in (kind, None):
            claim.fail(f"the seeds of {row.row.policy} are written as {file.kind} ones")


def _sealed(
    claim: Claim, context: Context, board: Board, rows: Sequence[RowReturns], public: Bands
) -> Sequence[int] | None:
    """Judge the commitment of a board; the seeds that it gives, or that all rows share."""
    assert context.seeds is not None
    assert isinstance(board.seeds, SealedSeeds)
    entries = [entry for entry in context.seeds.commitments if entry.board == board.name]
    if not entries:
        claim.unproven("seeds.json has no commitment for the board")
        return _shared_seeds(claim, board, rows, public)
    if len(entries) > 1:
        claim.fail(f"seeds.json has {len(entries)} commitments for the board")
        return _shared_seeds(claim, board, rows, public)
    entry = entries[0]
    claim.equal("the number of seeds", board.seeds.count, entry.count, pointer="/seeds/count")
    _check_times(claim, context, entry)
    seeds = _revealed(claim, entry)
    if seeds is None:
        return _shared_seeds(claim, board, rows, public)
    _outside(claim, seeds, public)
    return seeds


def _check_times(claim: Claim, context: Context, entry: Commitment) -> None:
    for text in (entry.published_at, entry.closed_at):
        if not _is_time(text):
            claim.fail("a time is not RFC 3339 UTC to the second", published=text)
            return
    if entry.published_at >= entry.closed_at:
        claim.fail(
            "the commitment was not published before submissions closed",
            published=entry.published_at,
            recomputed=f"before {entry.closed_at}",
        )
    if entry.closed_at > context.as_of:
        claim.fail(
            "submissions close after the moment that the evidence speaks of",
            published=entry.closed_at,
            recomputed=f"at most {context.as_of}",
        )


def _is_time(text: str) -> bool:
    if _TIME.match(text) is None:
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _revealed(claim: Claim, entry: Commitment) -> Sequence[int] | None:
    """Seeds of a revealed salt, None where there is none to go by."""
    if entry.salt is None:
        claim.unproven("the salt is not revealed", published=entry.commitment)
        return None
    if _SALT.match(entry.salt) is None:
        claim.fail("the salt is not lower-case hex", published=entry.salt)
        return None
    salt = bytes.fromhex(entry.salt)
    claim.equal("the commitment", entry.commitment, commitment(salt))
    if entry.count > SEEDS_LIMIT:
        claim.fail(f"a board has at most {SEEDS_LIMIT} seeds", published=entry.count)
        return None
    try:
        return sealed_seeds(salt, entry.count)
    except FormulaError as error:
        claim.fail(str(error))
        return None


def _shared_seeds(
    claim: Claim, board: Board, rows: Sequence[RowReturns], public: Bands
) -> Sequence[int] | None:
    """Seeds of the first row that has any; all others must have the same."""
    seeds = next((row.file.seeds for row in rows if row.file is not None), None)
    if seeds is not None:
        claim.equal("the number of seeds", board.seed_count, len(seeds))
        _outside(claim, seeds, public)
    return seeds


def _outside(claim: Claim, seeds: Sequence[int], public: Bands) -> None:
    for seed in seeds:
        if seed in public.train or seed in public.test:
            claim.fail("a sealed seed lies in a public band", published=seed)


def check_commitments(context: Context) -> list[Finding]:
    """Judge the commitments as a list: one for each sealed board, none for others, none twice."""
    if context.seeds is None:
        return []
    sealed = {
        file.board.name
        for file in context.boards
        if file.board is not None and isinstance(file.board.seeds, SealedSeeds)
    }
    unread = {file.name for file in context.boards if file.board is None}
    claim = Claim(SEEDS, "seeds.json", Where(SEEDS_FILE, pointer="/commitments"))
    seen: set[str] = set()
    for entry in context.seeds.commitments:
        pointer = f"/commitments/{entry.index}"
        if entry.board not in sealed | unread:
            claim.fail("a commitment for no sealed board", published=entry.board, pointer=pointer)
        if _HASH.match(entry.commitment) is None:
            claim.fail("a commitment is a SHA-256 in lower-case hex", pointer=pointer)
        if entry.commitment in seen:
            claim.fail("a commitment is used twice", published=entry.commitment, pointer=pointer)
        seen.add(entry.commitment)
    return claim.close(f"{len(seen)} commitments, each for a sealed board")
