"""What changed between two bundles or frozen seasons, by meaning."""

from verifier.diff.bundles import diff_bundles, diff_documents
from verifier.diff.model import Difference, Effect, Entry, FileCounts, Kind, Side
from verifier.diff.seasons import diff_seasons

__all__ = [
    "Difference",
    "Effect",
    "Entry",
    "FileCounts",
    "Kind",
    "Side",
    "diff_bundles",
    "diff_documents",
    "diff_seasons",
]
