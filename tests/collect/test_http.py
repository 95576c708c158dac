"""The client, by itself: what it tries again, how long it waits, where it refuses to go."""

from collections.abc import Iterator
from email.utils import formatdate
from typing import Any

import httpx
import pytest
from fetching import Clock, client

from verifier.collect.errors import AddressError, CollectError, ExcessError
from verifier.collect.http import BUSY, Client
from verifier.collect.port import Request, get

URL = "http://arena.example/a"


class Stream(httpx.SyncByteStream):
    """A body that comes piece by piece."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        return self._pieces


def answering(*answers: httpx.Response | Exception) -> tuple[httpx.MockTransport, list[str]]:
    """A transport that gives these answers, and what it was asked for."""
    left = list(answers)
    asked: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return httpx.MockTransport(handle), asked


def test_an_exchange_is_what_was_asked_and_what_came() -> None:
    """Exact bytes, the status, and those headers that are kept."""
    headers = {"Content-Type": "text/plain", "Set-Cookie": "who=you", "ETag": '"1"'}
    transport, _ = answering(httpx.Response(203, content=b"\xff\x00", headers=headers))
    with client(transport) as http:
        exchange = get(http, URL)
    assert (exchange.status, exchange.body, exchange.url) == (203, b"\xff\x00", URL)
    assert dict(exchange.headers) == {
        "content-type": "text/plain",
        "content-length": "2",
        "etag": '"1"',
    }
    assert exchange.at == 1_790_000_000_000


def test_a_visitor_is_not_known_again() -> None:
    """No cookie is sent back, and the client says who it is."""
    seen = []

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(dict(request.headers))
        return httpx.Response(200, headers={"Set-Cookie": "who=you"}, content=b"")

    with client(httpx.MockTransport(handle)) as http:
        http.send(Request("POST", URL, b'{"a":1}'))
        get(http, URL)
    assert "cookie" not in seen[1]
    assert seen[1]["user-agent"].startswith("tallyproof/")
    assert seen[1]["accept-encoding"] == "identity"
    assert (seen[0]["content-type"], "content-type" in seen[1]) == ("application/json", False)


@pytest.mark.parametrize("status", sorted(BUSY))
def test_a_busy_server_is_tried_again(status: int) -> None:
    """Each wait is up to twice the one before, drawn by chance."""
    clock = Clock()
    transport, asked = answering(*[httpx.Response(status)] * 4, httpx.Response(200))
    with client(transport, clock) as http:
        assert get(http, URL).status == 200
    assert len(asked) == 5
    assert clock.slept == [0.5, 1.0, 2.0, 4.0]


@pytest.mark.parametrize("status", [200, 204, 400, 401, 403, 404, 410, 422, 501])
def test_any_other_status_is_the_callers(status: int) -> None:
    """It is given back, and not tried again."""
    transport, asked = answering(httpx.Response(status))
    with client(transport) as http:
        assert get(http, URL).status == status
    assert len(asked) == 1


@pytest.mark.parametrize(
    "error",
    [
        httpx.ConnectTimeout("t"),
        httpx.ReadTimeout("t"),
        httpx.ConnectError("refused"),
        httpx.ReadError("reset"),
        httpx.RemoteProtocolError("cut"),
    ],
)
def test_a_broken_connection_is_tried_again(error: Exception) -> None:
    """And when it stays broken, that is an error with the URL in it."""
    transport, _ = answering(error, httpx.Response(200))
    with client(transport) as http:
        assert get(http, URL).status == 200
    transport, asked = answering(*[error] * 5)
    with client(transport) as http, pytest.raises(CollectError, match=r"/a: .*, after 5 attempts"):
        get(http, URL)
    assert len(asked) == 5


@pytest.mark.parametrize(
    ("value", "waited"),
    [("7", 7.5), ("0", 0.5), (formatdate(1_790_000_030, usegmt=True), 30.5), ("soon", 0.5)],
)
def test_retry_after_is_obeyed(value: str, waited: float) -> None:
    """Seconds or a date, and a little more by chance."""
    clock = Clock()
    transport, _ = answering(
        httpx.Response(429, headers={"Retry-After": value}), httpx.Response(200)
    )
    with client(transport, clock) as http:
        get(http, URL)
    assert clock.slept == [waited]


def test_nobody_is_waited_for_longer_than_the_limit() -> None:
    """A server that asks for more is given up at once."""
    transport, asked = answering(httpx.Response(503, headers={"Retry-After": "121"}))
    with client(transport) as http, pytest.raises(CollectError, match="longer than 120 s"):
        get(http, URL)
    assert len(asked) == 1


def moved(to: str, status: int = 302) -> httpx.Response:
    """A redirect."""
    return httpx.Response(status, headers={"Location": to})


@pytest.mark.parametrize(
    ("start", "to"),
    [
        (URL, "/b"),
        (URL, "b?c=d"),
        (URL, "http://arena.example/b#part"),
        (URL, "http://ARENA.example:80/b"),
        (URL, "https://arena.example/b"),
        ("https://arena.example/a", "https://arena.example:443/b"),
    ],
)
def test_a_redirect_on_the_same_host(start: str, to: str) -> None:
    """It is followed; from http to https it is the same host."""
    transport, asked = answering(moved(to), httpx.Response(200))
    with client(transport) as http:
        exchange = get(http, start)
    assert exchange.request.url == start
    assert len(asked) == 2
    assert "#" not in exchange.url


@pytest.mark.parametrize(
    ("start", "to"),
    [
        (URL, "http://other.example/a"),
        (URL, "//other.example/a"),
        (URL, "http://arena.example:8080/a"),
        (URL, "http://arena.example.other/a"),
        ("https://arena.example/a", "http://arena.example/a"),
        ("https://arena.example/a", "http://arena.example:443/a"),
        (URL, "file:///etc/passwd"),
        (URL, "http://user@arena.example/a"),
        (URL, ""),
        (URL, "http://[/"),
    ],
)
def test_a_redirect_elsewhere(start: str, to: str) -> None:
    """It is not followed, and not tried again."""
    transport, asked = answering(moved(to))
    with client(transport) as http, pytest.raises(CollectError):
        get(http, start)
    assert len(asked) == 1


def test_a_post_is_not_redirected() -> None:
    """What was posted is sent nowhere else."""
    transport, _ = answering(moved("/b", 307))
    with client(transport) as http, pytest.raises(CollectError, match="not followed"):
        http.send(Request("POST", URL, b"{}"))


@pytest.mark.parametrize(
    "limits",
    [{"response_bytes": 9}, {"total_bytes": 9}, {"requests": 1}],
    ids=["one answer", "all answers", "requests"],
)
def test_limits(limits: dict[str, Any]) -> None:
    """Each is named in its error."""
    (name,) = limits
    transport, _ = answering(*[httpx.Response(200, content=b"12345")] * 2)
    with client(transport, **limits) as http:
        assert get(http, URL, limit=5).body == b"12345"
        with pytest.raises(ExcessError, match=rf"\(limit {name}\)") as error:
            get(http, URL, limit=4 if name == "response_bytes" else None)
    assert error.value.limit == name


def test_a_run_has_an_end() -> None:
    """Before a request, while a body comes, and instead of a wait that would last longer."""
    clock = Clock()

    def body() -> Iterator[bytes]:
        yield b"1"
        clock.sleep(60)
        yield b"2"

    transport, asked = answering(
        httpx.Response(200),
        httpx.Response(200, stream=Stream(body())),
        httpx.Response(503, headers={"Retry-After": "101"}),
    )
    with client(transport, clock, total_seconds=100) as http:
        get(http, URL)
        clock.sleep(50)
        for wanted in (2, 2):
            with pytest.raises(ExcessError, match=r"not done in 100 s \(limit total_seconds\)"):
                get(http, URL)
            assert len(asked) == wanted
    with (
        client(transport, clock, total_seconds=100) as http,
        pytest.raises(ExcessError, match="total_seconds"),
    ):
        get(http, URL)
    assert clock.slept == [50, 60]


def test_a_host_is_not_asked_faster_than_its_rate() -> None:
    """A second's worth may go at once; each host has a rate of its own."""
    clock = Clock()
    transport, _ = answering(*[httpx.Response(200)] * 20)
    http = Client(rate=4, rates={"slow.example": 10}, waits=clock.waits(), transport=transport)
    with http:
        for _ in range(4):
            get(http, URL)
        assert clock.slept == []
        get(http, URL)
        assert clock.slept == [0.25]
        http.send(Request("GET", "http://slow.example/", cost=25))
        assert clock.slept == [0.25, 1.5]
        http.send(Request("GET", "http://slow.example/", cost=5))
        assert sum(clock.slept) == pytest.approx(2.25)


