"""
Scripts and styles, as they lie beside the package.

``verify.js`` is a module. Browsers load no module from ``file://``, so the pages load
``verify.classic.js``: the same code without the word ``export`` and without the lines that
are comments, a quarter of the text, in a function of its own.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sitegen.model import File
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["asset_files", "classic"]

STATIC: Final = Path(__file__).parent / "static"

_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:function|const|let|class)\b)", re.MULTILINE)
_LISTED: Final = re.compile(r"^export \{[^}]*\};?\n", re.MULTILINE)
# A comment that has its lines to itself. No text of the module goes over several lines.
_COMMENT: Final = re.compile(
    r"^[ \t]*(?://[^\n]*|/\*(?:(?!\*/).)*\*/[ \t]*)\n", re.MULTILINE | re.DOTALL
)
_EMPTY: Final = re.compile(r"\n{2,}")
_MODULE: Final = re.compile(r"^(?:export|import)\b", re.MULTILINE)


def asset_files() -> Iterator[File]:
    """Read all assets, sorted by name."""
    for path in sorted(STATIC.iterdir()):
        if path.is_file():
            yield File(f"assets/{path.name}", path.read_bytes())
            if path.name == "verify.js":
                text = classic(path.read_text(encoding="utf-8"))
                yield File("assets/verify.classic.js", text.encode())


def classic(module: str) -> str:
    r"""
    Turn a module that exports and imports nothing else into a classic script.

    Args:
        module: Its text, in which no template literal goes over several lines.

    Raises:
        SiteError: It imports something, or exports in a way that is not known here.

    >>> classic("// The first.\n\nexport const one = 1;\n")
    '(() => {\n"use strict";\nconst one = 1;\n})();\n'
    """
    text = _EMPTY.sub("\n", _COMMENT.sub("", _LISTED.sub("", _EXPORT.sub("", module)))).lstrip()
    if _MODULE.search(text):
        raise SiteError("verify.js: an import or export that no classic script can stand for")
    return f'(() => {{\n"use strict";\n{text}}})();\n'
