"""Mutations of Floor evidence, in the order of the sections of the procedure."""

from __future__ import annotations

from typing import Final

from verifier.floor.checks.catalogue import CHECKS
from verifier.selftest.floor import calls, published, settlements
from verifier.selftest.floor.forgery import load_evidence
from verifier.selftest.mutations import Suite

__all__ = ["SUITE"]

_ORDER: Final = {check.id: place for place, check in enumerate(CHECKS)}

SUITE: Final = Suite(
    load=load_evidence,
    mutations=tuple(
        sorted(
            (
                *published.BEFORE,
                *calls.MUTATIONS,
                *settlements.MUTATIONS,
                *published.AFTER,
                *published.LAST,
            ),
            key=lambda mutation: _ORDER[mutation.aims_at],
        )
    ),
)
