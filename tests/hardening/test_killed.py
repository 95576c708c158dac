"""
Killed at any moment, every command that writes leaves old or new, and never half.

SIGKILL comes at a random time of the run and gives no chance to clean up. What
lies there is then either what lay there before or what the command makes; what
it wrote aside has a name that nothing reads. The next run ends as if nothing had
happened. A kill of each command is part of the suite; ``make kill`` does two hundred.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Final

import pytest
from arena.server import Arena
from freeze.test_killed import command as freeze_command
from freeze.test_killed import finishes, whole_or_nothing
from frozen import ARCANA, DEMOS, POLICY_FILE, frozen_demo, tree
from shared import ROOT
from small_bundle import sound, sums_of, write_tree

from verifier.core.jsonread import read_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

KILLS: Final = int(os.environ.get("KILLS", "6"))
ASIDE: Final = ".tallyproof-"


@dataclass(frozen=True, slots=True)
class Writing:
    """
    A command that writes.

    Args:
        arguments: What it is given.
        reset: Puts things as they are before it runs.
        check: Demands old or new, and says which: whether it is the new one.
        finish: Demands that the next run completes it.
        serving: What must be served while it runs.
    """

    arguments: Callable[[], list[str]]
    reset: Callable[[], None]
    check: Callable[[], bool]
    finish: Callable[[], None]
    serving: AbstractContextManager[object]


def start(arguments: list[str]) -> subprocess.Popen[bytes]:
    """Start the real command, as the leader of its processes."""
    return subprocess.Popen(
        [sys.executable, "-m", "verifier", *arguments],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def succeed(arguments: list[str]) -> None:
    """Run the command to its end."""
    process = start(arguments)
    _, talk = process.communicate(timeout=120)
    assert process.returncode == 0, talk.decode()


def seen(folder: Path) -> dict[str, bytes]:
    """The files that anybody reads: not what was written aside."""
    files = tree(folder) if folder.exists() else {}
    return {path: content for path, content in files.items() if ASIDE not in path}


def reports(place: Path) -> Writing:
    """An audit that writes over two reports."""
    place.mkdir()
    text, sarif = place / "report.txt", place / "report.sarif"
    audit = ["audit", str(DEMOS[ARCANA]), "--policy", str(POLICY_FILE)]
    arguments = [*audit, "-o", str(text), "--also", f"sarif={sarif}"]
    succeed(arguments)
    new = seen(place)

    def reset() -> None:
        text.write_bytes(b"old")
        sarif.write_bytes(b"old")

    def check() -> bool:
        found = seen(place)
        assert found.keys() == new.keys()
        assert all(content in (b"old", new[path]) for path, content in found.items())
        return found == new

    def finish() -> None:
        succeed(arguments)
        assert seen(place) == new

    return Writing(lambda: arguments, reset, check, finish, nullcontext())


def resuming(place: Path) -> Writing:
    """An audit with a journal: whatever of it was written, the next one goes on from there."""
    place.mkdir()
    report, journal = place / "report.json", place / "journal"
    audit = ["audit", str(DEMOS["season-1"]), "--policy", str(POLICY_FILE), "--format", "json"]
    succeed([*audit, "-o", str(report)])
    new = report.read_bytes()
    arguments = [*audit, "-o", str(report), "--resume", str(journal)]

    def reset() -> None:
        journal.unlink()
        report.write_bytes(b"old")

    def check() -> bool:
        assert report.read_bytes() in (b"old", new)
        return report.read_bytes() == new

    def finish() -> None:
        succeed(arguments)
        assert report.read_bytes() == new
        # Once more from the start: only that tells how long the next run would last.
        reset()
        succeed(arguments)
        assert report.read_bytes() == new

    return Writing(lambda: arguments, reset, check, finish, nullcontext())


def freezing(place: Path) -> Writing:
    """A freeze, each into a folder of its own."""
    outs = (place / str(number) for number in count())
    out = next(outs)

    def reset() -> None:
        nonlocal out
        out = next(outs)

    return Writing(
        lambda: freeze_command(out),
        reset,
        lambda: out.exists() and whole_or_nothing(out),
        lambda: finishes(out),
        nullcontext(),
    )


def building(place: Path) -> Writing:
    """A site that is built in the place of the one before, which has another title."""
    source, out = place / "source", place / "dist"
    source.mkdir(parents=True)
    seasons = str(frozen_demo(ARCANA).parent)
    arguments = ["site", "build", "--source", str(source), "--seasons", seasons]
    arguments += ["--out", str(out), "--jobs", "2"]
    number = 0

    def reset() -> None:
        nonlocal number
        number += 1
        (source / "site.toml").write_text(
            f'title = "Site {number}"\ndescription = "D."\nparquet = false\n'
        )

    def check() -> bool:
        files = seen(out)
        assert files.pop("SHA256SUMS") == sums_of(files)
        titles = [f"<title>Site {each}</title>".encode() for each in (number - 1, number)]
        (found,) = (each for each in titles if each in files["index.html"])
        return found == titles[1]

    def finish() -> None:
        succeed(arguments)
        assert check()
        assert set(place.iterdir()) == {source, out}

    reset()
    return Writing(lambda: arguments, reset, check, finish, nullcontext())


def served(place: Path) -> tuple[Arena, list[str]]:
    """A small bundle that somebody publishes, and where it will be."""
    arena = Arena(write_tree(place / "published", sound()), endpoints=False)
    return arena, []


@contextmanager
def at(arena: Arena, address: list[str]) -> Iterator[None]:
    """Serve, and note the address."""
    with arena.serving() as url:
        address[:] = [url]
        yield


def fetching(place: Path) -> Writing:
    """A bundle that is fetched; every file of it that is there is whole."""
    place.mkdir()
    arena, address = served(place)
    published = tree(place / "published")
    outs = (place / str(number) for number in count())
    out = next(outs)

    def arguments() -> list[str]:
        return ["fetch", "bundle", *address, "-o", str(out), "--allow-private", "--rate", "1000"]

    def reset() -> None:
        nonlocal out
        out = next(outs)

    def check() -> bool:
        found = seen(out / "bundle")
        assert found.items() <= published.items()
        return found == published

    def finish() -> None:
        succeed(arguments())
        assert tree(out / "bundle") == published

    return Writing(arguments, reset, check, finish, at(arena, address))


def watching(place: Path) -> Writing:
    """A publisher who is watched; what was observed before stays, and what is there is whole."""
    place.mkdir()
    arena, address = served(place)
    state = place / "state"
    before: dict[str, bytes] = {}

    def arguments() -> list[str]:
        return ["watch", *address, "--state", str(state), "--allow-private", "--rate", "1000"]

    def reset() -> None:
        before.clear()
        before.update(seen(state))

    def check() -> bool:
        found = seen(state)
        assert before.items() <= found.items()
        for path, content in found.items():
            if path.endswith(".json"):
                read_json(content)
        return found != before

    def finish() -> None:
        succeed(arguments())
        assert before.items() <= seen(state).items()

    return Writing(arguments, reset, check, finish, at(arena, address))


WRITERS: Final = (reports, resuming, freezing, building, fetching, watching)


@pytest.mark.parametrize("make", WRITERS)
def test_killed_at_random(make: Callable[[Path], Writing], tmp_path: Path) -> None:
    """Wherever it ends, old or new is there; and the next run completes it."""
    writing = make(tmp_path / "place")
    chance = random.Random(make.__name__)
    wanted = -(-KILLS // len(WRITERS))
    runs = killed = new = 0
    lasts = 60.0
    with writing.serving:
        # A run that ends before its time is no kill; how long one lasts varies with the machine.
        while killed < wanted and runs <= 4 * wanted:
            started = time.monotonic()
            writing.finish()
            lasts = min(lasts, time.monotonic() - started)
            writing.reset()
            process = start(writing.arguments())
            runs += 1
            try:
                # Loading the program takes the first part, and writes nothing.
                process.communicate(timeout=lasts * chance.uniform(0.3, 1.0))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                killed += 1
            new += writing.check()
        writing.finish()
    print(f"{make.__name__}: {killed} kills in {runs} runs, {new} of which left the new")  # noqa: T201
    assert killed
