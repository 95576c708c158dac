"""The dossiers of ARCANA: published beside recomputed, honest and forged."""

from collections.abc import Iterator
from itertools import chain

import pytest
from overlays import Overlay, overlays
from shared import FIXTURES

from verifier.audit import audit_bundle
from verifier.bundle import Bundle, open_bundle, overlay
from verifier.core.merkle import check_inclusion
from verifier.core.schemes import RFC9162
from verifier.dossier.arcana import CATEGORIES, Arcana, open_arcana
from verifier.dossier.arcana_evidence import Coverage, State
from verifier.errors import UsageError
from verifier.findings import Finding, Verdict
from verifier.policy import Policy, load_policy

PROBLEMS = {Verdict.FAIL, Verdict.UNPROVEN}
FORGERIES = {forgery.name: forgery for forgery in overlays("arcana-demo")}


@pytest.fixture(scope="module")
def policy() -> Policy:
    """What the demo's reader trusts."""
    return load_policy(FIXTURES / "policy.toml")


@pytest.fixture(scope="module")
def demo() -> Iterator[Bundle]:
    """The honest demo bundle."""
    with open_bundle(FIXTURES / "arcana-demo") as bundle:
        yield bundle


@pytest.fixture(scope="module")
def honest(demo: Bundle, policy: Policy) -> Arcana:
    """Its ARCANA evidence."""
    return open_arcana(demo, policy)


@pytest.fixture
def forge(demo: Bundle, policy: Policy) -> "Forge":
    """A way to open the demo with one forgery laid over it."""
    return Forge(demo, policy)


class Forge:
    """Opens forgeries by name."""

    def __init__(self, demo: Bundle, policy: Policy) -> None:
        self.demo = demo
        self.policy = policy

    def bundle(self, forgery: Overlay) -> Bundle:
        """Lay a forgery over the demo."""
        return overlay(self.demo, forgery.changes(self.demo), relist=forgery.relist)

    def __call__(self, name: str) -> Arcana:
        """Read the evidence of a forgery."""
        return open_arcana(self.bundle(FORGERIES[name]), self.policy)


def findings(arena: Arcana) -> Iterator[Finding]:
    """Everything that any dossier of a bundle says."""
    yield from chain.from_iterable(arena.score(row).findings for row in arena.context.tables.scores)
    yield from chain.from_iterable(arena.anchor(a.anchor_id).findings for a in arena.anchors)
    yield from chain.from_iterable(arena.creator(c).findings for c in arena.creators)
    for season in arena.seasons:
        for category in CATEGORIES:
            yield from arena.board(season, category).findings


def test_every_output_of_an_honest_score_is_equal(honest: Arcana) -> None:
    """Published and recomputed have the same bits, and the stored columns are their roundings."""
    scores = [honest.score(row) for row in honest.sealed_scores]
    assert len(scores) == 71
    for score in scores:
        assert score.verdict is Verdict.PASS
        assert len(score.outputs) == 10
        assert all(output.equal and output.distance is None for output in score.outputs)
        assert all(column.equal for column in score.columns)
        assert score.manifest is not None
        assert score.manifest.sha256 == score.row.seal


def test_the_terms_add_up_to_the_weighted_sum(honest: Arcana) -> None:
    """The running sum of the six terms ends on the very double that the formula multiplies."""
    for row in honest.sealed_scores:
        score = honest.score(row)
        assert score.working is not None
        assert score.terms[-1].running == score.working.weighted_sum
        assert [term.name for term in score.terms if term.constant] == ["regime"]


def test_coverage_is_that_of_the_report(honest: Arcana, demo: Bundle, policy: Policy) -> None:
    """Inputs, seals and anchored ones are counted as an audit counts them."""
    report = audit_bundle(demo, policy=policy)
    counted = [honest.score(row).inputs for row in honest.sealed_scores]
    total = sum((each.coverage for each in counted if each is not None), start=Coverage.of(()))
    assert dict(report.coverage) == {
        "inputs": total.total,
        "sealed": total.sealed_at_all,
        "anchored": total.anchored,
    }
    assert total.missing == 0


def test_inputs_without_a_seal_are_told_apart_by_date(honest: Arcana) -> None:
    """What was recorded before sealing began is unsealed by rule, and nothing else is."""
    score = honest.score(honest.sealed_scores[0])
    assert score.inputs is not None
    for item in score.inputs.snapshots:
        assert (item.evidence.state is State.BY_RULE) == (item.ts < "2026-09-14")
        assert item.evidence.recorded
    assert score.inputs.snapshots_left_out == ()
    assert score.inputs.decisions_left_out == ()


