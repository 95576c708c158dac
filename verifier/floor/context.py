"""
What all checks of the Floor share: the rows of a bundle, indexed once.

A context is built before the first check and never changes but for the raw
responses and the roots that it keeps. Two clocks are told apart: *as_of* is the moment that
the bundle speaks of, up to which it claims to be whole; *now* is the caller's
clock, by which entries are provisional or final.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError
from formulas.floor.primitives import HOUR_MS, parse_time
from verifier.errors import FormatError
from verifier.floor.columns import NO_NONCE
from verifier.floor.crowd import Crowds, crowds
from verifier.floor.digests import DigestIndex, Digests
from verifier.floor.layout import RULES_FILE, AllColumns, Tables, read_tables
from verifier.floor.lines import Keyed
from verifier.floor.raw import Responses, index_by_hash
from verifier.floor.rulesets import KNOWN, known_rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from formulas.floor.rules import Rules
    from verifier.bundle import Bundle
    from verifier.family import Engine
    from verifier.floor.ledger import Entry
    from verifier.floor.rows import Agent, Call, Envelope, RawLine, SettlementRow
    from verifier.policy import Policy

__all__ = ["NOWHERE", "Context", "RulesState", "load_context"]

NOWHERE: Final = -1
"""The place of what is not there."""


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
        closing: Of each call in file order the place of its first entry; -1 without one.
        settling: Of each call in file order the place of a settlement of it; -1 without one.
        strays: Places of the settlements that no call is listed with.
        hours: Places of the entries settled in each hour, by the hour's beginning.
        crowds: Of each call, in file order; none without rules.
        nonces: Line of the first call that used an address with a nonce, where several did.
        missealed: Line of the first call whose seal is not that of its members.
        roots: Roots of hours that were computed, since a publisher can repeat an hour.
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
    calls: Keyed[Call]
    envelopes: Keyed[Envelope]
    records: Keyed[SettlementRow]
    settlements: Keyed[SettlementRow]
    entries: Keyed[Entry]
    closing: Sequence[int]
    settling: Sequence[int]
    strays: Sequence[int]
    hours: Mapping[int, Sequence[int]]
    crowds: Crowds
    nonces: Mapping[bytes, int]
    missealed: int | None
    roots: dict[int, bytes] = field(default_factory=dict, init=False)

    @property
    def columns(self) -> AllColumns:
        """The columns of the long files."""
        return self.tables.columns

    @property
    def rules(self) -> Rules:
        """The rules that judge; only asked for where there are some."""
        if self.state.rules is None:
            raise FormatError("no known rule set", file=RULES_FILE)
        return self.state.rules


def load_context(bundle: Bundle, policy: Policy, engine: Engine | None = None) -> Context:
    """
    Read and index all rows of a bundle.

    Args:
        bundle: The evidence.
        policy: What the caller trusts.
        engine: Reads long files in parts; None for this process.

    Raises:
        EvidenceError: A file cannot be read.
    """
    tables = read_tables(bundle, engine)
    columns, indexes = tables.columns, tables.indexes
    state = _rules_state(bundle, policy, tables)
    as_of = _moment(bundle.index.as_of)
    raw = index_by_hash(tables.raw)
    closing = array("i", (_place(indexes.entries, seal) for seal in columns.calls.seals))
    settling, strays = _settling(tables)
    nonces = _nonces(tables)
    # A tenth of all columns, and asked for here alone.
    columns.calls.envelopes.clear()
    columns.envelopes.nonces.clear()
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
        calls=Keyed(tables.calls, indexes.calls, "last"),
        envelopes=Keyed(tables.envelopes, indexes.envelopes, "last"),
        records=Keyed(tables.settlements, indexes.records, "last"),
        settlements=Keyed(tables.settlements, indexes.settlements, "last"),
        entries=Keyed(tables.entries, indexes.entries, "first"),
        closing=closing,
        settling=settling,
        strays=strays,
        hours=_hours(columns.entries.settled),
        crowds=Crowds(0)
        if state.rules is None
        else crowds(columns.calls, columns.entries, closing, state.rules.admission),
        nonces=nonces,
        missealed=columns.calls.wrong[0] + 1 if columns.calls.wrong else None,
    )


def _place(index: DigestIndex, digest: bytes) -> int:
    place = index.first(digest)
    return NOWHERE if place is None else place


def _settling(tables: Tables) -> tuple[array[int], array[int]]:
    """Give each call one settlement of it to be judged with, and list the others."""
    settling, strays = array("i", [NOWHERE]) * len(tables.calls), array("I")
    for place, seal in enumerate(tables.columns.settlements.calls):
        call = tables.indexes.calls.last(seal)
        if call is None or settling[call] != NOWHERE:
            strays.append(place)
        else:
            settling[call] = place
    return settling, strays


def _hours(settled: Sequence[int]) -> dict[int, array[int]]:
    hours: dict[int, array[int]] = {}
    for place, at in enumerate(settled):
        hour = at // HOUR_MS * HOUR_MS
        own = hours.get(hour)
        if own is None:
            own = hours[hour] = array("I")
        own.append(place)
    return hours


def _nonces(tables: Tables) -> dict[bytes, int]:
    """Find who used a nonce first; by call, since two calls may name one envelope."""
    calls, envelopes = tables.columns.calls, tables.columns.envelopes
    used = Digests(bytearray())
    for digest in calls.envelopes:
        place = tables.indexes.envelopes.last(digest)
        # Without an envelope nothing was used: a hash that no other call has.
        used.append(NO_NONCE if place is None else envelopes.nonces[place])
    return {
        used[place]: first + 1
        for place, first in DigestIndex(used).repeated()
        if used[place] != NO_NONCE
    }


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
