"""Charts as Chromium draws them with the stylesheet of the site, narrow and wide."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from chart_samples import samples
from programs import needs_chromium, path_of

import sitegen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

pytest.importorskip("playwright", reason="Playwright is not installed")
pytestmark = needs_chromium

STYLE: Final = Path(sitegen.__file__).parent / "static/site.css"
LEAST_PX: Final = 13
MEASURE: Final = """() => [...document.querySelectorAll(".chart svg")].map(svg => {
  const box = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll("text")].map(text => {
    const r = text.getBoundingClientRect();
    const size = parseFloat(getComputedStyle(text).fontSize) * box.width / 360;
    const {left, right, top, bottom} = r;
    return {words: text.textContent, size, left, right, top, bottom};
  });
  return {chart: svg.parentElement.id, left: box.left, right: box.right, texts};
})"""


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """One browser for all of it."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only with a browser

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=path_of("chromium"), args=["--no-sandbox"]
        )
        yield started
        started.close()


def overlapping(texts: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Give pairs of texts that lie on each other."""
    return [
        (one["words"], other["words"])
        for index, one in enumerate(texts)
        for other in texts[index + 1 :]
        if min(one["right"], other["right"]) - max(one["left"], other["left"]) > 1
        # Lines of text may touch, as their boxes are higher than their letters.
        and min(one["bottom"], other["bottom"]) - max(one["top"], other["top"]) > 5
    ]


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_text_can_be_read(browser: "Browser", tmp_path: Path, width: int) -> None:
    """No text is under 13 px, leaves its drawing, or lies on another; the page does not scroll."""
    page = tmp_path / "charts.html"
    figures = "<hr>".join(map(str, samples().values()))
    page.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>Charts</title>'
        f"<style>{STYLE.read_text()}</style><body><main>{figures}",
        encoding="utf-8",
    )
    view = browser.new_page(viewport={"width": width, "height": 800})
    view.goto(page.as_uri())
    drawings = view.evaluate(MEASURE)
    assert len(drawings) == len(samples()) - 1
    for drawing in drawings:
        for text in drawing["texts"]:
            assert text["size"] >= LEAST_PX, (drawing["chart"], text)
            assert drawing["left"] - 1 <= text["left"], (drawing["chart"], text)
            assert text["right"] <= drawing["right"] + 1, (drawing["chart"], text)
        assert overlapping(drawing["texts"]) == [], drawing["chart"]
    assert view.evaluate("document.documentElement.scrollWidth") == width
    view.close()
