"""Pages of boards: honest ones, and what each forgery of them shows."""

from __future__ import annotations

import json
import re
from functools import cache
from hashlib import sha256
from html import unescape
from typing import TYPE_CHECKING, Final

import pytest
from frozen import POLICY
from markup import parsed
from overlays import overlays
from shared import FIXTURES
from sharpe_publisher import published, written
from small_bundle import write_tree

from sitegen.model import File, Page, Season
from sitegen.render import Renderer, Site
from sitegen.sharpe.chapter import chapter
from verifier.bundle import Bundle, open_bundle, overlay

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitegen.model import Artifact
    from verifier.core.jsonread import JsonValue

FORGERIES: Final = {forgery.name: forgery for forgery in overlays("sharpe-demo")}
RENDERER: Final = Renderer(Site(title="Arena", description="Boards."))
OWN: Final = ("gap-left-out", "one-ulp", "ordered-by-return", "tie-mark-dropped")
"""Forgeries with a test of their own."""
HASH: Final = "0" * 64
RECORD: Final[dict[str, JsonValue]] = {
    part: {"sha256": HASH} for part in ("table", "report", "policy", "bundle")
}


@pytest.fixture(scope="module")
def demo() -> Iterator[Bundle]:
    """Open the demo bundle once."""
    with open_bundle(FIXTURES / "sharpe-demo") as bundle:
        yield bundle


def season_of(bundle: Bundle) -> Season:
    """A season of a bundle, as if it had been frozen."""
    return Season(
        id="s1",
        family="sharpe",
        arena="sharpearena",
        title="Boards",
        as_of=bundle.index.as_of,
        record=RECORD,
        table=b"{}",
        report=b"{}",
        policy=POLICY,
        policy_text=b"",
        bundle=bundle,
        root="seasons/s1/",
        evidence="evidence/0123456789abcdef/",
    )


@cache
def artifacts_of(bundle: Bundle, board: str) -> list[Artifact]:
    """Pages and files of one board."""
    return list(chapter(season_of(bundle), newest=True).artifacts(f"board:{board}"))


@cache
def made(bundle: Bundle, board: str) -> tuple[dict[str, str], dict[str, bytes]]:
    """Rendered pages and files of one board, by path."""
    pages: dict[str, str] = {}
    files: dict[str, bytes] = {}
    for artifact in artifacts_of(bundle, board):
        assert artifact.path not in pages | files
        if isinstance(artifact, Page):
            pages[artifact.path] = RENDERER.render(artifact)
        else:
            assert isinstance(artifact, File)
            files[artifact.path] = artifact.content
    return pages, files


def board_html(bundle: Bundle, board: str) -> str:
    """The page of a board."""
    return made(bundle, board)[0][f"seasons/s1/boards/{board}/index.html"]


@cache
def forged(demo: Bundle, name: str) -> tuple[Bundle, str]:
    """The demo under a forgery, and the board that it touches."""
    forgery = FORGERIES[name]
    path = next(iter([*forgery.edits, *forgery.files, *forgery.remove]))
    board = "calm-sealed" if path.count("/") == 1 else path.split("/")[2].removesuffix(".json")
    return overlay(demo, forgery.changes(demo), relist=True), board


def text_of(html: str) -> str:
    """What a reader sees, without the data for scripts."""
    body = re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", body)))


def row_of(html: str, policy: str) -> str:
    """The row of an agent in the table of the board."""
    found = re.search(rf'<tr id="agent-{policy}".*?</tr>', html, re.DOTALL)
    assert found is not None
    return found[0]


def test_units(demo: Bundle) -> None:
    """The list of boards is one unit, and each board another."""
    units = chapter(season_of(demo), newest=True).units()
    assert units[-1] == "boards"
    assert len(units) == 8
    assert len(set(units)) == 8


def test_a_board_page(demo: Bundle) -> None:
    """A board is ranked, whiskered, gated, paired, and says what it is."""
    pages, files = made(demo, "calm-new")
    assert len(pages) == 7
    html = board_html(demo, "calm-new")
    text = text_of(html)
    assert "100 of 100 figures recompute to the same double" in text
    assert "56 trials: 6 declared and the kernel's own 50" in text
    assert 'class="chart chart-whiskers' in html
    assert "context only" in text
    assert "no difference shown from kelly_vol_target" in text
    assert "better than min_variance" in text
    for part in ("ranking", "intervals", "gates", "pairs", "gaps", "disclosure"):
        assert f'id="{part}"' in html
    assert '<a href="../../../../formulas/sharpe-kernel-0.28.0/index.html">' in html
    assert "v1/boards/calm-new.json" in files


