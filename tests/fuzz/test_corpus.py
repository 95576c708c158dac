"""
Every fuzz target survives its corpus, and what a few seconds of damage make of it.

A target is a file ``fuzz_<name>.py`` with a function ``one_input(data)`` that
swallows the errors of our own tree and nothing else; its corpus is the folder
``corpus/<name>``. ``make fuzz`` runs the same targets under atheris.
"""

import random
import runpy
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, cast

import pytest

HERE: Final = Path(__file__).parent
TARGETS: Final = sorted(HERE.glob("fuzz_*.py"))
ROUNDS: Final = 3_000
SECONDS: Final = 1.0
LONGEST_INPUT: Final = 65_536
TOKENS: Final = (
    *(b"\x00", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r\n", b"\n", b'"', b"\\u0000"),
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b":",
        b",",
        b"-0",
        b"1e999",
        b"9007199254740993",
        b"null",
        b"=",
        b"/",
    ),
)


def load(target: Path) -> Callable[[bytes], None]:
    """The ``one_input`` of a target."""
    return cast("Callable[[bytes], None]", runpy.run_path(str(target))["one_input"])


def corpus(target: Path) -> list[bytes]:
    """The seeds of a target, in the order of their names."""
    folder = HERE / "corpus" / target.stem.removeprefix("fuzz_")
    return [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()]


def damage(data: bytes, other: bytes, chance: random.Random) -> bytes:
    """Change one thing: a bit, a byte, a slice cut, doubled or overwritten, or the tail."""
    start, stop = sorted(chance.choices(range(len(data) + 1), k=2))
    stop = min(stop, start + chance.choice((1, 4, 16, len(data))))
    head, slice_, tail = data[:start], data[start:stop], data[stop:]
    match chance.randrange(6):
        case 0 if slice_:
            return head + bytes([slice_[0] ^ 1 << chance.randrange(8)]) + slice_[1:] + tail
        case 1:
            return head + tail
        case 2:
            return head + slice_ * chance.choice((2, 3, 100)) + tail
        case 3:
            return head + chance.choice(TOKENS) + slice_ + tail
        case 4:
            return head + chance.choice(TOKENS) + tail
        case _:
            return head + other[chance.randrange(len(other) + 1) :]


def feed(one_input: Callable[[bytes], None], data: bytes) -> None:
    """Run one input; what escapes carries the input that made it."""
    try:
        one_input(data)
    except BaseException as error:
        error.add_note(f"input: {data!r}")
        raise


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.stem)
def test_corpus(target: Path) -> None:
    """No seed makes a reader raise anything but an error of our tree."""
    one_input, seeds = load(target), corpus(target)
    assert seeds, f"{target.name} has no corpus"
    for data in (b"", *seeds):
        feed(one_input, data)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.stem)
def test_damaged_corpus(target: Path) -> None:
    """No seed that was damaged in one to four places does either."""
    one_input, seeds = load(target), corpus(target)
    chance = random.Random(target.stem)
    end = time.monotonic() + SECONDS
    for _ in range(ROUNDS):
        data = chance.choice(seeds)
        for _ in range(chance.randrange(1, 5)):
            data = damage(data, chance.choice(seeds), chance)[:LONGEST_INPUT]
        feed(one_input, data)
        if time.monotonic() > end:
            break


def test_an_escaping_error_is_seen() -> None:
    """The input that made a target raise is named."""

    def one_input(data: bytes) -> None:
        raise RecursionError(len(data))

    with pytest.raises(RecursionError) as caught:
        feed(one_input, b"deep")
    assert caught.value.__notes__ == ["input: b'deep'"]