@pytest.mark.parametrize(
    "url",
    [
        *("ftp://arena.example/", "file:///etc/passwd", "//arena.example/", "arena.example"),
        *("http://", "http:///a", "http://user:word@arena.example/", "http://arena.example:x/"),
        *("http://arena.example/a b", "http://arena.example/\n", "http://arena.example/\u00e9"),
        *("http://arena.example\\@other/", "http://[::1", "http://a/" + "b" * 5000),
    ],
)
def test_what_is_no_url(url: str) -> None:
    """It is refused before anything is asked, and a password in it is not repeated."""
    transport, asked = answering()
    with client(transport) as http, pytest.raises(AddressError) as error:
        get(http, url)
    assert asked == []
    assert "word" not in str(error.value).replace("password", "")


def test_the_environment_has_no_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a proxy nor certificates are taken from it."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere")
    transport, asked = answering(httpx.Response(200))
    with client(transport) as http:
        get(http, URL)
    assert asked == [URL]
    client().close()


@pytest.mark.parametrize(
    "to",
    [
        *(
            "http://xn--/",
            "//xn--a/",
            "http://xn--zz.arena.example/",
            "http://[::1",
            "http://\xe9/",
        ),
        *("//", "javascript:alert(1)", "/\x7f", f"/{'x' * 1000}", "http://arena.example:99999/"),
    ],
)
def test_a_redirect_to_no_address(to: str) -> None:
    """It ends in an error of ours, and never at an address that was cut."""
    answer = httpx.Response(302, headers=[(b"location", to.encode())])
    transport, _ = answering(*[answer] * 6)
    with client(transport) as http, pytest.raises(CollectError, match=URL):
        get(http, URL)


def test_a_host_that_is_punycode_of_nothing() -> None:
    """The caller's own URL may be malformed in this way too."""
    transport, _ = answering()
    with client(transport) as http, pytest.raises(CollectError, match="A-label"):
        get(http, "http://xn--/")
