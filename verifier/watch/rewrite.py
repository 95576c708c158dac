"""
A rewrite, as a folder that anyone can check offline.

::

    rewrites/1/
      README.md            what it shows, in words, and how to check it
      proof.json           what contradicts what
      before.jsonl         what was served then, one exchange a line
      after.jsonl          what was served later
      bodies/ab/abcd...    the exact bytes of both, by sha256
      observation.json     the observer's own record of the first, as it was written
      checkpoints/         its heads

Exchanges are those of :mod:`verifier.watch.exchanges`: all documents in which the
facts could stand, of both readings. ``proof.json`` is canonical JSON with a newline::

    {"format":"tallyproof-rewrite/1","url":U,"at":T,"digest":H,"total":N,
     "changes":[{"kind","key","what","before","after","members":[{"pointer","before","after"}]}]}

The changes are sorted, and the first :data:`LISTED` of them are listed; ``digest`` is
over all. ``members`` says which members of the two records differ.

The check takes nothing from ``proof.json`` on trust:

1. every body has the hash and size that its exchange states, and the exchanges before
   are those of the observer's record;
2. the documents before and after are read again, each by its role;
3. every document of the first reading was asked for again in the second;
4. the two are compared anew, the trees of their ledgers included, and what
   contradicts is what ``proof.json`` says, none more and none less.

It cannot show who served the bytes: web servers do not sign. That is the observer's
word, which ``checkpoints/observations.tlog-proof`` holds if there was a key; unless the
bytes themselves show it (a chain of hashes whose head was published, a signed
transaction), or a second observer kept the same.
"""

from __future__ import annotations

import re
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Final

from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import iter_jsonl, read_canonical
from verifier.core.shape import Obj, pointer_to
from verifier.errors import EvidenceError, FormatError, ProofError, UsageError
from verifier.folder import content_of, place_in, put
from verifier.watch.documents import records
from verifier.watch.exchanges import body_path, exchange_line, read_exchange, time_text
from verifier.watch.kinds import value_of
from verifier.watch.reading import GONE, compare, read
from verifier.watch.words import readme

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from verifier.core.jsonread import JsonValue
    from verifier.watch.reading import Change, Document, Reading
    from verifier.watch.state import State

__all__ = ["FORMAT", "LISTED", "check_rewrite", "write_rewrite"]

FORMAT: Final = "tallyproof-rewrite/1"
LISTED: Final = 200
"""Changes that are listed one by one."""

_MEMBERS: Final = 20
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,8}")


def write_rewrite(state: State, reading: Reading, changes: Sequence[Change]) -> tuple[Path, bool]:
    """
    Write a proof of what was rewritten, unless the same is there already.

    Args:
        state: What was seen before.
        reading: What is served now.
        changes: What :func:`verifier.watch.reading.compare` found.

    Returns:
        The proof's folder, and whether it is new.

    Raises:
        EvidenceError: What was served before is no longer in the folder, or an earlier proof
            cannot be read.
        UsageError: The folder cannot be written.
    """
    root = state.folder / "rewrites"
    digest = _digest(changes)
    number = 1
    try:
        for path in sorted(root.iterdir()) if root.is_dir() else ():
            if _NUMBER.fullmatch(path.name):
                if _proof(path).text("digest") == digest:
                    return path, False
                number = max(number, int(path.name) + 1)
        before = state.documents()
        value: dict[str, JsonValue] = {
            "at": time_text(max(document.at for document in reading.documents)),
            "changes": list(_described(changes[:LISTED], before, reading.documents)),
            "digest": digest,
            "format": FORMAT,
            "total": len(changes),
            "url": state.seen.url,
        }
        files = {
            "README.md": readme(value, changes[:LISTED], state.seen.count).encode(),
            "proof.json": canonical_bytes(value) + b"\n",
            "before.jsonl": _lines(before),
            "after.jsonl": _lines(reading.documents),
            "observation.json": state.seen.content,
            **{f"checkpoints/{name}": data for name, data in state.checkpoints().items()},
        }
        for document in (*before, *reading.documents):
            files[body_path(sha256(document.body).hexdigest())] = document.body
        # Whole or not at all: the folder gets its name when everything is in it.
        aside = f"rewrites/.{number}-{digest[:16]}"
        for name, content in files.items():
            put(place_in(state.folder, f"{aside}/{name}"), content, lasting=True)
        return (state.folder / aside).rename(root / str(number)), True
    except OSError as error:
        place = error.filename or root
        raise UsageError(f"{place}: cannot be written: {error.strerror}") from None


