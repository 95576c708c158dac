"""A connection goes to an address that was checked, and TLS still speaks to the name."""

import ssl
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from fetching import Clock
from programs import needs, path_of

from verifier.collect.connection import PinnedTransport
from verifier.collect.errors import CollectError
from verifier.collect.http import Client, ClientLimits
from verifier.collect.port import get

pytestmark = needs("openssl")

NAME = "named.example"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for the name, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    command = [path_of("openssl"), "req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"]
    command += ["-pkeyopt", "ec_paramgen_curve:prime256v1", "-keyout", str(key)]
    command += ["-out", str(cert), "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"]
    subprocess.run(command, check=True, capture_output=True)
    return cert, key


@pytest.fixture
def port(certificate: tuple[Path, Path]) -> Iterator[int]:
    """Where a server with that certificate listens."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(self.headers["host"].encode())

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: Any) -> None:
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    server = Server(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield server.server_port
    server.shutdown()
    server.server_close()
    thread.join()


def client_to(certificate: Path | None) -> Client:
    """A client for which every name is this machine."""
    transport = PinnedTransport(
        allow_private=True,
        resolver=lambda *_: ["127.0.0.1"],
        ssl_context=None if certificate is None else ssl.create_default_context(cafile=certificate),
    )
    return Client(
        waits=Clock().waits(), transport=transport, limits=ClientLimits(attempts=2), rate=1e9
    )


def test_the_certificate_is_the_names(certificate: tuple[Path, Path], port: int) -> None:
    """The name is what is asked for and what the certificate must be of."""
    with client_to(certificate[0]) as http:
        assert get(http, f"https://{NAME}:{port}/").body == f"{NAME}:{port}".encode()


@pytest.mark.parametrize("name", ["other.example", "127.0.0.1"])
def test_a_certificate_of_another_name(
    certificate: tuple[Path, Path], port: int, name: str
) -> None:
    """It is refused, also when the address is the right one."""
    with client_to(certificate[0]) as http, pytest.raises(CollectError, match="certificate"):
        get(http, f"https://{name}:{port}/")


def test_a_certificate_that_nobody_signed(port: int) -> None:
    """It is refused."""
    with client_to(None) as http, pytest.raises(CollectError, match="certificate"):
        get(http, f"https://{NAME}:{port}/")
