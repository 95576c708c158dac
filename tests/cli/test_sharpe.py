"""``tallyproof sharpe``, as it is typed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from sharpe_publisher import published, rehash, row_of, written
from small_bundle import write_tree

from verifier.audit import audit
from verifier.findings import Verdict

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the real command."""
    return subprocess.run(
        [sys.executable, "-m", "verifier", "sharpe", *map(str, arguments)],
        capture_output=True,
        check=False,
        encoding="utf-8",
        cwd=cwd,
    )


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the small arena once."""
    return write_tree(tmp_path_factory.mktemp("arena") / "bundle", written(published()))


def other(folder: Path, files: dict[str, Any]) -> Path:
    """Write an arena with these files."""
    return write_tree(folder / "bundle", written(files))


def test_a_board_that_passes(arena: Path) -> None:
    """The board, its ties and gates, then the findings; nothing wider than 80 columns."""
    done = run("board", arena / "sharpe" / "boards" / "new.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Exactly tied: momentum, max_sharpe." in done.stdout
    assert "not eligible: pass_k, process" in done.stdout
    assert "VERDICT: PASS" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_where_a_board_is(arena: Path, tmp_path: Path) -> None:
    """A file in its bundle, a name in a bundle or archive, and a file beside its bundle agree."""
    board = arena / "sharpe" / "boards" / "old.json"
    archive = shutil.make_archive(str(tmp_path / "arena"), "zip", arena)
    copy = shutil.copy(board, tmp_path / "old.json")
    reports = [
        run("board", board, "--format", "json"),
        run("board", "--name", "old", "--bundle", archive, "--format", "json"),
        run("board", copy, "--bundle", arena, "--format", "json"),
    ]
    assert {(done.returncode, done.stdout) for done in reports} == {(0, reports[0].stdout)}
    checks = [check["id"] for check in json.loads(reports[0].stdout)["checks"]]
    assert checks[0] == "sharpe/pinned"
    assert checks[-1] == "sharpe/complete"


def test_a_file_is_judged_and_not_the_bundles_board(arena: Path, tmp_path: Path) -> None:
    """A published file with another figure fails on the evidence of an honest bundle."""
    files = published()
    row_of(files, "new", "mine")["mean_return"] = 0.5
    forged = tmp_path / "new.json"
    forged.write_bytes(written(files)["sharpe/boards/new.json"])
    done = run("board", forged, "--bundle", arena, "--quiet")
    assert (done.returncode, done.stdout) == (1, "")
    assert run("board", "--name", "new", "--bundle", arena, "--quiet").returncode == 0


def test_other_boards_do_not_count(tmp_path: Path) -> None:
    """The exit code is the verdict on this board alone."""
    files = published()
    row_of(files, "old", "mine")["pass_k_rate"] = 0.125
    files["sharpe/seeds.json"]["commitments"][0]["salt"] = None
    bundle = other(tmp_path, files)
    codes = {
        name: run("board", "--name", name, "--bundle", bundle, "--quiet").returncode
        for name in ("new", "old", "sealed")
    }
    assert codes == {"new": 0, "old": 1, "sealed": 3}


def test_text_of_a_publisher_gives_no_orders(tmp_path: Path) -> None:
    """No line begins with what a board says, and nothing invisible is printed."""
    files = published()
    row = row_of(files, "new", "flat")
    row["policy"] = "::error::\x1b[31m\u202e"
    row["status"] = "::warning:: " * 20
    row["rank"] = "::x::"
    files["sharpe/boards/new.json"]["claims"] = [{"better": "::notice::", "worse": " ::debug::"}]
    done = run("board", "--name", "new", "--bundle", other(tmp_path, files), "--format", "text")
    assert done.returncode == 1
    shown = done.stdout
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert not [line for line in shown.splitlines() if line.lstrip().startswith("::")]


def test_overflow_is_a_word(tmp_path: Path) -> None:
    """A drawdown beyond all doubles is no number of the board."""
    files = published()
    for series in files["sharpe/returns/old/mine.json"]["returns"]:
        series[0], series[1] = 1.5e308, -1.5e308
    rehash(files)
    done = run("board", "--name", "old", "--bundle", other(tmp_path, files))
    assert (done.returncode, done.stderr) == (1, "")
    assert "drawdown(overflow)" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name one board"),
        (("--name", "new"), "--name needs --bundle"),
        (("--name", "none", "--bundle", "{arena}"), "its boards are new, old, sealed"),
        (("{arena}/none.json",), "cannot be read"),
        (("{arena}/bundle.json", "--name", "new"), "name one board"),
        (("{loose}",), "lies in no bundle"),
        (("--name", "new", "--bundle", "{arena}", "--regenerate"), "tallyproof[arena]"),
    ],
)
def test_what_cannot_be_run(
    arena: Path, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    """One line and exit code 2; without the public package nothing is regenerated."""
    loose = tmp_path / "loose.json"
    loose.write_bytes(b"{}")
    done = run("board", *(text.format(arena=arena, loose=loose) for text in arguments))
    if "--regenerate" in arguments and "installed is" in done.stderr:
        pytest.skip("another release of the public package is installed")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


def rows_file(folder: Path) -> Path:
    """Rows of a board without anything that rows cannot say."""
    files = published()
    found = [
        {
            "policy": row["policy"],
            "deflated_sharpe": row["deflated_sharpe"]
            if row["status"] == "scored"
            else row["status"],
            "passed_k_rate": row["pass_k_rate"],
            "mean_return": row["mean_return"],
            "deflated_sharpe_ci": row["interval"],
            "per_seed_returns": files[f"sharpe/returns/old/{row['policy']}.json"]["returns"],
        }
        for row in files["sharpe/boards/old.json"]["rows"]
    ]
    path = folder / "rows.json"
    path.write_text(json.dumps(found), encoding="utf-8")
    return path


def importing(folder: Path, **changes: object) -> list[object]:
    """Arguments of an import that can be run."""
    options = {
        "--name": "mine",
        "--release": "0.9.0",
        "--seeds": "0-3",
        "--trials": 3,
        "--alpha": 0.1,
        "--n-boot": 60,
        "--resample-seed": 2**63,
        "--output": folder / "made",
        **{f"--{name.replace('_', '-')}": value for name, value in changes.items()},
    }
    return ["import", rows_file(folder), *(item for pair in options.items() for item in pair)]


def test_import(tmp_path: Path) -> None:
    """Rows become a bundle in which nothing fails, and nothing is ever written over."""
    done = run(*importing(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    report = audit(tmp_path / "made")
    assert report.count(Verdict.FAIL) == 0
    assert report.verdict is Verdict.UNPROVEN
    again = run(*importing(tmp_path))
    assert again.returncode == 2
    assert "nothing is written over" in again.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"rows.json", "made"}


@pytest.mark.parametrize(
    "changes",
    [
        {"seeds": "0-2"},
        {"seeds": "x"},
        {"seeds": "3-1"},
        {"seeds": "0-99999999"},
        {"seeds": ""},
        {"release": "1.0"},
        {"name": "a/b"},
        {"alpha": 2},
        {"as_of": "yesterday"},
    ],
)
def test_imports_that_make_no_sense(tmp_path: Path, changes: dict[str, object]) -> None:
    """One line, exit code 2, and no folder."""
    done = run(*importing(tmp_path, **changes))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1, done.stderr
    assert not (tmp_path / "made").exists()


def test_curriculum(tmp_path: Path) -> None:
    """A log that follows exits 0, one that does not 1 and says where, one that is none 2."""
    path = tmp_path / "log.json"
    first = {"seed": 4, "solved": True, "success_rate": 0.5, "weight": 0.25}
    log: dict[str, Any] = {
        "format": "sharpe-curriculum/1",
        "levels": [4, 5],
        "prior": 0.5,
        "episodes": [first, first],
    }
    path.write_text(json.dumps(log | {"episodes": [first]}), encoding="utf-8")
    done = run("curriculum", path)
    assert done.returncode == 0
    assert "The next level is 5." in done.stdout
    path.write_text(json.dumps(log), encoding="utf-8")
    done = run("curriculum", path)
    assert done.returncode == 1
    assert "episode 1: seed 4 is recorded, 5 follows" in done.stdout
    done = run("curriculum", path, "--format", "json")
    assert done.returncode == 1
    assert [each["what"] for each in json.loads(done.stdout)["deviations"]] == [
        "seed",
        "success_rate",
        "weight",
    ]
    path.write_text("{}", encoding="utf-8")
    done = run("curriculum", path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "log.json" in done.stderr
