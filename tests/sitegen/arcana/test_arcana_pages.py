"""The pages of an ARCANA season, honest and forged: published and recomputed, right verdicts."""

import json
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from arcana_site import Made, Make
from frozen import ARCANA
from overlays import Overlay, overlays

from sitegen.arcana.chapter import chapter
from sitegen.arcana.inputs_table import FIRST, input_pages
from sitegen.arcana.shelf import Shelf
from sitegen.components import Table
from sitegen.model import File, Page, Season
from sitegen.render import Renderer, Site
from sitegen.shelf import ROWS
from verifier.freeze import FrozenSeason

ROOT = f"seasons/{ARCANA}/"
# These have tests of their own below.
ALONE = {"chain-record-missing", "crlf", "reputation-zero", "tie-broken", "tx-reverted"}
# One of each step and verdict; what a dossier says of the others is tested with dossiers.
FORGERIES = list(
    {
        (forgery.check, forgery.verdict): forgery
        for forgery in overlays("arcana-demo")
        if forgery.name not in ALONE
    }.values()
)
LATE = "9a0cc201-d733-4404-861b-f80a1360da95"
EDITED = "ea330584c2a27698a5570c520f17daf16a598c48eb14f14c1a4a4849778331f5"


def test_every_page_type_is_there(honest: Made) -> None:
    """Leaderboards, agents, scores, creators and anchors, each below the season's root."""
    kinds = {
        kind: sum(path.startswith(ROOT + kind) for path in honest.pages)
        for kind in ("agents/", "scores/", "creators/", "anchors/", "boards/")
    }
    assert kinds == {"agents/": 15, "scores/": 71, "creators/": 6, "anchors/": 69, "boards/": 6}
    assert f"{ROOT}index.html" in honest.pages
    assert all(path.startswith((ROOT, "v1/")) for path in honest.order)
    assert len(set(honest.order)) == len(honest.order)


def test_an_older_season_made_backwards(honest: Made, season: Callable[[], Season]) -> None:
    """It has the same pages and tables whatever the order of its parts, and no plain paths."""
    older = chapter(season(), newest=False)
    backward = [made for unit in reversed(older.units()) for made in list(older.artifacts(unit))]
    assert {made.path for made in backward} == {
        path for path in honest.order if path.startswith(ROOT)
    }
    files = {made.path: made.content for made in backward if isinstance(made, File)}
    assert files
    assert all(honest.files[path] == content for path, content in files.items())


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda forgery: forgery.name)
def test_forgeries_are_told_on_a_page(make: Make, honest: Made, forgery: Overlay) -> None:
    """Each page that a forgery changes renders, and one of them has the verdict of the audit."""
    made = make(forgery.name, newest=False)
    changed = [path for path, page in made.pages.items() if differs(page, honest.pages.get(path))]
    texts = [made.html(path) for path in changed]
    assert any(f'class="verdict {forgery.verdict}"' in html for html in texts)
    assert not any(">None<" in html or ">nan<" in html for html in texts)


