"""Killed at any moment, a freeze has written all of a season or none of it."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from dying import ENDED, dying
from frozen import ARCANA, DEMOS, POLICY_FILE, copy_of, freeze_demo, frozen_demo, tree
from real_command import run
from shared import ROOT

from verifier.freeze import list_seasons, read_season

if TYPE_CHECKING:
    from pathlib import Path

CHANGES: Final = ("os.fsync", "os.rename", "os.mkdir", "os.rmdir", "os.unlink")


def command(out: Path) -> list[str]:
    """The arguments that freeze the season."""
    places = ("--out", str(out), "--policy", str(POLICY_FILE))
    return ["freeze", str(DEMOS[ARCANA]), "--season", ARCANA, *places]


def whole_or_nothing(out: Path) -> bool:
    """Whether the season is there; if it is, all of it is, and the evidence holds."""
    if not (out / ARCANA).exists():
        return False
    with read_season(out / ARCANA) as season:
        assert tree(season.folder) == tree(frozen_demo(ARCANA))
    return True


def finishes(out: Path) -> None:
    """The next freeze is as if nothing had happened, and clears away what was left."""
    freeze_demo(ARCANA, out)
    assert tree(out) == tree(frozen_demo(ARCANA).parent)
    assert not [path for path in out.iterdir() if path.name.startswith(".")]


def test_killed_before_every_step(tmp_path: Path) -> None:
    """Wherever it ends, the season is whole or absent, and the next one completes it."""
    there = []
    with dying(*CHANGES) as freeze:
        for steps in range(100):
            out = tmp_path / str(steps)
            code, said = freeze(steps, command(out))
            if code == 0:
                break
            assert code == ENDED, said
            there.append(out.exists() and whole_or_nothing(out))
            finishes(out)
    assert len(there) > 12
    # Absent up to the rename, whole from then on.
    assert there == sorted(there)
    assert any(there)
    assert not all(there)


def test_killed_at_any_time(tmp_path: Path) -> None:
    """The same for a signal at moments of chance."""
    started = time.monotonic()
    assert run(*command(tmp_path / "timed")).returncode == 0
    lasts = time.monotonic() - started
    chance = random.Random(5)
    for number in range(8):
        out = tmp_path / str(number)
        with subprocess.Popen(
            [sys.executable, "-m", "verifier", *command(out)],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            time.sleep(lasts * chance.uniform(0.4, 1.0))
            process.send_signal(signal.SIGKILL)
        if out.exists():
            whole_or_nothing(out)
        finishes(out)


def test_what_a_killed_one_left_is_no_season(tmp_path: Path) -> None:
    """Staging is neither listed nor in the way, whatever takes its place."""
    out = copy_of(ARCANA, tmp_path / "out").parent
    staging = out / ".tallyproof-staging"
    (staging / "season").mkdir(parents=True)
    (staging / "evidence.zip").write_bytes(b"PK")
    assert [folder.name for folder in list_seasons(out)] == [ARCANA]
    finishes(out)
    staging.symlink_to(tmp_path)
    finishes(out)
    assert tmp_path.exists()
    staging.write_bytes(b"")
    finishes(out)


def test_freezing_at_the_same_time(tmp_path: Path) -> None:
    """Several at once wait for each other: one freezes, the others find it frozen."""
    times = 3
    with ThreadPoolExecutor(times) as pool:
        done = list(pool.map(lambda _: run(*command(tmp_path / "out")), range(times)))
    assert [each.returncode for each in done] == [0] * times
    assert sorted(b"frozen now" in each.stdout for each in done) == [False] * (times - 1) + [True]
    finishes(tmp_path / "out")
