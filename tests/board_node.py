"""The part of ``verify.js`` that judges boards, asked under Node."""

from __future__ import annotations

import json
import struct
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from programs import path_of

import sitegen

if TYPE_CHECKING:
    from collections.abc import Iterable

SCRIPT: Final = Path(sitegen.__file__).parent / "static" / "verify.js"
DRIVER: Final = Path(__file__).parent / "sitegen" / "sharpe" / "driver.mjs"


def ask(questions: Iterable[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Ask for operations of the driver, with their arguments."""
    asked = [json.dumps({"op": name, "args": args}) for name, *args in questions]
    done = subprocess.run(
        [path_of("node"), str(DRIVER), str(SCRIPT)],
        input="".join(f"{line}\n" for line in asked),
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=120,
    )
    answers = [json.loads(line) for line in done.stdout.split("\n")[:-1]]
    assert len(answers) == len(asked), done.stderr
    return answers


def values(questions: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Ask, and demand that every answer is a value."""
    answers = ask(questions)
    assert all("value" in answer for answer in answers), answers
    return [answer["value"] for answer in answers]


def bits(value: float) -> str:
    """The 64 bits of a double in hex."""
    return struct.pack(">d", value).hex()


def settings(alpha: float = 0.05, n_boot: int = 2000, seed: int = 0x5BA72026) -> dict[str, Any]:
    """Settings of a bootstrap as the driver reads them."""
    return {"alpha": alpha, "resamples": n_boot, "seed": str(seed)}
