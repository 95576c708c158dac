"""
Row files and chain records of a stranger, laid over a tiny sound bundle.

The first line of an input names the file that the rest becomes: a row file such
as ``scores``, or ``chain`` for the record of the bundle's one transaction. What
can be read is audited, so every check meets rows that no honest arena writes.
"""

from atexit import register
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from small_bundle import write_tree
from tiny_arena import TX, arena

from verifier.arcana.chainrecord import chain_path, read_chain_record
from verifier.arcana.layout import read_tables
from verifier.audit import audit_bundle
from verifier.bundle import open_bundle, overlay
from verifier.errors import EvidenceError
from verifier.policy import Policy

NAMES: Final = frozenset(path.split("/")[1] for path in arena() if path.endswith(".jsonl"))
POLICY: Final = Policy()
FOLDER: Final = TemporaryDirectory()
register(FOLDER.cleanup)
BASE: Final = open_bundle(write_tree(Path(FOLDER.name) / "bundle", arena()))


def one_input(data: bytes) -> None:
    """Read a bundle with one file exchanged, then audit it."""
    first, _, content = data.partition(b"\n")
    name = f"{first.decode(errors='replace')}.jsonl"
    path = f"arcana/{name}" if name in NAMES else chain_path(TX)
    bundle = overlay(BASE, {path: content}, relist=True)
    try:
        tables = read_tables(bundle)
        read_chain_record(bundle, TX)
    except EvidenceError as error:
        refused(error, path)
        return
    lines = sum(map(len, (tables.agents, tables.snapshots, tables.decisions, tables.scores)))
    assert audit_bundle(bundle, policy=POLICY).findings or not lines


def refused(error: EvidenceError, path: str) -> None:
    """Demand an error that names the file."""
    assert str(error).startswith(path)
