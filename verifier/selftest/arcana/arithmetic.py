"""Steps 5 to 7: formula, outputs and stored columns, all sealed anew."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from verifier.arcana.checks.catalogue import FORMULA, RECOMPUTE, STORED
from verifier.arcana.recompute import VERSIONS
from verifier.arcana.rows import SCORE_COLUMNS
from verifier.selftest.arcana.forgery import Evidence, Forgery
from verifier.selftest.mutations import Mutation

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.selftest.mutations import Changes

_UNENCODABLE: Final = "unencodable: json: unsupported value: NaN"


def _constants(
    evidence: Evidence, *, change: Callable[[dict[str, Any]], dict[str, Any]], rescore: bool
) -> Changes | None:
    """State other constants in the first score, and compute with them."""
    for row, manifest in evidence.ranked():
        forgery = Forgery(evidence)
        changed = replace(manifest, constants=change(dict(manifest.constants)))
        if rescore:
            forgery.rescore(row, changed)
        else:
            forgery.reseal(row.seal, changed)
        return forgery.changes()
    return None


def _weights(constants: dict[str, Any]) -> dict[str, Any]:
    swapped = {
        "w_performance": constants["w_risk"],
        "w_risk": constants["w_performance"],
    }
    return {**constants, **swapped}


def _without_neutral(constants: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in constants.items() if name != "neutral"}


def _version(evidence: Evidence) -> Changes | None:
    for row, manifest in evidence.scores():
        forgery = Forgery(evidence)
        forgery.reseal(row.seal, replace(manifest, formula=f"{manifest.formula}-unknown"))
        return forgery.changes()
    return None


def _document(evidence: Evidence) -> Changes | None:
    for document in evidence.context.tables.formulas:
        if document.version not in VERSIONS:
            continue
        forgery = Forgery(evidence)
        constants = forgery.row("formulas", document.line)["constants"]
        forgery.put("formulas", document.line, constants=_weights(constants))
        return forgery.changes()
    return None


def _outputs(
    evidence: Evidence, *, change: Callable[[dict[str, Any]], dict[str, Any] | None]
) -> Changes | None:
    """Publish other outputs of the first score that has suitable ones, row and all."""
    for row, manifest in evidence.scores():
        assert not isinstance(manifest.outputs, str)
        changed = change(dict(manifest.outputs))
        if changed is not None:
            forgery = Forgery(evidence)
            outputs = {**manifest.outputs, **changed}
            forgery.reseal_score(row, replace(manifest, outputs=outputs))
            return forgery.changes()
    return None


def _ulp(outputs: dict[str, Any]) -> dict[str, Any] | None:
    value = outputs["consistency"]
    return None if value is None else {"consistency": math.nextafter(value, math.inf)}


def _arcana_raised(outputs: dict[str, Any]) -> dict[str, Any] | None:
    value = outputs["arcana"]
    return None if value is None else {"arcana": float(Decimal(repr(value)) + Decimal("0.1"))}


def _unranked(outputs: dict[str, Any]) -> dict[str, Any] | None:
    return {"ranked": False, "arcana": None} if outputs["ranked"] else None


def _ranked(outputs: dict[str, Any]) -> dict[str, Any] | None:
    return None if outputs["ranked"] else {"ranked": True, "arcana": 50.0}


def _unencodable(evidence: Evidence) -> Changes | None:
    for row, manifest in evidence.scores():
        forgery = Forgery(evidence)
        forgery.reseal(row.seal, replace(manifest, outputs=_UNENCODABLE))
        return forgery.changes()
    return None


def _column(
    evidence: Evidence, *, name: str, change: Callable[[str | None], str | None]
) -> Changes | None:
    """Store something else than the outputs of the first score whose column the change concerns."""
    for row, manifest in evidence.scores():
        text = row.columns[name]
        changed = change(text)
        if changed != text and not isinstance(manifest.outputs, str):
            forgery = Forgery(evidence)
            forgery.put("scores", row.line, **{name: changed})
            return forgery.changes()
    return None


def _cent_more(text: str | None) -> str | None:
    return None if text is None else str(Decimal(text) + Decimal("0.01"))


def _zero_for_null(text: str | None) -> str:
    return "0.00" if text is None else text


def _formula(name: str, what: str, apply: Callable[[Evidence], Changes | None]) -> Mutation:
    return Mutation(name=name, aims_at=FORMULA.id, what=what, apply=apply)


def _output(
    name: str, what: str, change: Callable[[dict[str, Any]], dict[str, Any] | None]
) -> Mutation:
    return Mutation(
        name=name, aims_at=RECOMPUTE.id, what=what, apply=partial(_outputs, change=change)
    )


MUTATIONS: Final = (
    _formula(
        "weights-swapped",
        "Two weights change places, the outputs are computed with them.",
        partial(_constants, change=_weights, rescore=True),
    ),
    _formula(
        "constant-missing",
        "A constant is left out of a manifest.",
        partial(_constants, change=_without_neutral, rescore=False),
    ),
    _formula("version-unknown", "A manifest names a version that nobody knows.", _version),
    _formula("document-changed", "The published constants are not the version's.", _document),
    _output("output-one-ulp", "An output is one unit in the last place off.", _ulp),
    _output("arcana-raised", "The score is 0.1 higher, in manifest and row.", _arcana_raised),
    _output("ranked-to-unranked", "A ranked score is published as unranked.", _unranked),
    _output("unranked-to-ranked", "An unranked score is published as ranked.", _ranked),
    Mutation(
        name="outputs-unencodable",
        aims_at=RECOMPUTE.id,
        what="The outputs are said to be no numbers.",
        apply=_unencodable,
    ),
    *(
        Mutation(
            name=f"cent-more-{output}",
            aims_at=STORED.id,
            what=f"The stored column {column} is 0.01 higher.",
            apply=partial(_column, name=column, change=_cent_more),
        )
        for column, output in SCORE_COLUMNS.items()
        if output in {"performance", "arcana"}
    ),
    Mutation(
        name="zero-for-null",
        aims_at=STORED.id,
        what="An unranked score is stored as 0.00 instead of null.",
        apply=partial(_column, name="arcana_score", change=_zero_for_null),
    ),
    Mutation(
        name="null-for-score",
        aims_at=STORED.id,
        what="A ranked score is stored as null.",
        apply=partial(_column, name="arcana_score", change=lambda _: None),
    ),
)
