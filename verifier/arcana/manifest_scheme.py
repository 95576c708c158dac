r"""
Reading a manifest of a known scheme: the only text that is right for what it says.

Reading ends with writing what was read, and comparing all bytes: spaces, other
spellings of a number, keys twice, out of order or unknown, needless escapes,
all give other bytes. One spelling is free: Go writes bytes that are not UTF-8
as ``\ufffd``, and the character U+FFFD itself as it is, and reading cannot tell
the two apart.

The functions of the scheme are given by the caller, so that whoever reads one
scheme, such as ``arcana score``, loads no other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeVar

from verifier.arcana.gojson import escape_html
from verifier.arcana.manifest_lines import ManifestError, read_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verifier.arcana.manifest_lines import Line

__all__ = ["read_canonical"]

_M = TypeVar("_M")

_ESCAPE: Final = re.compile(r"\\(?:ufffd|.)", re.DOTALL)


def read_canonical(
    lines: Sequence[str],
    keys: Sequence[str],
    from_lines: Callable[[Sequence[Line]], _M],
    to_text: Callable[[_M], str],
) -> _M:
    """
    Read the lines of a manifest whose first one names the scheme.

    Args:
        lines: All of them, as ``split_lines`` gives them.
        keys: The keys of the scheme, in order.
        from_lines: Gives the lines after the first their meaning.
        to_text: Writes the manifest, without the escapes that Go adds for pages.

    Raises:
        ManifestError: Not a manifest of that scheme; its ``kind`` says whether
            the bytes are not of the scheme's shape, or not the canonical ones.
    """
    manifest = from_lines(read_lines(lines, keys))
    given = "\n".join(lines) + "\n"
    canonical = escape_html(to_text(manifest))
    if given != canonical and _unescaped(given) != canonical:
        raise _not_canonical(given, canonical)
    return manifest


def _unescaped(text: str) -> str:
    """Write U+FFFD as itself; an escaped backslash before ``ufffd`` is not its escape."""
    return _ESCAPE.sub(lambda found: "\ufffd" if found[0] == r"\ufffd" else found[0], text)


def _not_canonical(given: str, canonical: str) -> ManifestError:
    pairs = enumerate(zip(given, canonical, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(given), len(canonical)))
    return ManifestError(
        f"not canonical: {given[at : at + 20]!r} must be {canonical[at : at + 20]!r}",
        kind="not_canonical",
        line=given.count("\n", 0, at) + 1,
        offset=len(given[:at].encode()),
    )
