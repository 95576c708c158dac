"""
A selftest as text of 80 columns, and as JSON.

The text lists every mutation under the check that it aims at: what was done,
the verdict that it turned the bundle to, and which checks caught it. Every
status is a symbol and a word; colour only repeats them. The JSON is canonical,
with one newline::

    {"format":"tallyproof-selftest/1","verdict":"caught"|"missed"|"incomplete",
     "tool":{"name","version"},"bundle":{"sha256"},"policy":{"sha256"},"unchanged":V,
     "counts":{"caught":n,"missed":n,"not applicable":n},
     "checks":[{"id","step","caught":n,"missed":n,"not applicable":n}],
     "mutations":[{"name","aims_at","what","rule":S|null,"state","verdict":V|null,
                   "caught_by":[check ids],"error":S|null}]}
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final, get_args

from verifier.core.canon import canonical_bytes
from verifier.findings import Verdict
from verifier.report.visible import visible
from verifier.report.words import plural
from verifier.selftest.run import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.jsonread import JsonValue
    from verifier.report.model import CheckCount
    from verifier.selftest.run import Selftest, Trial

__all__ = ["render_json", "render_text"]

_WIDTH: Final = 80
_NAME: Final = 24
_STATES: Final[tuple[State, ...]] = get_args(State)
_SYMBOLS: Final[dict[State, str]] = {"caught": "✓", "missed": "✗", "not applicable": "–"}  # noqa: RUF001  an en dash is meant
_COLORS: Final[dict[State, str]] = {"caught": "32", "missed": "31", "not applicable": "2"}
_WORDS: Final = {0: "caught", 1: "missed", 3: "incomplete"}


def render_json(selftest: Selftest) -> bytes:
    """Render a selftest for other programs."""
    value: JsonValue = {
        "format": "tallyproof-selftest/1",
        "verdict": _WORDS[selftest.exit_code],
        "tool": {"name": "tallyproof", "version": selftest.tool_version},
        "bundle": {"sha256": selftest.bundle_sha256},
        "policy": {"sha256": selftest.policy_sha256},
        "unchanged": selftest.unchanged.value,
        "counts": {state: selftest.count(state) for state in _STATES},
        "checks": [_check(selftest, check) for check in selftest.checks],
        "mutations": [_mutation(trial) for trial in selftest.trials],
    }
    return canonical_bytes(value) + b"\n"


def _check(selftest: Selftest, check: CheckCount) -> JsonValue:
    states = [trial.state for trial in selftest.aimed_at(check.id)]
    counts: dict[str, JsonValue] = {state: states.count(state) for state in _STATES}
    return {"id": check.id, "step": check.step, **counts}


def _mutation(trial: Trial) -> JsonValue:
    mutation, outcome = trial.mutation, trial.outcome
    return {
        "name": mutation.name,
        "aims_at": mutation.aims_at,
        "what": mutation.what,
        "rule": None if mutation.rule is None else mutation.rule.text,
        "state": trial.state,
        "verdict": None if outcome.verdict is None else outcome.verdict.value,
        "caught_by": list(outcome.reported_by),
        "error": outcome.error,
    }


def render_text(selftest: Selftest, *, color: bool = False) -> bytes:
    """Render a selftest for reading."""
    parts = [
        [
            f"tallyproof {selftest.tool_version} selftest · {visible(selftest.title)}",
            f"bundle  {selftest.bundle_sha256}",
            f"policy  {selftest.policy_sha256}",
        ]
    ]
    if selftest.unchanged is Verdict.PASS:
        parts += [list(_table(selftest, check, color=color)) for check in selftest.checks]
    parts.append(["═" * _WIDTH, *textwrap.wrap(_sentence(selftest), _WIDTH)])
    return ("\n\n".join("\n".join(part) for part in parts) + "\n").encode()


def _table(selftest: Selftest, check: CheckCount, *, color: bool) -> Iterator[str]:
    trials = selftest.aimed_at(check.id)
    caught = sum(trial.state == "caught" for trial in trials)
    tried = sum(trial.state != "not applicable" for trial in trials)
    counts = f"{caught} of {tried} caught" if tried else "nothing to damage"
    yield f"{check.id}, step {check.step}: {counts}"
    for trial in trials:
        yield from _lines(trial, color=color)


def _lines(trial: Trial, *, color: bool) -> Iterator[str]:
    mutation, outcome, state = trial.mutation, trial.outcome, trial.state
    symbol = _SYMBOLS[state]
    mark = f"\x1b[{_COLORS[state]}m{symbol}\x1b[0m" if color else symbol
    if state == "not applicable":
        result = "not applicable: nothing of the kind in this bundle"
    elif outcome.error is not None:
        result = f"missed: no verdict: {visible(outcome.error)}"
    else:
        names = ", ".join(outcome.reported_by) or "no check"
        result = f"{state}, {outcome.verdict}, by {names}"
    indent = " " * (_NAME + 5)
    first, *rest = textwrap.wrap(result, _WIDTH - len(indent), break_on_hyphens=False)
    yield f"  {mark} {mutation.name:<{_NAME}} {first}"
    yield from (f"{indent}{line}" for line in rest)
    rule = f" Judged with {mutation.rule.text}." if mutation.rule is not None else ""
    yield from (f"    {line}" for line in textwrap.wrap(mutation.what + rule, _WIDTH - 4))


def _sentence(selftest: Selftest) -> str:
    if selftest.unchanged is not Verdict.PASS:
        return (
            f"SELFTEST: INCOMPLETE — the unchanged bundle gets {selftest.unchanged} under this "
            "policy, so that no damage could turn its verdict away from pass"
        )
    caught, missed = selftest.count("caught"), selftest.count("missed")
    left = selftest.count("not applicable")
    skipped = f"; {left} not applicable to this bundle" if left else ""
    if missed:
        tried = plural(caught + missed, "mutation")
        return f"SELFTEST: MISSED — {missed} of {tried} not caught{skipped}"
    if selftest.untried:
        return (
            f"SELFTEST: INCOMPLETE — nothing to damage for {', '.join(selftest.untried)}{skipped}"
        )
    return f"SELFTEST: CAUGHT — all {caught} mutations, each by the check it aims at{skipped}"
