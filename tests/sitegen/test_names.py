"""File names: readable where they can be, unique on every file system."""

import json
import unicodedata
from random import Random
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import FIXTURES

from sitegen.names import look_alikes, safe_name, unique_names
from sitegen.text import cleaned

CASES: Final = {
    case["id"]: case
    for file in ("site-build.json", "untrusted-names.json")
    for case in json.loads((FIXTURES / "vectors" / "site" / file).read_bytes())["cases"]
}

ids = st.lists(st.text(max_size=12), max_size=12)


def test_names_that_collide_are_told_apart() -> None:
    """Ids that a file system folds together, reserved and unsafe ones get names of their own."""
    case = CASES["site-build-s006"]
    names = unique_names(case["input"]["ids"])
    assert len({name.casefold() for name in names.values()}) == len(names)
    changed = {each for each, name in names.items() if name != each}
    assert changed >= {each for group in case["expected"]["collide"] for each in group} - {"beta"}
    assert changed >= {*case["expected"]["reserved"], *case["expected"]["unsafe"]}
    assert names["gamma"] == "gamma"


def test_plain_names_stay_readable() -> None:
    """Where nothing collides, nothing is changed."""
    names = CASES["site-build-s007"]["input"]["ids"]
    assert unique_names(names) == {name: name for name in names}


def test_look_alikes_are_found() -> None:
    """Names that look equal to a reader form one group."""
    case = CASES["untrusted-names-s025"]
    assert look_alikes(case["input"]["names"]) == set(case["expected"]["groups"][0])


@pytest.mark.parametrize("name", ["con", "NUL.html", "lpt1", "a.", ".a", "_a", "-a", "", "a" * 81])
def test_what_some_system_refuses_is_escaped(name: str) -> None:
    """Devices, dots at an end, leading marks and long names do not become file names."""
    assert safe_name(name) != name


def test_a_name_cannot_be_chosen_to_be_anothers() -> None:
    """An id that is spelt like the escaped name of another is escaped itself."""
    other = safe_name("a/b")
    names = unique_names(["a/b", other])
    assert names["a/b"] == other
    assert names[other] != other


@given(ids)
def test_names_are_safe_and_unique(given_ids: list[str]) -> None:
    """All names are ASCII, unique without case, and no device or path."""
    names = unique_names(given_ids)
    assert names.keys() == set(given_ids)
    folded = [unicodedata.normalize("NFKC", name).casefold() for name in names.values()]
    assert len(set(folded)) == len(folded)
    for name in names.values():
        assert name.isascii()
        assert not {"/", "\\", "\0", ":"} & set(name)
        assert name.strip(" .") == name != ""
        assert name[0].isalnum()


@given(ids, st.randoms())
def test_names_do_not_depend_on_the_order(given_ids: list[str], random: Random) -> None:
    """The same ids in another order have the same names."""
    shuffled = list(given_ids)
    random.shuffle(shuffled)
    assert unique_names(given_ids) == unique_names(shuffled)


@given(st.text())
def test_cleaning_again_changes_nothing(text: str) -> None:
    """What is taken away is taken away at once."""
    assert cleaned(cleaned(text)) == cleaned(text)
