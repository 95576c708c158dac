"""
Every switch of the local arena, against the real client and the real command.

Whatever a server does, a fetch ends: with a whole bundle that is byte for byte
the published one, or with its own exit code and one clear line, and never with
half a file.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from arena import faults
from arena.faults import Fault
from arena.server import Arena
from fetching import Clock, Done, tree
from shared import FIXTURES
from small_bundle import sound, sums_of, write_tree

from verifier.cli import main
from verifier.collect import http

Fetch = Callable[..., Done]

DEMO = FIXTURES / "sharpe-demo"

FILE = "/arcana/agents.jsonl"


@pytest.fixture
def arena(tmp_path: Path) -> Arena:
    """The small bundle, served."""
    return Arena(write_tree(tmp_path / "published", sound()), endpoints=False)


def is_one_line(text: str) -> bool:
    """Whether it is one line of talk, and no trace."""
    return text.startswith("tallyproof: ") and text.count("\n") == 1 and text.endswith("\n")


MENDED: dict[str, tuple[Fault, int]] = {
    "slow": (faults.slow(0.2), 3),
    "cut off, then fine": (faults.cut_off(), 2),
    "429 with Retry-After, then fine": (faults.too_many("3"), 2),
    "500, then fine": (faults.failing(500), 2),
    "503, then fine": (faults.failing(503), 4),
    "a length too long, then fine": (faults.longer_length(), 1),
    "a length too short, then fine": (faults.shorter_length(), 1),
    "a changed byte from a cache, then fine": (faults.changed_byte(), 1),
    "404 from a cache, then fine": (faults.replaced(b"", 404), 1),
    "gzip that nobody asked for": (faults.zipped(), faults.EVER),
    "a redirect on the same host": (faults.redirect("/bundle.json?moved"), 0),
}


@pytest.mark.parametrize("name", MENDED)
def test_what_another_attempt_mends(arena: Arena, tmp_path: Path, fetch: Fetch, name: str) -> None:
    """The bundle is the published one, and nobody is told of the trouble."""
    fault, times = MENDED[name]
    arena.faults.put("/", fault, times) if times else arena.faults.put(FILE, moved(arena), 1)
    with arena.serving() as url:
        done = fetch("bundle", url, "-o", tmp_path / "got", "--rate", 1000)
    assert (done.code, done.err) == (0, "")
    assert tree(tmp_path / "got" / "bundle") == tree(arena.folder)


def moved(arena: Arena) -> Fault:
    """Move a file of the arena, and say where it is now."""
    place = arena.folder / "arcana" / "agents.jsonl"
    (arena.folder / "moved.jsonl").write_bytes(place.read_bytes())

    def fault(sent: faults.Sent) -> faults.Sent:
        (arena.folder / "moved.jsonl").rename(arena.folder / "arcana" / "agents.jsonl")
        return faults.redirect("/arcana/agents.jsonl")(sent)

    return fault


REFUSED: dict[str, tuple[Fault, str]] = {
    "cut off": (faults.cut_off(), "the answer was cut off, after 5 attempts"),
    "a length too long": (faults.longer_length(), "the answer was cut off, after 5 attempts"),
    "429 for ever": (faults.too_many("1"), "status 429, after 5 attempts"),
    "429 with an hour to wait": (faults.too_many("3600"), "asks to wait 3600 s, longer than 120 s"),
    "500 for ever": (faults.failing(), "status 500, after 5 attempts"),
    "a redirect to another host": (
        faults.redirect("http://10.1.2.3/agents.jsonl"),
        "redirected to http://10.1.2.3:80, another host, not followed",
    ),
    "a redirect to another port": (faults.redirect("http://127.0.0.1:9/"), "another host"),
    "a redirect to a file": (faults.redirect("file:///etc/passwd"), "only http and https"),
    "redirects without end": (faults.redirect("/arcana/agents.jsonl"), "redirected more than 5"),
    "a gzip bomb": (faults.gzip_bomb(), "unpack to more than 200 for one (limit ratio)"),
    "gzip that is none": (
        lambda sent: faults.Sent(200, sent.body, (("Content-Encoding", "gzip"),)),
        "said to be gzip and is not",
    ),
    "an encoding of another kind": (
        lambda sent: faults.Sent(200, sent.body, (("Content-Encoding", "br"),)),
        "content encoding 'br'",
    ),
    "headers without end": (faults.huge_headers(), "after 5 attempts"),
    "403": (faults.replaced(b"", 403), "status 403"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_attempt_mends(arena: Arena, tmp_path: Path, fetch: Fetch, name: str) -> None:
    """Exit code 2, one line that names the URL and the reason, and no bundle."""
    fault, reason = REFUSED[name]
    arena.faults.put(FILE, fault)
    with arena.serving() as url:
        done = fetch("bundle", url, "-o", tmp_path / "got", "--rate", 1000)
    assert done.code == 2
    assert is_one_line(done.err), done.err
    assert url + FILE in done.err
    assert reason in done.err
    assert not (tmp_path / "got" / "bundle" / "SHA256SUMS").exists()


def test_a_server_that_never_answers(arena: Arena, tmp_path: Path, fetch: Fetch) -> None:
    """It is waited for as long as was asked, and not longer."""
    arena.faults.put(FILE, faults.slow(1.0))
    with arena.serving() as url:
        done = fetch("bundle", url, "-o", tmp_path / "got", "--timeout", 0.1)
    assert done.code == 2
    assert "no answer in time, after 5 attempts" in done.err


def test_a_server_that_drips(arena: Arena, tmp_path: Path, fetch: Fetch) -> None:
    """One byte now and then keeps no connection open for ever."""
    # Ten times as often as it must, so that a busy machine does not miss one.
    arena.faults.put(FILE, lambda _: faults.Sent(200, bytes(4096), drip=0.02))
    with arena.serving() as url:
        done = fetch("bundle", url, "-o", tmp_path / "got", "--timeout", 0.2)
    assert done.code == 2
    assert "not complete in 4 s (limit response_seconds)" in done.err


def test_a_body_without_end(arena: Arena, tmp_path: Path, fetch: Fetch) -> None:
    """No more is read than one answer may have."""
    arena.faults.put(FILE, faults.replaced(bytes(2 << 20)))
    with arena.serving() as url:
        done = fetch("bundle", url, "-o", tmp_path / "got", "--max-response", 1)
    assert done.code == 2
    assert "more than 1048576 bytes (limit response_bytes)" in done.err


def test_bodies_without_end(arena: Arena, tmp_path: Path, fetch: Fetch) -> None:
    """No more is read than all answers together may have."""
    arena.faults.put("/arcana/", faults.replaced(bytes(600 << 10)))
    with arena.serving() as url:
        done = fetch("bundle", url, "-o", tmp_path / "got", "--max-total", 1)
    assert done.code == 2
    assert "in all (limit total_bytes)" in done.err


def test_a_run_that_does_not_end(
    arena: Arena, tmp_path: Path, fetch: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stops after the seconds that it was given, and the next one goes on from there."""
    clock = Clock()
    monkeypatch.setattr(http, "Waits", clock.waits)
    with arena.serving() as url:
        options = ("bundle", url, "-o", tmp_path / "got", "--rate", 1)
        done = fetch(*options, "--max-seconds", 2)
        assert done.code == 2
        assert "not done in 2 s (limit total_seconds)" in done.err
        assert fetch(*options).code == 0
    index = (tmp_path / "got/exchanges/index.jsonl").read_bytes().splitlines()
    asked = [json.loads(line)["url"] for line in index]
    assert len(asked) == len(set(asked))


