"""A bundle in a store is the bundle on the disk: the same files, seal, verdict and report."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING, Final

import pytest
from shared import FIXTURES, ROOT
from small_bundle import EVIDENCE, sound, tarred, write_tree, zipped

from verifier.audit import audit
from verifier.bundle import BundleLimits, open_bundle
from verifier.bundle.location import is_url, local_path, shown
from verifier.bundle.remotesource import BLOCK
from verifier.cli.app import run_app
from verifier.errors import LimitError, TallyproofError, UsageError
from verifier.freeze import freeze
from verifier.policy import parse_policy
from verifier.report import RENDERERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

fsspec = pytest.importorskip("fsspec")
stores = pytest.importorskip("stores")

DEMOS: Final = ("arcana-demo", "floor-demo", "sharpe-demo")
POLICY: Final = FIXTURES / "policy.toml"
SLOW: Final = pytest.mark.skipif(
    "TALLYPROOF_SLOW" not in os.environ, reason="TALLYPROOF_SLOW is not set"
)
PACKINGS: Final[dict[str, Callable[[Mapping[str, bytes]], bytes]]] = {
    "zip": zipped,
    "tar": tarred,
    "tar.gz": lambda files: tarred(files, packed=True),
}


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    stores.register()
    yield
    fsspec.filesystem("memory").store.clear()


def files_of(root: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


def upload(files: Mapping[str, bytes], top: str = "/bucket/season") -> str:
    """Put files into the store in memory, and give the URL of their folder."""
    memory = fsspec.filesystem("memory")
    for path, content in files.items():
        memory.pipe_file(f"{top}/{path}", content)
    return f"memory:/{top}"


def report(place: str | Path, jobs: int = 1) -> bytes:
    """Audit a bundle, and write all that was found."""
    policy = parse_policy(POLICY.read_bytes(), file="policy.toml")
    return RENDERERS["json"](audit(place, policy=policy, keep="all", jobs=jobs))


@cache
def local_report(demo: str) -> bytes:
    """The report of a demo on the disk."""
    return report(FIXTURES / demo)


@pytest.mark.parametrize(
    "demo", [DEMOS[0], *(pytest.param(each, marks=SLOW) for each in DEMOS[1:])]
)
def test_a_folder_in_a_store_gives_the_same_report(demo: str) -> None:
    """Byte for byte, everything that passed included."""
    assert report(upload(files_of(FIXTURES / demo))) == local_report(demo)


@pytest.mark.parametrize("packing", PACKINGS)
def test_an_archive_in_a_store_gives_the_same_report(packing: str) -> None:
    """Read by ranges, or unpacked first."""
    packed = PACKINGS[packing](files_of(FIXTURES / "arcana-demo"))
    place = upload({"bundle": packed}) + "/bundle"
    assert report(place) == local_report("arcana-demo")


@pytest.mark.parametrize("demo", ["arcana-demo", "floor-demo"])
def test_processes_ask_the_store_for_themselves(demo: str) -> None:
    """Forked processes, whose parent has a thread with connections, give the same report."""
    assert report(f"shelf://{FIXTURES / demo}", jobs=2) == local_report(demo)


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_processes_read_archives_of_a_store(
    pack: Callable[[Mapping[str, bytes]], bytes], tmp_path: Path
) -> None:
    """A worker reads ranges of the same archive."""
    packed = tmp_path / "packed"
    packed.write_bytes(pack(files_of(FIXTURES / "arcana-demo")))
    assert report(f"shelf://{packed}", jobs=2) == local_report("arcana-demo")


@pytest.mark.parametrize("demo", DEMOS)
def test_a_demo_in_a_store_is_the_demo_on_the_disk(demo: str) -> None:
    """All files with their hashes: what a report is a function of, with policy and release."""
    place = upload(files_of(FIXTURES / demo))
    with open_bundle(place) as there, open_bundle(FIXTURES / demo) as here:
        assert there.inventory == here.inventory
        assert (there.sha256, there.index, there.problems) == (here.sha256, here.index, ())


@pytest.mark.parametrize("ending", ["", "/"])
def test_a_bundle_in_a_store_is_the_bundle_on_the_disk(tmp_path: Path, ending: str) -> None:
    """Its files, sizes, digests, seal and problems."""
    place = upload(sound()) + ending
    with open_bundle(place) as there, open_bundle(write_tree(tmp_path / "b", sound())) as here:
        assert there.inventory == here.inventory
        assert (there.sha256, there.index, there.problems) == (here.sha256, here.index, ())
        for path, content in EVIDENCE.items():
            assert there.read(path) == content


@pytest.mark.parametrize("size", [BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK])
def test_long_files_are_read_in_blocks(tmp_path: Path, size: int) -> None:
    """Whole, by lines and in parts, at the borders of blocks."""
    line = b"x" * 1023 + b"\n"
    content = (line * (size // 1024 + 1))[-size:]
    root = write_tree(tmp_path / "b", sound(**{"arcana/x": content}))
    with open_bundle(f"shelf://{root}") as bundle:
        assert bundle.read("arcana/x") == content
        assert b"".join(each + b"\n" for _, each in bundle.lines("arcana/x")) == content
        for start in (0, min(BLOCK - 7, size - 20), size - 20):
            assert bundle.part("arcana/x", start, 20) == content[start : start + 20]
        segments = bundle.segments("arcana/x", 100_000)
        assert segments is not None
        assert sum(each.size for each in segments) == size


def test_a_bundle_of_a_store_can_be_sent() -> None:
    """It opens again by its URL, with connections of its own and without hashing."""
    with open_bundle(upload(sound())) as bundle:
        sent = pickle.dumps(bundle)
        assert b"MemoryFileSystem" not in sent
    with pickle.loads(sent) as again:
        assert again.sha256 == bundle.sha256
        assert again.read("bundle.json") == EVIDENCE["bundle.json"]
        assert again.part("arcana/agents.jsonl", 1, 3) == EVIDENCE["arcana/agents.jsonl"][1:4]


def test_a_forked_process_makes_connections_of_its_own() -> None:
    """What the parent connected is left alone in the child, and goes on in the parent."""
    with open_bundle(f"shelf://{FIXTURES / 'arcana-demo'}") as bundle:
        content = bundle.read("bundle.json")
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            # Nothing may return from here: a test runs once.
            try:
                os.write(writer, bundle.read("bundle.json"))
                bundle.close()
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as answer:
            assert answer.read() == content
        assert os.waitpid(child, 0)[1] == 0
        assert bundle.read("bundle.json") == content


@pytest.mark.parametrize(
    ("limits", "limit"),
    [
        (BundleLimits(files=7), "files"),
        (BundleLimits(path_bytes=27), "path_bytes"),
        (BundleLimits(path_parts=3), "path_parts"),
        (BundleLimits(file_bytes=60), "file_bytes"),
        (BundleLimits(total_bytes=200), "total_bytes"),
    ],
)
def test_limits_hold_while_listing(
    limits: BundleLimits, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over a limit, nothing is read."""
    place = upload(sound())
    monkeypatch.setattr(type(fsspec.filesystem("memory")), "cat_file", None)
    with pytest.raises(LimitError, match=rf"limit {limit}"):
        open_bundle(place, limits=limits)


