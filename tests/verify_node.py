"""Questions to ``verify.js``, answered by Node: many at once, since starting it takes longest."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

import sitegen

if TYPE_CHECKING:
    from collections.abc import Iterable

NODE: Final = shutil.which("node")
SCRIPT: Final = Path(sitegen.__file__).parent / "static" / "verify.js"
DRIVER: Final = Path(__file__).parent / "sitegen" / "verify" / "driver.mjs"

needs_node: Final = pytest.mark.skipif(NODE is None, reason="Node is not installed")

Question = tuple[Any, ...]


def ask(questions: Iterable[Question]) -> list[dict[str, Any]]:
    """
    Ask for each operation of the driver, with its arguments.

    Returns:
        For each an object with ``value``, or with ``error`` and ``message``.
    """
    asked = [json.dumps({"op": name, "args": args}) for name, *args in questions]
    assert NODE is not None
    done = subprocess.run(
        [NODE, str(DRIVER), str(SCRIPT)],
        input="".join(f"{line}\n" for line in asked),
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=120,
    )
    answers: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.split("\n")[:-1]]
    assert len(answers) == len(asked), done.stderr
    return answers


def values(questions: Iterable[Question]) -> list[Any]:
    """Ask, and demand that every answer is a value."""
    asked = list(questions)
    answers = ask(asked)
    refused = [
        (question, answer)
        for question, answer in zip(asked, answers, strict=True)
        if "value" not in answer
    ]
    assert not refused, refused[:3]
    return [answer["value"] for answer in answers]


def bits(value: float) -> str:
    """Write a double as the driver does: big-endian hex of its 64 bits."""
    return struct.pack(">d", value).hex()


def described(value: object) -> object:
    """Write an output as the driver does: a double by its bits, all else as it is."""
    return bits(value) if isinstance(value, float) else value


def count(text: str) -> None:
    """Say how much was compared; shown by ``pytest -s`` and beside a failure."""
    sys.stdout.write(f"{text}\n")
