"""Stores for tests: one that other processes can open, and one that answers whatever it is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Final

from fsspec.asyn import AsyncFileSystem
from fsspec.registry import register_implementation
from fsspec.spec import AbstractFileSystem

__all__ = ["Shelf", "Told", "register"]


class Shelf(AsyncFileSystem):  # type: ignore[misc]  # a library without types
    """The files of this machine, served from a thread of their own as object stores are."""

    protocol = "shelf"

    async def _info(self, path: str, **_: Any) -> dict[str, Any]:
        return _facts(Path(path))

    async def _ls(self, path: str, **_: Any) -> list[dict[str, Any]]:
        return _facts_below(Path(path))

    async def _cat_file(
        self, path: str, start: int | None = None, end: int | None = None, **_: Any
    ) -> bytes:
        return _content(Path(path))[start:end]


def _facts(path: Path) -> dict[str, Any]:
    status = path.stat()
    kind = "directory" if path.is_dir() else "file"
    return {"name": str(path), "type": kind, "size": status.st_size}


def _facts_below(path: Path) -> list[dict[str, Any]]:
    return [_facts(each) for each in path.iterdir()]


def _content(path: Path) -> bytes:
    return path.read_bytes()


class Told(AbstractFileSystem):  # type: ignore[misc]  # as above
    """A store that lists and gives what a test tells it, and raises what it is told to raise."""

    protocol = "told"
    cachable = False
    lists: ClassVar[dict[str, Any]] = {}
    gives: ClassVar[dict[str, Any]] = {}
    states: ClassVar[dict[str, Any]] = {}

    def info(self, path: str, **_: Any) -> Any:
        """Answer for a file, or for a folder if it is listed."""
        if path in self.states:
            return _answer(self.states[path])
        if path in self.lists:
            return {"name": path, "type": "directory", "size": 0}
        return {"name": path, "type": "file", "size": len(self.cat_file(path))}

    def ls(self, path: str, detail: bool = True, **_: Any) -> Any:  # noqa: FBT001, FBT002 - theirs
        """List what the test says."""
        assert detail
        return _answer(self.lists.get(path, FileNotFoundError(path)))

    def cat_file(
        self, path: str, start: int | None = None, end: int | None = None, **_: Any
    ) -> Any:
        """Give what the test says; bytes are cut to the range, anything else is handed out."""
        content = _answer(self.gives.get(path, FileNotFoundError(path)))
        return content[start:end] if type(content) is bytes else content


def _answer(told: Any) -> Any:
    if isinstance(told, list) and told and isinstance(told[0], _Turns):
        return _answer(told[0].take())
    if isinstance(told, Exception):
        raise told
    return told


class _Turns:
    """Answers one after the other, the last of them for ever."""

    def __init__(self, *answers: Any) -> None:
        self._answers = list(answers)

    def take(self) -> Any:
        """Give the next answer."""
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


def turns(*answers: Any) -> list[Any]:
    """Make an answer that is another one each time."""
    return [_Turns(*answers)]


_KINDS: Final = (Shelf, Told)


def register() -> None:
    """Make the stores known in this process."""
    for kind in _KINDS:
        register_implementation(kind.protocol, kind, clobber=True)
