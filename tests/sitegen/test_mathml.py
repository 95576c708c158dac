"""Formulas: well-formed, whole, readable as LaTeX, or refused."""

from xml.etree import ElementTree as ET

import pytest
from markup import parsed

from sitegen.mathml import mathml
from verifier.errors import SiteError

MATH = "{http://www.w3.org/1998/Math/MathML}"

FORMULAS = (
    r"100\,\log_2\frac{p}{b}",
    r"\sum_{i=1}^{n} w_i x_i \lt 5 \text{ if } a > b",
    r"\begin{cases} 1 & x \ge 0 \\ 0 & \text{otherwise} \end{cases}",
    r"\operatorname{round}_1(x) \times 0.85",
    r"\Phi\left(\frac{(\widehat{SR}-SR^*)\sqrt{n-1}}{\sqrt{1-\gamma_3 SR}}\right)",
)


@pytest.mark.parametrize("latex", FORMULAS)
@pytest.mark.parametrize("display", ["block", "inline"])
def test_is_well_formed_and_keeps_its_latex(latex: str, display: str) -> None:
    """One element, whose alternative text and annotation are the LaTeX."""
    written = mathml(latex, "block" if display == "block" else "inline")
    assert len(parsed(written)) == 1
    root = ET.fromstring(written)
    assert root.tag == f"{MATH}math"
    assert root.get("display") == display
    assert root.get("alttext") == latex
    semantics = root[0]
    assert [child.tag for child in semantics] == [f"{MATH}mrow", f"{MATH}annotation"]
    assert semantics[1].text == latex


@pytest.mark.parametrize(
    "latex",
    [
        "a & b",
        r"\text{<script>alert(1)</script>}",
        r"\text{<mi>}",
        r"\nosuchcommand x",
        r"\frac{",
        r"x^",
        "",
        r"\left( x",
        r"x_1_2",
    ],
)
def test_what_cannot_be_rendered_whole_is_refused(latex: str) -> None:
    """A page shows no half of a formula."""
    with pytest.raises(SiteError):
        mathml(latex)
