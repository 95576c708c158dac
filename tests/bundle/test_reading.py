"""Reading a file of an opened bundle: whole or by lines, within limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_bundle import INDEX, sound, write_tree

from verifier.bundle import Bundle, BundleLimits, open_bundle, overlay
from verifier.bundle.sources import CHUNK
from verifier.errors import BundleError, EvidenceError, LimitError

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundle]:
    """A sound bundle with low limits for reading."""
    root = write_tree(tmp_path_factory.mktemp("reading") / "b", sound())
    with open_bundle(root, limits=BundleLimits(read_bytes=1 << 20, line_bytes=1000)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"\n", [b""]),
        (b"a\n", [b"a"]),
        (b"a\n\nb\n", [b"a", b"", b"b"]),
        (b"a\r\nb\x0bc\x0c\xe2\x80\xa8\n", [b"a\r", b"b\x0bc\x0c\xe2\x80\xa8"]),
        (b"x" * 1000 + b"\n", [b"x" * 1000]),
    ],
)
def test_lines_end_at_newlines_alone(bundle: Bundle, content: bytes, lines: list[bytes]) -> None:
    r"""Lines are split at \n and at nothing else, and numbered from 1."""
    view = overlay(bundle, {"arcana/x": content})
    assert list(view.lines("arcana/x")) == list(enumerate(lines, 1))


@pytest.mark.parametrize("content", [b"a", b"a\nb", b"\n\nb"])
def test_last_line_must_end(bundle: Bundle, content: bytes) -> None:
    """What comes after the last newline is an error at its line."""
    view = overlay(bundle, {"arcana/x": content})
    with pytest.raises(EvidenceError, match="does not end in a newline") as caught:
        list(view.lines("arcana/x"))
    assert (caught.value.file, caught.value.line) == ("arcana/x", content.count(b"\n") + 1)


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_long_lines_are_refused(bundle: Bundle, end: bytes) -> None:
    """A line over its limit is refused with its number, ended or not."""
    view = overlay(bundle, {"arcana/x": b"first\n" + b"x" * 1001 + end})
    lines = view.lines("arcana/x")
    assert next(lines) == (1, b"first")
    with pytest.raises(LimitError, match="limit line_bytes") as caught:
        next(lines)
    assert (caught.value.file, caught.value.line) == ("arcana/x", 2)


def test_lines_across_chunks(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Lines longer than a chunk, and lines that straddle two, come out whole."""
    content = b"".join(b"%d" % at * (at % 977) + b"\n" for at in range(3000))
    content += b"y" * (2 * CHUNK) + b"\n" + b"z\n"
    assert len(content) > 5 * CHUNK
    root = write_tree(tmp_path_factory.mktemp("long") / "b", sound(**{"arcana/x": content}))
    with open_bundle(root) as opened:
        assert [line for _, line in opened.lines("arcana/x")] == content.split(b"\n")[:-1]
        assert opened.read("arcana/x") == content


@given(st.lists(st.binary(max_size=30).filter(lambda line: b"\n" not in line)))
def test_lines_rebuild_the_file(bundle: Bundle, lines: list[bytes]) -> None:
    """Joining the lines with newlines gives the file back."""
    content = b"".join(line + b"\n" for line in lines)
    view = overlay(bundle, {"arcana/x": content})
    assert b"".join(line + b"\n" for _, line in view.lines("arcana/x")) == content


def test_too_large_to_read_at_once(bundle: Bundle) -> None:
    """A file over read_bytes is refused as a whole, and can be read by lines."""
    view = overlay(bundle, {"arcana/x": b"line\n" * 300_000})
    with pytest.raises(LimitError, match="limit read_bytes"):
        view.read("arcana/x")
    assert sum(1 for _ in view.lines("arcana/x")) == 300_000


@pytest.mark.parametrize(
    "path", ["", "nothing", "arcana", "../b/bundle.json", "/etc/passwd", "a\nb"]
)
def test_only_files_of_the_bundle_are_read(bundle: Bundle, path: str) -> None:
    """A path that is not in the bundle is an error in every way of asking."""
    assert not bundle.has(path)
    with pytest.raises(BundleError, match="is not in the bundle"):
        bundle.read(path)
    with pytest.raises(BundleError, match="is not in the bundle"):
        next(bundle.lines(path))
    with pytest.raises(BundleError, match="is not in the bundle"):
        bundle.digest(path)
    with pytest.raises(BundleError, match="is not in the bundle"):
        bundle.size(path)


def test_reading_twice(bundle: Bundle) -> None:
    """Reading changes nothing: interleaved readers each see the whole file."""
    one, other = bundle.lines("arcana/agents.jsonl"), bundle.lines("arcana/agents.jsonl")
    assert list(zip(one, other, strict=True)) == [
        (line, line) for line in bundle.lines("arcana/agents.jsonl")
    ]
    assert bundle.read("bundle.json") == INDEX
