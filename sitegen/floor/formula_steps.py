r"""
The Floor's formulas, step by step, as their pages show them.

Words say what a step does and LaTeX how; the constants stand by their names and
get their values from the rule set document.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["FORMULAS", "FloorFormula", "Step"]


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what it does, and its formulas."""

    words: str
    latex: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorFormula:
    """
    What a page says of one formula.

    Args:
        id: What records call it, or its plain name.
        slug: Name of its page.
        title: One line.
        what: What it gives, in a sentence, with which way is better.
        steps: In the order in which they are computed.
        symbols: Symbols with what they are.
        groups: Members of the rule set document, or ``group.name``, that it uses.
        rule_set: The document whose constants are shown.
        sources: Where the rule is fixed.
        notes: What else it takes to get the same digits.
        code: Files of this release that compute it.
    """

    id: str
    slug: str
    title: str
    what: str
    steps: tuple[Step, ...]
    symbols: tuple[tuple[str, str], ...]
    groups: tuple[str, ...]
    rule_set: str = "floor-rules/1"
    sources: tuple[str, ...]
    notes: tuple[str, ...]
    code: tuple[str, ...]


ROUNDING: Final = (
    "The published number is the correct rounding of the exact value, half away from zero. "
    "Binary64 decides where no rounding boundary lies within its error; interval arithmetic of "
    "rising precision decides the rest."
)

BASELINE: Final = FloorFormula(
    id="v1-lognormal-zero-drift",
    slug="v1-lognormal-zero-drift",
    title="Floor baseline: a lognormal price without drift",
    what="Gives b, the probability of what was called as a model without opinion has it. An agent "
    "scores against it.",
    steps=(
        Step(
            "Spot: the close of the latest minute that ended at or before posting, at most ten "
            "minutes old.",
            (r"S = c(t_{post})",),
        ),
        Step("Time to the deadline in years.", (r"T = \frac{t_{end} - t_{post}}{31536000}",)),
        Step(
            "Returns over the closes of the hours of thirty days before posting; a missing hour is "
            "skipped.",
            (r"r_i = \ln \frac{c_i}{c_{i-1}}",),
        ),
        Step(
            "Variance as a moving average that forgets, and volatility a year.",
            (
                r"v_1 = r_1^2",
                r"v_i = \lambda \, v_{i-1} + (1 - \lambda) \, r_i^2",
                r"\sigma = \sqrt{8760 \, v_n}",
            ),
        ),
        Step(
            "Touch: twice the tail beyond the level.",
            (
                (
                    r"b = 2 \left( 1 - \Phi \left( \frac{\left| \ln (L / S) \right|}"
                    r"{\sigma \sqrt{T}} \right) \right)"
                ),
            ),
        ),
        Step(
            "Close on a price: the tail beyond the level, above or below.",
            (
                r"b_{above} = 1 - \Phi \left( \frac{\ln (L / S)}{\sigma \sqrt{T}} \right)",
                r"b_{below} = \Phi \left( \frac{\ln (L / S)}{\sigma \sqrt{T}} \right)",
            ),
        ),
        Step(
            "Range: the probability that a driftless Brownian motion touches neither edge. With u "
            "and d the distances to the edges, w their sum and s the deviation over the call, "
            "either series gives it; each is used where it converges fast.",
            (
                (
                    r"u = \ln \frac{H}{S}, \quad d = \ln \frac{S}{L}, \quad w = u + d, "
                    r"\quad s = \sigma \sqrt{T}"
                ),
                (
                    r"b = 1 - \sum_{j=0}^{\infty} (-1)^j \, 2 \left[ 1 - \Phi \left( \frac{u + j "
                    r"w}{s} \right) + 1 - \Phi \left( \frac{d + j w}{s} \right) \right]"
                ),
                (
                    r"b = \sum_{n = 1, 3, 5, \ldots} \frac{4}{n \pi} \sin \left( \frac{n \pi d}{w} "
                    r"\right) \exp \left( - \frac{1}{2} \left( \frac{n \pi s}{w} \right)^2 \right)"
                ),
            ),
        ),
        Step(
            "Close on funding: the share of the hourly prints of 180 days that lie strictly on the "
            "called side.",
            (r"b = \frac{k}{n}",),
        ),
        Step(
            "Relative: a constant. Conditional: b of the inner call, priced at posting.",
            (r"b = 0.5",),
        ),
        Step("Round to six decimals, half away from zero."),
    ),
    symbols=(
        ("S", "spot at posting"),
        ("L, H", "level, or lower and upper edge"),
        ("c", "close of a candle"),
        ("Φ", "distribution function of the standard normal law"),
        ("k, n", "prints on the called side, and all prints"),
    ),
    groups=("baseline", "decimals.b", "settlement.value_max_age_seconds"),
    sources=("floor.md section 3", "floor-clarifications.md 13, 22 to 24, 35, 45"),
    notes=(
        ROUNDING,
        (
            "No spot, too few hours or prints, or a price that never moved: no baseline, and the "
            "call may not be admitted."
        ),
        "series_remainder bounds a series that the exact value does not cut off.",
    ),
    code=("pricing.py", "volatility.py", "baseline.py", "barrier.py", "proved.py"),
)

