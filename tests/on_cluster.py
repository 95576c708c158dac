"""A program: audits on a cluster of two local workers, and prints what came of it as JSON."""

import json
import tempfile
from importlib import import_module
from typing import Any, Final

import stores
from shared import FIXTURES
from works import double, kill, kill_once

from verifier.audit import audit
from verifier.engine import Serial, engine_for
from verifier.errors import UsageError
from verifier.family import Engine, Unchecked
from verifier.policy import parse_policy
from verifier.report import RENDERERS

LocalCluster: Any = import_module("distributed").LocalCluster  # a library without types
DEMOS: Final = ("arcana-demo", "floor-demo", "sharpe-demo")


def same(demo: str, cluster: Engine, *others: tuple[str, Engine]) -> bool:
    """Tell whether a report of the cluster is that of this process, and those of others."""
    policy = parse_policy((FIXTURES / "policy.toml").read_bytes(), file="policy.toml")
    place = str(FIXTURES / demo)
    reports = {
        RENDERERS["json"](audit(each, policy=policy, keep="all", engine=engine))
        for each, engine in ((place, Serial()), (place, cluster), *others)
    }
    return len(reports) == 1


def nobody() -> str:
    """Ask a scheduler that is not there."""
    try:
        list(engine_for("dask", scheduler="tcp://127.0.0.1:9").map(double, 2, [1]))
    except UsageError as error:
        return str(error).partition(": ")[0]
    return "no error"


def main() -> None:
    """Run the audits, and computations that kill workers."""
    found: dict[str, Any] = {}
    # Otherwise an item has to kill a dozen workers before it is given up.
    import_module("dask").config.set({"distributed.scheduler.allowed-failures": 1})
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
        ) as local,
        tempfile.TemporaryDirectory() as folder,
    ):
        cluster = engine_for("dask", scheduler=local.scheduler_address)
        stores.register()
        with local.get_client() as client:
            client.run(stores.register)
        in_store = (f"shelf://{FIXTURES / DEMOS[0]}", cluster)
        found["reports"] = {
            demo: same(demo, cluster, *([in_store] if demo == DEMOS[0] else ())) for demo in DEMOS
        }
        found["killed"] = list(cluster.map(kill_once, folder, range(100))) == [*range(100)]
        given_up = list(cluster.map(kill, 3, range(8)))
        found["poisoned"] = next(each.reason for each in given_up if isinstance(each, Unchecked))
        found["nobody"] = nobody()
    print(json.dumps(found))  # noqa: T201 - read by the test


if __name__ == "__main__":
    main()
