"""A site is watched as a whole: seasons, their evidence, and what it says beside that."""

LEDGER = "floor/ledger.jsonl"
ANCHORS = "arcana/anchors.jsonl"
SEASON = "floor/seasons/season-1.json"
