"""The page on limits states every limit that an error can name, with its value in the code."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Final

import pytest
from shared import ROOT

from sitegen import config, content
from verifier import folder
from verifier.arcana import gojson
from verifier.cli.files import FILE_BYTES, read_file
from verifier.collect import addresses, arcana, decode, watched
from verifier.collect.http import ClientLimits
from verifier.core import dsse, merkle, notes
from verifier.core.jsonread import JsonLimits
from verifier.core.jsonscan import BIG_DIGITS
from verifier.errors import LimitError
from verifier.ethereum import rlp
from verifier.freeze import read as season
from verifier.freeze import record
from verifier.limits import RATIO_FREE_BYTES, BundleLimits
from verifier.policy import MAX_POLICY_BYTES
from verifier.proof import build
from verifier.report import words
from verifier.report.visible import LIMIT
from verifier.sharpe.checks.seeds import SEEDS_LIMIT
from verifier.sharpe.evidence import BAND_LIMIT
from verifier.venues import coinbase, exchange, hyperliquid

PAGE: Final = (ROOT / "site/content/limits.md").read_text("utf-8")
NAMED: Final = re.compile(
    r"""limit="(\w+)"|\(limit (\w+)\)|self\._over\(.*, "(\w+)"|, most=.*"(\w+_bytes)\""""
)
UNITS: Final = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
JSON: Final = {
    "json_size": JsonLimits().size,
    "json_depth": JsonLimits().depth,
    "json_values": JsonLimits().values,
    "json_digits": BIG_DIGITS,
}
ELSE: Final = {
    "input_bytes": FILE_BYTES,
    "body_bytes": exchange.BODY_BYTES,
    "toml_bytes": config.MAX_TOML_BYTES,
    "content_bytes": content._LARGEST,  # noqa: SLF001
    "season_bytes": season._LARGEST,  # noqa: SLF001
    "folder_bytes": folder.FILE_BYTES,
}
FORMATS: Final = {
    "a policy, since a reader of TOML takes seconds for 64 KiB of dots": MAX_POLICY_BYTES,
    "code points of a note that a report shows to people": words.NOTE_LIMIT,
    "code points of any other text of others that it shows": LIMIT,
    "hashes of an inclusion or consistency proof": merkle.MAX_PROOF,
    "leaves in a proof file": build.MAX_LEAVES,
    "signatures of a note": notes.MAX_SIGNATURES,
    "signatures of an envelope of a report": dsse.MAX_SIGNATURES,
    "nesting of RLP": rlp.MAX_DEPTH,
    "nesting of a manifest's JSON": gojson.MAX_DEPTH,
    "seeds of a board": SEEDS_LIMIT,
    "seeds of a public band": BAND_LIMIT,
    "rows in one answer of Hyperliquid": hyperliquid.MAX_ROWS,
    "rows in one answer of Coinbase": max(coinbase.MAX_ROWS, coinbase.MAX_ROWS_ADVANCED),
    "characters of the reason for freezing with unproven claims": record._REASON_LENGTH,  # noqa: SLF001
    "bytes of a URL": addresses.URL_BYTES,
}
NETWORK: Final = {
    "ratio": decode.RATIO,
    "scores": arcana._SCORES,  # noqa: SLF001
    "pages": watched.PAGES,
}


def defaults(limits: BundleLimits | ClientLimits) -> dict[str, float]:
    """Names and defaults of a set of limits."""
    return {each.name: getattr(limits, each.name) for each in fields(limits)}


def stated(heading: str) -> dict[str, float]:
    """The rows of all tables of a section: name and value."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| ([\d,]+)(?: (\w+))? \|", section, re.MULTILINE)
    return {
        name.strip("`"): int(number.replace(",", "")) * UNITS.get(unit, 1)
        for name, number, unit in rows
    }


def test_values_are_those_of_the_code() -> None:
    """Section by section, no limit more and none less."""
    assert stated("Bundles") == defaults(BundleLimits())
    assert stated("JSON") == JSON
    assert stated("What else is read") == ELSE | FORMATS
    assert stated("The network") == defaults(ClientLimits()) | NETWORK
    assert f"{RATIO_FREE_BYTES >> 20} MiB" in PAGE
    assert f"{decode.FREE_BYTES >> 20} MiB" in PAGE


def test_every_name_in_an_error_is_on_the_page() -> None:
    """And each limit of the page is named by some error, or is a pause that needs none."""
    named = {
        name
        for package in ("verifier", "sitegen")
        for path in (ROOT / package).rglob("*.py")
        for match in NAMED.findall(path.read_text("utf-8"))
        for name in match
        if name
    }
    known = {*JSON, *ELSE, *NETWORK, *defaults(BundleLimits()), *defaults(ClientLimits())}
    assert named <= known
    assert known - named <= {"attempts", "idle_seconds", "longest_wait"}


def test_a_limit_is_named_in_its_error(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A file that is larger than any input may be; it takes no disk space."""
    path = tmp_path_factory.mktemp("large") / "large"
    with path.open("wb") as file:
        file.truncate(FILE_BYTES + 1)
    with pytest.raises(LimitError, match=r"limit input_bytes"):
        read_file(path)
