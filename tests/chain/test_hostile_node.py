"""Nodes that answer with anything at all: one error of ours, and never a verdict."""

from __future__ import annotations

import contextlib
import json
import sys
from typing import TYPE_CHECKING, Any, Final

import httpx
import pytest
from chain.anchored import ROOT, bundle_of, row
from chain.evm import CHAIN_ID, MAGIC, Evm, NodeHttp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from verifier.bundle import open_bundle
from verifier.collect.chain import check_anchors
from verifier.collect.chain_answers import ask, ask_number
from verifier.collect.chain_proofs import with_proofs
from verifier.collect.errors import AddressError, CollectError
from verifier.collect.http import Client, ClientLimits, Waits
from verifier.collect.rpc import RpcNode
from verifier.errors import TallyproofError
from verifier.policy import ArcanaPolicy, Policy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verifier.collect.port import Exchange, Request

URL: Final = "https://rpc.example/v1/SECRET-KEY"
METHODS: Final = (
    *("eth_getTransactionByHash", "eth_getTransactionReceipt", "eth_getBlockByNumber"),
    *("eth_getBlockByHash", "eth_getBlockReceipts", "eth_chainId", "eth_blockNumber"),
)
json_values: Final[st.SearchStrategy[Any]] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats() | st.text(max_size=8),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=8), below),
    max_leaves=8,
)


@pytest.fixture(name="evm", scope="module")
def _evm() -> Evm:
    evm = Evm()
    evm.send(MAGIC + ROOT)
    evm.mine(14)
    return evm


def sent(evm: Evm) -> str:
    """Hash of the one transaction."""
    tx_hash: str = evm.block(1)["transactions"][0]
    return tx_hash


def answering(evm: Evm, body: Callable[[Any, Any], bytes]) -> RpcNode:
    """A node whose every answer is made by a function of request and true result."""
    http = NodeHttp(evm)
    http.body = body
    return RpcNode(URL, http)


def envelope(**members: Any) -> Callable[[Any, Any], bytes]:
    """Answers with some members of the envelope set, and those that are None left out."""

    def body(request: Any, result: Any) -> bytes:
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": result} | members
        return json.dumps({k: v for k, v in answer.items() if v is not None}).encode()

    return body


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (lambda *_: b"<html><body>502 Bad Gateway</body></html>", "the answer is none"),
        (lambda *_: b"", "the answer is none"),
        (lambda *_: b"[]", "must be an object"),
        (lambda *_: b"[" * 100_000, "the answer is none"),
        (lambda *_: b'{"id":0,"id":0,"jsonrpc":"2.0","result":1}', "the answer is none"),
        (lambda *_: b'{"id":0,"jsonrpc":"2.0","result":NaN}', "the answer is none"),
        (lambda *_: b"\xff\xfe", "the answer is none"),
        (envelope(id=10**6), "not that of the request"),
        (envelope(id="0"), "not that of the request"),
        (envelope(id=True), "not that of the request"),
        (envelope(id=0.0), "not that of the request"),
        (envelope(id=None), "'id' is missing"),
        (envelope(jsonrpc="1.0"), "must be 2.0"),
        (envelope(jsonrpc=None), "'jsonrpc' is missing"),
        (envelope(result=None), "either a result or an error"),
        (envelope(error={"code": 1, "message": "x"}), "either a result or an error"),
        (envelope(result=None, error=[]), "must be an object"),
        (envelope(result=None, error={"code": "1", "message": "x"}), "whole number"),
        (envelope(result=None, error={"code": 1}), "'message' is missing"),
        (envelope(result=None, error={"code": -32000, "message": "no state"}), "no state"),
        (envelope(result=None, error={"code": 1, "message": "y" * 10**6}), "yyy"),
        (envelope(method="eth_subscription", params=[]), None),
    ],
)
def test_envelope(evm: Evm, body: Callable[[Any, Any], bytes], reason: str | None) -> None:
    """An answer answers the request that was sent, or there is one short line without the key."""
    node = answering(evm, body)
    if reason is None:
        assert ask_number([node], "eth_chainId") == [CHAIN_ID]
        return
    with pytest.raises(CollectError, match=reason) as caught:
        ask_number([node], "eth_chainId")
    text = str(caught.value)
    assert text.startswith("https://rpc.example:443: eth_chainId: ")
    assert "SECRET" not in text
    assert len(text) < 500


