"""The demo bundle: what three honest tiers give, and what each forgery of them gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from overlays import Overlay, overlays
from shared import FIXTURES, SHARED, needs_shared

from verifier.bundle import Bundle, open_bundle, overlay
from verifier.findings import Finding, Verdict
from verifier.policy import Policy
from verifier.sharpe.context import BOARDS
from verifier.sharpe.family import SHARPE

if TYPE_CHECKING:
    from collections.abc import Iterator

DEMO: Final = FIXTURES / "sharpe-demo"


@pytest.fixture(scope="module")
def demo() -> Iterator[Bundle]:
    """Open the demo bundle once."""
    with open_bundle(DEMO) as bundle:
        yield bundle


@pytest.fixture(scope="module")
def honest(demo: Bundle) -> list[Finding]:
    """Findings of the honest bundle."""
    return findings(demo)


def findings(bundle: Bundle, boards: frozenset[str] | None = None) -> list[Finding]:
    """Check a bundle, or of its boards only those named."""
    context = SHARPE.load(bundle, Policy())
    found: list[Finding] = []
    for item in SHARPE.items(context):
        if item[0] == "board" and boards is not None and context.boards[item[1]].name not in boards:
            continue
        found += SHARPE.check(context, item).findings
    return found


def test_the_three_tiers_pass(honest: list[Finding]) -> None:
    """44 rows of seven boards, every figure, pair and gap."""
    assert {finding.verdict for finding in honest} == {Verdict.PASS, Verdict.EXEMPT}
    passed = [finding.check for finding in honest if finding.verdict is Verdict.PASS]
    assert passed.count("sharpe/figures") == passed.count("sharpe/eligibility") == 44
    assert passed.count("sharpe/order") == passed.count("sharpe/complete") == 7
    twice = next(f for f in honest if f.subject == "series held twice")
    assert not twice.message.startswith("0 ")


def boards_of(forgery: Overlay) -> frozenset[str]:
    """Boards that a forgery touches; all those with a commitment if it touches that."""
    touched = {*forgery.edits, *forgery.files, *forgery.remove}
    names = {path.split("/")[2].removesuffix(".json") for path in touched if path.count("/") > 1}
    return frozenset(names | ({"calm-sealed"} if "sharpe/seeds.json" in touched else set()))


@pytest.mark.parametrize("forgery", overlays("sharpe-demo"), ids=lambda forgery: forgery.name)
def test_forgery(demo: Bundle, forgery: Overlay) -> None:
    """Each forgery gets its verdict, at exactly the steps of an independent reading."""
    changes = forgery.changes(demo)
    assert all(path.startswith(("sharpe/", BOARDS)) for path in changes)
    # The other boards are those of the honest bundle, which pass.
    found = findings(overlay(demo, changes, relist=True), boards_of(forgery))
    worst = Verdict.FAIL if any(f.verdict is Verdict.FAIL for f in found) else Verdict.UNPROVEN
    assert worst == forgery.verdict
    reporting = {finding.step for finding in found if finding.verdict is worst}
    assert forgery.check in reporting
    assert reporting == set(forgery.steps)


@needs_shared
def test_fixture_is_the_published_bundle() -> None:
    """The copy in the fixtures is the bundle that its publisher made."""
    with (
        open_bundle(DEMO) as ours,
        open_bundle(SHARED / "reference" / "bundles" / "sharpe-demo") as theirs,
    ):
        assert ours.sha256 == theirs.sha256
