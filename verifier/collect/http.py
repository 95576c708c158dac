"""
The client: patient with a busy server, and hard on a hostile one.

1. The address is judged (:mod:`verifier.collect.addresses`), on every redirect again.
2. The host's rate is kept (:mod:`verifier.collect.waiting`).
3. A redirect is followed for a GET, to the same host alone, never from https to
   http, at most ``redirects`` times.
4. The body is read within ``response_bytes`` and ``response_seconds``, and all
   bodies together within ``total_bytes``. One that ends before its stated length
   is no answer.
5. Everything together ends within ``total_seconds``, waits between requests included.
6. A broken connection, a cut body, a timeout and the statuses 408, 425, 429,
   500, 502, 503 and 504 are tried again, ``attempts`` times in all.

Retries are tenacity's and not stamina's: the latter, built on the former, takes
neither the sleep nor the chance as an argument, and its switch for tests is one
for the whole process.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import urljoin

import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt

from verifier.collect.addresses import origin
from verifier.collect.connection import PinnedTransport
from verifier.collect.decode import decoded
from verifier.collect.errors import CollectError, ExcessError
from verifier.collect.port import KEPT_HEADERS, Exchange, Request
from verifier.collect.waiting import Pace, jittered, retry_after
from verifier.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

__all__ = ["BUSY", "Client", "ClientLimits", "Waits"]

BUSY: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses that a later attempt could mend."""

