"""
Every bundle of the repository on every engine: the reports must be the same bytes.

Run it with ``make engines`` or ``python tests/engines/walk.py [WORD…]``, which takes
only the bundles whose names hold one of the words; all of them are about a quarter of
an hour of processor time. It audits the demo bundles and all forgeries over them, and
all bundles and forgeries of ``../shared`` if that is there; serially, in two processes,
and on a Dask cluster of two local workers; with all findings and with problems alone.
Reports are compared as JSON; of every eighth bundle in all other forms too, and in
three processes. Where a bundle cannot be audited, the errors must be the same.

Then the demo bundles are audited once more while workers are killed: one in the middle
of every map, those that load the Floor in segments included.

It fails at the first difference and names the bundle.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from engines.forgeries import forged_bundles
from engines.killing import Killing
from shared import FIXTURES

from verifier.audit import audit_bundle
from verifier.bundle import open_bundle
from verifier.engine import Serial, engine_for
from verifier.errors import EvidenceError
from verifier.floor import files
from verifier.policy import Policy, load_policy
from verifier.report import RENDERERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.bundle import Bundle
    from verifier.family import Engine
    from verifier.report.model import Keep

KEEPS: Final[tuple[Keep, ...]] = ("all", "problems")
DEMOS: Final = ("arcana-demo", "floor-demo", "sharpe-demo")
SAMPLED: Final = 8


@dataclass(frozen=True, slots=True)
class Audit:
    """One audit, whoever computes it."""

    name: str
    bundle: Bundle
    policy: Policy
    keep: Keep
    forms: Sequence[str] = ("json",)

    def said(self, engine: Engine) -> list[bytes]:
        """Give the report in its forms, or the error."""
        try:
            report = audit_bundle(self.bundle, policy=self.policy, keep=self.keep, engine=engine)
        except EvidenceError as error:
            return [f"{type(error).__name__}: {error}".encode()]
        return [RENDERERS[form](report) for form in self.forms]


def difference(one: list[bytes], other: list[bytes]) -> str:
    """Show the first lines that differ."""
    pairs = zip_longest(b"\n".join(one).split(b"\n"), b"\n".join(other).split(b"\n"))
    number, lines = next((at, pair) for at, pair in enumerate(pairs, 1) if pair[0] != pair[1])
    return f"line {number}: {lines[0]!r} and {lines[1]!r}"


class Walk:
    """
    What was compared so far.

    Args:
        engines: All but the reference, by name.
    """

    def __init__(self, engines: dict[str, Engine]) -> None:
        self._engines = engines
        self._policy = load_policy(FIXTURES / "policy.toml")
        self.counts: Counter[str] = Counter()
        self.whole = sha256()

    def compare(self, name: str, bundle: Bundle) -> None:
        """Audit one bundle in every way."""
        engines, forms = self._engines, ["json"]
        if self.counts["bundles"] % SAMPLED == 0:
            engines = {**engines, "three processes": engine_for(None, jobs=3)}
            forms = sorted(RENDERERS)
        self.counts["bundles"] += 1
        for keep in KEEPS:
            one = Audit(f"{name}, {keep} findings", bundle, self._policy, keep, forms)
            reference = one.said(Serial())
            self.whole.update(b"".join(reference))
            for label, engine in engines.items():
                self._same(label, one, engine, reference)

    def _same(self, label: str, one: Audit, engine: Engine, reference: list[bytes]) -> None:
        """Demand that an engine says what the reference says."""
        found = one.said(engine)
        if found != reference:
            differs = difference(reference, found)
            raise SystemExit(f"{one.name}: {label} differ from one process, {differs}")
        self.counts[f"outputs of {label}, equal to those of one"] += len(found)

    def killed(self, name: str, bundle: Bundle) -> None:
        """Audit one bundle while workers are killed."""
        one = Audit(f"{name}, workers killed", bundle, self._policy, "all")
        reference = one.said(Serial())
        for label, engine in self._engines.items():
            with tempfile.TemporaryDirectory() as folder:
                killing = Killing(engine, Path(folder))
                self._same(label, one, killing, reference)
                if killing.kills != killing.maps:
                    raise SystemExit(f"{one.name}: {label}: {killing.kills} of {killing.maps}")
                self.counts["workers killed"] += killing.kills


def killed_audits(walk: Walk, words: Sequence[str]) -> None:
    """Audit the demos while workers are killed, and the Floor's also in segments."""
    for demo in DEMOS:
        if asked(f"fixtures/{demo}", words):
            with open_bundle(FIXTURES / demo) as bundle:
                walk.killed(demo, bundle)
                if demo == "floor-demo":
                    vars(files).update(HELD_BYTES=0, SEGMENT=1_000)
                    walk.killed("floor-demo in segments", bundle)


def say(line: str) -> None:
    """Print a line."""
    print(line, flush=True)  # noqa: T201 - a program


def asked(name: str, words: Sequence[str]) -> bool:
    """Tell whether a bundle was asked for."""
    return not words or any(word in name for word in words)


def main() -> None:
    """Walk, and print how many were compared."""
    words = sys.argv[1:]
    began = time.perf_counter()
    # Otherwise a batch that kills its worker ends more of them than need be started again.
    import_module("dask").config.set({"distributed.scheduler.allowed-failures": 1})
    cluster: Any = import_module("distributed").LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    )
    with closing(cluster):
        dask = engine_for("dask", scheduler=cluster.scheduler_address)
        walk = Walk({"two processes": engine_for(None, jobs=2), "a cluster": dask})
        for name, bundle in forged_bundles():
            if asked(name, words):
                walk.compare(name, bundle)
                say(f"{time.perf_counter() - began:6.0f} s  {name}")
        killed_audits(walk, words)
    for what, count in walk.counts.items():
        say(f"{count:6,} {what}")
    say(f"     0 differences; sha256 of the outputs of one process: {walk.whole.hexdigest()}")


if __name__ == "__main__":
    # Workers import what tests share.
    path = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join((*filter(None, [path]), *sys.path[:1]))
    main()
