"""
What was fetched, on disk: every exchange, and the bundle that came of them.

::

    DIR/
      exchanges/index.jsonl       one line an exchange, in the order in which they were made
      exchanges/ab/abcd...        bodies by their sha256
      bundle/                     the evidence bundle, or evidence/<16 hex>/ for each of a site's
      fetch.json                  what was asked for, and how it ended

A line of ``index.jsonl`` is canonical JSON with the members ``at`` (UTC, ms),
``body`` (sha256), ``bytes``, ``headers``, ``method``, ``request`` (sha256 of the
body that was sent, null for none), ``status``, ``url``, and ``from`` where a
redirect led elsewhere.

Every file is written beside its place and renamed into it. A process that is
killed therefore leaves whole files, whole lines but perhaps the last, and a
``fetch.json`` that says ``running``. The same command then goes on: an exchange
that is on disk is not made again, once its body still has its hash.

Nothing is ever written outside DIR: paths are those that a bundle may hold
(:mod:`verifier.bundle.paths`), and no folder on the way may be a link.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Self, TypeVar

from verifier.bundle.paths import check_member, path_fault, printable
from verifier.collect.errors import CollectError
from verifier.collect.port import Exchange, Request
from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.core.shape import Obj
from verifier.errors import BundleError, EvidenceError, UsageError
from verifier.folder import BESIDE, beside, content_of, hold, place_in, put
from verifier.limits import BundleLimits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from types import TracebackType

    from verifier.collect.port import Http
    from verifier.core.jsonread import JsonValue

__all__ = ["FORMAT", "Recorder", "Store"]

FORMAT: Final = "tallyproof-fetch/1"
_STATE: Final = "fetch.json"
_INDEX: Final = "exchanges/index.jsonl"
_MEMBERS: Final = ("at", "body", "bytes", "headers", "method", "request", "status", "url")
_LIMITS: Final = BundleLimits()

Read = TypeVar("Read")
_Key = tuple[str, str, str | None]


class Store:
    """
    A folder of fetched things; a context manager that keeps others out of it.

    Args:
        folder: DIR; made if it is not there.
        source: What is fetched from where: the same for a command that goes on.

    Raises:
        UsageError: The folder holds something else, is in use, or cannot be written.
    """

    def __init__(self, folder: Path, source: Mapping[str, JsonValue]) -> None:
        self.folder = folder
        self._source = dict(source)
        self._known: dict[_Key, JsonValue] = {}
        self._lock = hold(folder, "fetch")
        try:
            self.done = self._begin()
        except BaseException:
            os.close(self._lock)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._lock)

    def find(self, request: Request) -> Exchange | None:
        """Give the last exchange of this request, if its body is still what it was."""
        line = self._known.get(_key(request))
        if line is None:
            return None
        record = Obj(line, (), open_ended=True)
        try:
            body = content_of(self._body(record.text("body")))
            at = _ms(record.text("at"))
        except (OSError, OverflowError, ValueError, EvidenceError):
            return None  # it is asked for again
        if sha256(body).hexdigest() != record.text("body"):
            return None
        headers = Obj(record.value["headers"], (), pointer="/headers", open_ended=True)
        return Exchange(
            request,
            record.text("url"),
            record.integer("status"),
            tuple((name, headers.text(name)) for name in headers.value),
            at,
            body,
        )

    def record(self, exchange: Exchange) -> None:
        """Keep an exchange."""
        request = exchange.request
        digest = exchange.sha256
        line: dict[str, JsonValue] = {
            "at": _time(exchange.at),
            "body": digest,
            "bytes": len(exchange.body),
            "headers": dict(exchange.headers),
            "method": request.method,
            "request": None if request.body is None else sha256(request.body).hexdigest(),
            "status": exchange.status,
            "url": exchange.url,
        }
        if exchange.url != request.url:
            line["from"] = request.url
        with self._writing():
            place = self._body(digest)
            if not place.is_file() or sha256(place.read_bytes()).hexdigest() != digest:
                put(place, exchange.body, lasting=False)
            if request.body is not None:
                put(self._body(sha256(request.body).hexdigest()), request.body, lasting=False)
            with self._safe(_INDEX).open("ab") as file:
                file.write(canonical_bytes(line) + b"\n")
        self._known[_key(request)] = line

    def place(self, path: str, content: bytes) -> None:
        """
        Put a file of what was fetched in its place.

        Args:
            path: Relative to DIR, ``/`` between its parts.
            content: All of it.

        Raises:
            BundleError: The path is none that a bundle may hold.
        """
        with self._writing():
            place = self._safe(path)
            stored = self._body(sha256(content).hexdigest())
            if stored.is_file():
                # One copy on disk; file systems without hard links get a second.
                linked = beside(place)
                with suppress(OSError):
                    linked.unlink(missing_ok=True)
                    os.link(stored, linked)
                    linked.replace(place)
                    return
            put(place, content, lasting=False)

    def holds(self, path: str, digest: str) -> bool:
        """Tell whether a file is in its place, with this hash."""
        try:
            return sha256(content_of(self._safe(path))).hexdigest() == digest
        except (OSError, EvidenceError):
            return False

    def keep_only(self, folder: str, paths: set[str]) -> None:
        """Remove what lies in a folder of the result and is not, or no longer, part of it."""
        with self._writing():
            root = self._safe(folder)
            for place in sorted(root.rglob("*"), reverse=True):
                if place.is_dir() and not place.is_symlink():
                    with suppress(OSError):
                        place.rmdir()
                elif place.relative_to(root).as_posix() not in paths:
                    place.unlink()

    def finish(self, result: Mapping[str, JsonValue]) -> None:
        """Say in ``fetch.json`` how it ended."""
        with self._writing():
            self._write_state("done", result)

    def _begin(self) -> bool:
        state = self.folder / _STATE
        with self._writing():
            if not state.exists():
                # What a process that was killed at once has left is no reason to refuse.
                others = [
                    entry.name
                    for entry in self.folder.iterdir()
                    if not entry.name.startswith(BESIDE)
                ]
                if others:
                    raise UsageError(
                        f"{self.folder}: holds {printable(min(others))}, and no {_STATE} of a fetch"
                    )
                self._write_state("running", None)
                (self.folder / "exchanges").mkdir()
                return False
            try:
                found = Obj(read_json(content_of(state)), ("format", "source", "state", "result"))
            except EvidenceError as error:
                raise UsageError(f"{state}: is no state of a fetch: {error}") from None
            if found.value["format"] != FORMAT or found.value["source"] != self._source:
                raise UsageError(
                    f"{self.folder}: was fetched with other arguments; take another folder"
                )
            self._read_index()
        return found.value["state"] == "done"

    def _read_index(self) -> None:
        place = self._safe(_INDEX)
        place.parent.mkdir(exist_ok=True)
        for left in place.parent.glob(f"*/{BESIDE}*"):
            left.unlink()
        if not place.exists():
            return
        data = content_of(place)
        whole = data.rfind(b"\n") + 1
        for number, line in enumerate(data[:whole].splitlines(), 1):
            try:
                members = Obj(read_json(line), _MEMBERS, ("from",))
                asked = members.value.get("from", members.text("url"))
                key = (members.text("method"), str(asked), members.text_or_null("request"))
            except EvidenceError as error:
                raise UsageError(f"{place}:{number}: is no exchange: {error}") from None
            self._known[key] = members.value
        if whole < len(data):
            # The last line of a process that was killed while it wrote.
            with place.open("r+b") as file:
                file.truncate(whole)

    def _write_state(self, state: str, result: Mapping[str, JsonValue] | None) -> None:
        value: dict[str, JsonValue] = {
            "format": FORMAT,
            "result": None if result is None else dict(result),
            "source": self._source,
            "state": state,
        }
        put(self.folder / _STATE, canonical_bytes(value) + b"\n", lasting=False)

    def _body(self, digest: str) -> Path:
        return self._safe(f"exchanges/{digest[:2]}/{digest}")

    def _safe(self, path: str) -> Path:
        check_member(path, _LIMITS)
        fault = path_fault(path)
        if fault is not None:
            raise BundleError(fault, file=printable(path))
        return place_in(self.folder, path)

    def _writing(self) -> _Writing:
        return _Writing(self.folder)


class _Writing:
    """Turns what the file system refuses into our error."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> None:
        if isinstance(error, OSError):
            place = error.filename or self._folder
            raise UsageError(f"{place}: cannot be written: {error.strerror}") from None


