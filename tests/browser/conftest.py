"""A browser that reaches no host but this one, and the demo site from a file and from a server."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

import pytest
from browser_tab import Opened, watched
from demo_site import DemoSite, demo_site
from programs import path_of

from sitegen.serve import make_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext

PREFIX: Final = "/sub/path/"


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoSite:
    """Build the demo site, once for all workers."""
    return demo_site(tmp_path_factory)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start Chromium, which finds no host by name."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only where it is driven

    with sync_playwright() as started:
        launched = started.chromium.launch(
            executable_path=path_of("chromium"),
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            ],
        )
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def served(demo: DemoSite) -> Iterator[str]:
    """Serve the demo site under a path of a host."""
    with make_server(demo.out, prefix=PREFIX) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.url
        server.shutdown()


@pytest.fixture
def tab(browser: Browser, demo: DemoSite, served: str) -> Iterator[Opened]:
    """Open a tab that must stay silent and on the site."""
    context = browser.new_context()
    opened = watched(context, {"file": f"{demo.out.as_uri()}/", "http": served})
    yield opened
    context.close()
    assert opened.said == []
    assert opened.strangers() == []


@pytest.fixture
def tab_of(browser: Browser) -> Iterator[Callable[[Path], Opened]]:
    """Open tabs of other folders, on the same terms."""
    made: list[tuple[BrowserContext, Opened]] = []

    def open_tab(folder: Path) -> Opened:
        context = browser.new_context()
        opened = watched(context, {"file": f"{folder.as_uri()}/"})
        made.append((context, opened))
        return opened

    yield open_tab
    for context, opened in made:
        context.close()
        assert opened.said == []
        assert opened.strangers() == []
