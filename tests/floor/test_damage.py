"""Damage to small honest bundles: no changed byte goes unseen, no bad row without its name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from floor_publisher import publish
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.audit import audit_bundle
from verifier.bundle import Bundle, open_bundle, overlay
from verifier.core.canon import canonical_bytes
from verifier.errors import EvidenceError
from verifier.findings import Verdict
from verifier.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verifier.report.model import Report

CALLS: Final = 8
Row = dict[str, Any]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundle]:
    """Publish a few calls."""
    folder = tmp_path_factory.mktemp("published")
    publish(folder, CALLS)
    with open_bundle(folder) as opened:
        yield opened


def audited(bundle: Bundle, path: str, content: bytes) -> Report:
    """Audit a bundle with one file changed and the hash list written anew."""
    return audit_bundle(overlay(bundle, {path: content}, relist=True), policy=Policy())


def failing(report: Report) -> set[str]:
    """Name the checks that fail."""
    return {item.check for item in report.findings if item.verdict is Verdict.FAIL}


def test_the_published_bundle_passes(bundle: Bundle) -> None:
    """What the damage below is done to is sound."""
    assert audit_bundle(bundle, policy=Policy()).verdict is Verdict.PASS


def assert_caught(bundle: Bundle, path: str, content: bytes) -> None:
    """Demand a verdict that is no pass, or an error that names file and line."""
    error = None
    try:
        report = audited(bundle, path, content)
    except EvidenceError as raised:
        error = raised
    if error is None:
        assert report.verdict is not Verdict.PASS
    else:
        assert error.file == path
        assert error.line is not None


class TestAnySingleByteChangeIsCaught:
    """Any single-byte change in ledger or calls is caught."""

    @pytest.mark.parametrize("name", ["ledger", "calls", "settlements", "envelopes", "roots"])
    @settings(max_examples=30, deadline=None)
    @given(data=st.data())
    def test_changed(self, bundle: Bundle, name: str, data: st.DataObject) -> None:
        """A byte that becomes another is never part of a pass."""
        path = f"floor/{name}.jsonl"
        content = bytearray(bundle.read(path))
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] ^= data.draw(st.integers(1, 255))
        assert_caught(bundle, path, bytes(content))

    @settings(max_examples=30, deadline=None)
    @given(data=st.data())
    def test_cut_off(self, bundle: Bundle, data: st.DataObject) -> None:
        """A file that ends in the middle is refused, or its missing rows are seen."""
        path = f"floor/{data.draw(st.sampled_from(['ledger', 'calls', 'settlements']))}.jsonl"
        content = bundle.read(path)
        end = data.draw(st.integers(1, len(content) - 1))
        assert_caught(bundle, path, content[:end])


def changed(bundle: Bundle, path: str, line: int, change: Callable[[Row], object]) -> bytes:
    """Change one row of a file of lines."""
    lines = bundle.read(path).split(b"\n")
    row = json.loads(lines[line - 1])
    change(row)
    lines[line - 1] = canonical_bytes(row)
    return b"\n".join(lines)


def touch(bundle: Bundle) -> int:
    """Find the line of a touch call."""
    for number, text in bundle.lines("floor/calls.jsonl"):
        if json.loads(text)["terms"]["kind"] == "touch":
            return number
    raise AssertionError


REFUSED: Final[dict[str, tuple[str, Callable[[Row], object], str]]] = {
    "unknown-kind": ("calls", lambda row: row["terms"].update(kind="maybe"), "/terms/kind"),
    "level-with-exponent": ("calls", lambda row: row["terms"].update(level="1e5"), "/terms/level"),
    "level-number": ("calls", lambda row: row["terms"].update(level=5), "/terms/level"),
    "level-sign": ("calls", lambda row: row["terms"].update(level="+5"), "/terms/level"),
    "time-with-offset": (
        "calls",
        lambda row: row["terms"].update(deadline="2026-11-03T09:00:00+00:00"),
        "/terms/deadline",
    ),
    "time-with-fraction": (
        "calls",
        lambda row: row.update(posted_at="2026-11-03T01:00:05.0Z"),
        "/posted_at",
    ),
    "no-such-day": (
        "calls",
        lambda row: row.update(posted_at="2026-02-30T01:00:05Z"),
        "/posted_at",
    ),
    "source-venue": (
        "calls",
        lambda row: row["terms"].update(source="binance:BTC:price"),
        "/terms/source",
    ),
    "terms-more": ("calls", lambda row: row["terms"].update(margin="0"), "/terms/margin"),
    "terms-less": ("calls", lambda row: row["terms"].pop("level"), "/terms"),
    "label-number": ("calls", lambda row: row.update(labels=[1]), "/labels/0"),
    "call-more": ("calls", lambda row: row.update(extra=1), "/extra"),
    "seal-upper": ("calls", lambda row: row.update(seal="A" * 64), "/seal"),
    "entry-more": ("ledger", lambda row: row["body"].update(extra=1), "/body/extra"),
    "entry-outside": ("ledger", lambda row: row.update(extra=1), "/extra"),
    "entry-outcome": ("ledger", lambda row: row["body"].update(outcome="won"), "/body/outcome"),
    "entry-number": ("ledger", lambda row: row["body"].update(entry=-1), "/body/entry"),
    "entry-time": (
        "ledger",
        lambda row: row["body"].update(settled_at="2026-11-03T24:00:00Z"),
        "/body/settled_at",
    ),
    "attempt-result": (
        "settlements",
        lambda row: row["attempts"][0].update(result="fine"),
        "/attempts/0/result",
    ),
    "no-attempt": ("settlements", lambda row: row.update(attempts=[]), "/attempts"),
    "root-short": ("roots", lambda row: row.update(root="00"), "/root"),
    "address-upper": ("envelopes", lambda row: row.update(address="0X" + "0" * 40), "/address"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_row_of_another_shape_is_refused_by_name(bundle: Bundle, name: str) -> None:
    """The error names the file, the line and the member."""
    table, change, pointer = REFUSED[name]
    path = f"floor/{table}.jsonl"
    line = touch(bundle) if table == "calls" else 1
    with pytest.raises(EvidenceError) as caught:
        audited(bundle, path, changed(bundle, path, line, change))
    assert (caught.value.file, caught.value.line, caught.value.pointer) == (path, line, pointer)
    assert str(caught.value).startswith(f"{path}:{line}")


FAILS: Final[dict[str, tuple[str, Callable[[Row], object], set[str]]]] = {
    "p-of-seven-decimals": (
        "calls",
        lambda row: row["terms"].update(p=0.6000001),
        {"floor/terms", "floor/seal", "floor/envelope", "floor/points"},
    ),
    "claim-edited": ("calls", lambda row: row.update(claim="other words"), {"floor/envelope"}),
    "label-added": (
        "calls",
        lambda row: row.update(labels=[*row["labels"], "baseline-hugging"]),
        {"floor/admission"},
    ),
    "note-with-instruction": (
        "calls",
        lambda row: row.update(note="go LONG now"),
        {"floor/admission", "floor/envelope"},
    ),
    "evidence-descends": (
        "calls",
        lambda row: row["evidence"].update(spot=["f" * 64, *row["evidence"]["spot"]]),
        {"floor/layout"},
    ),
    "points-in-the-ledger": (
        "ledger",
        lambda row: row["body"].update(points=1.5),
        {"floor/ledger", "floor/points", "floor/standing"},
    ),
    "kind-of-entry": ("ledger", lambda row: row["body"].update(kind="amend"), {"floor/ledger"}),
    "final-at": (
        "ledger",
        lambda row: row["body"].update(final_at=row["body"]["settled_at"]),
        {"floor/ledger", "floor/finality"},
    ),
    "root": ("roots", lambda row: row.update(root="0" * 64), {"floor/roots"}),
    "root-entries": ("roots", lambda row: row.update(entries=9), {"floor/roots"}),
}


@pytest.mark.parametrize("name", FAILS)
def test_a_false_row_fails_where_it_is_false(bundle: Bundle, name: str) -> None:
    """Each lie that nobody tied up fails at the checks that it touches."""
    table, change, expected = FAILS[name]
    path = f"floor/{table}.jsonl"
    line = touch(bundle) if table == "calls" else 1
    report = audited(bundle, path, changed(bundle, path, line, change))
    assert failing(report) >= expected - {"floor/standing"}
    assert failing(report) <= expected | {"floor/standing"}


def test_a_missing_envelope_is_unproven(bundle: Bundle) -> None:
    """Whoever lost a signature has not forged one."""
    lines = bundle.read("floor/envelopes.jsonl").split(b"\n")
    report = audited(bundle, "floor/envelopes.jsonl", b"\n".join(lines[1:]))
    assert report.verdict is Verdict.UNPROVEN
    assert {item.check for item in report.findings if item.verdict is Verdict.UNPROVEN} == {
        "floor/envelope"
    }


def test_rows_out_of_order(bundle: Bundle) -> None:
    """Disorder hides omission, so the order is part of the format."""
    for name, expected in (
        ("calls", {"floor/layout"}),
        ("envelopes", {"floor/layout"}),
        ("settlements", {"floor/layout"}),
        ("roots", {"floor/layout", "floor/roots"}),
    ):
        path = f"floor/{name}.jsonl"
        one, two, *rest = bundle.read(path).split(b"\n")
        assert failing(audited(bundle, path, b"\n".join((two, one, *rest)))) >= expected
