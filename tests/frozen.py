"""The demo seasons, frozen once for a test run, and what their names are."""

from __future__ import annotations

import atexit
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Final

from shared import FIXTURES

from verifier.freeze import freeze
from verifier.policy import load_policy

if TYPE_CHECKING:
    from verifier.freeze import Frozen

POLICY_FILE: Final = FIXTURES / "policy.toml"
POLICY: Final = load_policy(POLICY_FILE)
ARCANA: Final = "f48ee169-ec9e-499e-8989-458631b24202"
ARCANA_NEXT: Final = "50eb094d-15e1-410c-b28d-88a85eb0bae0"
DEMOS: Final = {
    ARCANA: FIXTURES / "arcana-demo",
    "season-1": FIXTURES / "floor-demo",
    "release-1": FIXTURES / "sharpe-demo",
}
"""Season by season, the bundle that it is frozen from."""

FILES: Final = ("policy.toml", "report.json", "season.json", "table.json")


def freeze_demo(season: str, out: Path) -> Frozen:
    """Freeze one season of the demos under their policy."""
    return freeze(DEMOS[season], season=season, out=out, policy=POLICY)


@cache
def frozen_demo(season: str) -> Path:
    """The folder of a season that was frozen before; not to be changed."""
    out = Path(mkdtemp(prefix="tallyproof-"))
    atexit.register(shutil.rmtree, out)
    folder = freeze_demo(season, out).folder
    assert folder is not None
    return folder


def copy_of(season: str, out: Path) -> Path:
    """A frozen season with its evidence, in a folder of the caller's own."""
    frozen = frozen_demo(season)
    shutil.copytree(frozen.parent, out)
    return out / frozen.name


def tree(root: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
