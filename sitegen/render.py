"""
From a page to its HTML.

Templates live in ``templates/`` and escape everything that is not Markup. A name
that a template does not know is an error, never an empty place. What a template
sees:

* ``page``, ``season`` (None on pages of prose) and ``site`` (:class:`Site`);
* every member of ``page.values`` by its own name;
* ``href(path)``: the address of a file of the site, or of ``<page>.html#<id>``, from this page;
* ``payload``: what ``verify.js`` reads, as the text of a JSON script element, or None;
* ``shown(text)``: text of agents with everything hidden made visible; the filter
  ``agent_text`` is the same, and ``sentence`` keeps dates on one line besides;
* ``script_json(value)``: JSON that can stand in a script element, and ``dataset`` of
  :mod:`sitegen.feed`, which makes such a value;
* all public names of ``sitegen.components``, ``sitegen.charts`` and ``sitegen.numbers``.

A macro of another file sees ``href`` when it is imported ``with context``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError
from markupsafe import Markup

from sitegen.components.inline import sentence
from sitegen.feed import dataset
from sitegen.links import relative
from sitegen.text import shown
from verifier.errors import SiteError
from verifier.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sitegen.model import Page

__all__ = ["TEMPLATES", "Renderer", "SeasonLink", "Site", "script_json"]

TEMPLATES: Final = Path(__file__).parent / "templates"

_VOCABULARY: Final = ("sitegen.components", "sitegen.charts", "sitegen.numbers")
_OWN: Final = frozenset({"href", "page", "payload", "season", "site"})
# What could end a script element or begin a comment in one; legal in JSON when escaped.
_IN_SCRIPT: Final = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonLink:
    """
    A season as the navigation names it.

    Args:
        id: Its name.
        family: Its family.
        title: Its title; hostile text.
        as_of: Time of its audit, RFC 3339.
        path: Its first page, from the root of the site.
        current: Whether it is the newest of its family.
    """

    id: str
    family: str
    title: str
    as_of: str
    path: str
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """
    What every page knows about the site as a whole.

    Args:
        title: Name of the arena.
        description: What it publishes, in one sentence.
        base_url: Where the site is served, ending in ``/``; None when nobody knows yet.
        language: BCP 47 tag of the prose.
        seasons: All seasons, as site.toml orders them.
        pagefind: Whether the pages are indexed for Pagefind as well.
        generator: Version of Tallyproof.
    """

    title: str
    description: str
    base_url: str | None = None
    language: str = "en"
    seasons: tuple[SeasonLink, ...] = ()
    pagefind: bool = False
    generator: str = VERSION


class Renderer:
    """
    Renders pages; making one compiles nothing, rendering compiles each template once.

    Args:
        site: What every page knows about the site.
    """

    def __init__(self, site: Site) -> None:
        self._environment = environment()
        self._environment.globals["site"] = site
        self._site = site

    def render(self, page: Page) -> str:
        """
        Write the HTML of a page.

        Raises:
            SiteError: The template is not there, is malformed, or needs what the page lacks.
        """
        values: Mapping[str, object] = page.values
        if taken := _OWN & values.keys():
            raise SiteError(f"{page.path}: the page has a value named {min(taken)}")
        payload = None if page.payload is None else script_json(page.payload)
        try:
            template = self._environment.get_template(page.template)
            return template.render(
                values,
                page=page,
                season=page.season,
                payload=payload,
                href=partial(relative, page.path),
            )
        except TemplateError as error:
            what = error.message or type(error).__name__
            raise SiteError(f"{page.path}: template {page.template}: {what}") from error


def environment() -> Environment:
    """Set up the template engine with everything but ``site``."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    for name in _VOCABULARY:
        module = import_module(name)
        made.globals.update({each: getattr(module, each) for each in module.__all__})
    made.globals["dataset"] = dataset
    made.globals["script_json"] = script_json
    made.globals["shown"] = shown
    made.filters["agent_text"] = shown
    made.filters["sentence"] = sentence
    return made


def script_json(value: object) -> Markup:
    """
    Write JSON so that it can stand in a script element: ASCII, no ``<``, ``>`` or ``&``.

    Raises:
        SiteError: A number is not finite.
    """
    try:
        text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise SiteError(f"a page's data is no JSON: {error}") from None
    return Markup(text.translate(_IN_SCRIPT))  # noqa: S704 - escaped just now
