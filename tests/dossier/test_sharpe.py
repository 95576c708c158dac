"""Boards as their readers see them: both numbers of everything, and what they say."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import pytest
from overlays import overlays
from shared import FIXTURES
from sharpe_publisher import published, written
from small_bundle import write_tree

from verifier.bundle import Bundle, open_bundle, overlay
from verifier.dossier.sharpe import Arena, load_arena
from verifier.dossier.sharpe_figures import compared, ulps, unjudged
from verifier.errors import UsageError
from verifier.findings import Verdict
from verifier.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.dossier.sharpe import BoardDossier, RowDossier

FORGERIES: Final = {forgery.name: forgery for forgery in overlays("sharpe-demo")}


@pytest.fixture(scope="module")
def demo() -> Iterator[Bundle]:
    """Open the demo bundle once."""
    with open_bundle(FIXTURES / "sharpe-demo") as bundle:
        yield bundle


@pytest.fixture(scope="module")
def arena(demo: Bundle) -> Arena:
    """Read the honest boards."""
    return load_arena(demo, Policy())


@cache
def forged(demo: Bundle, name: str, board: str) -> BoardDossier:
    """One board under a forgery."""
    changes = FORGERIES[name].changes(demo)
    return load_arena(overlay(demo, changes, relist=True), Policy()).board(board)


def row(board: BoardDossier, policy: str) -> RowDossier:
    """One row of a board."""
    return next(each for each in board.rows if each.policy == policy)


@pytest.mark.parametrize("name", ["calm", "calm-sealed", "hard-new"])
def test_an_honest_board(arena: Arena, name: str) -> None:
    """Every published number of an honest board is beside the same double."""
    board = arena.board(name)
    found = board.figures
    assert len(found) > 80
    assert {figure.verdict for figure in found} == {Verdict.PASS}
    assert all(figure.distance in (0, None) for figure in found)
    assert [each.rank for each in board.rows] == [each.row.rank for each in board.rows]
    assert board.verdict is Verdict.PASS
    assert {gate.verdict for each in board.rows for gate in each.gates} == {Verdict.PASS}
    assert all(each.eligible is each.row.eligible for each in board.rows)
    assert {pair.verdict for pair in board.pairs} == {Verdict.PASS}
    assert {claim.verdict for claim in board.claims} <= {Verdict.PASS}
    assert {item.verdict for item in board.disclosures} <= {Verdict.PASS, Verdict.EXEMPT}
    assert all(each.explanation.first_difference is None for each in board.rows)


def test_an_unavailable_agent_has_a_reason_and_no_number(arena: Arena) -> None:
    """What the kernel refuses is null on both sides, with the kernel's own text."""
    flat = row(arena.board("calm-new"), "flat")
    assert flat.score.published is None
    assert flat.score.recomputed is None
    assert flat.score.verdict is Verdict.PASS
    assert flat.reason is not None
    assert "must not be constant" in flat.reason
    assert flat.rank == "-"
    assert {seed.probability for seed in flat.seeds} == {None}


def test_ties(arena: Arena) -> None:
    """Equal scores are one tie; neighbours without a shown difference another thing."""
    board = arena.board("calm-new")
    assert board.exact_ties == (("momentum", "max_sharpe"),)
    assert ("min_variance", "kelly_vol_target") in board.unseparated
    assert board.trials == 56
    assert board.bar == 0.0730544541616521


@pytest.mark.parametrize("name", sorted(FORGERIES))
def test_a_forgery_shows_on_its_board(demo: Bundle, name: str) -> None:
    """Every board under every forgery is shown, and one of them has the forgery's verdict."""
    forgery = FORGERIES[name]
    touched = [*forgery.edits, *forgery.files, *forgery.remove]
    boards = {
        "calm-sealed" if path.count("/") == 1 else path.split("/")[2].removesuffix(".json")
        for path in touched
    }
    verdicts = {forged(demo, name, board).verdict for board in boards}
    assert Verdict(forgery.verdict) in verdicts


def test_one_unit_in_the_last_place(demo: Bundle) -> None:
    """A score one double off stands beside the right one, one step away."""
    found = row(forged(demo, "one-ulp", "hard-new"), "min_variance")
    assert found.score.verdict is Verdict.FAIL
    assert found.score.distance == 1
    assert found.interval["point"].verdict is Verdict.FAIL
    assert found.interval["lo"].verdict is Verdict.PASS
    assert found.verdict_of(4) is Verdict.FAIL
    assert found.explanation.first_difference is not None


