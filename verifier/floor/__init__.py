"""The Floor: sealed probability calls, settled from raw venue responses, and their checks."""
