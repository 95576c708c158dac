"""
Run ``tallyproof`` in a cage: ``python caged.py PLACE TEMPORARY ARGUMENT...``.

An audit hook of the interpreter sees every attempt at a socket, a program, or a
change to the file system. What is not allowed ends the process at once with 77,
so that no ``except`` can hide it:

* no socket of any kind, no name looked up, no other program started, but for
  those by which pycryptodome finds its own libraries when it is imported;
* nothing made, changed or removed outside of the folders PLACE and TEMPORARY;
* in TEMPORARY only what nobody else may read: folders of mode 0700;
* no environment variable read by code of ours below the command line.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from types import FrameType

ESCAPED: Final = 77
ROOT: Final = Path(__file__).parents[2]
BELOW: Final = tuple(f"{ROOT / name}{os.sep}" for name in ("formulas", "sitegen", "verifier"))
COMMAND_LINE: Final = (f"{ROOT / 'verifier/cli'}{os.sep}", str(ROOT / "sitegen/cli.py"))
PROGRAMS: Final = ("os.exec", "os.posix_spawn", "os.spawn", "os.system", "pty.", "subprocess.")
LOADER: Final = ("Crypto.Util._raw_api", "load_lib")
# Events of the file system by their name: which arguments are paths.
CHANGES: Final = {
    "os.chmod": (0,),
    "os.chown": (0,),
    "os.link": (0, 1),
    "os.mkdir": (0,),
    "os.remove": (0,),
    "os.rename": (0, 1),
    "os.rmdir": (0,),
    "os.setxattr": (0,),
    "os.symlink": (1,),
    "os.truncate": (0,),
    "os.utime": (0,),
}
WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def escape(what: str) -> NoReturn:
    """End the process, whatever it was doing."""
    os.write(2, f"ESCAPED: {what}\n".encode())
    os._exit(ESCAPED)


class Cage:
    """
    What the process may touch.

    Args:
        place: Folder that may be written to.
        temporary: Folder for temporary files, which must be private.
    """

    def __init__(self, place: str, temporary: str) -> None:
        self._place = os.path.realpath(place)
        self._temporary = os.path.realpath(temporary)

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """See one event of the interpreter."""
        if event.startswith("socket.") or (event.startswith(PROGRAMS) and not _by_pycryptodome()):
            escape(f"{event} {arguments!r}")
        if event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and flags & WRITING and not isinstance(path, int):
                self._check(event, path)
        for at in CHANGES.get(event, ()):
            if not isinstance(arguments[at], int):
                self._check(event, arguments[at])

    def _check(self, event: str, path: str | bytes) -> None:
        folder, name = os.path.split(os.path.abspath(os.fsdecode(path)))  # noqa: PTH100
        whole = os.path.join(os.path.realpath(folder), name)  # noqa: PTH118 - links followed
        if whole in (os.devnull, self._place) or whole.startswith(self._place + os.sep):
            return
        if not whole.startswith(self._temporary + os.sep):
            escape(f"{event} of {whole}")
        first = Path(self._temporary, Path(whole).relative_to(self._temporary).parts[0])
        if str(first) != whole and stat.S_IMODE(first.stat().st_mode) != stat.S_IRWXU:
            escape(f"{event} of {whole}, in a folder that others can read")


def _by_pycryptodome() -> bool:
    """Whether its loader asks ``file`` for the architecture, or where GMP is."""
    frame: FrameType | None = sys._getframe()  # noqa: SLF001
    while frame:
        if (frame.f_globals.get("__name__"), frame.f_code.co_name) == LOADER:
            return True
        frame = frame.f_back
    return False


class Environment(os._Environ):  # type: ignore[type-arg]  # noqa: SLF001
    """The environment, which tells who reads it."""

    def __getitem__(self, key: Any) -> Any:
        """Look a variable up, unless code of ours asks for it from below the command line."""
        frame = sys._getframe(1)  # noqa: SLF001
        while frame.f_back and frame.f_globals.get("__name__") in ("os", "collections.abc"):
            frame = frame.f_back
        file = frame.f_code.co_filename
        if file.startswith(BELOW) and not file.startswith(COMMAND_LINE):
            escape(f"{file} reads the environment")
        return super().__getitem__(key)


def main(place: str, temporary: str, *arguments: str) -> None:
    """Run one command of ``tallyproof``."""
    sys.path.insert(0, str(ROOT))
    os.environ.__class__ = Environment
    sys.addaudithook(Cage(place, temporary))
    from verifier.cli import main as tallyproof  # noqa: PLC0415 - imported in the cage

    tallyproof(list(arguments))


if __name__ == "__main__":
    main(*sys.argv[1:])
