"""Terms of calls for readers: their kind, and what was called in words."""

from verifier.floor.terms import kind_of_terms
from verifier.floor.words import describe

__all__ = ["describe", "kind_of_terms"]
