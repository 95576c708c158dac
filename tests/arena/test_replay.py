"""
Boards, returns and curricula against the public package itself.

A group of its own (group ``arena``), skipped where ``sharpearena`` is not installed or is
a release without formulas here.
"""

import json
import random
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import pytest
from shared import FIXTURES
from small_bundle import write_tree

from formulas.sharpe.curriculum import Curriculum
from formulas.sharpe.interval import Bootstrap
from formulas.sharpe.kernels import KERNEL_OF_RELEASE
from verifier.audit import audit
from verifier.bundle import open_bundle
from verifier.findings import Finding, Verdict
from verifier.policy import Policy
from verifier.sharpe.convert import Setup, convert
from verifier.sharpe.curriculum import replay
from verifier.sharpe.regenerate import installed_arena, regenerate
from verifier.sharpe.single import audit_board

sharpearena: Final[Any] = pytest.importorskip(
    "sharpearena", reason="the public package sharpearena is not installed (group arena)"
)

RELEASE: Final = metadata.version("sharpearena")
if RELEASE not in KERNEL_OF_RELEASE:
    pytest.skip(f"no formulas for sharpearena {RELEASE}", allow_module_level=True)
DEMO: Final = FIXTURES / "sharpe-demo"
BOARDS: Final = [
    path.stem
    for path in sorted((DEMO / "sharpe" / "boards").iterdir())
    if json.loads(path.read_bytes())["protocol"] == f"sharpearena/{RELEASE}"
]


@pytest.mark.parametrize("name", BOARDS)
def test_boards_are_regenerated(name: str) -> None:
    """The returns behind the boards of the installed release come from their seeds, bit for bit."""
    found: list[Finding] = []
    arena = installed_arena()

    def further(*board: Any) -> list[Finding]:
        found.extend(regenerate(arena, *board))
        return found

    with open_bundle(DEMO) as bundle:
        audit_board(bundle, name, policy=Policy(), further=further)
    assert len(found) >= 6
    assert {each.verdict for each in found} == {Verdict.PASS}


@pytest.mark.parametrize("tier", ["calm", "extreme"])
def test_rows_become_a_board(tmp_path: Path, tier: str) -> None:
    """What the package returns is imported, and everything that it says is recomputed."""
    scoring = Bootstrap(trials=6, n_boot=200, resample_seed=7, alpha=0.1)
    options = {"n_boot": scoring.n_boot, "resample_seed": 7, "alpha": scoring.alpha}
    seeds = [3, 1, 4, 15, 9]
    rows = sharpearena.run_baselines(
        n_days=40, seeds=seeds, distribution_mode=tier, confidence=True, **options
    )
    pairs = sharpearena.pairwise_significance(rows, **options)
    setup = Setup(
        name="mine",
        release=RELEASE,
        tier=tier,
        seeds=seeds,
        as_of="2026-11-20T00:00:00Z",
        bootstrap=scoring,
    )
    given = json.loads(json.dumps([rows, pairs]))
    files = convert(given[0], given[1], setup)
    assert files == convert(given[0], None, setup)
    report = audit(write_tree(tmp_path / "bundle", files))
    problems = {each.check for each in report.findings if each.verdict is not Verdict.EXEMPT}
    assert report.count(Verdict.FAIL) == 0
    assert problems == {"sharpe/eligibility", "sharpe/gaps"}
    passed = {check.id: check.pass_ for check in report.checks}
    assert passed["sharpe/figures"] == len(rows)
    assert passed["sharpe/order"] == passed["sharpe/pairs"] == 1


def test_random_curricula() -> None:
    """Rates, weights and selections of the public scheduler, under random outcomes."""
    source = random.Random(23)
    for _ in range(60):
        levels = [source.randint(0, 30) for _ in range(source.randint(1, 12))]
        prior = source.choice([0.0, 0.25, 0.5, 1.0, source.random()])
        theirs = sharpearena.AdaptiveScheduler(levels, prior=prior)
        ours = Curriculum(levels, prior)
        assert list(ours.levels) == theirs.levels
        for _ in range(80):
            selected = ours.select()
            assert selected == theirs.select_next()
            level = selected if source.random() < 0.8 else source.choice(levels)
            solved = source.random() < 0.4
            theirs.record(level, solved)
            ours.record(level, solved=solved)
            assert ours.rate(level) == theirs.success_rate(level)
            assert ours.weight(level) == theirs.weight(level)


def test_a_recorded_curriculum() -> None:
    """A log of the public environment follows, episode by episode."""
    levels = [5, 3, 8]
    env = sharpearena.AdaptiveCurriculumEnv(levels, n_days=12)
    policy = installed_arena().policies["equal_weight_long"]()
    episodes = []
    for _ in range(12):
        seen, info = env.reset()
        episode = dict(info["curriculum"])
        done = False
        while not done:
            seen, _, terminated, truncated, info = env.step(policy(seen))
            done = terminated or truncated
        episodes.append(episode | {"solved": info["curriculum_solved"]})
    log = {
        "format": "sharpe-curriculum/1",
        "levels": levels,
        "prior": 0.5,
        "episodes": episodes,
    }
    found = replay(json.dumps(log).encode())
    assert found.deviations == ()
    assert found.episodes == 12
    assert found.following == env.scheduler.select_next()
