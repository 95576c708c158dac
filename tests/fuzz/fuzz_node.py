"""
What a node of a chain says: bodies of any bytes, and answers of any shape.

The input is the body of one HTTP answer, as web3 and we read it; and, where it is JSON,
the answers of a node by their method, which are judged as those about an anchor. Nothing
but our own errors comes out, and what is judged has findings.
"""

from contextlib import suppress
from typing import Final

from shared import FIXTURES

from verifier.arcana.rowread import read_anchor
from verifier.collect.chain_answers import ask_all, ask_chain_id, ask_number, hash_at
from verifier.collect.chain_judge import Seen, judge
from verifier.collect.chain_proofs import with_proofs
from verifier.collect.errors import CollectError
from verifier.collect.port import Exchange, Request
from verifier.collect.rpc import RpcNode
from verifier.core.jsonread import JsonValue, read_json
from verifier.errors import EvidenceError
from verifier.policy import parse_policy

POLICY: Final = parse_policy((FIXTURES / "policy.toml").read_bytes())
ANCHORS: Final = (FIXTURES / "arcana-demo/arcana/anchors.jsonl").read_bytes().splitlines()
# One of which the demo records the block too.
ANCHOR: Final = next(
    anchor
    for anchor in (read_anchor(1, read_json(line)) for line in ANCHORS)
    if anchor.anchor_id == 109
)
HASH: Final = str(ANCHOR.tx_hash)
CHAIN: Final = POLICY.arcana.chain_id
METHODS: Final = ("eth_chainId", "eth_getBlockByNumber", "eth_getTransactionByHash")


class Wire:
    """Answers every request with one body."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def send(self, request: Request) -> Exchange:
        """Answer at once."""
        return Exchange(request, request.url, 200, (), 0, self._body)


class Told:
    """A node with one answer to each method, whatever it is asked about."""

    name = "node"

    def __init__(self, answers: dict[str, JsonValue]) -> None:
        self._answers = answers

    def ask(self, method: str, *_params: JsonValue) -> JsonValue:
        """Give the answer; None is one too."""
        return self._answers.get(method)

    def ask_if_known(self, method: str, *_params: JsonValue) -> JsonValue:
        """Give the answer."""
        return self._answers.get(method)


def one_input(data: bytes) -> None:
    """Answer with *data*, then with what it holds as JSON."""
    node = RpcNode("https://node.example/", Wire(data))
    for method in METHODS:
        with suppress(CollectError):
            node.ask(method)
        with suppress(CollectError):
            node.ask_if_known(method)
    try:
        value = read_json(data)
    except EvidenceError:
        return
    if isinstance(value, dict):
        judged(Told(value))


def judged(node: Told) -> None:
    """Ask about the anchor, and judge what is said."""
    with suppress(CollectError):
        ask_chain_id([node, node])
    with suppress(CollectError):
        ask_number([node], "eth_blockNumber")
    with suppress(CollectError):
        hash_at(node, 1, CHAIN)
    try:
        answers = ask_all([node, node], HASH, CHAIN)
    except CollectError:
        return
    record = with_proofs(node, answers, CHAIN)
    for stored in (None, answers.record, record):
        assert list(judge(ANCHOR, Seen(answers, stored, None, CHAIN), POLICY, 1 << 60))
