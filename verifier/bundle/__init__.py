"""
Opening an evidence bundle: directory, archive or store, every byte listed, nothing trusted.

>>> from verifier.bundle import open_bundle
>>> open_bundle("no-such-place")
Traceback (most recent call last):
...
verifier.errors.BundleError: no-such-place: cannot be read: No such file or directory
"""

from verifier.bundle.bundle import Bundle, ReopenToken, reopen
from verifier.bundle.index import BundleIndex, SeasonEntry
from verifier.bundle.opening import open_bundle
from verifier.bundle.overlay import overlay
from verifier.bundle.sums import LayoutProblem
from verifier.limits import BundleLimits

__all__ = [
    "Bundle",
    "BundleIndex",
    "BundleLimits",
    "LayoutProblem",
    "ReopenToken",
    "SeasonEntry",
    "open_bundle",
    "overlay",
    "reopen",
]
