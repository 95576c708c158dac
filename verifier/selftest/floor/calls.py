"""Steps 2, 3, 9 and 10: what a call says, how it was priced, admitted and signed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from formulas.floor.primitives import SECOND_MS, format_time, parse_time
from verifier.floor.checks.catalogue import ADMISSION, BASELINE, ENVELOPE, SEAL, TERMS
from verifier.selftest.floor.forgery import Evidence, Forgery, Row, other_digit
from verifier.selftest.mutations import Mutation

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.report.model import CheckInfo
    from verifier.selftest.mutations import Changes

CURVE_ORDER: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


def _first(
    evidence: Evidence, *, change: Callable[[Row, Row], bool], sealed: bool = True
) -> Changes | None:
    """Change the first call that the change concerns, and tie up the rest."""
    forgery = Forgery(evidence)
    for call, envelope in forgery.calls:
        if change(call, envelope):
            if not sealed:
                forgery.unsealed.add(call["seal"])
            return forgery.changes()
    return None


def _other_seal(evidence: Evidence) -> Changes | None:
    """Give the last call another seal, and call it so everywhere."""
    forgery = Forgery(evidence)
    if not forgery.calls:
        return None
    call, _ = forgery.calls[-1]
    old, new = call["seal"], other_digit(call["seal"])
    call["seal"] = new
    forgery.unsealed.add(new)
    for body, record in forgery.settled:
        if body["call"] == old:
            body["call"] = record["call"] = new
    return forgery.changes()


def _kind(kind: str, change: Callable[[Row], object]) -> Callable[[Row, Row], bool]:
    def changed(call: Row, _: Row) -> bool:
        if call["terms"]["kind"] != kind:
            return False
        change(call["terms"])
        return True

    return changed


def _fine_p(call: Row, _: Row) -> bool:
    call["terms"]["p"] = round(call["terms"]["p"] + 0.0000001, 7)
    return True


def _turned(terms: Row) -> None:
    terms["low"], terms["high"] = terms["high"], terms["low"]


def _one_leg(terms: Row) -> None:
    terms["other"] = terms["source"]


def _less_b(call: Row, _: Row) -> bool:
    if not call["evidence"]["spot"] or not 0.1 < call["baseline"]["b"] < 0.9:
        return False
    call["baseline"]["b"] = round(call["baseline"]["b"] - 0.000001, 6)
    return True


def _no_history(call: Row, _: Row) -> bool:
    if not call["evidence"]["history"]:
        return False
    call["evidence"]["history"] = []
    return True


def _late_spot(evidence: Evidence) -> Changes | None:
    """Date the spot response of a call two minutes after its posting."""
    forgery = Forgery(evidence)
    for call, _ in forgery.calls:
        for name in call["evidence"]["spot"]:
            lines = [row for row in forgery.raw if row["sha256"] == name]
            posted = parse_time(call["posted_at"])
            for row in lines:
                row["fetched_at"] = format_time(posted + 120 * SECOND_MS)
            return forgery.changes()
    return None


def _label(call: Row, _: Row) -> bool:
    if not call["labels"]:
        return False
    call["labels"] = []
    return True


def _instruction(call: Row, _: Row) -> bool:
    call["note"] = "take-profit at the top"
    return True


def _near(call: Row, _: Row) -> bool:
    if call["terms"]["kind"] != "touch":
        return False
    call["terms"]["deadline"] = format_time(parse_time(call["posted_at"]) + 3599 * SECOND_MS)
    return True


def _twin(evidence: Evidence) -> Changes | None:
    """Post a call twice: the same terms a second later, under one envelope."""
    forgery = Forgery(evidence)
    for call, envelope in reversed(forgery.calls):
        again = {**call, "posted_at": format_time(parse_time(call["posted_at"]) + SECOND_MS)}
        forgery.calls.append((again, envelope))
        again["seal"] = other_digit(call["seal"])
        return forgery.changes()
    return None


def _signature(change: Callable[[int, int, int], tuple[int, int, int]]) -> Callable[..., bool]:
    def changed(_: Row, envelope: Row) -> bool:
        data = bytes.fromhex(envelope["signature"][2:])
        parts = int.from_bytes(data[:32], "big"), int.from_bytes(data[32:64], "big"), data[64]
        r, s, v = change(*parts)
        envelope["signature"] = f"0x{r:064x}{s:064x}{v:02x}"
        return True

    return changed


def _high_s(r: int, s: int, v: int) -> tuple[int, int, int]:
    return r, CURVE_ORDER - s, 55 - v


def _nonce_twice(evidence: Evidence) -> Changes | None:
    """Let two calls of one agent carry one envelope."""
    forgery = Forgery(evidence)
    seen: dict[str, Row] = {}
    for index, (call, envelope) in enumerate(forgery.calls):
        if call["agent"] in seen:
            forgery.calls[index] = (call, seen[call["agent"]])
            return forgery.changes()
        seen[call["agent"]] = envelope
    return None


def _stamp(_: Row, envelope: Row) -> bool:
    lines = envelope["message"].split("\n")
    lines[2] = format_time(parse_time(lines[2]) + 3600 * SECOND_MS)
    envelope["message"] = "\n".join(lines)
    return True


def _claim(call: Row, _: Row) -> bool:
    call["claim"] += " indeed"
    return True


def _mutation(
    check: CheckInfo, name: str, what: str, apply: Callable[[Evidence], Changes | None]
) -> Mutation:
    return Mutation(name=name, aims_at=check.id, what=what, apply=apply)


def _call(check: CheckInfo, name: str, what: str, change: Callable[[Row, Row], bool]) -> Mutation:
    return _mutation(check, name, what, partial(_first, change=change))


MUTATIONS: Final = (
    _mutation(SEAL, "seal-changed", "A call has another seal, everywhere.", _other_seal),
    _call(TERMS, "p-seven-decimals", "p has seven decimals, the call is sealed anew.", _fine_p),
    _call(TERMS, "range-turned", "A range ends below its beginning.", _kind("range", _turned)),
    _call(TERMS, "one-leg", "A relative compares a source to itself.", _kind("relative", _one_leg)),
    _call(BASELINE, "b-last-digit", "b is a millionth too low, all else redone.", _less_b),
    _call(BASELINE, "no-history", "A call names no history for its baseline.", _no_history),
    _mutation(BASELINE, "spot-late", "A spot response was fetched after posting.", _late_spot),
    _call(ADMISSION, "label-removed", "A call that hugs the baseline has no label.", _label),
    _call(ADMISSION, "instruction", "A note gives a trading instruction.", _instruction),
    _call(ADMISSION, "deadline-near", "A deadline is a second too near.", _near),
    _mutation(ADMISSION, "posted-twice", "A call is posted twice within a second.", _twin),
    _call(ENVELOPE, "claim-edited", "A claim is edited, its old signature kept.", _claim),
    _call(ENVELOPE, "high-s", "A signature is in its other form.", _signature(_high_s)),
    _call(ENVELOPE, "v-small", "v is 0 or 1.", _signature(lambda r, s, v: (r, s, v - 27))),
    _call(
        ENVELOPE,
        "signer-other",
        "r of a signature is changed.",
        _signature(lambda r, s, v: (r ^ 1, s, v)),
    ),
    _call(ENVELOPE, "stamp-moved", "A message is stamped an hour later.", _stamp),
    _mutation(ENVELOPE, "nonce-twice", "Two calls carry one envelope.", _nonce_twice),
)
