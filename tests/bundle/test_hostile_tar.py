"""Tar archives made to harm their reader: each is one error that says what is wrong."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zlib
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_bundle import EVIDENCE, sound, sums_of, tarred

from verifier.bundle import BundleLimits, open_bundle
from verifier.errors import BundleError, ChangedError, EvidenceError, LimitError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SEAL = sha256(sums_of(EVIDENCE)).hexdigest()
BLOCK = 512


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A place for an archive."""
    return tmp_path / "b.tar"


def header(name: bytes, kind: bytes = b"0", size: int | bytes = 0, prefix: bytes = b"") -> bytes:
    """Write the header block of a member by hand."""
    field = b"%011o\0" % size if isinstance(size, int) else size
    block = name.ljust(100, b"\0") + b"0000644\0" + b"0000000\0" * 2 + field + b"00000000000\0"
    block += b" " * 8 + kind + bytes(100) + b"ustar\x0000" + bytes(80) + prefix.ljust(155, b"\0")
    block = block.ljust(BLOCK, b"\0")
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def member(name: bytes, content: bytes = b"", kind: bytes = b"0") -> bytes:
    """Write a member, padded."""
    return header(name, kind, len(content)) + content + bytes(-len(content) % BLOCK)


def pax(**records: str) -> bytes:
    """Write an extended header."""
    body = b""
    for key, value in records.items():
        rest = f" {key}={value}\n".encode()
        size = len(rest) + 1
        while len(str(size)) + len(rest) != size:
            size += 1
        body += b"%d" % size + rest
    return member(b"pax", body, b"x")


SOUND = b"".join(member(name.encode(), content) for name, content in sound().items())
END = bytes(2 * BLOCK)


def test_written_by_hand(path: Path) -> None:
    """The archive that all others here are made from is sound."""
    path.write_bytes(SOUND + END)
    with open_bundle(path) as bundle:
        assert (bundle.problems, bundle.sha256) == ((), SEAL)


@pytest.mark.parametrize(
    ("extra", "reason"),
    [
        (member(b"../evil"), "an empty, . or .. part"),
        (member(b"././evil"), "an empty, . or .. part"),
        (member(b"arcana/../../evil"), "an empty, . or .. part"),
        (member(b"arcana/"), "an empty, . or .. part"),
        (member(b"/etc/evil"), "absolute"),
        (member(b".//etc/evil"), "absolute"),
        (member(b""), "empty"),
        (member(b"../", kind=b"5"), "an empty, . or .. part"),
        (member(b"two\nlines"), "a control character"),
        (member(b"caf\xe9"), "not UTF-8"),
        (member(b"arcana/AGENTS.jsonl"), "differs only by case"),
        (member(b"ARCANA/x"), "differs only by case"),
        (member(b"bundle.json"), "stands here twice"),
        (member(b"./bundle.json"), "stands here twice"),
        (member(b"arcana"), "stands here twice"),
        (member(b"arcana/x", kind=b"1"), "a hard link"),
        (member(b"arcana/x", kind=b"2"), "a symbolic link"),
        (member(b"arcana/x", kind=b"3"), "a device"),
        (member(b"arcana/x", kind=b"4"), "a device"),
        (member(b"arcana/x", kind=b"6"), "a pipe"),
        (member(b"arcana/x", kind=b"S"), "a sparse file"),
        (member(b"arcana/x", kind=b"7"), "a member of type '7'"),
        (member(b"arcana/x", kind=b"\xff"), "a member of type"),
        (member(b"long", b"../evil\0", b"L") + member(b"x"), "an empty, . or .. part"),
        (member(b"long", b"/x" * 600, b"L") + member(b"x"), "limit path_bytes"),
        (pax(path="../evil") + member(b"x"), "an empty, . or .. part"),
        (pax(path="/evil") + member(b"x"), "absolute"),
        (pax(**{"GNU.sparse.major": "1"}) + member(b"x"), "a sparse file"),
        (pax(size="-1") + member(b"x"), "a malformed size"),
        (pax(size="1e9") + member(b"x"), "a malformed size"),
        (pax(size="9" * 30) + member(b"x"), "a malformed size"),
        (pax(size="9" * 18) + member(b"x"), "cut off"),
        (member(b"pax", b"x", b"x"), "a malformed extended header"),
        (member(b"pax", b"99 a=b\n", b"x"), "a malformed extended header"),
        (member(b"pax", b"0 a=b\n", b"x"), "a malformed extended header"),
        (member(b"pax", b"2 a=b\n", b"x"), "a malformed extended header"),
        (member(b"pax", b"5 ab\n", b"x"), "a malformed extended header"),
        (member(b"pax", b"7 a=b\nx", b"x"), "a malformed extended header"),
        (member(b"pax", b"12 path=abc\n", b"g"), "a global header"),
        (header(b"pax", b"x", 1 << 20) + bytes(1 << 20), "an extended header of 1048576 bytes"),
        (header(b"x", size=1 << 30), "its last member is cut off"),
        (header(b"x", size=b"\x80" + b"\xff" * 11), "its last member is cut off"),
        (header(b"x", size=b"\xff" * 12), "a malformed number"),
        (header(b"x", size=b"00000000008\0"), "a malformed number"),
        (header(b"x", size=b"-0000000001\0"), "a malformed number"),
        (header(b"x", size=bytes(12)), "a malformed number"),
        (b"x" * BLOCK, "not a tar archive of a known form"),
        (b"y" + header(b"x")[1:], "checksum does not hold"),
        (bytes(BLOCK) + member(b"hidden"), "data after the end"),
        (END + b"x", "data after the end"),
    ],
)
def test_hostile_members(path: Path, extra: bytes, reason: str) -> None:
    """A member that cannot be read safely refuses the archive."""
    path.write_bytes(SOUND + extra + END)
    with pytest.raises(EvidenceError, match=reason):
        open_bundle(path)


