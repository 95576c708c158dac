"""
What an observer has seen, in a folder that only grows.

::

    DIR/
      observations/00000001-0000000000000000.json   one file an observation
      bodies/ab/abcd...                             what was served, by sha256
      checkpoints/00000001/                         heads (verifier.watch.heads)
      rewrites/1/                                   proofs (verifier.watch.rewrite)

An observation is canonical JSON with a newline at its end, and the members:

=============  ================================================================
``format``     ``tallyproof-observation/1``
``sequence``   1, 2, 3…
``previous``   sha256 of the file before; 64 zeros for the first
``url``        what is watched
``source``     ``site``, ``bundle`` or ``arena``
``at``         when its last answer was complete
``exchanges``  what was asked and answered (:mod:`verifier.watch.exchanges`)
``facts``      by kind and key: facts that are new, anchors that went forward, and of
               the kinds that may pass all that are there
``logs``       by scope: ``size``, ``root``, and from the observation before ``old``
               and the ``consistency`` proof, all of the ledger's tree
=============  ================================================================

The file's name is its number and the first 16 digits of ``previous``, so the files
are a hash chain; the checkpoint of the observer's own log covers the last of them.
Both are checked whenever the folder is opened, and a file that was edited refuses
the folder. Other files may lie beside these, such as those of git.

Nothing is ever written twice. Bodies and heads come first, each written aside and
renamed, and the observation is last: without it, none of them counts. Bodies of
earlier observations than the last may be removed to save space.
"""

from __future__ import annotations

import fcntl
import os
import re
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Self

from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import JsonLimits, read_canonical
from verifier.core.merkle import StreamingRoot, check_consistency, consistency_proof
from verifier.core.schemes import RFC9162
from verifier.core.shape import Obj, kind_of, pointer_to
from verifier.errors import EvidenceError, FormatError, ProofError, UsageError
from verifier.watch.exchanges import body_path, exchange_line, read_exchange, time_text
from verifier.watch.heads import OBSERVATIONS, Growth, check_head, head_files
from verifier.watch.kinds import KINDS, STATUSES, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

    from Crypto.PublicKey.ECC import EccKey

    from verifier.core.jsonread import JsonValue
    from verifier.watch.reading import Document, Facts, Reading

__all__ = ["FORMAT", "SOURCES", "State", "put"]

FORMAT: Final = "tallyproof-observation/1"
SOURCES: Final = ("site", "bundle", "arena")

_LIMITS: Final = JsonLimits(size=1 << 30)
_NAME: Final = re.compile(r"([0-9]{8})-([0-9a-f]{16})\.json")
_PASSING: Final = {kind.name for kind in KINDS.values() if kind.rule is Rule.PASSING}
_ANCHOR: Final = ("chain_id", "leaf_count", "root", "scheme", "sender", "status")
_OUTCOME: Final = ("block_number", "mined_at", "tx_hash")


@dataclass(slots=True)
class _Seen:
    """What the observations so far add up to."""

    count: int = 0
    previous: str = "0" * 64
    content: bytes = b""
    at: str = ""
    url: str = ""
    source: str = ""
    facts: Facts = field(default_factory=dict)
    logs: dict[str, list[bytes]] = field(default_factory=dict)
    trees: dict[str, StreamingRoot] = field(default_factory=dict)
    own: list[bytes] = field(default_factory=list)
    exchanges: list[JsonValue] = field(default_factory=list)


