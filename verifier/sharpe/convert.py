"""
Making a bundle with one board from the rows that the public package returns.

``run_baselines(…, confidence=True)`` of ``sharpearena`` returns a list of rows; written as
JSON it is what is read here. Nothing of that package is imported, and of its members these
count:

==================== ===================================================================
``policy``           name
``deflated_sharpe``  number, or a text: why the kernel gives none
``passed_k_rate``    number, or a text
``mean_return``      number
``per_seed_returns`` one list of returns a seed, in the order of the seeds
``deflated_sharpe_ci`` {point, lo, hi, width, confidence, n_boot} or null
==================== ===================================================================

Others (``confidence_status``, ``arena_deflated_sharpe_ci``) are ignored. Pairs are those of
``pairwise_significance``, as JSON too; without them they are computed, since a board cannot
be published without. Rows do not say what they ran on, so the caller does. They say nothing
about eligibility and gaps either: those are null, and unproven. Numbers stay the doubles that
they are; order and rank follow the release's rule.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from formulas.errors import FormulaError
from formulas.sharpe.interval import Bootstrap, check_settings
from formulas.sharpe.kernel import KernelRefusalError, TooMuchWorkError
from formulas.sharpe.kernels import KERNEL_OF_RELEASE, kernel
from formulas.sharpe.paired import paired_difference
from formulas.sharpe.ranking import has_marks, neighbours, order, rank_cells
from formulas.sharpe.row import SCORED
from formulas.sharpe.seeds import bands
from verifier.bundle.index import FORMAT, INDEX, read_index
from verifier.core.canon import canonical_bytes
from verifier.core.shape import Obj, kind_of
from verifier.errors import EvidenceError, FormatError, UsageError
from verifier.sharpe.board import PAIR, read_board, read_interval, read_pair
from verifier.sharpe.checks.pinned import CANONICAL, TIERS
from verifier.sharpe.context import BOARDS, SEEDS_FILE, returns_path
from verifier.sharpe.evidence import read_returns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.jsonread import JsonValue

__all__ = ["Setup", "convert", "read_pairs"]

Members = dict[str, Any]

LARGEST: Final = 2**53 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """
    What the rows do not say.

    Args:
        name: Name of the board.
        release: Release of ``sharpearena`` that made them, ``0.31.0``.
        tier: Tier of difficulty.
        seeds: Seeds in the order of the series.
        as_of: Time that the bundle speaks of, RFC 3339 UTC to the second.
        symbols: Number of symbols.
        bootstrap: Settings of the intervals; its trials are the declared ones.
    """

    name: str
    release: str
    tier: str
    seeds: Sequence[int]
    as_of: str
    symbols: int = CANONICAL.n_symbols
    bootstrap: Bootstrap = Bootstrap(trials=6)  # noqa: RUF009 - frozen


def convert(rows: JsonValue, pairs: JsonValue, setup: Setup) -> dict[str, bytes]:
    """
    Make the files of a bundle, its hash list included.

    Args:
        rows: What ``run_baselines`` returned.
        pairs: What ``pairwise_significance`` returned; computed when None.
        setup: What the rows do not say.

    Raises:
        UsageError: Release, tier, name, seeds, time or scoring make no sense.
        FormatError: The rows or pairs have another shape.
    """
    _check(setup)
    if not isinstance(rows, list) or not rows:
        raise FormatError(f"must be a list of rows, is {kind_of(rows) if rows else 'empty'}")
    read = [_row(item, f"/{at}", setup) for at, item in enumerate(rows)]
    placed = [read[at] for at in order([row["deflated_sharpe"] for row, _ in read])]
    scores = [row["deflated_sharpe"] for row, _ in placed]
    for (row, _), rank in zip(
        placed, rank_cells(scores, marks=has_marks(setup.release)), strict=True
    ):
        row["rank"] = rank
    files = {
        returns_path(setup.name, row["policy"]): canonical_bytes(returns) for row, returns in placed
    }
    if len(files) < len(placed):
        raise FormatError("a policy stands twice")
    days = {len(series) for _, returns in placed for series in returns["returns"]}
    board = _board(setup, max(days, default=0), [row for row, _ in placed])
    board["pairs"] = _compute(setup, placed) if pairs is None else read_pairs(pairs)
    read_board(board)
    files |= {
        f"{BOARDS}{setup.name}.json": canonical_bytes(board),
        SEEDS_FILE: canonical_bytes(_seeds()),
        INDEX: canonical_bytes(_index(setup)),
    }
    sums = (f"{sha256(data).hexdigest()}  {path}\n" for path, data in sorted(files.items()))
    return files | {"SHA256SUMS": "".join(sums).encode()}


def _check(setup: Setup) -> None:
    if setup.release not in KERNEL_OF_RELEASE:
        known = ", ".join(KERNEL_OF_RELEASE)
        raise UsageError(f"no formulas for release {setup.release!r}; known are {known}")
    if setup.tier not in TIERS:
        raise UsageError(f"no tier {setup.tier!r}; tiers are {', '.join(TIERS)}")
    if not _plain(setup.name):
        raise UsageError(f"a board's name is letters, digits, - and _, not {setup.name!r}")
    scoring = setup.bootstrap
    for name, number in (
        *(("symbols", setup.symbols), ("trials", scoring.trials), ("n_boot", scoring.n_boot)),
        ("a seed", max(setup.seeds, default=0)),
    ):
        if number > LARGEST:
            raise UsageError(f"{name} must be at most 2^53 - 1, was {number}")
    try:
        check_settings(kernel(KERNEL_OF_RELEASE[setup.release]), scoring)
    except TooMuchWorkError:
        pass  # A board may publish what is not recomputed here.
    except FormulaError as error:
        raise UsageError(str(error)) from None
    try:
        read_index(canonical_bytes(_index(setup)))
    except FormatError as error:
        raise UsageError(f"as_of {error.reason}; was {setup.as_of!r}") from None


def _plain(name: str) -> bool:
    # Names become names of files.
    letters = name.replace("-", "").replace("_", "")
    return letters.isascii() and letters.isalnum()


def _row(value: JsonValue, pointer: str, setup: Setup) -> tuple[Members, Members]:
    """One row of the board without its rank, and its returns file."""
    row = Obj(value, _ROW, pointer=pointer, open_ended=True)
    policy = row.text("policy")
    if not _plain(policy):
        raise FormatError("must be letters, digits, - and _", pointer=f"{pointer}/policy")
    returns: Members = {
        "policy": policy,
        "returns": row.value["per_seed_returns"],
        "seeds": list(setup.seeds),
    }
    try:
        series = read_returns(returns).band
    except FormatError as error:
        inside = (error.pointer or "").replace("/returns", "/per_seed_returns", 1)
        raise FormatError(error.reason, pointer=f"{pointer}{inside}") from None
    if len(series) != len(setup.seeds):
        raise UsageError(f"{policy} has {len(series)} series for {len(setup.seeds)} seeds")
    score, rate = row.value["deflated_sharpe"], row.value["passed_k_rate"]
    interval = row.value.get("deflated_sharpe_ci")
    if interval is not None:
        read_interval(row, "deflated_sharpe_ci")
    members: Members = {
        "policy": policy,
        "deflated_sharpe": None if isinstance(score, str) else row.number("deflated_sharpe"),
        "status": score if isinstance(score, str) else SCORED,
        "pass_k_rate": None if isinstance(rate, str) else row.number("passed_k_rate"),
        "mean_return": row.number("mean_return"),
        "interval": interval,
        "eligible": None,
        "reasons": [],
        "gap": None,
        "transfers": [],
        "returns": sha256(canonical_bytes(returns)).hexdigest(),
    }
    return members, returns


_ROW: Final = ("policy", "deflated_sharpe", "passed_k_rate", "mean_return", "per_seed_returns")


def read_pairs(value: JsonValue) -> list[Members]:
    """
    Take what a board publishes from what ``pairwise_significance`` returned.

    Raises:
        FormatError: It has another shape.
    """
    if not isinstance(value, list):
        raise FormatError(f"pairs must be a list, are {kind_of(value)}")
    found = []
    for at, item in enumerate(value):
        pair = Obj(item, PAIR, pointer=f"/{at}", open_ended=True)
        found.append(asdict(read_pair(pair)))
    return found


def _compute(setup: Setup, placed: Sequence[tuple[Members, Members]]) -> list[Members]:
    of, given = kernel(KERNEL_OF_RELEASE[setup.release]), setup.bootstrap
    undeclared = Bootstrap(
        n_boot=given.n_boot, resample_seed=given.resample_seed, alpha=given.alpha
    )
    found = []
    for above, below in neighbours([row["deflated_sharpe"] for row, _ in placed]):
        (a, one), (b, other) = placed[above], placed[below]
        try:
            pair = asdict(paired_difference(of, one["returns"], other["returns"], undeclared))
        except KernelRefusalError:
            return []
        except FormulaError as error:
            raise EvidenceError(f"the pairs cannot be computed: {error}") from None
        named = {"a": a["policy"], "b": b["policy"], **pair}
        found.append({name: named[name] for name in PAIR})
    return found


def _board(setup: Setup, days: int, rows: Sequence[Members]) -> Members:
    scoring, seed = setup.bootstrap, setup.bootstrap.resample_seed
    return {
        "board": setup.name,
        "protocol": f"sharpearena/{setup.release}",
        "kernel": KERNEL_OF_RELEASE[setup.release],
        "env_id": TIERS[setup.tier],
        "tier": setup.tier,
        "richness": "standard",
        "settings": asdict(CANONICAL) | {"n_symbols": setup.symbols, "n_days": days},
        "costs": {"model": "default"},
        "leakage": {"mode": "point-in-time", "violations": 0},
        "seeds": {"kind": "public", "list": list(setup.seeds)},
        "scoring": {
            "alpha": scoring.alpha,
            "n_boot": scoring.n_boot,
            "periods_per_year": scoring.periods_per_year,
            "resample_seed": seed if seed < 1 << 53 else str(seed),
            "trials": scoring.trials,
        },
        "pairs_trials": 0,
        "rows": list(rows),
        "claims": [],
    }


def _seeds() -> Members:
    public = bands()
    sizes = {"n_train": len(public.train), "n_test": len(public.test)}
    gap = public.test.start - public.train.stop
    return {"bands": {"gap": gap, "start": public.train.start, **sizes}, "commitments": []}


def _index(setup: Setup) -> Members:
    return {
        "arena": "sharpearena",
        "as_of": setup.as_of,
        "families": ["sharpe"],
        "format": FORMAT,
        "seasons": [],
        "title": f"SharpeArena board {setup.name}, converted from rows",
    }
