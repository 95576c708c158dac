"""Damage one thing of every kind in a copy of a bundle, and show that each is caught."""

from verifier.selftest.mutations import Mutation, Rule, Suite
from verifier.selftest.run import Selftest, Trial, run_selftest

__all__ = ["Mutation", "Rule", "Selftest", "Suite", "Trial", "run_selftest"]
