"""What other programs read must parse, and mean what their formats say."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest
from report.samples import CHECKS, SAMPLES, failures, finding, passes, report, unproven

from verifier.findings import Verdict, Where
from verifier.report import RENDERERS, Report

each_sample = pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)


def _json(style: str, sample: Report) -> Any:
    return json.loads(RENDERERS[style](sample))


@each_sample
def test_json_has_the_published_members(sample: Report) -> None:
    """The members that scripts rely on are there, with nothing left out when absent."""
    document = _json("json", sample)
    assert document["format"] == "tallyproof-report/1"
    assert document["tool"] == {"name": "tallyproof", "version": "0.1.0"}
    assert set(document["bundle"]) == {"as_of", "sha256"}
    assert set(document["policy"]) == {"sha256"}
    assert set(document["counts"]) == {"pass", "fail", "unproven", "exempt"}
    assert [check["id"] for check in document["checks"]] == [check.id for check in CHECKS]
    for check in document["checks"]:
        assert set(check) == {"id", "step", "pass", "fail", "unproven", "exempt"}
    assert set(document["coverage"]) == {"inputs", "sealed", "anchored"}
    for one in document["findings"]:
        assert set(one) == {
            *("check", "subject", "verdict", "message"),
            *("published", "recomputed", "where"),
        }
        assert one["where"] is None or set(one["where"]) == {"file", "line", "pointer"}


@each_sample
def test_json_is_canonical(sample: Report) -> None:
    """Keys sorted, no spaces, text as it is, one newline at the end."""
    data = RENDERERS["json"](sample)
    again = json.dumps(json.loads(data), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert data == again.encode() + b"\n"


@each_sample
def test_junit_totals(sample: Report) -> None:
    """A fail is a failure, an unproven an error, an exempt skipped; sums agree."""
    root = ET.fromstring(RENDERERS["junit"](sample))
    for scope in (root, *root.iter("testsuite")):
        for tag, total in (
            ("testcase", "tests"),
            ("failure", "failures"),
            ("error", "errors"),
            ("skipped", "skipped"),
        ):
            assert int(scope.attrib[total]) == len(list(scope.iter(tag)))
    assert int(root.attrib["failures"]) == sample.count(Verdict.FAIL)
    assert int(root.attrib["skipped"]) == sample.count(Verdict.EXEMPT)
    bad = int(root.attrib["failures"]) + int(root.attrib["errors"])
    assert (bad == 0) is (sample.verdict is Verdict.PASS)


def test_junit_counts_passes_that_were_not_kept() -> None:
    """One case of a check says how many claims passed."""
    root = ET.fromstring(RENDERERS["junit"](report(passes())))
    names = [case.attrib["name"] for case in root.iter("testcase") if not list(case)]
    assert "points follow from settlement and baseline: 12 recomputed and equal" in names
    every = ET.fromstring(RENDERERS["junit"](report(passes(), keep="all")))
    assert int(every.attrib["tests"]) == len(list(passes()))


@each_sample
def test_sarif_required_members(sample: Report) -> None:
    """Version, one run, a named driver, and a rule for every result (3.13, 3.14, 3.18, 3.49)."""
    document = _json("sarif", sample)
    assert set(document) == {"$schema", "version", "runs"}
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "tallyproof"
    assert run["columnKind"] in {"utf16CodeUnits", "unicodeCodePoints"}
    assert run["invocations"][0]["executionSuccessful"] is True
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids))
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
    for result in run["results"]:
        assert result["ruleId"] == ids[result["ruleIndex"]]
        assert result["message"]["text"]


@each_sample
def test_sarif_kind_and_level(sample: Report) -> None:
    """A level other than none belongs to kind fail alone (3.27.9, 3.27.10)."""
    (run,) = _json("sarif", sample)["runs"]
    kinds = {"pass": "pass", "fail": "fail", "unproven": "open", "exempt": "notApplicable"}
    for one, result in zip(sample.findings, run["results"], strict=True):
        assert result["kind"] == kinds[one.verdict]
        assert result["level"] == ("error" if one.verdict is Verdict.FAIL else "none")


@pytest.mark.parametrize(
    "file", ["a/b.json", "floor/a b,c:é%.jsonl", "//host/x", "/x", "javascript:x", "?q#f", "\u202e"]
)
def test_sarif_location(file: str) -> None:
    """A location is a relative reference that decodes to the path in the bundle."""
    bad = finding("floor/points", Verdict.FAIL, where=Where(file, 13, "/body/points"))
    (run,) = _json("sarif", report([bad]))["runs"]
    (location,) = run["results"][0]["locations"]
    physical = location["physicalLocation"]
    uri = physical["artifactLocation"]["uri"]
    assert physical["artifactLocation"]["uriBaseId"] in run["originalUriBaseIds"]
    assert re.fullmatch(r"[A-Za-z0-9._~%-][A-Za-z0-9._~%/-]*", uri)
    assert unquote(uri) == file
    assert physical["region"] == {"startLine": 13}
    assert location["logicalLocations"] == [{"fullyQualifiedName": "/body/points", "kind": "value"}]


def test_sarif_message_has_no_link_and_no_placeholder() -> None:
    """Brackets and braces of others are text (3.11.5, 3.11.6)."""
    (run,) = _json("sarif", report(failures()))["runs"]
    text = run["results"][-1]["message"]["text"]
    assert r"{{0}} and \[this](https" in text


def _commands(data: bytes) -> list[tuple[str, dict[str, str], str]]:
    """Read workflow commands back as the runner does."""
    commands = []
    for line in data.decode().removesuffix("\n").split("\n"):
        match = re.fullmatch(r"::([a-z]+)(?: (.*?))?::(.*)", line)
        assert match, line
        name, given, text = match.groups()
        pairs = dict(pair.split("=", 1) for pair in given.split(",")) if given else {}
        commands.append(
            (name, {key: unquote(value) for key, value in pairs.items()}, unquote(text))
        )
    return commands


def test_github_commands_read_back() -> None:
    """Commas, colons, percent signs and line ends survive escaping."""
    commands = _commands(RENDERERS["github"](report(failures())))
    assert [name for name, _, _ in commands] == ["error", "error", "error", "notice"]
    _, properties, text = commands[2]
    assert properties == {
        "file": "floor/a b,c:é%.jsonl",
        "line": "13",
        "title": "FAIL floor/points",
    }
    assert "by 100%\npublished " in text
    assert commands[-1][2].startswith("VERDICT: FAIL — 3 claims are wrong\nCoverage: of 5908")


def test_github_shows_the_worst_first_and_counts_the_rest() -> None:
    """Fifty annotations at most, failures before what is unproved."""
    many = [
        finding("floor/points", verdict, f"call {index}")
        for index in range(40)
        for verdict in (Verdict.UNPROVEN, Verdict.FAIL, Verdict.EXEMPT)
    ]
    names = [name for name, _, _ in _commands(RENDERERS["github"](report(many)))]
    assert names == ["error"] * 40 + ["warning"] * 10 + ["warning", "notice"]
    assert "… and 30 more" in RENDERERS["github"](report(many)).decode()


def test_github_warns_of_what_is_unproved() -> None:
    """Without a failure there are warnings alone, and the verdict as a notice."""
    names = {name for name, _, _ in _commands(RENDERERS["github"](report(unproven())))}
    assert names == {"warning", "notice"}
