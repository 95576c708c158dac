"""One bundle in every packing: the same paths, the same seal, the same bytes."""

from __future__ import annotations

import os
import pickle
import tarfile
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from shared import SHARED, needs_shared
from small_bundle import EVIDENCE, INDEX, sound, sums_of, tarred, write_tree, zipped

from verifier.bundle import Bundle, BundleIndex, BundleLimits, ReopenToken, open_bundle, reopen
from verifier.errors import BundleError, EvidenceError, JsonError, LimitError

if TYPE_CHECKING:
    from collections.abc import Callable

PACKINGS: dict[str, Callable[[dict[str, bytes]], bytes]] = {
    "zip": zipped,
    "zip in a folder": lambda files: zipped(files, top="my bundle/"),
    "tar pax": tarred,
    "tar gnu": lambda files: tarred(files, form=tarfile.GNU_FORMAT),
    "tar ustar": lambda files: tarred(files, form=tarfile.USTAR_FORMAT),
    "tar from inside": lambda files: tarred(files, top="./"),
    "tar in a folder": lambda files: tarred(files, top="b/"),
    "tar.gz": lambda files: tarred(files, packed=True),
    "tar.gz in a folder": lambda files: tarred(files, top="./b/", packed=True),
}


@pytest.fixture(params=["directory", *PACKINGS])
def packed(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The small bundle in one packing, under a name that tells nothing."""
    if request.param == "directory":
        return write_tree(tmp_path / "packed", sound())
    path = tmp_path / "packed"
    path.write_bytes(PACKINGS[request.param](sound()))
    return path


def test_every_packing_is_the_same_bundle(packed: Path) -> None:
    """Paths, sizes, digests, seal, index and bytes do not depend on the packing."""
    with open_bundle(packed) as bundle:
        assert bundle.problems == ()
        assert bundle.paths == tuple(sorted(EVIDENCE, key=str.encode))
        assert bundle.sha256 == sha256(sums_of(EVIDENCE)).hexdigest()
        assert bundle.index == BundleIndex(
            arena="test",
            as_of="2026-09-20T03:30:00Z",
            families=("arcana",),
            seasons=(),
            title="a small bundle",
        )
        for path, content in EVIDENCE.items():
            assert bundle.has(path)
            assert bundle.size(path) == len(content)
            assert bundle.digest(path) == sha256(content).hexdigest()
            assert bundle.read(path) == content
        assert bundle.read("SHA256SUMS") == sums_of(EVIDENCE)
        assert list(bundle.lines("arcana/agents.jsonl")) == [
            (1, b'{"agent_id":"1"}'),
            (2, b'{"agent_id":"2"}'),
        ]


def _digest_in_worker(job: tuple[ReopenToken, str]) -> str:
    with reopen(job[0]) as bundle:
        return sha256(bundle.read(job[1])).hexdigest()


def test_a_token_opens_the_bundle_in_another_process(packed: Path) -> None:
    """A worker that got the token by pickle reads the same bytes."""
    with (
        open_bundle(packed) as bundle,
        ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool,
    ):
        jobs = [(bundle.reopen_token, path) for path in bundle.paths]
        digests = list(pool.map(_digest_in_worker, jobs))
        assert digests == [bundle.digest(path) for path in bundle.paths]


def test_a_token_does_not_hash_again(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reopening touches no file: the sweep's digests come with the token."""
    with open_bundle(packed) as bundle:
        token = pickle.loads(pickle.dumps(bundle.reopen_token))
        with monkeypatch.context() as patch:
            patch.setattr(os, "open", None)
            again = reopen(token)
        assert (again.sha256, again.paths, again.index) == (
            bundle.sha256,
            bundle.paths,
            bundle.index,
        )


def test_what_was_unpacked_is_deleted_on_closing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The temporary folder of a .tar.gz goes away with the bundle, and after an error."""
    room = tmp_path / "room"
    room.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(room))
    good, bad = tmp_path / "good.tar.gz", tmp_path / "bad.tar.gz"
    good.write_bytes(tarred(sound(), packed=True))
    bad.write_bytes(tarred({"x": b""}, packed=True))
    with open_bundle(good) as bundle:
        assert list(room.iterdir())
        assert bundle.read("bundle.json") == INDEX
    assert not list(room.iterdir())
    with pytest.raises(BundleError, match=r"no bundle\.json"):
        open_bundle(bad)
    assert not list(room.iterdir())


def test_progress_ends_at_the_total(packed: Path) -> None:
    """Progress rises to the number of bytes in all."""
    seen: list[tuple[int, int]] = []
    open_bundle(packed, progress=lambda done, total: seen.append((done, total))).close()
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1] == sum(map(len, sound().values()))


def test_closing_leaves_no_open_file(packed: Path) -> None:
    """All handles are closed at the end, also those of reading."""
    handles = Path("/proc/self/fd")
    if not handles.is_dir():
        pytest.skip("this system does not show open files")
    before = {handle.name for handle in handles.iterdir()}
    with open_bundle(packed) as bundle:
        bundle.read("arcana/manifests/ab/café.json")
    assert {handle.name for handle in handles.iterdir()} == before


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no directory, zip, tar or tar.gz"),
        (b"just text, quite short", "no directory, zip, tar or tar.gz"),
        (bytes(2048), "no directory, zip, tar or tar.gz"),
        (b"\x1f\x8b", "cut off"),
        (b"PK\3\4 and no more", "not a zip archive"),
        (zipped({}), "no bundle.json"),
        (zipped({"a/bundle.json": INDEX, "b/x": b""}), "no bundle.json"),
        (zipped({"a/b/bundle.json": INDEX}), "no bundle.json"),
        (tarred({"readme": b"text"}), "no bundle.json"),
    ],
)
def test_not_a_bundle(tmp_path: Path, content: bytes, reason: str) -> None:
    """What is not a bundle is one error that names the file and the reason."""
    path = tmp_path / "thing"
    path.write_bytes(content)
    with pytest.raises(BundleError, match=reason) as caught:
        open_bundle(path)
    assert caught.value.file == str(path)


def test_not_a_file(tmp_path: Path) -> None:
    """Nothing there, an empty folder, a pipe and an impossible name are errors, not hangs."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name, reason in [
        ("nothing", "No such file"),
        ("folder", r"no bundle\.json"),
        ("pipe", "neither a directory nor an archive"),
        ("a\0b", "not a path"),
        ("x" * 5000, "cannot be read"),
    ]:
        with pytest.raises(BundleError, match=reason):
            open_bundle(f"{tmp_path}/{name}")


