"""
The journal of an audit: what was checked before it was interrupted.

Lines of JSON, each preceded by a hash and a space::

    H0 {"format":"tallyproof-journal/1","identity":I}
    H1 {"coverage":{…},"findings":[…],"item":n,"passed":{…}}
    …

*I* is the hash of everything that the outcome of an item depends on: the
bundle's seal, the policy, the files of the release that judges, which findings
are kept, and the list of items. *H0* is the hash of *I* and the first line, and
every further one that of the hash before it and its own line. So a journal of
other evidence, of another policy or of other code is not believed at all, and
one that was cut short or damaged only up to the damage. So is a line of more than
64 MiB, or one that names a check which the release does not have. What is not
believed is checked again. A journal therefore never makes a report say anything but what
the same release said of the same evidence. It is the caller's own file and no
part of the evidence. Who can write it could write verdicts, so one that belongs
to another user, or that others may write, is refused.
"""

from __future__ import annotations

import fcntl
import os
import stat
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Self, cast

from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import DEFAULT_LIMITS, read_json
from verifier.core.shape import Obj
from verifier.errors import EvidenceError, FormatError, UsageError
from verifier.family import Outcome
from verifier.findings import Finding, Verdict, Where

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType

    from verifier.core.jsonread import JsonValue

__all__ = ["Journal", "identity_of"]

FORMAT: Final = "tallyproof-journal/1"
_HASH: Final = 64
_LINE: Final = _HASH + 1 + DEFAULT_LIMITS.size
_TEXTS: Final = ("check", "file", "message", "pointer", "published", "recomputed", "subject")
_FINDING: Final = (*_TEXTS, "line", "step", "verdict")


def identity_of(parts: Mapping[str, JsonValue]) -> str:
    """Hash everything that the outcomes depend on."""
    return sha256(canonical_bytes(dict(parts))).hexdigest()


class Journal:
    """
    Outcomes by the number of their item, in a file that grows.

    Args:
        path: The file; made if it is not there.
        identity: What the outcomes depend on.
        steps: The checks that may report, and the step of each.

    Raises:
        UsageError: The file cannot be opened or written, is no plain file, is not the
            caller's alone, or is in use.
    """

    def __init__(self, path: Path, identity: str, steps: Mapping[str, int]) -> None:
        try:
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            handle = os.open(path, flags, 0o600)
        except OSError as error:
            raise UsageError(f"{path}: cannot be used as a journal: {error.strerror}") from None
        problem = _unfit(os.fstat(handle))
        if problem is not None:
            os.close(handle)
            raise UsageError(f"{path}: cannot be used as a journal: {problem}")
        self.known: dict[int, Outcome] = {}
        self._path = path
        self._steps = steps
        self._head = identity
        self._end = 0
        # Lines are written past the buffer: one that could not be is not tried again.
        self._file = os.fdopen(handle, "rb")
        try:
            self._begin(canonical_bytes({"format": FORMAT, "identity": identity}))
        except OSError as error:
            self._file.close()
            raise UsageError(f"{path}: cannot be used as a journal: {error.strerror}") from None
        except BaseException:
            self._file.close()
            raise

    def _begin(self, first: bytes) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"{self._path}: another audit writes this journal") from None
        if self._read(first):
            os.truncate(self._file.fileno(), self._end)
            return
        self._file.seek(0)
        begin = self._file.read(_HASH * 4)
        if begin and f'"format":"{FORMAT}"'.encode() not in begin.partition(b"\n")[0]:
            raise UsageError(f"{self._path}: not a journal, so it is left alone")
        os.truncate(self._file.fileno(), 0)
        self._write(first)

    def _read(self, first: bytes) -> bool:
        """Take what the file holds as long as it holds together; writing goes on after it."""
        while line := self._file.readline(_LINE):
            proof, _, text = line.removesuffix(b"\n").partition(b" ")
            head = _chained(self._head, text)
            if proof != head.encode() or not line.endswith(b"\n"):
                break
            if self._end:
                try:
                    item, outcome = _outcome(read_json(text), self._steps)
                except EvidenceError:
                    break
                self.known[item] = outcome
            elif text != first:
                break
            self._head = head
            self._end += len(line)
        return bool(self._end)

    def add(self, item: int, outcome: Outcome) -> None:
        """
        Write down what an item gave, so that a later audit need not ask again.

        Raises:
            UsageError: It cannot be written, as on a disk that is full.
        """
        self._write(
            canonical_bytes(
                {
                    "coverage": dict(outcome.coverage),
                    "findings": [_written(each) for each in outcome.findings],
                    "item": item,
                    "passed": dict(outcome.passed),
                }
            )
        )

    def _write(self, text: bytes) -> None:
        self._head = _chained(self._head, text)
        line = b"%s %s\n" % (self._head.encode(), text)
        try:
            while line:
                written = os.pwrite(self._file.fileno(), line, self._end)
                self._end += written
                line = line[written:]
        except OSError as error:
            raise UsageError(
                f"{self._path}: the journal cannot be written: {error.strerror}"
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()


def _unfit(status: os.stat_result) -> str | None:
    """Say why a file cannot be believed to be the caller's own."""
    if not stat.S_ISREG(status.st_mode):
        # A pipe would be waited for, and a device may have no end.
        return "is no plain file"
    if status.st_uid != os.geteuid():
        return "belongs to another user"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "other users may write it"
    return None


def _chained(head: str, text: bytes) -> str:
    return sha256(head.encode() + b"\n" + text).hexdigest()


def _written(finding: Finding) -> JsonValue:
    where = finding.where
    return {
        "check": finding.check,
        "file": None if where is None else where.file,
        "line": None if where is None else where.line,
        "message": finding.message,
        "pointer": None if where is None else where.pointer,
        "published": finding.published,
        "recomputed": finding.recomputed,
        "step": finding.step,
        "subject": finding.subject,
        "verdict": finding.verdict.value,
    }


def _outcome(value: JsonValue, steps: Mapping[str, int]) -> tuple[int, Outcome]:
    obj = Obj(value, ("coverage", "findings", "item", "passed"))
    found = [_finding(Obj(item, _FINDING, pointer=at)) for at, item in obj.items("findings")]
    passed = _counts(obj, "passed")
    if not all(steps.get(each.check) == each.step for each in found) or passed.keys() - steps:
        raise FormatError("must name checks of this release")
    return obj.integer("item"), Outcome(found, _counts(obj, "coverage"), passed)


def _counts(obj: Obj, key: str) -> dict[str, int]:
    counts = obj.mapping(key)
    if not all(type(count) is int and count >= 0 for count in counts.values()):
        raise FormatError("must hold counts")
    return cast("dict[str, int]", dict(counts))


def _finding(obj: Obj) -> Finding:
    text = {name: obj.text_or_null(name) for name in _TEXTS}
    file = text["file"]
    verdict = obj.text("verdict")
    if verdict not in set(Verdict):
        raise FormatError("must be a verdict")
    return Finding(
        check=obj.text("check"),
        step=obj.integer("step"),
        subject=obj.text("subject"),
        verdict=Verdict(verdict),
        message=obj.text("message"),
        published=text["published"],
        recomputed=text["recomputed"],
        where=None if file is None else Where(file, obj.integer_or_null("line"), text["pointer"]),
    )
