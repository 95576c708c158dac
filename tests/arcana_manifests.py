"""Score manifests made up for tests: consistent, canonical, and different each time."""

import random
import uuid
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final, cast

from formulas.arcana_score import v1
from verifier.arcana.gojson import GoValue
from verifier.arcana.manifest import DecisionRef, NavPoint, PeerRef, ScoreManifest
from verifier.arcana.recompute import recompute

ACTIONS: Final = ("buy", "sell", "hold", "hold", "rebalance")
STRATEGIES: Final = ("momentum", "mean_reversion", "buy_and_hold", "human", "")
START: Final = datetime(2026, 9, 14, tzinfo=UTC)


def published_constants() -> dict[str, GoValue]:
    """The constants of version 1, as reading a manifest gives them."""
    return cast("dict[str, GoValue]", _plain(v1.CONSTANTS))


def _plain(value: object) -> object:
    return {key: _plain(value[key]) for key in value} if isinstance(value, Mapping) else value


def made_manifest(chance: random.Random, *, ticks: int, peers: int = 20) -> ScoreManifest:
    """Make a manifest with a decision a tick, whose outputs follow from its inputs."""
    nav = 10_000.0
    points = []
    for tick in range(ticks):
        points.append(
            NavPoint(
                ts=_time(tick),
                nav=f"{nav:.2f}",
                cash=f"{nav * chance.random():.2f}",
                seal=_seal(chance),
            )
        )
        nav *= 1 + chance.gauss(0, 0.004)
    decisions = [
        DecisionRef(3_000 + tick, _time(tick), chance.choice(ACTIONS), _seal(chance))
        for tick in range(ticks)
    ]
    others = [
        PeerRef(_uuid(chance), _uuid(chance), _time(0), round(chance.uniform(0, 100), 2), None)
        for _ in range(peers)
    ]
    unscored = ScoreManifest(
        formula=v1.ID,
        agent_id=_uuid(chance),
        season_id=_uuid(chance),
        ts=_time(ticks),
        constants=published_constants(),
        strategy_type=chance.choice(STRATEGIES),
        nav_series=tuple(points),
        decisions=tuple(decisions),
        peers=tuple(others),
        outputs={},
        previous_seal=None,
    )
    return replace(unscored, outputs=recompute(unscored).outputs)


def _time(tick: int) -> str:
    return (START + timedelta(hours=4 * tick)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _seal(chance: random.Random) -> str:
    return chance.randbytes(32).hex()


def _uuid(chance: random.Random) -> str:
    return str(uuid.UUID(bytes=chance.randbytes(16), version=4))
