"""Zip archives made to harm their reader: each is one error that says what is wrong."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_bundle import EVIDENCE, INDEX, sound, sums_of, write_tree, zipped

from verifier.bundle import BundleLimits, open_bundle
from verifier.errors import BundleError, ChangedError, EvidenceError, LimitError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MODES = {"link": 0o120777, "device": 0o060600, "pipe": 0o010600, "socket": 0o140600}
SEAL = sha256(sums_of(EVIDENCE)).hexdigest()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A place for an archive."""
    return tmp_path / "b.zip"


def with_member(name: str, content: bytes = b"", *, mode: int = 0o100644, method: int = 0) -> bytes:
    """Pack the small bundle and one more member."""
    out = io.BytesIO(zipped(sound()))
    with zipfile.ZipFile(out, "a") as archive:
        member = zipfile.ZipInfo("x")
        member.filename = name
        member.external_attr = mode << 16
        member.compress_type = method
        archive.writestr(member, content)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../evil", "an empty, . or .. part"),
        ("arcana/../../evil", "an empty, . or .. part"),
        ("./evil", "an empty, . or .. part"),
        ("arcana//evil", "an empty, . or .. part"),
        ("/etc/evil", "absolute"),
        ("", "empty"),
        ("two\nlines", "a control character"),
        ("arcana/AGENTS.jsonl", "differs only by case"),
        ("ARCANA/evil", "differs only by case"),
        ("arcana", "stands here twice"),
        ("bundle.json/x", "stands here twice"),
        ("x" * 1025, "limit path_bytes"),
        ("/".join("x" * 33), "limit path_parts"),
        ("../", "an empty, . or .. part"),
    ],
)
def test_unsafe_names(path: Path, name: str, reason: str) -> None:
    """A member whose path cannot be unpacked safely everywhere refuses the archive."""
    path.write_bytes(with_member(name))
    with pytest.raises(EvidenceError, match=reason):
        open_bundle(path)


@pytest.mark.parametrize("kind", MODES)
def test_special_members(path: Path, kind: str) -> None:
    """A link, device, pipe or socket refuses the archive."""
    path.write_bytes(with_member("arcana/x", b"/etc/passwd", mode=MODES[kind]))
    with pytest.raises(BundleError, match=kind) as caught:
        open_bundle(path)
    assert caught.value.file == "arcana/x"


def test_two_members_of_one_name(path: Path) -> None:
    """A name that stands twice refuses the archive: readers differ on which counts."""
    with pytest.warns(UserWarning, match="Duplicate name"):
        path.write_bytes(with_member("bundle.json", INDEX))
    with pytest.raises(BundleError, match="stands here twice") as caught:
        open_bundle(path)
    assert caught.value.file == "bundle.json"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_methods(path: Path, method: int) -> None:
    """Only stored and deflated members are read."""
    path.write_bytes(with_member("arcana/x", b"text", method=method))
    with pytest.raises(BundleError, match=f"packed by method {method}"):
        open_bundle(path)


def test_folders_are_no_files(path: Path) -> None:
    """Entries for folders are passed over."""
    path.write_bytes(with_member("arcana/", mode=0o040755))
    with open_bundle(path) as bundle:
        assert (bundle.problems, bundle.sha256) == ((), SEAL)


def test_folder_with_content(path: Path) -> None:
    """A folder that has bytes is neither."""
    path.write_bytes(with_member("arcana/x/", b"text"))
    with pytest.raises(BundleError, match="a folder and a file at once"):
        open_bundle(path)


def test_names_in_another_encoding(path: Path) -> None:
    """A name that is not UTF-8 refuses the archive and is shown escaped."""
    path.write_bytes(with_member("arcana/XY").replace(b"arcana/XY", b"arcana/\xff\xfe"))
    with pytest.raises(BundleError, match="not UTF-8") as caught:
        open_bundle(path)
    assert caught.value.file == r"arcana/\udcff\udcfe"


def bomb(size: int) -> bytes:
    """Pack the small bundle and a member of that many zeros."""
    return with_member("arcana/x", bytes(size), method=zipfile.ZIP_DEFLATED)


def test_bomb(path: Path) -> None:
    """An archive that unpacks to many times its size is refused before it is unpacked."""
    path.write_bytes(bomb(80 << 20))
    with pytest.raises(LimitError, match="limit archive_ratio"):
        open_bundle(path)
    with open_bundle(path, limits=BundleLimits(archive_ratio=2000)) as bundle:
        assert bundle.size("arcana/x") == 80 << 20
        assert bundle.problems[0].path == "arcana/x"


