"""The rules for paths, as properties."""

from __future__ import annotations

from array import array
from contextlib import nullcontext
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.bundle import BundleLimits
from verifier.bundle.inventory import Inventory, find
from verifier.bundle.paths import check_collisions, check_member, path_fault, printable
from verifier.bundle.sums import parse_line
from verifier.errors import BundleError, EvidenceError

names = st.text(alphabet="abAB.\\/\n\0\x85 \u00e9\u0301\udc80", max_size=8)
paths = st.lists(st.text(alphabet="abAB", min_size=1, max_size=2), min_size=1, max_size=3).map(
    "/".join
)


@pytest.mark.parametrize(
    "path", ["a", "a/b", ".a", "a.", "...", "..a", "a b", " ", "caf\u00e9", "-"]
)
def test_allowed(path: str) -> None:
    """Dots and spaces within names are no harm."""
    assert path_fault(path) is None


@given(names)
def test_a_list_and_a_folder_have_the_same_rules(name: str) -> None:
    """Listed paths are those of members, but for the backslash and the encoding."""
    allowed = path_fault(name) is None or (
        "\\" in name and path_fault(name.replace("\\", "b")) is None
    )
    with nullcontext() if allowed and name.isprintable() else pytest.raises(EvidenceError):
        check_member(name, BundleLimits())


@given(names)
def test_a_path_that_is_allowed_stays_below(name: str) -> None:
    """No allowed path has a part that a file system reads as a direction."""
    if path_fault(name) is None:
        assert not {"", ".", ".."} & set(name.split("/"))
        assert len(name.splitlines()) == 1


@given(names)
def test_shown_names_are_one_line_of_text(name: str) -> None:
    """Any name is shown as text that can be printed and encoded."""
    shown = printable(name)
    assert shown.isprintable()
    assert shown.encode().decode() == shown


@given(st.lists(paths, unique=True))
def test_collisions(members: list[str]) -> None:
    """Refused exactly when two names fold to one, counting the folders of each."""
    everything = set(members)
    for path in members:
        parts = path.split("/")
        everything |= {"/".join(parts[:at]) for at in range(1, len(parts))}
    folders = everything - set(members)
    clash = len({name.lower() for name in everything}) < len(everything) or any(
        path.startswith(f"{member}/") for member in members for path in members
    )
    assert folders.isdisjoint(members)
    with pytest.raises(BundleError) if clash else nullcontext():
        check_collisions(sorted(members))


@given(st.dictionaries(paths, st.binary(max_size=5)), st.text(max_size=3))
def test_the_inventory_finds_every_path(files: dict[str, bytes], other: str) -> None:
    """A search finds each path and no other; the list it writes can be read back."""
    inventory = Inventory((), array("Q"), b"").with_changes(dict(files))
    assert list(inventory.paths) == sorted(files, key=str.encode)
    for at, path in enumerate(inventory.paths):
        assert find(inventory.paths, path) == at
        assert inventory.digest(at) == sha256(files[path]).hexdigest()
    assert (find(inventory.paths, other) is not None) == (other in files)
    lines = b"".join(inventory.sums()).decode().splitlines()
    assert [parse_line(line) for line in lines] == [
        (sha256(files[path]).hexdigest(), path) for path in inventory.paths
    ]
