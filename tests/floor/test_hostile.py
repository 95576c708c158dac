"""Whatever stands in a bundle of the Floor, an audit ends in a report or in one error of ours."""

from __future__ import annotations

import json
from contextlib import contextmanager
from copy import deepcopy
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import pytest
from floor_publisher import publish
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.audit import audit_bundle
from verifier.bundle import Bundle, open_bundle, overlay
from verifier.core.canon import canonical_bytes
from verifier.errors import EvidenceError
from verifier.explain import explain
from verifier.explanation import render_json, render_text
from verifier.findings import Verdict
from verifier.floor.context import load_context
from verifier.floor.records import records_at
from verifier.policy import Policy
from verifier.report import RENDERERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FILES: Final = (
    *("floor/calls.jsonl", "floor/envelopes.jsonl", "floor/settlements.jsonl"),
    *("floor/ledger.jsonl", "floor/roots.jsonl", "raw/index.jsonl"),
    *("floor/agents.json", "floor/rules.json", "floor/seasons/season-0.json"),
)
EXTREMES: Final[tuple[Any, ...]] = (
    *(None, True, [], {}, [[]], 0, -1, 1, 0.5, 1e308, -1e308, 5e-324, 2**53 - 1),
    *("", "0", "-0.0", "9" * 100, "0." + "0" * 97 + "1", "9999-12-31T23:59:59Z"),
    *("1970-01-01T00:00:00Z", "f" * 64, "0" * 64, "hyperliquid:BTC:funding", "coinbase:ETH:price"),
    *("touch", "void", "hit", "data_gap", "unconfirmed", "settled", "\ud7ff\U0010ffff", "a\nb"),
)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundle]:
    """Publish a few calls."""
    folder = tmp_path_factory.mktemp("published")
    publish(folder, 8)
    with open_bundle(folder) as opened:
        yield opened


@contextmanager
def suppress_ours() -> Iterator[None]:
    """Let pass the one error of ours, which must name its file."""
    error = None
    try:
        yield
    except EvidenceError as raised:
        error = raised
    assert error is None or error.file


def leaves(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """List the places of all values inside a value."""
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        yield (*at, key)
        yield from leaves(inner, (*at, key))


def put(value: Any, place: tuple[str | int, ...], new: Any) -> None:
    """Put another value in a place."""
    for key in place[:-1]:
        value = value[key]
    value[place[-1]] = new


def damaged(content: bytes, name: str, data: st.DataObject) -> bytes:
    """Put extremes into a row or a document, in canonical form."""
    lines = content.split(b"\n")[:-1] if name.endswith("l") else [content]
    number = data.draw(st.integers(0, len(lines) - 1))
    value = json.loads(lines[number])
    for _ in range(data.draw(st.integers(1, 2))):
        place = data.draw(st.sampled_from(list(leaves(value))))
        put(value, place, deepcopy(data.draw(st.sampled_from(EXTREMES))))
        if not list(leaves(value)):
            break
    if name == "floor/ledger.jsonl" and isinstance(value, dict) and "hash" in value:
        # An insider hashes what he invents, so that it is read to the end.
        value["hash"] = sha256(canonical_bytes(value.get("body"))).hexdigest()
    lines[number] = canonical_bytes(value)
    return b"\n".join([*lines, b""] if name.endswith("l") else lines)


@settings(max_examples=250, deadline=None)
@given(data=st.data())
def test_extremes(bundle: Bundle, data: st.DataObject) -> None:
    """Numbers, times and texts at the edge of what their form allows, anywhere."""
    name = data.draw(st.sampled_from(FILES))
    content = damaged(bundle.read(name), name, data)
    hostile = overlay(bundle, {name: content}, relist=True)
    with suppress_ours():
        report = audit_bundle(hostile, policy=Policy(), keep="all")
        RENDERERS["json"](report)
        context = load_context(hostile, Policy())
        for call in context.tables.calls[:2]:
            story = explain(hostile, f"call {call.seal}", policy=Policy())
            render_text(story)
            render_json(story)
        if context.state.rules is not None:
            records_at(context, context.now)


LAST: Final = "9999-12-31T23:59:59Z"


def test_the_last_second(bundle: Bundle) -> None:
    """Times at the end of the calendar, beyond which there is no time to be shown."""
    changes: dict[str, Callable[[dict[str, Any]], object]] = {
        "calls": lambda row: row["terms"].update(deadline=LAST),
        "settlements": lambda row: row["attempts"][0].update(at=LAST),
        "ledger": lambda row: row["body"].update(settled_at=LAST, final_at=LAST),
        "roots": lambda row: row.update(hour=LAST),
    }
    for name, change in changes.items():
        path = f"floor/{name}.jsonl"
        lines = bundle.read(path).split(b"\n")
        row = json.loads(lines[-2])
        change(row)
        lines[-2] = canonical_bytes(row)
        hostile = overlay(bundle, {path: b"\n".join(lines)}, relist=True)
        assert audit_bundle(hostile, policy=Policy()).verdict is Verdict.FAIL
        for call in load_context(hostile, Policy()).tables.calls:
            render_text(explain(hostile, f"call {call.seal}", policy=Policy()))


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_raw_bodies(bundle: Bundle, data: st.DataObject) -> None:
    """A body of any content settles nothing, or is named in a finding."""
    rows = [json.loads(line) for line in bundle.read("raw/index.jsonl").split(b"\n")[:-1]]
    row = data.draw(st.sampled_from(rows))
    path = f"raw/{row['sha256'][:2]}/{row['sha256']}"
    body = json.loads(bundle.read(path))
    place = data.draw(st.sampled_from(list(leaves(body))[:200]))
    put(body, place, deepcopy(data.draw(st.sampled_from(EXTREMES))))
    written = json.dumps(body).encode()
    new = sha256(written).hexdigest()
    changes: dict[str, bytes | None] = {path: None, f"raw/{new[:2]}/{new}": written}
    for name in ("floor/calls.jsonl", "floor/settlements.jsonl", "raw/index.jsonl"):
        changes[name] = bundle.read(name).replace(row["sha256"].encode(), new.encode())
    report = audit_bundle(overlay(bundle, changes, relist=True), policy=Policy())
    assert report.verdict is not Verdict.PASS


@pytest.mark.parametrize("points", [1e308, -1e308, 5e-324, 1.7976931348623157e308])
def test_points_beyond_a_double(bundle: Bundle, points: float) -> None:
    """A sum of the largest numbers there are is still a sum."""
    path = "floor/ledger.jsonl"
    rows = [json.loads(line) for line in bundle.read(path).split(b"\n")[:-1]]
    for row in rows:
        row["body"]["points"] = points
        row["hash"] = sha256(canonical_bytes(row["body"])).hexdigest()
    content = b"".join(canonical_bytes(row) + b"\n" for row in rows)
    hostile = overlay(bundle, {path: content}, relist=True)
    assert audit_bundle(hostile, policy=Policy()).verdict is Verdict.FAIL
    context = load_context(hostile, Policy())
    assert records_at(context, context.now)
