"""What the pages of an ARCANA season carry for the browser, checked by ``verify.js`` under Node."""

from typing import Any

from arcana_site import Made, Make
from verify_node import needs_node, values

pytestmark = needs_node


def judged(made: Made) -> list[tuple[str, Any]]:
    """Let ``verify.js`` judge the payload of every page that has one."""
    pages = [page for page in made.pages.values() if page.payload is not None]
    answers = values(("verify", page.payload) for page in pages)
    return [(page.path, answer) for page, answer in zip(pages, answers, strict=True)]


def test_every_honest_page_passes(honest: Made) -> None:
    """All scores, all agents whose latest score is sealed, and the leaderboard."""
    found = judged(honest)
    assert len(found) == 71 + 13 + 1
    for path, answer in found:
        assert answer["verdict"] == "pass", (path, answer)


def test_a_forged_output_fails_and_is_named(make: Make) -> None:
    """One unit in the last place is seen by the second implementation too."""
    wrong = [
        (path, answer)
        for path, answer in judged(make("ulp-resealed", newest=False))
        if answer["verdict"] != "pass" and "/scores/" in path
    ]
    said = [check["what"] for _, answer in wrong for check in answer["checks"]]
    assert any("consistency" in what for what in said)
