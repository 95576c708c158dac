"""
Decision commitment manifest, scheme ``arcana-commitment/v1``: what an agent decided, and with what.

Every line is a string or null, except that ``ts`` is a time or null, and that
``params`` and ``thesis`` are objects, sorted at every depth, or null. An empty
text and an empty object are written as null. The numbers within the objects
are doubles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.arcana.gojson import GoValue, value_text
from verifier.arcana.manifest_lines import Line, optional_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["KEYS", "SCHEME", "CommitmentManifest"]

SCHEME: Final = "arcana-commitment/v1"

KEYS: Final = (
    "agent_id",
    "season_id",
    "ts",
    "market_snapshot_ref",
    "action",
    "symbol",
    "quantity",
    "rationale",
    "decider",
    "reason_code",
    "provider",
    "model",
    "model_version",
    "params",
    "thesis",
    "system_prompt_sha256",
    "prompt_sha256",
    "response_sha256",
    "previous_commitment",
    "salt",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitmentManifest:
    """A commitment manifest that was read."""

    agent_id: str | None
    season_id: str | None
    ts: str | None
    market_snapshot_ref: str | None
    action: str | None
    symbol: str | None
    quantity: str | None
    rationale: str | None
    decider: str | None
    reason_code: str | None
    provider: str | None
    model: str | None
    model_version: str | None
    params: Mapping[str, GoValue] | None
    thesis: Mapping[str, GoValue] | None
    system_prompt_sha256: str | None
    prompt_sha256: str | None
    response_sha256: str | None
    previous_commitment: str | None
    salt: str | None


def from_lines(lines: Sequence[Line]) -> CommitmentManifest:
    """
    Give the twenty lines their meaning.

    Raises:
        ManifestError: A value is not of the type that its line demands.
    """
    by_key = {line.key: line for line in lines}
    return CommitmentManifest(
        agent_id=by_key["agent_id"].optional_text(),
        season_id=by_key["season_id"].optional_text(),
        ts=by_key["ts"].optional_time(),
        market_snapshot_ref=by_key["market_snapshot_ref"].optional_text(),
        action=by_key["action"].optional_text(),
        symbol=by_key["symbol"].optional_text(),
        quantity=by_key["quantity"].optional_text(),
        rationale=by_key["rationale"].optional_text(),
        decider=by_key["decider"].optional_text(),
        reason_code=by_key["reason_code"].optional_text(),
        provider=by_key["provider"].optional_text(),
        model=by_key["model"].optional_text(),
        model_version=by_key["model_version"].optional_text(),
        params=by_key["params"].optional_object(),
        thesis=by_key["thesis"].optional_object(),
        system_prompt_sha256=by_key["system_prompt_sha256"].optional_text(),
        prompt_sha256=by_key["prompt_sha256"].optional_text(),
        response_sha256=by_key["response_sha256"].optional_text(),
        previous_commitment=by_key["previous_commitment"].optional_text(),
        salt=by_key["salt"].optional_text(),
    )


def to_text(m: CommitmentManifest) -> str:
    """
    Write the manifest, without the escapes that Go adds for pages.

    Raises:
        JsonError: A number is infinite or NaN.
    """
    lines = [SCHEME]
    for key in KEYS:
        value = getattr(m, key)
        text = optional_text(value) if isinstance(value, str) else value_text(value or None)
        lines.append(f"{key}: {text}")
    return "\n".join(lines) + "\n"
