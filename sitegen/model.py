"""
What a site is made of, before it is bytes: pages, files, and the seasons they show.

A chapter turns one frozen season of one family into pages and files. It makes
them unit by unit, so that the units can be shared between processes and a
large season is never held whole. Nothing here reads or writes a file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from verifier.bundle import Bundle
    from verifier.core.jsonread import JsonValue
    from verifier.policy import Policy

__all__ = ["Artifact", "Chapter", "Copy", "Crumb", "Erratum", "File", "Page", "Season"]


@dataclass(frozen=True, slots=True)
class Crumb:
    """
    One step of the path at the top of a page.

    Args:
        label: What the step is called; hostile text is allowed, it is escaped when shown.
        path: The page it leads to, from the root of the site; None for the page itself.
    """

    label: str
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """
    One page of the site, rendered later with the site's layout.

    Args:
        path: From the root of the site, such as ``seasons/s1/index.html``.
        template: Template under ``templates/`` that extends ``base.html``.
        title: Its title.
        finding: The one sentence that says what was found, with its numbers.
        trail: The way to it, from the arena down.
        values: What the template reads.
        season: The season whose data it shows; None for a page of prose.
        data_sha256: Hash of the data it was made from, for its footer.
        command: The one command that recomputes it, for its footer.
        payload: Data that ``verify.js`` checks in the page; see ``static/verify.js``.
        search: Words to find it by; None keeps it out of the search.
        summary: Text for feeds and link previews; the finding when None.
    """

    path: str
    template: str
    title: str
    finding: str
    trail: tuple[Crumb, ...]
    values: Mapping[str, object] = field(default_factory=dict)
    season: Season | None = None
    data_sha256: str | None = None
    command: str | None = None
    payload: Mapping[str, JsonValue] | None = None
    search: str | None = None
    summary: str | None = None


@dataclass(frozen=True, slots=True)
class File:
    """A file of the site that is no page, such as a download: path from the root, and bytes."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """
    A file of the site that is copied in pieces, since it may be large.

    Args:
        path: From the root of the site.
        chunks: Gives its bytes.
        sha256: What they must hash to, in hex.
    """

    path: str
    chunks: Callable[[], Iterator[bytes]]
    sha256: str


Artifact = Page | File | Copy


@dataclass(frozen=True, slots=True, kw_only=True)
class Erratum:
    """
    A mistake that was found after a season was frozen.

    Args:
        id: Its name, which is also its anchor on the page of errata.
        season: The season it is about.
        title: One line.
        date: ``YYYY-MM-DD``, as its author wrote it.
        html: Its text, rendered from Markdown with raw HTML off.
        replaced_by: The season that holds the corrected table, if one does.
    """

    id: str
    season: str
    title: str
    date: str
    html: str
    replaced_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Season:
    """
    A frozen season, read back and hashed.

    Args:
        id: Its name, which is a safe file name.
        family: ``arcana``, ``floor`` or ``sharpe``.
        arena: As the bundle names it.
        title: The bundle's title; hostile text.
        as_of: Time of the audit, RFC 3339.
        record: ``season.json`` as decoded: every hash, the verdict and the counts.
        table: ``table.json``, exact bytes.
        report: ``report.json``, exact bytes.
        policy: The policy of the audit.
        policy_text: ``policy.toml``, exact bytes.
        bundle: The evidence, opened and hashed.
        root: Where its pages live, from the root of the site: ``seasons/<id>/``.
        evidence: Where the bundle's files are published: ``evidence/<16 hex>/``.
        allow_unproven: The maintainer's reason to publish with unproven claims, if there are any.
        errata: What was found wrong since.
        parquet: Whether the site offers its tables as Parquet too.
    """

    id: str
    family: str
    arena: str
    title: str
    as_of: str
    record: Mapping[str, JsonValue]
    table: bytes
    report: bytes
    policy: Policy
    policy_text: bytes
    bundle: Bundle
    root: str
    evidence: str
    allow_unproven: str | None = None
    errata: tuple[Erratum, ...] = ()
    parquet: bool = True


class Chapter(Protocol):
    """The pages of one season, made unit by unit."""

    def units(self) -> Sequence[str]:
        """Name the parts that can be made apart from each other, in a fixed order."""

    def artifacts(self, unit: str) -> Iterator[Artifact]:
        """Make the pages and files of one unit, in a fixed order."""
