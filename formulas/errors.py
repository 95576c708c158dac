"""
What a formula refuses.

::

    FormulaError
        FormulaDomainError      an input lies outside what the rule is defined for
        FormulaConstantsError   the constants given are not of the version's shape
        UnknownFormulaError     no released formula has that id
"""

from __future__ import annotations

__all__ = ["FormulaConstantsError", "FormulaDomainError", "FormulaError", "UnknownFormulaError"]


class FormulaError(ValueError):
    """Base of everything that the formulas raise on purpose."""


class FormulaDomainError(FormulaError):
    """An input lies outside what the rule is defined for."""


class FormulaConstantsError(FormulaError):
    """The constants to compute with lack a key, or hold a value of the wrong type."""


class UnknownFormulaError(FormulaError):
    """No released formula has that id: there is no latest version to fall back on."""

    def __init__(self, formula_id: str) -> None:
        super().__init__(f"unknown formula {formula_id!r}")
        self.formula_id = formula_id
