"""
What an observer has seen, in a folder that only grows.

::

    DIR/
      observations/00000001-0000000000000000.json   one file an observation
      bodies/ab/abcd...                             what was served, by sha256
      checkpoints/00000001/                         heads (verifier.watch.heads)
      rewrites/1/                                   proofs (verifier.watch.rewrite)

The name of an observation (:mod:`verifier.watch.observations`) is its number and the
first 16 digits of the hash of the one before, which it holds in full: the files are a
hash chain, and the checkpoint of the observer's own log covers the last of them.
All that is checked whenever the folder is opened, and an edited file is named and refused.
Other files may lie beside these, such as those of git; ``.gitattributes`` keeps it from
changing the ends of lines.

Nothing is ever written twice. Bodies and heads come first, each written aside and
renamed, and the observation is last: without it, none of them counts. Bodies of
earlier observations than the last may be removed to save space.
"""

from __future__ import annotations

import os
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Self

from verifier.errors import EvidenceError, FormatError, UsageError
from verifier.folder import content_of, hold, place_in, put
from verifier.watch.exchanges import body_path, read_exchange
from verifier.watch.heads import OBSERVATIONS, Growth, check_head, head_files
from verifier.watch.observations import Seen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import TracebackType

    from Crypto.PublicKey.ECC import EccKey

    from verifier.watch.reading import Document, Reading

__all__ = ["State"]

_FOR_GIT: Final = ".gitattributes"

_NAME: Final = re.compile(r"([0-9]{8})-([0-9a-f]{16})\.json")


class State:
    """
    The folder of an observer; a context manager that keeps others out of it.

    Args:
        folder: DIR; made if it is not there.
        url: What is watched.
        keys: Name and PEM of each private Ed25519 key that signs its heads; with any, one of
            them must have signed the last.

    Raises:
        UsageError: It watches something else, is in use, or cannot be written.
        EvidenceError: A file in it is not as it was written; it is named.
    """

    def __init__(self, folder: Path, url: str, keys: Sequence[tuple[str, bytes]] = ()) -> None:
        self.folder = folder
        self._keys = [_key(name, pem) for name, pem in keys]
        self._lock = hold(folder, "watch")
        try:
            self.seen = self._load(url)
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

    def documents(self) -> tuple[Document, ...]:
        """
        Read back what was served at the last observation.

        Raises:
            EvidenceError: A body is missing, or is not what it was.
        """
        return tuple(
            read_exchange(line, self._body, f"/exchanges/{index}")
            for index, line in enumerate(self.seen.exchanges)
        )

    def checkpoints(self) -> dict[str, bytes]:
        """
        Read the files of the last observation's heads, by name.

        Raises:
            FormatError: They are not there.
        """
        folder = self.folder / _heads(self.seen.count)
        try:
            return {
                path.name: content_of(path)
                for path in sorted(folder.iterdir())
                if path.is_file() and not path.is_symlink() and not path.name.startswith(".")
            }
        except OSError as error:
            raise FormatError(f"cannot be read: {error.strerror}", file=str(folder)) from None

    def observe(self, source: str, reading: Reading) -> None:
        """
        Add an observation that extends all before it.

        Args:
            source: What kind of publisher it is.
            reading: What it shows; :func:`verifier.watch.reading.compare` found nothing.

        Raises:
            UsageError: The folder cannot be written.
        """
        seen = self.seen
        number = seen.count + 1
        content, logs = seen.write(source, reading)
        try:
            for document in reading.documents:
                path = body_path(sha256(document.body).hexdigest())
                place = self.folder / path
                if not place.is_file() or content_of(place) != document.body:
                    put(place_in(self.folder, path), document.body, lasting=True)
            if not (self.folder / _FOR_GIT).exists():
                put(place_in(self.folder, _FOR_GIT), b"* -text\n", lasting=True)
            self._clear(number)
            for growth in logs:
                for name, data in head_files(seen.url, growth, self._keys):
                    put(place_in(self.folder, f"{_heads(number)}/{name}"), data, lasting=True)
            name = f"{number:08}-{seen.previous[:16]}.json"
            put(place_in(self.folder, f"observations/{name}"), content, lasting=True)
        except OSError as error:
            place_name = error.filename or self.folder
            raise UsageError(f"{place_name}: cannot be written: {error.strerror}") from None
        seen.add(content)

    def _load(self, url: str) -> Seen:
        self.seen = seen = Seen()
        last = None
        for name in _names(self.folder):
            path = self.folder / "observations" / name
            try:
                _check_name(name, seen, last)
                seen.add(content_of(path))
            except OSError as error:
                raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
            except EvidenceError as error:
                raise error.in_file(str(path)) from None
            last = path
        if seen.count:
            if seen.url != url:
                raise UsageError(f"{self.folder}: watches {seen.url}, not {url}")
            logs = [Growth(f"{scope}/ledger", leaves, 0) for scope, leaves in seen.logs.items()]
            try:
                files = self.checkpoints()
                for log in (Growth(OBSERVATIONS, seen.own, 0), *logs):
                    check_head(seen.url, log, files, self._keys)
            except EvidenceError as error:
                raise error.in_file(str(self.folder / _heads(seen.count))) from None
        seen.url = url
        return seen

    def _clear(self, number: int) -> None:
        """Remove the heads of an observation that was never made."""
        folder = place_in(self.folder, _heads(number))
        for path in folder.iterdir() if folder.is_dir() else ():
            path.unlink()

    def _body(self, digest: str) -> bytes:
        path = self.folder / body_path(digest)
        try:
            return content_of(path)
        except OSError as error:
            raise FormatError(f"cannot be read: {error.strerror}", file=str(path)) from None


def _heads(number: int) -> str:
    return f"checkpoints/{number:08}"


def _check_name(name: str, seen: Seen, last: Path | None) -> None:
    """Check that a file's name makes it the next observation; *last* is the file before."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise FormatError("is no observation")
    if int(match[1]) != seen.count + 1:
        raise FormatError(f"observation {seen.count + 1}, before this one, is missing")
    if match[2] != seen.previous[:16]:
        raise FormatError(
            f"was edited: its sha256 is {seen.previous}, and {name} follows another",
            file=None if last is None else str(last),
        )


def _names(folder: Path) -> list[str]:
    try:
        with os.scandir(folder / "observations") as entries:
            return sorted(entry.name for entry in entries if not entry.name.startswith("."))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(f"{folder}: cannot be read: {error.strerror}") from None


def _key(name: str, pem: bytes) -> EccKey:
    from verifier.core.dsse import private_key  # noqa: PLC0415 - few observers sign

    try:
        return private_key(pem)
    except EvidenceError as error:
        raise error.in_file(name) from None