def test_a_dropped_mark(demo: Bundle) -> None:
    """The printed rank stands beside the one that the release would print."""
    board = forged(demo, "tie-mark-dropped", "calm-new")
    tied = [(each.row.rank, each.rank) for each in board.rows if each.row.rank != each.rank]
    assert tied == [("4", "4="), ("5", "4=")]
    assert board.verdict_of(5) is Verdict.FAIL


def test_an_order_by_return(demo: Bundle) -> None:
    """Rows in another order keep their place, with the rank that the score gives."""
    changes = FORGERIES["ordered-by-return"]
    board = forged(demo, changes.name, next(iter(changes.edits)).split("/")[2][:-5])
    assert any(each.row.rank != each.rank for each in board.rows)
    assert board.verdict_of(5) is Verdict.FAIL


def test_a_gap_left_out(demo: Bundle) -> None:
    """A row without a gap is presumed overfit: unproven, and no number stands in for it."""
    changes = FORGERIES["gap-left-out"]
    board = forged(demo, changes.name, next(iter(changes.edits)).split("/")[2][:-5])
    missing = [each for each in board.rows if not each.generalization.stated]
    assert missing
    for each in missing:
        assert each.generalization.gap.published is None
        assert each.generalization.gap.recomputed is None
        assert each.generalization.gap.verdict is Verdict.UNPROVEN
        assert "presumed overfit" in (each.generalization.missing or "")
        assert each.verdict_of(8) is Verdict.UNPROVEN


def test_a_claim_without_a_test(demo: Bundle) -> None:
    """A claim about two that were never compared fails."""
    changes = FORGERIES["claim-without-test"]
    board = forged(demo, changes.name, next(iter(changes.edits)).split("/")[2][:-5])
    assert Verdict.FAIL in {claim.verdict for claim in board.claims}


def test_returns_that_are_not_there(demo: Bundle) -> None:
    """Without its returns a row keeps its published figures, none of them proved."""
    path = "sharpe/returns/calm-new/min_variance.json"
    board = load_arena(overlay(demo, {path: None}, relist=True), Policy()).board("calm-new")
    found = row(board, "min_variance")
    assert found.score.published == 0.9847886501721554
    assert found.score.recomputed is None
    assert found.score.verdict is Verdict.UNPROVEN
    assert {gate.verdict for gate in found.gates} == {Verdict.UNPROVEN}
    assert next(e for e in found.evidence if e.path == path).sha256 is None
    assert board.verdict is Verdict.UNPROVEN
    assert {pair.verdict for pair in board.pairs} == {Verdict.PASS, Verdict.UNPROVEN}


def test_a_kernel_that_nobody_knows(demo: Bundle) -> None:
    """Under an unknown release nothing is recomputed, and everything says so."""
    path = "sharpe/boards/calm-new.json"
    text = demo.read(path).replace(b"sharpearena/0.31.0", b"sharpearena/9.9.9-rc")
    board = load_arena(overlay(demo, {path: text}, relist=True), Policy()).board("calm-new")
    assert (board.kernel, board.trials, board.bar) == (None, None, None)
    assert {figure.verdict for figure in board.figures} == {Verdict.UNPROVEN}
    assert board.verdict is Verdict.UNPROVEN


def test_a_board_of_another_shape(demo: Bundle) -> None:
    """A board that cannot be read is listed, and cannot be asked for."""
    changes: dict[str, bytes | None] = {"sharpe/boards/calm.json": b"{}"}
    found = load_arena(overlay(demo, changes, relist=True), Policy())
    assert [file.name for file in found.unreadable] == ["calm"]
    assert "calm" not in found.names
    with pytest.raises(UsageError, match="another shape"):
        found.board("calm")
    with pytest.raises(UsageError, match="no file"):
        found.board("nowhere")


def test_a_small_arena(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Boards without traces of some rows leave the process gate open, and nothing else."""
    tree = write_tree(tmp_path_factory.mktemp("small") / "b", written(published()))
    with open_bundle(tree) as bundle:
        found = load_arena(bundle, Policy())
        boards = [found.board(name) for name in found.names]
    assert {board.verdict for board in boards} <= {Verdict.PASS, Verdict.UNPROVEN}
    assert all(f.verdict is not Verdict.FAIL for board in boards for f in board.figures)


def test_distances() -> None:
    """Distances count doubles, across 0 too."""
    assert ulps(0.1, 0.1) == 0
    assert ulps(0.0, -0.0) == 0
    assert ulps(-5e-324, 5e-324) == 2
    assert compared("x", 1.0, None).distance is None
    assert compared("x", None, None).verdict is Verdict.PASS
    assert unjudged("x", 1.0, "why").verdict is Verdict.UNPROVEN
