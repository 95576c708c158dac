"""
The venues, asked again about one call.

What a venue answered when a call was settled is in the bundle, and settles it
for good. This asks the same venues for the same minutes and hours again, keeps
their answers beside the published ones, and says where they now tell another
story: a candle can be revised, and a forged response looks the same.

* Asked is what :mod:`verifier.venues.plan` says a call needs: every minute of its
  window on both venues, or the hours of funding, and the history of its baseline.
* Compared is a candle or print that a stored answer and a new one both cover:
  prices and volume by value. One that is there on one side alone is a difference.
* Not compared is what only one side covers. Hyperliquid keeps the newest 5,000
  candles of an interval, so a call of last week cannot be asked about by the minute.

A difference is a ``venue/revised``. It is no finding of an audit and changes no
verdict: the rules settle from what was stored. What comes of it is written to
``revisions.json``, canonical JSON with a newline at its end::

    {"bundle":"<hex>","call":"<seal>","compared":[{"from":T,"interval":"1m","rows":n,
     "source":"hyperliquid:BTC:price","to":T},...],"format":"tallyproof-venue/1",
     "refused":[{"reason":"...","url":"..."},...],"revisions":[{"at":T,"interval":"1m",
     "kind":"venue/revised","now":{...}|null,"source":"...","stored":{...}|null},...],
     "unseen":[{"from":T,"interval":"1m","rows":n,"source":"...","to":T},...]}

``unseen`` are stored rows that were asked for and that no new answer covers. Both
sides' raw responses lie under ``published/raw/`` and ``raw/``, each with an
``index.jsonl`` as in a bundle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formulas.floor.primitives import HOUR_MS, MINUTE_MS, format_time
from verifier.collect.outcome import Outcome
from verifier.collect.port import Request
from verifier.collect.revisions import compare
from verifier.core.canon import canonical_bytes
from verifier.floor.find import one_call
from verifier.floor.raw import body_path
from verifier.venues.evidence import read
from verifier.venues.exchange import BODY_BYTES, Exchange, Refused
from verifier.venues.plan import baseline_requests, settlement_requests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from formulas.floor.rules import Rules
    from verifier.collect.store import Recorder, Store
    from verifier.core.jsonread import JsonValue
    from verifier.floor.context import Context
    from verifier.floor.rows import Call, RawLine
    from verifier.venues.exchange import Ask, Page

__all__ = ["RATES", "fetch_venue"]

RATES: Final = {"api.hyperliquid.xyz": 18.0, "api.exchange.coinbase.com": 8.0}
"""Cost a second: Hyperliquid allows a weight of 1,200 a minute, Coinbase 10 requests a second."""

_VENUES: Final = {"api.hyperliquid.xyz": "hyperliquid", "api.exchange.coinbase.com": "coinbase"}
_WEIGHT: Final = 20.0
_ROWS_A_WEIGHT: Final = 60.0
_MOST_ROWS: Final = 5_000
_MUCH_LATER: Final = 9_000_000_000_000


def fetch_venue(
    seal: str,
    context: Context,
    *,
    http: Recorder,
    store: Store,
    progress: Callable[[str, int, int], None] | None = None,
) -> Outcome:
    """
    Ask the venues again about a call.

    Args:
        seal: The call's, or the beginning of it.
        context: The bundle.
        http: Asks, and keeps what it is told.
        store: Where everything goes.
        progress: Called with what is done, how much, and of how much.

    Returns:
        Differences as its contradictions; what could not be compared as missing.

    Raises:
        UsageError: No call, or more than one.
        FormatError: The bundle's rules are not known.
        CollectError: A venue gave no answer.
    """
    call = one_call(context, seal)
    asks = _asks(call, context.rules)
    old = list(_published(call, context))
    new: list[Exchange] = []
    for done, ask in enumerate(asks):
        if progress is not None:
            progress("asking the venues", done, len(asks))
        new.append(_ask(ask, http))
    for line in old:
        if context.responses.has(line.sha256):
            store.place(
                f"published/{body_path(line.sha256)}", context.bundle.read(body_path(line.sha256))
            )
    store.place("published/raw/index.jsonl", _index(_line_json(line) for line in old))
    for exchange in new:
        store.place(body_path(exchange.sha256), exchange.content)
    store.place("raw/index.jsonl", _index(map(_exchange_json, new)))
    stored = [context.responses.page(line) for line in old if context.responses.has(line.sha256)]
    answers = [(exchange, read(exchange)) for exchange in new]
    refused = [(exchange, page) for exchange, page in answers if isinstance(page, Refused)]
    found = compare(
        [page for page in stored if not isinstance(page, Refused)],
        [page for _, page in answers if not isinstance(page, Refused)],
        [page for page in map(_promised, asks) if not isinstance(page, Refused)],
    )
    store.place(
        "revisions.json",
        canonical_bytes(
            {
                "bundle": context.bundle.sha256,
                "call": call.seal,
                "compared": [each.to_json() for each in found.compared],
                "format": "tallyproof-venue/1",
                "refused": [
                    {"reason": page.reason, "url": exchange.ask.url} for exchange, page in refused
                ],
                "revisions": [each.to_json() for each in found.revisions],
                "unseen": [each.to_json() for each in found.unseen],
            }
        )
        + b"\n",
    )
    return Outcome(
        facts=(
            ("call", call.seal),
            ("asked", f"{len(new)} requests"),
            ("compared", f"{sum(each.rows for each in found.compared)} candles and prints"),
            ("revised", str(len(found.revisions))),
        ),
        contradictions=tuple(map(str, found.revisions)),
        missing=(
            *(f"{exchange.ask.url}: {page.code}: {page.reason}" for exchange, page in refused),
            *(f"{each} are stored, and not served any more" for each in found.unseen),
            *(() if found.compared else ("nothing could be compared",)),
        ),
    )


def _asks(call: Call, rules: Rules) -> tuple[Ask, ...]:
    """Give everything that a call needs, each request once."""
    settlement = settlement_requests(call.terms, call.posted_at, rules)
    baseline = baseline_requests(call.terms, call.posted_at, rules)
    asks = (*settlement.source, *settlement.confirm, *baseline.spot, *baseline.history)
    return tuple({_asked_json(ask): ask for ask in asks}.values())


def _asked_json(ask: Ask) -> bytes:
    return canonical_bytes(_request_json(ask))


def _request_json(ask: Ask) -> dict[str, JsonValue]:
    body: JsonValue = None if ask.body is None else dict(ask.body)  # type: ignore[arg-type]
    return {"body": body, "method": ask.method, "url": ask.url}


def _published(call: Call, context: Context) -> Iterator[RawLine]:
    """Give the lines of all responses that a call and its settlement name."""
    settlement = context.settlements.get(call.seal)
    attempts = () if settlement is None else settlement.attempts
    hashes = [*call.spot, *call.history]
    for attempt in attempts:
        hashes += [*attempt.source, *attempt.confirm]
    for sha256 in sorted(set(hashes)):
        yield from context.raw.get(sha256, ())


def _ask(ask: Ask, http: Recorder) -> Exchange:
    request = Request(
        "POST" if ask.method == "POST" else "GET",
        ask.url,
        None if ask.body is None else canonical_bytes(_request_json(ask)["body"]),
        cost=_cost(ask),
        limit=BODY_BYTES,
    )
    answer = http.send(request)
    # Venues are known to answer with nothing now and then; once more is the rule of courtesy.
    if answer.status != 200 or answer.body.strip() in {b"[]", b"null", b""}:
        answer = http.anew(request)
    host = ask.url.split("/")[2]
    return Exchange(
        _VENUES[host],
        ask,
        answer.status,
        # An index of a bundle has whole seconds; what ended within this one is not claimed.
        answer.at // 1000 * 1000,
        answer.sha256,
        answer.body,
    )


def _promised(ask: Ask) -> Page | Refused:
    """Give what an answer without rows would cover, had it come right after its span."""
    fetched_at = _MUCH_LATER
    if ask.body is not None:
        last, step = _last_and_step(ask.body)
        # Hyperliquid's newest 5,000 candles then still hold the first that was asked for.
        fetched_at = last + 2 * step
    host = ask.url.split("/")[2]
    return read(Exchange(_VENUES[host], ask, 200, fetched_at, "", b"[]"))


def _last_and_step(body: Mapping[str, object]) -> tuple[int, int]:
    req = body.get("req", body)
    assert isinstance(req, dict)
    assert isinstance(req["endTime"], int)
    return req["endTime"], MINUTE_MS if req.get("interval") == "1m" else HOUR_MS


def _cost(ask: Ask) -> float:
    """Give what a request weighs: Hyperliquid counts the rows that it may answer with."""
    if ask.body is None:
        return 1.0
    last, step = _last_and_step(ask.body)
    req = ask.body.get("req", ask.body)
    assert isinstance(req, dict)
    rows = min(_MOST_ROWS, (last - req["startTime"]) // step + 1)
    return _WEIGHT + float(rows) / _ROWS_A_WEIGHT


def _line_json(line: RawLine) -> dict[str, JsonValue]:
    return {
        "bytes": line.size,
        "fetched_at": format_time(line.fetched_at),
        "request": {
            "body": None if line.body is None else dict(line.body),
            "method": line.method,
            "url": line.url,
        },
        "sha256": line.sha256,
        "status": line.status,
        "venue": line.venue,
    }


def _exchange_json(exchange: Exchange) -> dict[str, JsonValue]:
    return {
        "bytes": len(exchange.content),
        "fetched_at": format_time(exchange.fetched_at),
        "request": _request_json(exchange.ask),
        "sha256": exchange.sha256,
        "status": exchange.status,
        "venue": exchange.venue,
    }


def _index(lines: Iterable[dict[str, JsonValue]]) -> bytes:
    written = {canonical_bytes(line): str(line["sha256"]) for line in lines}
    return b"".join(
        line + b"\n" for line in sorted(written, key=lambda line: (written[line], line))
    )
