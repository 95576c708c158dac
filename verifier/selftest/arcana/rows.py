"""Step 0, ``arcana/layout``: row files that are not in the form in which they must be."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Final

from verifier.arcana.checks.catalogue import LAYOUT
from verifier.core.canon import canonical_bytes
from verifier.selftest.arcana.forgery import Evidence, Forgery
from verifier.selftest.mutations import Mutation

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.selftest.mutations import Changes


def _rewrite(
    evidence: Evidence, *, table: str, change: Callable[[list[bytes]], list[bytes]], least: int = 1
) -> Changes | None:
    """Rewrite the lines of a file that has at least so many."""
    forgery = Forgery(evidence)
    lines = forgery.lines(table)
    if len(lines) < least:
        return None
    lines[:] = change(lines)
    return forgery.changes()


def _exchange(lines: list[bytes]) -> list[bytes]:
    return [lines[1], lines[0], *lines[2:]]


def _turn_around(lines: list[bytes]) -> list[bytes]:
    members = dict(reversed(json.loads(lines[0]).items()))
    text = json.dumps(members, ensure_ascii=False, separators=(",", ":"))
    return [text.encode(), *lines[1:]]


def _rename_version(lines: list[bytes]) -> list[bytes]:
    other = canonical_bytes({**json.loads(lines[0]), "notes": []})
    return [*lines, other]


def _offset(evidence: Evidence) -> Changes | None:
    forgery = Forgery(evidence)
    if not forgery.lines("seasons"):
        return None
    end = forgery.row("seasons", 1)["end"]
    forgery.put("seasons", 1, end=f"{end[:-1]}+00:00")
    return forgery.changes()


def _unlisted_season(evidence: Evidence) -> Changes | None:
    forgery = Forgery(evidence)
    used = {row.season_id for row in evidence.context.tables.scores}
    for season in evidence.context.tables.seasons:
        if season.season_id in used:
            del forgery.lines("seasons")[season.line - 1]
            return forgery.changes()
    return None


def _missing(evidence: Evidence) -> Changes:
    forgery = Forgery(evidence)
    forgery.file("arcana/formulas.jsonl", None)
    return forgery.changes()


def _shared_seal(evidence: Evidence) -> Changes | None:
    sealed = [row for row in evidence.context.tables.snapshots if row.seal is not None]
    if len(sealed) < 2:
        return None
    forgery = Forgery(evidence)
    forgery.put("snapshots", sealed[1].line, seal=sealed[0].seal)
    return forgery.changes()


def _short_column(evidence: Evidence) -> Changes | None:
    for row in evidence.context.tables.scores:
        text = row.columns["regime_score"]
        if row.seal is None and text is not None and text.endswith("0"):
            forgery = Forgery(evidence)
            forgery.put("scores", row.line, regime_score=text[:-1])
            return forgery.changes()
    return None


def _mutation(name: str, what: str, apply: Callable[[Evidence], Changes | None]) -> Mutation:
    return Mutation(name=name, aims_at=LAYOUT.id, what=what, apply=apply)


MUTATIONS: Final = (
    _mutation(
        "rows-out-of-order",
        "The first two snapshots are exchanged.",
        partial(_rewrite, table="snapshots", change=_exchange, least=2),
    ),
    _mutation(
        "boards-out-of-order",
        "The first two leaderboards are exchanged.",
        partial(_rewrite, table="leaderboards", change=_exchange, least=2),
    ),
    _mutation(
        "row-twice",
        "The line of an agent stands twice.",
        partial(_rewrite, table="agents", change=lambda lines: [lines[0], *lines]),
    ),
    _mutation(
        "identity-twice",
        "A second document of the same formula version is added.",
        partial(_rewrite, table="formulas", change=_rename_version),
    ),
    _mutation(
        "row-with-space",
        "A space is put into the first line of seasons.jsonl.",
        partial(
            _rewrite,
            table="seasons",
            change=lambda lines: [lines[0].replace(b",", b", ", 1), *lines[1:]],
        ),
    ),
    _mutation(
        "row-members-turned",
        "The members of an agent's line stand in another order.",
        partial(_rewrite, table="agents", change=_turn_around),
    ),
    _mutation(
        "rows-crlf",
        "The lines of seasons.jsonl end in CR LF.",
        partial(_rewrite, table="seasons", change=lambda lines: [x + b"\r" for x in lines]),
    ),
    _mutation("time-with-offset", "A time is written with +00:00 instead of Z.", _offset),
    _mutation("season-unlisted", "The season of the scores is not listed.", _unlisted_season),
    _mutation("row-file-missing", "formulas.jsonl is taken away.", _missing),
    _mutation("seal-shared", "Two snapshots have the same seal.", _shared_seal),
    _mutation(
        "column-one-decimal", "A column of an unsealed score has one decimal.", _short_column
    ),
)