def test_not_found_of_what_is_no_transaction(evm: Evm) -> None:
    """A node that says so of its chain answers with an error like any other."""
    error = {"code": -32000, "message": "transaction not found"}
    node = answering(evm, envelope(result=None, error=error))
    with pytest.raises(CollectError, match=r"eth_chainId: the node answers .*not found"):
        ask_number([node], "eth_chainId")


def test_the_depth_of_a_process_stays(evm: Evm) -> None:
    """Libraries below web3 raise Python's limit when they are imported; it is taken back."""
    sys.setrecursionlimit(100_000)
    answering(evm, envelope())
    assert sys.getrecursionlimit() == 1_000


def test_not_found_as_an_error(evm: Evm) -> None:
    """Nodes that answer "transaction not found" as an error do not know it."""
    error = {"code": -32000, "message": "transaction not found"}
    node = answering(evm, envelope(result=None, error=error))
    assert ask(node, sent(evm), CHAIN_ID).transaction is None


@pytest.mark.parametrize(
    "value", [None, 4663, "4663", "0x", "0x01237", [], {}, True, "0x" + "f" * 99]
)
def test_number(evm: Evm, value: Any) -> None:
    """A chain id is a hexadecimal quantity and nothing else."""
    node = NodeHttp(evm)
    node.lies["eth_chainId"] = lambda _: value
    with pytest.raises(CollectError, match="eth_chainId"):
        ask_number([RpcNode(URL, node)], "eth_chainId")


def _without(name: str) -> Callable[[Any], Any]:
    return lambda value: {k: v for k, v in value.items() if k != name}


def _with(**members: Any) -> Callable[[Any], Any]:
    return lambda value: value | members


@pytest.mark.parametrize(
    ("method", "lie"),
    [
        (METHODS[0], lambda _: "0x"),
        (METHODS[0], lambda _: []),
        (METHODS[0], _without("nonce")),
        (METHODS[0], _without("input")),
        (METHODS[0], _without("r")),
        (METHODS[0], _with(input="0x00")),
        (METHODS[0], _with(nonce="0x5")),
        (METHODS[0], _with(chainId="0x1")),
        (METHODS[0], _with(type="0x0")),
        (METHODS[0], _with(type="0x7", hash="0x" + "00" * 32)),
        (METHODS[0], lambda _: None),
        (METHODS[1], lambda _: 7),
        (METHODS[1], _with(transactionHash="0x" + "00" * 32)),
        (METHODS[1], _without("transactionHash")),
        (METHODS[1], _with(blockNumber=1)),
        (METHODS[1], _with(blockNumber="0x" + "1" * 10_000)),
        (METHODS[1], _with(blockHash="0x12")),
        (METHODS[1], _without("transactionIndex")),
        (METHODS[1], _with(logs={})),
        (METHODS[1], _with(logsBloom="0x")),
        (METHODS[1], _with(status="0x2")),
        (METHODS[2], lambda _: "block"),
        (METHODS[2], _without("stateRoot")),
        (METHODS[2], _without("baseFeePerGas")),
        (METHODS[2], _without("transactions")),
        (METHODS[2], _with(hash="0x" + "00" * 32)),
        (METHODS[2], _with(timestamp="0x1")),
    ],
)
def test_results(evm: Evm, method: str, lie: Callable[[Any], Any]) -> None:
    """What cannot be read, or contradicts itself, is the node's fault and no finding."""
    node = NodeHttp(evm)
    node.lies[method] = lie
    with pytest.raises(CollectError, match=r"https://rpc\.example:443: eth_"):
        ask(RpcNode(URL, node), sent(evm), CHAIN_ID)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(method=st.sampled_from(METHODS), value=json_values)
