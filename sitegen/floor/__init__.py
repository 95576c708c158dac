"""The pages of a Floor season: table, agents, calls, ledger, rules, and its formulas."""
