"""The rows and manifests that ARCANA's dossiers hold, by the names under which they are read."""

from verifier.arcana.manifest import ScoreManifest
from verifier.arcana.rows import Agent, Anchor, Leaf, ScoreRow, Season

__all__ = ["Agent", "Anchor", "Leaf", "ScoreManifest", "ScoreRow", "Season"]
