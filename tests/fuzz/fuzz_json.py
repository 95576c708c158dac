"""
Fuzz target: the JSON readers and writers, on any bytes at all.

Nothing but errors of our own tree comes out, both readers give one answer, and what
is read can be written, read and diagnosed.
"""

import hashlib
import json
from collections.abc import Callable
from typing import Final

from verifier.core.canon import canonical_bytes
from verifier.core.diagnose import diagnose
from verifier.core.hashchain import body_link, flat_link, walk
from verifier.core.jsonread import JsonLimits, JsonValue, iter_jsonl, read_canonical, read_json
from verifier.core.jsonscan import BigIntegers, scan
from verifier.errors import EvidenceError

LIMITS: Final = JsonLimits()
# The diagnosis renders a text many times over.
SHORT: Final = 200


def read_both(data: bytes, big_integers: BigIntegers) -> JsonValue:
    """Read by the fast reader and by the scanner; they must not differ."""
    slow = _outcome(lambda: scan(data, LIMITS, big_integers))
    fast = _outcome(lambda: read_json(data, limits=LIMITS, big_integers=big_integers))
    assert fast == slow
    value = read_json(data, limits=LIMITS, big_integers=big_integers)
    assert repr(value) == repr(json.loads(data))
    return value


def _outcome(read: Callable[[], JsonValue]) -> str:
    try:
        return f"value {read()!r}"
    except EvidenceError as error:
        return f"error {error}"


def one_input(data: bytes) -> None:
    """Give some bytes to every reader."""
    try:
        read_both(data, "keep")
        value = read_both(data, "refuse")
        canonical = canonical_bytes(value)
        if len(data) < SHORT:
            diagnose(value, hashlib.sha256(data).hexdigest())
        assert (canonical == data) is _is_canonical(data)
    except EvidenceError:
        assert not _is_canonical(data)
    for canonical_lines in (False, True):
        try:
            entries = [value for _, _, value in iter_jsonl(data, canonical=canonical_lines)]
        except EvidenceError:
            continue
        walk(entries, body_link)
        walk(entries, flat_link)


def _is_canonical(data: bytes) -> bool:
    try:
        read_canonical(data)
    except EvidenceError:
        return False
    return True
