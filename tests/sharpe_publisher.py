"""
A small publisher of SharpeArena boards, and a way to damage what it publishes.

Three boards: ``new`` (0.31.0, public seeds), ``old`` (0.9.0) and ``sealed``. Returns
are drawn from the names of policy, tier and seed, so that what has to be the same in
two places is. Figures come from the formulas, whose bits other tests show.
"""

from __future__ import annotations

import copy
import random
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from typing import Any, Final

from formulas.sharpe.eligibility import judge_eligibility
from formulas.sharpe.gaps import gap
from formulas.sharpe.interval import Bootstrap, interval
from formulas.sharpe.kernel import KernelRefusalError
from formulas.sharpe.kernels import KERNEL_OF_RELEASE, kernel
from formulas.sharpe.paired import paired_difference
from formulas.sharpe.process import judge_process
from formulas.sharpe.ranking import has_marks, neighbours, order, rank_cells
from formulas.sharpe.row import score_row
from formulas.sharpe.seeds import Bands, bands, commitment, sealed_seeds
from verifier.core.canon import canonical_bytes

DAYS: Final = 12
PUBLIC: Final[Bands] = bands(5, 4, 0, 6)
SALT: Final = bytes(range(24))
TRIALS: Final = 3
DRIFTS: Final = {
    "flat": 0.0,
    "equal_weight_long": 0.012,
    "momentum": -0.08,
    "max_sharpe": -0.08,
    "mine": 0.004,
}
Files = dict[str, Any]


def series(release: str, policy: str, tier: str, seed: int, *, state: str = "") -> list[float]:
    """Returns of one seed; *state* is what a policy carries from seed to seed."""
    if policy == "flat":
        return [0.0] * DAYS
    source = random.Random(f"{release} {policy} {tier} {seed} {state}")
    return [round(source.gauss(DRIFTS[policy], 0.01), 6) for _ in range(DAYS)]


def _band(release: str, policy: str, tier: str, seeds: Any, what: str = "") -> list[list[float]]:
    state = "" if policy in ("flat", "equal_weight_long") else what
    return [series(release, policy, tier, seed, state=state) for seed in seeds]


def _gap(release: str, policy: str, tier: str, files: Files, name: str) -> Any:
    sides: list[Files] = [
        {"returns": _band(release, policy, tier, list(seeds), "gap"), "seeds": list(seeds)}
        | {"tier": tier}
        for seeds in (PUBLIC.train, PUBLIC.test)
    ]
    files[f"sharpe/gaps/{name}/{policy}-generalization.json"] = {
        "policy": policy,
        "sides": sides,
        "what": "generalization",
    }
    found = gap(kernel(KERNEL_OF_RELEASE[release]), sides[0]["returns"], sides[1]["returns"])
    return {
        "gap": found.deflated_sharpe.value,
        "test": found.second.score.value,
        "train": found.first.score.value,
    }


def _transfers(release: str, policy: str, tier: str, files: Files, name: str) -> Any:
    if policy not in ("equal_weight_long", "mine"):
        return []
    seeds = list(PUBLIC.test)
    sides: list[Files] = [
        {"returns": _band(release, policy, to, seeds, f"transfer {at}"), "seeds": list(seeds)}
        | {"tier": to}
        for at, to in enumerate((tier, tier, "hard"))
    ]
    files[f"sharpe/gaps/{name}/{policy}-transfer.json"] = {
        "policy": policy,
        "sides": sides,
        "what": "transfer",
    }
    found = [
        gap(kernel(KERNEL_OF_RELEASE[release]), sides[0]["returns"], side["returns"])
        for side in sides[1:]
    ]
    return [
        {
            "gap": one.deflated_sharpe.value,
            "in": one.first.score.value,
            "out": one.second.score.value,
            "to": side["tier"],
        }
        for one, side in zip(found, sides[1:], strict=True)
    ]