def patched(data: bytes, name: bytes, local: dict[int, bytes], central: dict[int, bytes]) -> bytes:
    """Overwrite fields of a member's two headers, given by their offsets."""
    changed = bytearray(data)
    end = data.rindex(b"PK\5\6")
    start = struct.unpack_from("<L", data, end + 16)[0]
    entry = data.index(name, start) - 46
    header = struct.unpack_from("<L", data, entry + 42)[0]
    for base, fields in ((header, local), (entry, central)):
        for offset, value in fields.items():
            changed[base + offset : base + offset + len(value)] = value
    return bytes(changed)


def u16(value: int) -> bytes:
    """Two bytes, little-endian."""
    return struct.pack("<H", value)


def u32(value: int) -> bytes:
    """Four bytes, little-endian."""
    return struct.pack("<L", value)


SMALL = with_member("arcana/x", bytes(100_000), method=zipfile.ZIP_DEFLATED)
STORED = with_member("arcana/x", b"stored text")


@pytest.mark.parametrize(
    ("data", "local", "central", "reason"),
    [
        (SMALL, {}, {24: u32(99_999)}, "unpacks to more than its stated 99999 bytes"),
        (SMALL, {}, {24: u32(100_001)}, "unpacks to 100000 bytes, stated are 100001"),
        (SMALL, {}, {24: u32(0xFFFFFFFE)}, "limit archive_ratio"),
        (SMALL, {}, {16: u32(1)}, "its checksum in the archive does not hold"),
        (SMALL, {}, {20: u32(20)}, "is cut off"),
        (SMALL, {}, {20: u32(1 << 30)}, "outside the archive"),
        (SMALL, {}, {42: u32(0xFFFFFFFF)}, "outside the archive"),
        (SMALL, {}, {42: u32(1)}, "overlaps the next member"),
        (SMALL, {}, {8: u16(1)}, "is encrypted"),
        (SMALL, {6: u16(1)}, {}, "is encrypted"),
        (SMALL, {8: u16(0)}, {}, "own header and the central directory disagree"),
        (SMALL, {0: b"PK\7\7"}, {}, "its own header is missing"),
        (SMALL, {30: b"arcana/y"}, {}, "own header and the central directory disagree"),
        (SMALL, {26: u16(7)}, {}, "own header and the central directory disagree"),
        (SMALL, {26: u16(900)}, {}, "own header and the central directory disagree"),
        (SMALL, {28: u16(900)}, {}, "overlaps the next member"),
        (SMALL, {38: b"\xff" * 8}, {}, "its compressed stream is damaged"),
        (SMALL, {8: u16(0)}, {10: u16(0)}, "its two sizes differ"),
        (STORED, {38: b"S"}, {}, "its checksum in the archive does not hold"),
        (STORED, {8: u16(8)}, {10: u16(8)}, "its compressed stream is"),
    ],
)
def test_false_headers(
    path: Path, data: bytes, local: dict[int, bytes], central: dict[int, bytes], reason: str
) -> None:
    """What the headers say of a member is never trusted, and must be true."""
    path.write_bytes(patched(data, b"arcana/x", local, central))
    with pytest.raises(EvidenceError, match=reason):
        open_bundle(path)


def test_data_after_a_compressed_member(path: Path) -> None:
    """Bytes hidden behind the end of a deflate stream refuse the archive."""
    content = b"visible"
    deflate = zlib.compressobj(wbits=-15)
    packed = deflate.compress(content) + deflate.flush() + b"hidden"
    data = with_member("arcana/x", packed)
    fields = {10: u16(8), 16: u32(zlib.crc32(content)), 24: u32(len(content))}
    path.write_bytes(patched(data, b"arcana/x", {8: u16(8)}, fields))
    with pytest.raises(BundleError, match="data after the end of its compressed stream"):
        open_bundle(path)


