"""
From the names in an archive to the paths of a bundle.

The bundle's files stand at the top of the archive, or all of them in one folder
there, as happens when a folder is packed by its name. Either way the paths are
those of the directory that was packed.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from verifier.bundle.index import INDEX

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["arrange", "reordered"]


def arrange(names: Sequence[str]) -> tuple[str, tuple[str, ...], array[int]]:
    """
    Find the bundle among the names of an archive's files.

    Returns:
        What stands before every path in the archive (empty, or the folder with
        its slash), the paths in order, and for each the position of its name.
    """
    top = names[0].partition("/")[0] + "/" if names else ""
    if INDEX in names or not all(name.startswith(top) for name in names):
        top = ""
    order = array("Q", sorted(range(len(names)), key=names.__getitem__))
    return top, tuple(names[at][len(top) :] for at in order), order


def reordered(values: Sequence[int], order: Iterable[int]) -> array[int]:
    """Put values that belong to names in the order of the paths."""
    return array("Q", (values[at] for at in order))
