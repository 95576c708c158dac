"""What a table says, which evidence names a season, and which names a season can have."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from frozen import ARCANA, frozen_demo
from shared import FIXTURES
from small_bundle import EVIDENCE, sums_of, write_tree

from verifier.bundle import Bundle, open_bundle
from verifier.errors import FormatError, UsageError
from verifier.freeze.names import check_season_id
from verifier.freeze.tables import family_of, season_table

if TYPE_CHECKING:
    from pathlib import Path

SEASON = "s-1"


def table(season: str) -> Any:
    """The table of a frozen demo season, decoded."""
    return json.loads((frozen_demo(season) / "table.json").read_bytes())


def lines(file: str) -> list[Any]:
    """The rows of a file of the ARCANA demo."""
    text = (FIXTURES / "arcana-demo" / "arcana" / file).read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def bundle_of(place: Path, files: dict[str, bytes], seasons: list[dict[str, str]]) -> Bundle:
    """A small bundle that lists seasons; nothing but its files is sound about it."""
    index = json.loads(EVIDENCE["bundle.json"])
    index["seasons"] = seasons
    content = {"bundle.json": json.dumps(index).encode(), **files}
    return open_bundle(write_tree(place, content | {"SHA256SUMS": sums_of(content)}))


def jsonl(*rows: object) -> bytes:
    """Rows as a file."""
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def test_a_floor_table_is_the_published_file() -> None:
    """Byte for byte, so its hash is the published one."""
    published = FIXTURES / "floor-demo" / "floor" / "seasons" / "season-1.json"
    assert (frozen_demo("season-1") / "table.json").read_bytes() == published.read_bytes()


def test_an_arcana_table_is_the_overall_leaderboard() -> None:
    """Rank, name, score and order are as published; the columns are those of the latest score."""
    boards = [row for row in lines("leaderboards.jsonl") if row["season_id"] == ARCANA]
    (overall,) = (board for board in boards if board["category"] == "overall")
    rows = table(ARCANA)["rows"]
    shown = ("agent_id", "agent_name", "rank", "ranked", "score")
    assert [{name: row[name] for name in shown} for row in rows] == overall["rows"]
    for row in rows:
        scores = [
            score
            for score in lines("scores.jsonl")
            if score["agent_id"] == row["agent_id"] and score["season_id"] == ARCANA
        ]
        latest = max(scores, key=lambda score: str(score["ts"]))
        assert (row["ts"], row["seal"]) == (latest["ts"], latest["seal"])
        assert row["columns"] == {name: latest[name] for name in row["columns"]}
        assert len(row["columns"]) == 8


def test_an_unranked_agent_has_a_reason_and_no_rank() -> None:
    """Its rank and score are null, never 0, and the others have no reason."""
    rows = table(ARCANA)["rows"]
    unranked = [row for row in rows if not row["ranked"]]
    assert [(row["rank"], row["score"]) for row in unranked] == [(None, None)]
    assert [row["reason"] for row in unranked] == ["3 decisions, 5 are needed"]
    assert all(row["reason"] is None for row in rows if row["ranked"])


def test_a_sharpe_table_is_all_boards() -> None:
    """In the order of their paths, with their rows whole and the hash of each file."""
    boards = table("release-1")["boards"]
    files = sorted((FIXTURES / "sharpe-demo" / "sharpe" / "boards").iterdir())
    assert [board["file"] for board in boards] == [f"sharpe/boards/{file.name}" for file in files]
    for board, file in zip(boards, files, strict=True):
        assert board["rows"] == json.loads(file.read_bytes())["rows"]
        assert board["board"] == file.stem


def test_one_id_in_two_families_needs_a_choice(tmp_path: Path) -> None:
    """Evidence of two families that names the season leaves the choice to the caller."""
    season = {"season_id": SEASON, "name": "n", "start": "2026", "end": "2026"}
    files = {"arcana/seasons.jsonl": jsonl(season), f"floor/seasons/{SEASON}.json": b"{}"}
    listed = [{"family": "floor", "id": SEASON, "sha256": "0" * 64}]
    with bundle_of(tmp_path / "b", files, listed) as bundle:
        with pytest.raises(UsageError, match=r"arcana and floor names .* --family"):
            family_of(bundle, SEASON)
        assert family_of(bundle, SEASON, "floor") == "floor"
        assert family_of(bundle, SEASON, "arcana") == "arcana"
        with pytest.raises(UsageError, match="sharpe evidence does not name"):
            family_of(bundle, SEASON, "sharpe")


def test_boards_take_any_name_that_is_free(tmp_path: Path) -> None:
    """A release has no id of its own, so a season that is named elsewhere goes first."""
    files = {"sharpe/boards/calm.json": b"{}", f"floor/seasons/{SEASON}.json": b"{}"}
    listed = [{"family": "floor", "id": SEASON, "sha256": "0" * 64}]
    with bundle_of(tmp_path / "b", files, listed) as bundle:
        assert family_of(bundle, "anything") == "sharpe"
        assert family_of(bundle, SEASON) == "floor"
        assert family_of(bundle, SEASON, "sharpe") == "sharpe"


def test_a_listed_season_without_a_file_is_none(tmp_path: Path) -> None:
    """A line of bundle.json is no evidence."""
    listed = [{"family": "floor", "id": SEASON, "sha256": "0" * 64}]
    with (
        bundle_of(tmp_path / "b", {}, listed) as bundle,
        pytest.raises(UsageError, match=f"lists {SEASON}"),
    ):
        family_of(bundle, SEASON)


def arcana_files(end: str, *boards: object) -> dict[str, bytes]:
    """A season of ARCANA that ends then, with these leaderboards."""
    season = {"season_id": SEASON, "name": "n", "start": "2026-09-01T00:00:00.000000Z", "end": end}
    return {
        "arcana/seasons.jsonl": jsonl(season),
        "arcana/leaderboards.jsonl": jsonl(*boards),
        "arcana/scores.jsonl": b"",
    }


@pytest.mark.parametrize(
    ("end", "ended"),
    [
        ("2026-09-20T03:30:00.000000Z", True),
        ("2026-09-20T03:30:00.000001Z", False),
        ("2026-09-20T03:29:59.999999Z", True),
    ],
)
def test_a_season_ends_at_its_end(end: str, ended: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """A season whose end is as_of has ended; a microsecond later it has not."""
    board = {"season_id": SEASON, "category": "overall", "rows": []}
    with bundle_of(tmp_path / "b", arcana_files(end, board), []) as bundle:
        if ended:
            assert json.loads(season_table(bundle, "arcana", SEASON))["rows"] == []
        else:
            with pytest.raises(UsageError, match=f"ends at {end}, after"):
                season_table(bundle, "arcana", SEASON)


def test_a_season_without_a_leaderboard_has_no_table(tmp_path: Path) -> None:
    """Another category, or another season, is not the overall table of this one."""
    end = "2026-09-20T00:00:00.000000Z"
    boards = [
        {"season_id": SEASON, "category": "risk", "rows": []},
        {"season_id": "s-2", "category": "overall", "rows": []},
    ]
    with (
        bundle_of(tmp_path / "b", arcana_files(end, *boards), []) as bundle,
        pytest.raises(UsageError, match="no overall leaderboard"),
    ):
        season_table(bundle, "arcana", SEASON)


def test_a_row_without_a_score_is_no_row(tmp_path: Path) -> None:
    """What an audit refuses is an error of ours when a table is made without one."""
    row = {"rank": 1, "agent_id": "a", "agent_name": "A", "score": 1, "ranked": True}
    board = {"season_id": SEASON, "category": "overall", "rows": [row]}
    files = arcana_files("2026-09-20T00:00:00.000000Z", board)
    with (
        bundle_of(tmp_path / "b", files, []) as bundle,
        pytest.raises(FormatError, match=r"leaderboards\.jsonl: the agent 'a'"),
    ):
        season_table(bundle, "arcana", SEASON)


@pytest.mark.parametrize("season", ["s", "season-0", "2026.1", "A_b-c.d", "x" * 100, ARCANA])
def test_a_safe_name_is_taken(season: str) -> None:
    """Letters, digits, dots, lines below and between."""
    check_season_id(season)


@pytest.mark.parametrize(
    "season",
    [
        *(
            "",
            ".",
            "..",
            "../x",
            "a/b",
            "/etc",
            "a\\b",
            ".hidden",
            "-x",
            "_x",
            "a b",
            "a\nb",
            "a\n",
        ),
        *("saison-\u00e9", "\uff41", "evidence", "Evidence", "con", "NUL.json", "com1", "x."),
        *("x" * 101, "\u202ex", "s%2e%2e", "a:b", "a\0b", "\udcff", "\u0661"),
    ],
)
def test_an_unsafe_name_is_refused(season: str) -> None:
    """What is no file name everywhere, or means something else, is refused."""
    with pytest.raises(UsageError, match="cannot name a frozen season"):
        check_season_id(season)
