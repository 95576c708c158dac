"""Functions for engines to compute, in a module that every process can import."""

import os
import signal
from pathlib import Path

from verifier.errors import FormatError

__all__ = ["break_off", "double", "kill", "kill_once", "refuse"]


def double(factor: int, item: int) -> int:
    """Give a multiple."""
    return factor * item


def kill(last: int, item: int) -> int:
    """Kill the process at one item."""
    if item == last:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def kill_once(folder: str, item: int) -> int:
    """Kill the process at some items, the first time that each is computed."""
    mark = Path(folder) / str(item)
    if item % 50 == 25 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def break_off(last: int, item: int) -> int:
    """Break at one item as a defect would."""
    if item == last:
        raise ZeroDivisionError
    return item


def refuse(last: int, item: int) -> int:
    """Refuse one item as evidence that cannot be read."""
    if item == last:
        raise FormatError("is out of shape", file="arcana/x", line=3, pointer="/a")
    return item
