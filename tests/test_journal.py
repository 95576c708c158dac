"""The journal: an interrupted audit goes on, and nothing else is believed of what it wrote."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from overlays import overlays
from shared import FIXTURES

from verifier.audit import audit, audit_bundle
from verifier.bundle import open_bundle, overlay
from verifier.engine import Serial
from verifier.errors import EvidenceError, UsageError
from verifier.journal import Journal
from verifier.policy import Policy, parse_policy
from verifier.report import RENDERERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verifier.report.model import Report

DEMO: Final = FIXTURES / "floor-demo"


class Interrupted(Serial):
    """This process, until somebody interrupts it; *items* counts what it was asked for."""

    def __init__(self, after: int = 1 << 30) -> None:
        self.after = after
        self.items = 0

    def map(self, work: Any, shared: Any, items: Any) -> Iterator[Any]:
        """Compute items, and stop in the middle."""
        for item in items:
            if self.items == self.after:
                raise KeyboardInterrupt
            self.items += 1
            yield work(shared, item)


def _audit(journal: Path | None, engine: Serial | None = None, path: Path = DEMO) -> Report:
    policy = parse_policy((FIXTURES / "policy.toml").read_bytes(), file="policy.toml")
    return audit(path, policy=policy, engine=engine, resume=journal)


@pytest.fixture(scope="module")
def whole() -> tuple[bytes, int]:
    """The report without a journal, and the number of items."""
    engine = Interrupted()
    return RENDERERS["json"](_audit(None, engine)), engine.items


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """A journal of the first five items."""
    path = tmp_path / "journal"
    with pytest.raises(KeyboardInterrupt):
        _audit(path, Interrupted(5))
    return path


def test_an_interrupted_audit_goes_on(journal: Path, whole: tuple[bytes, int]) -> None:
    """The report has the same bytes, and what was known is not asked again."""
    engine = Interrupted()
    assert RENDERERS["json"](_audit(journal, engine)) == whole[0]
    assert engine.items == whole[1] - 5
    engine = Interrupted()
    assert RENDERERS["json"](_audit(journal, engine)) == whole[0]
    assert engine.items == 0


@pytest.mark.parametrize("kept", [0.3, 0.95])
def test_a_journal_cut_short_is_believed_up_to_there(
    journal: Path, whole: tuple[bytes, int], kept: float
) -> None:
    """A crash in the middle of a line costs that line."""
    data = journal.read_bytes()
    journal.write_bytes(data[: int(len(data) * kept)])
    engine = Interrupted()
    assert RENDERERS["json"](_audit(journal, engine)) == whole[0]
    assert whole[1] - 5 < engine.items <= whole[1]


def test_a_changed_line_is_not_believed(journal: Path, whole: tuple[bytes, int]) -> None:
    """Whatever byte is changed, the report stays what it is."""
    data = journal.read_bytes()
    for at in range(0, len(data), max(1, len(data) // 4)):
        changed = bytearray(data)
        changed[at] ^= 1
        journal.write_bytes(changed)
        if b'"format":"tallyproof-journal/1"' in changed.partition(b"\n")[0]:
            assert RENDERERS["json"](_audit(journal)) == whole[0]
        else:
            with pytest.raises(UsageError, match="not a journal"):
                _audit(journal)


def test_a_journal_of_a_pass_cannot_hide_a_forgery(tmp_path: Path) -> None:
    """The evidence is part of what a journal is about."""
    journal = tmp_path / "journal"
    assert _audit(journal).verdict == "pass"
    policy = parse_policy((FIXTURES / "policy.toml").read_bytes(), file="policy.toml")
    with open_bundle(DEMO) as base:
        for each in overlays("floor-demo")[:2]:
            forged = overlay(base, each.changes(base), relist=each.relist)
            plain = audit_bundle(forged, policy=policy)
            resumed = audit_bundle(forged, policy=policy, resume=journal)
            assert RENDERERS["json"](resumed) == RENDERERS["json"](plain)


@pytest.mark.parametrize("what", ["policy", "release", "keep"])
def test_another_audit_begins_anew(
    journal: Path, whole: tuple[bytes, int], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under another policy, with other code, or with other findings nothing is known."""
    engine = Interrupted()
    policy = parse_policy((FIXTURES / "policy.toml").read_bytes(), file="policy.toml")
    if what == "release":
        monkeypatch.setattr("verifier.engine.release.release_digest", lambda: "0" * 64)
    audit(
        DEMO,
        policy=Policy() if what == "policy" else policy,
        keep="all" if what == "keep" else "problems",
        engine=engine,
        resume=journal,
    )
    assert engine.items == whole[1]


