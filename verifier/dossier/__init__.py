"""Dossiers: everything that can be said of one published thing, recomputed, and without a page."""
