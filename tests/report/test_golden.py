"""Every format of every sample is the golden file, byte for byte."""

from __future__ import annotations

import pytest
from report.samples import GOLDEN, SAMPLES, SUFFIXES, golden

from verifier.report import RENDERERS


@pytest.mark.parametrize("style", sorted(SUFFIXES))
@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_golden(name: str, style: str) -> None:
    """A report is a function of its model: no clock, machine or path gets in."""
    assert RENDERERS[style](SAMPLES[name]) == golden(name, style).read_bytes()


def test_every_golden_file_is_used() -> None:
    """No golden file is left over, and no format is without one."""
    assert set(RENDERERS) == set(SUFFIXES)
    assert set(GOLDEN.iterdir()) == {golden(name, style) for name in SAMPLES for style in SUFFIXES}
