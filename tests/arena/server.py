"""
A small arena on this machine, for tests and demonstrations.

It serves a folder (a bundle, or a whole site) and, for a bundle of ARCANA, the
platform's endpoints, over HTTP/1.1 on a free port of the loopback interface.
:mod:`arena.faults` are its switches. The same answers can be had without any
socket, through the transport of a client.

    PYTHONPATH=tests python -m arena.server fixtures/arcana-demo
"""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx
from arena.endpoints import Platform
from arena.faults import Faults, Sent


class Arena:
    """
    What is served, and how badly.

    Args:
        folder: A bundle, or a site.
        bundle: Whether its files are served, or the endpoints alone.
        endpoints: Whether ARCANA's endpoints are served.
    """

    def __init__(self, folder: Path, *, bundle: bool = True, endpoints: bool = True) -> None:
        self.folder = folder
        self.bundle = bundle
        self.endpoints = endpoints and (folder / "arcana").is_dir()
        self.faults = Faults()
        self.asked: list[str] = []
        self.url = "http://arena.example"

    @cached_property
    def platform(self) -> Platform:
        """The endpoints; read once, when one is first asked."""
        return Platform(self.folder)

    def answer(self, target: str) -> Sent:
        """Answer a request, faults and all."""
        self.asked.append(target)
        return self.faults.apply(target, self._honest(target))

    def _honest(self, target: str) -> Sent:
        path = unquote(urlsplit(target).path).lstrip("/")
        if self.endpoints and path.startswith("v1/"):
            status, body = self.platform.answer(target)
            return Sent(status, json.dumps(body).encode(), (("Content-Type", "application/json"),))
        place = (self.folder / path).resolve()
        inside = place.is_relative_to(self.folder.resolve())
        if self.bundle and inside and place.is_file():
            return Sent(200, place.read_bytes())
        return Sent(404, b"not found")

    def transport(self) -> httpx.MockTransport:
        """Answer a client without any socket; faults of the connection itself do not show."""

        def handle(request: httpx.Request) -> httpx.Response:
            sent = self.answer(request.url.raw_path.decode())
            stream = httpx.ByteStream(sent.body)
            return httpx.Response(sent.status, headers=list(sent.headers), stream=stream)

        return httpx.MockTransport(handle)

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Serve on a free port of the loopback interface, and give the address."""
        arena = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 1 << 16  # an answer goes out in one piece

            def do_GET(self) -> None:
                _send(self, arena.answer(self.path))

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, *_: Any) -> None:
                pass  # a client that leaves in the middle is no news

        server = Server(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield self.url
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


def _send(handler: BaseHTTPRequestHandler, sent: Sent) -> None:
    try:
        time.sleep(sent.delay)
        handler.send_response(sent.status)
        for name, value in sent.headers:
            handler.send_header(name, value)
        length = len(sent.body) if sent.length is None else sent.length
        handler.send_header("Content-Length", str(length))
        handler.end_headers()
        whole = sent.body if sent.cut is None else sent.body[: sent.cut]
        if sent.drip:
            for byte in whole:
                handler.wfile.write(bytes((byte,)))
                handler.wfile.flush()
                time.sleep(sent.drip)
        else:
            handler.wfile.write(whole)
        if sent.cut is not None or length != len(sent.body):
            handler.close_connection = True
        handler.wfile.flush()
    except OSError:  # the client has gone
        handler.close_connection = True


def main() -> None:
    """Serve a folder until interrupted."""
    with Arena(Path(sys.argv[1])).serving() as url:
        print(url, flush=True)  # noqa: T201 - a program
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
