"""
What an input can cost: ``python hostile.py TARGET BYTES`` for a target of ``tests/fuzz``.

Prints, as JSON, the seconds of processor time that each hostile input took, and
the memory that all of them together added to the process at its peak, in MiB.
"""

from __future__ import annotations

import json
import resource
import runpy
import sys
import time
from pathlib import Path
from typing import Final

TESTS: Final = Path(__file__).parents[1]
SIZE: Final = int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 20


def filled(unit: bytes, *, before: bytes = b"", after: bytes = b"") -> bytes:
    """As many bytes of a unit, between two ends."""
    return before + unit * ((SIZE - len(before) - len(after)) // len(unit)) + after


INPUTS: Final = {
    "nothing but zero bytes": bytes(SIZE),
    "empty lists": filled(b"[],", before=b"[", after=b"[]]"),
    "empty lists, cut off": filled(b"[],", before=b"["),
    "small objects": filled(b'{"":0},', before=b"[", after=b"0]"),
    "small objects, one with a name twice": filled(b'{"":0},', before=b"[", after=b'{"":0,"":0}]'),
    "names of an object": b"{%s}" % b",".join(b'"%06x":0' % at for at in range(SIZE // 11)),
    "depth": filled(b"["),
    "depth, again and again": filled(b"[" * 63 + b"]" * 63 + b",", before=b"[", after=b"0]"),
    "one number": filled(b"9"),
    "one number in a list": filled(b"7", before=b"[", after=b"]"),
    "one fraction": filled(b"1", before=b"0."),
    "numbers": filled(b"1e5,", before=b"[", after=b"0]"),
    "escapes": filled(b"\\u0041", before=b'"', after=b'"'),
    "halves of pairs": filled(b"\\ud800", before=b'"', after=b'"'),
    "backslashes": filled(b"\\\\", before=b'"', after=b'"'),
    "quotes": filled(b'"'),
    "white space": filled(b" \t\n", after=b"x"),
    "lines": filled(b"\n"),
    "lines of JSON": filled(b"{}\n"),
    "lines with a colon": filled(b"a: b\n"),
    "invalid UTF-8": filled(b"\xff"),
    "controls and directions": filled("\u202e\u200b\x1b".encode()),
    "combining marks": filled("\u0301".encode(), before=b"a"),
    "angle brackets": filled(b"<a href='"),
    "entities": filled(b"&amp;"),
    "links": filled(b"[a](b "),
    "emphasis": filled(b"*a _b "),
    "quoted blocks": filled(b"> "),
    "backticks": filled(b"`a``"),
    "table bars": filled(b"|a"),
    "hex": filled(b"0f"),
    "hashes": filled(b"0" * 64 + b"  a\n"),
    "base64": filled(b"AAAA"),
    "lists of RLP": filled(b"\xf8\x00"),
    "nested RLP": filled(b"\xc1"),
    "TOML tables": filled(b"[a.b.c]\n"),
    "TOML dots": filled(b"a.", after=b"a = 1"),
}


def main(target: str) -> None:
    """Give every input to the target and print what each took."""
    sys.path[:0] = [str(TESTS.parent), str(TESTS)]
    one_input = runpy.run_path(str(TESTS / "fuzz" / target))["one_input"]
    one_input(b"")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    took = {}
    for name, data in INPUTS.items():
        started = time.process_time()
        one_input(data)
        took[name] = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    sys.stdout.write(json.dumps({"seconds": took, "mebibytes": peak / 1024}))


if __name__ == "__main__":
    main(sys.argv[1])
