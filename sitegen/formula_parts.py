"""What the formula pages of every family show alike: steps in MathML, and the code behind them."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib import resources

from markupsafe import Markup

from sitegen.components import math
from sitegen.mathml import mathml

__all__ = ["code_of", "code_sha256", "step_math"]


@cache
def step_math(*latex: str) -> Markup:
    """
    Set the formulas of one step, each on a line of its own; nothing for a step without one.

    Raises:
        SiteError: One of them holds a command that is not known.
    """
    return Markup("").join(math(mathml(each), block=True) for each in latex)


@cache
def code_of(package: str, *files: str) -> tuple[tuple[str, str], ...]:
    """
    Read what this release computes with.

    Args:
        package: A package of ``formulas``, such as ``floor``.
        files: Names of its modules' files.

    Returns:
        Path and text of each, in the order given.
    """
    folder = resources.files("formulas").joinpath(package)
    return tuple(
        (f"formulas/{package}/{name}", folder.joinpath(name).read_text("utf-8")) for name in files
    )


def code_sha256(code: tuple[tuple[str, str], ...]) -> str:
    """Hash the texts of :func:`code_of`, joined in their order."""
    return sha256("".join(text for _, text in code).encode()).hexdigest()