def test_a_file_that_is_no_journal_is_left_alone(tmp_path: Path) -> None:
    """Nobody loses a file by naming it wrongly."""
    path = tmp_path / "notes"
    path.write_bytes(b"dear diary\n")
    with pytest.raises(UsageError, match="not a journal"):
        _audit(path)
    assert path.read_bytes() == b"dear diary\n"


def test_a_journal_is_private_and_no_link(tmp_path: Path) -> None:
    """It is made for its owner alone, and a link is not followed."""
    path = tmp_path / "journal"
    _audit(path)
    assert path.stat().st_mode & 0o077 == 0
    link = tmp_path / "link"
    link.symlink_to(path)
    with pytest.raises(UsageError, match="cannot be used as a journal"):
        _audit(link)


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_a_journal_is_a_plain_file(tmp_path: Path, make: Callable[[Path], object]) -> None:
    """Nothing waits for the other end of a pipe, or for the end of a device."""
    make(tmp_path / "journal")
    with pytest.raises(UsageError, match="cannot be used as a journal"):
        _audit(tmp_path / "journal")


@pytest.mark.parametrize("place", ["journal", "floor/journal", "link/journal", "bundle.json", ""])
def test_a_journal_inside_the_bundle_is_refused(tmp_path: Path, place: str) -> None:
    """It would be a file that the bundle's list does not have, or in place of one that it has."""
    bundle = tmp_path / "bundle"
    (bundle / "floor").mkdir(parents=True)
    (bundle / "bundle.json").touch()
    (tmp_path / "link").symlink_to(bundle)
    journal = tmp_path / place if place.startswith("link") else bundle / place
    with pytest.raises(UsageError, match="inside the bundle"):
        _audit(journal, path=bundle)
    assert sorted(each.name for each in bundle.iterdir()) == ["bundle.json", "floor"]
    with pytest.raises(EvidenceError):
        _audit(tmp_path / "bundle-journal", path=bundle)


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_journal_that_others_may_write_is_not_believed(tmp_path: Path, mode: int) -> None:
    """What an item gave is hashed but not signed: a stranger could write it."""
    path = tmp_path / "journal"
    path.touch()
    path.chmod(mode)
    with pytest.raises(UsageError, match="other users may write it"):
        Journal(path, "0" * 64, {})


def test_a_journal_of_another_user_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever it belongs to may have written anything."""
    path = tmp_path / "journal"
    path.touch()
    owner = path.stat().st_uid
    monkeypatch.setattr("os.geteuid", lambda: owner + 1)
    with pytest.raises(UsageError, match="belongs to another user"):
        Journal(path, "0" * 64, {})


def test_a_full_disk_is_one_error(
    journal: Path, whole: tuple[bytes, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names the journal, and what was written before is believed later."""
    room = [3]
    write = os.pwrite

    def full(handle: int, data: bytes, offset: int) -> int:
        room[0] -= 1
        if room[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        # As systems do, which write what there is room for.
        return write(handle, data if room[0] else data[:10], offset)

    with monkeypatch.context() as patch:
        patch.setattr("os.pwrite", full)
        with pytest.raises(UsageError, match=rf"{journal}.*No space left"):
            _audit(journal)
    engine = Interrupted()
    assert RENDERERS["json"](_audit(journal, engine)) == whole[0]
    assert engine.items == whole[1] - 7


def test_one_audit_writes_a_journal(tmp_path: Path) -> None:
    """A second one at the same time is refused."""
    path = tmp_path / "journal"
    with Journal(path, "0" * 64, {}), pytest.raises(UsageError, match="another audit"):
        _audit(path)
