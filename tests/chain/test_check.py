"""Anchors in real transactions of a real EVM, and everything that can be wrong with one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
from chain.anchored import ROOT, bundle_of, row
from chain.evm import CHAIN_ID, MAGIC, Evm, NodeHttp

from verifier.bundle import open_bundle
from verifier.collect.chain import ANCHOR_CHECKS, check_anchors
from verifier.collect.chain_answers import DisagreementError
from verifier.collect.errors import CollectError
from verifier.collect.rpc import RpcNode
from verifier.core.canon import canonical_bytes
from verifier.errors import UsageError
from verifier.findings import Verdict
from verifier.policy import ArcanaPolicy, Policy
from verifier.report import exit_code

if TYPE_CHECKING:
    from pathlib import Path

    from verifier.report.model import Report

PAYLOAD: Final = MAGIC + ROOT
ENOUGH: Final = 12


def policy_of(evm: Evm, **changes: Any) -> Policy:
    """Trust the chain's first account."""
    sender = evm.accounts[0].address.lower()
    return Policy(arcana=replace(ArcanaPolicy(senders=(sender,)), **changes))


def check(path: Path, policy: Policy, *https: NodeHttp) -> Report:
    """Check a bundle against nodes that are not on any network."""
    nodes = [RpcNode(f"https://node{at}.example/v1/KEY", each) for at, each in enumerate(https)]
    with open_bundle(path) as bundle:
        return check_anchors(bundle, nodes, policy=policy)


def said(report: Report) -> dict[str, tuple[str, str]]:
    """Check, verdict and message of each problem; no check has two here."""
    found = {f.check.removeprefix("anchor/"): (f.verdict.value, f.message) for f in report.findings}
    assert len(found) == len(report.findings), report.findings
    found.pop("record", None)  # exempt without a record, which tests of its own look at
    return found


@pytest.fixture(name="evm")
def _evm() -> Evm:
    return Evm()


def mined(evm: Evm, tx_hash: str, *, on_top: int = ENOUGH) -> str:
    """Mine what waits, and blocks on top of it."""
    evm.mine(1 + on_top)
    return tx_hash


@pytest.mark.parametrize("london", [True, False])
def test_sound(tmp_path: Path, *, london: bool) -> None:
    """A root in a real transaction passes every check, also on a chain with longer headers."""
    evm = Evm(london=london, chain_id=CHAIN_ID if london else 1337)
    tx_hash = mined(evm, evm.send(PAYLOAD))
    path = bundle_of(tmp_path / "b", row(evm, tx_hash))
    report = check(path, policy_of(evm, chain_id=evm.chain_id), NodeHttp(evm), NodeHttp(evm))
    assert said(report) == {}
    assert exit_code(report) == 0
    counts = {count.id: count.pass_ for count in report.checks}
    assert counts == {item.id: 1 for item in ANCHOR_CHECKS} | {
        "anchor/chain": 3,  # two nodes and the anchor
        "anchor/record": 0,
    }


def test_no_sender_named(evm: Evm, tmp_path: Path) -> None:
    """Without a trusted sender, authorship is unproven here as in an audit."""
    path = bundle_of(tmp_path / "b", row(evm, mined(evm, evm.send(PAYLOAD))))
    report = check(path, Policy(), NodeHttp(evm))
    assert said(report) == {
        "sender": (
            "unproven",
            "the policy names no trusted sender, so who wrote the anchors is not proved",
        )
    }
    assert exit_code(report) == 3


def test_wrong_input(evm: Evm, tmp_path: Path) -> None:
    """The transaction holds another root."""
    path = bundle_of(tmp_path / "b", row(evm, mined(evm, evm.send(MAGIC + bytes(32)))))
    report = check(path, policy_of(evm), NodeHttp(evm))
    assert said(report) == {"payload": ("fail", "the input differs")}
    assert exit_code(report) == 1


def test_value_is_sent(evm: Evm, tmp_path: Path) -> None:
    """An anchor moves nothing."""
    path = bundle_of(tmp_path / "b", row(evm, mined(evm, evm.send(PAYLOAD, value=1))))
    assert said(check(path, policy_of(evm), NodeHttp(evm))) == {
        "payload": ("fail", "the value sent differs")
    }


def test_legacy_transaction(evm: Evm, tmp_path: Path) -> None:
    """An anchor is an EIP-1559 transaction."""
    old: dict[str, Any] = {
        "type": None,
        "maxFeePerGas": None,
        "maxPriorityFeePerGas": None,
        "accessList": None,
    }
    tx_hash = mined(evm, evm.send(PAYLOAD, gasPrice=10**10, **old))
    assert said(
        check(bundle_of(tmp_path / "b", row(evm, tx_hash)), policy_of(evm), NodeHttp(evm))
    ) == {"payload": ("fail", "the transaction type differs")}


