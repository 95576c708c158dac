"""ARCANA's part of the site: leaderboard, agents, scores, creators, anchors, formulas, API."""
