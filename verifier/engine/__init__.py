"""
One ordered map behind everything: in this process, in several, or on a cluster.

==============  ===========================================================
``serial``      this process; the reference
``processes``   processes of this machine (:mod:`verifier.engine.processes`)
``dask``        workers of a Dask cluster (:mod:`verifier.engine.dask`)
==============  ===========================================================

Results come in the order of the items, so who computed them cannot be seen in
a report. An item is independent of every other, and what it gives is a function
of the evidence, so it may be computed again by anybody: a worker that dies
costs time and nothing else. An item that cannot be computed at all, because it
takes every worker down or breaks a check, is one
:class:`~verifier.family.Unchecked` among the results and not a lost run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from verifier.engine.serial import Serial
from verifier.errors import UsageError

if TYPE_CHECKING:
    from verifier.family import Engine

__all__ = ["ENGINES", "EngineName", "Serial", "engine_for"]

EngineName = Literal["serial", "processes", "dask"]
ENGINES: Final[tuple[EngineName, ...]] = ("serial", "processes", "dask")


def engine_for(name: EngineName | None, *, jobs: int = 1, scheduler: str | None = None) -> Engine:
    """
    Choose an engine.

    Args:
        name: Which; None for processes where there are several jobs, else this process.
        jobs: Processes of this machine.
        scheduler: Address of the scheduler of a Dask cluster.

    Raises:
        UsageError: The options do not fit together.
    """
    if (name == "dask") != (scheduler is not None):
        raise UsageError("--engine dask and --scheduler ADDRESS belong together")
    if name == "serial" and jobs > 1:
        raise UsageError("--engine serial is one process: leave out --jobs")
    if scheduler is not None and jobs > 1:
        raise UsageError("--engine dask has the workers of its cluster: leave out --jobs")
    if scheduler is not None:
        from verifier.engine.dask import Dask  # noqa: PLC0415 - an extra

        return Dask(scheduler)
    if name == "serial" or (name is None and jobs <= 1):
        return Serial()
    from verifier.engine.processes import Processes  # noqa: PLC0415 - not for a single job

    return Processes(jobs)