@pytest.mark.parametrize(
    "extra",
    [
        member(b"arcana/", kind=b"5"),
        member(b"./", kind=b"5"),
        member(b".", kind=b"5"),
        member(b"pax", b"18 comment=abcdef\n", b"g"),
    ],
)
def test_harmless_members(path: Path, extra: bytes) -> None:
    """Folders and a global comment, as common packers write them, change nothing."""
    path.write_bytes(extra + SOUND + END + bytes(9 * BLOCK))
    with open_bundle(path) as bundle:
        assert (bundle.problems, bundle.sha256) == ((), SEAL)


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
def test_long_names(path: Path, form: int) -> None:
    """Names over a hundred bytes are read in each form's own way."""
    name = "arcana/" + "d" * 80 + "/" + "f" * 90
    path.write_bytes(tarred(sound(**{name: b"long"}), form=form))
    with open_bundle(path) as bundle:
        assert bundle.problems == ()
        assert bundle.read(name) == b"long"


def test_size_in_an_extended_header(path: Path) -> None:
    """A pax size goes before the header's own."""
    content = b"z" * 700
    files = sound(**{"arcana/x": content})
    rest = b"".join(member(name.encode(), files[name]) for name in files if name != "arcana/x")
    data = pax(size="700") + header(b"arcana/x") + content + bytes(-len(content) % BLOCK)
    path.write_bytes(rest + data + END)
    with open_bundle(path) as bundle:
        assert bundle.problems == ()


@pytest.mark.parametrize("keep", [len(SOUND), len(SOUND) - 1, len(SOUND) - BLOCK + 3, 700, 300])
def test_cut_off(path: Path, keep: int) -> None:
    """An archive without its end is refused, wherever it was cut."""
    path.write_bytes(SOUND[:keep])
    with pytest.raises(BundleError, match=r"cut off|no directory, zip, tar"):
        open_bundle(path)


