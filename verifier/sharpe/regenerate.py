"""
Replaying policies from their seeds through the real environment.

The only module that imports the public package, ``sharpearena``, and only when a board
is regenerated. The installed release has to be the one that the board names: another
gives other series, which would say nothing. What the package cannot be told (richness,
costs, an impact exponent) or does not have (a policy of the publisher's own) cannot be
regenerated and is unproven. A board gives each seed a new policy object; gap files, in
which one object serves a whole call, are not replayed.

Everything else of a verdict stands on the evidence alone: an installed package is code
of the arena's, which is run here.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Any, Final

from verifier.claim import Claim
from verifier.errors import UsageError
from verifier.findings import Where
from verifier.sharpe.checks.catalogue import RETURNS
from verifier.sharpe.checks.pinned import CANONICAL, DEFAULT_COSTS
from verifier.sharpe.context import returns_path

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from verifier.findings import Finding
    from verifier.sharpe.board import Board
    from verifier.sharpe.checks.returns import RowReturns
    from verifier.sharpe.context import BoardFile
    from verifier.sharpe.evidence import Band

__all__ = ["Arena", "installed_arena", "regenerate"]

PACKAGE: Final = "sharpearena"


@dataclass(frozen=True, slots=True)
class Arena:
    """
    The installed public package.

    Args:
        release: Its version, of the distribution's metadata: two of the modules lie.
        environment: Class of the environment.
        policies: How to make a new object of each policy, by name.
    """

    release: str
    environment: Callable[..., Any]
    policies: Mapping[str, Callable[[], Any]]


def installed_arena() -> Arena:
    """
    Import the public package.

    Raises:
        UsageError: It is not installed, or lacks what is needed.
    """
    try:
        from sharpearena import SharpeArenaEnv  # noqa: PLC0415 - an extra, and only if asked
        from sharpearena.baselines import (  # noqa: PLC0415
            BASELINE_POLICIES,
            BEHAVIORAL_POLICIES,
        )
    except ImportError as error:
        raise UsageError(
            f"--regenerate needs the public package sharpearena, of the board's release: "
            f"pip install 'tallyproof[arena]' ({error})"
        ) from None
    policies = dict([*BASELINE_POLICIES, *BEHAVIORAL_POLICIES])
    return Arena(metadata.version(PACKAGE), SharpeArenaEnv, policies)


def regenerate(
    arena: Arena, file: BoardFile, board: Board, rows: Sequence[RowReturns]
) -> list[Finding]:
    """
    Compare the returns of every row with those that the environment gives, bit for bit.

    Raises:
        UsageError: The installed release is not the board's.
    """
    if arena.release != board.release:
        raise UsageError(
            f"the board was made by {board.protocol}, installed is {PACKAGE} {arena.release}: "
            f"pip install {PACKAGE}=={board.release or 'RELEASE'}"
        )
    found: list[Finding] = []
    for read in rows:
        found += _row(arena, file, board, read)
    return found


def _row(arena: Arena, file: BoardFile, board: Board, read: RowReturns) -> list[Finding]:
    policy = read.row.policy
    claim = Claim(
        RETURNS, f"{file.name}/{policy}", Where(returns_path(file.name, policy), pointer="/returns")
    )
    obstacle = _obstacle(board)
    if read.file is None or read.band is None:
        claim.unproven("without readable returns there is nothing to regenerate")
    elif obstacle is not None:
        claim.unproven(f"the package cannot be told the board's {obstacle}, so nothing is replayed")
    elif policy not in arena.policies:
        claim.unproven("the package has no such policy, so its returns cannot be regenerated")
    else:
        _compare(claim, arena, board, policy, read.file.seeds, read.band)
    return claim.close(f"regenerated from {board.seed_count} seeds, bit for bit")


def _obstacle(board: Board) -> str | None:
    if board.settings.impact_exponent != CANONICAL.impact_exponent:
        return "impact exponent"
    if board.richness != "standard":
        return "richness"
    return "costs" if board.costs != DEFAULT_COSTS else None


def _compare(  # noqa: PLR0913, PLR0917 - what is replayed, and what it has to be
    claim: Claim, arena: Arena, board: Board, policy: str, seeds: Sequence[int], published: Band
) -> None:
    for seed, series in zip(seeds, published, strict=True):
        replayed = _replay(arena, board, policy, seed)
        if len(replayed) != len(series):
            claim.fail(
                f"the series of seed {seed} has another length when it is regenerated",
                published=len(series),
                recomputed=len(replayed),
            )
            continue
        for bar, (one, other) in enumerate(zip(series, replayed, strict=True)):
            if one != other:
                claim.fail(
                    f"the return of seed {seed}, bar {bar} is another when it is regenerated",
                    published=repr(one),
                    recomputed=repr(other),
                )
                break


def _replay(arena: Arena, board: Board, policy: str, seed: int) -> list[float]:
    """Run one episode of a new policy object; the engine stops after n_days bars."""
    settings = board.settings
    options: dict[str, Any] = {
        "n_symbols": settings.n_symbols,
        "n_days": settings.n_days,
        "seed": seed,
        "distribution_mode": board.tier,
        "max_weight": settings.max_weight,
        "allow_short": settings.allow_short,
    }
    if settings.vol_clustering != CANONICAL.vol_clustering:
        # The oldest releases do not know the name.
        options["vol_clustering"] = settings.vol_clustering
    try:
        environment = arena.environment(**options)
        act = arena.policies[policy]()
        seen, _ = environment.reset()
        found = []
        for _ in range(settings.n_days):
            seen, reward, terminated, truncated, _ = environment.step(act(seen))
            found.append(float(reward))
            if terminated or truncated:
                break
    except Exception as error:  # noqa: BLE001 - the package's own errors, of any kind
        raise UsageError(
            f"the public package cannot replay {policy} on seed {seed}: {error}"
        ) from None
    return found
