"""
The composite action, its steps run as the shell scripts that they are.

A runner replaces ``${{ inputs.x }}`` in the environment of a step, runs the
steps in order, and stops at the first that fails. The same is done here.
Packages come from the environment of the tests, so that no index is asked.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from shutil import copytree
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml
from core.test_dsse import PRIVATE_PEM, PUBLIC_PEM
from junitparser import JUnitXml
from overlays import overlays
from shared import FIXTURES, ROOT

from verifier.bundle import open_bundle
from verifier.policy import Policy, parse_policy
from verifier.report import exit_code
from verifier.signed import check_report

if TYPE_CHECKING:
    from pathlib import Path

ACTION: Final[dict[str, Any]] = yaml.safe_load((ROOT / "action.yml").read_text())
DEMO: Final = FIXTURES / "arcana-demo"
_INPUT: Final = re.compile(r"\$\{\{ inputs\.([a-z]+) \}\}")


@dataclass(frozen=True)
class Ran:
    """What a job of the action left behind."""

    code: int
    outputs: dict[str, str]
    log: str
    summary: str
    reports: Path


def run_action(folder: Path, **inputs: str) -> Ran:
    """Run every step as a runner would, with the inputs given and the defaults for the others."""
    given = {name: str(item.get("default", "")) for name, item in ACTION["inputs"].items()}
    given.update(inputs)
    paths = {name: folder / name for name in ("temp", "workspace", "output", "summary")}
    for name in ("temp", "workspace"):
        paths[name].mkdir(exist_ok=True)
    for name in ("output", "summary"):
        paths[name].touch()
    base = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "RUNNER_TEMP": str(paths["temp"]),
        "GITHUB_WORKSPACE": str(paths["workspace"]),
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_OUTPUT": str(paths["output"]),
        "GITHUB_STEP_SUMMARY": str(paths["summary"]),
        # What the step installs, it builds and runs with the libraries that are here already.
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path.endswith("-packages")),
        "PIP_NO_BUILD_ISOLATION": "0",
        "PIP_NO_DEPS": "1",
        "PIP_NO_INDEX": "1",
    }
    code, log = 0, ""
    for step in ACTION["runs"]["steps"]:
        assert step["shell"] == "bash"
        env = {name: _INPUT.sub(lambda m: given[m[1]], text) for name, text in step["env"].items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            env=base | env,
            capture_output=True,
            check=False,
            text=True,
        )
        code, log = done.returncode, log + done.stdout + done.stderr
        if code:
            break
    lines = paths["output"].read_text().splitlines()
    return Ran(
        code=code,
        outputs=dict(line.split("=", 1) for line in lines),
        log=log,
        summary=paths["summary"].read_text(),
        reports=paths["workspace"] / given["reports"],
    )


def test_inputs_never_reach_a_script_as_text() -> None:
    """An expression in a script would run what the input says; all of them go by environment."""
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"]
        for text in step["env"].values():
            assert _INPUT.fullmatch(text)


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """An honest bundle, signed."""
    folder = tmp_path_factory.mktemp("honest")
    return run_action(
        folder,
        bundle=str(DEMO),
        policy=str(FIXTURES / "policy.toml"),
        python=sys.executable,
        key=PRIVATE_PEM.decode(),
    )


def test_honest_bundle_lets_the_release_through(honest: Ran) -> None:
    """Exit code, outputs, summary and every report say pass."""
    assert honest.code == 0, honest.log
    assert honest.outputs == {"verdict": "pass", "exit-code": "0"}
    assert "VERDICT" in honest.log or "::notice title=tallyproof" in honest.log
    assert "PASS" in honest.summary
    assert sorted(path.name for path in honest.reports.iterdir()) == [
        *("badge.json", "report.json", "report.sarif", "report.xml"),
        *("statement.json", "summary.md"),
    ]
    suites = JUnitXml.fromfile(str(honest.reports / "report.xml"))
    assert (suites.failures, suites.errors) == (0, 0)


def test_reports_of_the_action_are_signed(honest: Ran) -> None:
    """Whoever has the public key can check both."""
    trusted = parse_policy((FIXTURES / "policy.toml").read_bytes(), file="policy.toml")
    for name in ("report.json", "statement.json"):
        report = check_report(
            (honest.reports / name).read_bytes(),
            name=name,
            policy=Policy(),
            keys=[("pub.pem", PUBLIC_PEM)],
            policy_sha256=trusted.sha256,
        )
        assert exit_code(report) == 0


def test_key_is_gone_afterwards(honest: Ran) -> None:
    """Nothing of the private key stays on the runner."""
    folder = honest.reports.parents[1]
    for path in folder.rglob("*.pem"):
        assert "tallyproof" not in path.name


def test_forged_bundle_stops_the_release(tmp_path: Path, honest: Ran) -> None:
    """The step fails with the verdict's exit code, its reports are there, and lines annotated."""
    reuse_installation(tmp_path, honest)
    forged = tmp_path / "forged"
    copytree(DEMO, forged)
    (overlay,) = (item for item in overlays(DEMO.name) if item.name == "reputation-zero")
    with open_bundle(DEMO) as base:
        changed = overlay.changes(base)
    for path, content in changed.items():
        assert content is not None
        (forged / path).write_bytes(content)
    ran = run_audit(tmp_path, bundle=str(forged), policy=str(FIXTURES / "policy.toml"))
    assert ran.code == 1
    assert ran.outputs == {"verdict": "fail", "exit-code": "1"}
    assert "::error file=arcana/" in ran.log
    assert json.loads((ran.reports / "report.json").read_bytes())["verdict"] == "fail"
    assert JUnitXml.fromfile(str(ran.reports / "report.xml")).failures