class State:
    """
    The folder of an observer; a context manager that keeps others out of it.

    Args:
        folder: DIR; made if it is not there.
        url: What is watched.
        keys: Name and PEM of each private Ed25519 key that signs its heads; with any, one of
            them must have signed the last.

    Raises:
        UsageError: It watches something else, is in use, or cannot be written.
        EvidenceError: A file in it is not as it was written; it is named.
    """

    def __init__(self, folder: Path, url: str, keys: Sequence[tuple[str, bytes]] = ()) -> None:
        self.folder = folder
        self._keys = [_key(name, pem) for name, pem in keys]
        self._lock = _locked(folder)
        try:
            self._seen = self._load(url)
        except BaseException:
            os.close(self._lock)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._lock)

    @property
    def url(self) -> str:
        """What is watched."""
        return self._seen.url

    @property
    def count(self) -> int:
        """Number of observations."""
        return self._seen.count

    @property
    def head(self) -> str:
        """Hash of the last observation's file; 64 zeros without one."""
        return self._seen.previous

    @property
    def at(self) -> str:
        """Time of the last observation; empty without one."""
        return self._seen.at

    @property
    def source(self) -> str | None:
        """What kind of publisher it is; None before the first observation."""
        return self._seen.source or None

    @property
    def facts(self) -> Facts:
        """Everything that was seen."""
        return self._seen.facts

    @property
    def logs(self) -> dict[str, list[bytes]]:
        """Leaf hashes of each ledger, by scope."""
        return self._seen.logs

    def documents(self) -> tuple[Document, ...]:
        """
        Read back what was served at the last observation.

        Raises:
            EvidenceError: A body is missing, or is not what it was.
        """
        return tuple(
            read_exchange(line, self._body, f"/exchanges/{index}")
            for index, line in enumerate(self._seen.exchanges)
        )

    def observation(self) -> bytes:
        """Give the file of the last observation, as it was written."""
        return self._seen.content

    def checkpoints(self) -> dict[str, bytes]:
        """Read the files of the last observation's heads, by name."""
        return self._heads(self._seen.count) if self._seen.count else {}

    def observe(self, source: str, reading: Reading) -> None:
        """
        Add an observation that extends all before it.

        Args:
            source: What kind of publisher it is.
            reading: What it shows; :func:`verifier.watch.reading.compare` found nothing.

        Raises:
            UsageError: The folder cannot be written.
        """
        seen = self._seen
        number = seen.count + 1
        latest = max(document.at for document in reading.documents)
        logs: dict[str, JsonValue] = {}
        grown = []
        for scope, log in sorted(reading.logs.items()):
            old = seen.logs.get(scope, [])
            proof = consistency_proof(log.leaves, len(old)) if old else []
            logs[scope] = {
                "consistency": [step.hex() for step in proof],
                "old": len(old),
                "root": log.root.hex(),
                "size": len(log.leaves),
            }
            grown.append(Growth(f"{scope}/ledger", log.leaves, len(old)))
        value: dict[str, JsonValue] = {
            "at": time_text(latest),
            "exchanges": [exchange_line(document) for document in reading.documents],
            "facts": _new(seen.facts, reading.facts),
            "format": FORMAT,
            "logs": logs,
            "previous": seen.previous,
            "sequence": number,
            "source": source,
            "url": seen.url,
        }
        content = canonical_bytes(value) + b"\n"
        own = [*seen.own, RFC9162.leaf(content)]
        grown.append(Growth(OBSERVATIONS, own, seen.count))
        try:
            for document in reading.documents:
                place = self.folder / body_path(sha256(document.body).hexdigest())
                if not place.is_file():
                    put(place, document.body)
            for growth in grown:
                for name, data in head_files(seen.url, growth, self._keys):
                    put(self.folder / "checkpoints" / f"{number:08}" / name, data)
            put(self.folder / "observations" / f"{number:08}-{seen.previous[:16]}.json", content)
        except OSError as error:
            place_name = error.filename or self.folder
            raise UsageError(f"{place_name}: cannot be written: {error.strerror}") from None
        _add(seen, content)

    def _load(self, url: str) -> _Seen:
        seen = _Seen()
        for name in _names(self.folder):
            path = self.folder / "observations" / name
            try:
                match = _NAME.fullmatch(name)
                if match is None:
                    raise FormatError("is no observation")
                if (int(match[1]), match[2]) != (seen.count + 1, seen.previous[:16]):
                    raise FormatError(
                        f"does not follow observation {seen.count}, whose sha256 is {seen.previous}"
                        if seen.count
                        else "is not the first observation, and there is none before it"
                    )
                _add(seen, path.read_bytes())
            except OSError as error:
                raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
            except EvidenceError as error:
                raise error.in_file(str(path)) from None
        if seen.count:
            if seen.url != url:
                raise UsageError(f"{self.folder}: watches {seen.url}, not {url}")
            heads = f"{self.folder / 'checkpoints' / f'{seen.count:08}'}"
            try:
                own = Growth(OBSERVATIONS, seen.own, 0)
                check_head(seen.url, own, self._heads(seen.count), self._keys)
            except EvidenceError as error:
                raise error.in_file(heads) from None
        seen.url = url
        return seen

    def _heads(self, number: int) -> dict[str, bytes]:
        folder = self.folder / "checkpoints" / f"{number:08}"
        try:
            return {
                path.name: path.read_bytes()
                for path in sorted(folder.iterdir())
                if path.is_file() and not path.name.startswith(".")
            }
        except OSError as error:
            raise FormatError(f"cannot be read: {error.strerror}", file=str(folder)) from None

    def _body(self, digest: str) -> bytes:
        path = self.folder / body_path(digest)
        try:
            return path.read_bytes()
        except OSError as error:
            raise FormatError(f"cannot be read: {error.strerror}", file=str(path)) from None


