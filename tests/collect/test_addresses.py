"""Which addresses may be asked, and that the connection goes where was looked."""

from collections.abc import Sequence
from itertools import count
from socket import socket

import httpx
import pytest
from arena.server import Arena
from shared import FIXTURES

from verifier.collect.addresses import checked_addresses, origin
from verifier.collect.connection import PinnedTransport
from verifier.collect.errors import AddressError, CollectError, ExcessError

PRIVATE = (
    *("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1"),
    *("169.254.169.254", "100.64.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1"),
    *("255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::", "2002:c0a8:101::1"),
    *("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2001:db8::1", "2001:0:7f00:1::"),
    *("::7f00:1", "::a9fe:a9fe", "::ffff:0:7f00:1", "64:ff9b:1::7f00:1", "fec0::1", "5f00::1"),
    *("2606:4700::5efe:7f00:1", "2606:4700::200:5efe:a00:1", "3fff::1"),
)
PUBLIC = (
    *("8.8.8.8", "93.184.216.34", "2606:2800:220:1::1", "::ffff:8.8.8.8", "64:ff9b::808:808"),
    *("2606:4700::200:5efe:808:808", "2002:808:808::1"),
)


def resolving(*addresses: str) -> Sequence[str]:
    """What a resolver gives."""
    return addresses


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_of_the_callers_own_network(address: str) -> None:
    """It is refused, also behind a name and among public ones; unless it is asked for."""
    for found in ((address,), ("8.8.8.8", address)):
        with pytest.raises(AddressError, match="refused without --allow-private"):
            checked_addresses("a.example", 80, allow_private=False, resolver=lambda *_: found)  # noqa: B023
        assert found == checked_addresses(
            "a.example",
            80,
            allow_private=True,
            resolver=lambda *_: resolving(*found),  # noqa: B023
        )


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_of_the_internet(address: str) -> None:
    """It may be asked."""
    assert checked_addresses(
        "a.example", 443, allow_private=False, resolver=lambda *_: resolving(address)
    ) == (address,)


def test_a_name_without_addresses() -> None:
    """It cannot be asked."""
    with pytest.raises(CollectError, match="has no address"):
        checked_addresses("a.example", 80, allow_private=True, resolver=lambda *_: ())


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("http://A.example", ("http", "a.example", 80)),
        ("https://a.example:8443/b?c", ("https", "a.example", 8443)),
        ("http://[::1]:8080/", ("http", "::1", 8080)),
        ("http://a.example:0/", ("http", "a.example", 0)),
    ],
)
def test_where_a_url_leads(url: str, found: tuple[str, str, int]) -> None:
    """Scheme, host and port."""
    assert origin(url) == found


def test_a_name_that_changes_its_mind() -> None:
    """The name is resolved once a connection, and the connection goes to what was judged."""
    asked = []
    arena = Arena(FIXTURES / "sharpe-demo")
    with arena.serving() as url:
        port = int(url.rpartition(":")[2])

        def resolver(host: str, _: int) -> Sequence[str]:
            asked.append(host)
            return ["127.0.0.1"]

        # No test resolves this name otherwise: only the resolver can have led to the arena.
        transport = PinnedTransport(allow_private=True, resolver=resolver)
        with httpx.Client(transport=transport, trust_env=False) as http:
            for _ in range(3):
                response = http.get(f"http://rebinding.example:{port}/bundle.json")
                assert response.status_code == 200
        refusing = PinnedTransport(allow_private=False, resolver=resolver)
        with httpx.Client(transport=refusing) as http, pytest.raises(AddressError):
            http.get(f"http://rebinding.example:{port}/bundle.json")
    assert asked == ["rebinding.example"] * 2
    assert len(arena.asked) == 3


def test_a_name_with_addresses_without_end() -> None:
    """They are tried within the time of one answer, and not each for itself."""
    seconds = count()
    tried = []

    def resolver(*_: object) -> Sequence[str]:
        return ["127.0.0.1"] * 1000

    def clock() -> float:
        tried.append(next(seconds))
        return float(tried[-1])

    transport = PinnedTransport(allow_private=True, seconds=5, clock=clock, resolver=resolver)
    with socket() as closed, httpx.Client(transport=transport, trust_env=False) as http:
        closed.bind(("127.0.0.1", 0))  # taken, and nobody listens
        port = closed.getsockname()[1]
        with pytest.raises(ExcessError, match="not complete in 5 s"):
            http.get(f"http://many.example:{port}/")
    assert len(tried) < 10
