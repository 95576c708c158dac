"""
What the documentation shows is run, and must come out as shown.

Pages are README.md, CONTRIBUTING.md and everything under site/content. The
blocks of a page are taken in order, in one empty directory from which the
``fixtures`` of this checkout can be seen:

* A ``console`` block is a session. A line that begins with ``$`` is a command,
  continued on the next line after a backslash; what follows is its output.
  Output shown is compared with all that the command writes, at 80 columns and
  without colour, and ``…`` stands for anything, on a line of its own for any
  number of lines. A last line ``(exit N)`` states the exit code, which is 0
  otherwise.
* A ``python`` block with a name after the word ``python`` is written to a file
  of that name, for the sessions after it; one without a name is run.
* Commands that install, fetch or build are not run. They are checked for form:
  the make targets and extras that they name exist.
* Links to files lead to files of this checkout.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from shared import FIXTURES, ROOT
from typer.main import get_command

from verifier.audit import all_checks
from verifier.cli.app import app
from verifier.collect.chain import ANCHOR_CHECKS
from verifier.proof import PROOF_CHECKS
from verifier.signed import REPORT_CHECKS

CONTENT: Final = ROOT / "site" / "content"
PAGES: Final = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted(CONTENT.rglob("*.md")),
]
RUN: Final = {"cat", "cp", "grep", "head", "openssl", "python", "sed", "sha256sum", "tallyproof"}
FORM_ONLY: Final = {"bash", "cd", "git", "make", "pip", "pipx", "uv", "uvx"}
BLOCK: Final = re.compile(r"^```(\w+)[ ]*(.*)\n((?:.*\n)*?)^```$", re.MULTILINE)
LINK: Final = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
EXIT: Final = re.compile(r"\(exit (\d+)\)\n\Z")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: the line it begins on, its language, what follows that, its text."""

    line: int
    language: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a session, with what the page says comes of it."""

    text: str
    output: str
    code: int


def blocks(text: str) -> Iterator[Block]:
    """All fenced blocks of a page, in order."""
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield Block(line, match[1], match[2].strip(), match[3])


def commands(session: str) -> Iterator[Command]:
    """The commands of a ``console`` block."""
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        text = re.match(r"(?:.*\\\n)*.*\n", part)
        assert text is not None
        output = part[text.end() :]
        stated = EXIT.search(output)
        shown = output[: stated.start()] if stated else output
        yield Command(text[0].strip(), shown, int(stated[1]) if stated else 0)


def matches(shown: str, written: str) -> bool:
    """Whether output is as shown, where ``…`` stands for anything."""
    if not shown:
        return True
    pattern = "".join(
        r"(?:.*\n)*?" if line == "…\n" else ".*".join(map(re.escape, line.split("…")))
        for line in shown.splitlines(keepends=True)
    )
    return re.fullmatch(pattern, written) is not None


def run(command: str, directory: Path) -> tuple[int, str]:
    """Exit code and output of a command, with the programs of this environment first."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "PYTHONPATH": "",
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout


def check_form(words: list[str]) -> None:
    """Refuse a command that names a make target or an extra that does not exist."""
    if words[0] == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        assert {word for word in words[1:] if "=" not in word} <= set(targets)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for word in words:
        if named := re.search(r"\[([a-z,]+)\]$", word):
            assert set(named[1].split(",")) <= set(project["optional-dependencies"])


def check_session(session: str, directory: Path) -> None:
    """Run, or check for form, each command of a session."""
    for command in commands(session):
        words = shlex.split(command.text, comments=True)
        assert words[0] in RUN | FORM_ONLY, f"unknown program {words[0]!r}"
        if words[0] in FORM_ONLY:
            check_form(words)
            continue
        code, written = run(command.text, directory)
        assert code == command.code, f"$ {command.text}\n{written}(exit {code})"
        assert matches(command.output, written), f"$ {command.text}\n{written}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page(page: Path, tmp_path: Path) -> None:
    """Every block of a page does what the page says."""
    (tmp_path / "fixtures").symlink_to(FIXTURES)
    for block in blocks(page.read_text("utf-8")):
        try:
            if block.language == "console":
                check_session(block.text, tmp_path)
            elif block.language == "json":
                json.loads(block.text)
            elif block.language == "toml":
                tomllib.loads(block.text)
            elif block.language == "python":
                name = block.name or f"line{block.line}.py"
                (tmp_path / name).write_text(block.text, encoding="utf-8")
                if not block.name:
                    code, written = run(f"python {shlex.quote(name)}", tmp_path)
                    assert code == 0, written
        except (AssertionError, ValueError) as error:
            pytest.fail(f"{page.relative_to(ROOT)}:{block.line}: {error}", pytrace=False)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links(page: Path) -> None:
    """Every link to a file leads to one, and none leaves the checkout."""
    for target in LINK.findall(page.read_text("utf-8")):
        if not target.startswith(("http://", "https://", "mailto:")):
            there = (page.parent / target).resolve()
            assert there.is_relative_to(ROOT), target
            assert there.exists(), target


def test_every_check_has_a_page() -> None:
    """A page for each check, titled by its id, that names its step; no other page; all listed."""
    folder = CONTENT / "checks"
    pages = {path.relative_to(folder).with_suffix("").as_posix() for path in folder.glob("*/*.md")}
    checks = (*all_checks(), *PROOF_CHECKS, *ANCHOR_CHECKS, *REPORT_CHECKS)
    assert pages == {check.id for check in checks}
    index = (folder / "README.md").read_text("utf-8")
    for check in checks:
        page = (folder / f"{check.id}.md").read_text("utf-8")
        assert page.startswith(f"# {check.id}\n\nStep {check.step}. "), check.id
        assert f"| [{check.id}]({check.id}.md) | {check.step} |" in index, check.id


def command_names(command: Any, above: str = "tallyproof") -> Iterator[str]:
    """Every command of the program as it is typed, those of groups too."""
    for name, inner in command.commands.items():
        if hasattr(inner, "commands"):
            yield from command_names(inner, f"{above} {name}")
        else:
            yield f"{above} {name}"


def test_every_command_is_shown() -> None:
    """Each command is run on the page of the command line."""
    page = (CONTENT / "command-line.md").read_text("utf-8")
    sessions = [block.text for block in blocks(page) if block.language == "console"]
    shown = [f"{command.text} " for session in sessions for command in commands(session)]
    for name in command_names(get_command(app)):
        assert any(text.startswith(f"{name} ") for text in shown), name


@pytest.mark.parametrize(
    ("session", "complaint"),
    [
        ("$ python -c 'print(1)'\n2\n", "1\n"),
        ("$ python -c 'print(1)'\n(exit 1)\n", r"\(exit 0\)"),
        ("$ python -c 'raise SystemExit(1)'\n", r"\(exit 1\)"),
        ("$ curl example.org\n", "unknown program"),
        ("$ make nothing-of-the-kind\n", "nothing-of-the-kind"),
        ("$ pip install 'tallyproof[nothing]'\n", "nothing"),
    ],
)
def test_a_wrong_session_is_seen(session: str, complaint: str, tmp_path: Path) -> None:
    """Other output, another exit code and unknown names are each refused."""
    with pytest.raises(AssertionError, match=complaint):
        check_session(session, tmp_path)


def test_dots_stand_for_anything() -> None:
    """An ellipsis stands for the rest of its line, or for whole lines."""
    assert matches("a …\n…\nz\n", "a b\nc\nd\nz\n")
    assert not matches("a …\n…\nz\n", "a b\nc\nd\n")
    assert not matches("a\n", "a\nb\n")
