"""The command ``fetch`` in this process, with waits that take no time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from verifier.collect.http import Client, ClientLimits, Waits
from verifier.collect.store import Recorder, Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import httpx

__all__ = ["Clock", "Done", "client", "recorder", "tree"]


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


@dataclass(slots=True)
class Clock:
    """Time that passes only when somebody sleeps."""

    seconds: float = 0.0
    slept: list[float] = field(default_factory=list)
    drawn: float = 0.5

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.slept.append(seconds)
        self.seconds += seconds

    def waits(self) -> Waits:
        """What a client takes from here."""
        return Waits(
            now=lambda: 1_790_000_000_000 + round(self.seconds * 1000),
            clock=lambda: self.seconds,
            sleep=self.sleep,
            random=lambda: self.drawn,
        )


def client(
    transport: httpx.BaseTransport | None = None, clock: Clock | None = None, **limits: Any
) -> Client:
    """A client whose waits take no time, without a limit on its rate."""
    return Client(
        allow_private=True,
        limits=ClientLimits(**limits),
        rate=1e9,
        waits=(clock or Clock()).waits(),
        transport=transport,
    )


def recorder(http: Client, folder: Path) -> Iterator[tuple[Recorder, Store]]:
    """A client that keeps what it is told in a folder."""
    with http, Store(folder, {"command": "test"}) as store:
        yield Recorder(http, store), store


def tree(root: Path) -> dict[str, bytes]:
    """All files below a folder, the hidden ones too."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
