"""
The dossier of one ARCANA score: all that was published of it beside all that follows.

The outputs are compared as the 64 bits of their doubles, the stored columns as
texts. What cannot be said is None, and the findings say why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from formulas.arcana_score import v1
from formulas.errors import FormulaConstantsError
from verifier.arcana.checks.score import MIN_CHOSEN, PROTECTIVE, check_score, stored_text
from verifier.arcana.context import manifest_path
from verifier.arcana.explain import explain_score
from verifier.arcana.manifest import ScoreManifest
from verifier.arcana.recompute import VERSIONS, bits_of, describe_difference, recompute
from verifier.arcana.rows import SCORE_COLUMNS
from verifier.dossier.arcana_evidence import worst
from verifier.dossier.arcana_inputs import read_inputs

if TYPE_CHECKING:
    from verifier.arcana.context import Anchorage, Context
    from verifier.arcana.rows import ScoreRow
    from verifier.dossier.arcana_inputs import Inputs
    from verifier.explanation import Explanation
    from verifier.findings import Finding, Verdict

__all__ = [
    "Manifest",
    "Output",
    "Participation",
    "ScoreDossier",
    "StoredColumn",
    "Term",
    "read_score",
    "unranked_reason",
]

Value = float | bool | None

# The six terms in the order in which the formula adds them, and the weight of each.
TERMS: Final = ("performance", "risk", "regime", "consistency", "creator", "longevity")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """
    One of the ten outputs; a number is in points, the multiplier a fraction.

    Args:
        name: As the manifest names it.
        published: As the manifest states it.
        recomputed: As its inputs give it.
        published_bits: The 64 bits in hex; ``null``, ``true`` and ``false`` as themselves.
        recomputed_bits: The same of the recomputed value.
        distance: How far the two are apart; None when they are the same bits.
    """

    name: str
    published: Value
    recomputed: Value
    published_bits: str
    recomputed_bits: str
    distance: str | None

    @property
    def equal(self) -> bool:
        """Whether both are the same bits."""
        return self.published_bits == self.recomputed_bits


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredColumn:
    """One two-decimal column of the score row, beside the output rounded; None is a null."""

    column: str
    output: str
    stored: str | None
    rounded: str | None

    @property
    def equal(self) -> bool:
        """Whether the texts are the same."""
        return self.stored == self.rounded


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """
    One of the six terms of the weighted sum, recomputed.

    Args:
        name: The factor.
        weight: A fraction; the six add up to 1.
        factor: In points, unrounded as it enters.
        product: The two multiplied.
        running: The sum up to and with this term.
        constant: Whether the factor is the same for every agent, so that it measures nothing.
    """

    name: str
    weight: float
    factor: float
    product: float
    running: float
    constant: bool


@dataclass(frozen=True, slots=True)
class Participation:
    """
    Whether a score has decisions enough.

    Args:
        listed: Decisions that its manifest lists.
        chosen: Those of them that are no protective exits.
        needed: How many a rank takes.
    """

    listed: int
    chosen: int
    needed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """
    The text that a seal names.

    Args:
        path: Its file in the bundle.
        text: Its exact text; None when it is no UTF-8.
        sha256: Of its bytes.
        size: In bytes.
        parsed: What it says; None when its form is not exact, or its hash is not the seal.
    """

    path: str
    text: str | None
    sha256: str
    size: int
    parsed: ScoreManifest | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreDossier:
    """
    One score row and everything behind it.

    Args:
        row: As stored.
        agent_name: Hostile text; None when the agent is not listed.
        season_name: Hostile text.
        manifest: None when the row has no seal, or the bundle not the text.
        outputs: The ten outputs; empty when they cannot be compared.
        columns: The stored columns; empty without a manifest to compare with.
        working: Every intermediate value; None when nothing can be computed.
        terms: From the first to the sum; empty without a working.
        inputs: None without a readable manifest.
        place: Its leaf in a mined anchor, if it has one.
        previous: The seal of the agent's sealed score before, by the rows.
        participation: None without a readable manifest.
        findings: What an audit says, in the order of the procedure.
        verdict: The gravest of these.
        explanation: The steps, published beside recomputed.
    """

    row: ScoreRow
    agent_name: str | None
    season_name: str | None
    manifest: Manifest | None
    outputs: tuple[Output, ...]
    columns: tuple[StoredColumn, ...]
    working: v1.Working | None
    terms: tuple[Term, ...]
    inputs: Inputs | None
    place: Anchorage | None
    previous: str | None
    participation: Participation | None
    findings: tuple[Finding, ...]
    verdict: Verdict
    explanation: Explanation

    @property
    def ranked(self) -> bool:
        """Whether the stored row has a score."""
        return self.row.columns["arcana_score"] is not None

    @property
    def formula(self) -> str | None:
        """The version that the manifest names."""
        parsed = None if self.manifest is None else self.manifest.parsed
        return None if parsed is None else parsed.formula

    def said(self, check: str) -> Verdict:
        """Sum up what one check said of this score."""
        return worst(finding for finding in self.findings if finding.check == check)


def read_score(context: Context, row: ScoreRow) -> ScoreDossier:
    """Check a score and lay out what it was checked with."""
    findings = tuple(
        sorted(check_score(context, row).findings, key=lambda found: (found.step, found.check))
    )
    manifest = None if row.seal is None else _manifest(context, row.seal)
    parsed = None if manifest is None else manifest.parsed
    working = None if parsed is None else _working(parsed)
    agent = context.agents.get(row.agent_id)
    seasons = {season.season_id: season.name for season in context.tables.seasons}
    return ScoreDossier(
        row=row,
        agent_name=None if agent is None else agent.name,
        season_name=seasons.get(row.season_id),
        manifest=manifest,
        outputs=() if parsed is None or working is None else _outputs(parsed, working),
        columns=() if parsed is None else _columns(row, parsed),
        working=working,
        terms=() if parsed is None or working is None else _terms(parsed, working),
        inputs=None if parsed is None else read_inputs(context, row, parsed),
        place=None if row.seal is None else context.mined.get(row.seal),
        previous=None if row.seal is None else context.previous[row.seal],
        participation=None if parsed is None else _participation(context, parsed),
        findings=findings,
        verdict=worst(findings),
        explanation=explain_score(context, row),
    )


def unranked_reason(context: Context, row: ScoreRow) -> str | None:
    """Say why a score has no rank; None when it has one."""
    if row.columns["arcana_score"] is not None:
        return None
    manifest = None if row.seal is None else context.readable(row.seal)
    if isinstance(manifest, ScoreManifest):
        count, source = len(manifest.decisions), "its manifest lists"
    else:
        rows = context.decisions.get((row.agent_id, row.season_id), ())
        count, source = sum(item.ts <= row.ts for item in rows), "the record counts"
    if count < MIN_CHOSEN:
        return f"{source} {count} of the {MIN_CHOSEN} decisions that a rank takes"
    return f"stored without a score, although {source} {count} decisions"


def _manifest(context: Context, seal: str) -> Manifest | None:
    path = manifest_path(seal)
    if not context.bundle.has(path):
        return None
    data = context.bundle.read(path)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = None
    parsed = context.readable(seal)
    return Manifest(
        path=path,
        text=text,
        sha256=context.bundle.digest(path),
        size=len(data),
        parsed=parsed if isinstance(parsed, ScoreManifest) else None,
    )


def _working(manifest: ScoreManifest) -> v1.Working | None:
    if manifest.formula not in VERSIONS:
        return None
    try:
        return recompute(manifest)
    except FormulaConstantsError:
        return None  # step 5 says that the constants are wrong


def _outputs(manifest: ScoreManifest, working: v1.Working) -> tuple[Output, ...]:
    if isinstance(manifest.outputs, str):
        return ()
    outputs = working.outputs
    found = []
    for name in v1.OUTPUTS:
        published, recomputed = manifest.outputs[name], outputs[name]
        same = bits_of(published) == bits_of(recomputed)
        found.append(
            Output(
                name=name,
                published=published,
                recomputed=recomputed,
                published_bits=bits_of(published),
                recomputed_bits=bits_of(recomputed),
                distance=None if same else describe_difference(published, recomputed),
            )
        )
    return tuple(found)


def _columns(row: ScoreRow, manifest: ScoreManifest) -> tuple[StoredColumn, ...]:
    if isinstance(manifest.outputs, str):
        return ()
    found = []
    for column, output in SCORE_COLUMNS.items():
        value = manifest.outputs[output]
        found.append(
            StoredColumn(
                column=column,
                output=output,
                stored=row.columns[column],
                rounded=None if value is None else stored_text(value),
            )
        )
    return tuple(found)


def _terms(manifest: ScoreManifest, working: v1.Working) -> tuple[Term, ...]:
    running = 0.0
    found: list[Term] = []
    for name in TERMS:
        weight = manifest.constants[f"w_{name}"]
        assert isinstance(weight, int | float)  # else nothing could have been computed
        factor = float(getattr(working, name))
        product = float(weight) * factor
        # The first product is not added to a zero: -0 would change its sign.
        running = product if not found else running + product
        found.append(
            Term(
                name=name,
                weight=float(weight),
                factor=factor,
                product=product,
                running=running,
                constant=name == "regime",
            )
        )
    return tuple(found)


def _participation(context: Context, manifest: ScoreManifest) -> Participation:
    chosen = sum(
        context.decider(decision.commitment, context.decision_rows.get(decision.id)) != PROTECTIVE
        for decision in manifest.decisions
    )
    return Participation(len(manifest.decisions), chosen, MIN_CHOSEN)