def test_a_long_leaderboard_is_turned(
    season: Callable[[], Season], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A board of more rows than a page holds goes on, in order, and no agent is left out."""
    assert ROWS == 1_000
    monkeypatch.setattr("sitegen.arcana.board_page.ROWS", 4)
    made = list(chapter(season(), newest=False).artifacts("boards"))
    pages = {each.path: each for each in made if isinstance(each, Page)}
    for category, first in (("overall", "index.html"), ("risk", "boards/risk.html")):
        paths = [f"{ROOT}{first}"]
        paths += [f"{ROOT}boards/{category}-{number}.html" for number in (2, 3, 4)]
        tables = [pages[path].values["table"] for path in paths]
        rows = [row for table in tables if isinstance(table, Table) for row in table.rows]
        assert len(rows) == len({row.id for row in rows}) == 14
        assert f"{ROOT}boards/{category}-5.html" not in pages
        html = Renderer(Site(title="Arena", description="Scores.")).render(pages[paths[1]])
        assert "page 2 of 4" in html
        assert ">page 1</a> · <a" in html
        assert pages[paths[1]].payload is None


def differs(page: Page, other: Page | None) -> bool:
    """Whether a page says something else than the honest one."""
    if other is None or page.finding != other.finding:
        return True
    return page.values.get("verdict_line") != other.values.get("verdict_line")


def test_one_unit_in_the_last_place_is_shown(make: Make) -> None:
    """Both numbers stand side by side, the row fails, and the other nine pass."""
    page, html = make("ulp-resealed").page(f"scores/{EDITED}/index.html")
    assert page.finding.startswith("9 of 10 outputs recompute to the last bit and 8 of 8")
    assert "1 unit in the last place apart" in html
    table = page.values["outputs"]
    assert isinstance(table, Table)
    (row,) = (row for row in table.rows if row.cells[3].verdict == "fail")
    assert row.cells[0].text == "consistency"
    assert row.cells[1].text != row.cells[2].text
    assert "the seal is in no mined anchor of the bundle" in html


def test_a_reverted_transaction_fails_its_anchor_and_its_leaves(make: Make) -> None:
    """The anchor's page shows the receipt's status, and inputs in it are not called anchored."""
    made = make("tx-reverted")
    failing = [
        (path, page)
        for path, page in made.pages.items()
        if "/anchors/" in path and 'class="verdict fail"' in str(page.values.get("verdict_line"))
    ]
    ((path, page),) = failing
    assert "Not all of its checks pass" in page.finding
    html = made.html(path)
    assert "0x0" in html
    number = path.rpartition("/")[2].removesuffix(".html")
    leaf = made.answer(f"v1/anchors/{number}.json")["leaves"][0]["commitment"]
    assert made.answer(f"v1/anchors/leaves/{leaf}.json")["status"] == "mismatch"
    linked = f'class="verdict fail">anchor {number}</span>'
    assert any(linked in made.html(each) for each in made.pages if "/scores/" in each)
    doubted = [page for page in made.pages.values() if page.values.get("doubts")]
    assert doubted
    assert "in anchors that fail their own checks" in made.html(doubted[0].path)


def test_a_missing_chain_record_is_unproven(make: Make) -> None:
    """Without a node's answers nothing is said to hold, on the page and in the API."""
    made = make("chain-record-missing")
    (path,) = (
        path
        for path, page in made.pages.items()
        if re.search(r"/anchors/\d+\.html$", path) and "Unproven" in page.finding
    )
    number = path.rpartition("/")[2].removesuffix(".html")
    answer = made.answer(f"v1/anchors/{number}.json")
    assert not answer["verified"]
    assert answer["on_chain"]["reachable"] is None
    assert [check["ok"] for check in answer["checks"]] == [True, *[None] * 5]
    seal = answer["leaves"][0]["commitment"]
    leaf = made.answer(f"v1/anchors/leaves/{seal}.json")
    assert leaf["status"] == "unproven"
    assert [check["ok"] for check in leaf["checks"]] == [True, True, True, *[None] * 5]


def test_not_measured_is_never_0(make: Make, honest: Made) -> None:
    """A creator without a sealed score has a dash; a published 0 fails beside it."""
    creator = "24f52957-ebb0-441f-844f-8652b908375e"
    page, html = honest.page(f"creators/{creator}/index.html")
    assert "not measured" in page.finding
    assert '<span class="value">—</span>' in html
    made = make("reputation-zero")
    page, html = made.page(f"creators/{creator}/index.html")
    assert page.finding.endswith("although 0 is published.")
    assert 'class="verdict fail"' in html
    answer = made.answer(f"v1/creators/{creator}/reputation.json")
    assert answer["value"] == 0
    assert answer["recomputed"] == {"equal": False, "status": "not_measured", "value": None}


def test_a_manifest_that_is_not_canonical_is_shown_and_fails(make: Make) -> None:
    """Its bytes are on the page, and no output is claimed to be recomputed."""
    made = make("crlf")
    broken = [page for page in made.pages.values() if "not the exact text" in page.finding]
    assert broken
    answers = [
        made.answer(path)
        for path in made.files
        if "/scores/" in path and made.answer(path)["status"] == "broken"
    ]
    assert len(answers) == len(broken)
    for answer in answers:
        assert answer["checks"][-1]["ok"] is False


def test_a_tie_that_was_broken_is_named(make: Make) -> None:
    """The rows that differ stand published and recomputed below the board."""
    page, html = make("tie-broken").page(f"{ROOT}index.html")
    assert "Rows that differ" in html
    assert not page.finding.startswith("Leaderboard: 14 of 14")


def test_unranked_has_a_dash_and_a_reason(honest: Made) -> None:
    """No rank, no total, no risk and no consistency: dashes, each with the reason."""
    page, _ = honest.page(f"{ROOT}index.html")
    table = page.values["table"]
    assert isinstance(table, Table)
    last = table.rows[-1]
    assert last.muted
    by_key = dict(zip((column.key for column in table.columns), last.cells, strict=True))
    for key in ("rank", "arcana_score", "risk_score", "consistency_score"):
        assert by_key[key].text == "—"
        assert by_key[key].title == "its manifest lists 3 of the 5 decisions that a rank takes"
    assert by_key["performance_score"].text == "44.33"
    agent, html = honest.page(f"agents/{LATE}/index.html")
    assert "unranked: 3 decisions, and a rank takes 5" in html
    assert "Its latest score is unranked" in agent.finding


def test_tied_rows_share_a_rank(honest: Made) -> None:
    """Two agents of one score have one bracket, and the next rank skips."""
    page, _ = honest.page(f"{ROOT}index.html")
    table = page.values["table"]
    assert isinstance(table, Table)
    assert [row.rank_span for row in table.rows[6:10]] == [1, 2, 0, 1]
    assert [row.cells[0].text for row in table.rows[6:10]] == ["7", "8", "8", "10"]


def test_agents_of_one_name_are_told_apart(honest: Made) -> None:
    """Two agents have the same name, and the beginning of its id stands beside each."""
    html = honest.html(f"{ROOT}index.html")
    assert "<bdi>momentum_bot</bdi> <small>124a9510</small>" in html
    assert "<bdi>momentum_bot</bdi> <small>284c3c7f</small>" in html


def test_an_agent_without_a_sealed_score_says_so(honest: Made) -> None:
    """It has scores that nobody can recompute from a manifest, which is no pass."""
    page, html = honest.page("agents/0a93e687-13ab-424a-a197-b209a1261f74/index.html")
    assert "are not sealed" in page.finding
    assert 'class="verdict exempt"' in html
    assert page.payload is None


def test_nothing_is_ordered_by_the_regime(honest: Made) -> None:
    """Its column has no button anywhere, it has no board, and the pages say why."""
    for path in honest.pages:
        html = honest.html(path)
        for heading in re.findall(r"<th [^>]*>Regime", html):
            assert "data-kind" not in heading
    assert f"{ROOT}boards/regime.html" not in honest.pages
    score = next(path for path in honest.pages if "/scores/" in path)
    assert "It measures nothing." in honest.html(score)


def test_hostile_names_stay_text(honest: Made) -> None:
    """Markup in a name is escaped, and what is hidden in one is made visible."""
    html = honest.html(f"{ROOT}index.html")
    assert "<img" not in html
    assert "&lt;img src=x onerror=alert(1)&gt;" in html
    assert "&lt;U+202E&gt;" in html
    assert "\u202e" not in html.partition("<script")[0]


def test_hostile_ids_have_safe_and_different_paths(make: Make, frozen: FrozenSeason) -> None:
    """An id may be any text; its page lies below the season's root all the same."""
    ids = ("../../etc", "CON", "con", "a/b", "x" * 300, "<b>", "é", "e\u0301")
    lines = frozen.bundle.read("arcana/agents.jsonl").decode()
    shape = '{"agent_id":%s,"creator_handle":null,"creator_id":%s,"name":"n","portfolio_id":null,'
    shape += '"status":"active","strategy_type":null}\n'
    lines += "".join(shape % (quoted(each), quoted(each)) for each in ids)
    made = make(changes={"arcana/agents.jsonl": lines.encode()})
    pages = [path for path in made.order if "/agents/" in path or "/creators/" in path]
    assert len([path for path in made.pages if "/agents/" in path]) == 15 + len(ids)
    assert len({path.casefold() for path in pages}) == len(pages)
    assert all(re.fullmatch(r"[A-Za-z0-9._/-]+", path) and ".." not in path for path in pages)
    for path in made.pages:
        if "/agents/" in path or "/creators/" in path:
            made.html(path)


def quoted(text: str) -> str:
    """Write a text as JSON."""
    return json.dumps(text, ensure_ascii=False)


def test_long_lists_are_paged_and_nothing_is_cut(season: Callable[[], Season]) -> None:
    """A thousand rows a page, over all pages every row once."""
    shelf = Shelf(season())
    score = shelf.arena.score(shelf.arena.sealed_scores[-1])
    assert score.inputs is not None
    many = replace(score.inputs, snapshots=score.inputs.snapshots * 60)
    total = len(many.snapshots)
    pages = list(input_pages(shelf, replace(score, inputs=many)))
    assert len(pages) == -(-total // 1000)
    tables = [page.values["table"] for page in pages]
    rows = [row.id for table in tables if isinstance(table, Table) for row in table.rows]
    assert len(rows) == len(set(rows)) == total
    assert total > FIRST
    assert not list(input_pages(shelf, score))


def test_a_bundle_without_boards_is_unproven_not_empty(make: Make) -> None:
    """What is not published is shown as recomputed, and said to be unproven."""
    made = make(changes={"arcana/leaderboards.jsonl": None, "arcana/reputations.jsonl": None})
    page, html = made.page(f"{ROOT}index.html")
    assert "not published" in page.finding
    assert 'class="verdict unproven"' in html
    assert "Mattress" in html
