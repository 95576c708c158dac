"""
The port through which everything else here asks: one request, one exchange.

An exchange is what is kept of a conversation: what was asked, where the answer
came from, its status, a few of its headers, when it was complete, and its exact
bytes. Only the headers in ``KEPT_HEADERS`` are kept: enough to say what was
served and how old it was, and nothing that names a visitor.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal, Protocol

__all__ = ["KEPT_HEADERS", "Exchange", "Http", "Request", "get"]

KEPT_HEADERS: Final = (
    *("age", "cache-control", "content-encoding", "content-length", "content-type"),
    *("date", "etag", "last-modified", "location", "retry-after", "server"),
)


@dataclass(frozen=True, slots=True)
class Request:
    """
    What is asked.

    Args:
        method: GET, or POST with a JSON body.
        url: ASCII, already percent-encoded.
        body: JSON of a POST.
        cost: What it counts against the rate of its host.
        limit: Most bytes of the answer, below what the client allows anyway.
    """

    method: Literal["GET", "POST"]
    url: str
    body: bytes | None = None
    cost: float = 1.0
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """
    What was asked, and what came back.

    Args:
        request: What was asked.
        url: Where the answer came from: another URL of the same host after a redirect.
        status: HTTP status.
        headers: Those of ``KEPT_HEADERS`` that came, by name in lower case.
        at: When it was complete, ms since 1970 UTC.
        body: Its bytes, uncompressed.
    """

    request: Request
    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    at: int
    body: bytes

    @property
    def sha256(self) -> str:
        """Hash of the body, 64 lower-case hex digits."""
        return sha256(self.body).hexdigest()


class Http(Protocol):
    """Whatever can be asked: the real client, or a test's own."""

    def send(self, request: Request) -> Exchange:
        """
        Ask, and wait for the whole answer.

        A status that a later attempt could mend (429 and the like) has been
        tried again before it is an error. Any other is the caller's to judge.

        Raises:
            CollectError: No whole answer came, or none within the limits.
        """
        ...


def get(http: Http, url: str, *, limit: int | None = None) -> Exchange:
    """Ask for one resource."""
    return http.send(Request("GET", url, limit=limit))
