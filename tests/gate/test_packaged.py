"""The pre-commit hook and the image, as far as they can be read without git hooks or an engine."""

import shlex
import subprocess
import sys
from typing import Any, Final

import yaml
from shared import FIXTURES, ROOT

HOOKS: Final[list[dict[str, Any]]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())


def hook(*arguments: str) -> int:
    """Run the entry as pre-commit does: with the caller's arguments, and no file names."""
    program, *words = shlex.split(HOOKS[0]["entry"])
    assert program == "tallyproof"
    command = [sys.executable, "-m", "verifier", *words, *arguments]
    return subprocess.run(command, check=False, capture_output=True, cwd=ROOT).returncode


def test_the_hook_is_one_that_pre_commit_installs() -> None:
    """It is one hook, of this package, that takes no file names."""
    (only,) = HOOKS
    assert (only["id"], only["language"]) == ("tallyproof-audit", "python")
    assert only["pass_filenames"] is False
    policy = str(FIXTURES / "policy.toml")
    assert hook(str(FIXTURES / "sharpe-demo"), "--policy", policy, "--quiet") == 0
    assert hook() == hook("nowhere") == 2


def test_the_image_is_slim_and_has_no_rights() -> None:
    """Its last stage starts slim, runs as a user of its own, and asks nobody for anything."""
    stages = (ROOT / "Dockerfile").read_text().split("\nFROM ")
    assert all(stage.startswith("python:3.13-slim") for stage in stages[1:])
    last = stages[-1].splitlines()
    (user,) = [at for at, line in enumerate(last) if line.startswith("USER ")]
    assert last[user] not in {"USER root", "USER 0"}
    assert not any(line.startswith("RUN") for line in last[user:])
    assert not any(word in line for line in last for word in ("pip ", "apt", "curl", "ADD"))
    for line in stages[1].splitlines():
        for place in line.split()[1:-1] if line.startswith("COPY ") else ():
            assert (ROOT / place).exists(), place