class Recorder:
    """
    An :class:`~verifier.collect.port.Http` that keeps what it is told, and asks nothing twice.

    Args:
        http: Asks.
        store: Keeps.
        progress: Called with the URL of every exchange.
    """

    def __init__(
        self, http: Http, store: Store, progress: Callable[[str], None] | None = None
    ) -> None:
        self._http = http
        self._store = store
        self._progress = progress

    def send(self, request: Request) -> Exchange:
        """Give the exchange that is on disk, or make it; what was not served is asked again."""
        kept = self._store.find(request)
        return self.anew(request) if kept is None or kept.status != 200 else kept

    def read(self, request: Request, reader: Callable[[Exchange], Read]) -> Read:
        """
        Ask, and read the answer; one that cannot be read is asked for once more.

        A copy that was cut in a cache on the way is thus replaced, and one that
        was kept before an interruption never stands in the way for ever.
        """
        try:
            return reader(self.send(request))
        except (CollectError, EvidenceError):
            return reader(self.anew(request))

    def anew(self, request: Request) -> Exchange:
        """Ask, whatever is on disk."""
        if self._progress is not None:
            self._progress(request.url)
        exchange = self._http.send(request)
        self._store.record(exchange)
        return exchange


def _key(request: Request) -> _Key:
    body = None if request.body is None else sha256(request.body).hexdigest()
    return request.method, request.url, body


def _time(ms: int) -> str:
    moment = datetime.fromtimestamp(ms / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03}Z"


def _ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)
