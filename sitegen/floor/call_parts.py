"""Parts of a call's page: price paths, attempts, what decided, raw responses, the root."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from formulas.errors import FormulaDomainError
from formulas.floor.primitives import MINUTE_MS, parse_decimal, plain
from sitegen.charts import Candle, Decided, PricePath, price_path
from sitegen.components import Cell, Column, Row, Table, missing_cell
from sitegen.floor.cells import moment_cell, readable, said
from sitegen.numbers import integer, utc
from sitegen.text import shown
from verifier.dossier.floor_bodies import request_of
from verifier.explanation import Line, Section
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitegen.floor.shelf import Shelf
    from verifier.dossier.floor_bodies import Body, RawLine
    from verifier.dossier.floor_call import FloorCall
    from verifier.dossier.floor_path import Leg
    from verifier.dossier.floor_values import Compared, Value

__all__ = [
    "attempts_table",
    "bodies_table",
    "checks_table",
    "deciding_table",
    "paths",
    "prints",
    "proof_steps",
]

ATTEMPTS: Final = (
    Column("number", "attempt", "number"),
    Column("at", "began", "time"),
    Column("published", "published", "text"),
    Column("recomputed", "recomputed", "text"),
    Column("source", "source responses", "number"),
    Column("confirm", "second venue", "number"),
    Column("check", "from its own responses", "verdict"),
)
DECIDING: Final = (
    Column("what", "what decided", "text"),
    Column("published", "published", "text"),
    Column("recomputed", "recomputed", "text"),
    Column("check", "check", "verdict"),
)
BODIES: Final = (
    Column("sha256", "body", "hash"),
    Column("venue", "venue", "text"),
    Column("fetched", "fetched", "time"),
    Column("uses", "used as", "text"),
    Column("bytes", "bytes", "number"),
    Column("request", "request", "text"),
    Column("check", "in the bundle", "verdict"),
)


CHECKS: Final = (
    Column("step", "step", "number"),
    Column("check", "check", "text"),
    Column("message", "what was found", "text"),
    Column("verdict", "verdict", "verdict"),
)
VALUES: Final = (
    Column("published", "published", "text"),
    Column("recomputed", "recomputed", "text"),
)


def checks_table(call: FloorCall) -> Table:
    """List every check of the call, each with its verdict and its page."""
    with_values = any(each.published or each.recomputed for each in call.checks)
    rows = []
    for each in call.checks:
        cells = [
            Cell(str(each.step)),
            Cell(each.check, href=f"checks/{each.check}/index.html"),
            Cell(each.message),
            Cell(each.verdict.value, verdict=each.verdict.value),
        ]
        if with_values:
            cells += [_stated(each.published), _stated(each.recomputed)]
        rows.append(Row("", cells))
    columns = (*CHECKS, *VALUES) if with_values else CHECKS
    return Table("checks", "Checks of this call", columns, rows)


def _stated(value: str | None) -> Cell:
    return missing_cell("the check states no single value") if value is None else Cell(value)


def prints(call: FloorCall) -> list[Table]:
    """List the prints of funding, which have no minutes to draw."""
    return [
        _prints(leg, place, _title(leg))
        for place, leg in enumerate(call.legs)
        if leg.second is None
    ]


def _title(leg: Leg) -> str:
    title = f"{leg.source.symbol} on {leg.source.venue}"
    return f"{leg.role.capitalize()}: {title}" if leg.role else title


def paths(call: FloorCall) -> list[Markup]:
    """Draw the price path of each source."""
    made: list[Markup] = []
    for place, leg in enumerate(call.legs):
        if leg.second is None:
            continue
        drawn = PricePath(
            venue=leg.source.venue,
            minutes=[Candle(each.start, each.low, each.high) for each in leg.candles],
            levels=leg.levels,
            band=len(leg.levels) == 2,
            window=(leg.first, leg.last + MINUTE_MS),
            posted=call.held.call.posted_at,
            deadline=leg.deadline,
            decided=_decided(call, leg, place),
            second_venue=leg.second.venue,
            second=[Candle(each.start, each.low, each.high) for each in leg.second_candles],
        )
        made.append(price_path(f"path-{place}", drawn, title=_title(leg)))
    return made


def _decided(call: FloorCall, leg: Leg, place: int) -> Decided | None:
    """Find the published deciding moment on a leg; none for the part that did not decide."""
    if leg.met is not None:
        return Decided(leg.met.at, parse_decimal(leg.met.source), "gate met")
    row = call.settlement
    if row is None or row.deciding is None:
        return None
    if leg.role and leg.role != ("gate" if row.outcome == "void" else "inner"):
        return None
    values = row.deciding.source.split(" ")
    at = row.deciding.at
    own = place - sum(other.role != leg.role for other in call.legs[:place])
    try:
        price = parse_decimal(values[min(own, len(values) - 1)])
    except FormulaDomainError:
        return None
    return Decided(at, price, row.outcome if row.outcome != "void" else "decided")


def _prints(leg: Leg, place: int, title: str) -> Table:
    return Table(
        f"prints-{place}",
        f"{title}: hourly prints up to the deadline",
        (Column("hour", "hour", "time"), Column("rate", "funding rate", "number")),
        [
            Row(
                "",
                [
                    moment_cell(hour),
                    missing_cell("no print of this hour") if rate is None else Cell(plain(rate)),
                ],
            )
            for hour, rate in leg.prints
        ],
        note=f"The call is about the rate {' and '.join(map(plain, leg.levels))}.",
    )


def deciding_table(call: FloorCall) -> Table | None:
    """Set the published deciding moment and values beside the recomputed ones."""
    if not call.deciding:
        return None
    return Table(
        "deciding",
        "The deciding moment on both venues",
        DECIDING,
        [Row("", [Cell(each.what), *_both(each)]) for each in call.deciding],
    )


def _both(each: Compared) -> tuple[Cell, Cell, Cell]:
    note = each.note or "nothing decided"
    published = missing_cell("null") if each.published is None else _said(each.published)
    recomputed = missing_cell(note) if each.recomputed is None else _said(each.recomputed)
    words = "equal" if each.verdict is Verdict.PASS else each.verdict.value
    return published, recomputed, Cell(words, verdict=each.verdict.value, title=each.note)


def _said(value: Value) -> Cell:
    text = said(value)
    return Cell(readable(text), sort=text)


def attempts_table(shelf: Shelf, call: FloorCall) -> Table | None:
    """List every attempt with the result that its own responses give."""
    if not call.attempts:
        return None
    rows = []
    for place, each in enumerate(call.attempts, start=1):
        refused = "; ".join(f"{sha256[:12]} gives nothing: {why}" for sha256, why in each.refused)
        published, recomputed, check = _both(each.result)
        rows.append(
            Row(
                f"attempt-{place}",
                [
                    Cell(str(place)),
                    replace(moment_cell(each.row.at), title=refused or None),
                    published,
                    recomputed,
                    _responses(shelf, each.row.source),
                    _responses(shelf, each.row.confirm),
                    check,
                ],
            )
        )
    note = "An attempt that the operator made and left out cannot be seen."
    return Table("attempts", "Every attempt to settle the call", ATTEMPTS, rows, note=note)


def _responses(shelf: Shelf, hashes: tuple[str, ...]) -> Cell:
    if not hashes:
        return missing_cell("no response is named")
    links = []
    for sha256 in hashes:
        path = shelf.evidence(f"raw/{sha256[:2]}/{sha256}")
        links.append((sha256, path))
    count = integer(len(links))
    first = next((path for _, path in links if path is not None), None)
    title = f"hashes: {' '.join(sha256[:12] for sha256, _ in links[:8])}"
    return Cell(count, href=first if len(links) == 1 else None, title=title)


def bodies_table(shelf: Shelf, call: FloorCall) -> Table:
    """List every raw response that the call names, each a download."""
    rows = [_body_row(shelf, body, line) for body in call.bodies for line in body.lines or (None,)]
    return Table(
        "responses",
        "Raw responses that price and settle the call",
        BODIES,
        rows,
        note="Bodies are as they were received. No venue signs what it answers.",
    )


def _body_row(shelf: Shelf, body: Body, line: RawLine | None) -> Row:
    words = "there" if body.present else "missing"
    if line is None:
        nowhere = missing_cell("the index does not list it")
        about = [nowhere, nowhere, Cell("; ".join(body.uses)), nowhere, nowhere]
        words = "not in the index" if body.present else words
    else:
        about = [
            Cell(line.venue),
            moment_cell(line.fetched_at),
            Cell("; ".join(body.uses)),
            Cell(integer(line.size)),
            Cell(request_of(line), html=_request(request_of(line))),
        ]
    verdict = "pass" if body.present and line is not None else "unproven"
    return Row(
        "",
        [
            Cell(body.sha256, href=shelf.evidence(body.path)),
            *about,
            Cell(words, verdict=verdict),
        ],
    )


def _request(text: str) -> Markup:
    return Markup("<code>{}</code>").format(shown(text))


def proof_steps(call: FloorCall) -> Section | None:
    """Walk from the entry to the root of its hour, a line a step."""
    proof, entry = call.proof, call.held.entry
    if proof is None or entry is None:
        return None
    return Section("From the entry to the root of its hour", tuple(_steps(call)))


def _steps(call: FloorCall) -> Iterator[Line]:
    proof, entry = call.proof, call.held.entry
    assert proof is not None and entry is not None  # noqa: PT018 - by proof_steps
    yield _step("hash of the entry", entry.body_sha256, entry.hash)
    yield _step("hour", utc(proof.hour))
    yield _step("leaf", f"{proof.index} of {proof.size}")
    for place, sibling in enumerate(proof.path, start=1):
        yield _step(f"sibling {place}", sibling)
    root = proof.root
    yield Line(
        step="7",
        name="root of the hour",
        published=None if root.published is None else said(root.published),
        recomputed=said(root.recomputed),
        note=root.note,
        differs=root.verdict is Verdict.FAIL,
        unproven=root.verdict is Verdict.UNPROVEN,
    )
    yield Line(
        step="7",
        name="inclusion",
        recomputed=proof.note,
        differs=proof.included is Verdict.FAIL,
    )


def _step(name: str, recomputed: str, published: str | None = None) -> Line:
    return Line(
        step="7",
        name=name,
        recomputed=recomputed,
        published=published,
        differs=published is not None and published != recomputed,
    )
