"""
Mutation testing: ``python tests/hardening/mutate.py [MODULE...]``, or ``make mutate``.

mutmut changes one thing at a time in a copy of the checkout (``build/mutate``) and
runs the tests that reach it: a mutant that no test notices has survived. It lives
in an environment of its own, which sees the libraries of ``.venv``.

The time is bounded by ``MUTATE_SECONDS``, and one process is used. What was not
tried in that time is counted apart and in no score. Hypothesis draws few
examples, the same each time, so that a test costs little and never wavers.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PLACE: Final = ROOT / "build" / "mutate"
COPY: Final = PLACE / "copy"
COPIED: Final = ("fixtures", "formulas", "site", "sitegen", "tests", "verifier")
FILES: Final = ("CHANGELOG.md", "README.md", "pyproject.toml")
MODULES: Final = (
    "formulas/arith.py",
    "formulas/arcana_score/steps.py",
    "formulas/arcana_score/v1.py",
    "formulas/floor/primitives.py",
    "formulas/floor/score.py",
    "formulas/floor/standing.py",
    "verifier/core/hashchain.py",
    "verifier/core/merkle.py",
    "verifier/core/schemes.py",
    "verifier/core/seals.py",
    "verifier/core/shape.py",
    "verifier/core/tlog.py",
)
TESTS: Final = ("tests/core", "tests/formulas")
PROFILE: Final = """
from hypothesis import HealthCheck
settings.register_profile(
    "mutate",
    database=None,
    deadline=None,
    derandomize=True,
    max_examples=20,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("mutate")
"""
# Exit codes that mutmut keeps for each mutant; any other one is a test that failed or hung.
SURVIVED: Final = 0
UNREACHED: Final = 33
SKIPPED: Final = 34


def main(modules: tuple[str, ...]) -> None:
    """Copy, mutate, run, and print what came of each module."""
    seconds = int(os.environ.get("MUTATE_SECONDS", "900"))
    command = environment()
    copy_checkout(modules)
    try:
        done = subprocess.run(
            [command, "run", "--max-children", "1"],
            check=False,
            cwd=COPY,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
        )
        if not any((COPY / "mutants").rglob("*.meta")):
            sys.exit(done.stdout.decode())
    except subprocess.TimeoutExpired:
        print(f"stopped after {seconds} s")
    show(modules)


def environment() -> Path:
    """Install mutmut where nothing of the checkout's own environment changes."""
    python = PLACE / "env" / "bin" / "python"
    if not python.exists():
        uv = Path(sys.executable).with_name("uv")
        subprocess.run([uv, "venv", "-q", "--python", sys.executable, PLACE / "env"], check=True)
        subprocess.run(
            [uv, "pip", "install", "-q", "--python", python, "--group", "mutate"],
            check=True,
            cwd=ROOT,
        )
        ours = next(Path(path) for path in sys.path if path.endswith("site-packages"))
        (theirs,) = (PLACE / "env" / "lib").glob("*/site-packages")
        (theirs / "checkout.pth").write_text(f"{ours}\n")
    return python.with_name("mutmut")


def copy_checkout(modules: tuple[str, ...]) -> None:
    """Copy what the tests need, and tell mutmut what to change there."""
    shutil.rmtree(COPY, ignore_errors=True)
    COPY.mkdir(parents=True)
    for name in COPIED:
        shutil.copytree(ROOT / name, COPY / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copyfile(ROOT / name, COPY / name)
    settings = {
        "source_paths": ["formulas", "verifier"],
        "only_mutate": list(modules),
        "also_copy": [
            name for name in (*COPIED, *FILES) if name not in ("tests", "pyproject.toml")
        ],
        "pytest_add_cli_args_test_selection": list(TESTS),
        "pytest_add_cli_args": ["-p", "no:cacheprovider", "-q"],
    }
    lines = (f"{name} = {json.dumps(value)}\n" for name, value in settings.items())
    with (COPY / "pyproject.toml").open("a") as file:
        file.write("\n[tool.mutmut]\n" + "".join(lines))
    with (COPY / "tests" / "conftest.py").open("a") as file:
        file.write(PROFILE)


def show(modules: tuple[str, ...]) -> None:
    """Print a line a module, the score of all, and the names of the survivors."""
    total: Counter[str] = Counter()
    survivors = []
    print(f"{'module':34} {'caught':>7} {'survived':>8} {'no test':>7} {'not tried':>9}  score")
    for module in modules:
        codes = json.loads((COPY / "mutants" / f"{module}.meta").read_bytes())["exit_code_by_key"]
        kinds = Counter(kind(code) for code in codes.values())
        survivors += [name for name, code in codes.items() if code == SURVIVED]
        total += kinds
        print(line(module, kinds))
    print(line("all", total))
    for name in sorted(survivors):
        print(f"survived: {name}")


def kind(code: int | None) -> str:
    """What became of a mutant."""
    if code is None or code == SKIPPED:
        return "not tried"
    return {SURVIVED: "survived", UNREACHED: "no test"}.get(code, "caught")


def line(name: str, kinds: Counter[str]) -> str:
    """Write counts and score: of all that were tried, how many were caught."""
    tried = kinds["caught"] + kinds["survived"] + kinds["no test"]
    score = f"{kinds['caught'] / tried:6.1%}" if tried else "     -"
    counts = f"{kinds['caught']:7} {kinds['survived']:8} {kinds['no test']:7}"
    return f"{name:34} {counts} {kinds['not tried']:9} {score}"


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or MODULES)
