"""What changed between two bundles or frozen seasons, by meaning."""

from verifier.diff.bundles import diff_bundles, diff_documents
from verifier.diff.model import Difference, Effect, Entry, FileCounts, Kind, Side

__all__ = [
    "Difference",
    "Effect",
    "Entry",
    "FileCounts",
    "Kind",
    "Side",
    "diff_bundles",
    "diff_documents",
]
