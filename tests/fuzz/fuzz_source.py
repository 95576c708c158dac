"""
Files of a site's maintainer and of those who send corrections, and requests to its server.

The first line of an input says what the rest is: ``site.toml``, an ``erratum``, or a
``request`` to ``site serve``. Files are read or are one error of ours; a request is answered,
and never with what lies outside of the site.
"""

import atexit
import shutil
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from tempfile import mkdtemp
from types import SimpleNamespace
from typing import Any, Final

from sitegen.config import parse_config
from sitegen.content import Content, read_errata
from sitegen.serve import _Handler
from verifier.errors import SiteError

ROOT: Final = Path(mkdtemp(prefix="tallyproof-"))
atexit.register(shutil.rmtree, ROOT)
ERRATUM: Final = ROOT / "errata" / "one.md"
ERRATUM.parent.mkdir()
SECRET: Final = b"lies beside the site"
SITE: Final = ROOT / "site"
(SITE / "seasons").mkdir(parents=True)
(SITE / "index.html").write_bytes(b'<a href="seasons/">home</a>')
(SITE / "seasons" / "index.html").write_bytes(b"seasons")
(SITE / "404.html").write_bytes(b'<a href="index.html">not there</a>')
(SITE / "link").symlink_to(ROOT / "secret")
(ROOT / "secret").write_bytes(SECRET)
# Prose and tables are the maintainer's, who does not attack himself with a megabyte.
LONGEST: Final = 4_096


class Wire:
    """A connection on which a request came in."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self.answer = b""

    def makefile(self, _mode: str, _buffering: int) -> BytesIO:
        """What was sent."""
        return BytesIO(self._request)

    def sendall(self, data: bytes) -> None:
        """Take the answer."""
        self.answer += bytes(data)

    def settimeout(self, _seconds: float) -> None:
        """Nothing is waited for."""


def one_input(data: bytes) -> None:
    """Read the rest of *data* as what its first line says."""
    name, _, content = data.partition(b"\n")
    if name == b"request":
        served(content)
    elif name == b"erratum":
        ERRATUM.write_bytes(content[:LONGEST])
        with suppress(SiteError):
            (erratum,) = read_errata(ERRATUM.parent, Content({}))
            assert "<script" not in erratum.html.lower()
            assert len(erratum.date) == 10
    else:
        with suppress(SiteError):
            config = parse_config(content[:LONGEST], file="site.toml")
            assert config.title.strip()
            assert config.base_url is None or config.base_url.endswith("/")


def served(request: bytes) -> None:
    """Answer under two prefixes."""
    for prefix in ("/", "/arena/"):
        wire: Any = Wire(request)
        server: Any = SimpleNamespace(folder=SITE.resolve(), prefix=prefix)
        _Handler(wire, ("127.0.0.1", 1), server)
        assert SECRET not in wire.answer
        assert not wire.answer or wire.answer.startswith((b"HTTP/1.", b"<", b"seasons"))
