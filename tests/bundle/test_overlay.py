"""A bundle with files changed in memory is judged as if they stood on disk."""

from __future__ import annotations

import pickle
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_bundle import EVIDENCE, INDEX, sound, sums_of, write_tree, zipped

from verifier.bundle import Bundle, open_bundle, overlay, reopen
from verifier.errors import BundleError, EvidenceError, FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATHS = [*EVIDENCE, "SHA256SUMS", "arcana/new.jsonl", "floor/rules.json", "z"]
CHANGES = st.dictionaries(st.sampled_from(PATHS[1:]), st.none() | st.binary(max_size=20))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundle]:
    """The small bundle as a zip."""
    path = tmp_path_factory.mktemp("overlay") / "b.zip"
    path.write_bytes(zipped(sound()))
    with open_bundle(path) as bundle:
        yield bundle


def view_of(bundle: Bundle) -> tuple[object, ...]:
    """All that a bundle shows of itself."""
    files = [
        (path, bundle.size(path), bundle.digest(path), bundle.read(path)) for path in bundle.paths
    ]
    return bundle.sha256, bundle.problems, bundle.index, bundle.paths, files


@given(CHANGES)
def test_equals_the_changed_files(
    base: Bundle, tmp_path_factory: pytest.TempPathFactory, changes: dict[str, bytes | None]
) -> None:
    """Everything is as in a directory with the same changes, or the same error."""
    files = {path: content for path, content in (sound() | changes).items() if content is not None}
    root = write_tree(tmp_path_factory.mktemp("changed") / "b", files)
    outcomes = []
    for opened in (partial(open_bundle, root), partial(overlay, base, changes)):
        try:
            with opened() as bundle:
                outcomes.append(view_of(bundle))
        except EvidenceError as error:
            outcomes.append((type(error), str(error)))
    assert outcomes[0] == outcomes[1]


@given(CHANGES)
def test_relisted(base: Bundle, changes: dict[str, bytes | None]) -> None:
    """With the list written anew, it holds again and is the seal."""
    view = overlay(base, changes, relist=True)
    files = {path: view.read(path) for path in view.paths}
    assert view.read("SHA256SUMS") == sums_of(files)
    assert view.digest("SHA256SUMS") == view.sha256
    assert not [problem for problem in view.problems if problem.path != "bundle.json"]


def test_the_base_is_untouched(base: Bundle) -> None:
    """An overlay is another bundle; closing it leaves the base open."""
    before = view_of(base)
    with overlay(base, {"arcana/agents.jsonl": None}) as view:
        assert not view.has("arcana/agents.jsonl")
        with pytest.raises(BundleError, match="is not in the bundle"):
            view.read("arcana/agents.jsonl")
        assert [problem.reason for problem in view.problems] == ["listed but missing"]
    assert view_of(base) == before


def test_overlays_stack_and_travel(base: Bundle) -> None:
    """An overlay of an overlay is opened again from its pickled token."""
    first = overlay(base, {"arcana/new.jsonl": b"one\n"}, relist=True)
    second = overlay(first, {"arcana/new.jsonl": b"two\n", "arcana/empty.jsonl": None})
    with reopen(pickle.loads(pickle.dumps(second.reopen_token))) as again:
        assert view_of(again) == view_of(second)
        assert again.read("arcana/new.jsonl") == b"two\n"
    assert base.read("bundle.json") == INDEX


def test_the_index_is_read_anew(base: Bundle) -> None:
    """A changed bundle.json is what the overlay goes by, and a broken one is an error."""
    view = overlay(base, {"bundle.json": INDEX.replace(b'"test"', b'"other"')}, relist=True)
    assert (view.index.arena, view.problems) == ("other", ())
    with pytest.raises(BundleError, match=r"no bundle\.json"):
        overlay(base, {"bundle.json": None})
    with pytest.raises(FormatError, match="must be an object"):
        overlay(base, {"bundle.json": b"[]"})


@pytest.mark.parametrize("path", ["../x", "/x", "", "a//b", "ARCANA/x", "arcana", "bundle.json/x"])
def test_unsafe_paths_are_refused(base: Bundle, path: str) -> None:
    """What could not stand in a directory cannot be laid over one either."""
    with pytest.raises(BundleError):
        overlay(base, {path: b""})


def test_nothing_changed(base: Bundle, tmp_path: Path) -> None:
    """An overlay without changes is the base, and so is one that writes what is there."""
    assert view_of(overlay(base, {})) == view_of(base)
    assert view_of(overlay(base, {"bundle.json": INDEX}, relist=True)) == view_of(base)
    assert view_of(overlay(base, {"nothing": None})) == view_of(base)
    with open_bundle(write_tree(tmp_path / "b", sound())) as directory:
        assert view_of(directory) == view_of(base)
