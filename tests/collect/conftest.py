"""Tests of collecting may reach this machine, and nothing else."""

import socket
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from fetching import Clock, Done

from verifier.cli import main
from verifier.collect import http


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect
    resolve = socket.getaddrinfo

    def connect_here(sock: socket.socket, address: Any) -> None:
        assert address[0] in {"127.0.0.1", "::1"}, "a test reached for the network"
        connect(sock, address)

    def resolve_here(host: Any, *rest: Any, **more: Any) -> Any:
        assert host in {"127.0.0.1", "localhost"}, "a test reached for the network"
        return resolve(host, *rest, **more)

    monkeypatch.setattr(socket.socket, "connect", connect_here)
    monkeypatch.setattr(socket, "getaddrinfo", resolve_here)


@pytest.fixture
def fetch(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Done]:
    """Run ``tallyproof fetch`` here, on private addresses, with waits that take no time."""
    clock = Clock()
    waits = clock.waits()
    monkeypatch.setattr(
        http,
        "Waits",
        partial(http.Waits, sleep=clock.sleep, random=waits.random),
    )

    def run(*arguments: Any, private: bool = True) -> Done:
        given = [str(each) for each in arguments]
        options = ["--allow-private"] if private else []
        with pytest.raises(SystemExit) as leaving:
            main(["fetch", *given, *options])
        captured = capsys.readouterr()
        assert isinstance(leaving.value.code, int)
        return Done(leaving.value.code, captured.out, captured.err)

    return run
