"""Frozen seasons are final: whatever differs between two of them is a rewrite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from frozen import ARCANA, DEMOS, POLICY, copy_of, frozen_demo
from real_command import run
from shared import FIXTURES

from verifier.diff import Difference, Effect, diff_seasons
from verifier.freeze import freeze, read_season
from verifier.policy import ArcanaPolicy, Policy

if TYPE_CHECKING:
    from pathlib import Path


def diff(a: Path, b: Path) -> Difference:
    """Compare two folders of frozen seasons."""
    with read_season(a) as one, read_season(b) as other:
        return diff_seasons(one, other)


def test_a_season_is_the_same_as_its_copy(tmp_path: Path) -> None:
    """Nothing differs, and nothing is listed."""
    found = diff(frozen_demo(ARCANA), copy_of(ARCANA, tmp_path / "out"))
    assert found.relation == "same"
    assert found.a == found.b
    assert (found.files.added, found.files.removed, found.files.changed) == (0, 0, 0)


def test_two_seasons_differ_in_table_and_record(tmp_path: Path) -> None:
    """The evidence is the same bundle, so table and record are what is listed."""
    other = freeze(FIXTURES / "floor-demo", season="season-2", out=tmp_path / "out", policy=POLICY)
    assert other.folder is not None
    found = diff(frozen_demo("season-1"), other.folder)
    assert {entry.effect for entry in found.entries} == {Effect.REWRITE}
    places = {(entry.where.file, entry.where.pointer) for entry in found.entries}
    assert ("season.json", "/season") in places
    assert ("table.json", "/ledger/entries") in places
    assert {file for file, _ in places} == {"season.json", "table.json"}
    assert found.files.changed == 2
    assert found.a.sha256 != found.b.sha256


def test_trust_and_reasons_are_part_of_a_season(tmp_path: Path) -> None:
    """The same evidence under another policy, with unproven claims, is another season."""
    policy = Policy(arcana=ArcanaPolicy(participation="engine"))
    other = freeze(
        DEMOS[ARCANA],
        season=ARCANA,
        out=tmp_path / "out",
        policy=policy,
        allow_unproven="nobody is named",
    )
    assert other.folder is not None
    found = diff(frozen_demo(ARCANA), other.folder)
    changed = {entry.where.pointer: (entry.before, entry.after) for entry in found.entries}
    assert changed["/unproven"] == ("null", '{"count":1,"reason":"nobody is named"}')
    assert changed["/report/verdict"] == ('"pass"', '"unproven"')
    assert "/policy/sha256" in changed
    assert found.files.changed == 3


@pytest.mark.parametrize(
    ("bundle", "code"), [("floor-demo", 0), ("sharpe-demo", 1)], ids=["its own", "another"]
)
def test_against_a_bundle_a_season_is_its_evidence(bundle: str, code: int) -> None:
    """A frozen season and a bundle are compared as two bundles, either way round."""
    sides = (frozen_demo("season-1"), FIXTURES / bundle)
    for a, b in (sides, sides[::-1]):
        done = run("diff", a, b, "--quiet")
        assert (done.returncode, done.stderr) == (code, b"")


def test_the_command_compares_two_seasons(tmp_path: Path) -> None:
    """Exit 0 for the same, and a table that was forged is an error, not a difference."""
    folder = copy_of(ARCANA, tmp_path / "out")
    assert run("diff", frozen_demo(ARCANA), folder).returncode == 0
    table = folder / "table.json"
    table.write_bytes(table.read_bytes().replace(b'"rank":1,', b'"rank":2,'))
    done = run("diff", frozen_demo(ARCANA), folder)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"table.json: is not the table that the evidence gives" in done.stderr
