"""
Step 1: environment pinned and canonical, or every deviation named.

* release and kernel are known and belong together; a release that is not listed
  is unproven and nothing more of its board is judged;
* tier and environment belong together, no lookahead violation, no setting that
  the release cannot have: else another benchmark, a failure;
* other settings, costs, richness, bands or scoring than the canonical ones are
  disclosed by being stated, and named as exempt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formulas.sharpe.eligibility import Scorer
from formulas.sharpe.interval import Bootstrap
from formulas.sharpe.kernel import TRIALS_LIMIT
from formulas.sharpe.kernels import KERNEL_OF_RELEASE
from formulas.sharpe.seeds import bands
from verifier.claim import Claim
from verifier.findings import Where
from verifier.sharpe.board import SealedSeeds, Settings
from verifier.sharpe.checks.catalogue import PINNED
from verifier.sharpe.context import SEEDS_FILE

if TYPE_CHECKING:
    from verifier.findings import Finding
    from verifier.sharpe.board import Board
    from verifier.sharpe.context import BoardFile, Context

__all__ = ["CANONICAL", "DEFAULT_COSTS", "TIERS", "check_bands", "check_pinned"]

TIERS: Final = {
    "calm": "SharpeArena/Calm-v1",
    "hard": "SharpeArena/Hard-v1",
    "extreme": "SharpeArena/Extreme-v1",
}
CANONICAL: Final = Settings(
    n_symbols=4,
    n_days=120,
    max_weight=1.0,
    allow_short=True,
    vol_clustering=0.0,
    impact_exponent=1.0,
)
DEFAULT_COSTS: Final = '{"model":"default"}'
NOT_CANONICAL: Final = "not the canonical benchmark"

# Releases without a setting: its value there can only be the canonical one.
WITHOUT_CLUSTERING: Final = frozenset({"0.9.0"})
WITHOUT_IMPACT: Final = frozenset({"0.9.0", "0.10.0"})
WITHOUT_SEALED_SEEDS: Final = frozenset({"0.9.0", "0.10.0", "0.11.1"})


def check_pinned(context: Context, file: BoardFile, board: Board) -> list[Finding]:
    """Judge what a board says it ran on."""
    claim = Claim(PINNED, file.name, Where(file.path))
    expected = KERNEL_OF_RELEASE.get(board.release)
    if expected is None:
        claim.unproven(
            "the release is none that this verifier knows, so the board is not judged",
            published=board.protocol,
        )
        return claim.found
    if board.kernel != expected:
        claim.fail(
            "the release has another scoring kernel",
            published=board.kernel,
            recomputed=expected,
            pointer="/kernel",
        )
    elif board.kernel not in context.policy.sharpe.kernels:
        claim.unproven("the policy does not trust the kernel", published=board.kernel)
    if TIERS.get(board.tier) != board.env_id:
        claim.fail(
            "tier and environment do not belong together",
            published=board.env_id,
            recomputed=TIERS.get(board.tier, f"no environment of a tier {board.tier!r}"),
            pointer="/env_id",
        )
    if board.leakage != ("point-in-time", 0):
        claim.fail(
            "not point-in-time without a lookahead violation: another benchmark",
            published=f"{board.leakage[0]}, {board.leakage[1]} violations",
            recomputed="point-in-time, 0 violations",
            pointer="/leakage",
        )
    _impossible(claim, board)
    _deviations(claim, board)
    return claim.close("release, kernel, environment and settings are the canonical ones")


def _impossible(claim: Claim, board: Board) -> None:
    """Fail what the release cannot have, or what no bootstrap can be asked with."""
    clustering, impact = board.settings.vol_clustering, board.settings.impact_exponent
    if clustering != CANONICAL.vol_clustering and board.release in WITHOUT_CLUSTERING:
        claim.fail(
            "the release has no vol_clustering",
            published=clustering,
            recomputed=CANONICAL.vol_clustering,
            pointer="/settings/vol_clustering",
        )
    if impact <= 0 or (impact != CANONICAL.impact_exponent and board.release in WITHOUT_IMPACT):
        claim.fail(
            "the release has no such impact_exponent",
            published=impact,
            recomputed=CANONICAL.impact_exponent,
            pointer="/settings/impact_exponent",
        )
    if isinstance(board.seeds, SealedSeeds) and board.release in WITHOUT_SEALED_SEEDS:
        claim.fail("the release has no sealed seeds", published="sealed", pointer="/seeds/kind")
    if not 0.0 < board.scoring.alpha < 1.0:
        claim.fail(
            "alpha must be in (0, 1)", published=board.scoring.alpha, pointer="/scoring/alpha"
        )
    for name, trials in (
        ("/scoring/trials", board.scoring.trials),
        ("/pairs_trials", board.pairs_trials),
    ):
        if trials > TRIALS_LIMIT:
            claim.fail(f"trials are at most {TRIALS_LIMIT}", published=trials, pointer=name)


def _deviations(claim: Claim, board: Board) -> None:
    for name in Settings.__dataclass_fields__:
        _named(claim, name, getattr(board.settings, name), getattr(CANONICAL, name))
    _named(claim, "richness", board.richness, "standard")
    _named(claim, "costs", board.costs, DEFAULT_COSTS)
    defaults = Bootstrap()
    for name in ("alpha", "n_boot", "resample_seed"):
        _named(claim, name, getattr(board.scoring, name), getattr(defaults, name))
    periods = Scorer().periods_per_year
    _named(claim, "periods_per_year", board.scoring.periods_per_year, periods)


def _named(claim: Claim, name: str, published: object, canonical: object) -> None:
    if published != canonical:
        claim.exempt(f"{NOT_CANONICAL}: {name}", published=published, recomputed=canonical)


def check_bands(context: Context) -> list[Finding]:
    """Name other bands than the canonical ones; they are disclosed in ``seeds.json``."""
    if context.seeds is None:
        return []
    claim = Claim(PINNED, "seeds.json", Where(SEEDS_FILE, pointer="/bands"))
    canonical = bands()
    stated = context.seeds
    _named(claim, "start", stated.start, canonical.train.start)
    _named(claim, "n_train", stated.n_train, len(canonical.train))
    _named(claim, "n_test", stated.n_test, len(canonical.test))
    _named(claim, "gap", stated.gap, canonical.test.start - canonical.train.stop)
    return claim.close("the seed bands are the canonical ones")
