"""The commands in the footers of pages run as they are printed, where the site was downloaded."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from arcana_site import season_of
from frozen import frozen_demo
from shared import ROOT

from sitegen.commands import audit_season, board_of_season, explain_in_season
from verifier.freeze import FrozenSeason, read_season

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sitegen.model import Season


@pytest.fixture(scope="module")
def frozen() -> Iterator[FrozenSeason]:
    """Read the frozen boards."""
    with read_season(frozen_demo("release-1")) as season:
        yield season


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (audit_season, b"pass"),
        (lambda season: explain_in_season(season, "calm-new/momentum"), b"calm-new/momentum"),
        (lambda season: board_of_season(season, "calm-new"), b"momentum"),
    ],
    ids=["audit", "explain", "board"],
)
def test_a_footer_s_command_runs(
    frozen: FrozenSeason, tmp_path: Path, write: Callable[[Season], str], said: bytes
) -> None:
    """Each finds evidence and policy below the root of the site, and the claims hold."""
    season = season_of(frozen, frozen.bundle)
    (tmp_path / season.root).mkdir(parents=True)
    (tmp_path / season.root / "policy.toml").write_bytes(season.policy_text)
    (tmp_path / "evidence").mkdir()
    archive = frozen_demo("release-1").parent / "evidence" / f"{season.bundle.sha256}.zip"
    shutil.copy(archive, tmp_path / f"{season.evidence.rstrip('/')}.zip")
    program, *arguments = shlex.split(write(season))
    assert program == "tallyproof"
    done = subprocess.run(
        [sys.executable, "-m", "verifier", *arguments],
        check=False,
        capture_output=True,
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    assert said in done.stdout


def test_a_hostile_subject_is_one_word(frozen: FrozenSeason) -> None:
    """What an agent is called cannot become a command of the reader's shell."""
    season = season_of(frozen, frozen.bundle)
    hostile = "calm/$(rm -r ~); `x` 'y'"
    for written in (explain_in_season(season, hostile), board_of_season(season, hostile)):
        assert hostile in shlex.split(written)
