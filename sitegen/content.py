"""
The prose of a site: the package's own, and the maintainer's over it.

Tallyproof brings the pages that are the same on every site: what each check
means, how to verify, the glossary. A file of the maintainer's ``content/`` replaces
the one with the same path. Where a file is shown follows from its path:

=========================  =======================================
``verify.md``              ``verify/index.html``
``checks/README.md``       ``checks/index.html``
``checks/floor/seal.md``   ``checks/floor/seal/index.html``
``home.md``                ``index.html``, under the verdicts
``404.md``                 ``404.html``
=========================  =======================================

An erratum is a file of ``errata/``: TOML between two lines of ``+++`` with
``season``, ``title``, ``date`` and perhaps ``replaced_by``, then Markdown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sitegen.config import read_toml
from sitegen.markdown import Prose, render_markdown
from sitegen.model import Erratum, File
from sitegen.names import safe_name
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Content", "find_content", "page_of", "read_errata", "read_text"]

ERRATA_PAGE: Final = "errata/index.html"

_LARGEST: Final = 16 << 20
_IMAGES: Final = frozenset({".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp"})
_ERRATUM: Final = frozenset({"date", "replaced_by", "season", "title"})
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_HERE: Final = Path(__file__).parent
_REPOSITORY: Final = _HERE.parent


def package_content() -> dict[str, Path]:
    """Find the prose that Tallyproof brings: beside the package, or in its repository."""
    if (_HERE / "content").is_dir():
        return _listed(_HERE / "content")
    files = _listed(_REPOSITORY / "site" / "content")
    files.setdefault("changelog.md", _REPOSITORY / "CHANGELOG.md")
    return files


def find_content(folder: Path) -> dict[str, Path]:
    """
    Find all prose of a site, from path within the content to file.

    Args:
        folder: The maintainer's ``content/``, which need not be there.
    """
    return dict(sorted({**package_content(), **_listed(folder)}.items()))


def _listed(folder: Path) -> dict[str, Path]:
    found = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    return {
        within.as_posix(): path
        for within, path in found.items()
        if not any(part.startswith(".") for part in within.parts)
    }


def page_of(path: str) -> str:
    """
    Tell which page shows a Markdown file.

    >>> [page_of(path) for path in ("checks/README.md", "verify.md", "home.md", "404.md")]
    ['checks/index.html', 'verify/index.html', 'index.html', '404.html']
    """
    if path in {"404.md", "home.md"}:
        return "404.html" if path == "404.md" else "index.html"
    folder, _, name = path.removesuffix(".md").rpartition("/")
    parts = [part for part in (folder, "" if name == "README" else name) if part]
    return "/".join((*parts, "index.html"))


@dataclass(frozen=True, slots=True)
class Content:
    """
    All prose of a site, rendered when it is asked for.

    Args:
        files: From path within the content to file.
    """

    files: Mapping[str, Path]
    _rendered: dict[str, Prose] = field(default_factory=dict)

    def paths(self) -> list[str]:
        """List the Markdown files."""
        return [path for path in self.files if path.endswith(".md")]

    def prose(self, path: str) -> Prose:
        """
        Render one file.

        Raises:
            SiteError: It is not there or cannot be read, or a link of it leads nowhere.
        """
        if path not in self.files:
            raise SiteError(f"content/{path}: no such file")
        if path not in self._rendered:
            self._rendered[path] = render_markdown(
                read_text(self.files[path]),
                file=path,
                page=page_of(path),
                target=lambda linked: self._target(linked, path),
            )
        return self._rendered[path]

    def digest(self, path: str) -> str:
        """
        Hash the bytes of a file.

        Raises:
            SiteError: It cannot be read.
        """
        return sha256(_read(self.files[path])).hexdigest()

    def images(self, prose: Prose) -> list[File]:
        """Read the images that a rendered file shows."""
        return [File(f"content/{path}", _read(self.files[path])) for path in prose.images]

    def _target(self, linked: str, source: str) -> str:
        if linked in self.files:
            if linked.endswith(".md"):
                return page_of(linked)
            if Path(linked).suffix.lower() in _IMAGES:
                return f"content/{linked}"
        raise SiteError(f"content/{source}: a link to {linked}, which is no file of the content")


def read_errata(folder: Path, content: Content) -> tuple[Erratum, ...]:
    """
    Read all errata, the newest first.

    Args:
        folder: The maintainer's ``errata/``, which need not be there.
        content: What their links may lead to, as seen from the top of the content.

    Raises:
        SiteError: A file that is not an erratum.
    """
    errata = [
        _erratum(path, content)
        for path in sorted(folder.glob("*.md"))
        if not path.name.startswith(".")
    ]
    return tuple(sorted(errata, key=lambda erratum: (erratum.date, erratum.id), reverse=True))


def _erratum(path: Path, content: Content) -> Erratum:
    file = f"errata/{path.name}"
    opening, _, rest = read_text(path).partition("+++\n")
    front, fence, body = rest.partition("\n+++\n")
    if opening or not fence:
        raise SiteError(f"{file}: does not begin with TOML between two lines of +++")
    table = read_toml(front.encode(), file=file)
    if unknown := table.keys() - _ERRATUM:
        raise SiteError(f"{file}: unknown key {min(unknown)}")
    for key in ("season", "title", "date"):
        if key not in table:
            raise SiteError(f"{file}: {key} is missing")
    text = {key: str(value) for key, value in table.items()}
    if not _is_date(text["date"]):
        raise SiteError(f"{file}: date is no day such as 2026-11-03")
    if text.get("replaced_by") == text["season"]:
        raise SiteError(f"{file}: a season cannot be replaced by itself")
    prose = render_markdown(
        body,
        file=path.name,
        page=ERRATA_PAGE,
        target=lambda linked: content._target(linked, file),  # noqa: SLF001 - the same module
        title=text["title"],
    )
    return Erratum(
        id=safe_name(path.stem),
        season=text["season"],
        title=text["title"],
        date=text["date"],
        html=prose.html,
        replaced_by=text.get("replaced_by"),
    )


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return bool(_DATE.fullmatch(text))  # fromisoformat takes 20261103 too


def read_text(path: Path) -> str:
    """
    Read a text of the maintainer's.

    Raises:
        SiteError: It cannot be read, is larger than 16 MiB, or is not UTF-8.
    """
    try:
        return _read(path).decode()
    except UnicodeDecodeError:
        raise SiteError(f"{path}: not UTF-8") from None


def _read(path: Path) -> bytes:
    try:
        # Opening a pipe would wait for its other end; a device has no end.
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise SiteError(f"{path}: cannot be read: not a file")
        with path.open("rb") as opened:
            content = opened.read(_LARGEST + 1)
    except OSError as error:
        raise SiteError(f"{path}: cannot be read: {error.strerror}") from None
    if len(content) > _LARGEST:
        raise SiteError(f"{path}: over {_LARGEST} bytes (limit content_bytes)")
    return content
