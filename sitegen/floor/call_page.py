"""A call's page: its terms, what happened on both venues, and every step to its points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from formulas.floor.primitives import plain
from formulas.floor.proved import decimal
from sitegen.floor.call_parts import (
    attempts_table,
    bodies_table,
    checks_table,
    deciding_table,
    paths,
    prints,
    proof_steps,
)
from sitegen.floor.cells import readable, reason_words, said, void_words
from sitegen.model import Crumb, Page
from sitegen.numbers import duration, integer, percent, points, utc
from verifier.core.canon import canonical_bytes
from verifier.dossier.floor_call import floor_call
from verifier.dossier.floor_sealed import number
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitegen.floor.shelf import Shelf
    from verifier.core.jsonread import JsonValue
    from verifier.dossier.floor import Held
    from verifier.dossier.floor_call import FloorCall

__all__ = ["call_page"]

SIGMA_DECIMALS: Final = 6
VERDICTS: Final = {
    Verdict.PASS: "every step equals what was published",
    Verdict.FAIL: "not every step equals what was published",
    Verdict.UNPROVEN: "the evidence for some step is not there",
    Verdict.EXEMPT: "there is nothing to compare yet",
}


def call_page(shelf: Shelf, held: Held) -> tuple[Page, FloorCall]:
    """Make the page of one call, and give what it was made from."""
    call = floor_call(shelf.floor, held)
    row, entry = call.held
    name = shelf.name(row.agent)
    agent_page = shelf.agent_page(row.agent)
    page = Page(
        path=f"{shelf.season.root}calls/{row.seal}/index.html",
        template="floor/call.html",
        title=f"Call {row.seal[:8]}",
        finding=_finding(call),
        trail=shelf.trail(Crumb(name, agent_page), Crumb(f"call {row.seal[:8]}")),
        values={
            "call": call,
            "row": row,
            "words": readable(call.words),
            "entry": entry,
            "caller": name,
            "lead": _lead(call),
            "verdict_words": VERDICTS[call.verdict],
            "p": percent(row.p, 2),
            "b": percent(row.b, 2),
            "outcome": _outcome_words(call),
            "void_words": "" if entry is None else void_words(entry.reason),
            "paths": paths(call),
            "prints": prints(call),
            "checks": checks_table(call),
            "deciding": deciding_table(call),
            "attempts": attempts_table(shelf, call),
            "bodies": bodies_table(shelf, call),
            "proof_steps": proof_steps(call),
            "label_words": _labels(call),
            "inputs": list(_inputs(call)),
            "baseline_words": _baseline_words(call),
            "sealed_text": _text(call.sealed),
            "terms_text": _text(call.sealed["terms"]),
            "record_text": None if call.record is None else _text(call.record),
            "entry_text": None if call.entry is None else _text(call.entry),
            "entry_path": None
            if entry is None
            else shelf.entry_anchor(entry.line, entry.settled_at),
            "agent_path": agent_page,
        },
        season=shelf.season,
        data_sha256=row.seal,
        command=shelf.command(f"floor call {row.seal[:16]} --bundle {{bundle}}"),
        payload=_payload(call),
        search=f"call {row.seal} {name} {call.words}",
    )
    return page, call


def _labels(call: FloorCall) -> str:
    words = list(call.held.call.labels)
    if call.provisional:
        words.append("provisional when it was posted")
    return ", ".join(words) or "none"


def _inputs(call: FloorCall) -> Iterator[tuple[str, str | Markup]]:
    """List what the baseline was computed from."""
    if call.baseline is None:
        return
    found = call.baseline.inputs
    yield "model", said(call.baseline.version.published)
    yield "b, published", said(call.baseline.b.published)
    if found is None:
        return
    yield "b, recomputed", said(call.baseline.b.recomputed)
    if found.spot is not None:
        yield "spot at posting", plain(found.spot)
    if found.sigma is not None:
        yield "volatility a year", plain(decimal(found.sigma, SIGMA_DECIMALS))
        yield "hours of history", integer(found.rows)
        yield "time to the deadline", duration(call.baseline.seconds * 1000)
    elif found.rows:
        yield "funding prints", integer(found.rows)
    elif found.spot is None:
        yield "inputs", "none: the baseline of a relative call is a constant"


def _baseline_words(call: FloorCall) -> str:
    if call.baseline is None:
        return ""
    b = call.baseline.b
    return b.note or ("b recomputed and equal" if b.verdict is Verdict.PASS else "b differs")


def _text(value: JsonValue) -> str:
    return canonical_bytes(value).decode()


def _finding(call: FloorCall) -> str:
    words = readable(call.words[:1].upper() + call.words[1:])
    entry = call.held.entry
    if entry is None:
        came = f"It is not settled: {call.outcome.note}."
    elif entry.outcome == "void":
        came = f"It is void, {reason_words(entry.reason)}, and has no points."
    else:
        gained = "no points" if entry.points is None else f"{points(entry.points)} points"
        came = f"It {'hit' if entry.outcome == 'hit' else 'missed'}: {gained}."
    if call.verdict is Verdict.FAIL:
        came += " What was published does not follow from the evidence."
    elif call.verdict is Verdict.UNPROVEN:
        came += " Not all of it can be proved from the evidence."
    return f"{words}. {came}"


def _outcome_words(call: FloorCall) -> str:
    entry = call.held.entry
    if entry is None:
        return "open"
    return f"void, {reason_words(entry.reason)}" if entry.outcome == "void" else entry.outcome


def _lead(call: FloorCall) -> dict[str, str | Markup]:
    """Give the number that matters; a void is said as large as points are."""
    entry = call.held.entry
    row = call.held.call
    odds = Markup("p {} against b {}").format(percent(row.p, 2), percent(row.b, 2))
    if entry is None:
        unit = call.outcome.note or "no points yet"
        return {"value": "open", "unit": unit, "beside": odds, "check": ""}
    if entry.outcome == "void" or entry.points is None:
        why = reason_words(entry.reason)
        return {"value": "void", "unit": f"{why}: no points", "beside": odds, "check": ""}
    settled = Markup("{}, settled {}; {}").format(entry.outcome, utc(entry.settled_at), odds)
    return {
        "value": points(entry.points),
        "unit": "points",
        "beside": settled,
        "check": "points",
    }


def _payload(call: FloorCall) -> dict[str, JsonValue]:
    row, entry = call.held
    proof: JsonValue = None
    if call.proof is not None and isinstance(call.proof.root.published, str):
        proof = {
            "index": call.proof.index,
            "size": call.proof.size,
            "path": list(call.proof.path),
            "root": call.proof.root.published,
        }
    return {
        "kind": "call",
        "call": call.sealed,
        "seal": row.seal,
        "outcome": None if entry is None else entry.outcome,
        "points": None if entry is None or entry.points is None else number(entry.points),
        "entry": None if entry is None else {"body": call.entry, "hash": entry.hash},
        "proof": proof,
        "shown": {"p": plain(row.p), "b": plain(row.b)},
    }
