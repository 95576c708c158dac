"""
Watching: what was once published is still there, unchanged.

A reading is everything of a publisher's that never changes, taken from a few
documents (:mod:`verifier.watch.documents`) as facts: a kind, a key and a value
(:mod:`verifier.watch.kinds`). Readings are compared with what all readings
before them showed (:mod:`verifier.watch.reading`). A reading that extends them is added to an
append-only folder (:mod:`verifier.watch.state`), with heads that witnesses can
sign (:mod:`verifier.watch.heads`); one that does not is kept as a proof that
anyone can check offline (:mod:`verifier.watch.rewrite`).

Nothing here reaches the network: :mod:`verifier.collect.watched` does the asking.
"""
