"""
What verify.js shows on a page, in Chromium.

From ``file://`` as the classic script, over http as the module, under the content
security policy of every page.
"""

from __future__ import annotations

import json
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Final

import pytest
from markupsafe import Markup
from verify_payloads import (
    agent_payload,
    call_payload,
    ledger,
    manifest_text,
    score_payload,
    sealed_scores,
    season_payload,
)

from sitegen.assets import asset_files
from sitegen.model import Crumb, Page
from sitegen.render import Renderer, Site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser
    from playwright.sync_api import Page as View

pytest.importorskip("playwright", reason="Playwright is not installed")
CHROMIUM: Final = shutil.which("chromium")
SEAL: Final[str] = ledger()[1]["body"]["call"]
POINTS: Final[float] = ledger()[1]["body"]["points"]

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

Payload = dict[str, object]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start Chromium once."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - tests only

    with sync_playwright() as started:
        launched = started.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the assets."""
    root = tmp_path_factory.mktemp("site")
    for file in asset_files():
        (root / file.path).parent.mkdir(exist_ok=True)
        (root / file.path).write_bytes(file.content)
    return root


def write(folder: Path, payload: Payload, *, prose: str = "", module: bool = False) -> str:
    """Render a page of that payload, and give its path."""
    page = Page(
        path="page.html",
        template="pages/prose.html",
        title="Page",
        finding="Something is found.",
        trail=(Crumb("Arena", "index.html"), Crumb("Page")),
        values={"prose": Markup(prose)},
        payload=payload,  # type: ignore[arg-type]
    )
    text = Renderer(Site(title="Arena", description="A.")).render(page)
    if module:
        old = '<script src="assets/verify.classic.js" defer></script>'
        assert old in text
        text = text.replace(old, '<script src="assets/verify.js" type="module"></script>')
    (folder / page.path).write_text(text, encoding="utf-8")
    return page.path


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[[str], View]]:
    """Open pages, and demand that the console stays silent."""
    view = browser.new_page()
    said: list[str] = []
    view.on("console", lambda message: said.append(message.text))
    view.on("pageerror", lambda error: said.append(str(error)))

    def open_page(address: str) -> View:
        view.goto(address)
        return view

    yield open_page
    view.close()
    assert not said


def verdict(view: View) -> str | None:
    """Wait for the verdict of the page."""
    view.wait_for_selector("#verify[data-verdict]")
    return view.get_attribute("#verify", "data-verdict")


@pytest.mark.parametrize("kind", ["call", "score", "season", "agent"])
def test_honest_pages_pass_from_a_file(
    kind: str, folder: Path, opened: Callable[[str], View]
) -> None:
    """SHA-256 is there on file pages; the list names each check and what was not checked."""
    payloads: dict[str, Callable[[], Payload]] = {
        "call": lambda: call_payload(SEAL),
        "score": lambda: score_payload(sealed_scores()[3]),
        "season": lambda: season_payload("season-1"),
        "agent": lambda: agent_payload("a-0004", "season-1"),
    }
    view = opened((folder / write(folder, payloads[kind]())).as_uri())
    assert verdict(view) == "pass"
    text = view.inner_text("#verify")
    assert "checks agree, recomputed in this browser" in text
    assert view.locator("#verify tbody tr").count() > 3
    assert "What was not checked here" in text


def test_an_altered_digit_is_named_with_both_values(
    folder: Path, opened: Callable[[str], View]
) -> None:
    """Published and recomputed stand in the line, and the row is marked."""
    payload = call_payload(SEAL)
    payload["points"] = POINTS + 1
    view = opened((folder / write(folder, payload)).as_uri())
    assert verdict(view) == "fail"
    text = view.inner_text("#verify")
    assert f"published {POINTS + 1}, recomputed {POINTS}" in text
    assert view.locator("#verify tr.differs").count() >= 1
    assert view.locator("#verify details[open]").count() >= 1


def test_a_digit_that_the_page_shows_wrong_is_named(
    folder: Path, opened: Callable[[str], View]
) -> None:
    """Elements that say which value they show are compared with it."""
    for text, expected in ((f"{POINTS:.4f}", "pass"), (f"{POINTS + 0.0001:.4f}", "fail")):
        prose = f'<p><span data-verify="points">{text}</span></p>'
        view = opened((folder / write(folder, call_payload(SEAL), prose=prose)).as_uri())
        assert verdict(view) == expected
    assert "shown on the page: points" in view.inner_text("#verify")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{POINTS:.4f}", "pass"),
        (f"{POINTS:.4f} <small>unproven</small>", "pass"),
        (f"{POINTS + 0.0001:.4f} <small>unproven</small>", "fail"),
        ('<span class="dash">—<span class="visually-hidden">no 1</span></span>', "fail"),
    ],
)
def test_a_cell_is_named_by_its_column_and_row(
    text: str, expected: str, folder: Path, opened: Callable[[str], View]
) -> None:
    """What a table shows is compared, whatever the audit said beside it."""
    table = (
        '<table><thead><tr><th scope="col">a</th><th scope="col" data-figure="">b</th></tr></thead>'
        f'<tbody><tr data-of="points"><td>99</td><td>{text}</td></tr></tbody></table>'
    )
    view = opened((folder / write(folder, call_payload(SEAL), prose=table)).as_uri())
    assert verdict(view) == expected
    assert ("shown on the page: points" in view.inner_text("#verify")) is (expected == "fail")


@pytest.mark.parametrize("payload", [{}, {"kind": "nothing"}, {"kind": "score", "manifest": {}}])
def test_broken_data_fails_in_words(
    payload: Payload, folder: Path, opened: Callable[[str], View]
) -> None:
    """No exception reaches the console, and nothing passes."""
    view = opened((folder / write(folder, payload)).as_uri())
    assert verdict(view) == "fail"
    assert "the data can be read" in view.inner_text("#verify")


def test_hostile_text_stays_text(folder: Path, opened: Callable[[str], View]) -> None:
    """Markup in a message is shown, and characters that reorder text are spelled out."""
    payload: Payload = {"kind": "<img src=x onerror=alert(1)>\u202egnp"}
    view = opened((folder / write(folder, payload)).as_uri())
    assert verdict(view) == "fail"
    assert view.locator("#verify img").count() == 0
    assert "<img src=x onerror=alert(1)>⟨U+202E⟩gnp" in view.inner_text("#verify")


def test_the_module_does_the_same_over_http(folder: Path, opened: Callable[[str], View]) -> None:
    """Where modules load, the file as it is written runs once."""
    path = write(folder, score_payload(sealed_scores()[3]), module=True)

    class Quiet(SimpleHTTPRequestHandler):
        """Serves and says nothing."""

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        (folder / "favicon.ico").write_bytes(b"")
        view = opened(f"http://127.0.0.1:{server.server_address[1]}/{path}")
        assert verdict(view) == "pass"
        assert view.locator("#verify > p").count() == 1
    finally:
        server.shutdown()
        server.server_close()


def test_a_file_that_a_reader_brings(
    folder: Path, tmp_path: Path, opened: Callable[[str], View]
) -> None:
    """A manifest is checked by choosing or dropping it; a damaged one fails."""
    seal = sealed_scores()[3]["seal"]
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_text(manifest_text(seal), encoding="utf-8")
    bad.write_text(manifest_text(seal).replace('"regime":50', '"regime":51'), encoding="utf-8")
    prose = '<div id="verify-drop"></div>'
    view = opened((folder / write(folder, {"kind": "drop"}, prose=prose)).as_uri())
    for path, expected in ((good, "pass"), (bad, "fail")):
        view.set_input_files("#verify-drop input", str(path))
        view.wait_for_selector(f"#verify-drop[data-verdict={expected}]")
        text = view.inner_text("#verify-drop")
        assert path.name in text
    assert "output regime" in text
    dropped = view.evaluate_handle(
        "text => { const all = new DataTransfer();"
        " all.items.add(new File([text], 'dropped.txt')); return all; }",
        manifest_text(seal),
    )
    view.dispatch_event("#verify-drop", "drop", {"dataTransfer": dropped})
    view.wait_for_selector("#verify-drop[data-verdict=pass]")
    assert seal in view.inner_text("#verify-drop")


def test_results_are_accessible(folder: Path, opened: Callable[[str], View]) -> None:
    """The list that a script makes has no violation that axe knows."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    payload = call_payload(SEAL)
    payload["points"] = POINTS + 1
    view = opened((folder / write(folder, payload)).as_uri())
    assert verdict(view) == "fail"
    # Without preloading: axe would fetch the style sheet, which no file page may.
    found = axe.Axe().run(view, options={"preload": False})
    assert [json.dumps(each["id"]) for each in found.response["violations"]] == []
