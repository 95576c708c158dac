r"""
Formulas as MathML, from the LaTeX that the source has them in.

Only formulas of our own are rendered, never text that was read. What comes out is
one ``<math>`` element that browsers draw without scripts or fonts of ours; the LaTeX
is its ``alttext`` and its annotation, for readers who copy it.

The converter passes on what it does not know: a command without a meaning, a bare ``&``,
and even markup inside ``\text``. Here each is an error, since a page must not show half a
formula; ``\lt`` is how a formula has its less-than sign.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal
from xml.etree import ElementTree as ET

from markupsafe import Markup

from verifier.errors import SiteError

__all__ = ["mathml"]


_SPACE: Final = "{http://www.w3.org/1998/Math/MathML}"
_ELEMENTS: Final = frozenset(
    f"{_SPACE}{name}"
    for name in (
        *("math", "mfrac", "mi", "mn", "mo", "mover", "mpadded", "mphantom", "mroot", "mrow"),
        *("mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext"),
        *("mtr", "munder", "munderover"),
    )
)


@lru_cache(maxsize=1024)
def mathml(latex: str, display: Literal["inline", "block"] = "block") -> Markup:
    r"""
    Render a formula.

    Args:
        latex: Without dollar signs.
        display: Whether it stands in a line of text, or by itself.

    Raises:
        SiteError: It is not LaTeX that can be rendered whole.
    """
    from latex2mathml.converter import convert  # noqa: PLC0415 - slow to load

    try:
        written = convert(latex, display=display)
        root = ET.fromstring(written)  # noqa: S314 - made from our own text just above
    except Exception as error:  # the converter's errors have no common base
        raise SiteError(f"a formula cannot be rendered: {latex[:200]!r}") from error
    unknown = next((text for text in root.itertext() if text.lstrip().startswith("\\")), None)
    if unknown is not None:
        raise SiteError(f"a formula has the unknown command {unknown!r}: {latex[:200]!r}")
    for element in root.iter():
        # The policy of every page forbids attributes of style.
        if element.tag not in _ELEMENTS or "style" in element.attrib:
            raise SiteError(f"a formula makes {element.tag!r}: {latex[:200]!r}")
    inner = Markup(written[written.index(">") + 1 : written.rindex("<")])  # noqa: S704 - well-formed
    return Markup(
        '<math xmlns="http://www.w3.org/1998/Math/MathML" display="{}" alttext="{}"><semantics>{}'
        '<annotation encoding="application/x-tex">{}</annotation></semantics></math>'
    ).format(display, latex, inner, latex)
