"""Counting, order and verdict of reports."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.samples import CHECKS, SAMPLES, failures, finding, passes, report, unproven

from verifier.findings import Finding, Verdict, Where
from verifier.report import RENDERERS, CheckInfo, Keep, ReportBuilder, exit_code

keeps: st.SearchStrategy[Keep] = st.sampled_from(("problems", "all"))
places = st.one_of(
    st.none(),
    st.builds(
        Where,
        st.sampled_from("ab"),
        st.one_of(st.none(), st.integers(1, 2)),
        st.sampled_from([None, "", "/x"]),
    ),
)
findings = st.builds(
    finding,
    st.sampled_from([check.id for check in CHECKS]),
    st.sampled_from(Verdict),
    st.sampled_from("ab"),
    st.sampled_from("ab"),
    published=st.sampled_from([None, "", "1"]),
    recomputed=st.sampled_from([None, "", "1"]),
    where=places,
)


@pytest.mark.parametrize(
    ("verdicts", "verdict", "code"),
    [
        ([Verdict.PASS], Verdict.PASS, 0),
        ([Verdict.PASS, Verdict.EXEMPT], Verdict.PASS, 0),
        ([Verdict.PASS, Verdict.UNPROVEN], Verdict.UNPROVEN, 3),
        ([Verdict.UNPROVEN], Verdict.UNPROVEN, 3),
        ([Verdict.PASS, Verdict.UNPROVEN, Verdict.FAIL], Verdict.FAIL, 1),
        ([Verdict.FAIL, Verdict.PASS], Verdict.FAIL, 1),
        ([Verdict.EXEMPT], Verdict.UNPROVEN, 3),
        ([], Verdict.UNPROVEN, 3),
    ],
)
def test_verdict(verdicts: list[Verdict], verdict: Verdict, code: int) -> None:
    """Any fail fails, any unproven is unproven, and nothing checked is never a pass."""
    made = report(finding("floor/points", one) for one in verdicts)
    assert made.verdict is verdict
    assert exit_code(made) == code


@given(st.data(), st.lists(findings, max_size=8), keeps)
def test_order_of_arrival_does_not_matter(
    data: st.DataObject, given_findings: list[Finding], keep: Keep
) -> None:
    """The same findings in any order give the same bytes in every format."""
    shuffled = data.draw(st.permutations(given_findings))
    one, other = report(given_findings, keep=keep), report(shuffled, keep=keep)
    for render in RENDERERS.values():
        assert render(one) == render(other)


@given(st.lists(findings, max_size=12))
def test_counts(given_findings: list[Finding]) -> None:
    """Every finding is counted once, under its check and verdict."""
    made = report(given_findings)
    for check in made.checks:
        for verdict in Verdict:
            expected = [f for f in given_findings if (f.check, f.verdict) == (check.id, verdict)]
            assert check.count(verdict) == len(expected)
    assert sum(map(made.count, Verdict)) == len(given_findings)


def test_findings_follow_the_order_of_checks() -> None:
    """The position of the check comes first, then subject and message."""
    made = report(
        [
            finding("floor/points", Verdict.FAIL, "a"),
            finding("bundle/layout", Verdict.FAIL, "b", "two"),
            finding("bundle/layout", Verdict.FAIL, "b", "one"),
            finding("bundle/layout", Verdict.UNPROVEN, "a", "zero"),
        ]
    )
    assert [(f.check, f.subject, f.message) for f in made.findings] == [
        ("bundle/layout", "a", "zero"),
        ("bundle/layout", "b", "one"),
        ("bundle/layout", "b", "two"),
        ("floor/points", "a", "points recomputed"),
    ]


def test_problems_keep_what_is_not_a_pass() -> None:
    """Passes are counted and dropped, unless all findings are kept."""
    both = [*passes(), *failures(), *unproven()]
    assert Verdict.PASS not in {f.verdict for f in report(both).findings}
    assert Verdict.EXEMPT in {f.verdict for f in report(both).findings}
    assert len(report(both, keep="all").findings) == len(both)


@pytest.mark.parametrize(("check", "step"), [("floor/unknown", 6), ("floor/points", 7)])
def test_undeclared_check(check: str, step: int) -> None:
    """A finding of a check that was not declared is a bug of ours."""
    builder = ReportBuilder(CHECKS)
    stray = Finding(check=check, step=step, subject="s", verdict=Verdict.PASS, message="m")
    with pytest.raises(ValueError, match="no check"):
        builder.add(stray)


def test_repeated_check() -> None:
    """Two checks of one id cannot be told apart."""
    check = CheckInfo(id="a/b", step=1, title="t")
    with pytest.raises(ValueError, match="same id"):
        ReportBuilder([check, check])


def test_coverage_is_always_complete() -> None:
    """Inputs, sealed and anchored are there even if nobody counted them."""
    made = ReportBuilder(CHECKS).build(
        tool_version="1", policy_sha256="0", coverage={"sealed": 2, "other": 1}
    )
    assert made.coverage == {"inputs": 0, "sealed": 2, "anchored": 0, "other": 1}


def test_samples_have_their_verdicts() -> None:
    """The samples of the golden files cover every verdict."""
    assert {name: exit_code(sample) for name, sample in SAMPLES.items()} == {
        "pass": 0,
        "all": 1,
        "unproven": 3,
        "fail": 1,
        "nothing": 3,
    }
