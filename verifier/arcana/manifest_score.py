"""
Score manifest, scheme ``arcana-score/v1``: what one season score was computed from, and gave.

===============  =======================================================================
line             JSON value
===============  =======================================================================
formula          string, the version
agent_id         string
season_id        string
ts               string, a time
constants        object of the formula's constants, sorted
strategy_type    string, empty when the agent declared none
nav_series       list of ``{"ts","nav","cash","seal"}``; nav and cash are column text
decisions        list of ``{"id","ts","action","commitment"}``; id is an integer of 64 bits
creator_peers    list of ``{"agent_id","season_id","ts","performance_score","seal"}``
outputs          object of the ten outputs, or a string ``unencodable: json: ...`` when one
                 of them is no number that JSON can hold
previous_seal    string or null
===============  =======================================================================

Members of the records and of the outputs stand in the order shown. A seal or a
commitment is a string or null; whether it is hexadecimal is not judged here.
``risk``, ``consistency`` and ``arcana`` may be null.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from verifier.arcana.gojson import GoValue, number_text, quote, value_text
from verifier.arcana.manifest_lines import (
    INTEGER,
    NUMBER,
    OPTIONAL_TEXT,
    TEXT,
    TIME,
    Line,
    ManifestError,
    pointer,
    split_lines,
)
from verifier.arcana.manifest_scheme import read_canonical

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "KEYS",
    "SCHEME",
    "DecisionRef",
    "NavPoint",
    "Outputs",
    "PeerRef",
    "ScoreManifest",
    "parse_score",
]

SCHEME: Final = "arcana-score/v1"

KEYS: Final = (
    "formula",
    "agent_id",
    "season_id",
    "ts",
    "constants",
    "strategy_type",
    "nav_series",
    "decisions",
    "creator_peers",
    "outputs",
    "previous_seal",
)

Outputs = dict[str, "float | bool | None"]

_UNENCODABLE: Final = "unencodable: json: unsupported value: "

_NUMBER_OUTPUTS: Final = frozenset(
    {"performance", "strategy", "regime", "creator", "longevity", "strategy_multiplier"}
)
_OUTPUTS: Final = (
    "performance",
    "risk",
    "strategy",
    "regime",
    "consistency",
    "creator",
    "longevity",
    "strategy_multiplier",
    "ranked",
    "arcana",
)


# Named tuples, not dataclasses: a season has thousands, and they are made three
# times as fast.
class NavPoint(NamedTuple):
    """One portfolio snapshot: its time, NAV and cash as column text, and its seal."""

    ts: str
    nav: str
    cash: str
    seal: str | None


class DecisionRef(NamedTuple):
    """One decision: its id, time and action, and its commitment."""

    id: int
    ts: str
    action: str
    commitment: str | None


class PeerRef(NamedTuple):
    """One score of another agent of the same creator, in points."""

    agent_id: str
    season_id: str
    ts: str
    performance_score: float
    seal: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreManifest:
    """A score manifest that was read; its outputs are a text if they could not be encoded."""

    formula: str
    agent_id: str
    season_id: str
    ts: str
    constants: Mapping[str, GoValue]
    strategy_type: str
    nav_series: tuple[NavPoint, ...]
    decisions: tuple[DecisionRef, ...]
    peers: tuple[PeerRef, ...]
    outputs: Outputs | str
    previous_seal: str | None


def parse_score(data: bytes) -> ScoreManifest:
    """
    Read a manifest of this scheme and no other.

    Raises:
        ManifestError: It is none, as ``parse_manifest`` says it.
    """
    lines = split_lines(data)
    if lines[0] != SCHEME:
        reason = f"the first line must be {SCHEME!r}, is {lines[0][:80]!r}"
        raise ManifestError(reason, line=1, offset=0)
    return read_canonical(lines, KEYS, from_lines, to_text)


def from_lines(lines: Sequence[Line]) -> ScoreManifest:
    """
    Give the eleven lines their meaning.

    Raises:
        ManifestError: A value is not of the type that its line demands.
    """
    by_key = {line.key: line for line in lines}
    return ScoreManifest(
        formula=by_key["formula"].text(),
        agent_id=by_key["agent_id"].text(),
        season_id=by_key["season_id"].text(),
        ts=by_key["ts"].time(),
        constants=by_key["constants"].object(),
        strategy_type=by_key["strategy_type"].text(),
        nav_series=by_key["nav_series"].records(
            NavPoint, {"ts": TIME, "nav": TEXT, "cash": TEXT, "seal": OPTIONAL_TEXT}
        ),
        decisions=by_key["decisions"].records(
            DecisionRef, {"id": INTEGER, "ts": TIME, "action": TEXT, "commitment": OPTIONAL_TEXT}
        ),
        peers=by_key["creator_peers"].records(
            _peer,
            {
                "agent_id": TEXT,
                "season_id": TEXT,
                "ts": TIME,
                "performance_score": NUMBER,
                "seal": OPTIONAL_TEXT,
            },
        ),
        outputs=_outputs(by_key["outputs"]),
        previous_seal=by_key["previous_seal"].optional_text(),
    )


def _peer(
    agent_id: str, season_id: str, ts: str, performance_score: float, seal: str | None
) -> PeerRef:
    return PeerRef(agent_id, season_id, ts, float(performance_score), seal)


def _outputs(line: Line) -> Outputs | str:
    if isinstance(line.value, str):
        if not line.value.startswith(_UNENCODABLE):
            raise line.wrong(f"must be an object, or a string that begins {_UNENCODABLE!r}")
        return line.value
    given = line.object()
    outputs: Outputs = {}
    for name in _OUTPUTS:
        if name not in given:
            raise line.wrong(f"has no {name}")
        value = given[name]
        if name == "ranked":
            if not isinstance(value, bool):
                raise line.wrong("must be true or false", pointer(name))
            outputs[name] = value
        elif value is None and name not in _NUMBER_OUTPUTS:
            outputs[name] = None
        elif isinstance(value, int | float) and not isinstance(value, bool):
            outputs[name] = float(value)
        else:
            raise line.wrong(f"must be {NUMBER.wanted}", pointer(name))
    return outputs


def to_text(m: ScoreManifest) -> str:
    """
    Write the manifest, without the escapes that Go adds for pages.

    Raises:
        JsonError: A number is infinite or NaN.
    """
    # Lists, since join() would first make one of a generator.
    navs = [
        f'{{"ts":{quote(p.ts)},"nav":{quote(p.nav)},"cash":{quote(p.cash)},"seal":{_seal(p.seal)}}}'
        for p in m.nav_series
    ]
    decisions = [
        f'{{"id":{d.id},"ts":{quote(d.ts)},"action":{quote(d.action)},'
        f'"commitment":{_seal(d.commitment)}}}'
        for d in m.decisions
    ]
    peers = [
        f'{{"agent_id":{quote(p.agent_id)},"season_id":{quote(p.season_id)},"ts":{quote(p.ts)},'
        f'"performance_score":{number_text(p.performance_score)},"seal":{_seal(p.seal)}}}'
        for p in m.peers
    ]
    if isinstance(m.outputs, str):
        outputs = quote(m.outputs)
    else:
        members = (f'"{name}":{value_text(m.outputs[name])}' for name in _OUTPUTS)
        outputs = f"{{{','.join(members)}}}"
    return (
        f"{SCHEME}\n"
        f"formula: {quote(m.formula)}\n"
        f"agent_id: {quote(m.agent_id)}\n"
        f"season_id: {quote(m.season_id)}\n"
        f"ts: {quote(m.ts)}\n"
        f"constants: {value_text(dict(m.constants))}\n"
        f"strategy_type: {quote(m.strategy_type)}\n"
        f"nav_series: [{','.join(navs)}]\n"
        f"decisions: [{','.join(decisions)}]\n"
        f"creator_peers: [{','.join(peers)}]\n"
        f"outputs: {outputs}\n"
        f"previous_seal: {_seal(m.previous_seal)}\n"
    )


def _seal(text: str | None) -> str:
    return "null" if text is None else quote(text)