def check_rewrite(folder: Path) -> tuple[str, tuple[Change, ...]]:
    """
    Check a proof; the steps are those of the module's docstring.

    Args:
        folder: Of the proof.

    Returns:
        The address that was watched, and what was rewritten there.

    Raises:
        FormatError: The folder is no proof, or a file in it is malformed.
        ProofError: It does not show what it says.
    """
    proof = _proof(folder)
    before = read(_exchanges(folder, "before.jsonl"))
    after = read(_exchanges(folder, "after.jsonl"))
    place = str(folder / "proof.json")
    url = proof.text("url")
    for document in (*before.documents, *after.documents):
        if not document.url.startswith(url):
            raise ProofError(f"{document.url} is not under {url}", file=place)
    _check_observation(folder, before)
    asked = {document.url for document in after.documents}
    for document in before.documents:
        if document.url not in asked:
            raise ProofError(f"does not show what became of {document.url}", file=place)
    logs = {scope: log.leaves for scope, log in before.logs.items()}
    changes = compare(before.facts, logs, after)
    if not changes:
        raise ProofError("what was served later extends what was served before", file=place)
    listed = list(_described(changes[:LISTED], before.documents, after.documents))
    said = (proof.text("digest"), proof.integer("total"), proof.value["changes"])
    if said != (_digest(changes), len(changes), listed):
        raise ProofError("what was rewritten is not what it says", file=place)
    return url, changes


def _proof(folder: Path) -> Obj:
    place = folder / "proof.json"
    try:
        content = _content(place)
        if not content.endswith(b"\n"):
            raise FormatError("does not end in a newline")
        names = ("at", "changes", "digest", "format", "total", "url")
        proof = Obj(read_canonical(content[:-1]), names)
        if proof.text("format") != FORMAT:
            raise FormatError(f"is not {FORMAT}", pointer="/format")
        if not proof.text("url").endswith("/"):
            raise FormatError("does not end in a slash", pointer="/url")
    except EvidenceError as error:
        raise error.in_file(str(place)) from None
    return proof


def _check_observation(folder: Path, before: Reading) -> None:
    """Check that the observer's record is of these exchanges."""
    place = folder / "observation.json"
    try:
        content = _content(place)
        record = Obj(read_canonical(content.removesuffix(b"\n")), ("exchanges",), open_ended=True)
    except EvidenceError as error:
        raise error.in_file(str(place)) from None
    if record.value["exchanges"] != [exchange_line(each) for each in before.documents]:
        raise ProofError("records other exchanges than before.jsonl", file=str(place))


def _exchanges(folder: Path, name: str) -> list[Document]:
    place = folder / name
    try:
        return [
            read_exchange(value, lambda digest: _content(folder / body_path(digest)), f"/{number}")
            for number, _, value in iter_jsonl(_content(place), canonical=True)
        ]
    except EvidenceError as error:
        raise error.in_file(str(place)) from None


def _content(path: Path) -> bytes:
    try:
        return content_of(path)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", file=str(path)) from None


def _lines(documents: Sequence[Document]) -> bytes:
    return b"".join(canonical_bytes(exchange_line(each)) + b"\n" for each in documents)


def _digest(changes: Sequence[Change]) -> str:
    """Name a set of changes, so that the same rewrite is not written at every run."""
    value: list[JsonValue] = [
        [change.kind, change.key, change.what, change.before, change.after] for change in changes
    ]
    return sha256(canonical_bytes(value)).hexdigest()


def _described(
    changes: Sequence[Change], before: Sequence[Document], after: Sequence[Document]
) -> Iterator[JsonValue]:
    """Write changes with the members of their records that differ."""
    then = _records({(each.kind, each.key, _text(each.before)) for each in changes}, before)
    now = _records({(each.kind, each.key, _text(each.after)) for each in changes}, after)
    for each in changes:
        members: list[JsonValue] = []
        old = then.get((each.kind, each.key, _text(each.before)))
        new = now.get((each.kind, each.key, _text(each.after)))
        if each.what == "changed" and not isinstance(old, str):
            members = [
                {"after": theirs, "before": ours, "pointer": pointer}
                for pointer, ours, theirs in islice(_members(old, new, ""), _MEMBERS)
            ]
        yield {
            "after": each.after,
            "before": each.before,
            "key": each.key,
            "kind": each.kind,
            "members": members,
            "what": each.what,
        }


def _records(
    wanted: set[tuple[str, str, str]], documents: Sequence[Document]
) -> dict[tuple[str, str, str], JsonValue]:
    """Find the records of some facts, each in the first document that states it."""
    keys = {(kind, key) for kind, key, _ in wanted}
    found: dict[tuple[str, str, str], JsonValue] = {}
    for document in documents:
        if document.status in GONE:
            continue
        for kind, key, record in records(document.role, document.scope, document.body):
            if (kind, key) in keys:
                found.setdefault((kind, key, _text(value_of(kind, record))), record)
    return found


def _text(value: JsonValue) -> str:
    return canonical_bytes(value).decode()


def _members(
    before: JsonValue, after: JsonValue, pointer: str
) -> Iterator[tuple[str, JsonValue, JsonValue]]:
    """Find where two records differ; a member that is not there is null."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in sorted({*before, *after}):
            yield from _members(before.get(name), after.get(name), pointer_to(pointer, name))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (ours, theirs) in enumerate(zip(before, after, strict=True)):
            yield from _members(ours, theirs, pointer_to(pointer, index))
    elif before != after:
        yield pointer, before, after