def test_a_changed_byte(arena: Arena, tmp_path: Path, fetch: Fetch) -> None:
    """What was served is kept as it was served, and is told to contradict the list."""
    arena.faults.put(FILE, faults.changed_byte())
    with arena.serving() as url:
        done = fetch("bundle", url, "-o", tmp_path / "got")
    assert done.code == 1
    assert is_one_line(done.err)
    assert re.search(r"arcana/agents.jsonl: SHA256SUMS lists [0-9a-f]{64}, what was", done.err)
    got, published = tree(tmp_path / "got" / "bundle"), tree(arena.folder)
    assert {path for path in published if got[path] != published[path]} == {"arcana/agents.jsonl"}


@pytest.mark.parametrize(
    ("fault", "fetched"),
    [
        (lambda sent: faults.Sent(200, sent.body.replace(b":0.9", b":0.8", 1)), 1),
        (faults.replaced(b"", 404), 3),
    ],
    ids=["a changed digit", "gone"],
)
def test_an_audit_of_what_was_wrong(
    tmp_path: Path, fetch: Fetch, fault: Fault, fetched: int
) -> None:
    """What was altered or withheld on the way does not audit."""
    arena = Arena(DEMO)
    arena.faults.put("/sharpe/boards/hard.json", fault)
    with arena.serving() as url:
        done = fetch("bundle", url, "-o", tmp_path / "got", "--rate", 1000)
    assert done.code == fetched
    with pytest.raises(SystemExit) as leaving:
        main(["audit", str(tmp_path / "got" / "bundle"), "--quiet"])
    assert leaving.value.code == 1


def test_a_file_that_is_gone(arena: Arena, tmp_path: Path, fetch: Fetch) -> None:
    """What is listed and not served is named, and the rest is there."""
    arena.faults.put(FILE, faults.replaced(b"", 404))
    with arena.serving() as url:
        done = fetch("bundle", url, "-o", tmp_path / "got")
    assert done.code == 3
    assert is_one_line(done.err)
    assert "arcana/agents.jsonl: is listed in SHA256SUMS and was not served" in done.err
    assert "arcana/agents.jsonl" not in tree(tmp_path / "got" / "bundle")


