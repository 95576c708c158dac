"""
A running platform, its bundle, and what is made of both without a network.

The platform is the local arena over the demo bundle. What it serves honestly
must audit as the demo does, byte for byte; what it says twice and differently
must be named.
"""

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest
from arena import faults
from arena.server import Arena
from fetching import Done, tree
from shared import FIXTURES
from small_bundle import sums_of, write_tree

from verifier.cli import main

Fetch = Callable[..., Done]

DEMO = FIXTURES / "arcana-demo"
LONER = "124a9510-2474-4050-9579-ccb062cb58c7"  # no other agent of its creator
AGENT = "2725560c-8d08-4c51-a271-30afe2624f3f"


def audit_without_sockets(
    bundle: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> bytes:
    """The report of an audit during which every socket call fails."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("an audit used a socket")

    command = ["audit", str(bundle), "--policy", str(FIXTURES / "policy.toml"), "--format", "json"]
    with monkeypatch.context() as patch:
        for name in ("socket", "create_connection", "getaddrinfo", "gethostbyname"):
            patch.setattr(socket, name, refuse)
        with pytest.raises(SystemExit) as leaving:
            main(command)
    assert leaving.value.code == 0
    return capfdbinary.readouterr().out


def test_fetched_audits_as_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Fetched from the arena and audited offline: the report of the source, byte for byte."""
    out = str(tmp_path / "got")
    with Arena(DEMO).serving() as url, pytest.raises(SystemExit) as leaving:
        main(["fetch", "arcana", url, "--all", "-o", out, "--allow-private", "--rate", "1000"])
    said = capfdbinary.readouterr()
    assert (leaving.value.code, said.err) == (0, b"")
    assert b"71 sealed, each with its manifest" in said.out
    assert b"157 answers with the bundle" in said.out
    assert f"tallyproof audit {out}/bundle\n".encode() in said.out
    assert tree(tmp_path / "got" / "bundle") == tree(DEMO)
    reports = [
        audit_without_sockets(bundle, monkeypatch, capfdbinary)
        for bundle in (tmp_path / "got" / "bundle", DEMO)
    ]
    assert reports[0] == reports[1]
    assert json.loads(reports[0])["verdict"] == "pass"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's rows and score manifests, and a list that holds; answers need no more."""
    folder = tmp_path_factory.mktemp("small") / "arena"
    files = {
        path: content
        for path, content in tree(DEMO).items()
        if not path.startswith(("arcana/chain/", "arcana/manifests/"))
        or content.startswith(b"arcana-score/v1\n")
    }
    return write_tree(folder, files | {"SHA256SUMS": sums_of(files)})


def test_without_a_bundle(small: Path, tmp_path: Path, fetch: Fetch) -> None:
    """Endpoints alone give the manifests of scores, no row that they would have to prove."""
    with Arena(small, bundle=False).serving() as url:
        done = fetch("arcana", url, "--agent", AGENT, "-o", tmp_path / "got", "--rate", 1000)
    assert done.code == 3
    assert done.err.count("\n") == 1
    assert "no bundle is published at this URL" in done.err
    assert not (tmp_path / "got" / "bundle").exists()
    manifests = sorted((tmp_path / "got" / "manifests").rglob("*.txt"))
    assert manifests
    for manifest in manifests:
        assert f"tallyproof arcana score {manifest}\n" in done.out
        with pytest.raises(SystemExit) as leaving:
            main(["arcana", "score", str(manifest), "--quiet"])
        assert leaving.value.code == 0


def test_both_addresses_of_a_formula(small: Path, tmp_path: Path, fetch: Fetch) -> None:
    """A platform that takes the version as one part of the path is understood as well."""
    arena = Arena(small, bundle=False)
    arena.faults.put("/v1/score-formulas/arcana-score-formula/v1", faults.replaced(b"{}", 404))
    with arena.serving() as url:
        done = fetch("arcana", url, "--agent", AGENT, "-o", tmp_path / "got", "--rate", 1000)
    assert "/v1/score-formulas/arcana-score-formula%2Fv1" in arena.asked
    assert "formula" not in done.err


def edited(change: Callable[[Any], None]) -> faults.Fault:
    """Change an answer as a platform could: by value."""

    def fault(sent: faults.Sent) -> faults.Sent:
        body = json.loads(sent.body)
        change(body)
        return faults.Sent(sent.status, json.dumps(body).encode())

    return fault


def put(*path: str | int, value: Any) -> Callable[[Any], None]:
    """Put a value somewhere in an answer."""

    def change(body: Any) -> None:
        for step in path[:-1]:
            body = body[step]
        body[path[-1]] = value

    return change


def body_changed(body: Any) -> None:
    """Change one digit of a manifest, and nothing that says so."""
    body["manifest"]["body"] = body["manifest"]["body"].replace('"nav":"1', '"nav":"2', 1)


SCORE = f"/v1/agents/{AGENT}/score/verification"
SAID_TWICE: dict[str, tuple[str, Callable[[Any], None], str]] = {
    "another manifest": (SCORE, body_changed, "manifest.sha256 is"),
    "another seal": (SCORE, put("score", "seal", value="ab" * 32), "seal is abab"),
    "another time": (SCORE, put("score", "ts", value="2026-09-01T23:30:00.000000Z"), "says time"),
    "another season": (SCORE, put("score", "season_id", value="s"), "says season s, its manifest"),
    "another formula": (SCORE, put("formula", "version", value="f/v2"), "says formula f/v2"),
    "its own mismatch": (SCORE, put("status", value="mismatch"), "the platform itself says mism"),
    "an anchor's root": ("/v1/anchors/1", put("anchor", "root", value="cd" * 32), "hash to"),
    "an anchor's leaves": ("/v1/anchors/1", put("leaves", value=[]), "are not numbered 0 to"),
    "a leaf's proof": (
        "/v1/anchors/leaves/",
        put("proof", value=[{"sibling": "ef" * 32, "position": "left"}]),
        "does not lead to the root",
    ),
    "a leaf's seal": ("/v1/anchors/leaves/", put("seal", value="12" * 32), "the answer is about"),
    "a reputation's creator": ("/v1/creators/", put("creator", "id", value="x"), "is about x"),
}


@pytest.mark.parametrize("name", SAID_TWICE)
def test_an_answer_that_contradicts_itself(
    small: Path, tmp_path: Path, fetch: Fetch, name: str
) -> None:
    """Exit code 1, and a line that names both."""
    path, change, said = SAID_TWICE[name]
    arena = Arena(small, bundle=False)
    arena.faults.put(path, edited(change))
    with arena.serving() as url:
        done = fetch("arcana", url, "--agent", AGENT, "-o", tmp_path / "got", "--rate", 1000)
    assert done.code == 1
    assert said in done.err


def column(name: str) -> Callable[[Any], None]:
    """Raise a stored column of a score."""
    return put("score", "stored", name, value=99.99)


def swapped(body: Any) -> None:
    """Exchange the first two agents of a board."""
    first, second = body["items"][:2]
    first["agent_id"], second["agent_id"] = second["agent_id"], first["agent_id"]


AGAINST_BUNDLE: dict[str, tuple[str, Callable[[Any], None], str]] = {
    "a stored column": (SCORE, column("risk_score"), "risk_score is 99.99, in the bundle"),
    "a formula": (
        "/v1/score-formulas/",
        put("constants", "vol_scale", value=0.06),
        "its constants are others in the bundle",
    ),
    "a board": ("/v1/leaderboard", swapped, "its ranks and scores are others in the bundle"),
    "a reputation": ("/v1/creators/", put("value", value=99.5), "is 99.5 (measured), in the bun"),
    "an anchor's sender": (
        "/v1/anchors/1",
        put("anchor", "sender", value="0x" + "ab" * 20),
        "sender is 0xabab",
    ),
    "an anchor's status": (
        "/v1/anchors/1",
        put("anchor", "status", value="dropped"),
        "status is dropped, in the bundle mined",
    ),
}


@pytest.mark.parametrize("name", AGAINST_BUNDLE)
def test_an_answer_that_contradicts_the_bundle(
    small: Path, tmp_path: Path, fetch: Fetch, name: str
) -> None:
    """What the endpoints and the bundle say differently is told; the bundle is kept as it was."""
    path, change, said = AGAINST_BUNDLE[name]
    arena = Arena(small)
    arena.faults.put(path, edited(change))
    with arena.serving() as url:
        done = fetch("arcana", url, "--agent", AGENT, "-o", tmp_path / "got", "--rate", 1000)
    assert done.code == 1
    assert said in done.err
    assert tree(tmp_path / "got" / "bundle") == tree(small)


@pytest.mark.parametrize(
    ("path", "fault", "said"),
    [
        (SCORE, faults.replaced(b'{"status":"verified"}'), "(at /score): must be an object"),
        (SCORE, faults.replaced(b'{"status":' + b"[" * 10_000), "score/verification"),
        (SCORE, faults.replaced(b"null"), "must be an object, is null"),
        (SCORE, edited(put("manifest", "body", value="\ud800")), "surrogate"),
        (SCORE, faults.replaced(b"<html>"), "score/verification"),
        (SCORE, faults.replaced(b'{"code":"invalid_ts"}', 400), "status 400 invalid_ts"),
        (SCORE, faults.changed_byte(0), "score/verification"),
        (SCORE, faults.shorter_length(), "score/verification"),
        ("/v1/leaderboard", edited(put("has_more", value=True)), "its pages do not end"),
        ("/v1/leaderboard", edited(put("items", 0, "rank", value="1")), "/rank"),
    ],
)
def test_an_answer_that_is_none(  # noqa: PLR0917  what is served, and what is said
    small: Path, tmp_path: Path, fetch: Fetch, path: str, fault: faults.Fault, said: str
) -> None:
    """Exit code 2, and one line that names the URL and the place."""
    arena = Arena(small, bundle=False)
    arena.faults.put(path, fault)
    with arena.serving() as url:
        done = fetch("arcana", url, "--agent", AGENT, "-o", tmp_path / "got", "--rate", 1000)
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert said in done.err


def test_what_was_not_served(small: Path, tmp_path: Path, fetch: Fetch) -> None:
    """Everything that is referred to and answered with 404 is named."""
    arena = Arena(small, bundle=False)
    for path in ("/v1/anchors/1", "/v1/score-formulas/", "/v1/creators/"):
        arena.faults.put(path, faults.replaced(b'{"code":"x"}', 404))
    with arena.serving() as url:
        done = fetch("arcana", url, "--agent", AGENT, "-o", tmp_path / "got", "--rate", 1000)
    assert done.code == 3
    for name in ("anchor 1", "formula arcana-score-formula/v1", "reputation of "):
        assert f"tallyproof: {name}" in done.err


@pytest.mark.parametrize(
    ("fault", "times"),
    [(faults.cut_off(), 2), (faults.too_many("2"), 2), (faults.failing(), 4), (faults.zipped(), 9)],
    ids=["cut off", "429", "500", "gzip"],
)
def test_a_platform_in_trouble(
    small: Path, tmp_path: Path, fetch: Fetch, fault: faults.Fault, times: int
) -> None:
    """What another attempt mends changes nothing of what is fetched."""
    arena = Arena(small)
    for path in (SCORE, "/v1/leaderboard", "/v1/anchors/", "/arcana/scores.jsonl"):
        arena.faults.put(path, fault, times)
    with arena.serving() as url:
        done = fetch("arcana", url, "--agent", AGENT, "-o", tmp_path / "got", "--rate", 1000)
    assert (done.code, done.err) == (0, "")
    assert tree(tmp_path / "got" / "bundle") == tree(small)


def test_a_season_is_kept_to(small: Path, tmp_path: Path, fetch: Fetch) -> None:
    """Only scores of the season are begun with; what they refer to is followed."""
    arena = Arena(small)
    season = "50eb094d-15e1-410c-b28d-88a85eb0bae0"
    with arena.serving() as url:
        done = fetch(
            "arcana", url, "--all", "--season", season, "-o", tmp_path / "got", "--rate", 1000
        )
    scores = [target for target in arena.asked if "/score/verification" in target]
    assert done.code == 3  # the next season has no board yet
    assert all(f"season_id={season}" in target for target in scores)


def test_a_predecessor_that_is_withheld(small: Path, tmp_path: Path, fetch: Fetch) -> None:
    """A score that is named by its seal alone is named as missing."""
    arena = Arena(small, bundle=False)

    def alone(body: Any) -> None:
        body["other_sealed_scores"] = []

    arena.faults.put("/v1/agents/", edited(alone))
    with arena.serving() as url:
        done = fetch("arcana", url, "--agent", LONER, "-o", tmp_path / "got", "--rate", 1000)
    assert done.code == 3
    assert f"precedes that of {LONER}" in done.err


def test_nobody_is_asked_about(tmp_path: Path, fetch: Fetch) -> None:
    """Without an agent there is nothing to ask, and an unknown one is the caller's mistake."""
    with Arena(DEMO, bundle=False).serving() as url:
        assert fetch("arcana", url, "-o", tmp_path / "one").code == 2
        done = fetch("arcana", url, "--agent", "nobody/../x?", "-o", tmp_path / "two")
    assert done.code == 2
    assert "the platform knows no agent 'nobody/../x?'" in done.err