def test_unpacking_from_a_store_is_bounded() -> None:
    """A .tar.gz of a store spools within the limit, as one of the disk."""
    place = upload({"b": tarred(sound(), packed=True)}) + "/b"
    with pytest.raises(LimitError, match="limit spool_bytes") as caught:
        open_bundle(place, limits=BundleLimits(spool_bytes=4096))
    assert caught.value.file == place


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("s3://bucket/key/", True),
        ("memory://", True),
        ("a+b.c-1://x", True),
        ("season.zip", False),
        ("./s3://bucket", False),
        ("/s3://bucket", False),
        ("S3://bucket", False),
        ("1s://bucket", False),
        ("s3:/bucket", False),
        ("s3:bucket", False),
        ("://x", False),
        ("", False),
    ],
)
def test_what_is_a_url(text: str, *, url: bool) -> None:
    """A scheme in lower case and ://; every other text is a path."""
    assert is_url(text) is url


def test_a_path_is_never_a_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is called like a scheme is reached by ./ before it."""
    write_tree(tmp_path / "memory:", sound())
    monkeypatch.chdir(tmp_path)
    with open_bundle("./memory://") as bundle:
        assert bundle.problems == ()
    with pytest.raises(TallyproofError, match=r"memory://.*No such file"):
        open_bundle("memory://nothing")


def test_a_file_url_is_read_as_its_path(tmp_path: Path) -> None:
    """Without fsspec, by the source that refuses links."""
    root = write_tree(tmp_path / "b", sound())
    assert local_path(f"file://{root}") == root
    with open_bundle(f"file://{root}/") as bundle:
        assert bundle.problems == ()
    (root / "arcana" / "bad").symlink_to("agents.jsonl")
    with pytest.raises(TallyproofError, match="arcana/bad: is a symbolic link"):
        open_bundle(f"local://{root}")
    with pytest.raises(UsageError, match="followed by an absolute path"):
        open_bundle("file://season")


def test_nothing_is_written_into_a_bundle_that_a_file_url_names(tmp_path: Path) -> None:
    """A URL does not hide that a journal or a frozen season would lie in the bundle."""
    root = write_tree(tmp_path / "b", sound())
    before = files_of(root)
    with pytest.raises(UsageError, match="inside the bundle"):
        audit(f"file://{root}", resume=root / "journal")
    with pytest.raises(UsageError, match="inside the bundle"):
        freeze(f"file://{root}", season="s", out=root / "seasons")
    assert files_of(root) == before


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("s3://a::memory://b", "chained"),
        ("simplecache://memory", "lies on top of another store"),
        ("zip://a.zip", "lies on top of another store"),
        ("https://example.org/season.zip", "tallyproof fetch bundle"),
        ("nobody-knows://a", "Protocol not known: nobody-knows"),
        ("c://a", "Protocol not known: c"),
        ("memory://nothing", "No such file or folder"),
        ("memory://nothing/", "No such file or folder"),
    ],
)
def test_urls_that_cannot_be_opened(url: str, reason: str) -> None:
    """One error that names the URL."""
    with pytest.raises(TallyproofError, match=reason) as caught:
        open_bundle(url)
    assert str(caught.value).startswith(f"{url}: ")


def test_a_store_whose_library_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the extra, or as fsspec says it."""
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(UsageError, match=r"s3://bucket: Install s3fs"):
        open_bundle("s3://bucket")
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(UsageError, match=r"extra: pip install tallyproof\[fsspec\]"):
        open_bundle("s3://bucket")


