"""``python -m verifier`` is ``tallyproof``."""

from verifier.cli import main

main()
