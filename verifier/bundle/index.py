"""
``bundle.json``: what a bundle says it is.

Canonical JSON without a newline at the end, with exactly these members::

    {"arena":"...","as_of":"2026-09-20T03:30:00Z","families":["arcana"],
     "format":"evidence-bundle/1","seasons":[{"family":"floor","id":"season-1",
     "sha256":"<64 hex>"}],"title":"..."}

``as_of`` is the moment of which the bundle speaks: without it an audit has no
clock, so a malformed one is an error. ``families`` names the kinds of evidence.
Each has its folder (``floor`` has ``raw`` too), and a family that is listed must
be there, one that is there must be listed. ``seasons`` are the frozen seasons.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from verifier.bundle.sums import LayoutProblem
from verifier.core.canon import canonical_bytes
from verifier.core.diagnose import with_guess
from verifier.core.jsonread import read_json
from verifier.core.shape import Obj
from verifier.errors import EvidenceError, FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = [
    "FAMILIES",
    "FORMAT",
    "INDEX",
    "BundleIndex",
    "SeasonEntry",
    "family_problems",
    "read_index",
]

INDEX: Final = "bundle.json"
FORMAT: Final = "evidence-bundle/1"
FAMILIES: Final = {"arcana": "arcana", "floor": "floor", "raw": "floor", "sharpe": "sharpe"}
"""The top folders of a bundle, each with the family that it belongs to."""
_WITHOUT_SEASONS: Final = frozenset({"arcana", "sharpe"})

_UTC: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class SeasonEntry:
    """
    A frozen season that the bundle contains.

    Args:
        family: Family that the season belongs to.
        id: The season's own id.
        sha256: Digest of its file, in lower-case hex.
    """

    family: str
    id: str
    sha256: str


@dataclass(frozen=True, slots=True)
class BundleIndex:
    """
    The content of ``bundle.json``.

    Args:
        arena: Name of the arena.
        as_of: The moment the bundle speaks of, ``YYYY-MM-DDTHH:MM:SSZ``.
        families: Families of evidence, as listed.
        seasons: Frozen seasons, as listed.
        title: Title for readers.
    """

    arena: str
    as_of: str
    families: tuple[str, ...]
    seasons: tuple[SeasonEntry, ...]
    title: str


def family_problems(index: BundleIndex, paths: Sequence[str]) -> Iterator[LayoutProblem]:
    """
    Compare the listed families with the folders that are there.

    Args:
        index: The bundle's index.
        paths: All files of the bundle, sorted.
    """
    there = {folder: _has_folder(folder, paths) for folder in FAMILIES}
    for family in dict.fromkeys(index.families):
        # The floor's evidence may lie in raw/ as well, its claims cannot.
        if not there.get(family, True):
            yield LayoutProblem(INDEX, "a listed family is not there", None, family, "no folder")
    for folder, family in FAMILIES.items():
        if there[folder] and family not in index.families:
            reason = f"the folder {folder}/ is there, its family is not listed"
            yield LayoutProblem(INDEX, reason, None, ", ".join(index.families), family)


def _has_folder(folder: str, paths: Sequence[str]) -> bool:
    prefix = f"{folder}/"
    at = bisect_left(paths, prefix)
    return at < len(paths) and paths[at].startswith(prefix)


def read_index(data: bytes) -> tuple[BundleIndex, tuple[LayoutProblem, ...]]:
    """
    Read ``bundle.json``.

    Returns:
        The index, and what is wrong with it though it can be read.

    Raises:
        JsonError: Not strict JSON.
        FormatError: Not exactly the members above, or one of the wrong type.
    """
    try:
        value = read_json(data)
        members = Obj(value, ("arena", "as_of", "families", "format", "seasons", "title"))
        index = _index(members)
        canonical = canonical_bytes(value)
    except EvidenceError as error:
        raise error.in_file(INDEX) from None
    problems = list(_contradictions(index))
    if canonical != data:
        problems.insert(
            0,
            LayoutProblem(
                INDEX,
                with_guess("not canonical JSON", value, data),
                None,
                *_first(data, canonical),
            ),
        )
    return index, tuple(problems)


def _index(members: Obj) -> BundleIndex:
    form = members.text("format")
    if form != FORMAT:
        raise FormatError(f"unknown format {form[:80]!r}, known is {FORMAT!r}", pointer="/format")
    families = []
    for pointer, family in members.items("families"):
        if not isinstance(family, str):
            raise FormatError("must be a text", pointer=pointer)
        families.append(family)
    return BundleIndex(
        arena=members.text("arena"),
        as_of=_time(members.text("as_of")),
        families=tuple(families),
        seasons=tuple(
            _season(Obj(item, ("family", "id", "sha256"), pointer=pointer))
            for pointer, item in members.items("seasons")
        ),
        title=members.text("title"),
    )


def _season(members: Obj) -> SeasonEntry:
    digest = members.text("sha256")
    if not _DIGEST.fullmatch(digest):
        raise FormatError("must be a sha256 in lower-case hex", pointer=f"{members.pointer}/sha256")
    return SeasonEntry(members.text("family"), members.text("id"), digest)


def _time(text: str) -> str:
    try:
        valid = _UTC.fullmatch(text) is not None and bool(datetime.fromisoformat(text))
    except ValueError:
        valid = False
    if not valid:
        raise FormatError(
            "must be a time YYYY-MM-DDTHH:MM:SSZ, the audit has no other clock", pointer="/as_of"
        )
    return text


def _contradictions(index: BundleIndex) -> Iterator[LayoutProblem]:
    known = set(FAMILIES.values())
    for at, family in enumerate(index.families):
        if family in index.families[:at]:
            yield LayoutProblem(INDEX, "a family is listed twice", None, family, "once")
        elif family not in known:
            reason = "a family that this release does not know"
            yield LayoutProblem(INDEX, reason, None, family, ", ".join(sorted(known)))
    seen = set()
    for season in index.seasons:
        name = f"{season.family} {season.id}"
        if name in seen:
            yield LayoutProblem(INDEX, "a season is listed twice", None, name, "once")
        elif season.family in _WITHOUT_SEASONS:
            reason = f"{season.family} publishes no frozen seasons"
            yield LayoutProblem(INDEX, reason, None, name, "no season")
        elif season.family not in index.families:
            reason = "a season of a family that is not listed"
            yield LayoutProblem(INDEX, reason, None, name, ", ".join(index.families))
        seen.add(name)


def _first(published: bytes, canonical: bytes) -> tuple[str, str]:
    """Show the first place where two texts differ, with a few bytes before and after."""
    same = 0
    for one, other in zip(published, canonical, strict=False):
        if one != other:
            break
        same += 1
    start = max(same - 12, 0)
    return tuple(  # type: ignore[return-value]  # two items
        f"byte {same}: {text[start : same + 20]!r}" for text in (published, canonical)
    )
