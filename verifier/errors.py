"""
The error tree: everything that can go wrong while reading.

::

    TallyproofError
        UsageError             the caller asked for something that makes no sense
        SiteError              a website cannot be built, or is not what it says it is
        PolicyError            the caller's policy file is malformed
        EvidenceError          bytes are not what they claim to be, and cannot be judged
            JsonError          not strict JSON, or not canonical JSON
            FormatError        not the exact shape of the format it names
            ProofError         an inclusion or consistency proof is malformed or leads elsewhere
            LimitError         over a stated limit; names the limit
            BundleError        not an evidence bundle, or not readable as one
            ChangedError       a file changed between being hashed and being read

A claim that turns out to be false is *not* an error: it is a finding
(``verifier.findings``). Errors mean that no verdict can be given, and the
command line turns every one of them into one line and exit code 2.
"""

from __future__ import annotations

__all__ = [
    "BundleError",
    "ChangedError",
    "EvidenceError",
    "FormatError",
    "JsonError",
    "LimitError",
    "PolicyError",
    "ProofError",
    "SiteError",
    "TallyproofError",
    "UsageError",
]


class TallyproofError(Exception):
    """Base of all errors that Tallyproof raises on purpose."""


class UsageError(TallyproofError):
    """The caller asked for something that cannot be done."""


class SiteError(TallyproofError):
    """A website cannot be built from its sources, or is not what it says it is."""


class EvidenceError(TallyproofError):
    """
    Bytes that were read are not what they claim to be.

    Args:
        reason: What is wrong, starting in lower case, without a full stop.
        file: Path of the file, as the reader of the message knows it.
        line: Line in the file, from 1.
        offset: Byte in the file, from 0.
        pointer: RFC 6901 JSON pointer to the value.
    """

    def __init__(
        self,
        reason: str,
        *,
        file: str | None = None,
        line: int | None = None,
        offset: int | None = None,
        pointer: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.file = file
        self.line = line
        self.offset = offset
        self.pointer = pointer

    def in_file(self, file: str, *, first_line: int = 1, first_byte: int = 0) -> EvidenceError:
        """
        Name the file, and shift a position in a part of it to the whole.

        Args:
            file: Path to name; a file that is named already is kept.
            first_line: Line of the whole file at which the part begins.
            first_byte: Byte of the whole file at which the part begins.
        """
        if self.file is None:
            self.file = file
            if self.line is not None or first_line > 1:
                self.line = (self.line or 1) + first_line - 1
            if self.offset is not None:
                self.offset += first_byte
        return self

    def __reduce__(self) -> tuple[object, ...]:
        # Errors travel between processes; keyword arguments would not.
        return _rebuild, (type(self), self.reason, self.__dict__)

    def __str__(self) -> str:
        place = self.file or ""
        if self.line is not None:
            place += f":{self.line}" if place else f"line {self.line}"
        details = [
            text
            for text, known in (
                (f"byte {self.offset}", self.offset is not None),
                (f"at {self.pointer}", bool(self.pointer)),
            )
            if known
        ]
        if details:
            place = f"{place} ({', '.join(details)})" if place else ", ".join(details)
        return f"{place}: {self.reason}" if place else self.reason


def _rebuild(kind: type[EvidenceError], reason: str, state: dict[str, object]) -> EvidenceError:
    error = kind.__new__(kind, reason)
    error.__dict__.update(state)
    return error


class PolicyError(EvidenceError):
    """The caller's policy file is malformed."""


class JsonError(EvidenceError):
    """Not strict JSON, or not canonical where canonical form is demanded."""


class FormatError(EvidenceError):
    """Not the exact shape of the format that it claims to be."""


class ProofError(EvidenceError):
    """A proof is malformed, or leads to another root."""


class LimitError(EvidenceError):
    """Over a stated limit; :attr:`limit` is its name in the policy."""

    def __init__(self, reason: str, *, limit: str, file: str | None = None) -> None:
        super().__init__(f"{reason} (limit {limit})", file=file)
        self.limit = limit


class BundleError(EvidenceError):
    """Not an evidence bundle, or not readable as one."""


class ChangedError(EvidenceError):
    """A file changed between being hashed and being read."""
