"""Settings of generated cases that are asked of Node in batches."""

from __future__ import annotations

from typing import Final

from hypothesis import HealthCheck, Phase, settings

# Each example is a batch and starts Node, so shrinking one would take minutes.
BATCH: Final = settings(
    max_examples=4,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.large_base_example,
    ],
)
