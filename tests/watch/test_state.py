"""
The observer's folder: only ever longer, and never half.

Whatever a server does, and wherever a process ends, the folder holds what it held
before or one observation more. An edited file refuses it.
"""

import base64
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from arena import faults
from arena.faults import Fault
from arena.server import Arena
from Crypto.Signature import eddsa
from fetching import tree
from publisher import FLOOR, demo, earlier_floor, edited, publish
from real_command import run
from shared import ROOT

from verifier.core.merkle import check_consistency
from verifier.core.notes import parse_note, parse_note_key, verify_note
from verifier.core.tlog import check_tlog_proof, parse_checkpoint, parse_tlog_proof
from verifier.folder import put
from verifier.watch.heads import origin_of

LEDGER: Final = "tallyproof-watch/arena.example/floor/ledger"
OWN: Final = "tallyproof-watch/arena.example/observations"

FAULTS: dict[str, tuple[Fault, str]] = {
    "a server that fails": (faults.failing(500), "status 500"),
    "a server that forbids": (faults.replaced(b"", 403), "status 403"),
    "a redirect to another host": (faults.redirect("http://else.example/"), "another host"),
    "a redirect without end": (faults.redirect("/bundle.json"), "redirected more than"),
    "no JSON": (faults.replaced(b"<html>"), "bundle.json"),
    "JSON that is no index": (faults.replaced(b"[]"), "must be an object"),
    "a gzip bomb": (faults.gzip_bomb(), "limit"),
    "more than is taken": (faults.replaced(b" " * (2 << 20)), "limit"),
    "nesting without end": (faults.replaced(b"[" * 100_000), "bundle.json"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_hostile_server_changes_nothing(observer: Any, name: str) -> None:
    """Exit code 2, one line, and the folder byte for byte as it was."""
    observer.sees(earlier_floor(50))
    kept = tree(observer.state)
    fault, reason = FAULTS[name]
    observer.arena.faults.put("/bundle.json", fault)
    done = observer.sees(demo(FLOOR), "--max-response", 1)
    assert done.code == 2
    assert reason in done.err
    assert done.err.count("\n") == 1
    assert tree(observer.state) == kept
    observer.arena.faults.set_.clear()
    assert observer.looks().code == 0


HOSTILE: dict[str, tuple[str, bytes]] = {
    "a list that leaves its folder": ("SHA256SUMS", b"0" * 64 + b"  ../../x\n"),
    "a list that is none": ("SHA256SUMS", b"\xff\xfe"),
    "an entry without a number": ("floor/ledger.jsonl", b'{"body":{},"hash":"00"}\n'),
    "an entry that is a text": ("floor/ledger.jsonl", b'"x"\n'),
    "no newline at the end": ("floor/roots.jsonl", b"{}"),
    "a root without its hour": ("floor/roots.jsonl", b"{}\n"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_malformed_document_is_named(observer: Any, name: str) -> None:
    """Exit code 2, and its address in the one line; nothing is kept."""
    path, body = HOSTILE[name]
    done = observer.sees({**demo(FLOOR), path: body})
    assert done.code == 2
    assert f"http://arena.example/{path}" in done.err
    assert done.err.count("\n") == 1
    assert tree(observer.state) == {}


def test_no_publisher_at_all(observer: Any) -> None:
    """An address where nothing known is served was never seen, and is no omission."""
    done = observer.sees({"index.html": b"hello"})
    assert done.code == 2
    assert "neither v1/seasons.json, nor bundle.json, nor v1/anchors" in done.err


def _edit(path: Path, old: bytes, new: bytes) -> None:
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new, 1))


TAMPERED: dict[str, tuple[Callable[[list[Path], Path], object], str]] = {
    "the first observation": (
        lambda all_, _: _edit(all_[0], b'"sequence":1', b'"sequence":1 '),
        "observations/00000001-0000000000000000.json",
    ),
    "a value in the first observation": (
        lambda all_, _: _edit(all_[0], b'"size":50', b'"size":51'),
        "observations/00000001-0000000000000000.json",
    ),
    "a time in the first observation": (
        lambda all_, _: _edit(all_[0], b'"at":"2026', b'"at":"2027'),
        "observations/00000001-0000000000000000.json: was edited",
    ),
    "a time in the last observation": (
        lambda all_, _: _edit(all_[-1], b'"at":"2026', b'"at":"2027'),
        "checkpoints/00000003: the log observations is not the one that the checkpoint states",
    ),
    "the last heads removed": (
        lambda _, state: shutil.rmtree(state / "checkpoints/00000003"),
        "checkpoints/00000003: cannot be read",
    ),
    "an observation removed": (lambda all_, _: all_[1].unlink(), "observation 2, before this one"),
    "an observation renamed": (
        lambda all_, _: all_[0].rename(all_[0].with_name("00000001-1111111111111111.json")),
        "was edited",
    ),
    "a head of a ledger": (
        lambda _, state: _edit(
            state / "checkpoints/00000003/floor-ledger.unsigned", b"\n60\n", b"\n59\n"
        ),
        "checkpoints/00000003: the log floor/ledger is not the one that the checkpoint states",
    ),
    "a file that is none": (
        lambda all_, _: all_[0].with_name("notes.txt").write_bytes(b""),
        "notes.txt: is no observation",
    ),
    "a body that was served": (
        lambda _, state: _edit(_body(state, b'"entry":59'), b"miss", b"hit!"),
        "hash",
    ),
}


def _body(state: Path, mark: bytes) -> Path:
    return next(path for path in (state / "bodies").rglob("?" * 64) if mark in path.read_bytes())


@pytest.mark.parametrize("name", TAMPERED)
def test_an_edited_folder_is_refused(observer: Any, name: str) -> None:
    """Exit code 2, the file named, and nothing written."""
    for files in (earlier_floor(50), earlier_floor(60), earlier_floor(60)):
        assert observer.sees(files).code == 0
    change, reason = TAMPERED[name]
    change(observer.observations(), observer.state)
    kept = tree(observer.state)
    done = observer.looks()
    assert done.code == 2
    assert reason in done.err
    assert done.err.count("\n") == 1
    assert tree(observer.state) == kept


def test_a_folder_of_another_address(observer: Any) -> None:
    """One folder watches one address."""
    observer.sees(earlier_floor(50))
    done = observer.run("http://else.example", "--state", observer.state)
    assert (done.code, "watches http://arena.example/" in done.err) == (2, True)


@pytest.mark.parametrize("writes", range(0, 15, 2))
def test_an_interrupted_write_leaves_the_old_state(
    observer: Any, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    """Wherever it ends, the folder is the old one, and the next run is an ordinary one."""
    observer.sees(earlier_floor(50))
    kept = {path: path.read_bytes() for path in observer.observations()}
    left = writes

    def put_some(place: Path, content: bytes, *, lasting: bool) -> None:
        nonlocal left
        if not left:
            raise KeyboardInterrupt
        left -= 1
        put(place, content, lasting=lasting)

    with monkeypatch.context() as patch:
        patch.setattr("verifier.watch.state.put", put_some)
        # An interrupted command ends its process at once, which here is that of the tests.
        patch.setattr("os._exit", sys.exit)
        patch.setattr("signal.signal", lambda *_: None)
        done = observer.sees(earlier_floor(60))
    if done.code == 0:
        assert writes >= 8
    else:
        assert (done.code, done.err) == (130, "tallyproof: interrupted\n")
        assert {path: path.read_bytes() for path in observer.observations()} == kept
    assert observer.sees(earlier_floor(70)).code == 0
    assert observer.looks().code == 0


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """An observer's key."""
    path = tmp_path / "observer.pem"
    secret = eddsa.import_private_key(bytes(32))
    path.write_text(secret.export_key(format="PEM"), encoding="ascii")
    return path


def test_heads_are_what_witnesses_read(observer: Any, key: Path) -> None:
    """Checkpoints, inclusion proofs and consistency proofs hold by the readers of those formats."""
    observer.sees(earlier_floor(200), "--key", key)
    observer.sees(demo(FLOOR), "--key", key)
    folder = observer.state / "checkpoints"
    trusted = {}
    for origin, name, sizes in (
        (LEDGER, "floor-ledger", (200, 344)),
        (OWN, "observations", (1, 2)),
    ):
        (vkey,) = (folder / "00000002" / f"{name}.vkey").read_text(encoding="ascii").split()
        trusted[origin] = parse_note_key(vkey)
        heads = []
        for number, size in zip((1, 2), sizes, strict=True):
            note = parse_note((folder / f"{number:08}" / f"{name}.checkpoint").read_bytes())
            assert verify_note(note, [trusted[origin]]) == (origin,)
            heads.append(parse_checkpoint(note.text))
            assert (heads[-1].origin, heads[-1].size) == (origin, size)
        body = (folder / "00000002" / f"{name}.witness").read_bytes()
        proof, _, note_bytes = body.partition(b"\n\n")
        assert note_bytes == (folder / "00000002" / f"{name}.checkpoint").read_bytes()
        first, *steps = proof.decode().splitlines()
        assert first == f"old {sizes[0]}"
        hashes = [base64.b64decode(step) for step in steps]
        check_consistency(*sizes, hashes, heads[0].root, heads[1].root)
    entry = demo(FLOOR)["floor/ledger.jsonl"].splitlines()[-1]
    for origin, name, record in (
        (LEDGER, "floor-ledger", entry),
        (OWN, "observations", observer.observations()[-1].read_bytes()),
    ):
        inclusion = parse_tlog_proof((folder / "00000002" / f"{name}.tlog-proof").read_bytes())
        check_tlog_proof(record, inclusion, origin=origin, keys=[trusted[origin]])


def test_a_head_of_another_key_is_refused(observer: Any, key: Path, tmp_path: Path) -> None:
    """With a key, the folder must have been signed by it; without one, form and content count."""
    observer.sees(earlier_floor(50), "--key", key)
    other = tmp_path / "other.pem"
    secret = eddsa.import_private_key(bytes([1] * 32))
    other.write_text(secret.export_key(format="PEM"), encoding="ascii")
    done = observer.looks("--key", other)
    assert (done.code, "signed by none of the trusted keys" in done.err) == (2, True)
    assert observer.looks("--key", other, "--key", key).code == 0
    assert observer.looks("--key", other).code == 0
    assert observer.looks().code == 0
    unsigned = tree(observer.state / "checkpoints/00000004")
    assert set(unsigned) == {"observations.unsigned", "floor-ledger.unsigned"}
    assert parse_checkpoint(unsigned["floor-ledger.unsigned"]).size == 50
    done = observer.looks("--key", key)
    assert (done.code, "signed" in done.err) == (2, True)


def test_origins_can_be_names_of_keys() -> None:
    """No space and no plus sign is in an origin, and distinct logs have distinct ones."""
    origin = origin_of("http://[::1]:8000/a+b/", "my arena/ledger")
    assert origin == "tallyproof-watch/[::1]:8000/a%2Bb/my%20arena/ledger"


USAGE: dict[str, tuple[str, ...]] = {
    "no address": ("--state", "x"),
    "no folder": ("http://arena.example",),
    "a check of a publisher": ("http://arena.example", "--check", "x"),
    "a query": ("http://arena.example/?a", "--state", "x"),
}


@pytest.mark.parametrize("name", USAGE)
def test_usage(observer: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What makes no sense is refused before anything is asked."""
    monkeypatch.chdir(tmp_path)
    done = observer.run(*USAGE[name])
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert observer.arena.asked == []


def test_without_the_extra(tmp_path: Path) -> None:
    """The message names what to install, and nothing is left behind."""
    program = (
        "import sys; sys.modules['httpx'] = None; from verifier.cli import main; "
        f"main(['watch', 'http://arena.example', '--state', {str(tmp_path / 'state')!r}])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, cwd=ROOT, check=False
    )
    assert done.returncode == 2
    assert b"asking a network needs httpx: pip install 'tallyproof[live]'" in done.stderr
    assert not (tmp_path / "state").exists()


def test_the_real_command_on_this_machine(tmp_path: Path) -> None:
    """A process of its own asks over a socket, and refuses loopback unless it is allowed."""
    folder = publish(tmp_path / "published", earlier_floor(200))
    arena = Arena(folder, endpoints=False)
    with arena.serving() as url:
        arguments = ("watch", url, "--state", tmp_path / "state")
        refused = run(*arguments)
        assert (refused.returncode, b"loopback" in refused.stderr) == (2, True)
        assert arena.asked == []
        assert run(*arguments, "--allow-private").returncode == 0
        publish(folder, edited(demo(FLOOR), "floor/ledger.jsonl", lambda ledger: ledger.pop(3)))
        done = run(*arguments, "--allow-private")
    assert (done.returncode, b"floor/3 is no longer there" in done.stderr) == (1, True)
    proof = tmp_path / "state/rewrites/1"
    assert json.loads((proof / "proof.json").read_bytes())["total"] == 1
    assert run("watch", "--check", proof).returncode == 0
