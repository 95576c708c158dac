"""Stores that lie, change their mind or break are refused, in one error that names the place."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_bundle import sound, tarred, zipped

from verifier.bundle import BundleLimits, open_bundle
from verifier.errors import BundleError, ChangedError, EvidenceError, LimitError, TallyproofError

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("fsspec")
stores = pytest.importorskip("stores")
Told = stores.Told

URL: Final = "told://place"
LINES: Final = "arcana/agents.jsonl"
CONTENT: Final = sound()[LINES]


def a_file(name: Any, size: Any = 0, **more: Any) -> dict[str, Any]:
    """What a store says of a file."""
    return {"name": name, "type": "file", "size": size, **more}


def a_folder(name: Any) -> dict[str, Any]:
    """What a store says of a folder."""
    return {"name": name, "type": "directory", "size": 0}


@pytest.fixture(autouse=True)
def _honest() -> Iterator[None]:
    """A store with a sound bundle, to be made to lie."""
    stores.register()
    honest()
    yield
    for answers in (Told.lists, Told.gives, Told.states):
        answers.clear()


def honest() -> None:
    """Tell the store to hold a sound bundle."""
    for answers in (Told.lists, Told.gives, Told.states):
        answers.clear()
    for path, content in sound().items():
        whole = f"place/{path}"
        Told.gives[whole] = content
        below = a_file(whole, len(content))
        while below["name"] != "place":
            above = below["name"].rpartition("/")[0]
            listed = Told.lists.setdefault(above, [])
            if below not in listed:
                listed.append(below)
            below = a_folder(above)


def refused(reason: str, kind: type[TallyproofError] = BundleError) -> str:
    """Insist on an error of one line, and tell it."""
    with pytest.raises(kind, match=reason) as caught:
        open_bundle(URL)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_honest_store_is_sound() -> None:
    """What the tests below break is whole before."""
    with open_bundle(URL) as bundle:
        assert bundle.problems == ()
        assert bundle.read(LINES) == CONTENT


@pytest.mark.parametrize(
    ("listed", "reason"),
    [
        (a_file("place/../x"), "lies deeper"),
        (a_file("place/.."), r"an empty, \. or \.\. part"),
        (a_file("/etc/passwd"), "lies elsewhere"),
        (a_file("elsewhere/x"), "lies elsewhere"),
        (a_file("placed/x"), "lies elsewhere"),
        (a_file(""), "lies elsewhere"),
        (a_file("place/arcana/x"), "lies deeper"),
        (a_file("place//x"), "lies deeper"),
        (a_file("place/x/"), "lies deeper"),
        (a_folder("place/x//"), "lies deeper"),
        (a_folder("place/.."), r"an empty, \. or \.\. part"),
        (a_file("place/bundle.json", 2), "stands here twice"),
        (a_file("place/arcana", 2), "stands here twice"),
        (a_file("place/BUNDLE.json", 2), "only by case"),
        (a_folder("place/arcana"), "stands here twice"),
        (a_file("place/\udc80"), "not UTF-8"),
        (a_file("place/two\nlines"), "a control character"),
        (a_file("place", 7), "is no folder"),
        (a_file("place/x", None), "does not say how large"),
        (a_file("place/x", -1), "does not say how large"),
        (a_file("place/x", "7"), "does not say how large"),
        (a_file("place/x", 1.5), "does not say how large"),
        (a_file("place/x", islink=True), "x: is a symbolic link"),
        (a_file("place/x") | {"type": "link"}, "x: is a symbolic link"),
        (a_file("place/x") | {"type": "other"}, "x: is a special file"),
        (a_file("place/x") | {"type": None}, "x: is a special file"),
        (a_file("place/x") | {"type": []}, "cannot be listed: TypeError"),
        (a_file(b"place/x"), "a name that is no text"),
        (a_file(None), "a name that is no text"),
        ({"name": "place/x"}, "cannot be listed: KeyError"),
        ({}, "cannot be listed: KeyError"),
        (None, "cannot be listed: TypeError"),
        ("place/x", "cannot be listed: TypeError"),
    ],
)
def test_what_a_store_may_not_list(listed: Any, reason: str) -> None:
    """Names that lead elsewhere, sizes that are none, and what is no file."""
    Told.lists["place"].append(listed)
    refused(reason)


@pytest.mark.parametrize("name", ["place", "place/", "/place/"])
def test_the_mark_of_a_folder_is_no_file(name: str) -> None:
    """Object stores have empty objects that stand for folders."""
    Told.lists["place"].append(a_file(name))
    with open_bundle(URL) as bundle:
        assert bundle.problems == ()


@pytest.mark.parametrize("listing", [None, 7, [[]]])
def test_a_listing_that_is_none(listing: Any) -> None:
    """Whatever the library of a store hands out."""
    Told.lists["place"] = listing
    assert refused("cannot be listed").startswith(f"{URL}: ")


class StoreError(Exception):
    """As libraries of stores have their own, without a common base."""


@pytest.mark.parametrize(
    "error",
    [
        StoreError("An error occurred (AccessDenied)\nwhen calling\tListObjectsV2"),
        StoreError(),
        OSError("no reason"),
        PermissionError(13, "Permission denied"),
        TimeoutError(),
        KeyError("Contents"),
        RecursionError("too deep"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    ],
)
def test_whatever_a_store_raises_is_one_error(error: Exception) -> None:
    """In listing, in opening, in hashing and after it."""
    kind = type(error).__name__
    Told.states["place"] = error
    assert refused(f"cannot be opened: {kind}").startswith(f"{URL}: ")
    del Told.states["place"]
    listed, Told.lists["place/arcana"] = Told.lists["place/arcana"], error
    assert refused(f"cannot be listed: {kind}").startswith("arcana: ")
    Told.lists["place/arcana"] = listed
    Told.gives[f"place/{LINES}"] = error
    assert refused(f"cannot be read: {kind}").startswith(f"{LINES}: ")
    Told.gives[f"place/{LINES}"] = CONTENT
    with open_bundle(URL) as bundle:
        Told.gives[f"place/{LINES}"] = error
        with pytest.raises(ChangedError, match=f"cannot be read: {kind}") as caught:
            bundle.read(LINES)
    assert caught.value.file == LINES


def test_a_listing_without_end() -> None:
    """Ends at the limit of files, of bytes or of depth, while it is being listed."""
    numbers = count()

    def files(size: int) -> Iterator[dict[str, Any]]:
        return (a_file(f"place/{number}", size) for number in numbers)

    class Deeper(dict[str, Any]):
        def get(self, path: str, _: Any = None) -> Any:
            return [a_folder(f"{path}/d")]

    limits = BundleLimits(files=100, file_bytes=1000, total_bytes=5000)
    for answer, limit in ((files(0), "files"), (files(1000), "total_bytes"), (files(1001), "file")):
        Told.lists["place"] = answer
        with pytest.raises(LimitError, match=f"limit {limit}"):
            open_bundle(URL, limits=limits)
    Told.lists["place"] = [a_file("place/x", 1 << 80)]
    with pytest.raises(LimitError, match="limit file_bytes"):
        open_bundle(URL)
    Told.lists["place"] = [a_file("place/" + "x" * 5000)]
    with pytest.raises(LimitError, match="limit path_bytes"):
        open_bundle(URL)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Told, "lists", Deeper(place=[]))
        with pytest.raises(LimitError, match="limit path_parts"):
            open_bundle(URL)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (CONTENT[:-1], "fewer bytes than it stated"),
        (b"", "fewer bytes than it stated"),
        (bytearray(CONTENT + b"more"), "more bytes than were asked for"),
        (None, "does not give bytes"),
        ("text", "does not give bytes"),
        (7, "does not give bytes"),
        (CONTENT + b"\n", "changed while it was being hashed"),
    ],
)
def test_a_file_that_is_not_as_listed(given: Any, reason: str) -> None:
    """Shorter, longer, or no bytes at all."""
    Told.gives[f"place/{LINES}"] = given
    assert refused(reason, EvidenceError).startswith(f"{LINES}: ")


def test_an_empty_file_that_is_none() -> None:
    """No range of nothing can be asked for, so its size is asked for again."""
    Told.gives["place/arcana/empty.jsonl"] = b"x"
    refused("arcana/empty.jsonl: is no longer empty")


@pytest.mark.parametrize(
    "now",
    [
        CONTENT.replace(b"1", b"7"),
        CONTENT[:-1],
        CONTENT + b"\n",
        b"",
        bytearray(CONTENT + b"more"),
        FileNotFoundError("gone"),
        None,
    ],
)
def test_a_file_that_changes_after_it_was_hashed(now: Any) -> None:
    """Bytes that were not hashed are never used, read whole, by lines or in segments."""
    with open_bundle(URL) as bundle:
        Told.gives[f"place/{LINES}"] = now
        with pytest.raises(ChangedError, match="changed after it was hashed"):
            bundle.read(LINES)
        with pytest.raises(ChangedError, match="changed after it was hashed"):
            list(bundle.lines(LINES))
        with pytest.raises(ChangedError, match="changed after it was hashed"):
            bundle.segments(LINES, 1)


def test_a_segment_that_changes_after_it_was_cut() -> None:
    """It cannot be read, or has another hash than the one that was taken in the whole."""
    with open_bundle(URL) as bundle:
        segments = bundle.segments(LINES, 1)
        assert segments is not None
        Told.gives[f"place/{LINES}"] = CONTENT.replace(b"2", b"7")
        data = bundle.part(LINES, segments[-1].offset, segments[-1].size)
        assert sha256(data).digest() != segments[-1].digest
    for gone in (FileNotFoundError(), CONTENT[:-1]):
        Told.gives[f"place/{LINES}"] = CONTENT
        with open_bundle(URL) as bundle:
            Told.gives[f"place/{LINES}"] = gone
            with pytest.raises(ChangedError, match="changed after it was hashed"):
                bundle.part(LINES, len(CONTENT) - 5, 5)


PACKED: Final = {
    "zip": zipped(sound()),
    "tar": tarred(sound()),
    "tar.gz": tarred(sound(), packed=True),
}


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize(
    ("factor", "reason"),
    [(9, "fewer bytes than it stated"), (0.5, "cut off"), (0, "not an evidence bundle")],
)
def test_an_archive_whose_size_is_a_lie(packing: str, factor: float, reason: str) -> None:
    """Too large and too small; what is beyond the size is never read."""
    Told.lists.clear()
    Told.gives["place"] = PACKED[packing]
    Told.states["place"] = a_file("place", int(factor * len(PACKED[packing])))
    assert refused(reason).startswith(f"{URL}: ")


@pytest.mark.parametrize("packing", ["zip", "tar"])
def test_an_archive_that_changes_after_it_was_hashed(packing: str) -> None:
    """Each member is hashed again; only what was read before can still be had."""
    Told.lists.clear()
    Told.gives["place"] = PACKED[packing]
    with open_bundle(URL) as bundle:
        again = bundle.reopen_token
        for now in (PACKED[packing][::-1], b"", FileNotFoundError(), None):
            Told.gives["place"] = now
            other = type(bundle)(again.source.detached(), again.state)
            with other, pytest.raises(ChangedError, match="changed after it was hashed"):
                other.read("arcana-notes.txt")


@pytest.mark.parametrize("content", [b"", b"text", bytes(2048)])
def test_an_object_that_is_no_archive(content: bytes) -> None:
    """As a file of the disk."""
    Told.lists.clear()
    Told.gives["place"] = content
    assert refused("not an evidence bundle").startswith(f"{URL}: ")


NAMES: Final = st.one_of(
    st.text(max_size=6).map("place/".__add__),
    st.sampled_from(["place", "place/", "/place/x", "place/arcana", "place/a/b", "", "/"]),
    st.none(),
    st.binary(max_size=3),
)
ENTRIES: Final = st.fixed_dictionaries(
    {},
    optional={
        "name": NAMES,
        "type": st.sampled_from(["file", "directory", "link", "other", None, 7]),
        "size": st.one_of(st.none(), st.integers(), st.text(max_size=2)),
        "islink": st.booleans(),
    },
)


@given(st.lists(st.one_of(ENTRIES, st.none()), max_size=3))
def test_no_listing_breaks_the_opening(listing: list[Any]) -> None:
    """It opens, or one error of ours says why not."""
    honest()
    Told.lists["place"] = [*Told.lists["place"], *listing]
    with suppress(TallyproofError):
        open_bundle(URL).close()