def _board(name: str, release: str, files: Files, *, sealed: bool = False) -> None:
    of = kernel(KERNEL_OF_RELEASE[release])
    seeds = sealed_seeds(SALT, 4) if sealed else list(PUBLIC.train)[:4]
    settings = Bootstrap(trials=TRIALS, n_boot=60, alpha=0.1, resample_seed=2**63 + sealed)
    found = []
    for policy in DRIFTS:
        band = _band(release, policy, "calm", seeds)
        row = score_row(of, band, TRIALS)
        events: list[list[dict[str, Any]]] = [[] for _ in seeds]
        if policy == "mine":
            events[1] = [{"kind": "order_placed", "risk_gate_passed": False}]
            events[2] = [{"kind": "concentration_breach"}]
        gates = judge_eligibility(of, band, judge_process(events), TRIALS)
        try:
            bounds = asdict(interval(of, band, settings))
        except KernelRefusalError:
            bounds = None
        content: Files = {
            "policy": policy,
            "returns": band,
            "seeds": [str(seed) if sealed else seed for seed in seeds],
        }
        files[f"sharpe/returns/{name}/{policy}.json"] = content
        files[f"sharpe/traces/{name}/{policy}.json"] = {"events": events, "policy": policy}
        found.append(
            {
                "policy": policy,
                "deflated_sharpe": row.score.value,
                "status": row.score.status,
                "pass_k_rate": row.pass_k_rate,
                "mean_return": row.mean_return,
                "interval": bounds,
                "eligible": gates.eligible,
                "reasons": list(gates.failed),
                "returns": sha256(canonical_bytes(content)).hexdigest(),
                "gap": _gap(release, policy, "calm", files, name),
                "transfers": _transfers(release, policy, "calm", files, name),
            }
        )
    rows = [found[i] for i in order([row["deflated_sharpe"] for row in found])]
    scores = [row["deflated_sharpe"] for row in rows]
    for placed, rank in zip(rows, rank_cells(scores, marks=has_marks(release)), strict=True):
        placed["rank"] = rank
    files[f"sharpe/boards/{name}.json"] = {
        "board": name,
        "protocol": f"sharpearena/{release}",
        "kernel": of.name,
        "env_id": "SharpeArena/Calm-v1",
        "tier": "calm",
        "richness": "standard",
        "settings": {
            "n_symbols": 4,
            "n_days": DAYS,
            "max_weight": 1,
            "allow_short": True,
            "vol_clustering": 0,
            "impact_exponent": 1,
        },
        "costs": {"model": "default"},
        "leakage": {"mode": "point-in-time", "violations": 0},
        "seeds": {"kind": "sealed", "count": 4} if sealed else {"kind": "public", "list": seeds},
        "scoring": {
            "alpha": settings.alpha,
            "n_boot": settings.n_boot,
            "periods_per_year": 252,
            "resample_seed": str(settings.resample_seed),
            "trials": TRIALS,
        },
        "pairs_trials": 0,
        "rows": rows,
        "pairs": _pairs(rows, files, name, of, settings),
        "claims": [{"better": rows[0]["policy"], "worse": rows[1]["policy"]}],
    }


def _pairs(rows: Any, files: Files, name: str, of: Any, settings: Bootstrap) -> Any:
    undeclared = Bootstrap(
        n_boot=settings.n_boot, alpha=settings.alpha, resample_seed=settings.resample_seed
    )
    pairs = []
    for above, below in neighbours([row["deflated_sharpe"] for row in rows]):
        a, b = (
            files[f"sharpe/returns/{name}/{rows[at]['policy']}.json"]["returns"]
            for at in (above, below)
        )
        pair = asdict(paired_difference(of, a, b, undeclared))
        del pair["confidence"], pair["n_boot"]
        pairs.append({"a": rows[above]["policy"], "b": rows[below]["policy"]} | pair)
    return pairs


@cache
def _published() -> Files:
    files: Files = {
        "bundle.json": {
            "arena": "sharpearena",
            "as_of": "2026-11-20T00:00:00Z",
            "families": ["sharpe"],
            "format": "evidence-bundle/1",
            "seasons": [],
            "title": "a small arena",
        },
        "sharpe/seeds.json": {
            "bands": {"gap": 6, "n_test": 4, "n_train": 5, "start": 0},
            "commitments": [
                {
                    "board": "sealed",
                    "closed_at": "2026-11-09T12:00:00Z",
                    "commitment": commitment(SALT),
                    "count": 4,
                    "published_at": "2026-11-02T09:00:00Z",
                    "salt": SALT.hex(),
                }
            ],
        },
    }
    _board("new", "0.31.0", files)
    _board("old", "0.9.0", files)
    _board("sealed", "0.31.0", files, sealed=True)
    return files


def published() -> Files:
    """Files of the small arena as decoded JSON, free to be changed."""
    return copy.deepcopy(_published())


def written(files: Files) -> dict[str, bytes]:
    """Those files and their hash list as bytes; bytes stay as they are."""
    found = {
        path: value if isinstance(value, bytes) else canonical_bytes(value)
        for path, value in files.items()
    }
    sums = [
        f"{sha256(found[path]).hexdigest()}  {path}\n" for path in sorted(found, key=str.encode)
    ]
    return found | {"SHA256SUMS": "".join(sums).encode()}


def rehash(files: Files) -> None:
    """Let every row state the hash of its returns file again."""
    for path, board in files.items():
        if path.startswith("sharpe/boards/"):
            for row in board["rows"]:
                returns = f"sharpe/returns/{board['board']}/{row['policy']}.json"
                if returns in files:
                    content = canonical_bytes(files[returns])
                    row["returns"] = sha256(content).hexdigest()


def row_of(files: Files, board: str, policy: str) -> Any:
    """A row of a board."""
    rows = files[f"sharpe/boards/{board}.json"]["rows"]
    return next(row for row in rows if row["policy"] == policy)
