"""What a chain says of the anchors, stored so that an audit needs nobody's word for it."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import pytest
from chain.anchored import ROOT, bundle_of, row
from chain.evm import MAGIC, Evm, NodeHttp
from shared import FIXTURES
from small_bundle import sums_of

from verifier.audit import audit
from verifier.bundle import open_bundle
from verifier.collect.chain import check_anchors
from verifier.collect.chain_answers import DisagreementError
from verifier.collect.chain_record import Recorded, record_anchors
from verifier.collect.errors import CollectError
from verifier.collect.rpc import RpcNode
from verifier.core.canon import canonical_bytes
from verifier.errors import UsageError
from verifier.findings import Verdict
from verifier.policy import ArcanaPolicy, Policy
from verifier.report import exit_code

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAYLOAD: Final = MAGIC + ROOT
DEMO: Final = FIXTURES / "arcana-demo"


def policy_of(evm: Evm) -> Policy:
    """Trust the chain's first account, and count as the engine does."""
    sender = evm.accounts[0].address.lower()
    return Policy(arcana=replace(ArcanaPolicy(), senders=(sender,), participation="engine"))


def record(source: Path, target: Path, policy: Policy, *https: NodeHttp) -> Recorded:
    """Record from nodes that are on no network."""
    nodes = [RpcNode(f"https://node{at}.example", each) for at, each in enumerate(https)]
    with open_bundle(source) as bundle:
        return record_anchors(bundle, nodes, target, policy=policy)


