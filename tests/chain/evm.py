"""
A real EVM in this process, and a node in front of it.

eth-tester's py-evm chain with London's rules, whose headers have 16 fields as ARCANA's
chain has; ``Prague`` gives one with 21. What the node says is written from py-evm's
own RLP by the ``rlp`` library and hashed by py-evm: nothing of the package under test
has a part in it.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final

import rlp  # type: ignore[import-untyped]
from eth.vm.forks.london import LondonVM
from eth_account import Account
from eth_tester import PyEVMBackend  # type: ignore[import-untyped]
from eth_utils.crypto import keccak

from verifier.collect.port import Exchange, Request

if TYPE_CHECKING:
    from collections.abc import Callable

Json = Any

# py-evm raises Python's limit tenfold for deep calls of contracts, of which there are none here.
# At that depth the C stack ends first, and a test of deep JSON would end the whole run.
sys.setrecursionlimit(1_000)

HEADER: Final = (
    *("parentHash", "sha3Uncles", "miner", "stateRoot", "transactionsRoot", "receiptsRoot"),
    *("logsBloom", "#difficulty", "#number", "#gasLimit", "#gasUsed", "#timestamp", "extraData"),
    *("mixHash", "nonce", "#baseFeePerGas", "withdrawalsRoot", "#blobGasUsed"),
    *("#excessBlobGas", "parentBeaconBlockRoot", "requestsHash"),
)
LEGACY: Final = ("#nonce", "#gasPrice", "#gas", "to", "#value", "input", "#v", "#r", "#s")
DYNAMIC: Final = (
    *("#chainId", "#nonce", "#maxPriorityFeePerGas", "#maxFeePerGas", "#gas", "to"),
    *("#value", "input", "accessList", "#v", "#r", "#s"),
)
CHAIN_ID: Final = 4663
MAGIC: Final = bytes.fromhex("415243414e410001")
REVERTS: Final = bytes.fromhex("6460006000fd6000526005601bf3")
"""Makes a contract of PUSH1 0, PUSH1 0, REVERT."""


def shown(names: tuple[str, ...], values: list[Any]) -> dict[str, Json]:
    """Members of a JSON-RPC object; a name behind ``#`` is a quantity."""
    return {
        name.removeprefix("#"): hex(int.from_bytes(value, "big"))
        if name.startswith("#")
        else value
        if isinstance(value, list)
        else f"0x{value.hex()}"
        for name, value in zip(names, values, strict=False)
    }


