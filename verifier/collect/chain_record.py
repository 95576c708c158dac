"""
``anchor record``: a copy of a bundle that holds what the chain says of its anchors.

The copy has one file for each anchor with a transaction, ``arcana/chain/<tx hash>.json``,
in place of any that was there: the nodes' answers as they came, in canonical JSON, and
proofs where they could be made. All other files are the same bytes. ``SHA256SUMS`` is
written anew, so a bundle whose own list does not hold is refused: a copy would hide that.

The folder is made beside its place and moved there when it is complete.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from verifier.arcana.chainrecord import chain_path
from verifier.bundle.inventory import SUMS
from verifier.collect.chain import anchors_of
from verifier.collect.chain_answers import ask_all, ask_chain_id
from verifier.collect.chain_judge import asked_hash
from verifier.collect.chain_proofs import with_proofs
from verifier.collect.errors import CollectError
from verifier.core.canon import canonical_bytes
from verifier.errors import ChangedError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from verifier.arcana.chainrecord import ChainRecord
    from verifier.bundle import Bundle
    from verifier.collect.chain_answers import Node
    from verifier.core.jsonread import JsonValue
    from verifier.policy import Policy

__all__ = ["Recorded", "record_anchors", "write_copy"]


@dataclass(frozen=True, slots=True)
class Recorded:
    """How many anchors were recorded, mined ones among them, and with both proofs."""

    anchors: int
    mined: int
    proved: int


def record_anchors(
    bundle: Bundle,
    nodes: Sequence[Node],
    folder: Path,
    *,
    policy: Policy,
    progress: Callable[[str, int, int], None] | None = None,
) -> Recorded:
    """
    Ask the nodes about every anchor, and write the copy.

    Raises:
        CollectError: A node cannot be asked, is of another chain, or disagrees.
        UsageError: The bundle cannot be copied, or the folder is there already.
        EvidenceError: The bundle's rows cannot be read.
    """
    _check_copyable(bundle, folder)
    anchors = anchors_of(bundle)
    chain_id = policy.arcana.chain_id
    found = ask_chain_id(nodes)
    if found != chain_id:
        raise CollectError(f"{nodes[0].name}: is of chain {found}, and the policy names {chain_id}")
    files: dict[str, bytes] = {}
    mined = proved = 0
    for done, anchor in enumerate(anchors):
        if progress is not None:
            progress("asking", done, len(anchors))
        tx_hash = asked_hash(anchor)
        if tx_hash is None:
            continue
        record = with_proofs(nodes[0], ask_all(nodes, tx_hash, chain_id), chain_id)
        mined += record.receipt is not None
        proved += None not in (record.transaction_proof, record.receipt_proof)
        files[chain_path(tx_hash)] = canonical_bytes(_value(record))
    write_copy(bundle, files, folder)
    return Recorded(len(files), mined, proved)


def _value(record: ChainRecord) -> JsonValue:
    value: dict[str, JsonValue] = {
        "transaction": record.transaction,
        "receipt": record.receipt,
        "block": record.block,
    }
    for name in ("transaction_proof", "receipt_proof"):
        proof: JsonValue = getattr(record, name)
        if proof is not None:
            value[name] = proof
    return value


def write_copy(bundle: Bundle, files: Mapping[str, bytes], folder: Path) -> None:
    """
    Write a bundle with other files in place of some, or beside them.

    Raises:
        UsageError: The folder is there already, or cannot be written.
        ChangedError: The bundle is no longer what was hashed.
    """
    _check_copyable(bundle, folder)
    try:
        made = Path(mkdtemp(prefix=".tallyproof-", dir=folder.parent))
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written: {error.strerror}") from None
    try:
        listed = {**_copied(bundle, files, made), **_written(files, made)}
        lines = [f"{listed[path]}  {path}\n" for path in sorted(listed, key=str.encode)]
        (made / SUMS).write_text("".join(lines), encoding="utf-8")
        made.chmod(0o755)
        made.rename(folder)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _check_copyable(bundle: Bundle, folder: Path) -> None:
    if bundle.problems:
        raise UsageError(
            f"the bundle's own list does not hold ({bundle.problems[0].path}: "
            f"{bundle.problems[0].reason}): audit it first"
        )
    if folder.exists():
        raise UsageError(f"{folder}: is there already")


def _copied(bundle: Bundle, files: Mapping[str, bytes], made: Path) -> dict[str, str]:
    listed = {}
    for path in bundle.paths:
        if path in files:
            continue
        place = _place(made, path)
        digest = sha256()
        with place.open("wb") as out:
            for chunk in bundle.source.chunks(path, bundle.size(path)):
                digest.update(chunk)
                out.write(chunk)
        if digest.hexdigest() != bundle.digest(path):
            raise ChangedError("changed after it was hashed", file=path)
        listed[path] = bundle.digest(path)
    return listed


def _written(files: Mapping[str, bytes], made: Path) -> dict[str, str]:
    for path, content in files.items():
        _place(made, path).write_bytes(content)
    return {path: sha256(content).hexdigest() for path, content in files.items()}


def _place(made: Path, path: str) -> Path:
    place = made / path
    place.parent.mkdir(parents=True, exist_ok=True)
    return place
