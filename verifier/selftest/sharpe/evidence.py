"""Steps 1 to 3: what a board says that it ran on, its seeds, and its returns."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from formulas.sharpe.kernels import KERNEL_OF_RELEASE
from verifier.selftest.mutations import Mutation
from verifier.selftest.sharpe.forgery import Evidence, Forgery, boards, rows
from verifier.sharpe.checks.catalogue import COMPLETE, PINNED, RETURNS, SEEDS
from verifier.sharpe.checks.pinned import TIERS
from verifier.sharpe.context import SEEDS_FILE, returns_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.selftest.mutations import Changes
    from verifier.selftest.sharpe.forgery import Members
    from verifier.sharpe.board import Board


def _board(evidence: Evidence, *, change: Callable[[Board, Members], object]) -> Changes | None:
    """Change members of the first board."""
    for file, board in boards(evidence):
        forgery = Forgery(evidence)
        change(board, forgery.file(file.path))
        return forgery.changes()
    return None


def _other_kernel(board: Board, members: Members) -> None:
    others = [name for name in KERNEL_OF_RELEASE.values() if name != board.kernel]
    members["kernel"] = others[0]


def _other_environment(board: Board, members: Members) -> None:
    members["env_id"] = next(name for tier, name in TIERS.items() if tier != board.tier)


def _set(*path: str, value: Any) -> Callable[[Board, Members], None]:  # noqa: ANN401 - JSON
    def change(_: Board, members: Members) -> None:
        for name in path[:-1]:
            members = members[name]
        members[path[-1]] = value

    return change


def _seed_dropped(evidence: Evidence) -> Changes | None:
    for file, board in boards(evidence, sealed=False):
        if board.seed_count > 1:
            forgery = Forgery(evidence)
            forgery.file(file.path)["seeds"]["list"].pop()
            return forgery.changes()
    return None


def _seed_moved(evidence: Evidence, *, other: int | None) -> Changes | None:
    """Write another seed for the last one, in the board and in all returns."""
    seeds = evidence.context.seeds
    for file, board in boards(evidence, sealed=False):
        listed = board.seeds
        if seeds is None or not isinstance(listed, tuple) or len(listed) < 2 or seeds.gap < 1:
            continue
        value = seeds.start + seeds.n_train if other is None else listed[other]
        forgery = Forgery(evidence)
        forgery.file(file.path)["seeds"]["list"][-1] = value
        for row in board.rows:
            if forgery.has(returns_path(file.name, row.policy)):
                forgery.returns(file, row.policy)["seeds"][-1] = value
        forgery.rehash(file)
        return forgery.changes()
    return None


def _public_seeds_of_sealed(evidence: Evidence) -> Changes | None:
    seeds = evidence.context.seeds
    for file, board in boards(evidence, sealed=True):
        if seeds is None or board.seed_count > seeds.n_train:
            continue
        forgery = Forgery(evidence)
        for row in board.rows:
            if forgery.has(returns_path(file.name, row.policy)):
                forgery.returns(file, row.policy)["seeds"] = [
                    str(seeds.start + slot) for slot in range(board.seed_count)
                ]
        forgery.rehash(file)
        return forgery.changes()
    return None


def _commitment(evidence: Evidence, *, change: Callable[[list[Members]], object]) -> Changes | None:
    if evidence.context.seeds is None or not evidence.context.seeds.commitments:
        return None
    forgery = Forgery(evidence)
    change(forgery.file(SEEDS_FILE)["commitments"])
    return forgery.changes()


def _other_salt(entries: list[Members]) -> None:
    salt = entries[0]["salt"]
    entries[0]["salt"] = ("1" if salt[:1] == "0" else "0") + salt[1:]


def _published_late(entries: list[Members]) -> None:
    entries[0]["published_at"] = entries[0]["closed_at"]


def _withheld(entries: list[Members]) -> None:
    entries[0]["salt"] = None


def _another_policys_returns(evidence: Evidence) -> Changes | None:
    for file, board, row in rows(evidence, lambda _, row: row.deflated_sharpe is not None):
        for other in board.rows:
            paths = [returns_path(file.name, entry.policy) for entry in (row, other)]
            forgery = Forgery(evidence)
            if other.returns != row.returns and all(map(forgery.has, paths)):
                forgery.put(paths[0], dict(forgery.file(paths[1])))
                forgery.rehash(file)
                return forgery.changes()
    return None


def _returns(evidence: Evidence, *, change: Callable[[Members], object]) -> Changes | None:
    """Change the first returns file, and state its new hash."""
    for file, _, row in rows(evidence, lambda board, _: board.seed_count > 0):
        forgery = Forgery(evidence)
        if forgery.has(returns_path(file.name, row.policy)):
            change(forgery.returns(file, row.policy))
            forgery.rehash(file)
            return forgery.changes()
    return None


def _no_number(members: Members) -> None:
    members["returns"][0][0] = None


def _rehashed_badly(evidence: Evidence) -> Changes | None:
    for file, _, row in rows(evidence, lambda *_: True):
        forgery = Forgery(evidence)
        forgery.row(file, row)["returns"] = row.returns[::-1]
        return forgery.changes()
    return None


def _missing(evidence: Evidence) -> Changes | None:
    for file, _, row in rows(evidence, lambda *_: True):
        forgery = Forgery(evidence)
        forgery.put(returns_path(file.name, row.policy), None)
        return forgery.changes()
    return None


def _unlisted(evidence: Evidence) -> Changes | None:
    for file, board in boards(evidence):
        policies = {row.policy for row in board.rows}
        extra = next(name for name in ("extra", "extra-1") if name not in policies)
        forgery = Forgery(evidence)
        content = {"policy": extra, "returns": [], "seeds": []}
        forgery.put(returns_path(file.name, extra), content)
        return forgery.changes()
    return None


def _mutations(aims_at: str, *made: tuple[str, str, Any]) -> tuple[Mutation, ...]:
    return tuple(
        Mutation(name=name, aims_at=aims_at, what=what, apply=apply) for name, what, apply in made
    )


MUTATIONS: Final = (
    *_mutations(
        PINNED.id,
        (
            "kernel-exchanged",
            "A board states the scoring kernel of another release.",
            partial(_board, change=_other_kernel),
        ),
        (
            "release-unknown",
            "A board states a release that nobody has seen.",
            partial(_board, change=_set("protocol", value="sharpearena/99.0.0")),
        ),
        (
            "environment-exchanged",
            "A board states the environment of another tier.",
            partial(_board, change=_other_environment),
        ),
        (
            "lookahead",
            "A board admits a lookahead violation.",
            partial(_board, change=_set("leakage", "violations", value=1)),
        ),
        (
            "impact-zero",
            "A board states an impact exponent that no release has.",
            partial(_board, change=_set("settings", "impact_exponent", value=0)),
        ),
    ),
    *_mutations(
        SEEDS.id,
        ("seed-dropped", "The last seed is dropped from a board's list.", _seed_dropped),
        (
            "seed-between-bands",
            "A seed lies between the bands, in the board and in all returns.",
            partial(_seed_moved, other=None),
        ),
        (
            "seed-twice",
            "A seed stands twice, in the board and in all returns.",
            partial(_seed_moved, other=0),
        ),
        (
            "sealed-seeds-public",
            "The seeds of a sealed board are those of the public band.",
            _public_seeds_of_sealed,
        ),
        (
            "reveal-other-salt",
            "The revealed salt is another than was committed to.",
            partial(_commitment, change=_other_salt),
        ),
        (
            "commitment-late",
            "A commitment was published when submissions closed.",
            partial(_commitment, change=_published_late),
        ),
        (
            "salt-withheld",
            "The salt of a sealed board is not revealed.",
            partial(_commitment, change=_withheld),
        ),
        (
            "commitment-missing",
            "The commitment to a sealed board's seeds is taken away.",
            partial(_commitment, change=lambda entries: entries.pop(0)),
        ),
    ),
    *_mutations(
        RETURNS.id,
        (
            "returns-of-another",
            "The returns of a row are those of another policy.",
            _another_policys_returns,
        ),
        (
            "return-null",
            "A return is null, as an overflow is written.",
            partial(_returns, change=_no_number),
        ),
        (
            "bar-dropped",
            "The series of a seed lacks its last bar.",
            partial(_returns, change=lambda members: members["returns"][0].pop()),
        ),
        ("returns-hash-wrong", "A row states another hash of its returns.", _rehashed_badly),
        ("returns-missing", "The returns of a row are taken away.", _missing),
    ),
    *_mutations(
        COMPLETE.id,
        ("returns-of-no-row", "Returns are added that belong to no row.", _unlisted),
    ),
)
