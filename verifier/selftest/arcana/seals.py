"""Steps 1 and 2: manifests that are not what their seal covers, or not of their row."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from verifier.arcana.checks.catalogue import IDENTITY, SEAL
from verifier.arcana.context import MANIFESTS, manifest_path
from verifier.arcana.manifest import emit_manifest
from verifier.selftest.arcana.forgery import Evidence, Forgery
from verifier.selftest.mutations import Mutation

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.arcana.manifest import ScoreManifest
    from verifier.arcana.rows import ScoreRow
    from verifier.selftest.mutations import Changes

_MEMBER: Final = rb'("[a-z_]+":[^,{}]+)'


def _respell(
    evidence: Evidence, *, change: Callable[[bytes], bytes], reseal: bool = True
) -> Changes | None:
    """Write the first manifest whose bytes the change concerns in another way."""
    for row, _ in evidence.scores():
        assert row.seal is not None
        forgery = Forgery(evidence)
        text = forgery.text(row.seal)
        changed = change(text)
        if changed != text:
            if reseal:
                forgery.reseal(row.seal, changed)
            else:
                forgery.file(manifest_path(row.seal), changed)
            return forgery.changes()
    return None


def _substitute(pattern: bytes, replacement: bytes) -> Callable[[bytes], bytes]:
    return lambda text: re.sub(pattern, replacement, text, count=1)


def _first_score(evidence: Evidence) -> tuple[ScoreRow, ScoreManifest] | None:
    return next(evidence.scores(), None)


def _removed(evidence: Evidence) -> Changes | None:
    found = _first_score(evidence)
    return None if found is None else {manifest_path(found[0].seal or ""): None}


def _other_folder(evidence: Evidence) -> Changes | None:
    found = _first_score(evidence)
    if found is None:
        return None
    path = manifest_path(found[0].seal or "")
    folder = "00" if not path.startswith(f"{MANIFESTS}00/") else "01"
    data = evidence.context.bundle.read(path)
    return {path: None, f"{MANIFESTS}{folder}/{path.rpartition('/')[2]}": data}


def _without_row(evidence: Evidence) -> Changes | None:
    found = _first_score(evidence)
    if found is None:
        return None
    row, manifest = found
    data = emit_manifest(replace(manifest, previous_seal=row.seal))
    return {manifest_path(sha256(data).hexdigest()): data}


def _other_kind(evidence: Evidence) -> Changes | None:
    sealed = (row.seal for row in evidence.context.tables.snapshots if row.seal is not None)
    found, seal = _first_score(evidence), next(sealed, None)
    if found is None or seal is None:
        return None
    forgery = Forgery(evidence)
    forgery.put("scores", found[0].line, seal=seal)
    return forgery.changes()


def _exchanged(evidence: Evidence) -> Changes | None:
    first: dict[str, ScoreRow] = {}
    for row, _ in evidence.scores():
        other = first.setdefault(row.agent_id, row)
        if other is not row:
            forgery = Forgery(evidence)
            forgery.put("scores", row.line, seal=other.seal)
            forgery.put("scores", other.line, seal=row.seal)
            return forgery.changes()
    return None


def _previous(evidence: Evidence, *, skip: bool) -> Changes | None:
    before = evidence.context.previous
    for row, manifest in evidence.scores():
        previous = manifest.previous_seal
        if previous is None or (skip and before.get(previous) is None):
            continue
        forgery = Forgery(evidence)
        other = before[previous] if skip else None
        forgery.reseal(row.seal, replace(manifest, previous_seal=other))
        return forgery.changes()
    return None


def _renamed(
    evidence: Evidence, *, change: Callable[[Evidence, ScoreManifest], ScoreManifest]
) -> Changes | None:
    for row, manifest in evidence.scores():
        changed = change(evidence, manifest)
        if changed != manifest:
            forgery = Forgery(evidence)
            forgery.reseal(row.seal, changed)
            return forgery.changes()
    return None


def _other_agent(evidence: Evidence, manifest: ScoreManifest) -> ScoreManifest:
    others = (agent for agent in evidence.context.agents if agent != manifest.agent_id)
    return replace(manifest, agent_id=next(others, manifest.agent_id))


def _other_season(evidence: Evidence, manifest: ScoreManifest) -> ScoreManifest:
    listed = (season.season_id for season in evidence.context.tables.seasons)
    others = (season for season in listed if season != manifest.season_id)
    return replace(manifest, season_id=next(others, manifest.season_id))


def _other_time(_: Evidence, manifest: ScoreManifest) -> ScoreManifest:
    last = "1" if manifest.ts[-2] == "0" else "0"
    return replace(manifest, ts=f"{manifest.ts[:-2]}{last}Z")


def _spelling(name: str, what: str, change: Callable[[bytes], bytes]) -> Mutation:
    return Mutation(name=name, aims_at=SEAL.id, what=what, apply=partial(_respell, change=change))


MUTATIONS: Final = (
    Mutation(
        name="bytes-under-old-seal",
        aims_at=SEAL.id,
        what="A score's manifest is changed, and keeps its name.",
        apply=partial(_respell, change=_substitute(rb'"nav":"(\d)', rb'"nav":"9\1'), reseal=False),
    ),
    _spelling("crlf", "Lines end in CR LF; sealed anew.", lambda x: x.replace(b"\n", b"\r\n")),
    _spelling("trailing-byte", "A newline more at the end; sealed anew.", lambda x: x + b"\n"),
    _spelling("bom", "A byte order mark in front; sealed anew.", lambda x: b"\xef\xbb\xbf" + x),
    _spelling(
        "key-order",
        "Two constants change places; sealed anew.",
        _substitute(rb"(constants: \{)" + _MEMBER + b"," + _MEMBER, rb"\1\3,\2"),
    ),
    _spelling(
        "key-twice",
        "A constant stands twice; sealed anew.",
        _substitute(rb"(constants: \{)" + _MEMBER, rb"\1\2,\2"),
    ),
    _spelling(
        "number-spelling",
        "50 is written 50.0; sealed anew.",
        _substitute(rb'"regime":(\d+),', rb'"regime":\1.0,'),
    ),
    _spelling(
        "needless-escape",
        "A letter is written as an escape; sealed anew.",
        _substitute(rb'formula: "a', rb'formula: "\\u0061'),
    ),
    _spelling("line-added", "A line more; sealed anew.", lambda x: x + b"note: null\n"),
    Mutation(
        name="manifest-missing",
        aims_at=SEAL.id,
        what="The manifest of a sealed score is taken away.",
        apply=_removed,
    ),
    Mutation(
        name="manifest-other-folder",
        aims_at=SEAL.id,
        what="A manifest lies in the folder of other seals.",
        apply=_other_folder,
    ),
    Mutation(
        name="manifest-without-row",
        aims_at=SEAL.id,
        what="A sealed record is added that no row names.",
        apply=_without_row,
    ),
    Mutation(
        name="seal-of-another-kind",
        aims_at=SEAL.id,
        what="A score row has the seal of a snapshot.",
        apply=_other_kind,
    ),
    Mutation(
        name="seals-exchanged",
        aims_at=IDENTITY.id,
        what="Two score rows of one agent have each other's seals.",
        apply=_exchanged,
    ),
    Mutation(
        name="previous-seal-skips",
        aims_at=IDENTITY.id,
        what="A score names the sealed score before the one before it; sealed anew.",
        apply=partial(_previous, skip=True),
    ),
    Mutation(
        name="previous-seal-null",
        aims_at=IDENTITY.id,
        what="A score says that it is the first; sealed anew.",
        apply=partial(_previous, skip=False),
    ),
    Mutation(
        name="score-of-another-agent",
        aims_at=IDENTITY.id,
        what="A manifest names another agent than its row; sealed anew.",
        apply=partial(_renamed, change=_other_agent),
    ),
    Mutation(
        name="score-of-another-season",
        aims_at=IDENTITY.id,
        what="A manifest names another season than its row; sealed anew.",
        apply=partial(_renamed, change=_other_season),
    ),
    Mutation(
        name="score-of-another-time",
        aims_at=IDENTITY.id,
        what="A manifest names a time one microsecond off its row's; sealed anew.",
        apply=partial(_renamed, change=_other_time),
    ),
)
