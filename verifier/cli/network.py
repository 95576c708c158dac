"""Options of the commands that ask a network, and the client that they describe."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer

from verifier.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verifier.collect.http import Client

__all__ = [
    "MaxResponseOption",
    "MaxSecondsOption",
    "MaxTotalOption",
    "Network",
    "PrivateOption",
    "RateOption",
    "TimeoutOption",
    "needing",
]

PrivateOption = Annotated[
    bool, typer.Option("--allow-private", help="Ask private and loopback addresses too.")
]
RateOption = Annotated[
    float,
    typer.Option(
        "--rate", min=0.1, max=1000.0, help="Requests a second to one host.", show_default=True
    ),
]
TimeoutOption = Annotated[
    float,
    typer.Option(
        "--timeout", min=0.1, max=3600.0, help="Seconds to wait for bytes.", show_default=True
    ),
]
MaxResponseOption = Annotated[
    int,
    typer.Option(
        "--max-response", min=1, help="Most MiB of one answer, unpacked.", show_default=True
    ),
]
MaxTotalOption = Annotated[
    int, typer.Option("--max-total", min=1, help="Most MiB of all answers.", show_default=True)
]

MaxSecondsOption = Annotated[
    float,
    typer.Option("--max-seconds", min=1.0, help="Seconds of the whole run.", show_default=True),
]

_LIBRARIES: Final = frozenset({"httpcore", "httpx", "tenacity", "web3"})


@dataclass(frozen=True, slots=True)
class Network:
    """
    What the caller lets a command ask, and how patiently.

    Args:
        allow_private: Take addresses of the caller's own network.
        rate: Requests a second to one host.
        timeout: Seconds to wait for bytes; a whole answer may take twenty times as long.
        max_response: MiB of one answer, unpacked.
        max_total: MiB of all answers.
        max_seconds: Seconds of the whole run.
        requests: Requests in all.
        rates: Other rates, by host.
    """

    allow_private: bool
    rate: float
    timeout: float
    max_response: int = 256
    max_total: int = 16_384
    max_seconds: float = 21_600.0
    requests: int = 1_000_000
    rates: Mapping[str, float] | None = None

    def client(self) -> Client:
        """
        Open the client, a context manager.

        Raises:
            ModuleNotFoundError: An extra is missing; see :func:`needing`.
        """
        from verifier.collect.http import Client, ClientLimits  # noqa: PLC0415 - an extra

        return Client(
            allow_private=self.allow_private,
            limits=ClientLimits(
                response_bytes=self.max_response << 20,
                total_bytes=self.max_total << 20,
                requests=self.requests,
                idle_seconds=self.timeout,
                response_seconds=20 * self.timeout,
                total_seconds=self.max_seconds,
            ),
            rate=self.rate,
            rates=self.rates,
        )


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """
    Name the extra that brings a library which an import inside did not find.

    Raises:
        UsageError: A library of the extra is missing.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in _LIBRARIES:
            raise
        raise UsageError(
            f"asking a network needs {error.name}: pip install 'tallyproof[{extra}]'"
        ) from None
