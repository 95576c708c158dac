"""Recomputes published scores and settlements from the evidence, and says what it found."""
