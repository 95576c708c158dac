"""A program: the real command on a cluster, and an audit that loses workers; prints JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

from engines.killing import Killing
from overlays import overlays
from shared import FIXTURES, ROOT

from verifier.audit import audit, audit_bundle
from verifier.bundle import open_bundle, overlay
from verifier.cli import main as tallyproof
from verifier.engine import Serial, engine_for
from verifier.floor import files
from verifier.policy import load_policy
from verifier.report import RENDERERS

if TYPE_CHECKING:
    from verifier.family import Engine

FORGED: Final = ("arcana-demo", "floor-demo")
POLICY: Final = FIXTURES / "policy.toml"
DEMO: Final = str(FIXTURES / "arcana-demo")
NOBODY: Final = "tcp://127.0.0.1:9"


def forgeries(cluster: Engine) -> dict[str, bool]:
    """Audit the last forgery over some demos; tell whether the reports are the same."""
    found = {}
    for demo in FORGED:
        each = overlays(demo)[-1]
        with open_bundle(FIXTURES / demo) as base:
            forged = overlay(base, each.changes(base), relist=each.relist)
            reports = {
                RENDERERS["json"](audit_bundle(forged, policy=load_policy(POLICY), engine=engine))
                for engine in (Serial(), cluster)
            }
        found[demo] = len(reports) == 1
    return found


def killed(cluster: Engine) -> list[object]:
    """Lose a worker while a segment is read, and one while rows are checked."""
    one = RENDERERS["json"](audit(FIXTURES / "floor-demo", keep="all"))
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.multiple(files, HELD_BYTES=0, SEGMENT=20_000),
    ):
        killing = Killing(cluster, Path(folder), 2, 5)
        other = RENDERERS["json"](audit(FIXTURES / "floor-demo", keep="all", engine=killing))
        return [one == other, killing.kills]


def real(scheduler: str) -> list[object]:
    """Run the real command from another folder than that of the workers."""
    form = ("--policy", "policy.toml", "--format", "json")
    engine = ("--engine", "dask", "--scheduler", scheduler)
    done = subprocess.run(
        [sys.executable, "-m", "verifier", "audit", "arcana-demo", *form, *engine],
        cwd=FIXTURES,
        check=False,
        capture_output=True,
    )
    one = RENDERERS["json"](audit(FIXTURES / "arcana-demo", policy=load_policy(POLICY)))
    return [done.returncode, done.stdout == one, done.stderr.decode()]


def refused(scheduler: str, path: str = DEMO, patience: float = 30) -> list[object]:
    """Run the command in this process, and give its exit code and what it says."""
    said = StringIO()
    with redirect_stderr(said), patch("verifier.engine.dask.PATIENCE", patience):
        try:
            tallyproof(["audit", path, "--engine", "dask", "--scheduler", scheduler])
        except SystemExit as leaving:
            return [leaving.code, said.getvalue()]
    return []


def errors(scheduler: str) -> dict[str, list[object]]:
    """Use a cluster that cannot be used."""
    found = {"address": refused("somewhere"), "nobody": refused(NOBODY, patience=0.5)}
    with patch.dict(sys.modules, {"distributed": None}):
        found["extra"] = refused(scheduler)
    with patch("verifier.engine.dask.release_digest", lambda: "another"):
        found["release"] = refused(scheduler)
    with local_cluster(n_workers=0) as idle:
        found["idle"] = refused(idle.scheduler_address, patience=3)
    if Path("/proc/self/cwd").exists():
        os.chdir(FIXTURES)
        # One path, and another folder for each process.
        found["unseen"] = refused(scheduler, "/proc/self/cwd/arcana-demo")
        os.chdir(ROOT)
    return found


def local_cluster(**more: int) -> Any:
    """Make a cluster of this machine, without a word."""
    return import_module("distributed").LocalCluster(
        threads_per_worker=1, dashboard_address=":0", silence_logs=50, **more
    )


def main() -> None:
    """Do all of it on one cluster."""
    os.chdir(ROOT)
    # Otherwise a batch that kills its worker ends more of them than need be started again.
    import_module("dask").config.set({"distributed.scheduler.allowed-failures": 1})
    with local_cluster(n_workers=2) as local:
        scheduler = local.scheduler_address
        cluster = engine_for("dask", scheduler=scheduler)
        found = {
            "forgeries": forgeries(cluster),
            "killed": killed(cluster),
            "real": real(scheduler),
            **errors(scheduler),
        }
    print(json.dumps(found))  # noqa: T201 - read by the test


if __name__ == "__main__":
    main()
