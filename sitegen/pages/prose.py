"""Pages of prose: one for each Markdown file that no other page takes in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitegen.commands import REBUILD
from sitegen.content import page_of
from sitegen.model import Crumb, Page

if TYPE_CHECKING:
    from sitegen.content import Content
    from sitegen.markdown import Prose

__all__ = ["prose_page", "trail_of"]


def prose_page(path: str, content: Content, *, home: str) -> Page:
    """
    Make the page of a Markdown file.

    Args:
        path: The file, within the content.
        content: All prose.
        home: What the first step of the trail is called.
    """
    prose = content.prose(path)
    return Page(
        path=page_of(path),
        template="pages/prose.html",
        title=prose.title,
        finding=prose.lead,
        trail=trail_of(path, prose, content, home),
        values={"prose": prose.html},
        data_sha256=content.digest(path),
        command=REBUILD,
        search=prose.lead or prose.title,
        summary=prose.lead or prose.title,
    )


def trail_of(path: str, prose: Prose, content: Content, home: str) -> tuple[Crumb, ...]:
    """Lead from the home page over the pages of the folders above to a file."""
    steps = [Crumb(home, "index.html")]
    parts = path.split("/")[:-1]
    for depth in range(1, len(parts) + 1):
        above = "/".join((*parts[:depth], "README.md"))
        if above != path and above in content.files:
            steps.append(Crumb(content.prose(above).title, page_of(above)))
    return (*steps, Crumb(prose.title))