_MOVED: Final = frozenset({301, 302, 303, 307, 308})
_HEADER_CHARS: Final = 1000
_MIB: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientLimits:
    """
    What a server may make the client do.

    Args:
        response_bytes: One body, unpacked.
        total_bytes: All bodies together.
        requests: Requests in all, attempts and redirects included.
        redirects: Redirects of one request.
        attempts: Attempts of one request.
        idle_seconds: Waiting for a connection or for the next bytes.
        response_seconds: One answer, from the request to its last byte.
        longest_wait: Seconds between two attempts, whatever the server asks for.
        total_seconds: The whole run, from the opening of the client.
    """

    response_bytes: int = 256 * _MIB
    total_bytes: int = 16 << 30
    requests: int = 1_000_000
    redirects: int = 5
    attempts: int = 5
    idle_seconds: float = 30.0
    response_seconds: float = 600.0
    longest_wait: float = 120.0
    total_seconds: float = 21_600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """
    Time and chance.

    Args:
        now: Milliseconds since 1970 UTC.
        clock: Seconds, never going back.
        sleep: Waits for seconds.
        random: Draws from [0, 1).
        base: Seconds of which the waits between attempts are multiples.
    """

    now: Callable[[], int] = field(default=lambda: time.time_ns() // 1_000_000)
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random
    base: float = 0.5


class _AgainError(CollectError):
    """An attempt that another may mend."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


class Client:
    """
    An :class:`~verifier.collect.port.Http` on httpx.

    Args:
        allow_private: Take addresses of the caller's own network.
        limits: What a server may make the client do.
        rate: Requests a second to one host.
        rates: Other rates, by host.
        waits: Time and chance.
        transport: Takes the place of the network in tests.
    """

    def __init__(  # noqa: PLR0913  each has a default, and is the caller's choice
        self,
        *,
        allow_private: bool = False,
        limits: ClientLimits | None = None,
        rate: float = 10.0,
        rates: Mapping[str, float] | None = None,
        waits: Waits | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._limits = limits or ClientLimits()
        self._waits = waits or Waits()
        self._pace = Pace(rates or {}, rate, self._waits.clock, self._waits.sleep)
        self._http = httpx.Client(
            transport=transport
            or PinnedTransport(
                allow_private=allow_private,
                seconds=self._limits.response_seconds,
                clock=self._waits.clock,
            ),
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(self._limits.idle_seconds),
            headers={
                "accept": "*/*",
                "accept-encoding": "identity",
                "user-agent": f"tallyproof/{VERSION}",
            },
        )
        self._bytes = 0
        self._requests = 0
        self._until = self._waits.clock() + self._limits.total_seconds

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._http.close()

    def send(self, request: Request) -> Exchange:
        """
        Ask, and wait for the whole answer.

        Raises:
            AddressError: The address, or that of a redirect, may not be asked.
            ExcessError: A limit was reached.
            CollectError: No whole answer came.
        """
        origin(request.url)  # a malformed one is not repeated in front of the reason
        attempts = Retrying(
            retry=retry_if_exception_type(_AgainError),
            stop=stop_after_attempt(self._limits.attempts),
            wait=self._wait,
            sleep=self._waits.sleep,
            reraise=True,
        )
        try:
            return attempts(self._followed, request)
        except _AgainError as error:
            tried = "attempt" if self._limits.attempts == 1 else "attempts"
            raise CollectError(
                f"{request.url}: {error}, after {self._limits.attempts} {tried}"
            ) from error
        except CollectError as error:
            raise error.of(request.url) from error.__cause__

    def _wait(self, state: RetryCallState) -> float:
        assert state.outcome is not None
        error = state.outcome.exception()
        assert isinstance(error, _AgainError)
        longest = self._limits.longest_wait
        if error.wait > longest:
            raise CollectError(
                f"{error}, and asks to wait {error.wait:.0f} s, longer than {longest:.0f} s"
            )
        waits = self._waits
        drawn = jittered(
            state.attempt_number, base=waits.base, longest=longest, random=waits.random
        )
        # Behind what was asked for, so that not all clients return at that very moment.
        pause = error.wait + drawn if error.wait else drawn
        self._in_time(pause)
        return pause

    def _in_time(self, pause: float = 0.0) -> None:
        """Demand that the run is not over, nor will be after a pause."""
        if self._waits.clock() + pause > self._until:
            raise ExcessError(
                f"not done in {self._limits.total_seconds:g} s", limit="total_seconds"
            )

    def _followed(self, request: Request) -> Exchange:
        url = request.url
        for _ in range(self._limits.redirects + 1):
            exchange = self._once(request, url)
            if exchange.status not in _MOVED:
                return exchange
            url = _target(exchange)
        raise ExcessError(f"redirected more than {self._limits.redirects} times", limit="redirects")

    def _once(self, request: Request, url: str) -> Exchange:
        _, host, _ = origin(url)
        self._requests += 1
        if self._requests > self._limits.requests:
            raise ExcessError(f"more than {self._limits.requests} requests", limit="requests")
        self._pace.take(host, request.cost)
        self._in_time()
        headers = {} if request.body is None else {"content-type": "application/json"}
        self._http.cookies.clear()  # nobody is to know a visitor again
        try:
            with self._http.stream(
                request.method, url, content=request.body, headers=headers
            ) as response:
                if response.status_code in BUSY:
                    wait = retry_after(response.headers.get("retry-after"), self._waits.now())
                    raise _AgainError(f"status {response.status_code}", wait)
                body = self._body(request, response)
                return Exchange(
                    request, url, response.status_code, _kept(response), self._waits.now(), body
                )
        except httpx.TimeoutException:
            raise _AgainError("no answer in time") from None
        except (httpx.NetworkError, httpx.ProtocolError) as error:
            raise _AgainError(_reason(error)) from None
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            # The last is for a host that begins as Punycode and is none, of a redirect too.
            raise CollectError(str(error)) from None

    def _body(self, request: Request, response: httpx.Response) -> bytes:
        allowed = min(self._limits.response_bytes, request.limit or self._limits.response_bytes)
        pieces = []
        size = 0
        # Not `iter_raw`, which refuses the answers of a mock transport.
        stream = response.stream
        assert isinstance(stream, httpx.SyncByteStream)
        for piece in decoded(stream, response.headers.get("content-encoding", "")):
            size += len(piece)
            self._bytes += len(piece)
            self._in_time()
            if size > allowed:
                raise ExcessError(f"more than {allowed} bytes", limit="response_bytes")
            if self._bytes > self._limits.total_bytes:
                total = self._limits.total_bytes
                raise ExcessError(f"more than {total} bytes in all", limit="total_bytes")
            pieces.append(piece)
        return b"".join(pieces)


def _target(exchange: Exchange) -> str:
    """Give where a redirect leads, if it may be followed."""
    there = dict(exchange.headers).get("location", "")
    if exchange.request.method != "GET" or not there:
        raise CollectError(f"status {exchange.status}, not followed")
    if len(there) >= _HEADER_CHARS:
        raise CollectError(f"redirected to a URL of {_HEADER_CHARS} characters or more")
    try:
        url = urljoin(exchange.url, there).partition("#")[0]
    except ValueError:
        raise CollectError(f"status {exchange.status}, redirected to no URL") from None
    scheme, host, port = origin(exchange.url)
    new_scheme, new_host, new_port = origin(url)
    upgraded = (scheme, port, new_scheme, new_port) == ("http", 80, "https", 443)
    if new_host != host or ((new_scheme, new_port) != (scheme, port) and not upgraded):
        raise CollectError(
            f"redirected to {new_scheme}://{new_host}:{new_port}, another host, not followed"
        )
    return url


def _kept(response: httpx.Response) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name, response.headers[name][:_HEADER_CHARS])
        for name in KEPT_HEADERS
        if name in response.headers
    )


def _reason(error: httpx.TransportError) -> str:
    text = str(error)
    if "without sending complete message body" in text or "incomplete" in text:
        return "the answer was cut off"
    return f"no answer: {text or type(error).__name__}"
