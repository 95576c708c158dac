"""
Every step of the published procedure notices what it is there for.

The base is a small arena that passes. Each case of `sharpe_damages` damages it as a
publisher could, with all hashes redone, and names the verdict and the step that must
report it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import pytest
from sharpe_damages import figures, gaps, pairs, ranking, returns, seeds, settings, shape
from sharpe_damages.cases import board
from sharpe_damages.figures import one_unit_in_the_last_place
from sharpe_publisher import published, written
from small_bundle import write_tree

from verifier.bundle import Bundle, open_bundle, overlay
from verifier.errors import EvidenceError
from verifier.findings import Finding, Verdict
from verifier.policy import Policy, SharpePolicy
from verifier.sharpe.checks.catalogue import CHECKS
from verifier.sharpe.family import SHARPE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sharpe_publisher import Files

CASES: Final[list[Any]] = [
    parameters
    for module in (settings, seeds, returns, figures, ranking, pairs, gaps, shape)
    for parameters in module.CASES
]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundle]:
    """Write and open the small arena once."""
    with open_bundle(write_tree(tmp_path_factory.mktemp("a") / "b", written(published()))) as found:
        yield found


def check(bundle: Bundle, policy: Policy | None = None) -> list[Finding]:
    """All findings of the family."""
    context = SHARPE.load(bundle, policy or Policy())
    return [
        finding
        for item in SHARPE.items(context)
        for finding in SHARPE.check(context, item).findings
    ]


def verdict_of(findings: list[Finding]) -> str:
    """The verdict of a whole bundle with such findings."""
    found = {finding.verdict for finding in findings}
    worst = (Verdict.FAIL, Verdict.UNPROVEN, Verdict.PASS)
    return next(verdict for verdict in worst if verdict in found).value


def damaged(base: Bundle, damage: Callable[[Files], object]) -> Bundle:
    """The arena after a damage, its hash list redone."""
    before, after = unharmed(), published()
    damage(after)
    changes: dict[str, bytes | None] = dict.fromkeys(before.keys() - after.keys())
    different = {path: value for path, value in after.items() if before.get(path) != value}
    changes |= written(different)
    del changes["SHA256SUMS"]
    return overlay(base, changes, relist=True)


@cache
def unharmed() -> Files:
    """The arena as it is, to compare with."""
    return published()


def test_the_small_arena_passes(base: Bundle) -> None:
    """Nothing fails, nothing is unproven, and every check has something to say."""
    findings = check(base)
    assert verdict_of(findings) == "pass"
    assert {finding.check for finding in findings} == {info.id for info in CHECKS}


@pytest.mark.parametrize(("damage", "verdict", "step"), CASES)
def test_damage(base: Bundle, damage: Callable[[Files], object], verdict: str, step: int) -> None:
    """The damage gets its verdict, from its step."""
    findings = check(damaged(base, damage))
    assert verdict_of(findings) == verdict
    assert step in {finding.step for finding in findings if finding.verdict == verdict}


def test_every_step_fails_once() -> None:
    """A check that cannot fail is not a check."""
    assert {parameters.values[2] for parameters in CASES} == {info.step for info in CHECKS}


@pytest.mark.parametrize(
    "name", ["boards/new", "returns/new/mine", "gaps/new/mine-transfer", "seeds"]
)
@pytest.mark.parametrize("data", [b"", b"{", b'{"a":1,"a":2}', b"[NaN]", b"[1e999]", b"\xff"])
def test_what_does_not_parse(base: Bundle, name: str, data: bytes) -> None:
    """A text that is no JSON cannot be judged: one error, which names the file."""
    broken = overlay(base, {f"sharpe/{name}.json": data}, relist=True)
    with pytest.raises(EvidenceError, match=f"sharpe/{name}.json"):
        check(broken)


def test_deviations_are_named_and_exempt(base: Bundle) -> None:
    """What a board discloses is no failure; the finding says what is not canonical."""

    def deviate(files: Files) -> None:
        board(files)["settings"] |= {"max_weight": 0.5, "allow_short": False, "n_symbols": 8}
        board(files)["settings"] |= {"vol_clustering": 0.3, "impact_exponent": 0.5}
        board(files)["richness"] = "data_rich"
        board(files)["costs"] = {"model": "2 basis points a trade", "bps": 2}
        board(files)["scoring"]["periods_per_year"] = 365

    findings = check(damaged(base, deviate))
    assert verdict_of(findings) == "pass"
    exempt = {
        finding.message.removeprefix("not the canonical benchmark: ")
        for finding in findings
        if finding.verdict is Verdict.EXEMPT and finding.subject == "new"
    }
    assert exempt == {
        *("n_symbols", "n_days", "max_weight", "allow_short", "vol_clustering"),
        *("impact_exponent", "richness", "costs", "alpha", "n_boot", "resample_seed"),
        "periods_per_year",
    }


def test_one_unit_says_what_else_can_cause_it(base: Bundle) -> None:
    """Another C library's exp or log moves a figure by one unit in the last place."""
    findings = check(damaged(base, lambda files: one_unit_in_the_last_place(files, "mean_return")))
    (found,) = (finding for finding in findings if finding.verdict is Verdict.FAIL)
    assert "another C library's exp or log can cause" in found.message
    assert found.published is not None
    assert found.recomputed is not None


def test_a_kernel_that_the_policy_does_not_trust(base: Bundle) -> None:
    """The caller decides which kernels may make a board."""
    findings = check(base, Policy(sharpe=SharpePolicy(kernels=("0.28.0",))))
    unproven = [f for f in findings if f.verdict is Verdict.UNPROVEN]
    assert [(f.check, f.subject, f.published) for f in unproven] == [
        ("sharpe/pinned", "old", "0.5.0")
    ]


def test_notes_say_what_is_not_shown(base: Bundle) -> None:
    """The limits of an audit with their counts; lists that are not the first are named."""
    notes = SHARPE.notes(SHARPE.load(base, Policy()))
    assert notes[0].startswith("SharpeArena: 3 boards, 15 rows: 13 scored, 2 unavailable; ")
    assert "(1 sealed board)" in notes[1]
    assert "Of 2 lists, 0 are not the first" in notes[2]
    assert "60 return series" in notes[3]
    assert "(15 of 15 rows with some)" in notes[4]
    assert "off by at most 7.6e-08" in notes[5]

    def reversed_list(files: Files) -> None:
        board(files)["seeds"]["list"] = [1, 2, 3, 4]

    context = SHARPE.load(damaged(base, reversed_list), Policy())
    assert (
        "Of 2 lists, 1 is not the first seeds of a band in order (new)." in SHARPE.notes(context)[2]
    )
