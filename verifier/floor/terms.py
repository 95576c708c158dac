"""
The terms of a call as they are sealed: members by kind, and nothing besides.

===========  =================================================================
kind         members besides ``kind``, ``deadline`` and ``p``
===========  =================================================================
touch        ``source``, ``direction`` (above, below), ``level``
close        ``source``, ``direction``, ``level``
range        ``source``, ``low``, ``high``
relative     ``source``, ``other``, ``margin``
conditional  ``gate``: touch terms without ``p``; ``inner``: other terms without ``p``
===========  =================================================================

A source is ``venue:SYMBOL:measure``. What is of another shape is no call and
is refused by its pointer; what has the shape and breaks a rule is judged by
``floor/terms`` and ``floor/admission``.

Source:
    floor.md section 2; floor-clarifications.md 19, 39.
"""

from __future__ import annotations

import re
from sys import intern
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from formulas.floor.terms import Close, Conditional, Range, Relative, Source, Touch
from verifier.core.shape import Obj, pointer_to
from verifier.errors import FormatError
from verifier.floor.fields import choice, decimal, number, time

if TYPE_CHECKING:
    from decimal import Decimal

    from formulas.floor.baseline import Direction
    from formulas.floor.terms import Inner, Terms
    from verifier.core.jsonread import JsonValue

__all__ = ["KINDS", "SealedTerms", "kind_of_terms", "read_terms", "source_of"]

KINDS: Final = ("touch", "close", "range", "relative", "conditional")
DIRECTIONS: Final = ("above", "below")
_SOURCE: Final = re.compile(r"(hyperliquid|coinbase):([A-Za-z0-9@/._-]{1,32}):(price|funding)\Z")
_MEMBERS: Final = {
    "touch": ("source", "direction", "level"),
    "close": ("source", "direction", "level"),
    "range": ("source", "low", "high"),
    "relative": ("source", "other", "margin"),
    "conditional": ("gate", "inner"),
}


class SealedTerms(NamedTuple):
    """Terms, the probability, and a conditional's own deadline (the inner's, if it is right)."""

    terms: Terms
    p: Decimal
    deadline: int


def read_terms(value: JsonValue, pointer: str) -> SealedTerms:
    """
    Read the terms of a call.

    Raises:
        FormatError: An unknown kind, a member missing, unknown or malformed.
    """
    kind = _kind(value, pointer)
    obj = Obj(value, ("kind", "deadline", "p", *_MEMBERS[kind]), pointer=pointer)
    return SealedTerms(_terms(obj, kind), number(obj, "p"), time(obj, "deadline"))


def kind_of_terms(terms: Terms) -> str:
    """Name the kind of terms as they are sealed."""
    return type(terms).__name__.lower()


def _kind(value: JsonValue, pointer: str) -> str:
    return choice(Obj(value, ("kind",), pointer=pointer, open_ended=True), "kind", KINDS)


def _terms(obj: Obj, kind: str) -> Terms:
    if kind != "conditional":
        return _inner(obj, kind)
    gate, inner = _part(obj, "gate"), _part(obj, "inner")
    if not isinstance(gate, Touch):
        raise FormatError("must be a touch", pointer=f"{obj.pointer}/gate/kind")
    return Conditional(gate, inner)


def _part(obj: Obj, key: str) -> Inner:
    pointer = pointer_to(obj.pointer, key)
    value = obj.value[key]
    kind = _kind(value, pointer)
    if kind == "conditional":
        raise FormatError("must be no conditional", pointer=f"{pointer}/kind")
    return _inner(Obj(value, ("kind", "deadline", *_MEMBERS[kind]), pointer=pointer), kind)


def _inner(obj: Obj, kind: str) -> Inner:
    source, deadline = _source(obj, "source"), time(obj, "deadline")
    if kind == "range":
        return Range(source, decimal(obj, "low"), decimal(obj, "high"), deadline)
    if kind == "relative":
        return Relative(source, _source(obj, "other"), decimal(obj, "margin"), deadline)
    direction = cast("Direction", choice(obj, "direction", DIRECTIONS))
    made = Touch if kind == "touch" else Close
    return made(source, direction, decimal(obj, "level"), deadline)


_sources: dict[str, Source] = {}
_MOST_SOURCES: Final = 1_024


def _source(obj: Obj, key: str) -> Source:
    return source_of(obj.text(key), pointer_to(obj.pointer, key))


def source_of(text: str, pointer: str) -> Source:
    """
    Read ``venue:SYMBOL:measure``; equal texts give one object.

    Raises:
        FormatError: It is of another form.
    """
    known = _sources.get(text)
    if known is not None:
        return known
    match = _SOURCE.match(text)
    if match is None:
        raise FormatError(f"must be venue:SYMBOL:measure, is {text[:60]!r}", pointer=pointer)
    made = Source(*(intern(part) for part in match.groups()))  # type: ignore[arg-type]
    if len(_sources) < _MOST_SOURCES:
        _sources[text] = made
    return made
