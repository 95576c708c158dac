r"""
Calls and settlements as arenas write them: read by one pattern, and proved canonical by it.

A line in canonical form has one spelling but for the values of its members. The
patterns here take texts with the escapes that canonical JSON has two characters
for, and numbers of at most 15 digits without an exponent. So a line that
matches is canonical, its parts are canonical where they stand, and what is
sealed and signed can be hashed without writing it again. Every other line may
still be a row, conditional terms among them: it is read as any other JSON
(:mod:`verifier.floor.rows`), which takes several times as long, and both ways
give the same row.

Source:
    RFC 8785; floor.md sections 2, 5, 7.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from hashlib import sha256
from sys import intern
from typing import TYPE_CHECKING, Final, cast

from formulas.errors import FormulaDomainError
from formulas.floor.primitives import parse_decimal, parse_time
from formulas.floor.terms import Close, Range, Relative, Touch
from verifier.errors import EvidenceError
from verifier.floor.rows import AttemptRow, Call, Decider, SettlementRow
from verifier.floor.terms import SealedTerms, source_of

if TYPE_CHECKING:
    from formulas.floor.baseline import Direction
    from formulas.floor.terms import Terms

__all__ = ["plain_call", "plain_settlement"]

# A pattern takes 200 bytes of memory for every byte of the worst line.
_LONGEST: Final = 64 << 10
_PLAIN: Final = r'"[^"\\\x00-\x1f]*"'
_TEXT: Final = r'"[^"\\\x00-\x1f]*(?:\\["\\bfnrt][^"\\\x00-\x1f]*)*"'
_HASH: Final = r'"([0-9a-f]{64})"'
_HASHES: Final = r'\[((?:"[0-9a-f]{64}"(?:,"[0-9a-f]{64}")*)?)\]'
_TIME: Final = r'"([^"]{20})"'
# A share in at most 15 digits and without an exponent is its own canonical form.
_SHARE: Final = r"(0|1|0\.(?!000000)[0-9]{0,14}[1-9])"
_SOURCE: Final = r'"([A-Za-z0-9@/._:-]{1,64})"'
_DECIMAL: Final = r'"([0-9.-]{1,100})"'

_CALL: Final = re.compile(
    rf'\{{("agent":({_PLAIN}),"baseline":\{{"b":{_SHARE},"version":({_PLAIN})\}}),'
    rf'"claim":({_TEXT}),"envelope":{_HASH},'
    rf'"evidence":\{{"history":{_HASHES},"spot":{_HASHES}\}},'
    rf'"labels":\[((?:{_PLAIN}(?:,{_PLAIN})*)?)\],"note":(null|{_TEXT}),'
    rf'("posted_at":{_TIME}),"seal":{_HASH},("terms":(\{{.*\}}))\}}'
)
_TERMS: Final = re.compile(
    rf'\{{"deadline":{_TIME},(?:'
    rf'"direction":"(above|below)","kind":"(touch|close)","level":{_DECIMAL},|'
    rf'"high":{_DECIMAL},"kind":"range","low":{_DECIMAL},|'
    rf'"kind":"relative","margin":{_DECIMAL},"other":{_SOURCE},)'
    rf'"p":{_SHARE},"source":{_SOURCE}\}}'
)
_ATTEMPT: Final = (
    rf'\{{"at":{_TIME},"confirm":{_HASHES},'
    rf'"result":"(settled|data_gap|unconfirmed)","source":{_HASHES}\}}'
)
_SKIPPED: Final = re.sub(r"\((?!\?)", "(?:", _ATTEMPT)
_SETTLEMENT: Final = re.compile(
    rf'\{{"attempts":\[({_SKIPPED}(?:,{_SKIPPED})*)\],"call":{_HASH},'
    rf'"deciding":(null|\{{"at":{_TIME},"confirm":(null|{_PLAIN}),"source":({_PLAIN})\}}),'
    r'"outcome":"(hit|miss|void)"\}'
)
_ATTEMPTS: Final = re.compile(_ATTEMPT)


def plain_call(line: int, text: bytes) -> Call | None:
    """
    Read one line of ``calls.jsonl``.

    Args:
        line: Its number, from 1.
        text: The line, without its newline.

    Returns:
        The call, whose line is canonical; None if only the strict reader can tell.
    """
    found = _matched(_CALL, text)
    if found is None:
        return None
    (
        who,
        agent,
        b,
        version,
        claim,
        envelope,
        history,
        spot,
        labels,
        note,
        when,
        at,
        seal,
        kept,
        own,
    ) = found.groups()
    try:
        sealed = _terms(own)
        posted_at = parse_time(at)
    except (EvidenceError, FormulaDomainError):
        return None
    if sealed is None:
        return None
    seal = intern(seal)
    whole = sha256(f"{{{who},{when},{kept}}}".encode()).hexdigest()
    return Call(
        line=line,
        agent=intern(agent[1:-1]),
        b=Decimal(b),
        version=intern(version[1:-1]),
        claim=_text(claim),
        deadline=sealed.deadline,
        envelope=intern(envelope),
        history=_hashes(history),
        labels=tuple(map(intern, labels[1:-1].split('","'))) if labels else (),
        note=None if note == "null" else _text(note),
        p=sealed.p,
        posted_at=posted_at,
        seal=seal,
        sealed=seal if whole == seal else whole,
        signed=sha256(f'{{"claim":{claim},"note":{note},{kept}}}'.encode()).hexdigest(),
        spot=_hashes(spot),
        terms=sealed.terms,
    )


def _matched(pattern: re.Pattern[str], text: bytes) -> re.Match[str] | None:
    if len(text) > _LONGEST:
        return None
    try:
        return pattern.fullmatch(text.decode())
    except UnicodeDecodeError:
        return None


def _text(written: str) -> str:
    return json.loads(written) if "\\" in written else written[1:-1]


def _terms(text: str) -> SealedTerms | None:
    found = _TERMS.fullmatch(text)
    if found is None:
        return None
    until, direction, kind, level, high, low, margin, other, p, named = found.groups()
    source, deadline = source_of(named, "/terms/source"), parse_time(until)
    terms: Terms
    if kind is not None:
        made = Touch if kind == "touch" else Close
        terms = made(source, cast("Direction", direction), parse_decimal(level), deadline)
    elif high is not None:
        terms = Range(source, parse_decimal(low), parse_decimal(high), deadline)
    else:
        pair = source_of(other, "/terms/other")
        terms = Relative(source, pair, parse_decimal(margin), deadline)
    return SealedTerms(terms, Decimal(p), deadline)


def _hashes(listed: str) -> tuple[str, ...]:
    # Calls name the same responses over and over.
    return tuple(map(intern, listed[1:-1].split('","'))) if listed else ()


def plain_settlement(line: int, text: bytes) -> SettlementRow | None:
    """
    Read one line of ``settlements.jsonl``; see :func:`plain_call`.

    Args:
        line: Its number, from 1.
        text: The line, without its newline.

    Returns:
        The settlement, or None.
    """
    found = _matched(_SETTLEMENT, text)
    if found is None:
        return None
    attempts, call, deciding, moment, confirm, source, outcome = found.groups()
    try:
        rows = tuple(
            AttemptRow(parse_time(at), _hashes(confirms), intern(result), _hashes(sources))
            for at, confirms, result, sources in _ATTEMPTS.findall(attempts)
        )
        decider = None
        if deciding != "null":
            confirmed = None if confirm == "null" else confirm[1:-1]
            decider = Decider(parse_time(moment), confirmed, source[1:-1])
    except FormulaDomainError:
        return None
    return SettlementRow(
        line, rows, intern(call), decider, intern(outcome), sha256(text).hexdigest()
    )
