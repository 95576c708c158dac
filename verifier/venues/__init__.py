"""Venues: what to ask Hyperliquid and Coinbase for, and how to read what they answered."""
