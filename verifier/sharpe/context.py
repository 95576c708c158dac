"""
What all checks of SharpeArena share: the boards and ``seeds.json``, read once.

The files behind a board are read when it is checked, through :class:`Files`,
which also notices what is not canonical. A text that is no JSON at all cannot be
judged and ends the audit; everything else ends up as a finding.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar

from formulas.sharpe.kernels import KERNEL_OF_RELEASE, KERNELS
from verifier.claim import Claim
from verifier.core.canon import canonical_bytes
from verifier.core.diagnose import with_guess
from verifier.core.jsonread import read_json
from verifier.errors import EvidenceError, FormatError
from verifier.findings import Where
from verifier.sharpe.board import Board, read_board
from verifier.sharpe.checks.catalogue import COMPLETE, SEEDS
from verifier.sharpe.evidence import SeedsFile, read_seeds

if TYPE_CHECKING:
    from collections.abc import Callable

    from formulas.sharpe.kernel import Kernel
    from verifier.bundle import Bundle
    from verifier.core.jsonread import JsonValue
    from verifier.findings import Finding
    from verifier.policy import Policy
    from verifier.report.model import CheckInfo

__all__ = [
    "BOARDS",
    "SEEDS_FILE",
    "BoardFile",
    "Context",
    "Files",
    "gap_path",
    "kernel_of",
    "load_context",
    "returns_path",
    "trace_path",
]

BOARDS: Final = "sharpe/boards/"
SEEDS_FILE: Final = "sharpe/seeds.json"
_Read = TypeVar("_Read")


def returns_path(board: str, policy: str) -> str:
    """Name the file of a row's returns."""
    return f"sharpe/returns/{board}/{policy}.json"


def trace_path(board: str, policy: str) -> str:
    """Name the file of a row's process events."""
    return f"sharpe/traces/{board}/{policy}.json"


def gap_path(board: str, policy: str, what: str) -> str:
    """Name the file behind a row's generalization gap or transfers."""
    return f"sharpe/gaps/{board}/{policy}-{what}.json"


@dataclass(slots=True)
class Files:
    """
    Files of a bundle, as values; keeps what is wrong with their form.

    Args:
        bundle: The evidence.
        found: Findings of step 9 about files that are not canonical.
    """

    bundle: Bundle
    found: list[Finding] = field(default_factory=list)

    def value(self, path: str) -> JsonValue:
        """
        Decode a file.

        Raises:
            EvidenceError: It is no strict JSON.
        """
        data = self.bundle.read(path)
        try:
            value = read_json(data)
        except EvidenceError as error:
            raise error.in_file(path) from None
        if canonical_bytes(value) != data:
            claim = Claim(COMPLETE, path, Where(path))
            claim.fail(with_guess("the file is not canonical JSON", value, data))
            self.found += claim.found
        return value

    def read(
        self, path: str, reader: Callable[[JsonValue], _Read], check: CheckInfo, subject: str
    ) -> tuple[_Read | None, list[Finding]]:
        """
        Read a file that is there; None, and a finding of *check*, where its shape is another.

        Raises:
            EvidenceError: It is no strict JSON.
        """
        try:
            return reader(self.value(path)), []
        except FormatError as error:
            claim = Claim(check, subject, Where(path, pointer=error.pointer))
            claim.fail(error.reason)
            return None, claim.found


@dataclass(frozen=True, slots=True)
class BoardFile:
    """A file under ``sharpe/boards``; the board is None where its shape is another."""

    path: str
    name: str
    board: Board | None
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """
    The boards of one bundle.

    Args:
        bundle: The evidence.
        policy: What the caller trusts.
        as_of: The clock of this audit, RFC 3339 UTC.
        boards: All boards, in order of path.
        seeds: Public bands and commitments; None where they cannot be had.
        findings: What is wrong with ``seeds.json`` itself.
    """

    bundle: Bundle
    policy: Policy
    as_of: str
    boards: tuple[BoardFile, ...]
    seeds: SeedsFile | None
    findings: tuple[Finding, ...]


def load_context(bundle: Bundle, policy: Policy) -> Context:
    """
    Read all boards and ``seeds.json``.

    Raises:
        EvidenceError: One of them is no strict JSON.
    """
    boards = tuple(
        _board(bundle, path)
        for path in bundle.paths
        if path.startswith(BOARDS) and path.endswith(".json")
    )
    seeds, findings = _seeds(bundle, boards)
    return Context(
        bundle=bundle,
        policy=policy,
        as_of=policy.as_of or bundle.index.as_of,
        boards=boards,
        seeds=seeds,
        findings=tuple(findings),
    )


def kernel_of(board: Board) -> Kernel | None:
    """
    Kernel that a board's figures are judged by, None where nothing more can be judged.

    The stated kernel decides, if it is known and the release is listed; that the
    two belong together is a matter of step 1 (clarifications 7 and 25).
    """
    if board.release not in KERNEL_OF_RELEASE:
        return None
    return KERNELS[board.kernel] if board.kernel in KERNEL_OF_RELEASE.values() else None


def _board(bundle: Bundle, path: str) -> BoardFile:
    name = path.removeprefix(BOARDS).removesuffix(".json")
    files = Files(bundle)
    board, found = files.read(path, read_board, COMPLETE, name)
    return BoardFile(path, name, board, (*files.found, *found))


def _seeds(bundle: Bundle, boards: tuple[BoardFile, ...]) -> tuple[SeedsFile | None, list[Finding]]:
    if not bundle.has(SEEDS_FILE):
        claim = Claim(SEEDS, "seeds.json", Where(SEEDS_FILE))
        if boards:
            claim.unproven("there is no seeds.json, so bands and commitments are unknown")
        return None, claim.found
    files = Files(bundle)
    seeds, found = files.read(SEEDS_FILE, read_seeds, SEEDS, "seeds.json")
    return seeds, [*files.found, *found]
