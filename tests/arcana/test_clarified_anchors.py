"""
The clarifications of the platform's format, one by one: anchors, reputations, boards.

Each case lays a small change over the demo season and states which steps then
fail or leave something unproven. Numbers are those of the clarifications.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import pytest
from demo_changes import (
    AGENT,
    FAIL,
    POLICY,
    STRANGER,
    UNPROVEN,
    Changes,
    Row,
    Rows,
    Steps,
    chain,
    edit,
    judge,
    put,
    rows,
    set_first,
    set_last,
    set_members,
    trust,
    turn,
    with_block,
)
from shared import FIXTURES

from verifier.audit import audit_bundle
from verifier.bundle import Bundle, open_bundle, overlay

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module", name="demo")
def _demo() -> Iterator[Bundle]:
    with open_bundle(FIXTURES / "arcana-demo") as bundle:
        yield bundle


def anchor_cases() -> Iterator[tuple[str, Changes, Steps]]:
    """Clarifications 17, 20 to 22, 30, 39: step 8, and step 4 with it."""
    wrong: Steps = {8: FAIL}
    unlinked: Changes = {"arcana/reputations.jsonl": None}
    for status in ("signed", "broadcast"):
        yield (
            f"17 {status} is not mined",
            {**unlinked, **edit("anchors", set_last(status=status))},
            {8: UNPROVEN},
        )
    yield (
        "17 input not mined",
        {**unlinked, **edit("anchors", lambda x: x[3].update(status="signed"))},
        {4: FAIL},
    )
    yield (
        "39 dropped, and succeeded",
        {**unlinked, **edit("anchors", set_last(status="dropped"))},
        wrong,
    )
    yield "20 leaves turned", edit("anchors", lambda x: x[0]["leaves"].reverse()), wrong
    yield "20 count", edit("anchors", set_first(leaf_count=1000)), wrong
    yield "20 no span", edit("anchors", set_first(decisions=None)), wrong
    yield "20 v1 holds a score", edit("anchors", set_last(scheme="arcana-anchor/v1")), wrong
    yield (
        "20 another agent's leaf",
        edit("anchors", lambda x: x[0]["leaves"][0].update(agent_id=AGENT)),
        wrong,
    )
    yield (
        "20 a stranger's leaf",
        edit("anchors", lambda x: x[0]["leaves"][0].update(agent_id="stranger")),
        wrong,
    )
    again = {**rows("anchors")[-1], "id": "900", "status": "signed", "tx_hash": None}
    yield "20 record in two anchors", edit("anchors", lambda x: x.append(again)), wrong
    yield (
        "20 given up, and anchored again",
        edit("anchors", lambda x: x.append({**again, "status": "dropped"})),
        {},
    )
    yield (
        "21 no chain record",
        {f"arcana/chain/{rows('anchors')[-1]['tx_hash']}.json": None},
        {8: UNPROVEN},
    )
    for part in ("transaction", "receipt"):
        yield f"21 {part} null", chain(set_members(**{part: None})), wrong
    yield "21 no block number", chain(lambda x: x["receipt"].update(blockNumber=None)), wrong
    yield "21 status", chain(lambda x: x["receipt"].update(status="0x0")), wrong
    yield "21 value", chain(lambda x: x["transaction"].update(value="0x1")), wrong
    yield "21 from", chain(lambda x: x["transaction"].update({"from": STRANGER})), wrong
    yield "21 receipt's to", chain(lambda x: x["receipt"].update(to=STRANGER)), wrong
    upper = rows("anchors")[-1]["tx_hash"].upper().replace("0X", "0x")
    yield "39 transaction hash in capitals", edit("anchors", set_last(tx_hash=upper)), wrong
    yield "21 nonce", edit("anchors", set_last(nonce=5)), wrong
    yield "21 raw transaction", edit("anchors", set_last(raw_tx="0x00")), wrong
    yield (
        "7 neither nonce nor raw transaction",
        edit("anchors", lambda x: [r.pop(k) for r in x for k in ("nonce", "raw_tx")]),
        {},
    )
    yield (
        "8 other members",
        chain(lambda x: x["transaction"].update(l1BlockNumber="0x1", more=[])),
        {},
    )
    yield (
        "39 case of an address",
        chain(
            lambda x: x["transaction"].update(
                {"from": x["transaction"]["from"].upper().replace("X", "x")}
            )
        ),
        {},
    )
    number_left_out = edit("anchors", set_last(block_number=None))
    yield "21 silent on every side", {**number_left_out, **chain(_silence)}, wrong
    blocks: tuple[object, ...] = ("0x1", [], 0)
    for block in blocks:
        yield f"22 block {block!r}", chain(set_members(block=block)), wrong
    holder = with_block()
    yield (
        "22 block's hash",
        chain(lambda x: x["block"].update(hash="0x" + "1" * 64), anchor=holder),
        wrong,
    )
    yield (
        "22 block too old",
        chain(lambda x: x["block"].update(timestamp="0x1"), anchor=holder),
        wrong,
    )
    yield (
        "22 not at its index",
        chain(lambda x: x["block"].update(transactions=[]), anchor=holder),
        wrong,
    )
    yield (
        "22 other header fields",
        chain(lambda x: x["block"].update(sendRoot="0x"), anchor=holder),
        {},
    )
    yield "22 no block", chain(lambda x: x.update(block=None), anchor=holder), {}


def _silence(record: Row) -> None:
    for part in (record["transaction"], record["receipt"]):
        part["blockNumber"] = 5
        del part["blockHash"], part["transactionIndex"]


def public_cases() -> Iterator[tuple[str, Changes, Steps]]:
    """Clarifications 25 to 28: step 10."""
    wrong: Steps = {10: FAIL}
    at = next(i for i, row in enumerate(rows("reputations")) if len(row["agents"]) > 1)
    nothing = next(i for i, row in enumerate(rows("reputations")) if row["value"] is None)
    yield (
        "25 one unit in the last place",
        edit("reputations", lambda x: x[at].update(value=math.nextafter(x[at]["value"], 0))),
        wrong,
    )
    yield "25 agents turned", edit("reputations", lambda x: x[at]["agents"].reverse()), wrong
    yield (
        "25 not measured is not 0",
        edit("reputations", lambda x: x[nothing].update(value=0)),
        wrong,
    )
    yield "43 another status", edit("reputations", lambda x: x[at].update(status="good")), wrong
    yield "26 rank", edit("leaderboards", lambda x: x[0]["rows"][0].update(rank=2)), wrong
    yield "26 unranked left out", edit("leaderboards", lambda x: x[0]["rows"].pop()), wrong
    yield (
        "26 unranked first",
        edit("leaderboards", lambda x: x[0]["rows"].insert(0, x[0]["rows"].pop())),
        wrong,
    )
    tie = next(i for i, row in enumerate(rows("leaderboards")) if row["category"] == "longevity")
    yield "26 ties of other names turned", edit("leaderboards", lambda x: turn(x[tie]["rows"])), {}
    yield (
        "26 namesakes turned around a third",
        edit("leaderboards", lambda x: _turn_namesakes(x[tie]["rows"])),
        wrong,
    )
    yield (
        "27 agent with an anchored score absent",
        edit("leaderboards", lambda x: x[0].update(rows=[])),
        wrong,
    )
    yield (
        "28 regime",
        edit("leaderboards", lambda x: x.append({**x[0], "category": "regime"})),
        wrong,
    )
    yield (
        "28 board twice",
        edit("leaderboards", lambda x: x.insert(1, {**x[0], "rows": x[0]["rows"][:1]})),
        wrong,
    )
    yield "28 a board less", edit("leaderboards", lambda x: x.pop(3)), {}
    yield "28 no boards", {"arcana/leaderboards.jsonl": None}, {}
    yield "28 no reputations", {"arcana/reputations.jsonl": None}, {}


def _turn_namesakes(board: Rows) -> None:
    first, second = (i for i, row in enumerate(board) if row["agent_name"] == "momentum_bot")
    third = next(i for i in range(first) if board[i]["score"] == board[first]["score"])
    board[first], board[second] = board[second], board[first]
    board.insert(first, board.pop(third))


CASES: Final = [
    pytest.param(changes, steps, id=name)
    for cases in (anchor_cases, public_cases)
    for name, changes, steps in cases()
]


@pytest.mark.parametrize(("changes", "steps"), CASES)
def test_clarification(demo: Bundle, changes: Changes, steps: Steps) -> None:
    """Exactly the steps that a clarification names say fail or unproven."""
    assert judge(demo, changes) == steps


def test_23_without_a_named_sender_all_anchors_share_one(demo: Bundle) -> None:
    """Two senders fail when the policy names none."""
    changes = edit("anchors", set_last(sender=STRANGER))
    report = audit_bundle(overlay(demo, changes, relist=True), policy=trust(senders=()))
    assert any("different senders" in finding.message for finding in report.findings)


def test_30_order_is_seen_past_an_anchor_without_record(demo: Bundle) -> None:
    """A chain record left out between two anchors does not hide that their ids are exchanged."""
    anchors = rows("anchors")
    one, gap, two = [row for row in anchors if row["status"] == "mined"][-3:]
    one["id"], two["id"] = two["id"], one["id"]
    anchors.sort(key=lambda row: int(row["id"]))
    changes = {**put("anchors", anchors), f"arcana/chain/{gap['tx_hash']}.json": None}
    report = audit_bundle(overlay(demo, changes, relist=True), policy=POLICY)
    assert any("does not rise" in finding.message for finding in report.findings)
