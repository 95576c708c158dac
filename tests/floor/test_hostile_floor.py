"""``tallyproof floor`` against a hostile caller: rule sets that are none, or never end."""

from __future__ import annotations

import json
import subprocess
import sys
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pytest
from shared import FIXTURES

from formulas.errors import FormulaDomainError
from formulas.floor.primitives import parse_time
from formulas.floor.proved import decimal
from formulas.floor.rules import rules_from
from formulas.floor.standing import standing

if TYPE_CHECKING:
    from pathlib import Path

DEMO: Final = FIXTURES / "floor-demo"
RULES: Final = json.loads((DEMO / "floor/rules.json").read_bytes())


def refused(rules: Path) -> str:
    """What is said about why a season cannot be computed under a rule set."""
    done = subprocess.run(
        [sys.executable, "-m", "verifier", "floor", "season", DEMO, "--rules", rules],
        capture_output=True,
        check=False,
        cwd=FIXTURES.parent,
        encoding="utf-8",
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    return done.stderr


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (b"", ":1 (byte 0): text ends"),
        (b"\xff", ":1 (byte 0): byte 0xff"),
        (b'{"id":1e999999}', ":1 (byte 6, at /id): number '1e999999' overflows"),
        (b"[" * 100_000, ":1 (byte 64, at /0"),
    ],
)
def test_rules_that_are_no_json(tmp_path: Path, text: bytes, place: str) -> None:
    """The error names the file and the place in it."""
    rules = tmp_path / "mine.json"
    rules.write_bytes(text)
    assert refused(rules).startswith(f"tallyproof: {rules}{place}")


def test_a_half_life_of_a_second(tmp_path: Path) -> None:
    """A month has two million of them, and weights of as many bits: refused, not waited for."""
    rules = tmp_path / "mine.json"
    score = RULES["score"] | {"half_life_seconds": 1}
    rules.write_text(json.dumps(RULES | {"score": score}))
    assert "half-lives are more than 100000" in refused(rules)


def test_the_half_lives_of_all_times() -> None:
    """From the first moment to the last there are fewer of the Floor's half-lives."""
    rules, points = rules_from(RULES), [(Decimal(1), 0)]
    last = parse_time("9999-12-31T23:59:59Z")
    assert decimal(standing(points, at=last, rules=rules.score), 4) == 0
    with pytest.raises(FormulaDomainError, match="half-lives"):
        standing(points, at=2 * last, rules=rules.score)
