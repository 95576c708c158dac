"""
Connections that go where they were checked to go.

A transport for httpx on the public parts of httpcore. Names are resolved and
judged by :mod:`verifier.collect.addresses` at the moment of connecting, and the
socket is opened to that very address. TLS still speaks to the name: the
certificate must be the host's. No proxy and no setting of the environment takes
part. An answer has a time by which it must be complete, however steadily it drips.
"""

from __future__ import annotations

from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

import httpcore
import httpx

from verifier.collect.addresses import checked_addresses, resolve
from verifier.collect.errors import ExcessError

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterable, Iterator

    from verifier.collect.addresses import Resolver

__all__ = ["PinnedTransport"]

_ERRORS = (
    (httpcore.TimeoutException, httpx.ReadTimeout),
    (httpcore.NetworkError, httpx.NetworkError),
    (httpcore.ProtocolError, httpx.RemoteProtocolError),
    (httpcore.UnsupportedProtocol, httpx.UnsupportedProtocol),
)


class PinnedTransport(httpx.BaseTransport):
    """
    HTTP/1.1 to addresses that were checked.

    Args:
        allow_private: Take any address.
        seconds: One answer from the request to its last byte.
        clock: Seconds, never going back.
        resolver: Gives the addresses of a host.
        ssl_context: Trust for https; that of httpx without one.
    """

    def __init__(
        self,
        *,
        allow_private: bool,
        seconds: float = 600.0,
        clock: Callable[[], float] = monotonic,
        resolver: Resolver = resolve,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._timer = _Timer(seconds, clock)
        self._pool = httpcore.ConnectionPool(
            ssl_context=ssl_context or httpx.create_ssl_context(trust_env=False),
            network_backend=_Backend(self._timer, resolver, allow_private=allow_private),
            max_connections=8,
            keepalive_expiry=20,
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request; the body of the response is still to be read."""
        url = request.url
        self._timer.start()
        assert isinstance(request.stream, httpx.SyncByteStream)
        with _as_httpx():
            response = self._pool.handle_request(
                httpcore.Request(
                    request.method,
                    httpcore.URL(
                        scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
                    ),
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        return httpx.Response(response.status, headers=response.headers, stream=_Stream(response))

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()


class _Stream(httpx.SyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx():
            yield from self._response.iter_stream()

    def close(self) -> None:
        self._response.close()


class _Timer:
    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._seconds = seconds
        self._clock = clock
        self._until = clock() + seconds

    def start(self) -> None:
        self._until = self._clock() + self._seconds

    def check(self) -> None:
        if self._clock() > self._until:
            raise ExcessError(f"not complete in {self._seconds:g} s", limit="response_seconds")


class _TimedStream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream, timer: _Timer) -> None:
        self._inner = inner
        self._timer = timer

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._timer.check()
        return self._inner.read(max_bytes, timeout)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, timeout)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        return _TimedStream(
            self._inner.start_tls(ssl_context, server_hostname, timeout), self._timer
        )

    def get_extra_info(self, info: str) -> object:
        return self._inner.get_extra_info(info)


class _Backend(httpcore.NetworkBackend):
    def __init__(self, timer: _Timer, resolver: Resolver, *, allow_private: bool) -> None:
        self._inner = httpcore.SyncBackend()
        self._timer = timer
        self._allow_private = allow_private
        self._resolver = resolver

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        addresses = checked_addresses(
            host, port, allow_private=self._allow_private, resolver=self._resolver
        )
        last: Exception = httpcore.ConnectError("no address")
        for address in addresses:
            self._timer.check()  # a name may have any number of addresses where nothing answers
            try:
                stream = self._inner.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                last = error
            else:
                return _TimedStream(stream, self._timer)
        raise last


@contextmanager
def _as_httpx() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        for theirs, ours in _ERRORS:
            if isinstance(error, theirs):
                raise ours(str(error) or type(error).__name__) from error
        raise