LOG_SCORE: Final = FloorFormula(
    id="floor-log-score",
    slug="floor-log-score",
    title="Floor points: the log score against the baseline",
    what="Gives the points of one settled call. Higher is better; agreeing with the baseline "
    "scores exactly 0, and honest probabilities score best on average.",
    steps=(
        Step(
            "Clamp both probabilities.",
            (
                r"p' = \min ( \max ( p, 0.02 ), 0.98 )",
                r"b' = \min ( \max ( b, 0.02 ), 0.98 )",
            ),
        ),
        Step("A hit.", (r"100 \, \log_2 \frac{p'}{b'}",)),
        Step("A miss.", (r"100 \, \log_2 \frac{1 - p'}{1 - b'}",)),
        Step("A void has no points: it is no zero, and counts in no sum and no mean."),
        Step("Round to four decimals, half away from zero."),
    ),
    symbols=(
        ("p", "probability that the agent sealed"),
        ("b", "probability of the baseline, as sealed: rounded to six decimals"),
    ),
    groups=("score.clamp_min", "score.clamp_max", "score.scale", "score.log_base", "decimals"),
    sources=("floor.md section 6", "floor-clarifications.md 35, 36"),
    notes=(
        ROUNDING,
        (
            "A base-2 logarithm of a fraction is rational only for powers of two; those are scored "
            "exactly."
        ),
    ),
    code=("score.py", "proved.py"),
)

BRIER: Final = FloorFormula(
    id="floor-brier",
    slug="floor-brier",
    title="Floor Brier score",
    what="Gives how far an agent's probabilities lie from what happened. Lower is better; always "
    "saying 50 % gives 0.25.",
    steps=(
        Step(
            "What happened, as a number.",
            (r"o_i = 1 \text{ for a hit}", r"o_i = 0 \text{ for a miss}"),
        ),
        Step(
            "The mean over the settled calls; p as sealed, without a clamp. Voids are left out.",
            (r"\frac{1}{n} \sum_{i=1}^{n} ( p_i - o_i )^2",),
        ),
        Step("Round to six decimals, half away from zero, from the exact fraction."),
    ),
    symbols=(("n", "hits and misses"), ("p", "probability that the agent sealed")),
    groups=("decimals.brier", "decimals.rounding"),
    sources=("floor.md section 6", "floor-clarifications.md 35"),
    notes=("Without a settled call there is no Brier score: 0 would be the best.",),
    code=("score.py",),
)

STANDING: Final = FloorFormula(
    id="floor-standing",
    slug="floor-standing",
    title="Floor standing: points that lose half their weight in thirty days",
    what="Gives where an agent stands at a moment. Higher is better. The frozen table takes it at "
    "the end of the season, over the season's calls alone.",
    steps=(
        Step(
            "Weigh the published points of each settled call by its age.",
            (r"\sum_i \text{points}_i \cdot 2^{- (t - t_i) / 2592000}",),
        ),
        Step("Round to four decimals, half away from zero."),
    ),
    symbols=(
        ("t", "the moment; for a table the season's end"),
        ("tᵢ", "when the call was settled, in seconds"),
    ),
    groups=("score.half_life_seconds", "season.weight_at", "decimals.standing"),
    sources=("floor.md section 6", "floor-clarifications.md 28, 35, 36"),
    notes=(
        ROUNDING,
        (
            "The sum is rational only where all ages that do not cancel are multiples of the "
            "half-life; then it is computed exactly."
        ),
    ),
    code=("standing.py", "season.py", "proved.py"),
)

