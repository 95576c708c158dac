"""A bundle without evidence is no reason for exit code 0, whatever else is right about it."""

import json
from pathlib import Path

import pytest
from small_bundle import sums_of, write_tree

from verifier.cli import main

INDEX = (
    b'{"arena":"test","as_of":"2026-09-20T03:30:00Z","families":[],'
    b'"format":"evidence-bundle/1","seasons":[],"title":"nothing"}'
)
EMPTY = {
    "an index and its list": {"bundle.json": INDEX},
    "files of no family": {"bundle.json": INDEX, "other/notes.txt": b"trust me\n"},
}


def code_of(*arguments: str) -> int:
    """Run a command here."""
    with pytest.raises(SystemExit) as leaving:
        main(list(arguments))
    assert isinstance(leaving.value.code, int)
    return leaving.value.code


@pytest.mark.parametrize("name", EMPTY)
def test_a_list_that_holds_is_no_pass(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unproven, with the reason, and nothing else is said."""
    files = EMPTY[name]
    folder = write_tree(tmp_path / "b", files | {"SHA256SUMS": sums_of(files)})
    assert code_of("audit", str(folder), "--format", "json") == 3
    report = json.loads(capsys.readouterr().out)
    assert report["verdict"] == "unproven"
    (finding,) = report["findings"]
    assert (finding["check"], finding["subject"]) == ("bundle/layout", "evidence")


@pytest.mark.parametrize("name", EMPTY)
def test_nothing_is_frozen_or_tested_from_it(tmp_path: Path, name: str) -> None:
    """Neither a season nor a self-test comes from what holds no claim."""
    files = EMPTY[name]
    folder = str(write_tree(tmp_path / "b", files | {"SHA256SUMS": sums_of(files)}))
    assert code_of("freeze", folder, "--season", "s", "--out", str(tmp_path / "out")) != 0
    assert not (tmp_path / "out").exists()
    assert code_of("selftest", folder) != 0


def test_an_empty_folder_or_none(tmp_path: Path) -> None:
    """There is no verdict at all."""
    (tmp_path / "b").mkdir()
    assert code_of("audit", str(tmp_path / "b")) == 2
    assert code_of("audit", str(tmp_path / "nowhere")) == 2
    assert code_of("audit", "") == 2
