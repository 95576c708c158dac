"""
What no command does: reach for the network, start a program, write elsewhere, leave a trace.

Every command runs in the cage of ``caged.py``, but for those that are there to
use the network: ``fetch``, ``watch`` and ``site serve``.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import tarfile
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Final

import pytest
from frozen import ARCANA, DEMOS, POLICY_FILE, frozen_demo, tree
from shared import FIXTURES, ROOT
from small_bundle import sound, write_tree, zipped

from verifier.cli.app import COMMANDS

CAGED: Final = Path(__file__).with_name("caged.py")
ESCAPED: Final = 77
NETWORKED: Final = ("anchor", "fetch", "watch")

DEMO: Final = str(DEMOS[ARCANA])
FLOOR: Final = str(FIXTURES / "floor-demo")
BOARD: Final = str(FIXTURES / "sharpe-demo/sharpe/boards/calm.json")
POLICY: Final = ("--policy", str(POLICY_FILE))
SEAL: Final = "4a5b27479503e66e0d6a1879a5d7e645f92f322296f2a9cbf177f21c3ae4ffb2"
MANIFEST: Final = f"{DEMO}/arcana/manifests/4a/{SEAL}.txt"
CALL: Final = "d1602850fb84ea4c40804b23f474d6d958572fa24ec98b712be2543d04a4b700"
SEASONS: Final = "SEASONS"
"""Stands for the folder of a season that is frozen already."""

LOG: Final = {"format": "sharpe-curriculum/1", "levels": [7], "prior": 0.5, "episodes": []}
ROW: Final = {
    "policy": "one",
    "deflated_sharpe": 0.5,
    "passed_k_rate": 0.5,
    "mean_return": 0.0,
    "deflated_sharpe_ci": None,
    "per_seed_returns": [[0.01, -0.01, 0.02]],
}
RUNS: Final[tuple[tuple[str, tuple[str, ...], int], ...]] = (
    ("audit", (DEMO, *POLICY, "--jobs", "2", "-o", "r.txt", "--also", "sarif=r.sarif"), 0),
    ("audit", (FLOOR, *POLICY, "-f", "json", "--findings", "all"), 0),
    ("audit", ("demo.tar", *POLICY), 0),
    ("audit", ("demo.tar.gz", *POLICY, "--jobs", "2"), 0),
    ("audit", ("small.zip",), 2),
    ("arcana", ("score", MANIFEST), 0),
    ("floor", ("call", CALL, "--bundle", FLOOR), 0),
    ("floor", ("standings", FLOOR, "--at", "2026-11-20T00:00:00Z"), 0),
    ("floor", ("agent", "a-0001", "--bundle", FLOOR), 0),
    ("floor", ("season", FLOOR, "--rules", f"{FLOOR}/floor/rules.json", "--season", "season-1"), 0),
    ("sharpe", ("board", BOARD, "-f", "json", "-o", "board.json"), 0),
    ("sharpe", ("import", "rows.json", "--name", "m", "--release", "0.9.0", "--seeds", "0"), 2),
    (
        "sharpe",
        ("import", "rows.json", "--name", "m", "--release", "0.9.0", "--seeds", "0", "--output=m"),
        0,
    ),
    ("sharpe", ("curriculum", "log.json"), 0),
    ("explain", (SEAL[:6], "--bundle", DEMO), 0),
    ("prove", (SEAL, "--bundle", DEMO, "--output", "proof.json"), 0),
    ("check-proof", (MANIFEST,), 2),
    ("check-report", (f"{SEASONS}/{ARCANA}/report.json", "--bundle", DEMO, *POLICY), 3),
    ("selftest", (DEMO, *POLICY, "--check", "arcana/seal", "--jobs", "2"), 0),
    ("diff", (DEMO, "demo.tar.gz"), 0),
    ("freeze", (DEMO, *POLICY, "--season", ARCANA, "--out", "seasons"), 0),
    ("site", ("build", "--source", ".", "--seasons", SEASONS, "--out", "dist", "--jobs", "2"), 0),
    ("site", ("check", "dist", "--source", ".", "--seasons", SEASONS), 2),
    ("formulas", (), 0),
    ("formulas", ("arcana-score-formula/v1",), 0),
    ("policy", ("show", *POLICY), 0),
)


@cache
def demo_tar() -> bytes:
    """The demo of ARCANA in an archive."""
    out = BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        archive.add(DEMO, "demo")
    return out.getvalue()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder of the caller's, with what some commands read."""
    place = tmp_path / "place"
    place.mkdir()
    (place / "log.json").write_text(json.dumps(LOG))
    (place / "rows.json").write_text(json.dumps([ROW]))
    (place / "site.toml").write_text('title = "T"\ndescription = "D."\nparquet = false\n')
    (place / "small.zip").write_bytes(zipped(sound()))
    (place / "demo.tar").write_bytes(demo_tar())
    (place / "demo.tar.gz").write_bytes(gzip.compress(demo_tar(), 0))
    return place


