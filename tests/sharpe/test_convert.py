"""A bundle from the rows that the public package returns; rows of its own in ``tests/arena``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sharpe_publisher import TRIALS, published
from small_bundle import write_tree

from formulas.sharpe.interval import Bootstrap
from formulas.sharpe.kernels import KERNEL_OF_RELEASE
from verifier.audit import audit
from verifier.errors import EvidenceError, FormatError, UsageError
from verifier.findings import Verdict
from verifier.sharpe.convert import Setup, convert

if TYPE_CHECKING:
    from pathlib import Path

    from verifier.report.model import Report

AS_OF: Final = "2026-11-20T00:00:00Z"
# What rows say nothing about.
UNSAID: Final = {"sharpe/eligibility", "sharpe/gaps"}


def setup(**changes: Any) -> Setup:
    """What the rows of the small arena were made with."""
    scoring = Bootstrap(trials=TRIALS, n_boot=60, alpha=0.1, resample_seed=2**63)
    given: dict[str, Any] = {
        "name": "mine",
        "release": "0.31.0",
        "tier": "calm",
        "seeds": range(4),
        "as_of": AS_OF,
        "bootstrap": scoring,
    }
    return Setup(**given | changes)


def rows(board: str = "new") -> Any:
    """Rows of a board of the small arena, as the package's call returns them."""
    files = published()
    found = []
    for row in files[f"sharpe/boards/{board}.json"]["rows"]:
        status = row["status"]
        found.append(
            {
                "policy": row["policy"],
                "deflated_sharpe": row["deflated_sharpe"] if status == "scored" else status,
                "passed_k_rate": status if row["pass_k_rate"] is None else row["pass_k_rate"],
                "mean_return": row["mean_return"],
                "deflated_sharpe_ci": row["interval"],
                "confidence_status": "scoring_kernel_reproduced",
                "per_seed_returns": files[f"sharpe/returns/{board}/{row['policy']}.json"][
                    "returns"
                ],
            }
        )
    # The call returns them in the order of declaration.
    declared = ["flat", "equal_weight_long", "momentum", "max_sharpe", "mine"]
    return sorted(found, key=lambda row: declared.index(str(row["policy"])))


def audited(folder: Path, files: dict[str, bytes]) -> Report:
    """Audit a bundle of these files."""
    return audit(write_tree(folder / "bundle", files))


@pytest.mark.parametrize(("board", "release"), [("new", "0.31.0"), ("old", "0.9.0")])
@pytest.mark.parametrize("with_pairs", [False, True])
def test_round_trip(tmp_path: Path, board: str, release: str, *, with_pairs: bool) -> None:
    """Everything that rows say passes; eligibility and gaps, which they do not, are unproven."""
    pairs = published()[f"sharpe/boards/{board}.json"]["pairs"] if with_pairs else None
    files = convert(rows(board), pairs, setup(release=release))
    report = audited(tmp_path, files)
    assert report.verdict is Verdict.UNPROVEN
    assert {f.check for f in report.findings if f.verdict is not Verdict.EXEMPT} == UNSAID
    made = json.loads(files["sharpe/boards/mine.json"])
    original = published()[f"sharpe/boards/{board}.json"]
    assert [row["policy"] for row in made["rows"]] == [row["policy"] for row in original["rows"]]
    assert [row["rank"] for row in made["rows"]] == [row["rank"] for row in original["rows"]]
    assert made["pairs"] == original["pairs"]
    assert made["kernel"] == KERNEL_OF_RELEASE[release]


def test_a_wrong_row_stays_wrong(tmp_path: Path) -> None:
    """Nothing is put right on the way: a figure that does not follow fails in the audit."""
    read = rows()
    read[1]["mean_return"] += 0.5
    report = audited(tmp_path, convert(read, None, setup()))
    assert {f.check for f in report.findings if f.verdict is Verdict.FAIL} == {"sharpe/figures"}


@pytest.mark.parametrize(
    "changes",
    [
        {"release": "0.25.0"},
        {"tier": "easy"},
        {"name": "../mine"},
        {"name": ""},
        {"seeds": range(3)},
    ],
)
def test_a_setup_that_makes_no_sense(changes: dict[str, Any]) -> None:
    """What the caller says wrong is a usage error."""
    with pytest.raises(UsageError):
        convert(rows(), None, setup(**changes))


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"policy": 1}, "/1/policy"),
        ({"policy": "../../escape"}, "/1/policy"),
        ({"policy": "flat"}, None),
        ({"deflated_sharpe": None}, "/1/deflated_sharpe"),
        ({"mean_return": "0.1"}, "/1/mean_return"),
        ({"per_seed_returns": [[0.1, None]]}, "/1/per_seed_returns/0/1"),
        ({"per_seed_returns": None}, "/1/per_seed_returns"),
        ({"deflated_sharpe_ci": {"lo": 0}}, "/1/deflated_sharpe_ci"),
        ({"deflated_sharpe_ci": 1}, "/1/deflated_sharpe_ci"),
    ],
)
def test_rows_of_another_shape(change: dict[str, Any], pointer: str | None) -> None:
    """One error, which points into the rows."""
    read = rows()
    read[1] |= change
    with pytest.raises(FormatError) as caught:
        convert(read, None, setup())
    assert caught.value.pointer == pointer


JSON: Final = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(allow_nan=False)
    | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(value=JSON, name=st.sampled_from(sorted(rows()[0])), pairs=st.none() | JSON)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_anything(value: Any, name: str, pairs: Any) -> None:
    """Any JSON in place of a member, or of the pairs, is converted or refused by our errors."""
    read = rows()
    read[0][name] = value
    for given_rows in (read, value):
        try:
            convert(given_rows, pairs, setup())
        except (EvidenceError, UsageError):
            continue
