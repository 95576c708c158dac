"""Settings of the whole suite: no network, and the same examples in every CI run."""

import os
import socket
from typing import Any, Final, NoReturn

import pytest
from hypothesis import settings

collect_ignore_glob: Final = ["bench/bench_*.py"]  # programs, run by `make bench`

# A shared machine may stall any example, so none has a deadline.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> NoReturn:
        message = "a test reached for the network"
        raise AssertionError(message)

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
