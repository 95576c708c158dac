"""
What all checks of the Floor share: the rows of a bundle, indexed once.

A context is built before the first check and never changes but for the raw
responses that it keeps. Two clocks are told apart: *as_of* is the moment that
the bundle speaks of, up to which it claims to be whole; *now* is the caller's
clock, by which entries are provisional or final.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError
from formulas.floor.primitives import HOUR_MS, parse_time
from verifier.errors import FormatError
from verifier.floor.crowd import Crowd, crowds
from verifier.floor.layout import RULES_FILE, Tables, read_tables
from verifier.floor.raw import Responses, index_by_hash
from verifier.floor.rulesets import KNOWN, known_rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from formulas.floor.rules import Rules
    from verifier.bundle import Bundle
    from verifier.floor.ledger import Entry
    from verifier.floor.rows import Agent, Call, Envelope, RawLine, SettlementRow
    from verifier.policy import Policy

__all__ = ["Context", "RulesState", "load_context"]

NONCE_LINE: Final = 3


@dataclass(frozen=True, slots=True)
class RulesState:
    """
    Which rules judge.

    Args:
        name: Id in the document; None without one.
        digest: Hash of the document's bytes.
        rules: The known rules of that id; None where nothing can be judged.
        trusted: Whether the policy lets them judge.
    """

    name: str | None
    digest: str | None
    rules: Rules | None
    trusted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """
    The rows of one bundle and the indexes over them.

    Args:
        bundle: The evidence.
        policy: What the caller trusts.
        as_of: The moment that the bundle speaks of, ms.
        now: The caller's clock, ms.
        tables: All rows.
        state: Which rules judge.
        responses: Raw responses.
        raw: Lines of the index by hash.
        agents: Agents by id.
        calls: Calls by seal.
        envelopes: Signed messages by the hash of their line.
        records: Settlements by the hash of their line.
        settlements: Settlements by call.
        entries: The first entry of each call.
        hours: Places of the entries settled in each hour, by the hour's beginning.
        crowds: Of each call, in file order; empty without rules.
        nonces: Line of the first call whose envelope has an address and a nonce.
        missealed: Line of the first call whose seal is not that of its members.
    """

    bundle: Bundle
    policy: Policy
    as_of: int
    now: int
    tables: Tables
    state: RulesState
    responses: Responses
    raw: Mapping[str, tuple[RawLine, ...]]
    agents: Mapping[str, Agent]
    calls: Mapping[str, Call]
    envelopes: Mapping[str, Envelope]
    records: Mapping[str, SettlementRow]
    settlements: Mapping[str, SettlementRow]
    entries: Mapping[str, Entry]
    hours: Mapping[int, Sequence[int]]
    crowds: tuple[Crowd, ...]
    nonces: Mapping[tuple[str, str], int]
    missealed: int | None

    @property
    def rules(self) -> Rules:
        """The rules that judge; only asked for where there are some."""
        if self.state.rules is None:
            raise FormatError("no known rule set", file=RULES_FILE)
        return self.state.rules


def load_context(bundle: Bundle, policy: Policy) -> Context:
    """
    Read and index all rows of a bundle.

    Raises:
        EvidenceError: A file cannot be read.
    """
    tables = read_tables(bundle)
    state = _rules_state(bundle, policy, tables)
    entries: dict[str, Entry] = {}
    hours: dict[int, list[int]] = {}
    for place, entry in enumerate(tables.entries):
        entries.setdefault(entry.call, entry)
        hours.setdefault(entry.settled_at // HOUR_MS * HOUR_MS, []).append(place)
    as_of = _moment(bundle.index.as_of)
    raw = index_by_hash(tables.raw)
    envelopes = {row.sha256: row for row in tables.envelopes}
    return Context(
        bundle=bundle,
        policy=policy,
        as_of=as_of,
        now=as_of if policy.as_of is None else _moment(policy.as_of),
        tables=tables,
        state=state,
        responses=Responses(bundle, raw),
        raw=raw,
        agents={agent.agent: agent for agent in tables.agents},
        calls={call.seal: call for call in tables.calls},
        envelopes=envelopes,
        records={row.sha256: row for row in tables.settlements},
        settlements={row.call: row for row in tables.settlements},
        entries=entries,
        hours=hours,
        crowds=() if state.rules is None else crowds(tables.calls, entries, state.rules.admission),
        nonces=_nonces(tables.calls, envelopes),
        missealed=next((call.line for call in tables.calls if call.seal != call.sealed), None),
    )


def _nonces(calls: Sequence[Call], envelopes: Mapping[str, Envelope]) -> dict[tuple[str, str], int]:
    """Find who used a nonce first; by call, since two calls may name one envelope."""
    found: dict[tuple[str, str], int] = {}
    for call in calls:
        envelope = envelopes.get(call.envelope)
        parts = [] if envelope is None else envelope.message.split("\n")
        if envelope is not None and len(parts) > NONCE_LINE:
            found.setdefault((envelope.address, parts[NONCE_LINE]), call.line)
    return found


def _moment(text: str) -> int:
    try:
        return parse_time(text)
    except FormulaDomainError as problem:
        raise FormatError(str(problem), file="bundle.json", pointer="/as_of") from None


def _rules_state(bundle: Bundle, policy: Policy, tables: Tables) -> RulesState:
    if tables.rules is None:
        return RulesState(None, None, None, trusted=False)
    name = tables.rules.get("id")
    if not isinstance(name, str):
        raise FormatError("must be a text", file=RULES_FILE, pointer="/id")
    return RulesState(
        name,
        bundle.digest(RULES_FILE),
        known_rules(name) if name in KNOWN else None,
        trusted=name in policy.floor.rules,
    )