def test_many_members(path: Path) -> None:
    """Members over the limit are refused while they are listed."""
    path.write_bytes(SOUND + b"".join(member(b"d%d" % at, kind=b"5") for at in range(50)) + END)
    with pytest.raises(LimitError, match="limit files"):
        open_bundle(path, limits=BundleLimits(files=55))


def test_sparse_archive_of_ten_gigabytes(path: Path) -> None:
    """A member of ten gigabytes is refused by its size alone."""
    size = b"\x80" + (10 << 30).to_bytes(11, "big")
    with path.open("wb") as file:
        file.write(SOUND + header(b"arcana/huge", size=size))
        file.seek(10 << 30, os.SEEK_CUR)
        file.write(END)
    with pytest.raises(LimitError, match="limit file_bytes") as caught:
        open_bundle(path)
    assert caught.value.file == "arcana/huge"


def test_gzip_bomb(path: Path) -> None:
    """Unpacking stops at the ratio, or at the disk space that is allowed."""
    big = io.BytesIO()
    with gzip.open(big, "wb", compresslevel=1) as file:
        for _ in range(80):
            file.write(bytes(1 << 20))
    path.write_bytes(big.getvalue())
    with pytest.raises(LimitError, match="limit archive_ratio"):
        open_bundle(path)
    with pytest.raises(LimitError, match="limit spool_bytes"):
        open_bundle(path, limits=BundleLimits(spool_bytes=1 << 20))


PACKED = gzip.compress(SOUND + END, mtime=0)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: data[:-1], "cut off"),
        (lambda data: data[:40], "cut off"),
        (lambda data: data[:-8] + bytes(8), "damaged"),
        (lambda data: data[:30] + b"\xff" * 20 + data[50:], "damaged|cut off"),
        (lambda data: data + b"hidden", "damaged"),
        (lambda data: data + bytes(20), "damaged"),
        (lambda data: data + gzip.compress(b"hidden"), "data after the end"),
        (lambda data: data[:2] + b"\7" + data[3:], "damaged"),
    ],
)
def test_damaged_gzip(path: Path, change: Callable[[bytes], bytes], reason: str) -> None:
    """A compressed archive that is cut, changed or followed by something is refused."""
    path.write_bytes(change(PACKED))
    with pytest.raises(BundleError, match=reason) as caught:
        open_bundle(path)
    assert caught.value.file == str(path)


def test_gzip_of_several_members(path: Path) -> None:
    """Parallel packers write several gzip members: together they are one archive."""
    whole = SOUND + END
    path.write_bytes(gzip.compress(whole[:1000]) + gzip.compress(whole[1000:]))
    with open_bundle(path) as bundle:
        assert (bundle.problems, bundle.sha256) == ((), SEAL)


def test_no_room_to_unpack(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full or missing temporary folder is an error, not a crash."""
    path.write_bytes(PACKED)
    monkeypatch.setattr("tempfile.tempdir", str(path / "nowhere"))
    with pytest.raises(BundleError, match="cannot be unpacked"):
        open_bundle(path)


def test_changed_after_opening(path: Path) -> None:
    """Another archive in place of the one that was hashed is noticed."""
    path.write_bytes(SOUND + END)
    with open_bundle(path) as bundle:
        path.write_bytes(SOUND.replace(b'"agent_id":"1"', b'"agent_id":"3"') + END)
        with pytest.raises(ChangedError):
            bundle.read("arcana/agents.jsonl")
        path.write_bytes(b"")
        with pytest.raises(ChangedError):
            bundle.read("arcana/agents.jsonl")


@settings(max_examples=300)
@given(data=st.data(), packed=st.booleans())
def test_damage_is_an_error_of_ours_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, *, data: st.DataObject, packed: bool
) -> None:
    """Any few bytes exchanged: our error, or a bundle, and never anything else."""
    raw = bytearray(SOUND + END)
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.tar"
    path.write_bytes(zlib.compress(raw, 1, 31) if packed else raw)
    try:
        open_bundle(path).close()
    except EvidenceError as error:
        assert error.file  # noqa: PT017  # either way is right