def test_reverted(tmp_path: Path) -> None:
    """All of it is right and it reverted: the account's own code (EIP-7702) refused."""
    evm = Evm(london=False, chain_id=1337)
    evm.delegate_to_reverting_code()
    tx_hash = mined(evm, evm.send(PAYLOAD))
    path = bundle_of(tmp_path / "b", row(evm, tx_hash))
    report = check(path, policy_of(evm, chain_id=1337), NodeHttp(evm))
    assert said(report) == {"status": ("fail", "the receipt's status differs")}
    assert (report.findings[0].published, report.findings[0].recomputed) == ("0x0", "0x1")
    assert exit_code(report) == 1


def test_status_that_the_trie_contradicts(evm: Evm, tmp_path: Path) -> None:
    """A node that lies about the status alone is seen through by the block's receipts root."""
    node = NodeHttp(evm)
    node.lies["eth_getTransactionReceipt"] = lambda value: value | {"status": "0x0"}
    path = bundle_of(tmp_path / "b", row(evm, mined(evm, evm.send(PAYLOAD))))
    found = said(check(path, policy_of(evm), node))
    assert found["status"] == ("fail", "the receipt's status differs")
    assert found["block"] == ("fail", "the block's receipts root differs")


def test_transaction_of_another_chain(tmp_path: Path) -> None:
    """Signed for another chain than policy and anchor name."""
    evm = Evm(chain_id=1337)
    path = bundle_of(tmp_path / "b", row(evm, mined(evm, evm.send(PAYLOAD)), chain_id=CHAIN_ID))
    node = NodeHttp(evm)
    node.lies["eth_chainId"] = lambda _: hex(CHAIN_ID)
    assert said(check(path, policy_of(evm), node))["chain"] == (
        "fail",
        "the transaction's chain id differs",
    )


@pytest.mark.parametrize("london", [True, False])
def test_all_of_it_on_another_chain(tmp_path: Path, *, london: bool) -> None:
    """A sound anchor on a chain that the policy does not name fails for that alone."""
    evm = Evm(chain_id=1337, london=london)
    path = bundle_of(tmp_path / "b", row(evm, mined(evm, evm.send(PAYLOAD))))
    report = check(path, policy_of(evm), NodeHttp(evm))
    assert {f.check for f in report.findings if f.verdict is not Verdict.EXEMPT} == {"anchor/chain"}
    assert {f.message for f in report.findings if f.verdict is Verdict.FAIL} == {
        "the anchor's chain id differs",
        "the transaction's chain id differs",
    }
    assert exit_code(report) == 1


def test_nodes_of_different_chains(evm: Evm, tmp_path: Path) -> None:
    """Two nodes of two chains cannot bear each other out."""
    path = bundle_of(tmp_path / "b", row(evm, mined(evm, evm.send(PAYLOAD))))
    with pytest.raises(DisagreementError, match="first is of chain 4663 and the second of chain 7"):
        check(path, policy_of(evm), NodeHttp(evm), NodeHttp(Evm(chain_id=7)))


def test_anchor_names_another_chain(evm: Evm, tmp_path: Path) -> None:
    """The row's chain is judged too."""
    path = bundle_of(tmp_path / "b", row(evm, mined(evm, evm.send(PAYLOAD)), chain_id=1))
    report = check(path, policy_of(evm), NodeHttp(evm))
    assert said(report) == {"chain": ("fail", "the anchor's chain id differs")}


def test_node_of_another_chain(evm: Evm, tmp_path: Path) -> None:
    """What a node of another chain does not know shows nothing: unproven and not failed."""
    path = bundle_of(tmp_path / "b", row(evm, mined(evm, evm.send(PAYLOAD))))
    report = check(path, policy_of(evm), NodeHttp(Evm(chain_id=1337)))
    assert {f.verdict for f in report.findings} == {Verdict.UNPROVEN}
    assert [f.message.partition(",")[0] for f in report.findings] == [
        "the node is of another chain than 4663",
        "the transaction is not known to the node",
    ]
    assert exit_code(report) == 3


