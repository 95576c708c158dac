"""Verdicts of ``verify.js`` under Node on the boards of the demo, honest, forged and altered."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import pytest
from board_node import values
from overlays import overlays
from programs import needs_node
from shared import FIXTURES

from verifier.bundle import Bundle, open_bundle, overlay

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = needs_node

FORGERIES: Final = {forgery.name: forgery for forgery in overlays("sharpe-demo")}

# What lies beyond the board and its returns: seeds.json, traces, and what the rules forbid.
UNSEEN: Final = {
    "committed-after-closing": "pass",
    "salt-withheld": "pass",
    "setting-before-its-time": "pass",
}


@pytest.fixture(scope="module")
def demo() -> Iterator[Bundle]:
    """Open the demo bundle once."""
    with open_bundle(FIXTURES / "sharpe-demo") as bundle:
        yield bundle


def payload(bundle: Bundle, board: str) -> dict[str, Any]:
    """What the page of a board carries, and the gap files of all of its entries."""
    data = bundle.read(f"sharpe/boards/{board}.json")

    def files(what: str) -> dict[str, str]:
        folder = f"sharpe/{what}/{board}/"
        paths = (path for path in bundle.paths if path.startswith(folder))
        return {path: bundle.read(path).decode() for path in paths}

    return {
        "kind": "board",
        "board": data.decode(),
        "sha256": sha256(data).hexdigest(),
        "returns": files("returns"),
        "gaps": files("gaps"),
    }


@cache
def honest(bundle: Bundle) -> dict[str, dict[str, Any]]:
    """Reports on every board of a bundle."""
    names = [path[14:-5] for path in bundle.paths if path.startswith("sharpe/boards/")]
    answers = values([("verify", json.dumps(payload(bundle, name))) for name in names])
    return dict(zip(names, answers, strict=True))


def test_every_fixture_number(demo: Bundle) -> None:
    """Each figure, interval, pair and gap of the seven boards agrees with the published double."""
    reports = honest(demo)
    assert len(reports) == 7
    for report in reports.values():
        assert report["verdict"] == "pass"
        said = {check["what"]: check["value"] for check in report["checks"]}
        rows = int(said["SHA-256 of the returns"].split()[0])
        assert said["deflated Sharpe, status, pass^k and mean return"] == (
            f"{4 * rows} of {4 * rows} equal"
        )
        assert said["bootstrap intervals"] == f"{6 * rows} of {6 * rows} equal"
        assert "gaps, and both of their sides" in said
        assert "the gates of process, bootstrap p, drawdown and kernel" in report["unchecked"]


@cache
def forged(demo: Bundle) -> dict[str, list[dict[str, Any]]]:
    """Reports on the boards that each forgery touches."""
    asked: list[tuple[str, dict[str, Any]]] = []
    for name, forgery in FORGERIES.items():
        bundle = overlay(demo, forgery.changes(demo), relist=True)
        touched = [*forgery.edits, *forgery.files, *forgery.remove]
        found = {
            "calm-sealed" if path.count("/") == 1 else path.split("/")[2].removesuffix(".json")
            for path in touched
        }
        asked += [(name, payload(bundle, board)) for board in sorted(found)]
    reports: dict[str, list[dict[str, Any]]] = {name: [] for name in FORGERIES}
    answers = values([("verify", json.dumps(brought)) for _, brought in asked])
    for (name, _), report in zip(asked, answers, strict=True):
        reports[name].append(report)
    return reports


@pytest.mark.parametrize("name", sorted(FORGERIES))
def test_forgeries(demo: Bundle, name: str) -> None:
    """The browser finds what follows from a board and its returns, and nothing else wrong."""
    verdicts = {report["verdict"] for report in forged(demo)[name]}
    expected = UNSEEN.get(name, FORGERIES[name].verdict)
    assert expected in verdicts
    assert verdicts <= {"pass", expected}


def test_one_digit(demo: Bundle) -> None:
    """A digit altered in the page's data is named, with both values."""
    brought = payload(demo, "calm-new")
    brought["board"] = brought["board"].replace('"p_value":0.006', '"p_value":0.007')
    [report] = values([("verify", json.dumps(brought))])
    failed = {check["what"]: check for check in report["checks"] if check["verdict"] == "fail"}
    assert set(failed) == {
        "SHA-256 of the board",
        "paired tests: equal_weight_long against min_variance, p_value",
    }
    pair = failed["paired tests: equal_weight_long against min_variance, p_value"]
    assert (pair["published"], pair["recomputed"]) == ("0.007", "0.006")


def test_an_altered_return(demo: Bundle) -> None:
    """A return with one other digit changes its hash and the figures that rest on it."""
    brought = payload(demo, "hard-new")
    path = "sharpe/returns/hard-new/momentum.json"
    text = brought["returns"][path]
    at = text.index("0.00") + 5
    brought["returns"][path] = f"{text[:at]}{(int(text[at]) + 1) % 9 + 1}{text[at + 1 :]}"
    [report] = values([("verify", json.dumps(brought))])
    failed = [check["what"] for check in report["checks"] if check["verdict"] == "fail"]
    assert "SHA-256 of the returns: momentum" in failed
    assert any("momentum, mean_return" in what for what in failed)


CHANGES: Final = [
    ('"sharpearena/0.31.0"', '"sharpearena/0.30.0"', "unproven"),
    ('"kernel":"0.28.0"', '"kernel":"0.5.0"', "fail"),
    ('"trials":6', '"trials":4000000', "unproven"),
    ('"n_boot":2000,"periods', '"n_boot":90000000,"periods', "unproven"),
    ('"rank":"1"', '"rank":"2"', "fail"),
    ('"rows":[', '"rows":["x",', "fail"),
    ('"n_days":120', '"n_days":119', "fail"),
]


def test_boards_that_cannot_be_judged(demo: Bundle) -> None:
    """What is not known is unproven, what is malformed or another fails, and nothing is thrown."""
    honest_ = payload(demo, "calm-new")
    asked = []
    for old, new, _ in CHANGES:
        assert old in honest_["board"]
        text = honest_["board"].replace(old, new, 1)
        brought = {**honest_, "board": text, "sha256": sha256(text.encode()).hexdigest()}
        asked.append(("verify", json.dumps(brought)))
    reports = values(asked)
    assert [report["verdict"] for report in reports] == [verdict for _, _, verdict in CHANGES]
