"""
Interrupted at any moment, a fetch goes on, and ends as if it had not been.

The real process is killed, without any chance to clean up: at random times, and
before every single change of the disk.
"""

import json
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from arena import faults
from arena.server import Arena
from dying import ENDED, dying
from fetching import Done, tree
from shared import FIXTURES, ROOT
from small_bundle import sound, write_tree

DEMO: Final = FIXTURES / "sharpe-demo"
OPTIONS: Final = ("--allow-private", "--rate", "1000")

CHANGES: Final = ("os.link", "os.replace", "os.mkdir", "os.unlink", "Path.write_bytes")


def leftovers(folder: Path) -> list[str]:
    """Files that were written beside their place and not renamed."""
    return [path for path in tree(folder) if ".tallyproof-" in path]


def test_killed_at_random_times(tmp_path: Path) -> None:
    """However often it is killed, the bundle is the published one in the end."""
    arena = Arena(DEMO)
    chance = random.Random(6)
    out = tmp_path / "got"
    kills = 0
    with arena.serving() as url:
        arena.faults.put("/", faults.slow(0.02))  # longer in all than any patience below
        command = [sys.executable, "-m", "verifier", "fetch", "bundle", url, "-o", str(out)]
        while True:
            process = subprocess.Popen(
                [*command, *OPTIONS], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
            try:
                _, talk = process.communicate(timeout=0.6 + chance.random())
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                kills += 1
                if kills == 4:  # slow machines get there too
                    arena.faults.put("/", faults.slow(0))
                    chance.random = lambda: 60.0  # type: ignore[method-assign]
    assert (process.returncode, talk) == (0, b"")
    assert kills
    assert tree(out / "bundle") == tree(DEMO)
    assert leftovers(out / "bundle") == []
    assert json.loads((out / "fetch.json").read_bytes())["state"] == "done"


def test_killed_before_every_change(tmp_path: Path, fetch: Callable[..., Done]) -> None:
    """Wherever it ends, no file is half written, and the next one completes it."""
    published = write_tree(tmp_path / "published", sound())
    arena = Arena(published, endpoints=False)
    ends = []
    with arena.serving() as url, dying(*CHANGES) as run:
        for steps in range(0, 200, 5):
            out = tmp_path / str(steps)
            code, said = run(steps, ["fetch", "bundle", url, "-o", str(out), *OPTIONS])
            if code == 0:
                break
            assert code == ENDED, said
            whole = {
                path: content
                for path, content in (tree(out / "bundle") if out.exists() else {}).items()
                if ".tallyproof-" not in path
            }
            assert whole.items() <= tree(published).items()
            ends.append(len(whole))
            assert fetch("bundle", url, "-o", out, "--rate", 1000).code == 0
            assert tree(out / "bundle") == tree(published)
    assert ends[0] == 0
    assert ends[-1] == len(tree(published))


def test_what_is_there_is_not_asked_again(tmp_path: Path, fetch: Callable[..., Done]) -> None:
    """A fetch that goes on asks for what it does not have, and for nothing else."""
    arena = Arena(write_tree(tmp_path / "published", sound()), endpoints=False)
    arena.faults.put("/bundle.json", faults.too_many("3600"))
    out = tmp_path / "got"
    with arena.serving() as url:
        arena.faults.put("/arcana/manifests", faults.too_many("3600"), 1)
        arena.faults.set_.pop("/bundle.json")
        assert fetch("bundle", url, "-o", out).code == 2
        before, arena.asked = arena.asked, []
        assert fetch("bundle", url, "-o", out).code == 0
        assert not {*before[:-1]} & {*arena.asked}
        arena.asked = []
        assert fetch("bundle", url, "-o", out).code == 0
    assert arena.asked == []


def test_what_was_damaged_meanwhile_is_fetched_again(
    tmp_path: Path, fetch: Callable[..., Done]
) -> None:
    """A body on disk that lost its hash counts for nothing."""
    arena = Arena(write_tree(tmp_path / "published", sound()), endpoints=False)
    out = tmp_path / "got"
    with arena.serving() as url:
        assert fetch("bundle", url, "-o", out).code == 0
        for path in (*out.glob("exchanges/*/*"), *(out / "bundle" / "arcana").rglob("*.json*")):
            path.write_bytes(b"damaged")
        with (out / "exchanges" / "index.jsonl").open("ab") as index:
            index.write(b'{"torn')
        assert fetch("bundle", url, "-o", out).code == 0
    assert tree(out / "bundle") == tree(arena.folder)


def test_the_index_tells_every_exchange(tmp_path: Path, fetch: Callable[..., Done]) -> None:
    """Each line has what was asked and what came, and its body lies under its hash."""
    arena = Arena(write_tree(tmp_path / "published", sound()), endpoints=False)
    out = tmp_path / "got"
    with arena.serving() as url:
        fetch("bundle", url, "-o", out)
    lines = [json.loads(line) for line in (out / "exchanges/index.jsonl").read_text().splitlines()]
    assert [line["url"].removeprefix(url) for line in lines] == arena.asked
    for line in lines:
        assert line.keys() == {
            *("at", "body", "bytes", "headers", "method", "request", "status", "url")
        }
        body = (out / "exchanges" / line["body"][:2] / line["body"]).read_bytes()
        assert line["bytes"] == len(body) == int(line["headers"]["content-length"])


@pytest.mark.parametrize("what", ["a file", "another fetch", "a broken state", "a lock", "a link"])
def test_a_folder_of_somebody_else(tmp_path: Path, fetch: Callable[..., Done], what: str) -> None:
    """Nothing is written into a folder that is not this fetch's own."""
    out = tmp_path / "got"
    arena = Arena(write_tree(tmp_path / "published", sound()), endpoints=False)
    with arena.serving() as url:
        if what != "a lock":
            out.mkdir()
        match what:
            case "a file":
                (out / "notes.txt").write_text("mine")
            case "another fetch":
                assert fetch("bundle", url + "/", "-o", out).code == 0
            case "a broken state":
                (out / "fetch.json").write_text("{}")
            case "a lock":
                out.write_text("a file")
            case "a link":
                assert fetch("bundle", url, "-o", out).code == 0
                (out / "bundle" / "arcana" / "agents.jsonl").unlink()
                (out / "bundle" / "arcana" / "agents.jsonl").symlink_to(tmp_path / "elsewhere")
        before = tree(tmp_path)
        done = fetch("bundle", url, "-o", out)
    assert done.code == 2
    assert str(out) in done.err
    assert done.err.count("\n") == 1
    after = tree(tmp_path)
    if what == "a link":  # the copy is none until it is whole again
        del before["got/bundle/SHA256SUMS"]
    assert after == before
