"""A bundle of one anchor, whose transaction is on a chain of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from small_bundle import sums_of, write_tree

from verifier.core.canon import canonical_bytes
from verifier.core.merkle import root
from verifier.core.schemes import RFC9162

if TYPE_CHECKING:
    from pathlib import Path

    from chain.evm import Evm

SEAL: Final = "8cf432a43905fe03d5b8ad3d7f02a2ff266e1f7a2a6e10f56867496238971e1d"
ROOT: Final = root([RFC9162.leaf(bytes.fromhex(SEAL))])
TIME: Final = "2026-09-13T00:00:11.584025Z"
INDEX: Final = (
    b'{"arena":"test","as_of":"2026-09-20T03:30:00Z","families":["arcana"],'
    b'"format":"evidence-bundle/1","seasons":[],"title":"one anchor"}'
)


def row(evm: Evm, tx_hash: str | None, **changes: Any) -> dict[str, Any]:
    """The anchor's row, as the platform would publish it after the transaction was mined."""
    receipt = None if tx_hash is None else evm.receipt(tx_hash)
    return {
        "block_number": None if receipt is None else int(receipt["blockNumber"], 16),
        "chain_id": evm.chain_id,
        "created_at": "2026-09-13T00:15:04.693Z",
        "decisions": {
            "first_id": "10144",
            "first_ts": TIME,
            "last_id": "10144",
            "last_ts": TIME,
        },
        "explorer_url": None,
        "gas_cost_usd": 0.1,
        "id": "96",
        "leaf_count": 1,
        "leaves": [
            {
                "agent_id": "124a9510-2474-4050-9579-ccb062cb58c7",
                "commitment": SEAL,
                "decision_id": "10144",
                "decision_ts": TIME,
                "kind": "decision",
                "leaf_index": 0,
            }
        ],
        "mined_at": "2026-09-13T00:15:08.693Z",
        "note": None,
        "root": ROOT.hex(),
        "scheme": "arcana-anchor/v1",
        "sender": evm.accounts[0].address.lower(),
        "status": "mined",
        "tx_hash": tx_hash,
        **changes,
    }


def bundle_of(folder: Path, *rows: dict[str, Any], **files: bytes) -> Path:
    """Write a bundle that holds these anchors and little else."""
    content = {
        "bundle.json": INDEX,
        "arcana/anchors.jsonl": b"".join(canonical_bytes(each) + b"\n" for each in rows),
        **files,
    }
    return write_tree(folder, content | {"SHA256SUMS": sums_of(content)})