@pytest.mark.parametrize(
    ("index", "error", "reason"),
    [
        (INDEX[:-1], JsonError, r"bundle\.json"),
        (b"", JsonError, r"bundle\.json"),
        (INDEX.decode().encode("utf-16"), JsonError, r"bundle\.json"),
        (b"\xff" + INDEX, JsonError, r"bundle\.json"),
        (b"[" * 100_000, EvidenceError, r"bundle\.json"),
        (b"[]", EvidenceError, "must be an object"),
        (INDEX.replace(b'"arena":"test",', b""), EvidenceError, "'arena' is missing"),
        (INDEX.replace(b'"arena"', b'"arenas"'), EvidenceError, "'arena' is missing"),
        (INDEX[:-1] + b',"zz":1}', EvidenceError, "unknown member"),
        (INDEX.replace(b"bundle/1", b"bundle/2"), EvidenceError, "unknown format"),
        (INDEX.replace(b'["arcana"]', b"[1]"), EvidenceError, "/families/0"),
        (INDEX.replace(b'["arcana"]', b'"arcana"'), EvidenceError, "must be a list"),
        (INDEX.replace(b'"a small bundle"', b"null"), EvidenceError, "/title"),
        (INDEX.replace(b"30:00Z", b"30:00"), EvidenceError, "/as_of"),
        (INDEX.replace(b"30:00Z", b"30:00.5Z"), EvidenceError, "/as_of"),
        (INDEX.replace(b"09-20T", b"02-30T"), EvidenceError, "/as_of"),
        (INDEX.replace(b"T03", b"T24"), EvidenceError, "/as_of"),
        (INDEX.replace(b"[]", b"[{}]"), EvidenceError, "/seasons/0"),
        (
            INDEX.replace(b"[]", b'[{"family":"floor","id":"s","sha256":"AB"}]'),
            EvidenceError,
            "/seasons/0/sha256",
        ),
    ],
)
def test_broken_index(
    tmp_path: Path, index: bytes, error: type[EvidenceError], reason: str
) -> None:
    """A bundle.json that cannot be read as an index is an error that names the place."""
    with pytest.raises(error, match=reason) as caught:
        open_bundle(write_tree(tmp_path / "b", sound(**{"bundle.json": index})))
    assert caught.value.file == "bundle.json"


@pytest.mark.parametrize(
    ("limits", "limit"),
    [
        (BundleLimits(files=8), "files"),
        (BundleLimits(path_bytes=28), "path_bytes"),
        (BundleLimits(path_parts=3), "path_parts"),
        (BundleLimits(file_bytes=len(INDEX) - 1), "file_bytes"),
        (BundleLimits(total_bytes=200), "total_bytes"),
        (BundleLimits(index_bytes=len(INDEX) - 1), "index_bytes"),
    ],
)
def test_limits_hold(packed: Path, limits: BundleLimits, limit: str) -> None:
    """A bundle over a limit is refused, and the error names the limit."""
    if limit == "files" and packed.is_file():
        limits = BundleLimits(files=5)
    with pytest.raises(LimitError, match=rf"limit {limit}") as caught:
        open_bundle(packed, limits=limits)
    assert caught.value.limit == limit


def test_list_over_its_limit(tmp_path: Path) -> None:
    """A list that has to be read line by line must fit its limit."""
    files = sound() | {"SHA256SUMS": b"x\n" * 100}
    with pytest.raises(LimitError, match="limit sums_bytes"):
        open_bundle(write_tree(tmp_path / "b", files), limits=BundleLimits(sums_bytes=199))


@needs_shared
@pytest.mark.parametrize("name", ["arcana-demo", "floor-demo", "floor-full", "sharpe-demo"])
def test_honest_bundles_have_no_problems(name: str) -> None:
    """Bundles of independent publishers open, and their own list is their seal."""
    root = SHARED / "reference" / "bundles" / name
    with open_bundle(root) as bundle:
        assert bundle.problems == ()
        assert bundle.sha256 == sha256((root / "SHA256SUMS").read_bytes()).hexdigest()


@needs_shared
def test_a_large_bundle_is_the_same_in_every_packing(tmp_path: Path) -> None:
    """Hundreds of files: directory, zip, tar and tar.gz give one seal."""
    root = SHARED / "reference" / "bundles" / "arcana-demo"
    with open_bundle(root) as bundle:
        files = {path: bundle.read(path) for path in (*bundle.paths, "SHA256SUMS")}
        for pack in PACKINGS.values():
            path = tmp_path / "packed"
            path.write_bytes(pack(files))
            with open_bundle(path) as other:
                assert _same(bundle, other)


def _same(one: Bundle, other: Bundle) -> bool:
    return (one.sha256, one.paths, one.problems) == (other.sha256, other.paths, other.problems)