@pytest.mark.parametrize("bundle", ["nowhere", "", "--help", "$(touch x)"])
def test_no_bundle_is_never_a_pass(tmp_path: Path, honest: Ran, bundle: str) -> None:
    """A missing bundle, an empty name and an option in its place stop the release too."""
    reuse_installation(tmp_path, honest)
    ran = run_audit(tmp_path, bundle=bundle)
    assert ran.code == 2
    assert ran.outputs == {"verdict": "none", "exit-code": "2"}
    assert not (ran.reports / "report.json").exists()
    assert not (tmp_path / "workspace" / "x").exists()


def test_empty_bundle_is_never_a_pass(tmp_path: Path, honest: Ran) -> None:
    """A folder without evidence is no bundle."""
    reuse_installation(tmp_path, honest)
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "empty").mkdir()
    assert run_audit(tmp_path, bundle="empty").code == 2


def test_report_of_an_earlier_run_is_not_taken_for_this_one(tmp_path: Path, honest: Ran) -> None:
    """What could not run leaves no report behind, even where one lay before."""
    reuse_installation(tmp_path, honest)
    other = tmp_path / "workspace" / "tallyproof-reports" / "other"
    other.mkdir(parents=True)
    for stale in (tmp_path / "temp" / "tallyproof-reports", other.parent):
        stale.mkdir(exist_ok=True)
        for path in honest.reports.iterdir():
            (stale / path.name).write_bytes(path.read_bytes())
    ran = run_audit(tmp_path, bundle="nowhere")
    assert ran.code == 2
    assert list(ran.reports.iterdir()) == [other]


@pytest.mark.parametrize("reports", ["-v", "--help", "a b\n::warning::c"])
def test_folder_for_the_reports_is_a_name_and_no_option(
    tmp_path: Path, honest: Ran, reports: str
) -> None:
    """Whatever it is called, the reports lie there, and the exit code is the verdict's."""
    reuse_installation(tmp_path, honest)
    policy = str(FIXTURES / "policy.toml")
    ran = run_audit(tmp_path, bundle=str(DEMO), policy=policy, reports=reports)
    assert ran.code == 0, ran.log
    assert "::warning" not in ran.log
    assert (ran.reports / "report.json").is_file()


@pytest.mark.parametrize(
    "inputs",
    [
        {"jobs": "2\n--quiet"},
        {"jobs": "--help"},
        {"jobs": ""},
        {"policy": "--help"},
        {"policy": "a'\"$(touch x)`touch x`\n"},
        {"key": "--help"},
        {"key": "$(touch x)\n'\""},
    ],
    ids=str,
)
def test_inputs_with_quotes_lines_and_dashes(
    tmp_path: Path, honest: Ran, inputs: dict[str, str]
) -> None:
    """They are values that are refused: nothing is run, and nothing passes."""
    reuse_installation(tmp_path, honest)
    ran = run_audit(tmp_path, bundle=str(DEMO), **inputs)
    assert ran.code == 2, ran.log
    assert ran.outputs == {"verdict": "none", "exit-code": "2"}
    assert not (tmp_path / "workspace" / "x").exists()
    assert not list((tmp_path / "temp").glob("*.pem"))


def reuse_installation(folder: Path, honest: Ran) -> None:
    """Take the installation of the first job, which is the same for all."""
    (folder / "temp").mkdir()
    (folder / "temp" / "tallyproof").symlink_to(honest.reports.parents[1] / "temp" / "tallyproof")


def run_audit(folder: Path, **inputs: str) -> Ran:
    """Run the action with its installation in place."""
    return run_action(folder, python="true", **inputs)