def files_of(folder: Path) -> dict[str, bytes]:
    """Everything below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(name="evm")
def _evm() -> Evm:
    return Evm()


def crowded(evm: Evm) -> str:
    """The anchor among 40 transactions of one block, so that proofs have several nodes."""
    found = ""
    for number in range(40):
        tx_hash = evm.send(PAYLOAD if number == 25 else bytes([number]), account=1 - number % 2)
        found = tx_hash if number == 25 else found
    evm.mine(13)
    return found


@dataclass(frozen=True, slots=True)
class Crowd:
    """An anchor in a crowded block, its bundle, and the copy that was recorded."""

    evm: Evm
    tx_hash: str
    source: Path
    copy: Path
    result: Recorded

    @property
    def stored(self) -> Any:
        """The record, decoded anew."""
        return json.loads((self.copy / f"arcana/chain/{self.tx_hash}.json").read_bytes())

    def with_record(self, folder: Path, stored: Any) -> Path:
        """The same bundle with another record."""
        path = f"arcana/chain/{self.tx_hash}.json"
        return bundle_of(folder, row(self.evm, self.tx_hash), **{path: canonical_bytes(stored)})


@pytest.fixture(name="crowd", scope="module")
def _crowd(tmp_path_factory: pytest.TempPathFactory) -> Crowd:
    evm, folder = Evm(), tmp_path_factory.mktemp("crowd")
    tx_hash = crowded(evm)
    source = bundle_of(folder / "source", row(evm, tx_hash))
    nodes = (NodeHttp(evm), NodeHttp(evm))
    result = record(source, folder / "copy", policy_of(evm), *nodes)
    return Crowd(evm, tx_hash, source, folder / "copy", result)


def anchor_findings(folder: Path, policy: Policy) -> list[tuple[str, str]]:
    """What an audit says of the anchor, offline."""
    return [
        (f.verdict.value, f.message)
        for f in audit(folder, policy=policy, keep="all").findings
        if f.check == "arcana/anchor" and f.subject == "anchor 96"
    ]


SOUND: Final = ("pass", "the leaves hash to the root, and the transaction on the chain holds it")


def test_demo_on_a_real_chain(evm: Evm, tmp_path: Path) -> None:
    """
    Every root of the demo season, sent in a real transaction, recorded and audited.

    The audit of the copy says what the audit of the demo says; the source is untouched.
    """
    files = files_of(DEMO)
    rows = [json.loads(line) for line in files["arcana/anchors.jsonl"].splitlines()]
    for anchor in rows:
        if anchor["status"] != "mined":
            anchor["tx_hash"] = None
            continue
        anchor["tx_hash"] = evm.send(MAGIC + bytes.fromhex(anchor["root"]), account=2)
        anchor["sender"] = evm.accounts[2].address.lower()
        evm.mine()
        anchor["block_number"] = evm.number
        anchor.pop("raw_tx", None)
        anchor.pop("nonce", None)
    evm.mine(12)
    files = {path: data for path, data in files.items() if not path.startswith("arcana/chain/")}
    files["arcana/anchors.jsonl"] = b"".join(canonical_bytes(each) + b"\n" for each in rows)
    source = tmp_path / "source"
    for path, data in (files | {"SHA256SUMS": sums_of(files)}).items():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_bytes(data)
    before = files_of(source)
    policy = replace(
        policy_of(evm),
        arcana=replace(policy_of(evm).arcana, senders=(evm.accounts[2].address.lower(),)),
    )
    http = NodeHttp(evm)
    recorded = record(source, tmp_path / "recorded", policy, http)
    mined = sum(anchor["status"] == "mined" for anchor in rows)
    assert (recorded.anchors, recorded.mined, recorded.proved) == (mined,) * 3
    assert mined > 30
    assert files_of(source) == before
    assert exit_code(audit(source, policy=policy)) == 3  # nothing is known of the chain
    report = audit(tmp_path / "recorded", policy=policy)
    demo = audit(
        DEMO,
        policy=Policy(
            arcana=ArcanaPolicy(
                senders=("0x3ef7678422a3c9aa932aec6b4cb03541b709fb3f",), participation="engine"
            )
        ),
    )
    assert report.verdict is demo.verdict
    assert report.checks == demo.checks
    assert report.coverage == demo.coverage
    with open_bundle(tmp_path / "recorded") as bundle:
        live = check_anchors(bundle, [RpcNode("https://n.example", http)], policy=policy)
    assert live.count(Verdict.FAIL) == live.count(Verdict.UNPROVEN) == 0


def test_record_is_complete(crowd: Crowd) -> None:
    """The copy lists its files truly, holds the answers as they came, and proofs that hold."""
    evm, tx_hash = crowd.evm, crowd.tx_hash
    assert crowd.result == Recorded(anchors=1, mined=1, proved=1)
    copied = files_of(crowd.copy)
    assert sorted(copied) == sorted([*files_of(crowd.source), f"arcana/chain/{tx_hash}.json"])
    stored = crowd.stored
    assert stored["transaction"] == evm.transaction(tx_hash)
    assert stored["receipt"] == evm.receipt(tx_hash)
    assert stored["block"] == evm.block(1)
    assert len(stored["transaction_proof"]) > 1
    assert len(stored["receipt_proof"]) > 1
    assert anchor_findings(crowd.copy, policy_of(evm)) == [SOUND]
    for line in copied["SHA256SUMS"].decode().splitlines():
        digest, path = line.split("  ")
        assert sha256(copied[path]).hexdigest() == digest


def _flip(nodes: list[str]) -> None:
    nodes[-1] = nodes[-1][:-1] + ("0" if nodes[-1][-1] != "0" else "1")


@pytest.mark.parametrize("name", ["transaction_proof", "receipt_proof"])
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_flip, "does not hash to what stands above it"),
        (lambda nodes: nodes.pop(), "before the way of its key does"),
        (lambda nodes: nodes.append(nodes[0]), "its key needs"),
        (lambda nodes: nodes.clear(), "proof ends after 0 nodes"),
        (lambda nodes: nodes.__setitem__(0, 7), "is not hexadecimal data"),
    ],
)
def test_proofs_that_do_not_hold(
    crowd: Crowd, tmp_path: Path, name: str, change: Callable[[list[Any]], None], reason: str
) -> None:
    """Each damaged proof is a failure of the anchor, offline."""
    stored = crowd.stored
    change(stored[name])
    changed = crowd.with_record(tmp_path / "c", stored)
    ((verdict, text),) = anchor_findings(changed, policy_of(crowd.evm))
    assert verdict == "fail"
    assert reason in text
    assert ("receipt" if name == "receipt_proof" else "transaction") in text


def test_receipt_that_the_proof_contradicts(crowd: Crowd, tmp_path: Path) -> None:
    """In a crowded block the receipt rests on its proof: an edited one is seen offline."""
    stored = crowd.stored
    stored["receipt"]["cumulativeGasUsed"] = "0x5208"
    (found,) = anchor_findings(crowd.with_record(tmp_path / "c", stored), policy_of(crowd.evm))
    assert found[0] == "fail"
    assert found[1].endswith("does not hold: the trie holds something else at index 25")


def test_proof_without_a_block(crowd: Crowd, tmp_path: Path) -> None:
    """A proof needs the header that it leads to."""
    changed = crowd.with_record(tmp_path / "c", crowd.stored | {"block": None})
    (found,) = anchor_findings(changed, policy_of(crowd.evm))
    assert found == ("fail", "a proof is there, and not the block that it is about")


def test_a_node_that_gives_no_proofs(crowd: Crowd, tmp_path: Path) -> None:
    """Receipts are asked for one by one where need be; without full blocks there is no proof."""
    node = NodeHttp(crowd.evm)
    node.lies["eth_getBlockReceipts"] = lambda _: None
    node.lies["eth_getBlockByHash"] = lambda _: None
    assert record(crowd.source, tmp_path / "b", policy_of(crowd.evm), node).proved == 0
    stored = json.loads((tmp_path / f"b/arcana/chain/{crowd.tx_hash}.json").read_bytes())
    assert "transaction_proof" not in stored
    assert stored["receipt_proof"] == crowd.stored["receipt_proof"]
    assert node.asked.count("eth_getTransactionReceipt") == 41


def test_unknown_transactions_are_asked_for_as_they_are(crowd: Crowd, tmp_path: Path) -> None:
    """A transaction of the chain's own kind is taken as bytes, and proofs hold all the same."""
    evm = crowd.evm
    first = evm.block(1)["transactions"][0]
    raw = evm.backend.chain.get_canonical_block_by_number(1).transactions[0].encode()
    node = NodeHttp(evm)

    def strange(block: Any) -> Any:
        strangers = [{"type": "0x6a", "hash": first}]
        return block | {"transactions": strangers + block["transactions"][1:]}

    node.lies["eth_getBlockByHash"] = strange
    assert record(crowd.source, tmp_path / "b", policy_of(evm), node).proved == 0
    node.raw[first] = f"0x{raw.hex()}"
    assert record(crowd.source, tmp_path / "c", policy_of(evm), node).proved == 1
    assert anchor_findings(tmp_path / "c", policy_of(evm)) == [SOUND]


def test_refusals(crowd: Crowd, tmp_path: Path) -> None:
    """Another chain, other answers, a broken bundle, a folder in the way: nothing is written."""
    source, target, policy = crowd.source, tmp_path / "b", policy_of(crowd.evm)
    node = NodeHttp(crowd.evm)
    with pytest.raises(CollectError, match="is of chain 1337, and the policy names 4663"):
        record(source, target, policy, NodeHttp(Evm(chain_id=1337)))
    liar = NodeHttp(crowd.evm)
    liar.lies["eth_getBlockByNumber"] = lambda _: None
    with pytest.raises(DisagreementError, match="for its block"):
        record(source, target, policy, node, liar)
    shutil.copytree(source, tmp_path / "broken")
    (tmp_path / "broken/arcana/anchors.jsonl").write_bytes(b"")
    with pytest.raises(UsageError, match="does not hold"):
        record(tmp_path / "broken", target, policy, node)
    with pytest.raises(UsageError, match="is there already"):
        record(source, source, policy, node)
    with pytest.raises(UsageError, match="cannot be written"):
        record(source, tmp_path / "no/where", policy, node)
    assert [path.name for path in tmp_path.iterdir()] == ["broken"]
