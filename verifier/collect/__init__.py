"""
Collecting: the only part of Tallyproof that reaches the network.

What comes back is kept as it came (:mod:`verifier.collect.port`,
:mod:`verifier.collect.store`). Nothing here judges it: that is done offline,
by the same audit that reads any other bundle.
"""