class Evm:
    """A chain with some accounts; what is sent waits until a block is mined."""

    def __init__(self, *, chain_id: int = CHAIN_ID, london: bool = True) -> None:
        self.backend = PyEVMBackend(vm_configuration=((0, LondonVM),) if london else None)
        type(self.backend.chain).chain_id = chain_id
        self.chain_id = chain_id
        self.accounts = [Account.from_key(key.to_bytes()) for key in self.backend.account_keys]
        self._indexed = b""
        self._mined: dict[str, tuple[Any, int, Any]] = {}
        self.nonces = dict.fromkeys((each.address for each in self.accounts), 0)

    def send(self, data: bytes, *, account: int = 0, **changes: Any) -> str:
        """Send a transaction to oneself, and return its hash."""
        signer = self.accounts[account]
        transaction = {
            "type": 2,
            "chainId": self.chain_id,
            "nonce": self.nonces[signer.address],
            "maxPriorityFeePerGas": 10**9,
            "maxFeePerGas": 10**10,
            "gas": 100_000,
            "to": signer.address,
            "value": 0,
            "data": data,
            "accessList": [],
            **changes,
        }
        signed = signer.sign_transaction({k: v for k, v in transaction.items() if v is not None})
        return self.send_raw(bytes(signed.raw_transaction), signer.address)

    def send_raw(self, raw: bytes, sender: str) -> str:
        """Send a signed transaction."""
        self.nonces[sender] += 1
        return f"0x{self.backend.send_raw_transaction(raw).hex()}"

    def delegate_to_reverting_code(self) -> None:
        """Give the first account code that reverts whatever is sent to it (EIP-7702)."""
        owner, payer = self.accounts[:2]
        self.send(REVERTS, account=1, to=None)
        self.mine()
        (made,) = self._block(self.number).transactions
        contract = rlp.encode([made.sender, made.nonce])
        leave = owner.sign_authorization(
            {
                "chainId": self.chain_id,
                "address": keccak(contract)[-20:],
                "nonce": 0,
            }
        )
        self.nonces[owner.address] += 1
        self.send(b"", account=1, type=4, to=payer.address, authorizationList=[leave])
        self.mine()

    def mine(self, blocks: int = 1) -> None:
        """Mine what waits, and then empty blocks."""
        self.backend.mine_blocks(blocks)

    def fork(self, depth: int) -> None:
        """Forget the last blocks, as a reorganisation does; what was in them is gone."""
        head = self.number - depth
        self.backend.revert_to_snapshot(self._block(head).hash)
        for each in self.accounts:
            self.nonces[each.address] = self.backend.get_nonce(bytes.fromhex(each.address[2:]))

    @property
    def number(self) -> int:
        """Height of the chain."""
        height: int = self.backend.chain.get_canonical_head().block_number
        return height

    def _block(self, number: int) -> Any:
        return self.backend.chain.get_canonical_block_by_number(number)

    def _find(self, tx_hash: str) -> tuple[Any, int, Any] | None:
        """Block (None while it waits), index and transaction of a hash."""
        head = self._block(self.number).hash
        if head != self._indexed:
            self._indexed = head
            self._mined = {
                f"0x{transaction.hash.hex()}": (block, index, transaction)
                for block in map(self._block, range(self.number + 1))
                for index, transaction in enumerate(block.transactions)
            }
        for transaction in self.backend.chain.get_block().transactions:
            if f"0x{transaction.hash.hex()}" == tx_hash:
                return None, 0, transaction
        return self._mined.get(tx_hash)

    def rpc(self, method: str, params: list[Any]) -> Json:
        """Answer a request as a node does."""
        answers: dict[str, Callable[..., Json]] = {
            "eth_chainId": lambda: hex(self.chain_id),
            "eth_blockNumber": lambda: hex(self.number),
            "eth_getTransactionByHash": self.transaction,
            "eth_getTransactionReceipt": self.receipt,
            "eth_getBlockByNumber": lambda number, full: self.block(int(number, 16), full=full),
            "eth_getBlockByHash": self.block_by_hash,
            "eth_getBlockReceipts": self.receipts,
        }
        return answers[method](*params)

    def transaction(self, tx_hash: str) -> Json:
        """``eth_getTransactionByHash``."""
        found = self._find(tx_hash)
        return None if found is None else self._transaction(*found)

    def _transaction(self, block: Any, index: int, transaction: Any) -> Json:
        raw = transaction.encode()
        kind = raw[0] if raw[0] < 0xC0 else 0
        value = shown(DYNAMIC if kind else LEGACY, rlp.decode(raw[kind > 0 :]))
        if kind:
            value["yParity"] = value["v"]
        if value["to"] == "0x":
            value["to"] = None
        return value | {
            "type": hex(kind),
            "hash": f"0x{transaction.hash.hex()}",
            "from": f"0x{transaction.sender.hex()}",
            "blockHash": None if block is None else f"0x{block.hash.hex()}",
            "blockNumber": None if block is None else hex(block.number),
            "transactionIndex": None if block is None else hex(index),
        }

    def receipt(self, tx_hash: str) -> Json:
        """``eth_getTransactionReceipt``."""
        found = self._find(tx_hash)
        if found is None or found[0] is None:
            return None
        block, index, transaction = found
        raw = block.get_receipts(self.backend.chain.chaindb)[index].encode()
        kind = raw[0] if raw[0] < 0xC0 else 0
        status, gas, bloom, logs = rlp.decode(raw[kind > 0 :])
        return {
            "type": hex(kind),
            "status": hex(int.from_bytes(status, "big")),
            "cumulativeGasUsed": hex(int.from_bytes(gas, "big")),
            "logsBloom": f"0x{bloom.hex()}",
            "logs": [
                {
                    "address": f"0x{address.hex()}",
                    "topics": [f"0x{topic.hex()}" for topic in topics],
                    "data": f"0x{data.hex()}",
                }
                for address, topics, data in logs
            ],
            "transactionHash": tx_hash,
            "transactionIndex": hex(index),
            "blockHash": f"0x{block.hash.hex()}",
            "blockNumber": hex(block.number),
            "from": f"0x{transaction.sender.hex()}",
            "to": f"0x{transaction.to.hex()}" if transaction.to else None,
        }

    def receipts(self, number: str) -> Json:
        """``eth_getBlockReceipts``."""
        block = self._block(int(number, 16))
        return [self.receipt(f"0x{each.hash.hex()}") for each in block.transactions]

    def block(self, number: int, *, full: bool = False) -> Json:
        """``eth_getBlockByNumber``."""
        if number > self.number:
            return None
        block = self._block(number)
        value = shown(HEADER, rlp.decode(rlp.encode(block.header)))
        return value | {
            "hash": f"0x{block.hash.hex()}",
            "transactions": [
                self._transaction(block, index, each) if full else f"0x{each.hash.hex()}"
                for index, each in enumerate(block.transactions)
            ],
        }

    def block_by_hash(self, block_hash: str, full: bool) -> Json:  # noqa: FBT001 - the node's
        """``eth_getBlockByHash``."""
        for number in range(self.number + 1):
            if f"0x{self._block(number).hash.hex()}" == block_hash:
                return self.block(number, full=full)
        return None


class NodeHttp:
    """An :class:`~verifier.collect.port.Http` with a node behind it, and ways to lie."""

    def __init__(self, evm: Evm) -> None:
        self.evm = evm
        self.asked: list[str] = []
        self.raw: dict[str, str] = {}
        self.lies: dict[str, Callable[[Json], Json]] = {}
        self.body: Callable[[Json, Json], bytes] | None = None

    def send(self, request: Request) -> Exchange:
        """Answer one request."""
        assert request.body is not None
        status, body = self.answer(request.body)
        return Exchange(request, request.url, status, (), 0, body)

    def answer(self, data: bytes) -> tuple[int, bytes]:
        """Status and body of the answer to a request."""
        request = json.loads(data)
        self.asked.append(request["method"])
        try:
            if request["method"] == "eth_getRawTransactionByHash":
                result = self.raw[request["params"][0]]
            else:
                result = self.evm.rpc(request["method"], request["params"])
        except KeyError:
            error = {"code": -32601, "message": "the method does not exist"}
            return 200, json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error}).encode()
        result = self.lies.get(request["method"], lambda same: same)(result)
        if self.body is not None:
            return 200, self.body(request, result)
        return 200, json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode()