def caged(place: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command in the cage; the temporary folder beside *place* must be empty after it."""
    temporary = place.parent / "temporary"
    temporary.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-B", CAGED, place, temporary, *arguments],
        check=False,
        capture_output=True,
        cwd=place,
        env={"PATH": "/usr/bin:/bin", "TMPDIR": str(temporary), "HOME": "/nonexistent", **more},
    )
    assert b"ESCAPED" not in done.stderr, done.stderr.decode()
    assert list(temporary.iterdir()) == []
    return done


@pytest.mark.parametrize(("command", "arguments", "code"), RUNS)
def test_a_command_stays_in_its_cage(
    command: str, arguments: tuple[str, ...], code: int, place: Path
) -> None:
    """No socket, no program, no write outside of the folder it was told, no temporary file left."""
    seasons = str(frozen_demo(ARCANA).parent)
    done = caged(place, command, *(part.replace(SEASONS, seasons) for part in arguments))
    assert done.returncode == code, done.stderr.decode()
    assert not [path for path in place.rglob(".tallyproof-*") if path.is_file()]


def test_every_command_is_caged_or_is_there_for_the_network() -> None:
    """A new command is caged, or is one of few that are named."""
    assert {name for name, _, _ in RUNS} == set(COMMANDS) - set(NETWORKED)


@pytest.mark.parametrize(
    ("code", "event"),
    [
        ("import socket; socket.socket()", "socket.__new__"),
        ("import socket; socket.getaddrinfo('localhost', 1)", "socket.getaddrinfo"),
        ("import subprocess; subprocess.run(['true'])", "subprocess.Popen"),
        ("import os; os.system('true')", "os.system"),
        ("open('../elsewhere', 'w')", "open of"),
        ("open('link/file', 'w')", "open of"),
        ("import os; os.mkdir('/tmp/tallyproof-elsewhere')", "os.mkdir of"),
        ("import os; os.remove('../elsewhere')", "os.remove of"),
        ("import os; os.rename('small.zip', '../elsewhere')", "os.rename of"),
        ("open(os.environ['TMPDIR'] + '/open/file', 'w')", "others can read"),
        ("exec(compile('os.environ.get(1)', BELOW, 'exec'))", "reads the environment"),
        ("exec(compile('os.getenv(str())', BELOW, 'exec'))", "reads the environment"),
    ],
)
def test_the_cage_holds(code: str, event: str, place: Path) -> None:
    """Each way out that is tried ends the process, whatever catches errors."""
    (place / "link").symlink_to(place.parent)
    (place.parent / "temporary" / "open").mkdir(parents=True, mode=0o755)
    below = str(ROOT / "verifier" / "audit.py")
    program = (
        f"import os, runpy, sys\nBELOW = {below!r}\n"
        f"cage = runpy.run_path({str(CAGED)!r})\n"
        "os.environ.__class__ = cage['Environment']\n"
        "sys.addaudithook(cage['Cage']('.', os.environ['TMPDIR']))\n"
        f"try:\n    {code}\nexcept BaseException:\n    pass\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        cwd=place,
        env={"TMPDIR": str(place.parent / "temporary")},
    )
    assert done.returncode == ESCAPED, done.stderr.decode()
    assert event in done.stderr.decode()
    assert not (place.parent / "elsewhere").exists()


SURROUNDINGS: Final[tuple[dict[str, str], ...]] = (
    {},
    {
        "TZ": "Asia/Kathmandu",
        "LC_ALL": "tr_TR.UTF-8",
        "PYTHONHASHSEED": "7",
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "COLUMNS": "33",
        "SOURCE_DATE_EPOCH": "1",
        "TALLYPROOF_POLICY": "/dev/zero",
        "FORCE_COLOR": "1",
    },
)


def test_the_surroundings_cannot_be_seen_in_a_report(place: Path) -> None:
    """Time zone, locale, hash seed, proxies, width: the same bytes."""
    reports = [
        caged(place, "audit", DEMO, *POLICY, "-f", "json", "--findings", "all", **each).stdout
        for each in SURROUNDINGS
    ]
    assert reports[0].startswith(b"{")
    assert reports[0] == reports[1]


READS: Final = re.compile(
    rb"\b(?:environb?|getenvb?|expanduser|expandvars)\b|\bPath\.home\b|\bgetuser\b"
)


def test_nothing_below_the_command_line_names_the_environment() -> None:
    """Nor the home folder: what an audit depends on are its arguments."""
    found = {
        f"{package}/{path}"
        for package in ("formulas", "sitegen", "verifier")
        for path, content in tree(ROOT / package).items()
        if path.endswith(".py") and READS.search(content)
    }
    assert found == {"verifier/cli/options.py"}


def test_a_report_is_written_for_its_reader_alone_until_it_is_whole(place: Path) -> None:
    """The file beside it, which becomes the report, is private; the report has the usual mode."""
    umask = os.umask(0)
    os.umask(umask)
    caged(place, "audit", DEMO, "-o", "report.txt")
    assert (place / "report.txt").stat().st_mode & 0o777 == 0o666 & ~umask


def test_links_in_a_bundle_are_refused(tmp_path: Path) -> None:
    """A link is no evidence, wherever it leads."""
    bundle = write_tree(tmp_path / "place", sound())
    (bundle / "arcana/scores.jsonl").symlink_to(bundle / "arcana/agents.jsonl")
    done = caged(bundle, "audit", str(bundle))
    assert done.returncode == 2
    assert b"link" in done.stderr
