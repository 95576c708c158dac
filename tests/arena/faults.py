"""
Switches for what can go wrong between a server and its client.

A fault is set for a path (a prefix of the request's) and holds for a number of
requests, or for ever. It sees the honest answer and writes what goes out
instead, down to the bytes of the connection.
"""

import gzip
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

EVER: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class Sent:
    """
    What goes out.

    Args:
        status: HTTP status.
        body: Its bytes.
        headers: On top of those that every answer has.
        length: The stated length; None for the true one.
        cut: Bytes after which the connection is closed; None for none.
        delay: Seconds before the answer begins.
        drip: Seconds between two bytes of the body.
    """

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    length: int | None = None
    cut: int | None = None
    delay: float = 0.0
    drip: float = 0.0


Fault = Callable[[Sent], Sent]


def slow(seconds: float) -> Fault:
    """Wait before the answer."""
    return lambda sent: Sent(sent.status, sent.body, delay=seconds)


def dripping(seconds: float) -> Fault:
    """Send one byte at a time."""
    return lambda sent: Sent(sent.status, sent.body, drip=seconds)


def cut_off() -> Fault:
    """Close the connection in the middle of the body."""
    return lambda sent: Sent(sent.status, sent.body, cut=len(sent.body) // 2)


def too_many(retry_after: str = "1") -> Fault:
    """Answer 429, and say when to come back."""
    return lambda _: Sent(
        429, b'{"error":{"code":"rate_limited"}}', (("Retry-After", retry_after),)
    )


def failing(status: int = 500) -> Fault:
    """Answer with a status of the server's own trouble."""
    return lambda _: Sent(status, b"oops")


def longer_length() -> Fault:
    """State more bytes than are sent, and close."""
    return lambda sent: Sent(sent.status, sent.body, length=len(sent.body) + 7, cut=len(sent.body))


def shorter_length() -> Fault:
    """State fewer bytes than there are."""
    return lambda sent: Sent(sent.status, sent.body, length=max(0, len(sent.body) - 7))


def gzip_bomb(size: int = 64 << 20) -> Fault:
    """Send a body of zeros that gzip makes a thousand times smaller."""
    bomb = gzip.compress(bytes(size), mtime=0)
    return lambda _: Sent(200, bomb, (("Content-Encoding", "gzip"),))


def zipped() -> Fault:
    """Compress the body though nobody asked for it."""
    return lambda sent: Sent(
        sent.status, gzip.compress(sent.body, mtime=0), (("Content-Encoding", "gzip"),)
    )


def redirect(location: str, status: int = 302) -> Fault:
    """Send the client elsewhere."""
    return lambda _: Sent(status, b"", (("Location", location),))


def changed_byte(at: int = -2) -> Fault:
    """Change one byte of the body."""

    def change(sent: Sent) -> Sent:
        body = bytearray(sent.body)
        body[at] ^= 1
        return Sent(sent.status, bytes(body))

    return change


def huge_headers(size: int = 1 << 20) -> Fault:
    """Send a header without end."""
    return lambda sent: Sent(sent.status, sent.body, (("X-Padding", "x" * size),))


def replaced(body: bytes, status: int = 200) -> Fault:
    """Send something else."""
    return lambda _: Sent(status, body)


@dataclass(slots=True)
class Faults:
    """The switches that are on, by path; the longest prefix decides."""

    set_: dict[str, tuple[Fault, int]] = field(default_factory=dict)

    def put(self, path: str, fault: Fault, times: int = EVER) -> None:
        """Turn a switch on for a number of requests."""
        self.set_[path] = fault, times

    def apply(self, target: str, sent: Sent) -> Sent:
        """Give what goes out for a request."""
        matching = [path for path in self.set_ if target.startswith(path)]
        if not matching:
            return sent
        path = max(matching, key=len)
        fault, times = self.set_[path]
        if times <= 1:
            del self.set_[path]
        else:
            self.set_[path] = fault, times - 1
        return fault(sent)
