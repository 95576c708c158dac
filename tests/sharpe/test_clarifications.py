"""Readings of the normative clarifications that a forger could lean on, one small lie each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from sharpe_publisher import published, rehash, row_of, written
from small_bundle import write_tree

from verifier.audit import audit_bundle
from verifier.bundle import Bundle, open_bundle, overlay
from verifier.errors import EvidenceError
from verifier.findings import Verdict
from verifier.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Files = dict[str, Any]
BOARDS: Final = ("new", "old", "sealed")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundle]:
    """Write and open the small arena once."""
    with open_bundle(write_tree(tmp_path_factory.mktemp("a") / "b", written(published()))) as found:
        yield found


def problems(base: Bundle, change: Callable[[Files], object]) -> set[tuple[str, str]]:
    """Audit the arena with a change: each check that reports fail or unproven."""
    files = published()
    change(files)
    rehash(files)
    changes: dict[str, bytes | None] = dict.fromkeys(base.paths)
    changes |= {path: data for path, data in written(files).items() if path != "SHA256SUMS"}
    report = audit_bundle(overlay(base, changes, relist=True), policy=Policy())
    return {
        (item.check, item.verdict.value)
        for item in report.findings
        if item.verdict in (Verdict.FAIL, Verdict.UNPROVEN)
    }


def test_the_arena_passes(base: Bundle) -> None:
    """What is changed below is sound."""
    assert problems(base, lambda _: None) == set()


def reasons(change: Callable[[list[str]], list[str]]) -> Callable[[Files], None]:
    """Write the reasons of every row in another way."""

    def damage(files: Files) -> None:
        for board in BOARDS:
            for row in files[f"sharpe/boards/{board}.json"]["rows"]:
                row["reasons"] = change(row["reasons"])

    return damage


class TestReasonsAreAList:
    """16: ``reasons`` names the gates that do not hold; eligible exactly when there is none."""

    @pytest.mark.parametrize("filler", ["none", "", "eligible"])
    def test_a_filler_is_a_reason(self, base: Bundle, filler: str) -> None:
        """An eligible row has the empty list, and no word for it."""
        found = problems(base, reasons(lambda listed: listed or [filler]))
        assert found == {("sharpe/eligibility", "fail")}

    def test_several_in_one_text(self, base: Bundle) -> None:
        """Gates are named one by one."""
        found = problems(base, reasons(lambda listed: [", ".join(listed)] if listed else []))
        assert found == {("sharpe/eligibility", "fail")}

    def test_set_aside_without_traces(self, base: Bundle) -> None:
        """30: without traces only ``process`` is set aside, from any place of the list."""

        def damage(files: Files) -> None:
            del files["sharpe/traces/new/mine.json"]
            row_of(files, "new", "mine")["reasons"] = ["pass_k, process"]

        assert problems(base, damage) == {
            ("sharpe/eligibility", "fail"),
            ("sharpe/eligibility", "unproven"),
        }


def test_no_season(base: Bundle) -> None:
    """1: ``seasons`` has no entries of this family."""

    def damage(files: Files) -> None:
        season = {"family": "sharpe", "id": "season-0", "sha256": "0" * 64}
        files["bundle.json"]["seasons"].append(season)

    assert problems(base, damage) == {("bundle/layout", "fail")}


@pytest.mark.parametrize("path", ["returns/new/nobody", "traces/new/nobody", "gaps/new/mine"])
def test_a_file_of_no_row_is_no_complete_board(base: Bundle, path: str) -> None:
    """3: reported as step 9, whatever the file holds."""
    found = problems(base, lambda files: files.update({f"sharpe/{path}.json": {}}))
    assert found == {("sharpe/complete", "fail")}


class TestEveryFileIsCanonical:
    """1, 34: all files under ``sharpe`` are canonical JSON, those that no board asks for too."""

    @pytest.mark.parametrize("path", ["notes.json", "board/new.json", "traces.json"])
    @pytest.mark.parametrize(("data", "canonical"), [(b"{}", True), (b"{}\n", False)])
    def test_a_file_besides(self, base: Bundle, path: str, data: bytes, *, canonical: bool) -> None:
        """A file that says nothing of the boards has the form of the others."""
        found = problems(base, lambda files: files.update({f"sharpe/{path}": data}))
        assert found == (set() if canonical else {("sharpe/complete", "fail")})

    def test_what_does_not_parse(self, base: Bundle) -> None:
        """It ends the audit, as everywhere."""
        with pytest.raises(EvidenceError) as caught:
            problems(base, lambda files: files.update({"sharpe/notes.json": b"notes"}))
        assert caught.value.file == "sharpe/notes.json"


@pytest.mark.parametrize("what", ["generalization", "transfer"])
def test_a_short_series_of_a_side_is_one_of_the_returns(base: Bundle, what: str) -> None:
    """12: every series has ``n_days`` bars, sides of gaps too, and step 3 says so."""

    def damage(files: Files) -> None:
        files[f"sharpe/gaps/new/mine-{what}.json"]["sides"][1]["returns"][0].pop()

    assert problems(base, damage) == {("sharpe/returns", "fail")}
