"""
Whatever a server says, it ends in our own error or in a sentence about it.

Honest answers are damaged in every place and with every kind of value, and read
and checked as a fetch would.
"""

import json
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import pytest
from arena.endpoints import Platform
from hypothesis import given
from hypothesis import strategies as st
from shared import FIXTURES

from verifier.cli import main
from verifier.collect.arcana_answers import (
    BoardAnswer,
    read_anchor,
    read_anchor_ids,
    read_board,
    read_board_page,
    read_formula,
    read_leaf,
    read_reputation,
    read_score,
)
from verifier.collect.arcana_check import (
    Beside,
    check_anchor_alone,
    check_leaf,
    check_score_alone,
    same_time,
)
from verifier.collect.mirror import url_of
from verifier.collect.site import read_seasons
from verifier.core.jsonread import read_json
from verifier.errors import EvidenceError

DEMO: Final = FIXTURES / "arcana-demo"
AGENT: Final = "2725560c-8d08-4c51-a271-30afe2624f3f"


def honest() -> dict[str, Any]:
    """One honest answer of every endpoint."""
    platform = Platform(DEMO)
    score = platform.score(AGENT, {})
    leaf = score["anchor"]
    return {
        "score": score,
        "leaf": leaf,
        "anchor": platform.anchor(leaf["anchor"]["id"]),
        "anchors": platform.anchor_list({}),
        "formula": platform.formula("arcana-score-formula/v1"),
        "reputation": platform.reputation(platform.agents[AGENT]["creator_id"]),
        "board": platform.board({}),
    }


HONEST: Final = honest()


@pytest.fixture(scope="module")
def beside() -> Any:
    """The demo, to compare with."""
    from verifier.arcana.layout import read_tables  # noqa: PLC0415 - for one fixture
    from verifier.bundle import open_bundle  # noqa: PLC0415

    with open_bundle(DEMO) as bundle:
        yield Beside(bundle, read_tables(bundle))


def judged(  # noqa: PLR0911  one for each endpoint
    name: str, value: Any, beside: Beside
) -> list[str]:
    """Read an answer and check it in every way that there is."""
    match name:
        case "score":
            answer = read_score(value)
            manifest, wrong = check_score_alone("score", answer, AGENT)
            return wrong if manifest is None else [*wrong, *beside.score("score", answer, manifest)]
        case "leaf":
            anchor = read_anchor(HONEST["anchor"])
            return check_leaf(HONEST["leaf"]["seal"], read_leaf(value), anchor)
        case "anchor":
            found = read_anchor(value)
            return [*check_anchor_alone(found), *beside.anchor(found)]
        case "anchors":
            read_anchor_ids(value)
            return []
        case "formula":
            return beside.formula(read_formula(value))
        case "reputation":
            return beside.reputation(read_reputation(value))
        case _:
            page = read_board_page(value)
            board = read_board(page.season_id, "overall", page.rows)
            latest = max(page.times, default=None)
            return beside.board(BoardAnswer(board=board, creators=page.creators, latest=latest))


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_answer_is_read(name: str, beside: Beside) -> None:
    """Without a word about it."""
    assert judged(name, read_json(json.dumps(HONEST[name]).encode()), beside) == []


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value; of a list the first two items."""
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value[:2])
        if isinstance(value, list)
        else ()
    )
    return [path] * bool(path) + [
        place for key, item in inner for place in places(item, (*path, key))
    ]


VALUES: Final[st.SearchStrategy[Any]] = st.sampled_from(
    [
        *(None, True, False, 0, -1, 1, 2**53, 2**63, 10**18, -0.0, 0.5, 1e308, "", "0", "x", "ff"),
        *([], [None], [[]], {}, {"id": None}, "ab" * 32, "AB" * 32, "\x1b[2J", "2026-09-14", "-1"),
        *("9" * 30, "../../etc/passwd", "2026-09-14T23:30:00.000000Z"),
    ]
)


@given(st.data(), st.sampled_from(sorted(HONEST)))
def test_a_damaged_answer(beside: Beside, data: st.DataObject, name: str) -> None:
    """It is refused by name, or understood, or contradicts something: nothing else happens."""
    value = deepcopy(HONEST[name])
    for path in data.draw(st.lists(st.sampled_from(places(value)), min_size=1, max_size=2)):
        spot = value
        try:
            for step in path[:-1]:
                spot = spot[step]
            if data.draw(st.booleans()):
                spot[path[-1]] = data.draw(VALUES)
            else:
                del spot[path[-1]]
        except (KeyError, IndexError, TypeError):  # the first damage took that place away
            continue
    try:
        read = read_json(json.dumps(value).encode(), big_integers="keep")
        assert all(isinstance(line, str) for line in judged(name, read, beside))
    except EvidenceError:
        pass


@given(st.binary(max_size=300))
def test_seasons_of_any_bytes(data: bytes) -> None:
    """A list of seasons is one, or is refused."""
    with pytest.raises(EvidenceError):
        read_seasons(data)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40))
def test_a_path_stays_under_its_url(path: str) -> None:
    """No character of a path can end it, or lead elsewhere."""
    url = url_of("https://arena.example/base/", path)
    assert url.startswith("https://arena.example/base/")
    assert url.isascii()
    assert not {"?", "#", "\\", " "} & {*url}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2026-09-16T00:00:00Z", "2026-09-16T00:00:00.999999Z", True),
        ("2026-09-16T00:00:00.1Z", "2026-09-16T00:00:00.12Z", True),
        ("2026-09-16T00:00:00.1Z", "2026-09-16T00:00:00.21Z", False),
        ("2026-09-16T00:00:01Z", "2026-09-16T00:00:00Z", False),
        (None, None, True),
        (None, "2026-09-16T00:00:00Z", False),
    ],
)
def test_times(one: str | None, other: str | None, same: bool) -> None:  # noqa: FBT001
    """Two times are one as far as both go."""
    assert same_time(one, other) is same_time(other, one) is same


@pytest.mark.parametrize("missing", ["httpx", "httpcore", "tenacity"])
def test_a_missing_library_is_named(
    missing: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With the extra that brings it, and nothing is written."""
    for name in [name for name in sys.modules if name.startswith("verifier.collect.")]:
        if name.rpartition(".")[2] in {"http", "connection"}:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(SystemExit) as leaving:
        main(["fetch", "bundle", "http://127.0.0.1:9", "-o", str(tmp_path / "got")])
    assert leaving.value.code == 2
    said = capsys.readouterr().err
    assert said == f"tallyproof: asking a network needs {missing}: pip install 'tallyproof[live]'\n"
    assert not (tmp_path / "got").exists()
