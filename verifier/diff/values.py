"""
Differences between two JSON values, member by member.

Numbers are compared by value, since JSON has one kind of number; nothing else
is converted. Lists are compared by position, after what they share at both
ends was set aside, unless the caller says what identifies their items.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.core.canon import canonical_bytes
from verifier.core.shape import kind_of, pointer_to
from verifier.diff.model import Kind
from verifier.errors import JsonError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.core.jsonread import JsonValue

__all__ = ["Change", "Items", "compare", "json_text", "same"]


@dataclass(frozen=True, slots=True)
class Items:
    """
    How the items of a list are told apart.

    Args:
        identity: Members that together name an item.
        ordered: Whether the order of the items means something.
    """

    identity: tuple[str, ...]
    ordered: bool = True


@dataclass(frozen=True, slots=True)
class Change:
    """
    One difference between two values.

    Args:
        kind: What happened.
        member: Path to it, where list items are named by their identity.
        pointer: RFC 6901 pointer to it in the new value, or in the old one if
            it was removed.
        before: The old value; meaningless if added.
        after: The new value; meaningless if removed.
    """

    kind: Kind
    member: str
    pointer: str
    before: JsonValue
    after: JsonValue

    @property
    def top(self) -> str:
        """Name of the outermost member that the change is in."""
        name = self.pointer.split("/")[1] if self.pointer else ""
        return name.replace("~1", "/").replace("~0", "~")


def same(one: JsonValue, other: JsonValue) -> bool:
    """
    Tell whether two values mean the same.

    >>> same([1, "a"], [1.0, "a"]), same(True, 1)
    (True, False)
    """
    if kind_of(one) != kind_of(other):
        return False
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return one == other


def compare(
    before: JsonValue, after: JsonValue, lists: Mapping[str, Items] | None = None
) -> Iterator[Change]:
    """
    List the differences, none for values that mean the same.

    Args:
        before: The old value.
        after: The new value.
        lists: How to tell items apart, by the name of the member that holds the list.

    >>> [(c.pointer, c.before, c.after) for c in compare({"a": [1, 2]}, {"a": [1, 3]})]
    [('/a/1', 2, 3)]
    """
    return _walk(before, after, ("", ""), lists or {})


def json_text(value: JsonValue) -> str:
    """Write a value as canonical JSON, or as plain JSON where it holds 64-bit integers."""
    try:
        return canonical_bytes(value).decode()
    except JsonError:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


_Place = tuple[str, str]
"""Path with named items, and pointer."""


def _walk(
    before: JsonValue, after: JsonValue, at: _Place, lists: Mapping[str, Items]
) -> Iterator[Change]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            here = _inside(at, key, key)
            if key not in after:
                yield Change(Kind.REMOVED, *here, before[key], None)
            elif key not in before:
                yield Change(Kind.ADDED, *here, None, after[key])
            else:
                yield from _walk(before[key], after[key], here, lists)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _lists(before, after, at, lists)
    elif not same(before, after):
        yield Change(Kind.CHANGED, *at, before, after)


def _lists(
    before: list[JsonValue], after: list[JsonValue], at: _Place, lists: Mapping[str, Items]
) -> Iterator[Change]:
    items = lists.get(at[1].rpartition("/")[2])
    old, new = _named(before, items), _named(after, items)
    if items is None or old is None or new is None or (items.ordered and not _in_order(old, new)):
        yield from _by_position(before, after, at, lists)
        return
    for name, index in old.items():
        if name not in new:
            yield Change(Kind.REMOVED, *_inside(at, name, index), before[index], None)
    for name, index in new.items():
        here = _inside(at, name, index)
        if name in old:
            yield from _walk(before[old[name]], after[index], here, lists)
        else:
            yield Change(Kind.ADDED, *here, None, after[index])


def _inside(at: _Place, name: str, key: str | int) -> _Place:
    return pointer_to(at[0], name), pointer_to(at[1], key)


def _named(values: Sequence[JsonValue], items: Items | None) -> dict[str, int] | None:
    """Give the position of each item by its name, or None if the names do not tell them apart."""
    if items is None:
        return None
    found: dict[str, int] = {}
    for index, value in enumerate(values):
        if not isinstance(value, dict):
            return None
        parts = [value.get(key) for key in items.identity]
        name = " ".join(part if isinstance(part, str) else json_text(part) for part in parts)
        if found.setdefault(name, index) != index:
            return None
    return found


def _in_order(old: Mapping[str, int], new: Mapping[str, int]) -> bool:
    return [name for name in old if name in new] == [name for name in new if name in old]


def _by_position(
    before: list[JsonValue], after: list[JsonValue], at: _Place, lists: Mapping[str, Items]
) -> Iterator[Change]:
    shorter = min(len(before), len(after))
    head = next((i for i in range(shorter) if not same(before[i], after[i])), shorter)
    tail = 0
    while tail < shorter - head and same(before[-1 - tail], after[-1 - tail]):
        tail += 1
    old, new = range(head, len(before) - tail), range(head, len(after) - tail)
    paired = min(len(old), len(new))
    for index in range(head, head + paired):
        here = _inside(at, str(index), index)
        yield from _walk(before[index], after[index], here, lists)
    for index in old[paired:]:
        yield Change(Kind.REMOVED, *_inside(at, str(index), index), before[index], None)
    for index in new[paired:]:
        yield Change(Kind.ADDED, *_inside(at, str(index), index), None, after[index])
