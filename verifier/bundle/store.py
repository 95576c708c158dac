"""
A store that fsspec reaches: listing a folder, reading a range, and nothing else.

Whatever a store answers is as hostile as the bundle itself. A name is taken only
if it lies directly in the folder that was listed, a range only if it is no longer
than what was asked for, and anything that the library of a store raises becomes
one error of ours. No listing and no byte is kept by the library: what it would
remember is forgotten after each listing, and file systems that lie on top of
others, such as those that keep copies on the disk, are refused.

Connections do not survive a fork, so a process that finds itself with those of
another makes its own. Those of the other are kept, untouched, since closing them
would speak over connections that the other still uses.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from verifier.bundle.location import shown
from verifier.bundle.paths import printable
from verifier.errors import BundleError, TallyproofError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Entry", "Store"]

_EXTRA: Final = "needs the extra: pip install tallyproof[fsspec]"
_WEB: Final = frozenset(("http", "https"))
_ON_TOP: Final = frozenset(
    (
        *("async_wrapper", "asynclocal", "asyncwrapper", "blockcache", "cached", "dask", "dir"),
        *("filecache", "generic", "libarchive", "reference", "simplecache", "tar", "zip"),
    )
)
_REASON: Final = 200
# Connections of the process that this one was forked from.
_of_another: list[object] = []


@dataclass(frozen=True, slots=True)
class Entry:
    """
    What a folder of a store holds.

    Args:
        name: Its name in the folder, not checked yet.
        folder: Whether it is a folder.
        size: Bytes of a file, as the store states them.
    """

    name: str
    folder: bool
    size: int


class Store:
    """
    A place in a store, and all that is below it.

    Args:
        url: The place, with a single scheme.

    Raises:
        UsageError: A URL that is no single place of a store.
    """

    __slots__ = ("_files", "_process", "_root", "_url", "name")

    def __init__(self, url: str) -> None:
        self.name = shown(url)
        scheme = url.partition("://")[0]
        if "::" in url:
            raise UsageError(f"{self.name}: URLs that are chained by :: are not opened")
        if scheme in _ON_TOP:
            raise UsageError(f"{self.name}: {scheme} lies on top of another store, name that one")
        if scheme in _WEB:
            raise UsageError(
                f"{self.name}: bundles of the web are brought by: tallyproof fetch bundle"
            )
        self._url = url
        self._files: Any = None
        self._root = ""
        self._process = 0

    def detached(self) -> Self:
        """Return a copy without connections, which can be pickled."""
        return type(self)(self._url)

    def close(self) -> None:
        """Let go of all connections; closing twice is fine."""
        if self._files is not None and self._process != os.getpid():
            _of_another.append(self._files)
        self._files = None

    def file_size(self) -> int | None:
        """
        Tell how large the place itself is; None if it is a folder.

        Raises:
            BundleError: Nothing is there, or it is neither.
            UsageError: The store cannot be used.
        """
        with self._asking("cannot be opened"):
            files = self._connected()
            files.invalidate_cache()
            found = files.info(self._root)
            kind = _kind(found)
            if kind not in {"directory", "file"}:
                raise BundleError(f"is {kind}")
            return None if kind == "directory" else _size(found)

    def entries(self, folder: str) -> Iterator[Entry]:
        """
        List a folder.

        Args:
            folder: Its path below the place; empty for the place itself.

        Raises:
            BundleError: It cannot be listed, or holds what is neither file nor folder.
        """
        with self._asking("cannot be listed"):
            files = self._connected()
            files.invalidate_cache()
            whole = self._whole(folder)
            for found in files.ls(whole, detail=True):
                entry = _entry(whole.strip("/"), folder, found)
                if entry is not None:
                    yield entry
            files.invalidate_cache()

    def read(self, path: str, start: int, stop: int) -> bytes:
        """
        Read a range of a file; what is beyond its end is left out.

        Raises:
            BundleError: It cannot be read.
        """
        with self._asking("cannot be read"):
            data = self._connected().cat_file(self._whole(path), start=start, end=stop)
            return _bytes(data, stop - start)

    def check_empty(self, path: str) -> None:
        """
        Insist that a file has no bytes, of which no range can be asked for.

        Raises:
            BundleError: It has some, or is not there.
        """
        with self._asking("cannot be read"):
            files = self._connected()
            files.invalidate_cache()
            found = files.info(self._whole(path))
            if _kind(found) == "directory" or _size(found):
                raise BundleError("is no longer empty")

    def _whole(self, path: str) -> str:
        return f"{self._root}/{path}" if path else self._root

    def _connected(self) -> Any:  # noqa: ANN401 - a file system of a library without types
        if self._files is not None and self._process != os.getpid():
            self.close()
            from fsspec.asyn import reset_lock  # noqa: PLC0415 - as below

            # Its thread did not survive the fork. Later releases see that by themselves.
            reset_lock()
        if self._files is None:
            self._files, root = _connect(self._url, self.name)
            self._root = root.rstrip("/")
            self._process = os.getpid()
        return self._files

    @contextmanager
    def _asking(self, what: str) -> Iterator[None]:
        """Turn whatever the library of a store raises into one error."""
        try:
            yield
        except (TallyproofError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - each library has exceptions of its own
            raise BundleError(f"{what}: {_told(error)}") from None


def _connect(url: str, name: str) -> tuple[Any, str]:
    try:
        from fsspec.core import get_filesystem_class, url_to_fs  # noqa: PLC0415 - an extra
    except ImportError:
        raise UsageError(f"{name}: {_EXTRA}") from None
    scheme = url.partition("://")[0]
    try:
        get_filesystem_class(scheme)
    except (ImportError, ValueError) as error:
        raise UsageError(f"{name}: {_line(error)}") from None
    # Instances that others share may keep listings, and belong to other threads.
    files, root = url_to_fs(url, protocol=scheme, skip_instance_cache=True)
    if not isinstance(root, str):
        raise BundleError("is not a single place")
    return files, root


def _entry(whole: str, folder: str, found: Any) -> Entry | None:  # noqa: ANN401 - as above
    """Take what a store lists in a folder; None for the mark of the folder itself."""
    listed, kind = found["name"], _kind(found)
    if not isinstance(listed, str):
        raise BundleError("the store lists a name that is no text")
    # Some libraries begin paths with a slash and others do not.
    name = listed.lstrip("/")
    if name.rstrip("/") == whole:
        if kind != "directory" and _size(found):
            raise BundleError("is no folder")
        return None
    above = f"{whole}/" if whole else ""
    if not name.startswith(above):
        raise BundleError(f"the store lists what lies elsewhere: {printable(listed[:_REASON])}")
    name = name.removeprefix(above)
    if kind == "directory":
        name = name.removesuffix("/")
    if "/" in name:
        raise BundleError(f"the store lists what lies deeper: {printable(listed[:_REASON])}")
    if kind == "directory":
        return Entry(name, folder=True, size=0)
    if kind != "file":
        raise BundleError(f"is {kind}", file=printable(f"{folder}/{name}".lstrip("/")))
    return Entry(name, folder=False, size=_size(found))


def _kind(found: Any) -> str:  # noqa: ANN401 - as above
    kind = found["type"]
    if kind == "link" or found.get("islink"):
        return "a symbolic link"
    return kind if kind in {"file", "directory"} else "a special file"


def _size(found: Any) -> int:  # noqa: ANN401 - as above
    size = found["size"]
    if not isinstance(size, int) or size < 0:
        raise BundleError("the store does not say how large it is")
    return size


def _bytes(data: object, most: int) -> bytes:
    if not isinstance(data, bytes | bytearray | memoryview):
        raise BundleError("the store does not give bytes")
    if len(data) > most:
        raise BundleError("the store gives more bytes than were asked for")
    return bytes(data)


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:_REASON]


def _told(error: BaseException) -> str:
    """Say in a line what a library raised."""
    if isinstance(error, FileNotFoundError):
        return "No such file or folder"
    text = _line(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
