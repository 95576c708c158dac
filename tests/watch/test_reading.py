"""What extends what was seen, by rules that hold for any ledger and any anchor."""

from itertools import pairwise
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from publisher import lines, rechained

from verifier.core.canon import canonical_bytes
from verifier.errors import EvidenceError
from verifier.watch.documents import ROLES, records
from verifier.watch.kinds import KINDS, STATUSES, Rule, differing, value_of
from verifier.watch.reading import Change, Document, Reading, compare, read

ANCHOR: Final[dict[str, Any]] = {
    "block_number": 7,
    "chain_id": 4663,
    "leaf_count": 1,
    "mined_at": "2026-09-14T00:00:00.000Z",
    "root": "00" * 32,
    "scheme": "arcana-anchor/v2",
    "sender": "0x" + "11" * 20,
    "status": "mined",
    "tx_hash": "0x" + "22" * 32,
}
ORDER: Final = ("signed", "broadcast", "mined", "reverted", "dropped")


def document(role: str, body: bytes, scope: str = "floor") -> Document:
    """Serve something."""
    return Document(
        role=role,
        scope=scope,
        method="GET",
        url=f"http://arena.example/{role}",
        answered=f"http://arena.example/{role}",
        status=200,
        headers=(),
        at=0,
        body=body,
    )


def ledger(points: list[int]) -> list[dict[str, Any]]:
    """Chain entries."""
    entries: list[dict[str, Any]] = [
        {"body": {"call": f"{at:064x}", "points": each}, "hash": ""}
        for at, each in enumerate(points)
    ]
    rechained(entries)
    return entries


def served(entries: list[dict[str, Any]]) -> Reading:
    """Read a ledger."""
    return read([document("ledger", lines(entries))])


def against(old: Reading, new: Reading) -> tuple[Change, ...]:
    """Compare two readings."""
    return compare(old.facts, {scope: log.leaves for scope, log in old.logs.items()}, new)


POINTS: Final = st.lists(st.integers(-9, 9), min_size=1, max_size=40)


@given(points=POINTS, data=st.data())
def test_every_beginning_is_extended(points: list[int], data: st.DataObject) -> None:
    """A ledger extends each of its beginnings, and none of its continuations."""
    size = data.draw(st.integers(0, len(points)))
    whole, part = served(ledger(points)), served(ledger(points[:size]))
    assert whole.logs["floor"].faults == ()
    assert against(part, whole) == ()
    lost = against(whole, part)
    assert [change.key for change in lost] == [f"floor/{at}" for at in range(size, len(points))]
    assert {change.what for change in lost} <= {"vanished"}


@given(points=POINTS, data=st.data())
def test_every_edit_is_found(points: list[int], data: st.DataObject) -> None:
    """An entry that changed is the first that is named, however the chain was built anew."""
    at = data.draw(st.integers(0, len(points) - 1))
    other = [*points]
    other[at] += 1
    other += data.draw(st.lists(st.integers(-9, 9), max_size=5))
    first, *_ = against(served(ledger(points)), served(ledger(other)))
    assert (first.kind, first.key, first.what) == ("floor/ledger", f"floor/{at}", "changed")


@given(points=POINTS, data=st.data())
def test_every_other_order_is_found(points: list[int], data: st.DataObject) -> None:
    """Entries that are all there and unchanged, and not in their places, are no extension."""
    entries = ledger(points)
    moved = data.draw(st.permutations(entries))
    assert bool(against(served(entries), served(moved))) == (moved != entries)


@pytest.mark.parametrize("before", ORDER)
@pytest.mark.parametrize("after", ORDER)
def test_statuses_go_forward(before: str, after: str) -> None:
    """A final status stays; the others go on, and may leave one out."""
    found = differing("arcana/anchor", {**ANCHOR, "status": before}, {**ANCHOR, "status": after})
    forward = STATUSES[before] < STATUSES[after] or before == after
    assert found == (None if forward else ("status",))


@pytest.mark.parametrize("member", sorted(ANCHOR.keys() - {"status"}))
@pytest.mark.parametrize("status", ORDER)
def test_members_of_an_anchor(member: str, status: str) -> None:
    """What identifies it never changes; where it went, only until that is final."""
    before = {**ANCHOR, "status": status}
    found = differing("arcana/anchor", before, {**before, member: None})
    open_ = member in {"block_number", "mined_at", "tx_hash"} and status in {"signed", "broadcast"}
    assert found == (None if open_ else (member,))


def test_rows_of_a_leaderboard_make_place() -> None:
    """A row may be followed by one of a later time; while it is there, it is what it was."""

    def page(*rows: tuple[str, int]) -> Reading:
        items: list[Any] = [
            {"agent_id": "a", "as_of": at, "ranked": True, "score": it} for at, it in rows
        ]
        body = canonical_bytes({"items": items, "season": {"id": "s"}})
        return read([document("api-leaderboard", body, "")])

    assert against(page(("1", 5)), page(("2", 6))) == ()
    (change,) = against(page(("1", 5)), page(("1", 6)))
    assert change.sentence() == "row of the leaderboard s/a/1 is not what it was"


@given(role=st.sampled_from(sorted(ROLES)), body=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(role: str, body: bytes) -> None:
    """A document is read, or refused by an error of ours."""
    try:
        found = list(records(role, "", body))
    except EvidenceError:
        return
    assert {kind for kind, _, _ in found} <= KINDS.keys()


JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "agent_id",
                    "body",
                    "call",
                    "entry",
                    "hour",
                    "id",
                    "items",
                    "leaves",
                    "record",
                    "rows",
                ]
            )
            | st.sampled_from(
                ["seal", "season", "seasons", "status", "ts", "version", "constants"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(role=st.sampled_from(sorted(ROLES)), value=JSON)
def test_any_json_is_read_or_refused(role: str, value: Any) -> None:
    """The same for JSON of any shape."""
    try:
        for kind, key, record in records(role, "x", canonical_bytes(value) + b"\n"):
            fact = value_of(kind, record)
            assert differing(kind, fact, fact) is None
            assert isinstance(key, str)
            assert isinstance(fact, dict) == (KINDS[kind].rule is Rule.FORWARD)
    except EvidenceError:
        pass


def test_statuses_are_in_order() -> None:
    """Each status of the list is at least as far as the one before."""
    assert set(ORDER) == STATUSES.keys()
    assert all(STATUSES[one] <= STATUSES[other] for one, other in pairwise(ORDER))
