"""The real command on a real cluster: the same bytes, and one line where it cannot be used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from shared import ROOT


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """Run everything on one cluster of two workers; outside, since it connects to them."""
    path = os.pathsep.join((str(ROOT), str(ROOT / "tests")))
    done = subprocess.run(
        [sys.executable, ROOT / "tests" / "engines" / "on_cluster.py"],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        check=True,
    )
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def test_a_cluster_reports_forgeries_as_one_process_does(found: dict[str, Any]) -> None:
    """The last of two families; `make engines` takes all."""
    assert found["forgeries"] == {"arcana-demo": True, "floor-demo": True}


def test_a_cluster_that_loses_workers_reports_the_same(found: dict[str, Any]) -> None:
    """One dies while it reads a segment and one while it checks."""
    assert found["killed"] == [True, 2]


def test_the_command_gives_the_bytes_of_one_process(found: dict[str, Any]) -> None:
    """A path relative to where the command runs is found by workers that run elsewhere."""
    assert found["real"] == [0, True, ""]


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ("address", "no Dask scheduler answers at somewhere: missing port number"),
        ("extra", "--engine dask needs the extra: pip install tallyproof[dask]\n"),
        ("idle", "the cluster has no workers\n"),
        ("nobody", "no Dask scheduler answers at tcp://127.0.0.1:9: Timed out"),
        ("release", "the workers of the cluster run another release than this one\n"),
        (
            "unseen",
            "read by a worker of the cluster, which must see the bundle under the same path",
        ),
    ],
)
def test_a_cluster_that_cannot_be_used_is_one_line(
    found: dict[str, Any], case: str, says: str
) -> None:
    """Exit code 2, and what to do about it."""
    if case not in found:
        pytest.skip("this system has no path that differs from process to process")
    code, said = found[case]
    assert (code, said.count("\n")) == (2, 1)
    assert said.startswith("tallyproof: ")
    assert says in said
