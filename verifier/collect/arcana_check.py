"""
What ARCANA's endpoints say, against itself and against the bundle beside it.

Nothing here is a verdict on a score: that is the audit's. What is found here is
that the platform says two things at once, which no audit of one of them shows.

Of an answer alone: a manifest has the hash, agent, season and time that the
answer states, and names the formula that it states; the leaves of an anchor
hash to its root, and a leaf's proof leads there from its index.

Against the bundle, what cannot have changed since ``as_of``: a score's row and
manifest, an anchor's leaves, root, sender and transaction, a formula's
constants; and a board or reputation whose newest score is not later. What is
newer than the bundle, or was not anchored yet, is not compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from verifier.arcana.manifest import ScoreManifest, parse_manifest
from verifier.arcana.rows import SCORE_COLUMNS
from verifier.core.merkle import check_inclusion, root
from verifier.core.schemes import RFC9162
from verifier.errors import EvidenceError, ProofError

if TYPE_CHECKING:
    from verifier.arcana.layout import Tables
    from verifier.arcana.rows import Anchor, FormulaDocument, Reputation, ScoreRow
    from verifier.bundle import Bundle
    from verifier.collect.arcana_answers import BoardAnswer, LeafAnswer, ScoreAnswer

__all__ = ["Beside", "check_anchor_alone", "check_leaf", "check_score_alone", "same_time"]

_SEAL_BYTES: Final = 32


def same_time(one: str | None, other: str | None) -> bool:
    """
    Compare two times in UTC as far as both go: one may have fewer digits.

    >>> same_time("2026-09-16T00:00:00.000Z", "2026-09-16T00:00:00.000417Z")
    True
    """
    if one is None or other is None:
        return one is other
    (first, _, finer), (second, _, digits) = (
        text.removesuffix("Z").partition(".") for text in (one, other)
    )
    common = min(len(finer), len(digits))
    return first == second and finer[:common] == digits[:common]


def check_score_alone(
    name: str, answer: ScoreAnswer, agent: str
) -> tuple[ScoreManifest | None, list[str]]:
    """
    Check an answer about a score against itself.

    Args:
        name: Of the score, for the sentences.
        answer: What was answered.
        agent: Who was asked about.

    Returns:
        Its manifest, if it is one, and what contradicts what.
    """
    wrong = []
    if answer.status != "verified":
        wrong.append(f"{name}: the platform itself says {answer.status}")
    if answer.manifest is None:
        return None, wrong
    digest = sha256(answer.manifest).hexdigest()
    for what, said in (("seal", answer.seal), ("manifest.sha256", answer.manifest_sha256)):
        if said != digest:
            wrong.append(f"{name}: {what} is {said}, the manifest served has {digest}")
    try:
        manifest = parse_manifest(answer.manifest)
    except EvidenceError as error:
        return None, [*wrong, f"{name}: the manifest served is none: {error.reason}"]
    if not isinstance(manifest, ScoreManifest):
        return None, [*wrong, f"{name}: the manifest served is none of a score"]
    for what, said, held in (
        ("agent", agent, manifest.agent_id),
        ("season", answer.season_id, manifest.season_id),
        ("formula", answer.formula, manifest.formula),
    ):
        if said != held:
            wrong.append(f"{name}: the answer says {what} {said}, its manifest {held}")
    if not same_time(answer.ts, manifest.ts):
        wrong.append(f"{name}: the answer says time {answer.ts}, its manifest {manifest.ts}")
    return manifest, wrong


def check_anchor_alone(anchor: Anchor) -> list[str]:
    """Check that the leaves of an anchor are all there and hash to its root."""
    name = f"anchor {anchor.anchor_id}"
    # Counted before they are numbered: a count alone costs a server nothing.
    listed = len(anchor.leaves)
    if listed != anchor.leaf_count or any(
        leaf.index != at for at, leaf in enumerate(anchor.leaves)
    ):
        return [f"{name}: its {listed} leaves are not numbered 0 to {anchor.leaf_count - 1}"]
    try:
        found = root([_leaf_hash(leaf.commitment) for leaf in anchor.leaves]).hex()
    except ValueError:
        return [f"{name}: a leaf is no sha256 in hex"]
    return (
        []
        if found == anchor.root
        else [f"{name}: states root {anchor.root}, its leaves hash to {found}"]
    )


def check_leaf(seal: str, answer: LeafAnswer, anchor: Anchor | None) -> list[str]:
    """
    Check a leaf's proof, and its place among the leaves of its anchor.

    Args:
        seal: What was asked about.
        answer: What was answered.
        anchor: The anchor it names, as served on its own.
    """
    name = f"leaf {seal}"
    if answer.seal != seal:
        return [f"{name}: the answer is about {answer.seal[:64]}"]
    if answer.anchor_id is None:
        return []
    wrong = []
    if answer.status == "mismatch":
        wrong.append(f"{name}: the platform itself says mismatch")
    try:
        proof = [bytes.fromhex(sibling) for sibling in answer.proof]
        check_inclusion(
            _leaf_hash(seal), answer.index, answer.count, proof, bytes.fromhex(answer.root)
        )
    except (ProofError, ValueError) as error:
        wrong.append(
            f"{name}: its proof does not lead to the root of anchor {answer.anchor_id}: {error}"
        )
    if anchor is not None:
        at = answer.index
        listed = anchor.leaves[at].commitment if at < len(anchor.leaves) else "nothing"
        for what, said, held in (
            ("root", answer.root, anchor.root),
            ("leaf count", answer.count, anchor.leaf_count),
            (f"leaf {at}", seal, listed),
        ):
            if said != held:
                wrong.append(f"{name}: says {what} {said}, anchor {anchor.anchor_id} {held}")
    return wrong


def _leaf_hash(seal: str) -> bytes:
    data = bytes.fromhex(seal)
    if len(data) != _SEAL_BYTES:
        raise ValueError(seal)
    return RFC9162.leaf(data)


@dataclass(slots=True)
class Beside:
    """
    The bundle of the same platform, to compare answers with.

    Args:
        bundle: Opened.
        tables: Its rows.
        compared: How many answers were compared.
    """

    bundle: Bundle
    tables: Tables
    compared: int = 0
    _rows: dict[str, ScoreRow] = field(init=False)
    _anchors: dict[int, Anchor] = field(init=False)

    def __post_init__(self) -> None:
        self._rows = {row.seal: row for row in self.tables.scores if row.seal is not None}
        self._anchors = {anchor.anchor_id: anchor for anchor in self.tables.anchors}

    def is_known(self, ts: str) -> bool:
        """Tell whether something of this time must be in the bundle."""
        return ts[:19] < self.bundle.index.as_of[:19]

    def row(self, seal: str | None) -> ScoreRow | None:
        """Give the row of a sealed score, if the bundle has it."""
        return None if seal is None else self._rows.get(seal)

    def score(self, name: str, answer: ScoreAnswer, manifest: ScoreManifest) -> list[str]:
        """Compare a score with its row and its manifest."""
        seal = answer.seal or ""
        row = self._rows.get(seal)
        if row is None:
            if not self.is_known(manifest.ts):
                return []
            self.compared += 1
            return [f"{name}: is sealed as {seal[:64]}, the bundle has no such row"]
        self.compared += 1
        wrong = []
        if (row.agent_id, row.season_id) != (manifest.agent_id, manifest.season_id):
            wrong.append(f"{name}: the bundle has that seal for agent {row.agent_id}")
        path = f"arcana/manifests/{seal[:2]}/{seal}.txt"
        if not self.bundle.has(path):
            wrong.append(f"{name}: the bundle has no {path}")
        elif self.bundle.read(path) != answer.manifest:
            wrong.append(f"{name}: {path} of the bundle has other bytes")
        for column in SCORE_COLUMNS:
            said, stored = answer.columns[column], row.columns[column]
            if _number(said) != _number(stored):
                wrong.append(f"{name}: {column} is {said}, in the bundle {stored}")
        return wrong

    def anchor(self, anchor: Anchor) -> list[str]:
        """Compare an anchor: what it holds, and where it was mined."""
        name = f"anchor {anchor.anchor_id}"
        stored = self._anchors.get(anchor.anchor_id)
        if stored is None:
            if anchor.created_at is None or not self.is_known(anchor.created_at):
                return []
            self.compared += 1
            return [f"{name}: was made before as_of, the bundle does not have it"]
        self.compared += 1
        held = (
            ("scheme", anchor.scheme, stored.scheme),
            ("root", anchor.root, stored.root),
            ("leaf_count", anchor.leaf_count, stored.leaf_count),
            ("leaves", _leaves(anchor), _leaves(stored)),
            ("chain_id", anchor.chain_id, stored.chain_id),
            ("sender", anchor.sender.lower(), stored.sender.lower()),
        )
        mined = (
            ("status", anchor.status, stored.status),
            ("tx_hash", anchor.tx_hash, stored.tx_hash),
            ("block_number", anchor.block_number, stored.block_number),
        )
        # An anchor that was not mined yet when the bundle was made goes on.
        return [
            f"{name}: {what} is {_short(said)}, in the bundle {_short(there)}"
            for what, said, there in (*held, *(mined if stored.status == "mined" else ()))
            if said != there
        ]

    def formula(self, formula: FormulaDocument) -> list[str]:
        """Compare the constants of a formula."""
        for stored in self.tables.formulas:
            if stored.version == formula.version:
                self.compared += 1
                if stored.constants != formula.constants:
                    return [f"formula {formula.version}: its constants are others in the bundle"]
        return []

    def board(self, answer: BoardAnswer) -> list[str]:
        """Compare a board none of whose scores is newer than the bundle."""
        board = answer.board
        name = f"leaderboard {board.season_id} {board.category}"
        for stored in self.tables.boards:
            same = (stored.season_id, stored.category) == (board.season_id, board.category)
            if same and (answer.latest is None or self.is_known(answer.latest)):
                self.compared += 1
                # A name may be changed by its owner at any time; a rank may not.
                if [(row.rank, row.agent_id, row.score) for row in board.rows] != [
                    (row.rank, row.agent_id, row.score) for row in stored.rows
                ]:
                    return [f"{name}: its ranks and scores are others in the bundle"]
        return []

    def reputation(self, answer: Reputation) -> list[str]:
        """Compare a reputation none of whose scores is newer than the bundle."""
        for stored in self.tables.reputations:
            if stored.creator_id == answer.creator_id and all(
                self.is_known(agent.score_ts) for agent in answer.agents
            ):
                self.compared += 1
                said = f"{answer.value} ({answer.status})"
                held = f"{stored.value} ({stored.status})"
                if said != held:
                    return [f"reputation {answer.creator_id}: is {said}, in the bundle {held}"]
        return []


def _number(value: float | str | None) -> Decimal | str | None:
    """Give a column's value, a number there and a text here; a text that is none stays one."""
    if value is None:
        return None
    try:
        return Decimal(value if isinstance(value, str) else repr(value))
    except ArithmeticError:
        return f"no number: {value}"


def _leaves(anchor: Anchor) -> list[tuple[str, str, str, int | None]]:
    return [(leaf.kind, leaf.agent_id, leaf.commitment, leaf.decision_id) for leaf in anchor.leaves]


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 80 else "another list"