def test_other_sender(evm: Evm, tmp_path: Path) -> None:
    """Somebody else's transaction with the right root is not the platform's."""
    tx_hash = mined(evm, evm.send(PAYLOAD, account=1))
    stranger = evm.accounts[1].address.lower()
    path = bundle_of(tmp_path / "b", row(evm, tx_hash, sender=stranger))
    assert said(check(path, policy_of(evm), NodeHttp(evm))) == {
        "sender": ("fail", "the sender is none that the policy trusts")
    }
    path = bundle_of(tmp_path / "c", row(evm, tx_hash))
    messages = {f.message for f in check(path, policy_of(evm), NodeHttp(evm)).findings}
    assert "the signer recovered from the transaction differs" in messages


def test_not_mined_yet(evm: Evm, tmp_path: Path) -> None:
    """A transaction that waits is in no block, whatever the row says."""
    waiting = row(evm, evm.send(PAYLOAD), block_number=1)
    report = check(bundle_of(tmp_path / "b", waiting), policy_of(evm), NodeHttp(evm))
    assert said(report) == {
        "mined": (
            "fail",
            "the transaction is not mined yet: the node knows it, and it is in no block",
        )
    }
    path = bundle_of(tmp_path / "c", waiting | {"status": "broadcast", "block_number": None})
    report = check(path, policy_of(evm), NodeHttp(evm))
    assert said(report) == {"mined": ("unproven", "the anchor is broadcast and not mined yet")}
    evm.mine()
    (finding,) = check(path, policy_of(evm), NodeHttp(evm)).findings
    assert (finding.verdict, finding.recomputed) == (Verdict.EXEMPT, "block 1")


def test_never_sent(evm: Evm, tmp_path: Path) -> None:
    """A transaction that the chain does not know."""
    path = bundle_of(tmp_path / "b", row(evm, "0x" + "ab" * 32, block_number=1))
    assert said(check(path, policy_of(evm), NodeHttp(evm))) == {
        "mined": ("fail", "the chain does not know the transaction: it was never sent, or is gone")
    }


def test_reorganised_away(evm: Evm, tmp_path: Path) -> None:
    """The bundle recorded a block that the chain no longer has."""
    tx_hash = mined(evm, evm.send(PAYLOAD))
    anchor = row(evm, tx_hash)
    record = canonical_bytes(
        {"transaction": evm.transaction(tx_hash), "receipt": evm.receipt(tx_hash), "block": None}
    )
    path = bundle_of(tmp_path / "b", anchor, **{f"arcana/chain/{tx_hash}.json": record})
    assert exit_code(check(path, policy_of(evm), NodeHttp(evm))) == 0
    old = evm.receipt(tx_hash)["blockHash"]
    evm.fork(1 + ENOUGH)
    evm.mine(5)
    (finding,) = check(path, policy_of(evm), NodeHttp(evm)).findings
    gone = "the transaction was reorganised away: the bundle records its block, and now "
    assert finding.message == f"{gone}it is not known"
    assert (finding.published, finding.recomputed) == (old, evm.block(1)["hash"])
    # Mined again elsewhere, it is another place than the bundle's.
    raw = bytes(evm.accounts[0].sign_transaction(_again(evm)).raw_transaction)
    assert evm.send_raw(raw, evm.accounts[0].address) == tx_hash
    evm.mine(1 + ENOUGH)
    report = check(path, policy_of(evm), NodeHttp(evm))
    assert {f.check for f in report.findings} == {"anchor/block", "anchor/record"}
    assert report.findings[-1].message == (
        "the chain has the transaction in another block than the bundle records"
    )


def _again(evm: Evm) -> dict[str, Any]:
    return {
        "type": 2,
        "chainId": CHAIN_ID,
        "nonce": 0,
        "maxPriorityFeePerGas": 10**9,
        "maxFeePerGas": 10**10,
        "gas": 100_000,
        "to": evm.accounts[0].address,
        "value": 0,
        "data": PAYLOAD,
        "accessList": [],
    }


def test_reorganising_node(evm: Evm, tmp_path: Path) -> None:
    """A receipt of a block that is no longer the one at its height."""
    tx_hash = mined(evm, evm.send(PAYLOAD))
    receipt = evm.receipt(tx_hash)
    anchor = row(evm, tx_hash)
    transaction = evm.transaction(tx_hash)
    evm.fork(1 + ENOUGH)
    evm.mine(20)
    node = NodeHttp(evm)
    node.lies["eth_getTransactionReceipt"] = lambda _: receipt
    node.lies["eth_getTransactionByHash"] = lambda _: transaction
    (finding,) = check(bundle_of(tmp_path / "b", anchor), policy_of(evm), node).findings
    assert finding.message == (
        "the transaction was reorganised away: the chain has another block at its height"
    )


