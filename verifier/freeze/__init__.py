"""
Frozen seasons: a season's table, with the evidence that it was recomputed from.

::

    OUT/<season>/season.json     what was frozen, with every hash
    OUT/<season>/table.json      the published table
    OUT/<season>/report.json     the report of the audit, as ``tallyproof audit`` writes it
    OUT/<season>/policy.toml     the policy of the audit, every default written out
    OUT/evidence/<sha256>.zip    the bundle, named by its seal

A frozen season is final. It is made from a clean audit only, it is never
overwritten, and whoever reads it back hashes all of it again.
"""

from verifier.freeze.read import FrozenSeason, list_seasons, read_season
from verifier.freeze.write import Frozen, freeze

__all__ = ["Frozen", "FrozenSeason", "freeze", "list_seasons", "read_season"]
