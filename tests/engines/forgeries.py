"""All bundles there are to audit: those of the fixtures, and those of the shared data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from overlays import OVERLAYS, overlays
from shared import FIXTURES, SHARED

from verifier.bundle import open_bundle, overlay

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from verifier.bundle import Bundle

__all__ = ["forged_bundles"]

_BUNDLES: Final = SHARED / "reference" / "bundles"


def forged_bundles() -> Iterator[tuple[str, Bundle]]:
    """Yield the name of each bundle, and the bundle, open until the next one is asked for."""
    for folder in sorted(path for path in OVERLAYS.iterdir() if path.is_dir()):
        with open_bundle(FIXTURES / folder.name) as base:
            yield f"fixtures/{folder.name}", base
            for each in overlays(folder.name):
                changes = each.changes(base)
                yield (
                    f"fixtures/{folder.name}: {each.name}",
                    overlay(base, changes, relist=each.relist),
                )
    for index in sorted(_BUNDLES.glob("*/bundle.json")):
        with open_bundle(index.parent) as base:
            yield f"shared/{index.parent.name}", base
            yield from _laid_over(base, index.parent.name)


def _laid_over(base: Bundle, name: str) -> Iterator[tuple[str, Bundle]]:
    """Lay folders over a bundle, as the index beside them says."""
    for index in sorted(_BUNDLES.glob("*/index.json")):
        for each in json.loads(index.read_bytes()):
            if each["base"] == name:
                folder: Path = index.parent / each["name"]
                changes: dict[str, bytes | None] = dict.fromkeys(each.get("remove", ()))
                for path in sorted(folder.rglob("*")):
                    if path.is_file():
                        changes[path.relative_to(folder).as_posix()] = path.read_bytes()
                yield f"shared/{name}: {each['name']}", overlay(base, changes)
