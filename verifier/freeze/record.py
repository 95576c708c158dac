"""
``season.json``: what was frozen, with every hash. Canonical JSON, no newline.

::

    {"arena":"...","as_of":T,"bundle":{"sha256":H},"family":"floor",
     "format":"tallyproof-frozen/1","policy":{"sha256":H},
     "report":{"counts":{...},"coverage":{...},"sha256":H,"verdict":"pass"},
     "season":"season-1","table":{"sha256":H},"title":"...",
     "tool":{"name":"tallyproof","version":"..."},"unproven":null}

``as_of`` is the clock of the audit. ``unproven`` is null for a season in which
everything was proved, else ``{"count":n,"reason":"..."}``: how many claims
were not, and why they are published all the same. Everything but the id, the
family and that reason follows from the files beside it, so the same function
makes the record when a season is frozen and again when it is read.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.core.shape import Obj
from verifier.errors import EvidenceError, FormatError, UsageError

if TYPE_CHECKING:
    from verifier.bundle import BundleIndex
    from verifier.core.jsonread import JsonValue

__all__ = ["FORMAT", "check_reason", "season_record"]

FORMAT: Final = "tallyproof-frozen/1"
_REPORT: Final = "tallyproof-report/1"
_REASON_LENGTH: Final = 500


def check_reason(reason: str) -> None:
    """
    Refuse a reason that says nothing, or does not fit on a page.

    Raises:
        UsageError: Blank, of several lines, or over 500 characters.
    """
    if not reason.strip():
        raise UsageError("a season with unproven claims needs a reason, and this one is blank")
    if len(reason) > _REASON_LENGTH:
        raise UsageError(f"the reason is longer than {_REASON_LENGTH} characters")
    if not reason.isprintable():
        raise UsageError("the reason must be one line without control characters")


def season_record(  # noqa: PLR0913  each is one thing that was frozen
    *,
    index: BundleIndex,
    bundle_sha256: str,
    family: str,
    season: str,
    table: bytes,
    report: bytes,
    policy: bytes,
    reason: str | None,
) -> dict[str, JsonValue]:
    """
    Make the record of a frozen season.

    Args:
        index: The index of the bundle.
        bundle_sha256: Seal of the bundle.
        family: Family of the season.
        season: Its id.
        table: The bytes of ``table.json``.
        report: The bytes of ``report.json``.
        policy: The bytes of ``policy.toml``.
        reason: Why unproven claims are published; must be None if all is proved.

    Raises:
        JsonError: The report is not canonical JSON and one newline.
        FormatError: The report is none of this bundle and policy, says that a
            claim is wrong, or that one is unproven while no reason is given.
    """
    try:
        return _record(
            index, bundle_sha256, family, season, table, report, sha256(policy).hexdigest(), reason
        )
    except EvidenceError as error:
        raise error.in_file("report.json") from None


def _record(  # noqa: PLR0913, PLR0917  as above
    index: BundleIndex,
    bundle_sha256: str,
    family: str,
    season: str,
    table: bytes,
    report: bytes,
    policy_sha256: str,
    reason: str | None,
) -> dict[str, JsonValue]:
    value = read_json(report)
    if canonical_bytes(value) + b"\n" != report:
        raise FormatError("is not canonical JSON and one newline")
    found = Obj(
        value, ("bundle", "counts", "coverage", "policy", "tool", "verdict"), open_ended=True
    )
    if found.value.get("format") != _REPORT:
        raise FormatError(f"unknown format, known is {_REPORT!r}", pointer="/format")
    bundle = Obj(found.value["bundle"], ("as_of", "sha256"), pointer="/bundle")
    policy = Obj(found.value["policy"], ("sha256",), pointer="/policy")
    counts = Obj(found.value["counts"], ("exempt", "fail", "pass", "unproven"), pointer="/counts")
    for what, one, stated in (
        ("bundle", bundle.text("sha256"), bundle_sha256),
        ("policy", policy.text("sha256"), policy_sha256),
    ):
        if one != stated:
            raise FormatError(
                f"is the report of another {what}: {one}, here it is {stated}",
                pointer=f"/{what}/sha256",
            )
    unproven = counts.integer("unproven")
    verdict = found.text("verdict")
    if verdict != ("unproven" if unproven else "pass") or counts.integer("fail"):
        raise FormatError(f"{verdict!r} is no verdict to freeze", pointer="/verdict")
    if (reason is None) != (unproven == 0):
        given = "no reason to publish them is given" if reason is None else "a reason is given"
        raise FormatError(
            f"{unproven} claims are unproven, and {given}", pointer="/counts/unproven"
        )
    return {
        "arena": index.arena,
        "as_of": bundle.text("as_of"),
        "bundle": {"sha256": bundle_sha256},
        "family": family,
        "format": FORMAT,
        "policy": {"sha256": policy_sha256},
        "report": {
            "counts": counts.value,
            "coverage": found.mapping("coverage"),
            "sha256": sha256(report).hexdigest(),
            "verdict": verdict,
        },
        "season": season,
        "table": {"sha256": sha256(table).hexdigest()},
        "title": index.title,
        "tool": found.mapping("tool"),
        "unproven": None if reason is None else {"count": unproven, "reason": reason},
    }
