"""
What a maintainer says about a site: ``site.toml``.

=================  =========  ========================================================
``title``          required   name of the arena
``description``    required   what it publishes, in one sentence
``base_url``       optional   where the site will be served: ``https://host/path/``. Pages do
                              not need it; the sitemap, the feed's addresses and link
                              previews do, and without it the sitemap is left out
``language``       ``"en"``   BCP 47 tag of the prose
``seasons``        optional   ids of all seasons in the order in which they are listed;
                              the newest first when it is not given
``current``        optional   ids of the current seasons, at most one of a family;
                              the newest of each family when it is not given
``parquet``        ``true``   offer every table as Parquet too (needs pyarrow)
``pagefind``       ``false``  index the pages for Pagefind as well (needs pagefind)
=================  =========  ========================================================

Any other key is an error, so that a misspelt one does not go unnoticed.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MAX_TOML_BYTES", "Config", "parse_config", "read_toml"]

MAX_TOML_BYTES: Final = 16 << 10
"""Most bytes of one text, since the reader of TOML takes minutes for 64 KiB of dots."""

_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,8}(?:-[0-9A-Za-z]{1,8})*")
_BASE_URL: Final = re.compile(r"https?://[0-9A-Za-z.:\[\]-]+/(?:[0-9A-Za-z._~%-]+/)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The content of ``site.toml``; see the module for what each member means."""

    title: str
    description: str
    base_url: str | None = None
    language: str = "en"
    seasons: tuple[str, ...] | None = None
    current: tuple[str, ...] | None = None
    parquet: bool = True
    pagefind: bool = False


def parse_config(data: bytes, *, file: str) -> Config:
    """
    Read ``site.toml``.

    Args:
        data: Its bytes.
        file: What it is called in errors.

    Raises:
        SiteError: Not TOML, an unknown or missing key, or a value of the wrong kind.
    """
    table = read_toml(data, file=file)
    if unknown := table.keys() - Config.__dataclass_fields__.keys():
        raise SiteError(f"{file}: unknown key {min(unknown)}")
    for key in ("title", "description"):
        if key not in table:
            raise SiteError(f"{file}: {key} is missing")
    config = Config(
        title=_text(table, "title", file),
        description=_text(table, "description", file),
        base_url=_text(table, "base_url", file) if "base_url" in table else None,
        language=_text(table, "language", file) if "language" in table else "en",
        seasons=_ids(table, "seasons", file),
        current=_ids(table, "current", file),
        parquet=_flag(table, "parquet", file, default=True),
        pagefind=_flag(table, "pagefind", file, default=False),
    )
    if config.base_url is not None and not _BASE_URL.fullmatch(config.base_url):
        raise SiteError(f"{file}: base_url is not http(s)://host/path/ with a / at its end")
    if not _LANGUAGE.fullmatch(config.language):
        raise SiteError(f"{file}: language is no language tag")
    if config.current == ():
        raise SiteError(f"{file}: current names no season")
    return config


def read_toml(data: bytes, *, file: str) -> dict[str, object]:
    """
    Read TOML of a maintainer's.

    Args:
        data: The text.
        file: What it is called in errors.

    Raises:
        SiteError: Not TOML, or more than its reader can take.
    """
    if len(data) > MAX_TOML_BYTES:
        raise SiteError(f"{file}: over {MAX_TOML_BYTES} bytes of TOML (limit toml_bytes)")
    try:
        return tomllib.loads(data.decode())
    except RecursionError:
        raise SiteError(f"{file}: nested too deeply") from None
    except ValueError as error:  # not UTF-8, not TOML, or a number of too many digits
        raise SiteError(f"{file}: not TOML: {error}") from None


def _text(table: Mapping[str, object], key: str, file: str) -> str:
    value = table[key]
    if not isinstance(value, str) or not value.strip() or "\n" in value:
        raise SiteError(f"{file}: {key} is not a line of text")
    return value


def _flag(table: Mapping[str, object], key: str, file: str, *, default: bool) -> bool:
    value = table.get(key, default)
    if not isinstance(value, bool):
        raise SiteError(f"{file}: {key} is neither true nor false")
    return value


def _ids(table: Mapping[str, object], key: str, file: str) -> tuple[str, ...] | None:
    if key not in table:
        return None
    value = table[key]
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise SiteError(f"{file}: {key} is not a list of season ids")
    if len(set(value)) != len(value):
        raise SiteError(f"{file}: {key} names a season twice")
    return tuple(value)
