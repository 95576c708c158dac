"""
Observations: what was seen, one canonical JSON after the other.

An observation is canonical JSON with a newline at its end, and the members:

=============  ================================================================
``format``     ``tallyproof-observation/1``
``sequence``   1, 2, 3…
``previous``   sha256 of the observation before; 64 zeros for the first
``url``        what is watched
``source``     ``site``, ``bundle`` or ``arena``
``at``         when its last answer was complete
``exchanges``  what was asked and answered (:mod:`verifier.watch.exchanges`)
``facts``      by kind and key: facts that are new, anchors that went forward, and of
               the kinds that may pass all that are there
``logs``       by scope: ``size``, ``root``, and from the observation before ``old``
               and the ``consistency`` proof, all of the ledger's tree
=============  ================================================================

So each is as long as what is new in it, and all of them together are everything
that was ever seen. When they are read, the ledgers' trees are built again, and
each consistency proof is checked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import JsonLimits, read_canonical
from verifier.core.merkle import StreamingRoot, check_consistency, consistency_proof
from verifier.core.schemes import RFC9162
from verifier.core.shape import Obj, kind_of, pointer_to
from verifier.errors import EvidenceError, FormatError, ProofError
from verifier.watch.exchanges import exchange_line, time_text
from verifier.watch.heads import OBSERVATIONS, Growth
from verifier.watch.kinds import KINDS, STATUSES, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.jsonread import JsonValue
    from verifier.watch.reading import Facts, Reading

__all__ = ["FORMAT", "SOURCES", "Seen"]

FORMAT: Final = "tallyproof-observation/1"
SOURCES: Final = ("site", "bundle", "arena")

_MEMBERS: Final = (
    *("at", "exchanges", "facts", "format", "logs"),
    *("previous", "sequence", "source", "url"),
)
_LIMITS: Final = JsonLimits(size=1 << 30)
_PASSING: Final = {kind.name for kind in KINDS.values() if kind.rule is Rule.PASSING}
_ANCHOR: Final = (
    *("block_number", "chain_id", "leaf_count", "mined_at"),
    *("root", "scheme", "sender", "status", "tx_hash"),
)


@dataclass(slots=True)
class Seen:
    """
    What the observations so far add up to.

    Args:
        count: How many there are.
        previous: sha256 of the last; 64 zeros without one.
        content: The last, as it was written.
        at: Its time; empty without one.
        url: What is watched; empty without one.
        source: What kind of publisher it is; empty without one.
        facts: Everything that was seen.
        logs: Leaf hashes of each ledger, by scope.
        own: Leaf hashes of the observations.
        exchanges: Those of the last observation.
    """

    count: int = 0
    previous: str = "0" * 64
    content: bytes = b""
    at: str = ""
    url: str = ""
    source: str = ""
    facts: Facts = field(default_factory=dict)
    logs: dict[str, list[bytes]] = field(default_factory=dict)
    own: list[bytes] = field(default_factory=list)
    exchanges: list[JsonValue] = field(default_factory=list)
    _trees: dict[str, StreamingRoot] = field(default_factory=dict)

    def write(self, source: str, reading: Reading) -> tuple[bytes, list[Growth]]:
        """
        Write the next observation; nothing of this changes.

        Args:
            source: What kind of publisher it is.
            reading: What it shows; :func:`verifier.watch.reading.compare` found nothing.

        Returns:
            The observation, and every log as it is with it.
        """
        logs: dict[str, JsonValue] = {}
        grown = []
        for scope, log in sorted(reading.logs.items()):
            old = len(self.logs.get(scope, ()))
            proof = consistency_proof(log.leaves, old) if old else []
            logs[scope] = {
                "consistency": [step.hex() for step in proof],
                "old": old,
                "root": log.root.hex(),
                "size": len(log.leaves),
            }
            grown.append(Growth(f"{scope}/ledger", log.leaves, old))
        value: dict[str, JsonValue] = {
            "at": time_text(max(document.at for document in reading.documents)),
            "exchanges": [exchange_line(document) for document in reading.documents],
            "facts": _new(self.facts, reading.facts),
            "format": FORMAT,
            "logs": logs,
            "previous": self.previous,
            "sequence": self.count + 1,
            "source": source,
            "url": self.url,
        }
        content = canonical_bytes(value) + b"\n"
        own = [*self.own, RFC9162.leaf(content)]
        return content, [*grown, Growth(OBSERVATIONS, own, self.count)]

    def add(self, content: bytes) -> None:
        """
        Read the next observation, and add it.

        Raises:
            EvidenceError: It is malformed, or does not follow what was seen.
        """
        if not content.endswith(b"\n"):
            raise FormatError("does not end in a newline")
        members = Obj(read_canonical(content[:-1], limits=_LIMITS), _MEMBERS)
        if members.text("format") != FORMAT:
            raise FormatError(f"is not {FORMAT}", pointer="/format")
        place = (members.integer("sequence"), members.text("previous"))
        if place != (self.count + 1, self.previous):
            raise FormatError("does not follow the observation before it", pointer="/previous")
        if members.text("source") not in SOURCES:
            raise FormatError("is no source", pointer="/source")
        for name in ("url", "source"):
            if self.count and members.text(name) != getattr(self, name):
                raise FormatError("is not that of the observations before", pointer=f"/{name}")
        for kind in _PASSING & self.facts.keys():
            del self.facts[kind]
        for kind, key, fact in _facts(members.mapping("facts")):
            self.facts.setdefault(kind, {})[key] = fact
        self._grow(members.mapping("logs"))
        self.exchanges = [line for _, line in members.items("exchanges")]
        self.url, self.source, self.at = (members.text(name) for name in ("url", "source", "at"))
        self.own.append(RFC9162.leaf(content))
        self.content, self.previous = content, sha256(content).hexdigest()
        self.count += 1

    def _grow(self, logs: dict[str, JsonValue]) -> None:
        """Check each log's consistency proof, and take over its new leaves."""
        entries = self.facts.get("floor/ledger", {})
        for scope, value in logs.items():
            pointer = pointer_to("/logs", scope)
            try:
                log = Obj(value, ("consistency", "old", "root", "size"), pointer=pointer)
                leaves = self.logs.setdefault(scope, [])
                tree = self._trees.setdefault(scope, StreamingRoot())
                old, size = len(leaves), log.integer("size")
                if log.integer("old") != old or not old <= size <= len(entries):
                    raise ProofError("sizes are not those of the entries")
                prefix = f"{scope}/" if scope else ""
                new = [bytes.fromhex(str(entries[f"{prefix}{at}"])) for at in range(old, size)]
                old_root = tree.root()
                tree.extend(new)
                leaves += new
                if tree.root().hex() != log.text("root"):
                    raise ProofError("root is not that of the entries")
                if old:
                    proof = [bytes.fromhex(str(step)) for _, step in log.items("consistency")]
                    check_consistency(old, size, proof, old_root, tree.root())
            except EvidenceError as error:
                error.pointer = error.pointer or pointer
                raise
            except (KeyError, ValueError):
                raise FormatError("is no log of the entries", pointer=pointer) from None


def _facts(facts: dict[str, JsonValue]) -> Iterator[tuple[str, str, JsonValue]]:
    for kind, known in facts.items():
        pointer = pointer_to("/facts", kind)
        if kind not in KINDS:
            raise FormatError("is no kind of fact", pointer=pointer)
        if not isinstance(known, dict):
            raise FormatError(f"must be an object, is {kind_of(known)}", pointer=pointer)
        for key, fact in known.items():
            here = pointer_to(pointer, key)
            if KINDS[kind].rule is Rule.FORWARD:
                if Obj(fact, _ANCHOR, pointer=here).text("status") not in STATUSES:
                    raise FormatError("is no status of an anchor", pointer=here)
            elif not isinstance(fact, str):
                raise FormatError(f"must be a text, is {kind_of(fact)}", pointer=here)
            yield kind, key, fact


def _new(before: Facts, now: Facts) -> dict[str, JsonValue]:
    new: dict[str, JsonValue] = {}
    for kind, facts in now.items():
        known = before.get(kind, {})
        passing = kind in _PASSING
        added: dict[str, JsonValue] = {
            key: value for key, value in facts.items() if passing or known.get(key) != value
        }
        if added:
            new[kind] = added
    return new