def test_loopback_is_refused(arena: Arena, tmp_path: Path, fetch: Fetch) -> None:
    """Without the option, a private address is not asked at all."""
    with arena.serving() as url:
        done = fetch("bundle", url, "-o", tmp_path / "got", private=False)
    assert done.code == 2
    assert "127.0.0.1: a loopback address, refused without --allow-private" in done.err
    assert arena.asked == []


def test_an_environment_changes_nothing(
    arena: Arena, tmp_path: Path, fetch: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy that the environment names is not asked."""
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with arena.serving() as url:
        assert fetch("bundle", url, "-o", tmp_path / "got").code == 0


LISTS: dict[str, tuple[Any, str]] = {
    "climbing": ("../../escaped", "an empty, . or .. part"),
    "absolute": ("/tmp/escaped", "absolute"),
    "backslash": ("arcana\\..\\escaped", "backslash"),
    "control character": ("arcana/\x1b[2Jescaped", "control character"),
    "itself": ("SHA256SUMS", "the list names itself"),
    "only by case": ("ARCANA/agents.jsonl", "differs only by case"),
    "file as folder": ("bundle.json/escaped", "stands here twice"),
    "too long": ("a" * 2000, "path_bytes"),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_lying_list(arena: Arena, tmp_path: Path, fetch: Fetch, name: str) -> None:
    """A list with a path that no bundle may hold is refused before a file is asked for."""
    path, reason = LISTS[name]
    sums = arena.folder / "SHA256SUMS"
    sums.write_bytes(sums.read_bytes() + f"{'0' * 64}  {path}\n".encode())
    before = tree(tmp_path)
    with arena.serving() as url:
        done = fetch("bundle", url, "-o", tmp_path / "got")
    assert done.code == 2
    assert is_one_line(done.err), done.err
    assert reason in done.err
    assert FILE not in arena.asked
    assert {path for path in tree(tmp_path) if path not in before} == {
        path for path in tree(tmp_path) if path.startswith("got/")
    }
    assert not (tmp_path / "got" / "bundle").exists()


@pytest.mark.parametrize(
    ("path", "body", "reason"),
    [
        ("/bundle.json", b"<html>", "bundle.json"),
        ("/bundle.json", b"[" * 100_000, "bundle.json"),
        ("/bundle.json", b'{"format":"evidence-bundle/2"}', "bundle.json"),
        ("/bundle.json", b"x" * (2 << 20), "response_bytes"),
        ("/SHA256SUMS", b"", "is empty"),
        ("/SHA256SUMS", b"\xff\n", "not UTF-8"),
        ("/SHA256SUMS", b"0  bundle.json\n", "malformed line"),
        ("/SHA256SUMS", b"0" * 64 + b"  bundle.json", "does not end in a newline"),
        ("/SHA256SUMS", b"0" * 64 + b"  other\n", "does not list bundle.json"),
    ],
)
def test_what_is_no_bundle(  # noqa: PLR0917  what is served, and what is said
    arena: Arena, tmp_path: Path, fetch: Fetch, path: str, body: bytes, reason: str
) -> None:
    """What cannot be followed is refused in one line."""
    arena.faults.put(path, faults.replaced(body))
    with arena.serving() as url:
        done = fetch("bundle", url, "-o", tmp_path / "got")
    assert done.code == 2
    assert is_one_line(done.err), done.err
    assert reason in done.err


def test_a_bundle_that_is_replaced_meanwhile(arena: Arena, tmp_path: Path, fetch: Fetch) -> None:
    """A publisher who publishes anew while it is copied contradicts nobody."""
    changed = sound(**{"arcana/agents.jsonl": b'{"agent_id":"3"}\n', "arcana/new.jsonl": b""})
    del changed["arcana/empty.jsonl"]
    changed = {path: content for path, content in changed.items() if path != "SHA256SUMS"}
    later = sound_of(changed)

    def publish(_: faults.Sent) -> faults.Sent:
        for path, content in later.items():
            (arena.folder / path).write_bytes(content)
        (arena.folder / "arcana/empty.jsonl").unlink()
        return faults.Sent(200, later["arcana/agents.jsonl"])

    arena.faults.put(FILE, publish, 1)
    with arena.serving() as url:
        done = fetch("bundle", url, "-o", tmp_path / "got")
    assert (done.code, done.err) == (0, "")
    assert tree(tmp_path / "got" / "bundle") == later


def sound_of(files: dict[str, bytes]) -> dict[str, bytes]:
    """Add the list that holds for these files."""
    return files | {"SHA256SUMS": sums_of(files)}
