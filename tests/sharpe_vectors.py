"""Published SharpeArena figures: the copied files of ``fixtures``, the others from beside."""

import json
import math
import random
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from shared import FIXTURES, SHARED

from formulas.sharpe.deflated import probabilistic_sharpe
from formulas.sharpe.interval import Bootstrap
from formulas.sharpe.kernel import Kernel
from formulas.sharpe.kernels import KERNELS

VECTORS: Final = FIXTURES / "vectors/sharpe"
REFERENCE: Final = SHARED / "reference/sharpe"

VERSIONS: Final = {"v0.9.0": KERNELS["0.5.0"], "v0.31.0": KERNELS["0.28.0"]}
"""Folder of the reference, and the kernel that made what lies in it."""

Case = dict[str, Any]


def find(name: str) -> Path:
    """A file of the reference, the copied one if there is one."""
    copied = VECTORS / name
    return copied if copied.is_file() else REFERENCE / name


@cache
def read(name: str) -> Any:
    """A decoded file of the reference, with its non-finite inputs as floats."""
    return json.loads(find(name).read_bytes(), object_hook=_nonfinite)


def _nonfinite(value: Case) -> Any:
    return float(value["nonfinite"]) if set(value) == {"nonfinite"} else value


def cases(file: str, kind: str | None = None) -> list[Any]:
    """Cases of both versions' *file* as parameters ``kernel, case``."""
    found = []
    for folder, kernel in VERSIONS.items():
        if not find(f"{folder}/{file}").is_file():
            if SHARED.is_dir():
                continue  # not every file exists for both releases
            skip = pytest.mark.skip("no shared data")
            found.append(pytest.param(kernel, {}, id=f"{folder}-{file}", marks=skip))
            continue
        for number, case in enumerate(read(f"{folder}/{file}")["cases"]):
            if kind in (None, case.get("kind")):
                name = case.get("name", case.get("policy"))
                found.append(pytest.param(kernel, case, id=f"{folder}-{number}-{name}"))
    return found


def boards() -> list[Any]:
    """Reference boards of both versions as parameters ``kernel, board``."""
    found = []
    for folder, kernel in VERSIONS.items():
        for tier in ("calm", "hard", "extreme"):
            name = f"{folder}/board_{tier}.json"
            present = find(name).is_file()
            marks = () if present else (pytest.mark.skip("no shared data"),)
            board = read(name) if present else {}
            found.append(pytest.param(kernel, board, id=f"{folder}-{tier}", marks=marks))
    return found


def bootstrap(args: Case) -> Bootstrap:
    """Settings of a recorded call."""
    names = {"n_trials": "trials"}
    return Bootstrap(**{names.get(name, name): value for name, value in args.items()})


def is_finite(result: Any) -> bool:
    """Whether a recorded result holds figures only (old releases write NaN as null)."""
    return all(value is not None for value in result.values())


def random_band(seed: int, n_seeds: int, bars: int, *, drift: float = 0.0004) -> list[list[float]]:
    """A reproducible band of normal returns."""
    source = random.Random(seed)
    return [[source.gauss(drift, 0.01) for _ in range(bars)] for _ in range(n_seeds)]


def one_by_one(kernel: Kernel, band: list[list[float]], draws: list[list[int]], bar: float) -> Any:
    """Statistics of resamples, each by the scalar formula."""
    return [
        probabilistic_sharpe(kernel, [x for seed in row for x in band[seed]], bar) for row in draws
    ]


def close(a: float, b: float, tolerance: float) -> bool:
    """Whether two figures agree to an absolute tolerance; for comparisons with the truth only."""
    return math.isclose(a, b, rel_tol=0.0, abs_tol=tolerance)
