"""The arithmetic of ``verify.js`` under Node: the same doubles as in Python, everywhere."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Final

import pytest
from board_node import bits, values
from programs import needs_node

from formulas.sharpe.deflated import deflation_bar
from formulas.sharpe.kernels import KERNELS
from formulas.sharpe.moments import moments
from formulas.sharpe.normal import cdf, inverse_cdf
from formulas.sharpe.ranking import order, rank_cells
from formulas.sharpe.row import score_row
from formulas.sharpe.splitmix import index_table

pytestmark = needs_node


# Glibc's code for processors without fused multiply-add gives other last bits here.
WITNESSES: Final = {-4.156081: "3f900b7e5157c619", -9.858159: "3f0b6e14b4b8dfe7"}


def exp_is_as_published() -> bool:
    """Whether this machine's exp is the one that the published figures were made with."""
    return all(bits(math.exp(x)) == expected for x, expected in WITNESSES.items())


def test_fused_multiply_add() -> None:
    """One rounding of the exact value, ties to even."""
    source = random.Random(1)
    triples = []
    for _ in range(3000):
        a, b = (source.uniform(-2, 2) * 2.0 ** source.randint(-40, 40) for _ in range(2))
        near = -a * b * (1 + source.choice((0, 2**-52, -(2**-53), 2**-30)))
        c = source.choice((near, source.uniform(-2, 2) * 2.0 ** source.randint(-60, 60)))
        triples.append((a, b, c))
    exact = [float(Fraction(a) * Fraction(b) + Fraction(c)) for a, b, c in triples]
    [found] = values([("multiply", [[bits(x) for x in triple] for triple in triples])])
    # A zero that comes of cancelling has no sign to speak of.
    assert found == [bits(x + 0.0) for x in exact]


def test_exp_is_glibc_s() -> None:
    """The exponential function is the C library's, on all of 20,000 arguments."""
    source = random.Random(2)
    arguments = [-(source.random() ** 4) * 511 for _ in range(19_000)]
    arguments += [-k / 256 * math.log(2) for k in range(900)]
    arguments += [-0.0, -5e-324, -(2.0**-54), -(2.0**-53), -1.0, -511.99, -512.0]
    found, witnesses, far = values(
        [
            ("exp", [bits(x) for x in arguments]),
            ("exp", [bits(x) for x in WITNESSES]),
            ("exp", [bits(-513.0), bits(-math.inf)]),
        ]
    )
    assert witnesses == list(WITNESSES.values())
    assert far == [bits(0.0)] * 2
    if not exp_is_as_published():
        pytest.skip("this machine's exp is another one")
    assert found == [bits(math.exp(x)) for x in arguments]


def test_log_of_every_bar() -> None:
    """The logarithms of bars are the C library's, up to the most trials that are taken."""
    source = random.Random(3)
    trials = [*range(50, 150), *source.sample(range(150, 26_050), 200), 26_050]
    arguments = [1.0 - (1.0 - p) for n in trials for p in (1.0 / n, 1.0 / (n * math.e))]
    [found] = values([("log", [bits(x) for x in arguments])])
    assert found == [bits(math.log(x)) for x in arguments]


def test_normal_distribution() -> None:
    """Both approximations of the kernels, in the middle, at the tails, and where they split."""
    source = random.Random(4)
    points = [source.gauss(0, 3) for _ in range(3000)] + [0.0, -0.0, 8.2, 8.3, -8.3, -8.4, 40, -40]
    [found] = values([("cdf", [bits(x) for x in points])])
    assert found == [bits(cdf(x)) for x in points]
    shares = [source.random() for _ in range(400)] + [0.02425, 1 - 0.02425, 0.5, 0.0, 1.0, 1e-300]
    [found] = values([("inverse", [bits(p) for p in shares])])
    assert found == [bits(inverse_cdf(p)) for p in shares]


@pytest.mark.parametrize("name", KERNELS)
def test_random_bands(name: str) -> None:
    """Rows of seeds of unequal lengths, some of them constant or tiny."""
    source = random.Random(name)
    kernel = KERNELS[name]
    bands: list[list[list[float]]] = []
    for _ in range(120):
        scale = source.choice((1e-160, 1e-6, 0.01, 1.0))
        drift = source.choice((0.0, 0.1, 3.0, -0.2))
        bands.append(
            [
                [source.choice((drift, source.gauss(drift, 1))) * scale for _ in range(bars)]
                for bars in (source.randint(2, 40) for _ in range(source.randint(1, 9)))
            ]
        )
    answers = values([("row", name, band, at) for at, band in enumerate(bands)])
    for at, (band, answer) in enumerate(zip(bands, answers, strict=True)):
        row = score_row(kernel, band, at)
        assert answer == {
            "score": row.score.value,
            "status": row.score.status,
            "rate": row.pass_k_rate,
            "mean": row.mean_return,
        }
        m = moments(kernel, band[0])
        assert deflation_bar(kernel, at) > 0
        assert m.count == len(band[0])


def test_draws() -> None:
    """The seeds of resamples, from seeds up to 64 bits."""
    for seed in (0, 0x5BA72026, 2**64 - 1):
        [found] = values([("draws", str(seed), 50, 7)])
        assert found == index_table(seed, 50, 7).ravel().tolist()


def test_order_and_ranks() -> None:
    """Order, ties and marks, halves of the fourth decimal to even among them."""
    source = random.Random(5)
    pool = [0.5, 0.03125, 0.0312, 0.0313, 0.00005, 0.0, 1e-11, 0.99995, 1.0, None]
    lists = [[source.choice(pool) for _ in range(source.randint(0, 8))] for _ in range(300)]
    assert values([("order", scores) for scores in lists]) == [order(scores) for scores in lists]
    ranked = [[scores[at] for at in order(scores)] for scores in lists]
    for marks in (False, True):
        assert values([("ranks", scores, marks) for scores in ranked]) == [
            rank_cells(scores, marks=marks) for scores in ranked
        ]
