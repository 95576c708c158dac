"""``tallyproof diff`` as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from shared import FIXTURES
from small_bundle import tarred, write_tree, zipped
from tiny_arena import FORGED, FORGED_SEAL, arena, manifest_path, rows

from verifier.cli.app import run_app
from verifier.version import VERSION

GOLDEN: Final = Path(__file__).parent / "golden"
LATER: Final = "2026-09-21T23:30:00.000000Z"


def later() -> dict[str, bytes]:
    """The arena one day on."""
    tables = rows()
    tables["scores"].append(tables["scores"][0] | {"ts": LATER, "seal": FORGED_SEAL})
    tables["anchors"][0] |= {"status": "mined", "block_number": 5}
    tables["leaderboards"][0]["rows"][0]["score"] = 61
    files = {manifest_path(FORGED_SEAL): FORGED}
    return arena(tables, as_of="2026-09-22T03:30:00Z", changes=files)


def rewritten() -> dict[str, bytes]:
    """The arena with its past edited."""
    tables = rows()
    tables["scores"][0] |= {"seal": FORGED_SEAL, "risk_score": "80.50"}
    tables["decisions"][1]["id"] = "40"
    return arena(tables, changes={manifest_path(FORGED_SEAL): FORGED})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The arena, later, rewritten, and in other containers."""
    root = tmp_path_factory.mktemp("diff")
    write_tree(root / "a", arena())
    write_tree(root / "later", later())
    write_tree(root / "rewritten", rewritten())
    (root / "a.zip").write_bytes(zipped(arena()))
    (root / "a.tar.gz").write_bytes(tarred(arena(), packed=True))
    (root / "one.json").write_bytes(b'{"rows":[{"points":1}]}')
    (root / "two.json").write_bytes(b'{"rows":[{"points":2}]}')
    (root / "spaced.json").write_bytes(b'{"rows": [{"points": 1.0}]}')
    return root


@pytest.mark.parametrize(
    ("a", "b", "options", "code"),
    [
        ("a", "a", [], 0),
        ("a", "a.zip", [], 0),
        ("a.tar.gz", "a.zip", [], 0),
        ("a", "later", [], 1),
        ("a", "later", ["--expect", "extension"], 0),
        ("a", "a", ["--expect", "extension"], 0),
        ("later", "a", ["--expect", "extension"], 1),
        ("a", "rewritten", ["--expect", "extension"], 1),
        ("one.json", "one.json", [], 0),
        ("one.json", "spaced.json", [], 0),
        ("one.json", "two.json", ["--expect", "extension"], 1),
    ],
)
def test_exit_codes(folder: Path, a: str, b: str, options: list[str], code: int) -> None:
    """0: no difference in meaning, or none but what is expected; 1: otherwise."""
    assert run_app(["diff", str(folder / a), str(folder / b), "--quiet", *options]) == code


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ("a", "nothing", "nothing: cannot be read"),
        ("a", "one.json", "a bundle cannot be compared with a single file"),
        ("one.json", "nothing.json", "nothing.json: cannot be read"),
        ("one.json", "bad.json", "B: bad.json:1"),
    ],
)
def test_what_cannot_run_exits_2(folder: Path, a: str, b: str, message: str) -> None:
    """One line on standard error, and nothing on standard output."""
    (folder / "bad.json").write_bytes(b"{")
    done = subprocess.run(
        [sys.executable, "-m", "verifier", "diff", folder / a, folder / b],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("name", ["later", "rewritten"])
def test_golden(folder: Path, tmp_path: Path, name: str, form: str) -> None:
    """The output is, byte for byte, what is kept beside this test, for any release."""
    out = tmp_path / "out"
    given = [str(folder / "a"), str(folder / name), "--format", form, "--output", str(out)]
    assert run_app(["diff", *given]) == 1
    written = out.read_bytes().replace(VERSION.encode(), b"VERSION")
    assert written == (GOLDEN / f"{name}.{form}").read_bytes()


def test_text_is_safe_to_print(folder: Path, tmp_path: Path) -> None:
    """Names of agents cannot reorder a line, and no line is wider than a terminal."""
    out = tmp_path / "out"
    run_app(["diff", str(folder / "later"), str(folder / "a"), "--output", str(out)])
    text = out.read_text("utf-8")
    assert "\u202e" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_json_counts_its_entries(folder: Path, tmp_path: Path) -> None:
    """The counts of the classes are those of the entries."""
    out = tmp_path / "out"
    given = [str(folder / "a"), str(folder / "rewritten"), "-f", "json", "-o", str(out)]
    run_app(["diff", *given])
    document = json.loads(out.read_bytes())
    assert document["format"] == "tallyproof-diff/1"
    for effect, count in document["counts"].items():
        assert count == sum(entry["class"] == effect for entry in document["entries"])


def test_the_demo_against_itself() -> None:
    """A whole bundle equals itself without any file being read twice."""
    demo = str(FIXTURES / "arcana-demo")
    assert run_app(["diff", demo, demo, "--quiet"]) == 0
