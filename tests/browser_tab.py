"""A tab of a browser that is watched: all that its pages say, and all that they ask for."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from shared import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext
    from playwright.sync_api import Page as View

__all__ = ["Opened", "Scheme", "Transport", "watched"]

ARTIFACTS: Final = Path(os.environ.get("TALLYPROOF_ARTIFACTS") or ROOT / "build" / "test-artifacts")
SIZES: Final = {360: 780, 1440: 900}

Transport = Literal["file", "http"]
Scheme = Literal["light", "dark"]


@dataclass(slots=True)
class Opened:
    """
    A tab, and all that its pages said and asked for.

    Args:
        view: The tab.
        roots: Where the site lies, by transport.
    """

    view: View
    roots: dict[str, str]
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def go(self, path: str, over: Transport = "file") -> View:
        """Open a page, and wait until verify.js has spoken if the page has it."""
        self.view.goto(self.roots[over] + path)
        if self.view.locator("#verify-data").count():
            self.view.wait_for_selector("#verify[data-verdict]", state="attached")
        return self.view

    def look(self, width: int, scheme: Scheme) -> None:
        """Set the width of the window, and what the reader prefers."""
        self.view.set_viewport_size({"width": width, "height": SIZES[width]})
        self.view.emulate_media(color_scheme=scheme)

    def strangers(self) -> list[str]:
        """List requests that left the site."""
        inside = (*self.roots.values(), "data:image/")
        return [url for url in self.asked if not url.startswith(inside)]

    def keep(self, name: str) -> None:
        """Keep a picture of the page as it is."""
        folder = ARTIFACTS / "browser"
        folder.mkdir(parents=True, exist_ok=True)
        file = re.sub(r"[^a-z0-9]+", "-", name.lower())
        self.view.screenshot(path=folder / f"{file}.png")


def watched(context: BrowserContext, roots: dict[str, str]) -> Opened:
    """Open a tab, and write down what happens in it."""
    view = context.new_page()
    opened = Opened(view, roots)
    view.on("console", lambda message: opened.said.append(f"{message.type}: {message.text}"))
    view.on("pageerror", lambda error: opened.said.append(str(error)))
    view.on("request", lambda request: opened.asked.append(request.url))
    # What is still on its way when a reader goes on is no fault of the page.
    view.on(
        "requestfailed",
        lambda request: (
            None
            if request.failure == "net::ERR_ABORTED"
            else opened.said.append(f"{request.failure}: {request.url}")
        ),
    )
    view.on("dialog", lambda dialog: opened.said.append(f"dialog: {dialog.message}"))
    return opened