def test_members_that_share_bytes(path: Path) -> None:
    """The quine trick: entries that point at one compressed member are refused."""
    data = with_member("arcana/y")
    shared = data.index(b"arcana/agents.jsonl") - 30
    path.write_bytes(patched(data, b"arcana/y", {}, {42: u32(shared)}))
    with pytest.raises(BundleError, match="overlaps the next member"):
        open_bundle(path)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: data[: len(data) // 2], "not a zip archive, or its end is cut off"),
        (lambda data: data[:-1], "not a zip archive, or its end is cut off"),
        (lambda data: data + b"x", "not a zip archive, or its end is cut off"),
        (lambda data: data[:4] + data[5:], "does not fit the archive"),
        (lambda data: b"PK\3\4" + data, "does not fit the archive"),
        (lambda data: data[:-14] + u16(8) + data[-12:], "several parts"),
        (lambda data: data[:-14] + u16(6) + u16(6) + data[-10:], "than it states"),
        (lambda data: data[:-14] + u16(5) + u16(5) + data[-10:], "than it states"),
        (lambda data: data[:-14] + u16(9) + u16(9) + data[-10:], "damaged|does not fit"),
        (lambda data: data[:-18] + u16(1) + data[-16:], "several parts"),
        (lambda data: data.replace(b"PK\1\2", b"PK\1\1"), "central directory is damaged"),
    ],
)
def test_false_end(path: Path, change: Callable[[bytes], bytes], reason: str) -> None:
    """An archive that is cut off, shifted, or miscounts itself is refused."""
    path.write_bytes(change(with_member("arcana/x")))
    with pytest.raises(BundleError, match=reason):
        open_bundle(path)


def test_comment_at_the_end(path: Path) -> None:
    """A comment is no harm, even one that looks like an end record."""
    out = io.BytesIO(zipped(sound()))
    with zipfile.ZipFile(out, "a") as archive:
        archive.comment = b"PK\5\6" + bytes(18) + b"PK\5\6 a comment"
    path.write_bytes(out.getvalue())
    with open_bundle(path) as bundle:
        assert bundle.sha256 == SEAL


def test_zip64(path: Path) -> None:
    """Members written with Zip64 fields, and a directory with a Zip64 end, are read."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in sound().items():
            with archive.open(name, "w", force_zip64=True) as member:
                member.write(content)
    data = out.getvalue()
    end = data.rindex(b"PK\5\6")
    _, _, _, _, count, length, offset, _ = struct.unpack("<4s4H2LH", data[end:])
    end64 = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, length, offset)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, end, 1)
    full = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    path.write_bytes(data[:end] + end64 + locator + full)
    with open_bundle(path) as bundle:
        assert (bundle.problems, bundle.sha256) == ((), SEAL)
    for where in (end + 1, 1 << 63, 0):
        locator = struct.pack("<4sLQL", b"PK\6\7", 0, where, 1)
        path.write_bytes(data[:end] + end64 + locator + full)
        with pytest.raises(BundleError, match="Zip64 end record"):
            open_bundle(path)
    path.write_bytes(data[:end] + full)
    with pytest.raises(BundleError, match="does not fit the archive"):
        open_bundle(path)


def test_huge_sizes_in_zip64_fields(path: Path) -> None:
    """A size of 2^64 - 1 is over the limit for files, not a crash."""
    name = b"bundle.json"
    sizes = struct.pack("<2HQ", 1, 8, (1 << 64) - 1)
    local = struct.pack("<4s5H3L2H", b"PK\3\4", 45, 0, 8, 0, 0, 0, 0, 0, len(name), 0) + name
    central = struct.pack(
        "<4s6H3L5H2L",
        *(b"PK\1\2", 45, 45, 0, 8, 0, 0, 0, 0, 0xFFFFFFFF, len(name), len(sizes), 0, 0, 0, 0, 0),
    )
    central += name + sizes
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(central), len(local), 0)
    path.write_bytes(local + central + end)
    with pytest.raises(LimitError, match="limit file_bytes"):
        open_bundle(path)


def test_changed_after_opening(path: Path) -> None:
    """Another archive in place of the one that was hashed is noticed."""
    path.write_bytes(zipped(sound()))
    with open_bundle(path) as bundle:
        path.write_bytes(zipped(sound(**{"arcana/agents.jsonl": b"other\n"})))
        with pytest.raises(ChangedError):
            bundle.read("arcana/agents.jsonl")
        path.write_bytes(b"")
        with pytest.raises(ChangedError):
            bundle.read("arcana/agents.jsonl")


def test_packed_by_folder(tmp_path: Path, path: Path) -> None:
    """A folder packed by its name opens as its content, also next to empty folders."""
    root = write_tree(tmp_path / "b", sound())
    with zipfile.ZipFile(path, "w") as archive:
        for item in sorted(root.rglob("*")):
            archive.write(item, item.relative_to(tmp_path))
    with open_bundle(path) as bundle:
        assert (bundle.problems, bundle.sha256) == ((), SEAL)


@settings(max_examples=300)
@given(st.data())
def test_damage_is_an_error_of_ours_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Any few bytes exchanged: our error, or a bundle, and never anything else."""
    raw = bytearray(SMALL)
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.zip"
    path.write_bytes(raw)
    try:
        open_bundle(path).close()
    except EvidenceError as error:
        assert error.file  # noqa: PT017  # either way is right
