"""
Documents on disk: one line an exchange, bodies by their hash.

A line is canonical JSON with the members ``at`` (UTC, ms), ``body`` (sha256), ``bytes``,
``headers``, ``method``, ``role``, ``scope``, ``status``, ``url``, and ``from`` where a
redirect led elsewhere: then ``from`` is what was asked.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from verifier.core.shape import Obj
from verifier.errors import FormatError
from verifier.watch.documents import ROLES
from verifier.watch.reading import Document

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.core.jsonread import JsonValue

__all__ = ["body_path", "exchange_line", "read_exchange", "time_text"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


def exchange_line(document: Document) -> dict[str, JsonValue]:
    """Write what is kept of a document beside its body."""
    line: dict[str, JsonValue] = {
        "at": time_text(document.at),
        "body": sha256(document.body).hexdigest(),
        "bytes": len(document.body),
        "headers": dict(document.headers),
        "method": document.method,
        "role": document.role,
        "scope": document.scope,
        "status": document.status,
        "url": document.answered,
    }
    if document.answered != document.url:
        line["from"] = document.url
    return line


def read_exchange(value: JsonValue, body_of: Callable[[str], bytes], pointer: str) -> Document:
    """
    Read a document back.

    Args:
        value: Its line.
        body_of: Gives the bytes that are kept under a hash.
        pointer: Where the line stands, for messages.

    Raises:
        FormatError: The line is malformed, or the body is not the one that it names.
    """
    names = ("at", "body", "bytes", "headers", "method", "role", "scope", "status", "url")
    line = Obj(value, names, ("from",), pointer=pointer)
    if line.text("role") not in ROLES:
        raise FormatError("is no role of a document", pointer=f"{pointer}/role")
    digest = line.text("body")
    if not _DIGEST.fullmatch(digest):
        raise FormatError("is no sha256 in lower-case hex", pointer=f"{pointer}/body")
    body = body_of(digest)
    if sha256(body).hexdigest() != digest or len(body) != line.integer("bytes"):
        raise FormatError("the body that is kept has another hash or size", pointer=pointer)
    headers = Obj(line.value["headers"], (), pointer=f"{pointer}/headers", open_ended=True)
    return Document(
        role=line.text("role"),
        scope=line.text("scope"),
        method=line.text("method"),
        url=line.text("from") if "from" in line.value else line.text("url"),
        answered=line.text("url"),
        status=line.integer("status"),
        headers=tuple((name, headers.text(name)) for name in headers.value),
        at=_ms(line),
        body=body,
    )


def body_path(digest: str) -> str:
    """Name the file of a body."""
    return f"bodies/{digest[:2]}/{digest}"


def time_text(ms: int) -> str:
    """
    Write a time.

    >>> time_text(1_700_000_000_123)
    '2023-11-14T22:13:20.123Z'
    """
    moment = _EPOCH + timedelta(milliseconds=ms)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{ms % 1000:03}Z"


def _ms(line: Obj) -> int:
    text = line.text("at")
    fault = FormatError("is no time in UTC with ms", pointer=f"{line.pointer}/at")
    if not _TIME.fullmatch(text):
        raise fault
    try:
        return (datetime.fromisoformat(text) - _EPOCH) // timedelta(milliseconds=1)
    except ValueError:
        raise fault from None
