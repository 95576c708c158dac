"""
Looking at a site on this computer: a small server for the loopback interface alone.

It serves the files of one folder under a prefix, by GET and HEAD, and nothing else: no
listing of folders, no way out of the folder, no file that a link leads to outside of it.
What is not there is answered with the site's own ``404.html``, whose links are made to
start at the prefix, since nobody knows how deep the address was. The headers are
those that a careful host would send.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from verifier.errors import SiteError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SiteServer", "make_server"]

_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".jsonl": "application/jsonl; charset=utf-8",
    ".parquet": "application/vnd.apache.parquet",
    ".png": "image/png",
    ".svg": "image/svg+xml; charset=utf-8",
    ".toml": "application/toml; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".xml": "application/xml; charset=utf-8",
    ".zip": "application/zip",
}
_HEADERS: Final = {
    # What a meta tag cannot say; the pages' own policy holds on top of it.
    "Content-Security-Policy": "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "object-src 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}
_PREFIX: Final = re.compile(r"/(?:[0-9A-Za-z_~-][0-9A-Za-z._~-]*/)*")
_RELATIVE: Final = re.compile(rb' (href|src|data-root)="(?![a-z]+:|#|/)')
_CHUNK: Final = 1 << 18


class SiteServer(ThreadingHTTPServer):
    """
    Serves one folder.

    Args:
        folder: The site.
        port: Where to listen; 0 takes a free one.
        prefix: Path under which it is served, with a ``/`` at both ends.
    """

    daemon_threads = True

    def __init__(self, folder: Path, port: int, prefix: str) -> None:
        self.folder = folder.resolve()
        self.prefix = prefix
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def url(self) -> str:
        """Address of the home page."""
        return f"http://127.0.0.1:{self.server_port}{self.prefix}"


def make_server(folder: Path, *, port: int = 0, prefix: str = "/") -> SiteServer:
    """
    Open a server; its ``serve_forever`` answers until it is interrupted.

    Raises:
        SiteError: No such folder, a prefix that is none, or the port is taken.
    """
    if not (folder / "index.html").is_file():
        raise SiteError(f"{folder}: no site: it has no index.html")
    if not _PREFIX.fullmatch(prefix):
        raise SiteError(f"the prefix {prefix!a} does not begin and end in /, or holds more")
    try:
        return SiteServer(folder, port, prefix)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SiteError(f"port {port} of 127.0.0.1 cannot be used: {reason}") from None


class _Handler(BaseHTTPRequestHandler):
    server: SiteServer
    server_version = "tallyproof"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        """Answer with a file."""
        self._answer(body=True)

    def do_HEAD(self) -> None:
        """Answer with the headers of a file."""
        self._answer(body=False)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named by the library
        """Say nothing: the browser shows what is wrong."""

    def _answer(self, *, body: bool) -> None:
        try:
            asked = urlsplit(self.path).path
        except ValueError:  # such as http://[
            self._missing(body=body)
            return
        path = unquote(asked, errors="surrogateescape")
        prefix = self.server.prefix
        if path == prefix.rstrip("/") and path:
            self._redirect(prefix)
            return
        if not path.startswith(prefix):
            self._missing(body=body)
            return
        within = path[len(prefix) :]
        file = self._find(within or "index.html")
        if file is not None:
            self._send(file, body=body)
        elif self._find(f"{within.rstrip('/')}/index.html".lstrip("/")) is not None:
            found = self._find(f"{within}index.html")
            if not path.endswith("/"):
                self._redirect(f"{asked}/")
            elif found is None:  # two slashes at the end
                self._missing(body=body)
            else:
                self._send(found, body=body)
        else:
            self._missing(body=body)

    def _find(self, path: str) -> Path | None:
        if "\0" in path or any(part in {"", ".", ".."} for part in path.split("/")):
            return None
        try:
            file = (self.server.folder / path).resolve()
            inside = file.is_relative_to(self.server.folder) and file.is_file()
        except (OSError, ValueError):
            return None
        return file if inside else None

    def _send(self, file: Path, *, body: bool) -> None:
        try:
            with file.open("rb") as opened:
                size = file.stat().st_size
                self._head(HTTPStatus.OK, _TYPES.get(file.suffix, "application/octet-stream"), size)
                while body and (chunk := opened.read(_CHUNK)):
                    self.wfile.write(chunk)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _missing(self, *, body: bool) -> None:
        page = self._find("404.html")
        content = b"not found\n" if page is None else page.read_bytes()
        prefix = self.server.prefix.encode()
        content = _RELATIVE.sub(rb' \1="' + prefix, content)
        self._head(HTTPStatus.NOT_FOUND, _TYPES[".txt" if page is None else ".html"], len(content))
        if body:
            self.wfile.write(content)

    def _redirect(self, to: str) -> None:
        self.send_response(HTTPStatus.MOVED_PERMANENTLY)
        # One slash: an address that begins with two would name another host.
        self.send_header("Location", "/" + to.lstrip("/"))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _head(self, status: HTTPStatus, kind: str, size: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(size))
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
