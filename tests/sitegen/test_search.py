"""The search index and the classic scripts: what works from a folder on a disk."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.assets import asset_files, classic
from sitegen.search import search_index
from verifier.errors import SiteError


def entries(script: bytes) -> list[list[str]]:
    """Read the index as a script would."""
    first = script.decode().split(";\nvar tallyproofSearchLeftOut=")[0]
    found: list[list[str]] = json.loads(first.removeprefix("var tallyproofSearch="))
    return found


@given(st.lists(st.tuples(st.text(), st.text("ab/", min_size=1), st.text()), max_size=5))
def test_every_page_is_found(found: list[tuple[str, str, str]]) -> None:
    """An index of few pages has them all, in their order, and is ASCII."""
    script = search_index(found)
    assert [entry[1] for entry in entries(script)] == [path for _, path, _ in found]
    assert script.isascii()
    assert b"<" not in script


def test_the_index_has_a_bound() -> None:
    """What does not fit is left out and counted."""
    script = search_index([(f"page {at}", "p", "words") for at in range(1000)], largest=1000)
    assert len(script) < 1200
    assert script.endswith(f"={1000 - len(entries(script))};\n".encode())


def test_the_classic_script_exports_nothing() -> None:
    """The module's text, without its exports, in a function."""
    module = "export const a = 1;\nexport async function b() {}\nexport {\n  a,\n};\n"
    text = classic(module)
    assert "export" not in text
    assert "const a = 1;\nasync function b() {}\n" in text


def test_comments_stay_in_the_module() -> None:
    """Lines of comments are left out, and no text that goes over lines could hold one."""
    (module,) = (
        file.content.decode() for file in asset_files() if file.path.endswith("/verify.js")
    )
    assert [line for line in module.splitlines() if line.count("`") % 2] == []
    # A comment before code on its line is a type, and stays with what it is of.
    comment = re.compile(r"\s*(?://|/\*(?!.*\*/\s*\S)|\*(?:[ /]|$))")
    lines = [line for line in module.splitlines() if line.strip() and not comment.match(line)]
    assert len(lines) < 0.9 * len(module.splitlines())
    code = [line.removeprefix("export ") for line in lines]
    assert classic(module).splitlines()[2:-1] == code


@pytest.mark.parametrize("line", ['import x from "y";', "export default 1;", 'export * from "x";'])
def test_what_has_no_classic_form_is_refused(line: str) -> None:
    """An import, or an export of another kind, stops the build."""
    with pytest.raises(SiteError):
        classic(f"{line}\n")


def test_the_assets_are_there() -> None:
    """Style, behaviour and verification, the latter in both forms."""
    names = {file.path for file in asset_files()}
    assert names == {
        f"assets/{name}"
        for name in (
            *("icon.svg", "pagefind-search.js", "site.css", "site.js"),
            *("verify.js", "verify.classic.js"),
        )
    }
