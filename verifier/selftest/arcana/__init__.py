"""Mutations of ARCANA evidence, in the order of the numbered steps."""

from __future__ import annotations

from typing import Final

from verifier.selftest.arcana import (
    anchors,
    arithmetic,
    chain,
    inputs,
    public,
    records,
    rows,
    seals,
)
from verifier.selftest.arcana.forgery import load_evidence
from verifier.selftest.mutations import Suite

__all__ = ["SUITE"]

SUITE: Final = Suite(
    load=load_evidence,
    mutations=(
        *rows.MUTATIONS,
        *seals.MUTATIONS,
        *inputs.MUTATIONS,
        *records.MUTATIONS,
        *arithmetic.MUTATIONS,
        *anchors.MUTATIONS,
        *chain.MUTATIONS,
        *public.MUTATIONS,
    ),
)