def test_a_password_is_not_shown() -> None:
    """Whatever goes wrong, and only the password is left out."""
    assert shown("ftp://user:secret@host/a@b") == "ftp://user:***@host/a@b"
    assert shown("abfs://container@account/key") == "abfs://container@account/key"
    with pytest.raises(TallyproofError) as caught:
        open_bundle("told://user:secret@host/season")
    assert "secret" not in str(caught.value)


PLACE: Final = "told://place"


@pytest.mark.parametrize(
    "arguments",
    [
        ("audit", PLACE),
        ("explain", "123456", "--bundle", PLACE),
        ("prove", "0" * 64, "--bundle", PLACE),
        ("selftest", PLACE),
        ("diff", PLACE, PLACE),
        ("diff", f"{PLACE}.json", PLACE),
        ("floor", "standings", PLACE),
        ("floor", "call", "123456", "--bundle", PLACE),
        ("sharpe", "board", "--name", "calm", "--bundle", PLACE),
        ("check-report", str(POLICY), "--bundle", PLACE),
        ("arcana", "score", str(POLICY), "--evidence", PLACE),
        ("freeze", PLACE, "--season", "s", "--out", "nowhere"),
    ],
)
def test_every_command_takes_a_url(arguments: tuple[str, ...]) -> None:
    """It reaches the store with both of its slashes."""
    with pytest.raises(TallyproofError, match=rf"^{PLACE}(\.json)?: cannot be opened: No such"):
        run_app([*arguments])


PROGRAM: Final = """
import json, sys
from verifier.cli import main
try:
    main(sys.argv[1:])
except SystemExit as leaving:
    code = leaving.code
print(json.dumps([code, sorted({name.partition(".")[0] for name in sys.modules})]))
"""


@pytest.mark.parametrize("before", ["", "file://"])
def test_a_bundle_of_this_machine_loads_no_library_of_stores(before: str) -> None:
    """What is not loaded cannot ask anybody."""
    done = subprocess.run(
        [
            *(sys.executable, "-c", PROGRAM, "audit", f"{before}{FIXTURES / 'arcana-demo'}"),
            *("--policy", POLICY, "--quiet"),
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    code, modules = json.loads(done.stdout)
    assert code == 0
    assert {"aiohttp", "asyncio", "fsspec"}.isdisjoint(modules)
    assert "verifier" in modules
