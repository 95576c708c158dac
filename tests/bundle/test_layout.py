"""What is well formed and false becomes problems, each with its reason and line."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
from small_bundle import EVIDENCE, INDEX, sound, sums_of, write_tree

from verifier.bundle import open_bundle
from verifier.errors import BundleError

if TYPE_CHECKING:
    from pathlib import Path

SUMS = sums_of(EVIDENCE)
LINES = SUMS.splitlines(keepends=True)
ZERO = b"0" * 64


def problems(tmp_path: Path, files: dict[str, bytes]) -> list[tuple[str, str, int | None]]:
    """Open a bundle of these files and return what is wrong with it."""
    with open_bundle(write_tree(tmp_path / "b", files)) as bundle:
        assert all(problem.published and problem.recomputed for problem in bundle.problems)
        return [(problem.path, problem.reason, problem.line) for problem in bundle.problems]


@pytest.mark.parametrize(
    ("sums", "expected"),
    [
        (SUMS, []),
        (
            ZERO + SUMS[64:],
            [("arcana-notes.txt", "its hash does not hold", 1)],
        ),
        (
            b"".join(LINES[1:]),
            [("arcana-notes.txt", "not listed in SHA256SUMS", None)],
        ),
        (
            SUMS + ZERO + b"  zebra\n",
            [("zebra", "listed but missing", 6)],
        ),
        (
            b"".join((LINES[1], LINES[0], *LINES[2:])),
            [("arcana-notes.txt", "not sorted by path", 2)],
        ),
        (
            LINES[0] + SUMS,
            [("arcana-notes.txt", "listed twice", 2)],
        ),
        (
            SUMS + sha256(b"").hexdigest().encode() + b"  /etc/passwd\n",
            [("/etc/passwd", "not sorted by path", 6), ("/etc/passwd", "the path is absolute", 6)],
        ),
        (
            SUMS + ZERO + b"  x/../y\n",
            [("x/../y", "the path has an empty, . or .. part", 6)],
        ),
        (
            SUMS + ZERO + b"  x//y\n",
            [("x//y", "the path has an empty, . or .. part", 6)],
        ),
        (
            SUMS + ZERO + b"  x/./y\n",
            [("x/./y", "the path has an empty, . or .. part", 6)],
        ),
        (
            SUMS + ZERO + b"  x\\y\n",
            [("x\\y", "the path has a backslash", 6)],
        ),
        (
            SUMS + ZERO + b"  x\ty\n",
            [("x\\ty", "the path has a control character", 6)],
        ),
        (
            SUMS + ZERO + b"  SHA256SUMS\n",
            [
                ("SHA256SUMS", "not sorted by path", 6),
                ("SHA256SUMS", "the list names itself", 6),
            ],
        ),
        (SUMS + ZERO + b"  \n", [("SHA256SUMS", "malformed line", 6)]),
        (SUMS + ZERO + b" *zebra\n", [("SHA256SUMS", "malformed line", 6)]),
        (SUMS + b"\n", [("SHA256SUMS", "malformed line", 6)]),
        (SUMS + b"A" * 64 + b"  zebra\n", [("SHA256SUMS", "malformed line", 6)]),
        (SUMS[:-1], [("SHA256SUMS", "the last line does not end in a newline", 5)]),
        (
            b"\xef\xbb\xbf" + SUMS,
            [
                ("SHA256SUMS", "malformed line", 1),
                ("arcana-notes.txt", "not listed in SHA256SUMS", None),
            ],
        ),
    ],
)
def test_problems_of_the_list(
    tmp_path: Path, sums: bytes, expected: list[tuple[str, str, int | None]]
) -> None:
    """Each false or malformed line is one problem with its line; then what is not listed."""
    assert problems(tmp_path, EVIDENCE | {"SHA256SUMS": sums}) == expected


def test_windows_line_ends(tmp_path: Path) -> None:
    """A list with CRLF names files that end in a carriage return: nothing holds."""
    found = problems(tmp_path, EVIDENCE | {"SHA256SUMS": SUMS.replace(b"\n", b"\r\n")})
    assert {reason for _, reason, _ in found} == {
        "the path has a control character",
        "not listed in SHA256SUMS",
    }


def test_empty_list(tmp_path: Path) -> None:
    """An empty list leaves every file out."""
    found = problems(tmp_path, EVIDENCE | {"SHA256SUMS": b""})
    assert found == [(path, "not listed in SHA256SUMS", None) for path in sorted(EVIDENCE)]


def test_missing_list(tmp_path: Path) -> None:
    """Without a list there is one problem, not one for every file."""
    assert problems(tmp_path, EVIDENCE) == [("SHA256SUMS", "the list is missing", None)]


def test_list_that_is_no_text(tmp_path: Path) -> None:
    """A list in another encoding cannot be judged: an error with line and byte."""
    files = EVIDENCE | {"SHA256SUMS": LINES[0] + b"\xff\xfe" + SUMS}
    with pytest.raises(BundleError, match="not UTF-8") as caught:
        open_bundle(write_tree(tmp_path / "b", files))
    assert (caught.value.file, caught.value.line) == ("SHA256SUMS", 2)
    assert caught.value.offset == len(LINES[0])


def test_unlisted_files_of_any_kind(tmp_path: Path) -> None:
    """Hidden files, and a second list in a folder, are unlisted files like any other."""
    files = sound() | {".DS_Store": b"", "arcana/.hidden": b"", "arcana/SHA256SUMS": b""}
    assert problems(tmp_path, files) == [
        (path, "not listed in SHA256SUMS", None)
        for path in (".DS_Store", "arcana/.hidden", "arcana/SHA256SUMS")
    ]


def test_backslash_in_a_name_that_is_there(tmp_path: Path) -> None:
    """A true line is a problem all the same when its path has a backslash."""
    found = problems(tmp_path, sound(**{"arcana\\x": b"text"}))
    assert found == [("arcana\\x", "the path has a backslash", 5)]


@pytest.mark.parametrize(
    ("index", "extra", "reasons"),
    [
        (
            INDEX + b"\n",
            {},
            ["not canonical JSON; guess: it would match with a newline at the end"],
        ),
        (INDEX.replace(b'":', b'": '), {}, ["not canonical JSON"]),
        (INDEX.replace(b'"arcana"]', b'"arcana","floor"]'), {}, ["a listed family is not there"]),
        (
            INDEX,
            {"raw/index.jsonl": b""},
            ["the folder raw/ is there, its family is not listed"],
        ),
        (
            INDEX,
            {"sharpe/boards/x.json": b"{}"},
            ["the folder sharpe/ is there, its family is not listed"],
        ),
        (INDEX.replace(b'"arcana"]', b'"arcana","arcana"]'), {}, ["a family is listed twice"]),
        (
            INDEX.replace(b'"arcana"]', b'"arcana","chess"]'),
            {"chess/x": b""},
            ["a family that this release does not know"],
        ),
        (
            INDEX.replace(b"[]", b'[{"family":"floor","id":"s","sha256":"' + ZERO + b'"}]'),
            {},
            ["a season of a family that is not listed"],
        ),
        (
            INDEX.replace(b"[]", b'[{"family":"arcana","id":"s","sha256":"' + ZERO + b'"}]'),
            {},
            ["arcana publishes no frozen seasons"],
        ),
        (
            INDEX.replace(b"[]", b'[{"family":"sharpe","id":"s","sha256":"' + ZERO + b'"}]'),
            {},
            ["sharpe publishes no frozen seasons"],
        ),
    ],
)
def test_problems_of_the_index(
    tmp_path: Path, index: bytes, extra: dict[str, bytes], reasons: list[str]
) -> None:
    """An index that can be read but is not true, or not canonical, is a problem."""
    found = problems(tmp_path, sound(**{"bundle.json": index}, **extra))
    assert found == [("bundle.json", reason, None) for reason in reasons]


def test_season_twice(tmp_path: Path) -> None:
    """A season that is listed twice is a problem."""
    entry = b'{"family":"floor","id":"s","sha256":"' + ZERO + b'"}'
    index = INDEX.replace(b'["arcana"]', b'["arcana","floor"]')
    index = index.replace(b"[]", b"[" + entry + b"," + entry + b"]")
    found = problems(tmp_path, sound(**{"bundle.json": index, "floor/rules.json": b"{}"}))
    assert found == [("bundle.json", "a season is listed twice", None)]
