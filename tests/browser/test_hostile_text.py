"""
Agents whose names, operators and handles attack the page, from the audit to the browser.

A bundle with such names is sound: names are sealed by nothing. It is frozen, built
and opened like any other; none of it runs, leads anywhere or hides.
"""

from __future__ import annotations

import json
import shutil
from itertools import cycle
from typing import TYPE_CHECKING, Any, Final

import pytest
from demo_site import tallyproof
from frozen import ARCANA
from programs import needs_chromium
from shared import FIXTURES
from small_bundle import sums_of

from sitegen.text import cleaned, shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from browser_tab import Opened

pytest.importorskip("playwright", reason="Playwright is not installed")
pytestmark = needs_chromium

CASES: Final = json.loads((FIXTURES / "vectors" / "site" / "untrusted-names.json").read_bytes())
ATTACKS: Final = (
    "</script><script>document.title = 'owned'</script>",
    "<script>alert(document.domain)</script>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "<!--<script>",
    "]]><x/>",
    '=HYPERLINK("https://example.invalid/")',
    "\u2028\u2029\\u003c/script>",
    "{% include '/etc/passwd' %}{{ site }}",
    "x" * 5_000,
)
NAMES: Final = (*ATTACKS, *(c["input"]["name"] for c in CASES["cases"] if "name" in c["input"]))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Freeze and build both arenas whose agents have names; each name is somebody's."""
    folder = tmp_path_factory.mktemp("hostile")
    names = cycle(NAMES)
    floor, arcana = (
        shutil.copytree(FIXTURES / name, folder / name) for name in ("floor-demo", "arcana-demo")
    )
    renamed: dict[str, str] = {}

    def rename(row: dict[str, Any]) -> None:
        for key, named_by in (
            ("name", "agent_id" if "agent_id" in row else "agent"),
            ("agent_name", "agent_id"),
            ("operator", "agent"),
            ("creator_handle", "creator_id"),
        ):
            if key in row:
                name = renamed.setdefault(f"{key[-4:]} {row[named_by]}", next(names))
                row[key] = name
        for each in (*row.get("rows", ()), *row.get("agents", ())):
            rename(each)

    _rewrite(floor / "floor/agents.json", rename)
    _rewrite(arcana / "arcana/agents.jsonl", rename)
    _rewrite(arcana / "arcana/leaderboards.jsonl", rename)
    _rewrite(arcana / "arcana/reputations.jsonl", rename)
    seasons, out = folder / "seasons", folder / "dist"
    for bundle, name in ((floor, "season-2"), (arcana, ARCANA)):
        _list_again(bundle)
        done = tallyproof(
            *("freeze", bundle, "--season", name, "--out", seasons, "--quiet"),
            *("--policy", FIXTURES / "policy.toml"),
        )
        assert done.returncode == 0, done.stderr
    (folder / "site.toml").write_text(
        f"title = {json.dumps(ATTACKS[0])}\ndescription = {json.dumps(ATTACKS[2])}\n",
        encoding="utf-8",
    )
    done = tallyproof(
        *("site", "build", "--source", folder, "--seasons", seasons, "--out", out, "--quiet")
    )
    assert done.returncode == 0, done.stderr
    return out


def _rewrite(file: Path, change: Callable[[dict[str, Any]], None]) -> None:
    text = file.read_text(encoding="utf-8")
    rows = (
        list(map(json.loads, text.split("\n")[:-1]))
        if file.suffix == ".jsonl"
        else json.loads(text)
    )
    for row in rows:
        change(row)
    written = [_canonical(row) for row in rows]
    whole = (
        "".join(f"{row}\n" for row in written)
        if file.suffix == ".jsonl"
        else f"[{','.join(written)}]"
    )
    file.write_text(whole, encoding="utf-8")


def _canonical(row: dict[str, Any]) -> str:
    return json.dumps(row, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _list_again(bundle: Path) -> None:
    files = {
        path.relative_to(bundle).as_posix(): path.read_bytes()
        for path in bundle.rglob("*")
        if path.is_file()
    }
    (bundle / "SHA256SUMS").write_bytes(sums_of(files))


def test_nothing_runs_and_nothing_hides(built: Path, tab_of: Callable[[Path], Opened]) -> None:
    """No page of an agent, a season or the search runs, loads or reorders anything."""
    tab = tab_of(built)
    judged = 0
    pages = ["index.html", "seasons/index.html"]
    for season in sorted((built / "seasons").glob("*/")):
        pages.append(f"seasons/{season.name}/index.html")
        agents = sorted(season.glob("agents/*/index.html"))
        pages += [page.relative_to(built).as_posix() for page in agents]
    for path in pages:
        view = tab.go(path)
        assert view.title() != "owned", path
        assert view.locator("main img, main script:not([type]), iframe, object").count() == 0, path
        if view.locator("#verify").count():
            verdict = view.get_attribute("#verify", "data-verdict")
            assert verdict == "pass", (path, view.inner_text("#verify"))
            judged += 1
        hrefs = view.evaluate("[...document.links].map(link => link.protocol)")
        assert set(hrefs) <= {"file:", "https:", "http:"}, path
    assert judged > 15
    text = "".join((built / path).read_text(encoding="utf-8") for path in pages)
    for name in NAMES:
        hidden = set(name) - set(cleaned(name))
        assert not [mark for mark in hidden - {"\n", "\r"} if mark in text]


def test_every_name_is_shown_as_it_is(built: Path, tab_of: Callable[[Path], Opened]) -> None:
    """What an agent calls itself stands on its page, letter for letter, or spelled out."""
    tab = tab_of(built)
    lines = next(built.glob("evidence/*/arcana/agents.jsonl")).read_text().split("\n")[:-1]
    agents = list(map(json.loads, lines))
    assert {agent["name"] for agent in agents} <= set(NAMES)
    for agent in agents:
        view = tab.go(f"seasons/{ARCANA}/agents/{agent['agent_id']}/index.html")
        assert view.text_content("h1") == shown(agent["name"])
        assert shown(agent["creator_handle"]) in (view.text_content("main") or "")


def test_search_shows_names_as_text(built: Path, tab_of: Callable[[Path], Opened]) -> None:
    """What the index holds is text, and becomes text."""
    view = tab_of(built).go("search/index.html")
    view.get_by_role("searchbox", name="Search all pages").fill("script")
    assert view.locator("#search .results li").count() > 0
    assert view.locator("#search .results :is(script, img, svg)").count() == 0
    assert view.title() != "owned"


def test_the_policy_stops_what_was_written_into_a_page(
    built: Path, tmp_path: Path, tab_of: Callable[[Path], Opened]
) -> None:
    """Were a script or a handler to get into a page, the browser would not run it."""
    html = (built / "index.html").read_text(encoding="utf-8")
    attack = (
        "<script>document.title = 'owned'</script><img src=x onerror=\"document.title='owned'\">"
        "<script src='https://example.invalid/x.js'></script><style>body{display:none}</style>"
    )
    (tmp_path / "index.html").write_text(html.replace("</main>", f"{attack}</main>"))
    (tmp_path / "assets").symlink_to(built / "assets")
    tab = tab_of(tmp_path)
    view = tab.go("index.html")
    assert view.title() != "owned"
    assert view.locator("h1").is_visible()
    blocked = [each for each in tab.said if "Content Security Policy" in each]
    assert len(blocked) >= 4
    tab.said.clear()
    tab.asked.clear()
