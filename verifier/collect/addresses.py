"""
Which addresses may be asked.

A URL comes from the caller, from a stranger's page or from a redirect, and must
not lead into the caller's own network:

* The scheme is ``http`` or ``https``. There is a host, no user name and no
  password, and no control character anywhere.
* The host is resolved once. Every address that it resolves to must be public:
  loopback, private, link-local, shared, reserved and multicast addresses are
  refused, also where an IPv6 address carries one of them inside (mapped, 6to4,
  Teredo, NAT64, ISATAP). Of IPv6 only 2000::/3 is public, which is all that was
  ever assigned: what a local gateway translates lies elsewhere. One bad address
  refuses the host.
* The connection goes to the address that was checked, so that a name which
  resolves to something else a moment later gains nothing.

``--allow-private`` lifts the second rule, for a service on the caller's own
machine.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from verifier.collect.errors import AddressError, CollectError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Resolver = Callable[[str, int], Sequence[str]]

__all__ = ["URL_BYTES", "Origin", "checked_addresses", "origin", "resolve"]

URL_BYTES: Final = 4096

Origin = tuple[str, str, int]
"""Scheme, host in lower case, port."""

_PORTS: Final = {"http": 80, "https": 443}
_PLAIN: Final = re.compile(r"[\x21-\x7e]+")
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_ASSIGNED: Final = ipaddress.ip_network("2000::/3")
_DOCUMENTATION: Final = ipaddress.ip_network("3fff::/20")
_ISATAP: Final = frozenset({0x00005EFE, 0x02005EFE})


def origin(url: str) -> Origin:
    """
    Check the form of a URL.

    Args:
        url: ASCII, already percent-encoded.

    Returns:
        Where it leads.

    Raises:
        AddressError: It is none that may be asked.
    """
    shown = ascii(url[:200])[1:-1]
    if len(url) > URL_BYTES:
        raise AddressError(f"{shown}...: a URL of more than {URL_BYTES} bytes")
    if not _PLAIN.fullmatch(url) or "\\" in url:
        raise AddressError(f"{shown}: a URL has only visible ASCII characters")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise AddressError(f"{shown}: no URL: {error}") from None
    if parts.scheme not in _PORTS:
        raise AddressError(f"{shown}: only http and https are asked")
    if "@" in parts.netloc:
        raise AddressError(f"{parts.scheme}://...: a user name or password in a URL is not sent")
    if not parts.hostname:
        raise AddressError(f"{shown}: no host")
    return parts.scheme, parts.hostname, _PORTS[parts.scheme] if port is None else port


def resolve(host: str, port: int) -> Sequence[str]:
    """
    Ask the system for the addresses of a host.

    Raises:
        CollectError: It has none.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "not a host name"
        raise CollectError(f"{host}: cannot be resolved: {reason}") from None
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def checked_addresses(
    host: str, port: int, *, allow_private: bool, resolver: Resolver = resolve
) -> Sequence[str]:
    """
    Resolve a host and refuse it if it leads anywhere that is not public.

    Args:
        host: Name, or address as text.
        port: The port that will be asked.
        allow_private: Take any address.
        resolver: Gives the addresses of a host.

    Returns:
        Its addresses, in the order in which they should be tried.

    Raises:
        AddressError: One of them is not public.
        CollectError: It has none.
    """
    addresses = resolver(host, port)
    if not addresses:
        raise CollectError(f"{host}: cannot be resolved: it has no address")
    if not allow_private:
        for address in addresses:
            kind = _not_public(address)
            if kind is not None:
                named = host if host == address else f"{host}, which is {address}"
                raise AddressError(f"{named}: {kind} address, refused without --allow-private")
    return addresses


def _not_public(text: str) -> str | None:
    """Name what kind of address it is, unless the whole internet can reach it."""
    address = ipaddress.ip_address(text.partition("%")[0])
    inside = _carried(address)
    for each in (address, *inside):
        if each.is_loopback:
            return "a loopback"
        if each.is_link_local:
            return "a link-local"
        if each.is_multicast:
            return "a multicast"
        if each.is_unspecified:
            return "an unspecified"
        # An address that carries another is judged by that one.
        if not _is_global(each) and not (each is address and inside):
            return "a private"
    return None


def _is_global(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and (
        address not in _ASSIGNED or address in _DOCUMENTATION
    ):
        return False
    return address.is_global


def _carried(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> tuple[ipaddress.IPv4Address, ...]:
    if isinstance(address, ipaddress.IPv4Address):
        return ()
    inside = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64 or (int(address) >> 32) & 0xFFFFFFFF in _ISATAP:
        inside.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return tuple(each for each in inside if each is not None)
