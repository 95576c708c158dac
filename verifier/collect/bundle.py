"""A bundle under a base URL, of any arena: copied, and nothing else asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.collect.mirror import base_url, mirror
from verifier.collect.outcome import Outcome, altered, missing

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.collect.mirror import Mirrored
    from verifier.collect.store import Recorder, Store

__all__ = ["BUNDLE", "bundle_facts", "fetch_bundle"]

BUNDLE: Final = "bundle"


def fetch_bundle(
    url: str,
    *,
    http: Recorder,
    store: Store,
    progress: Callable[[str, int, int], None] | None = None,
) -> Outcome:
    """
    Copy a bundle.

    Args:
        url: Where ``bundle.json`` and ``SHA256SUMS`` lie.
        http: Asks, and keeps what it is told.
        store: Where everything goes.
        progress: Called with what is done, how much, and of how much.

    Raises:
        CollectError: There is no bundle, or a file could not be asked for.
        EvidenceError: It is none, or its list cannot be followed.
    """
    mirrored = mirror(base_url(url), BUNDLE, http=http, store=store, progress=progress)
    return Outcome(
        facts=bundle_facts(mirrored),
        contradictions=tuple(altered(mirrored)),
        missing=tuple(missing(mirrored)),
        commands=(("tallyproof", "audit", str(store.folder / BUNDLE)),),
    )


def bundle_facts(mirrored: Mirrored) -> tuple[tuple[str, str], ...]:
    """Say what a copied bundle is."""
    return (
        ("title", mirrored.index.title),
        ("families", ", ".join(mirrored.index.families)),
        ("as of", mirrored.index.as_of),
        ("files", str(mirrored.files)),
        ("bundle", mirrored.sha256),
    )
