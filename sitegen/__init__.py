"""Turns frozen season tables and verification results into a static website."""
