"""Whatever stands in a bundle, an audit ends in findings or in one of our errors."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sharpe_publisher import published, written
from small_bundle import write_tree

from verifier.bundle import Bundle, open_bundle, overlay
from verifier.errors import EvidenceError
from verifier.findings import Verdict
from verifier.policy import Policy
from verifier.sharpe.family import SHARPE

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES: Final = published()
PATHS: Final = sorted(path for path in FILES if path.startswith("sharpe/"))

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, 1, -1, 2**53 - 1, 0.5, -0.5, 1e308, -1e308, 5e-324, 1e-170]),
    st.integers(-(2**53) + 1, 2**53 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12),
    st.sampled_from(["flat", "mine", "hard", "new", "0", "18446744073709551616", "../x", ""]),
)
anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundle]:
    """Write and open the small arena once."""
    with open_bundle(write_tree(tmp_path_factory.mktemp("a") / "b", written(FILES))) as found:
        yield found


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths to everything inside a decoded value, itself included."""
    yield path
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from places(inner, (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from places(inner, (*path, index))


PLACES: Final = {path: list(places(FILES[path])) for path in PATHS}


def replaced(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    """The value with something else at one place."""
    if not place:
        return new
    changed = copy.deepcopy(value)
    target = changed
    for step in place[:-1]:
        target = target[step]
    target[place[-1]] = new
    return changed


def audit(bundle: Bundle) -> set[Verdict]:
    """Verdicts of all findings, every one of them sayable."""
    loaded = SHARPE.load(bundle, Policy())
    found = [f for item in SHARPE.items(loaded) for f in SHARPE.check(loaded, item).findings]
    for finding in found:
        assert finding.message
        assert "nan" not in (finding.published or "").lower().split()
    assert SHARPE.notes(loaded) or not loaded.boards
    return {finding.verdict for finding in found}


@given(data=st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_anything_anywhere(base: Bundle, data: st.DataObject) -> None:
    """Any JSON value at any place of any file."""
    path = data.draw(st.sampled_from(PATHS))
    place = data.draw(st.sampled_from(PLACES[path]))
    changed = replaced(FILES[path], place, data.draw(anything))
    try:
        data_bytes = written({path: changed})[path]
    except EvidenceError:
        return  # no JSON text has this value
    named = path
    try:
        audit(overlay(base, {path: data_bytes}, relist=True))
    except EvidenceError as error:
        named = error.file or ""
    assert named == path


@given(data=st.data())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_file_missing(base: Bundle, data: st.DataObject) -> None:
    """Files may be missing in any combination; a bundle that lacks one never passes."""
    missing = data.draw(st.sets(st.sampled_from(PATHS), min_size=1, max_size=6))
    verdicts = audit(overlay(base, dict.fromkeys(missing), relist=True))
    boards = {path for path in missing if path.startswith("sharpe/boards/")}
    if missing - boards:
        assert verdicts & {Verdict.FAIL, Verdict.UNPROVEN}