@pytest.mark.parametrize("name", FORGERIES)
def test_dossiers_say_what_the_audit_says(forge: Forge, name: str) -> None:
    """Every failure that an audit reports of a score, anchor, board or creator is in a dossier."""
    bundle = forge.bundle(FORGERIES[name])
    report = audit_bundle(bundle, policy=forge.policy)
    about = ("score ", "anchor ", "leaderboard ", "reputation ")
    said = set(findings(open_arcana(bundle, forge.policy)))
    reported = {found for found in report.findings if found.subject.startswith(about)}
    assert {found for found in said if found.verdict in PROBLEMS} == {
        found for found in reported if found.verdict in PROBLEMS
    }


def test_one_unit_in_the_last_place_is_named(forge: Forge) -> None:
    """A forged output differs alone, and by how far is said."""
    arena = forge("ulp-resealed")
    failing = [
        score
        for score in map(arena.score, arena.sealed_scores)
        if not all(output.equal for output in score.outputs)
    ]
    (score,) = failing
    (output,) = (output for output in score.outputs if not output.equal)
    assert output.name == "consistency"
    assert output.distance == "1 unit in the last place apart"
    assert score.said("arcana/recompute") is Verdict.FAIL
    assert score.place is None


def test_not_measured_is_not_zero(forge: Forge) -> None:
    """A reputation of 0 that averages nothing fails, and the recomputed value is None."""
    arena = forge("reputation-zero")
    (creator,) = (
        creator for creator in map(arena.creator, arena.creators) if creator.verdict is Verdict.FAIL
    )
    assert creator.published is not None
    assert creator.published.value == 0
    assert creator.value is None
    assert not creator.measured


def test_a_reverted_transaction_is_no_anchor(forge: Forge) -> None:
    """The anchor that says mined fails, and the receipt's status is shown."""
    arena = forge("tx-reverted")
    failing = [a for a in arena.anchors if arena.anchor_verdict(a.anchor_id) is Verdict.FAIL]
    (anchor,) = failing
    found = arena.anchor(anchor.anchor_id)
    assert found.chain is not None
    assert found.chain.status == "0x0"
    assert found.root_equal


def test_a_missing_chain_record_is_unproven(forge: Forge) -> None:
    """Without the node's answers there is nothing to show, and the verdict says so."""
    arena = forge("chain-record-missing")
    (found,) = (
        each
        for each in (arena.anchor(a.anchor_id) for a in arena.anchors)
        if each.verdict is not Verdict.PASS
    )
    assert found.verdict is Verdict.UNPROVEN
    assert found.chain is None


def test_every_proof_leads_to_its_root(honest: Arcana) -> None:
    """The neighbours that a dossier lists are an inclusion proof as the tree's scheme knows it."""
    for anchor in honest.anchors:
        found = honest.anchor(anchor.anchor_id)
        assert found.tree is not None
        for place, leaf in enumerate(anchor.leaves):
            check_inclusion(
                RFC9162.leaf(bytes.fromhex(leaf.commitment)),
                place,
                anchor.leaf_count,
                [bytes.fromhex(step.sibling) for step in found.tree.proof(place)],
                bytes.fromhex(anchor.root),
            )


def test_unranked_has_a_reason_and_no_rank(honest: Arcana) -> None:
    """An agent with too few decisions stands last, and the board says why."""
    season = honest.season
    assert season is not None
    board = honest.board(season)
    assert board.verdict is Verdict.PASS
    assert board.ranked == 13
    last = board.seats[-1]
    assert last.shown.rank is None
    assert last.reason == "its manifest lists 3 of the 5 decisions that a rank takes"
    assert [item.reason for item in board.unseated] == ["no portfolio, so no score is made"]


def test_regime_is_no_category(honest: Arcana) -> None:
    """Nothing can be ranked on what is the same for everyone."""
    assert honest.season is not None
    with pytest.raises(UsageError, match="regime cannot be ranked on"):
        honest.board(honest.season, "regime")


def test_drawdown_is_the_formulas(honest: Arcana) -> None:
    """The deepest fall of the curve is the one that the score divides by the exposure."""
    for row in honest.sealed_scores:
        score = honest.score(row)
        assert score.working is not None
        curve = honest.agent(row.agent_id).nav(row.season_id)[: score.working.ticks]
        deepest = max((sample.drawdown or 0.0 for sample in curve), default=0.0)
        assert score.working.drawdown == deepest


def test_unknown_ids_are_refused(honest: Arcana) -> None:
    """What the bundle does not know has no dossier."""
    with pytest.raises(UsageError, match="no agent"):
        honest.agent("nobody")
    with pytest.raises(UsageError, match="no anchor"):
        honest.anchor(1)
