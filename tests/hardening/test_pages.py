"""The pages on hardening say what is: every check and test that they name exists."""

from __future__ import annotations

import re
from typing import Final

from shared import ROOT

from verifier.audit import all_checks
from verifier.collect.chain import ANCHOR_CHECKS
from verifier.proof import PROOF_CHECKS
from verifier.signed import REPORT_CHECKS

CONTENT: Final = ROOT / "site" / "content"
CHECK: Final = re.compile(r"\[([a-z]+/[a-z-]+)\]\(checks/([a-z]+/[a-z-]+)\.md\)")
TEST: Final = re.compile(r"`((?:tests|requirements|\.ci)/[\w./-]+)`")


def page(name: str) -> str:
    """The text of a page."""
    return (CONTENT / f"{name}.md").read_text("utf-8")


def test_the_threat_model_names_every_check() -> None:
    """Each check stops somebody from something, and no other is named."""
    ids = {check.id for check in (*all_checks(), *PROOF_CHECKS, *REPORT_CHECKS, *ANCHOR_CHECKS)}
    named = CHECK.findall(page("threat-model"))
    assert all(text == link for text, link in named)
    assert {text for text, _ in named} == ids


def test_every_line_of_the_threat_model_rests_on_something() -> None:
    """A claim names a check, a test, a file, or another page that does."""
    rows = re.findall(r"^\| (?!to do|---)(.+?) \| (.+) \|$", page("threat-model"), re.MULTILINE)
    assert len(rows) > 40
    for what, by in rows:
        assert CHECK.search(by) or TEST.search(by) or "](" in by or "browser" in by, what


def test_tests_that_pages_name_are_there() -> None:
    """No page names a test that was moved away."""
    for name in ("hardening", "limits", "threat-model"):
        for path in TEST.findall(page(name)):
            assert (ROOT / path).exists(), f"{name}.md names {path}"
