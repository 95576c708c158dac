"""A progress bar on standard error, only on a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(
    *, quiet: bool, no_color: bool
) -> Iterator[Callable[[str, int, int], None] | None]:
    """Give a function that shows (what, done, total), or None where nobody looks."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    # rich draws the bar; without its own thread, since workers may be forked meanwhile.
    from rich.console import Console  # noqa: PLC0415 - only on a terminal
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True, no_color=no_color or None),
        auto_refresh=False,
        transient=True,
    ) as bar:
        task = bar.add_task("opening", total=None)
        shown = -1

        def show(what: str, done: int, total: int) -> None:
            nonlocal shown
            # Redrawing costs more than most items; a hundred steps are enough to watch.
            step = done * 100 // total if total else -1
            if step != shown or done == total:
                shown = step
                bar.update(task, description=what, completed=done, total=total or None)
                bar.refresh()

        yield show
