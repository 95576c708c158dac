"""The Floor's formulas: baselines, settlement, scores, standings and season order."""