def test_numbers_of_a_board_have_no_exponent(demo: Bundle) -> None:
    """The end of an interval is a plain decimal, with its whole double in the title."""
    html = board_html(demo, "calm-new")
    cells = [text_of(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", html, re.DOTALL)]
    assert not re.search(r"\de[-+]\d", text_of(html.split('<script type="application')[0]))
    (small,) = (cell for cell in cells if cell.startswith("[0.0000000000"))
    assert re.fullmatch(r"\[0\.0{10}46, 0\.8416\]", small)
    assert re.search(r'title="from 0\.0{10}4[56]\d{3,} to 0\.8\d{10,}"', html)


def test_mean_return_orders_nothing(demo: Bundle) -> None:
    """Its heading has no order, here and among the seeds, and the page says why."""
    pages, _ = made(demo, "calm-new")
    for html in pages.values():
        headings = re.findall(r"<th scope=\"col\"[^>]*>mean return</th>", html)
        assert all("data-kind" not in heading for heading in headings)
        assert all("orders nothing here" in heading for heading in headings)
        assert len(headings) == 1
    scored = re.search(r"<th scope=\"col\"[^>]*>deflated Sharpe</th>", board_html(demo, "calm-new"))
    assert scored is not None
    assert 'data-kind="number"' in scored[0]


def test_unavailable_is_a_dash_with_its_reason(demo: Bundle) -> None:
    """No number stands in for a score that the kernel refuses."""
    html = board_html(demo, "calm-new")
    row = row_of(html, "flat")
    cells = re.findall(r"<t[dh].*?</t[dh]>", row)
    assert all("—" in cell and "0.0000" not in cell for cell in cells[2:5])
    assert "returns must not be constant" in cells[2]
    entry = made(demo, "calm-new")[0]["seasons/s1/boards/calm-new/flat/index.html"]
    lead = entry[entry.index('class="big"') : entry.index("</dl>")]
    assert "—" in lead
    assert "returns must not be constant" in lead


def test_ties_share_a_rank(demo: Bundle) -> None:
    """Rows of one score share their rank; unscored rows have none."""
    html = board_html(demo, "calm-new")
    assert 'class="tied"' in row_of(html, "max_sharpe")
    assert ">4=<" in row_of(html, "momentum")
    assert ">-<" in row_of(html, "flat")
    assert "momentum, max_sharpe have the same score to the last bit, and share rank 4=." in (
        text_of(html)
    )
    assert "this release marks no ties" in text_of(board_html(demo, "calm"))


# One of each step and verdict; what a dossier says of the others is tested with dossiers.
SHOWN: Final = sorted(
    {
        (forgery.check, forgery.verdict): name
        for name, forgery in sorted(FORGERIES.items(), key=lambda item: item[0] in OWN)
    }.values()
)


@pytest.mark.parametrize("name", SHOWN)
def test_forgeries_have_their_pages(demo: Bundle, name: str) -> None:
    """A page of a forged board is made whole, and shows its verdict."""
    bundle, board = forged(demo, name)
    html = board_html(bundle, board)
    assert re.search(rf'class="verdict {FORGERIES[name].verdict}"', html)
    assert 'id="problems"' in html


def test_one_unit_in_the_last_place(demo: Bundle) -> None:
    """Both doubles are there, whole, with the distance between them."""
    bundle, board = forged(demo, "one-ulp")
    row = text_of(row_of(board_html(bundle, board), "min_variance"))
    assert "fail published 0.0023559309424631696 recomputed 0.002355930942463169" in row
    assert "(1 unit in the last place)" in row
    entry = made(bundle, board)[0][f"seasons/s1/boards/{board}/min_variance/index.html"]
    assert "fail: 1 unit in the last place apart" in text_of(entry)


def test_a_dropped_mark(demo: Bundle) -> None:
    """The printed rank stands beside the one that the release prints."""
    bundle, board = forged(demo, "tie-mark-dropped")
    html = board_html(bundle, board)
    assert "fail 4 recomputed 4=" in text_of(row_of(html, "momentum"))
    assert "fail 5 recomputed 4=" in text_of(row_of(html, "max_sharpe"))


def test_an_order_by_return(demo: Bundle) -> None:
    """A board in another order than its scores' shows the right rank of each row."""
    bundle, board = forged(demo, "ordered-by-return")
    table = re.search(r'<table id="board">.*?</table>', board_html(bundle, board), re.DOTALL)
    assert table is not None
    assert table[0].count("recomputed</small>") >= 2


def test_a_gap_left_out(demo: Bundle) -> None:
    """A missing gap is unproven, presumed overfit, and a dash."""
    bundle, board = forged(demo, "gap-left-out")
    text = text_of(board_html(bundle, board))
    assert "unproven: no generalization gap is published: presumed overfit" in text


def test_names_that_are_markup(demo: Bundle) -> None:
    """A name that is markup, or reverses a line, is shown as data and leads nowhere."""
    hostile = '<img src=x onerror="1">\u202e&'
    path = "sharpe/boards/calm-new.json"
    board = json.loads(demo.read(path))
    board["rows"][0]["policy"] = hostile
    board["rows"][1]["status"] = hostile
    board["rows"][1]["reasons"] = [hostile]
    board["claims"][0]["better"] = hostile
    board["tier"] = hostile
    board["costs"] = {"model": hostile}
    data = json.dumps(board, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    bundle = overlay(demo, {path: data.encode()}, relist=True)
    pages, _ = made(bundle, "calm-new")
    assert len(pages) == 7
    for html in pages.values():
        assert "<img" not in html
        assert "\u202e" not in html
        parsed(html[html.index("<main") : html.index("</main>") + len("</main>")])
    assert '<img src=x onerror="1"><U+202E>&' in text_of(board_html(bundle, "calm-new"))


def test_what_a_browser_recomputes(demo: Bundle) -> None:
    """A page carries the exact text of its board and of every file behind its figures."""
    pages = [page for page in artifacts_of(demo, "calm-new") if isinstance(page, Page)]
    payload = pages[0].payload
    assert payload is not None
    assert payload["board"] == demo.read("sharpe/boards/calm-new.json").decode()
    assert payload["sha256"] == sha256(str(payload["board"]).encode()).hexdigest()
    assert isinstance(payload["returns"], dict)
    assert len(payload["returns"]) == 6
    entry = pages[1].payload
    assert entry is not None
    assert isinstance(entry["gaps"], dict)
    assert len(entry["gaps"]) == 2


def test_tables_to_take_away(demo: Bundle) -> None:
    """Rows, pairs, gaps and seeds, published beside recomputed, in three formats."""
    _, files = made(demo, "calm-sealed")
    names = {path.rsplit("/", 1)[1] for path in files if "/downloads/" in path}
    assert names == {
        f"{table}.{ending}"
        for table in ("rows", "pairs", "gaps", "seeds")
        for ending in ("csv", "json", "parquet")
    }
    rows = json.loads(files["seasons/s1/downloads/boards/calm-sealed/rows.json"])["rows"]
    assert rows[0]["agent"] == "equal_weight_long"
    assert all(row["deflated_sharpe"] == row["deflated_sharpe_recomputed"] for row in rows)
    assert rows[-1]["deflated_sharpe"] is None
    seeds = files["seasons/s1/downloads/boards/calm-sealed/seeds.csv"].decode().split("\r\n")
    assert len(seeds) == 1 + 8 * 6 + 1
    api = json.loads(files["v1/boards/calm-sealed.json"])
    assert "never an instruction" in api["agent_text"]
    assert api["rows"][0]["figures"]["deflated_sharpe"]["verdict"] == "pass"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundle]:
    """Write and open three small boards once."""
    tree = write_tree(tmp_path_factory.mktemp("small") / "b", written(published()))
    with open_bundle(tree) as bundle:
        yield bundle


def test_the_list_of_boards(small: Bundle) -> None:
    """Each board has its counts and its verdict; nothing compares two boards."""
    artifacts = list(chapter(season_of(small), newest=True).artifacts("boards"))
    page = artifacts[0]
    assert isinstance(page, Page)
    html = RENDERER.render(page)
    text = text_of(html)
    assert "3 boards with 15 entries" in text
    assert "are not compared" in text
    assert html.count('<tr id="board-') == 3
    assert len([file for file in artifacts if isinstance(file, File)]) == 3
    structured = re.search(r'<script type="application/ld\+json">(.*?)</script>', html, re.DOTALL)
    assert structured is not None
    assert json.loads(structured[1])["@type"] == "Dataset"


def test_an_older_season_has_no_plain_addresses(small: Bundle) -> None:
    """Only the newest season of the family writes to the evidence API."""
    for newest in (True, False):
        made_ = list(chapter(season_of(small), newest=newest).artifacts("board:new"))
        assert any(each.path.startswith("v1/") for each in made_) is newest


def test_a_file_that_no_row_asks_for(small: Bundle) -> None:
    """A file that is no text and behind no figure goes along with no page, and stops none."""
    path = "sharpe/gaps/new/noise-transfer.json"
    policies = [row["policy"] for row in json.loads(small.read("sharpe/boards/new.json"))["rows"]]
    paths = {path.replace("noise", policy) for policy in policies}
    stray = min(paths - set(small.paths))
    bundle = overlay(small, {stray: b"\xff"}, relist=True)
    pages = [page for page in artifacts_of(bundle, "new") if isinstance(page, Page)]
    assert len(pages) == 1 + len(policies)
    assert all(stray not in str(page.payload) for page in pages)


def test_a_file_that_is_no_board(small: Bundle) -> None:
    """A board of another shape is listed with what is wrong, and the others stay."""
    bundle = overlay(small, {"sharpe/boards/old.json": b"{}"}, relist=True)
    book = chapter(season_of(bundle), newest=True)
    assert book.units() == ("board:new", "board:sealed", "boards")
    page = next(iter(book.artifacts("boards")))
    assert isinstance(page, Page)
    text = text_of(RENDERER.render(page))
    assert "Files that are no board" in text
    assert "sharpe/boards/old.json" in text
