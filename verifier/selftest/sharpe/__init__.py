"""Mutations of SharpeArena's boards, in the order of the numbered steps."""

from __future__ import annotations

from typing import Final

from verifier.selftest.mutations import Suite
from verifier.selftest.sharpe import evidence, figures, verdicts
from verifier.selftest.sharpe.forgery import load_evidence

__all__ = ["SUITE"]

SUITE: Final = Suite(
    load=load_evidence,
    mutations=(*evidence.MUTATIONS, *figures.MUTATIONS, *verdicts.MUTATIONS),
)