def _key(name: str, pem: bytes) -> EccKey:
    from verifier.core.dsse import private_key  # noqa: PLC0415 - few observers sign

    try:
        return private_key(pem)
    except EvidenceError as error:
        raise error.in_file(name) from None


def put(place: Path, content: bytes) -> None:
    """
    Write a file, whole or not at all.

    Raises:
        OSError: It cannot be written.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = place.with_name(f".tallyproof-{sha256(place.name.encode()).hexdigest()[:16]}")
    with beside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(place)


def _names(folder: Path) -> list[str]:
    try:
        with os.scandir(folder / "observations") as entries:
            return sorted(entry.name for entry in entries if not entry.name.startswith("."))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(f"{folder}: cannot be read: {error.strerror}") from None


def _add(seen: _Seen, content: bytes) -> None:
    """Read one observation and add it to what was seen."""
    if not content.endswith(b"\n"):
        raise FormatError("does not end in a newline")
    value = read_canonical(content[:-1], limits=_LIMITS)
    names = ("at", "exchanges", "facts", "format", "logs", "previous", "sequence", "source", "url")
    members = Obj(value, names)
    if members.text("format") != FORMAT:
        raise FormatError(f"is not {FORMAT}", pointer="/format")
    if (members.integer("sequence"), members.text("previous")) != (seen.count + 1, seen.previous):
        raise FormatError("does not follow the observation before it", pointer="/previous")
    if members.text("source") not in SOURCES:
        raise FormatError("is no source", pointer="/source")
    for name in ("url", "source"):
        if seen.count and members.text(name) != getattr(seen, name):
            raise FormatError("is not that of the observations before", pointer=f"/{name}")
    for kind in _PASSING & seen.facts.keys():
        del seen.facts[kind]
    for kind, key, fact in _facts(members.mapping("facts")):
        seen.facts.setdefault(kind, {})[key] = fact
    _grow(seen, members.mapping("logs"))
    seen.exchanges = [line for _, line in members.items("exchanges")]
    seen.url, seen.source, seen.at = (members.text(name) for name in ("url", "source", "at"))
    seen.own.append(RFC9162.leaf(content))
    seen.content = content
    seen.previous = sha256(content).hexdigest()
    seen.count += 1


def _facts(facts: dict[str, JsonValue]) -> Iterator[tuple[str, str, JsonValue]]:
    for kind, known in facts.items():
        pointer = pointer_to("/facts", kind)
        if kind not in KINDS:
            raise FormatError("is no kind of fact", pointer=pointer)
        if not isinstance(known, dict):
            raise FormatError(f"must be an object, is {kind_of(known)}", pointer=pointer)
        for key, fact in known.items():
            if KINDS[kind].rule is Rule.FORWARD:
                anchor = Obj(fact, (*_ANCHOR, *_OUTCOME), pointer=pointer_to(pointer, key))
                if anchor.text("status") not in STATUSES:
                    raise FormatError("is no status of an anchor", pointer=anchor.pointer)
            elif not isinstance(fact, str):
                raise FormatError(
                    f"must be a text, is {kind_of(fact)}", pointer=pointer_to(pointer, key)
                )
            yield kind, key, fact


def _grow(seen: _Seen, logs: dict[str, JsonValue]) -> None:
    """Check each log's consistency proof, and take over its new leaves."""
    for scope, value in logs.items():
        pointer = pointer_to("/logs", scope)
        try:
            log = Obj(value, ("consistency", "old", "root", "size"), pointer=pointer)
            leaves = seen.logs.setdefault(scope, [])
            tree = seen.trees.setdefault(scope, StreamingRoot())
            old, size = len(leaves), log.integer("size")
            entries = seen.facts.get("floor/ledger", {})
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


def _new(before: Facts, now: Facts) -> dict[str, JsonValue]:
    new: dict[str, JsonValue] = {}
    for kind, facts in now.items():
        known = before.get(kind, {})
        passing = KINDS[kind].rule is Rule.PASSING
        added: dict[str, JsonValue] = {
            key: value for key, value in facts.items() if passing or known.get(key) != value
        }
        if added:
            new[kind] = added
    return new


def _locked(folder: Path) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written: {error.strerror}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise UsageError(f"{folder}: another watch is writing there") from None
    return lock