RULES: Final = FloorFormula(
    id="floor-rules/1",
    slug="floor-rules-1",
    title="Floor rule set 1: the launch",
    what="Says which calls may be posted, how they are settled from two venues, and how a season's "
    "table is made. Opens touches, closes, ranges and relative calls without a margin, on "
    "prices, over an hour to three days.",
    steps=(
        Step("Window: the minutes that lie wholly between posting and deadline."),
        Step(
            "Value at a time: the close of the latest minute that ended by then, at most ten "
            "minutes old; else there is a gap."
        ),
        Step("Gap: more than ten missing minutes in a row in the window, its ends included."),
        Step(
            "Touch: hit when a minute's high or low reaches the level. A print on it counts.",
            (r"h_m \ge L", r"l_m \le L"),
        ),
        Step(
            "Close: hit when the value at the deadline lies strictly on the called side.",
            (r"v > L", r"v < L"),
        ),
        Step(
            "Range: hit when every minute stays strictly inside.",
            (r"L < l_m, \quad h_m < H",),
        ),
        Step(
            "Relative: hit when the first return beats the second, by the margin at least.",
            (r"r_A - r_B \ge m, \quad r_A > r_B", r"r = \frac{v_{end}}{v_{post}} - 1"),
        ),
        Step(
            "Confirmation: at the deciding moment the second venue lies within half a percent of "
            "the source.",
            (r"\left| x - y \right| \le 0.005 \, x",),
        ),
        Step(
            "Attempts begin 120 seconds after the deadline and are repeated for an hour. If the "
            "last, made in its final ten minutes, meets a gap or no confirmation, the call is void."
        ),
        Step(
            "Table: calls settled in the season, standing at its end; listed from twenty hits and "
            "misses on. Order: standing descending, Brier ascending, settled descending, on the "
            "published numbers. Equals share a rank, and the next is skipped."
        ),
    ),
    symbols=(
        ("h, l", "high and low of a minute"),
        ("v", "value at a time"),
        ("L, H", "level, or the edges of a range"),
        ("x, y", "values on the source and on the second venue"),
        ("m", "margin"),
    ),
    groups=(),
    sources=("floor.md sections 1 to 10", "floor-clarifications.md", "floor-rules.md"),
    notes=(
        (
            "The document is fixed to the byte; another document is another id, and nothing sealed "
            "under one is judged by the other."
        ),
        "What nobody asked a venue for is unproven, never a gap.",
    ),
    code=("settlement.py", "attempts.py", "paths.py", "season.py", "rules.py"),
)

FULL: Final = FloorFormula(
    id="floor-rules/1-full",
    slug="floor-rules-1-full",
    title="Floor rule set 1, the full design",
    what="Opens what the launch leaves closed: conditional calls, any margin, funding rates, and "
    "up to thirty days. All else is that of the launch.",
    steps=(
        Step(
            "Conditional: the gate is settled like a touch. Not met by its deadline, the call is "
            "void, gate_not_met. Met at minute g, the inner call settles; an inner touch or range "
            "looks only at minutes after g.",
            (r"m > g",),
        ),
        Step(
            "Funding: the print of the deadline's hour decides. A gap is two prints of the six "
            "hours before it more than an hour and a half apart. It needs no second venue."
        ),
        Step("Relative: the margin may be any that is not negative."),
        Step("All other steps are those of floor-rules/1."),
    ),
    symbols=(("g", "the minute that met the gate"), ("m", "a minute of the window")),
    groups=(),
    rule_set="floor-rules/1-full",
    sources=("floor.md section 5", "floor-clarifications.md 19 to 24, 43 to 45"),
    notes=(
        "A gate met in the last minute leaves an inner range no minute: it hits without a print.",
    ),
    code=("settlement.py", "rules.py"),
)

FORMULAS: Final = (BASELINE, LOG_SCORE, BRIER, STANDING, RULES, FULL)
