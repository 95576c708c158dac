"""
Files of the Floor of a stranger, laid over a small sound season, under every check.

The first line of an input names the file that the rest takes the place of, such as
``floor/calls.jsonl`` or ``raw/index.jsonl``, or is ``rules`` for a rule set that the season is
computed again under. What can be read is audited and explained.
"""

from atexit import register
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from floor_publisher import publish

from formulas.errors import FormulaError
from formulas.floor.rules import rules_from
from verifier.audit import audit_bundle
from verifier.bundle import open_bundle, overlay
from verifier.core.jsonread import read_json
from verifier.errors import EvidenceError, UsageError
from verifier.explain import explain
from verifier.explanation import render_text
from verifier.findings import Verdict
from verifier.floor.context import load_context
from verifier.floor.whatif import what_if
from verifier.policy import Policy
from verifier.report.text import render

POLICY: Final = Policy()
FOLDER: Final = TemporaryDirectory()
register(FOLDER.cleanup)
PLACE: Final = Path(FOLDER.name) / "bundle"
publish(PLACE, 4)
BASE: Final = open_bundle(PLACE)
CONTEXT: Final = load_context(BASE, POLICY)
SEASON: Final = CONTEXT.tables.seasons[0]
assert audit_bundle(BASE, policy=POLICY).verdict is Verdict.PASS


def one_input(data: bytes) -> None:
    """Exchange one file, or the rules."""
    first, _, content = data.partition(b"\n")
    name = first.decode(errors="replace")
    if name == "rules":
        with suppress(EvidenceError, FormulaError):
            value = read_json(content)
            if isinstance(value, dict):
                what_if(CONTEXT, SEASON, rules_from(value))
        return
    path = name if BASE.has(name) and name != "SHA256SUMS" else "floor/calls.jsonl"
    with suppress(EvidenceError):
        changed = overlay(BASE, {path: content}, relist=True)
        report = audit_bundle(changed, policy=POLICY, keep="all")
        assert report.findings
        assert not any(line.lstrip().startswith(b"::") for line in render(report).splitlines())
        for entry in range(2):
            with suppress(UsageError):
                assert render_text(explain(changed, f"entry {entry}", policy=POLICY))
