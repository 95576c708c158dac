"""
Small changes to the demo season, and which steps of an audit then speak.

A change is a row file with some members set, the last score sealed anew, or
another answer of the chain; it is laid over the demo in memory.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from shared import FIXTURES

from verifier.audit import audit_bundle
from verifier.bundle import Bundle, overlay
from verifier.core.canon import canonical_bytes
from verifier.findings import Verdict
from verifier.policy import Policy, load_policy

if TYPE_CHECKING:
    from collections.abc import Callable

Row: TypeAlias = dict[str, Any]
Rows: TypeAlias = list[Row]
Changes: TypeAlias = dict[str, bytes | None]
Steps: TypeAlias = dict[int, str]

POLICY: Final = load_policy(FIXTURES / "policy.toml")
FAIL: Final = "fail"
UNPROVEN: Final = "unproven"

# The season's last score: no other record rests on it, and anchor 163 holds nothing else.
SCORE: Final = "eb51208e1b265c19480d4d49083638344ac5665cbd63b2deca762b4338f66c73"
AGENT: Final = "c62e4537-fc3a-4cd7-9b4f-c6d28d938422"
STRANGER: Final = "0x" + "1" * 40


@cache
def text_of(path: str) -> bytes:
    """Read a file of the demo."""
    return (FIXTURES / "arcana-demo" / path).read_bytes()


def rows(name: str) -> Rows:
    """Read a row file of the demo, free to be changed."""
    return [json.loads(line) for line in text_of(f"arcana/{name}.jsonl").splitlines()]


def put(name: str, value: Rows) -> Changes:
    """Write a row file."""
    return {f"arcana/{name}.jsonl": b"".join(canonical_bytes(row) + b"\n" for row in value)}


def edit(name: str, change: Callable[[Rows], object]) -> Changes:
    """Change a row file of the demo."""
    value = rows(name)
    change(value)
    return put(name, value)


def manifest_path(seal: str) -> str:
    """Name the file of a manifest."""
    return f"arcana/manifests/{seal[:2]}/{seal}.txt"


def resealed(
    change: Callable[[str], str] = str, column: Callable[[Row], object] | None = None
) -> Changes:
    """Change the last score's manifest or row; sealed anew, it still waits for its anchor."""
    body = change(text_of(manifest_path(SCORE)).decode()).encode()
    seal = sha256(body).hexdigest()
    scores, reputations = rows("scores"), rows("reputations")
    for row in scores:
        if row["seal"] == SCORE:
            row["seal"] = seal
            if column is not None:
                column(row)
    for agent in (agent for row in reputations for agent in row["agents"]):
        if agent["seal"] == SCORE:
            agent |= {"seal": seal, "anchored": False}
    return {
        **put("scores", scores),
        **put("reputations", reputations),
        **edit("anchors", lambda anchors: anchors.pop()),
        manifest_path(SCORE): None,
        manifest_path(seal): body,
    }


def chain(change: Callable[[Row], object], *, anchor: Row | None = None) -> Changes:
    """Change the chain record of an anchor, the last one if none is given."""
    path = f"arcana/chain/{(anchor or rows('anchors')[-1])['tx_hash']}.json"
    record = json.loads(text_of(path))
    change(record)
    return {path: canonical_bytes(record)}


def with_block() -> Row:
    """Find a mined anchor whose chain record holds its block."""
    for anchor in rows("anchors"):
        record = json.loads(text_of(f"arcana/chain/{anchor['tx_hash']}.json"))
        if record["block"] is not None and anchor["status"] == "mined":
            return anchor
    raise AssertionError("no anchor of the demo has a block")


def trust(**arcana: Any) -> Policy:
    """Trust something else."""
    return replace(POLICY, arcana=replace(POLICY.arcana, **arcana))


def judge(demo: Bundle, changes: Changes, policy: Policy = POLICY) -> Steps:
    """Audit the changed demo: the worse of fail and unproven for each step that reports either."""
    report = audit_bundle(overlay(demo, changes, relist=True), policy=policy)
    steps: Steps = {}
    for finding in report.findings:
        if finding.verdict is Verdict.FAIL or (
            finding.verdict is Verdict.UNPROVEN and finding.step not in steps
        ):
            steps[finding.step] = str(finding.verdict)
    return steps


def agent_rows(value: Rows, agent_id: str = AGENT) -> Rows:
    """Choose an agent's rows."""
    return [row for row in value if row["agent_id"] == agent_id]


def set_members(**members: Any) -> Callable[[Row], object]:
    """Set members of one row."""
    return lambda row: row.update(members)


def output(performance: str) -> Callable[[str], str]:
    """State another performance among the outputs."""
    return lambda text: re.sub(r'"performance":[\d.]+', f'"performance":{performance}', text)


def set_first(**members: Any) -> Callable[[Rows], object]:
    """Set members of the first row."""
    return lambda value: value[0].update(members)


def set_last(**members: Any) -> Callable[[Rows], object]:
    """Set members of the last row."""
    return lambda value: value[-1].update(members)


def set_agent(**members: Any) -> Callable[[Rows], object]:
    """Set members of the last score's agent."""
    return lambda value: agent_rows(value)[0].update(members)


def turn(value: Rows) -> None:
    """Exchange the first two rows."""
    value[0], value[1] = value[1], value[0]


def bundle_json(**members: Any) -> bytes:
    """Write the index with other members."""
    return canonical_bytes({**json.loads(text_of("bundle.json")), **members})