@pytest.mark.parametrize(("on_top", "proved"), [(ENOUGH - 1, False), (ENOUGH, True)])
def test_confirmations(evm: Evm, tmp_path: Path, on_top: int, *, proved: bool) -> None:
    """Exactly as many blocks on top as the policy wants are enough, one fewer is unproven."""
    path = bundle_of(tmp_path / "b", row(evm, mined(evm, evm.send(PAYLOAD), on_top=on_top)))
    report = check(path, policy_of(evm), NodeHttp(evm))
    assert exit_code(report) == (0 if proved else 3)
    assert set(said(report)) == (set() if proved else {"confirmations"})
    assert exit_code(check(path, policy_of(evm, confirmations=on_top), NodeHttp(evm))) == 0


def test_two_nodes_disagree(evm: Evm, tmp_path: Path) -> None:
    """Nodes that say different things are refused, with what differs; there is no report."""
    tx_hash = mined(evm, evm.send(PAYLOAD))
    path = bundle_of(tmp_path / "b", row(evm, tx_hash))
    liar = NodeHttp(evm)
    liar.lies["eth_getTransactionReceipt"] = lambda value: value | {"status": "0x0"}
    with pytest.raises(DisagreementError) as caught:
        check(path, policy_of(evm), NodeHttp(evm), liar)
    assert str(caught.value) == (
        f"https://node0.example:443 and https://node1.example:443 disagree about transaction "
        f"{tx_hash}: status of the receipt is 0x1 to the first and 0x0 to the second"
    )
    with pytest.raises(
        DisagreementError, match="the first has one and the second none for its transaction"
    ):
        check(path, policy_of(evm), NodeHttp(evm), NodeHttp(Evm()))


def test_unhelpful_nodes_agree(evm: Evm, tmp_path: Path) -> None:
    """Letter case and members that only one node adds are no disagreement."""
    path = bundle_of(tmp_path / "b", row(evm, mined(evm, evm.send(PAYLOAD))))
    other = NodeHttp(evm)
    other.lies["eth_getTransactionReceipt"] = lambda value: (
        value
        | {
            "l1BlockNumber": "0x1",
            "from": value["from"].upper().replace("X", "x"),
        }
    )
    assert exit_code(check(path, policy_of(evm), NodeHttp(evm), other)) == 0


def test_lower_head_counts(evm: Evm, tmp_path: Path) -> None:
    """Of two nodes the one that is behind decides about confirmations."""
    path = bundle_of(tmp_path / "b", row(evm, mined(evm, evm.send(PAYLOAD))))
    behind = NodeHttp(evm)
    behind.lies["eth_blockNumber"] = lambda _: "0x2"
    report = check(path, policy_of(evm), NodeHttp(evm), behind)
    assert said(report)["confirmations"][0] == "unproven"


def test_given_up(evm: Evm, tmp_path: Path) -> None:
    """A dropped anchor claims nothing, unless its transaction succeeded after all."""
    path = bundle_of(tmp_path / "b", row(evm, "0x" + "ab" * 32, status="dropped"))
    assert said(check(path, policy_of(evm), NodeHttp(evm)))["mined"][0] == "exempt"
    tx_hash = mined(evm, evm.send(PAYLOAD))
    path = bundle_of(tmp_path / "c", row(evm, tx_hash, status="dropped"))
    assert said(check(path, policy_of(evm), NodeHttp(evm)))["mined"] == (
        "fail",
        "the chain says that the transaction succeeded",
    )


def test_malformed_hash_is_not_asked(evm: Evm, tmp_path: Path) -> None:
    """A hash that no node could know is a failure of the row."""
    node = NodeHttp(evm)
    path = bundle_of(tmp_path / "b", row(evm, "0x12", block_number=1))
    assert said(check(path, policy_of(evm), node))["mined"][0] == "fail"
    assert "eth_getTransactionByHash" not in node.asked


def test_no_anchors(evm: Evm, tmp_path: Path) -> None:
    """A bundle without anchors cannot be checked, and never passes."""
    with pytest.raises(UsageError, match="no anchors"):
        check(bundle_of(tmp_path / "b"), policy_of(evm), NodeHttp(evm))


def test_block_after_all(evm: Evm, tmp_path: Path) -> None:
    """A node that answers for another height or another hash is refused."""
    path = bundle_of(tmp_path / "b", row(evm, mined(evm, evm.send(PAYLOAD))))
    other_hash = evm.block(1) | {"hash": "0x" + "00" * 32}
    for lie in (lambda _: evm.block(2), lambda _: other_hash):
        node = NodeHttp(evm)
        node.lies["eth_getBlockByNumber"] = lie
        with pytest.raises(CollectError, match="eth_getBlockByNumber"):
            check(path, policy_of(evm), node)
