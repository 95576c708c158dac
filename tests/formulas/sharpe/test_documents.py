"""The documents beside the kernels hold the constants that the code computes with."""

import json
from importlib import resources
from typing import Any

import pytest

from formulas.errors import UnknownFormulaError
from formulas.sharpe import (
    block_bootstrap,
    deflated,
    interval,
    normal,
    ranking,
    row,
    seeds,
    splitmix,
)
from formulas.sharpe.eligibility import Scorer
from formulas.sharpe.kernel import BASE_TRIALS, DAYS_PER_YEAR, TRIALS_LIMIT
from formulas.sharpe.kernels import KERNEL_OF_RELEASE, KERNELS, kernel

DOCUMENTS = {"0.4": "kernel_0_4", "0.5.0": "kernel_0_5", "0.28.0": "kernel_0_28"}


def document(name: str) -> dict[str, Any]:
    """A document as it ships."""
    text = resources.files("formulas.sharpe").joinpath(f"{name}.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    assert set(found) == {
        "id",
        "family",
        "title",
        "in_force",
        "source",
        "constants",
        "steps",
        "notes",
    }
    assert found["family"] == "sharpe"
    return found


@pytest.mark.parametrize("name", KERNELS)
def test_kernel_document(name: str) -> None:
    """Each kernel's constants are those of its document, none left out."""
    found, released = document(DOCUMENTS[name]), KERNELS[name]
    assert found["id"] == f"sharpe-kernel/{name}"
    assert released.name == name
    defaults = interval.Bootstrap()
    assert found["constants"] == {
        "prior": deflated.PRIOR,
        "base_trials": BASE_TRIALS,
        "trials_limit": TRIALS_LIMIT,
        "euler": deflated.EULER,
        "variance_floor": deflated.VARIANCE_FLOOR,
        "pass_bar": row.PASS_BAR,
        "periods_per_year": DAYS_PER_YEAR,
        "n_boot": defaults.n_boot,
        "resample_seed": defaults.resample_seed,
        "alpha": defaults.alpha,
        "splitmix_increment": splitmix.INCREMENT,
        "splitmix_first_factor": splitmix.FIRST_FACTOR,
        "splitmix_second_factor": splitmix.SECOND_FACTOR,
        "population_moments": released.population_moments,
        "annual_prior": released.annual_prior,
        "skewness_from": released.skewness_from,
        "kurtosis_from": released.kurtosis_from,
        "erf_scale": normal.ERF_SCALE,
        "erf_coefficients": list(normal.ERF_COEFFICIENTS),
        "inverse_split": normal.SPLIT,
        "inverse_central_numerator": list(normal.CENTRAL_NUMERATOR),
        "inverse_central_denominator": list(normal.CENTRAL_DENOMINATOR),
        "inverse_tail_numerator": list(normal.TAIL_NUMERATOR),
        "inverse_tail_denominator": list(normal.TAIL_DENOMINATOR),
    }


def test_board_document() -> None:
    """The rules around the kernels likewise."""
    constants, scorer, bands = document("board")["constants"], Scorer(), seeds.bands()
    assert constants == {
        "reference_policies": list(ranking.REFERENCE_POLICIES),
        "first_marked_release": ".".join(map(str, ranking.FIRST_MARKED_RELEASE)),
        "band_start": bands.train.start,
        "band_train": len(bands.train),
        "band_test": len(bands.test),
        "band_gap": bands.test.start - bands.train.stop,
        "sealed_base": seeds.SEALED_BASE,
        "sealed_tag": seeds.SEALED_TAG,
        "min_salt_bytes": seeds.MIN_SALT_BYTES,
        "dsr_bar": scorer.dsr_bar,
        "per_run_psr_bar": scorer.per_run_psr_bar,
        "alpha": scorer.alpha,
        "block_prob": scorer.block_prob,
        "n_boot": scorer.n_boot,
        "bootstrap_seed": scorer.bootstrap_seed,
        "bootstrap_mask": block_bootstrap.SEED_MASK,
        "max_drawdown": scorer.max_drawdown,
        "max_run_drawdown": scorer.max_run_drawdown,
    }


def test_releases_name_known_kernels() -> None:
    """Every release that can be judged has a kernel, and its document lists it."""
    for release, name in KERNEL_OF_RELEASE.items():
        assert release in document(DOCUMENTS[name])["in_force"]["releases"]


@pytest.mark.parametrize("name", ["", "0.5", "0.28", "0.27.0", "latest"])
def test_unknown_kernel(name: str) -> None:
    """There is no latest kernel to fall back on."""
    with pytest.raises(UnknownFormulaError, match="sharpe-kernel/"):
        kernel(name)
