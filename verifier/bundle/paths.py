"""
Which paths a bundle may hold.

A path is text in UTF-8, relative, with ``/`` between its parts. Two sets of
rules apply, because a wrong path means different things in two places:

* A *member* (what is really there in the directory or archive) is refused when
  it cannot be unpacked and read safely everywhere: absolute, with an empty,
  ``.`` or ``..`` part, with a control character, not UTF-8, too long or too
  deep, or equal to another member but for case or Unicode normalisation.
* A *listed* path (what ``SHA256SUMS`` says is there) that breaks the rules is a
  false claim: a finding. A backslash is wrong here too, since it separates
  folders on some systems, and makes ``sha256sum`` switch to its escaped form.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

from verifier.errors import BundleError, LimitError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.limits import BundleLimits

__all__ = ["check_collisions", "check_member", "path_fault", "printable"]

_CONTROL: Final = frozenset(map(chr, (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)))
_EXACT_PARTS: Final = frozenset(("", ".", ".."))
# What nearly all paths look like; such a path breaks no rule but those of length.
_PLAIN: Final = re.compile(r"[0-9A-Za-z_-][0-9A-Za-z_.-]*(?:/[0-9A-Za-z_-][0-9A-Za-z_.-]*)*")


def path_fault(path: str) -> str | None:
    """Say why a listed path is not allowed, or None when it is."""
    if _PLAIN.fullmatch(path):
        return None
    if "\\" in path:
        return "the path has a backslash"
    return _fault(path)


def _fault(path: str) -> str | None:
    if not path:
        return "the path is empty"
    if path[0] == "/":
        return "the path is absolute"
    if not _EXACT_PARTS.isdisjoint(path.split("/")):
        return "the path has an empty, . or .. part"
    if not path.isprintable() and not _CONTROL.isdisjoint(path):
        return "the path has a control character"
    return None


def printable(path: str) -> str:
    """Spell a path of any content as text that is safe to show, on one line."""
    return path.encode("unicode_escape" if not path.isprintable() else "utf-8", "replace").decode()


def check_member(path: str, limits: BundleLimits) -> None:
    """
    Refuse a member of a directory or archive whose path is not safe to use.

    Args:
        path: The member's path; bytes that are not UTF-8 as lone surrogates.
        limits: Gives the greatest length and depth.

    Raises:
        BundleError: Absolute, climbing, with a control character or not UTF-8.
        LimitError: Over ``path_bytes`` or ``path_parts``.
    """
    try:
        size = len(path) if path.isascii() else len(path.encode())
    except UnicodeEncodeError:
        raise BundleError("the path is not UTF-8", file=printable(path)) from None
    if size > limits.path_bytes:
        raise LimitError(
            f"a path of {size} bytes", limit="path_bytes", file=printable(path[:80]) + "..."
        )
    fault = None if _PLAIN.fullmatch(path) else _fault(path)
    if fault is not None:
        raise BundleError(fault, file=printable(path))
    parts = path.count("/") + 1
    if parts > limits.path_parts:
        raise LimitError(f"a path of {parts} parts", limit="path_parts", file=printable(path))


def check_collisions(paths: Iterable[str]) -> None:
    """
    Refuse two members that are one on some file system.

    Compared without case and after NFC normalisation, for files and for the
    folders that hold them. One path twice, or a file where another member has
    a folder, is refused as well.

    Raises:
        BundleError: Names the second of the two, with the first in the reason.
    """
    spelling: dict[str, str] = {}
    folders: set[str] = set()

    def claim(path: str) -> None:
        key = path.casefold() if path.isascii() else _fold(path)
        if key in spelling:
            other = spelling[key]
            what = "stands here twice" if other == path else "differs only by case or normalisation"
            raise BundleError(f"{what}: {printable(other)}", file=printable(path))
        # Most paths are their own key: one object then serves as both.
        spelling[path if key == path else key] = path

    for path in paths:
        new = []
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            new.append(folder)
            folders.add(folder)
            folder = folder.rpartition("/")[0]
        for name in reversed(new):
            claim(name)
        claim(path)


def _fold(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
