"""The server for looking at a site: files of one folder, on loopback, and nothing else."""

from __future__ import annotations

import socket
import threading
from http.client import HTTPResponse
from typing import TYPE_CHECKING

import pytest

from sitegen.serve import SiteServer, make_server
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

POLICY = "frame-ancestors 'none'"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A small site, with a secret beside it."""
    (tmp_path / "secret.txt").write_text("secret")
    root = tmp_path / "dist"
    (root / "a b").mkdir(parents=True)
    (root / "index.html").write_text("home")
    (root / "404.html").write_text('<link href="assets/x.css"><a href="#x"> <a href="https://h/">')
    (root / "a b" / "index.html").write_text("page")
    (root / "data.json").write_bytes(b"{}")
    (root / "out").symlink_to(tmp_path / "secret.txt")
    return root


@pytest.fixture
def server(site: Path) -> Iterator[SiteServer]:
    """A server of the site under a prefix."""
    with make_server(site, prefix="/sub/path/") as opened:
        yield opened


def ask(server: SiteServer, line: str) -> tuple[int, dict[str, str], bytes]:
    """Send one request over a pair of sockets, since tests open no connection."""
    ours, theirs = socket.socketpair()
    thread = threading.Thread(
        target=server.finish_request, args=(theirs, ("127.0.0.1", 0)), daemon=True
    )
    with ours, theirs:
        thread.start()
        ours.sendall(f"{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        answer = HTTPResponse(ours, method=line.split(" ", 1)[0])
        answer.begin()
        body = answer.read()
        thread.join()
    return answer.status, dict(answer.getheaders()), body


def test_files_are_served_with_their_type(server: SiteServer) -> None:
    """A page, a page of a folder, and data, each under the prefix."""
    for path, kind, body in (
        ("/sub/path/", "text/html; charset=utf-8", b"home"),
        ("/sub/path/index.html", "text/html; charset=utf-8", b"home"),
        ("/sub/path/a%20b/", "text/html; charset=utf-8", b"page"),
        ("/sub/path/a%20b/index.html?x#y", "text/html; charset=utf-8", b"page"),
        ("/sub/path/data.json", "application/json; charset=utf-8", b"{}"),
    ):
        status, headers, found = ask(server, f"GET {path}")
        assert (status, headers["Content-Type"], found) == (200, kind, body)
        assert POLICY in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_folders_and_the_prefix_lead_to_a_slash(server: SiteServer) -> None:
    """Relative links need the slash at the end, and never lead to another host."""
    assert ask(server, "GET /sub/path")[1]["Location"] == "/sub/path/"
    assert ask(server, "GET /sub/path/a%20b")[1]["Location"] == "/sub/path/a%20b/"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/secret.txt",
        "/sub/path/../secret.txt",
        "/sub/path/%2e%2e/secret.txt",
        "/sub/path/..%2fsecret.txt",
        "/sub/path/a%20b/../../secret.txt",
        "/sub/path//etc/passwd",
        "/sub/path/out",
        "/sub/path/%00",
        "/sub/path/%ff",
        "/sub/path/a%20b//",
        "http://[",
        "/sub/path/missing/deep/page.html",
    ],
)
def test_nothing_outside_and_nothing_that_is_not_there(server: SiteServer, path: str) -> None:
    """Every other address is answered with the site's own page, whose links still hold."""
    status, headers, body = ask(server, f"GET {path}")
    assert status == 404
    assert b"secret" not in body
    assert body == b'<link href="/sub/path/assets/x.css"><a href="#x"> <a href="https://h/">'
    assert headers["Content-Type"].startswith("text/html")


def test_head_sends_no_body(server: SiteServer) -> None:
    """HEAD answers with the headers of GET."""
    status, headers, body = ask(server, "HEAD /sub/path/data.json")
    assert (status, headers["Content-Length"], body) == (200, "2", b"")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_can_be_changed(server: SiteServer, method: str) -> None:
    """Only GET and HEAD are known."""
    assert ask(server, f"{method} /sub/path/")[0] == 501


def test_only_this_computer_is_served(server: SiteServer) -> None:
    """The server listens on the loopback interface, at a free port."""
    assert server.server_address[0] == "127.0.0.1"
    assert server.url == f"http://127.0.0.1:{server.server_port}/sub/path/"


@pytest.mark.parametrize("prefix", ["", "x", "/x", "//x//", "/a?b/", "/../"])
def test_a_prefix_has_a_slash_at_both_ends(site: Path, prefix: str) -> None:
    """A prefix that no host would use is refused."""
    with pytest.raises(SiteError, match="prefix"):
        make_server(site, prefix=prefix)


def test_a_folder_without_a_home_page_is_no_site(tmp_path: Path) -> None:
    """What cannot be shown is said before a port is opened."""
    with pytest.raises(SiteError, match=r"index\.html"):
        make_server(tmp_path)


def test_a_taken_port_is_said(site: Path, server: SiteServer) -> None:
    """One line says that the port cannot be used."""
    with pytest.raises(SiteError, match="cannot be used"):
        make_server(site, port=server.server_port)