def test_any_json(evm: Evm, tmp_path: Path, method: str, value: Any) -> None:
    """Whatever JSON a node answers with, it is read or refused."""
    node = NodeHttp(evm)
    node.lies[method] = lambda _: value
    folder = tmp_path / "b"
    if not folder.exists():
        bundle_of(folder, row(evm, sent(evm)))
    rpc = RpcNode(URL, node)
    with contextlib.suppress(TallyproofError), open_bundle(folder) as bundle:
        check_anchors(bundle, [rpc], policy=Policy(arcana=ArcanaPolicy()))
        with_proofs(rpc, ask(rpc, sent(evm), CHAIN_ID), CHAIN_ID)


@pytest.mark.parametrize(
    "lie",
    [
        lambda _: None,
        lambda _: [],
        lambda value: value | {"transactions": []} if isinstance(value, dict) else value[:0],
        lambda value: {} if isinstance(value, dict) else [{}],
        lambda _: "0x",
    ],
)
def test_no_proof_is_no_fault(evm: Evm, lie: Callable[[Any], Any]) -> None:
    """What only serves proofs may be wrong: then there is no proof, and nothing is claimed."""
    node = NodeHttp(evm)
    node.lies["eth_getBlockByHash"] = lie
    rpc = RpcNode(URL, node)
    record = with_proofs(rpc, ask(rpc, sent(evm), CHAIN_ID), CHAIN_ID)
    assert record.transaction_proof is None
    assert record.receipt_proof is not None
    node.lies = {"eth_getBlockReceipts": lie, "eth_getTransactionReceipt": lambda value: value}
    record = with_proofs(rpc, ask(rpc, sent(evm), CHAIN_ID), CHAIN_ID)
    assert record.transaction_proof is not None


def test_reasons_of_the_client_hide_the_key() -> None:
    """A key in the URL is in no message, whatever goes wrong."""

    class Broken:
        def send(self, request: Request) -> Exchange:
            raise CollectError(f"{request.url}: no answer: {request.url} is gone")

    with pytest.raises(CollectError) as caught:
        ask_number([RpcNode(URL, Broken())], "eth_chainId")
    assert "SECRET" not in str(caught.value)


def test_sizes_and_statuses_are_those_of_the_client() -> None:
    """web3 sits on our client: its limits, its retries, and no redirect of a POST."""

    def client(handler: Callable[[httpx.Request], httpx.Response], **limits: Any) -> Client:
        waits = Waits(sleep=lambda _: None, random=lambda: 0.5)
        transport = httpx.MockTransport(handler)
        return Client(transport=transport, waits=waits, limits=ClientLimits(**limits))

    def ask_with(http: Client) -> list[int]:
        with http:
            return ask_number([RpcNode(URL, http)], "eth_chainId")

    busy = iter([503, 429])

    def patient(request: httpx.Request) -> httpx.Response:
        status = next(busy, 200)
        asked = json.loads(request.content)
        return httpx.Response(
            status, json={"jsonrpc": "2.0", "id": asked["id"], "result": "0x1237"}
        )

    assert ask_with(client(patient)) == [CHAIN_ID]
    with pytest.raises(CollectError, match="more than 10 bytes"):
        ask_with(client(lambda _: httpx.Response(200, content=b" " * 11), response_bytes=10))
    with pytest.raises(CollectError, match="status 404"):
        ask_with(client(lambda _: httpx.Response(404, content=b"{}")))
    moved = httpx.Response(307, headers={"location": "https://rpc.example/other"})
    with pytest.raises(CollectError, match="not followed"):
        ask_with(client(lambda _: moved))


@pytest.mark.parametrize(
    "url",
    [
        *("wss://rpc.example/SECRET", "https://user:SECRET@rpc.example", "rpc/SECRET", ""),
        *("https://rpc.example:SECRET/", "https://[SECRET]/", "https://rpc.example/SECRET\n"),
        f"https://rpc.example/SECRET{'x' * 5000}",
    ],
)
def test_addresses(evm: Evm, url: str) -> None:
    """The address rules are asked before web3 is, and a key in what is refused is not shown."""
    with pytest.raises(AddressError) as caught:
        RpcNode(url, NodeHttp(evm))
    assert "SECRET" not in str(caught.value)
