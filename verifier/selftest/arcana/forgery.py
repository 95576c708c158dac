"""
Forging an ARCANA bundle, with all that depends on a lie tied up again.

A forger who rewrites a manifest gets another seal. Every manifest that names
the old one (as an input, or as the record before) is rewritten in turn, files
are renamed, rows and leaves get the new seals, and roots are recomputed. What
nobody can redo without the platform's key is the transaction that holds a root.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from verifier.arcana.chainrecord import chain_path
from verifier.arcana.checks.score import stored_text
from verifier.arcana.context import MANIFESTS, Context, load_context, manifest_path
from verifier.arcana.manifest import ScoreManifest, emit_manifest
from verifier.arcana.recompute import recompute
from verifier.arcana.rows import SCORE_COLUMNS
from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.core.merkle import root
from verifier.core.schemes import scheme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from verifier.arcana.manifest import Manifest
    from verifier.arcana.rows import ScoreRow
    from verifier.bundle import Bundle
    from verifier.core.jsonread import JsonValue
    from verifier.policy import Policy
    from verifier.selftest.mutations import Changes

__all__ = ["Evidence", "Forgery", "load_evidence"]

_HEX: Final = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_TREE: Final = "rfc9162-sha256"
_SEALED_TABLES: Final = ("snapshots", "decisions", "scores", "anchors", "reputations")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """
    The honest bundle, as a forger knows it.

    Args:
        context: Its rows.
        references: Seals that a manifest names, by its own seal.
        referrers: Seals of the manifests that name a seal.
    """

    context: Context
    references: Mapping[str, frozenset[str]]
    referrers: Mapping[str, frozenset[str]]

    def scores(self) -> Iterator[tuple[ScoreRow, ScoreManifest]]:
        """Yield the sealed scores, first those whose creator has no other agent."""
        peers = self.context.peers
        agents = self.context.agents

        def has_peers(row: ScoreRow) -> bool:
            agent = agents.get(row.agent_id)
            listed = peers.get(agent.creator_id or "", ()) if agent is not None else ()
            return any(peer.agent_id != row.agent_id for peer in listed)

        for row in sorted(self.context.tables.scores, key=has_peers):
            manifest = None if row.seal is None else self.context.readable(row.seal)
            if isinstance(manifest, ScoreManifest):
                yield row, manifest

    def ranked(self) -> Iterator[tuple[ScoreRow, ScoreManifest]]:
        """Yield the sealed scores that are ranked, in the order of :meth:`scores`."""
        for row, manifest in self.scores():
            if isinstance(manifest.outputs, dict) and manifest.outputs["ranked"] is True:
                yield row, manifest


def load_evidence(bundle: Bundle, policy: Policy) -> Evidence:
    """
    Read the rows of a bundle, and which manifests name which.

    Raises:
        EvidenceError: A row file or a manifest cannot be read.
    """
    paths = [path for path in bundle.paths if path.startswith(MANIFESTS)]
    seals = {path.rpartition("/")[2].removesuffix(".txt") for path in paths}
    references: dict[str, frozenset[str]] = {}
    referrers: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        seal = path.rpartition("/")[2].removesuffix(".txt")
        references[seal] = _named(bundle.read(path)) & seals
        for named in references[seal]:
            referrers[named].add(seal)
    return Evidence(
        context=load_context(bundle, policy),
        references=references,
        referrers={seal: frozenset(found) for seal, found in referrers.items()},
    )


def _named(text: bytes) -> frozenset[str]:
    return frozenset(found.decode() for found in _HEX.findall(text))


class Forgery:
    """
    Changes to one bundle, collected and at the end tied up by :meth:`changes`.

    Args:
        evidence: The honest bundle.
    """

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.context = evidence.context
        self._bundle = evidence.context.bundle
        self._lines: dict[str, list[bytes]] = {}
        self._files: Changes = {}
        self._manifests: dict[str, bytes] = {}

    def lines(self, table: str) -> list[bytes]:
        """Give the lines of a row file, to be changed in place."""
        if table not in self._lines:
            path = f"arcana/{table}.jsonl"
            text = self._bundle.read(path) if self._bundle.has(path) else b""
            self._lines[table] = text.split(b"\n")[:-1]
        return self._lines[table]

    def row(self, table: str, line: int) -> dict[str, Any]:
        """Read one row, as it stands now; lines count from 1."""
        value = read_json(self.lines(table)[line - 1])
        assert isinstance(value, dict)
        return value

    def put(self, table: str, line: int, **members: JsonValue) -> None:
        """Set members of one row."""
        self.lines(table)[line - 1] = canonical_bytes({**self.row(table, line), **members})

    def file(self, path: str, content: bytes | None) -> None:
        """Write a file that is no row file, or take any file away."""
        self._files[path] = content

    def chain(self, tx_hash: str, part: str, **members: JsonValue) -> bool:
        """Set members of a transaction, receipt or block; tell whether there was one."""
        path = chain_path(tx_hash)
        if not self._bundle.has(path):
            return False
        record: Any = read_json(self._files.get(path) or self._bundle.read(path))
        if not isinstance(record.get(part), dict):
            return False
        record[part].update(members)
        self.file(path, canonical_bytes(record))
        return True

    def text(self, seal: str) -> bytes:
        """Read the manifest of a seal, as it stands now."""
        return self._manifests.get(seal) or self._bundle.read(manifest_path(seal))

    def reseal(self, seal: str | None, manifest: Manifest | bytes) -> None:
        """Write another manifest for a record; its seal and all that names it follow."""
        assert seal is not None
        data = manifest if isinstance(manifest, bytes) else emit_manifest(manifest)
        self._manifests[seal] = data

    def add_manifest(self, data: bytes) -> str:
        """Add the manifest of a record that had none, and give its seal."""
        seal = sha256(data).hexdigest()
        self.file(manifest_path(seal), data)
        return seal

    def reseal_score(self, row: ScoreRow, manifest: ScoreManifest) -> None:
        """Write another manifest for a score, and its outputs into the row's columns."""
        self.reseal(row.seal, manifest)
        assert not isinstance(manifest.outputs, str)
        values = {column: manifest.outputs[name] for column, name in SCORE_COLUMNS.items()}
        columns = {
            column: None if value is None else stored_text(value)
            for column, value in values.items()
        }
        self.put("scores", row.line, **columns)

    def rescore(self, row: ScoreRow, manifest: ScoreManifest) -> None:
        """Like :meth:`reseal_score`, with the outputs that the formula gives."""
        outputs = dict(recompute(manifest).outputs)
        self.reseal_score(row, replace(manifest, outputs=outputs))

    def rescore_all(self, agent_id: str, change: Callable[[ScoreManifest], ScoreManifest]) -> None:
        """Change and rescore each of an agent's sealed scores that the change concerns."""
        for row in self.context.tables.scores:
            if row.agent_id != agent_id or row.seal is None:
                continue
            manifest = self.context.readable(row.seal)
            if isinstance(manifest, ScoreManifest):
                changed = change(manifest)
                if changed != manifest:
                    self.rescore(row, changed)

    def changes(self) -> Changes:
        """Tie up what depends on the changed manifests, and give all changes."""
        renamed: dict[bytes, bytes] = {}
        for seal in self._affected():
            text = _rename(self.text(seal), renamed)
            new = sha256(text).hexdigest()
            renamed[seal.encode()] = new.encode()
            self._files.setdefault(manifest_path(seal), None)
            self._files[manifest_path(new)] = text
        if renamed:
            for table in _SEALED_TABLES:
                self._rename_rows(table, renamed)
        tables = {f"arcana/{name}.jsonl": lines for name, lines in self._lines.items()}
        return {
            **{path: b"".join(line + b"\n" for line in lines) for path, lines in tables.items()},
            **self._files,
        }

    def _affected(self) -> Iterator[str]:
        """Order the changed manifests, and those that name them, so that the named come first."""
        affected = set(self._manifests)
        waiting = list(affected)
        while waiting:
            found = self.evidence.referrers.get(waiting.pop(), frozenset()) - affected
            affected |= found
            waiting += found
        graph = {
            seal: (
                _named(self._manifests[seal])
                if seal in self._manifests
                else self.evidence.references[seal]
            )
            & affected
            for seal in sorted(affected)
        }
        return iter(tuple(TopologicalSorter(graph).static_order()))

    def _rename_rows(self, table: str, renamed: Mapping[bytes, bytes]) -> None:
        lines = self.lines(table)
        for index, line in enumerate(lines):
            lines[index] = _rename(line, renamed)
            if table == "anchors" and lines[index] != line:
                self.reroot(index + 1)

    def reroot(self, line: int) -> None:
        """Recompute the root of an anchor over the leaves that it now has."""
        tree = scheme(_TREE)
        leaves = self.row("anchors", line)["leaves"]
        hashes = [tree.leaf(bytes.fromhex(leaf["commitment"])) for leaf in leaves]
        self.put("anchors", line, root=root(hashes).hex())


def _rename(text: bytes, renamed: Mapping[bytes, bytes]) -> bytes:
    return _HEX.sub(lambda found: renamed.get(found[0], found[0]), text)
