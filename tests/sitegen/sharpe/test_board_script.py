"""Boards recomputed by ``verify.js`` under Node: the same doubles as in Python, everywhere."""

from __future__ import annotations

import json
import math
import random
import struct
import subprocess
from fractions import Fraction
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from overlays import overlays
from programs import needs_node, path_of
from shared import FIXTURES
from sharpe_vectors import VERSIONS, boards, cases, read

import sitegen
from formulas.sharpe.deflated import deflation_bar, expected_maximum_sharpe
from formulas.sharpe.interval import Bootstrap, interval
from formulas.sharpe.kernel import KernelRefusalError
from formulas.sharpe.kernels import KERNELS
from formulas.sharpe.moments import moments
from formulas.sharpe.normal import cdf, inverse_cdf
from formulas.sharpe.paired import paired_difference
from formulas.sharpe.ranking import order, rank_cells
from formulas.sharpe.row import score_row
from formulas.sharpe.splitmix import index_table
from verifier.bundle import Bundle, open_bundle, overlay

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from formulas.sharpe.kernel import Kernel

pytestmark = needs_node

SCRIPT: Final = Path(sitegen.__file__).parent / "static" / "verify.js"
DRIVER: Final = Path(__file__).parent / "driver.mjs"
FORGERIES: Final = {forgery.name: forgery for forgery in overlays("sharpe-demo")}

# What lies beyond the board and its returns: seeds.json, traces, and what the rules forbid.
UNSEEN: Final = {
    "committed-after-closing": "pass",
    "salt-withheld": "pass",
    "setting-before-its-time": "pass",
}

INTERVAL: Final = ("point", "lo", "hi", "width", "confidence", "n_boot")
PAIR: Final = ("point_diff", "lo", "hi", "p_value", "significant", "verdict")


def ask(questions: Iterable[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Ask for operations of the driver, with their arguments."""
    asked = [json.dumps({"op": name, "args": args}) for name, *args in questions]
    done = subprocess.run(
        [path_of("node"), str(DRIVER), str(SCRIPT)],
        input="".join(f"{line}\n" for line in asked),
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=120,
    )
    answers = [json.loads(line) for line in done.stdout.split("\n")[:-1]]
    assert len(answers) == len(asked), done.stderr
    return answers


def values(questions: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Ask, and demand that every answer is a value."""
    answers = ask(questions)
    assert all("value" in answer for answer in answers), answers
    return [answer["value"] for answer in answers]


def bits(value: float) -> str:
    """The 64 bits of a double in hex."""
    return struct.pack(">d", value).hex()


# Glibc's code for processors without fused multiply-add gives other last bits here.
WITNESSES: Final = {-4.156081: "3f900b7e5157c619", -9.858159: "3f0b6e14b4b8dfe7"}


def exp_is_as_published() -> bool:
    """Whether this machine's exp is the one that the published figures were made with."""
    return all(bits(math.exp(x)) == expected for x, expected in WITNESSES.items())


def settings(alpha: float = 0.05, n_boot: int = 2000, seed: int = 0x5BA72026) -> dict[str, Any]:
    """Settings of a bootstrap as the driver reads them."""
    return {"alpha": alpha, "resamples": n_boot, "seed": str(seed)}


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


@pytest.mark.parametrize("folder", VERSIONS)
def test_primitives(folder: str) -> None:
    """Published moments, probabilities and expected maxima."""
    kernel = VERSIONS[folder].name
    found = read(f"{folder}/primitives.json")
    questions: list[tuple[Any, ...]] = []
    for case in found["psr_cases"]:
        questions += [
            ("moments", kernel, case["returns"]),
            ("psr", kernel, case["returns"], case["sr_benchmark"]),
        ]
    answers = values(questions)
    for case, m, psr in zip(found["psr_cases"], answers[::2], answers[1::2], strict=True):
        published = case["moments"]["result"]
        assert m["sharpe"] == case["sharpe_ratio"]["result"]
        assert [m["count"], m["mean"], m["deviation"], m["skewness"], m["kurtosis"]] == [
            published[name] for name in ("n_obs", "mean", "std_dev", "skew", "kurtosis")
        ]
        assert psr == case["psr"]["result"]
    maxima = [case for case in found["expected_max_sharpe"] if case["trials_sr_std"] >= 0]
    pairs = [[bits(case["trials_sr_std"]), case["n_trials"]] for case in maxima]
    [expected] = values([("expected", pairs)])
    assert expected == [bits(case["result"]) for case in maxima]
    assert [bits(expected_maximum_sharpe(c["trials_sr_std"], c["n_trials"])) for c in maxima] == (
        expected
    )


@pytest.mark.parametrize(("kernel", "board"), boards())
def test_reference_boards(kernel: Kernel, board: dict[str, Any]) -> None:
    """Rows, intervals and pairs of the published tables."""
    declared = board["config"]["n_trials_declared"]
    scored = [row for row in board["rows"] if not isinstance(row["deflated_sharpe"], str)]
    bands = {row["policy"]: row["per_seed_returns"] for row in board["rows"]}
    pairs = board["pairwise_significance_default_n_trials_0"]["result"]
    answers = values(
        [("row", kernel.name, row["per_seed_returns"], declared) for row in board["rows"]]
        + [("interval", kernel.name, bands[row["policy"]], settings(), declared) for row in scored]
        + [
            ("pair", kernel.name, bands[pair["a"]], bands[pair["b"]], settings(), 0)
            for pair in pairs
        ]
    )
    rows, rest = answers[: len(bands)], answers[len(bands) :]
    for row, found in zip(board["rows"], rows, strict=True):
        if row in scored:
            assert found["score"] == row["deflated_sharpe"]
            assert found["rate"] == row["passed_k_rate"]
        else:
            assert found["score"] is found["rate"] is None
            assert found["status"] == row["deflated_sharpe"]
        assert found["mean"] == row["mean_return"]
    for row, found in zip(scored, rest[: len(scored)], strict=True):
        published = row["deflated_sharpe_ci"]
        assert {name: found[name] for name in ("point", "lo", "hi", "width")} == {
            name: published[name] for name in ("point", "lo", "hi", "width")
        }
    for pair, found in zip(pairs, rest[len(scored) :], strict=True):
        assert {name: found[name] for name in PAIR} == {name: pair[name] for name in PAIR}


def recorded(file: str, kind: str) -> list[tuple[Kernel, dict[str, Any]]]:
    """Recorded calls that a board could have been made with."""
    found = []
    for parameter in cases(file, kind):
        kernel, case = parameter.values
        if not case:
            continue
        series = [case.get("per_seed_returns"), case.get("a_per_seed_returns")]
        series.append(case.get("b_per_seed_returns"))
        numbers = [x for band in series if band for values_ in band for x in values_]
        args = case["args"]
        sensible = 0 < args["alpha"] < 1 and args["n_trials"] >= 0 and args["resample_seed"] >= 0
        if sensible and args["n_boot"] >= 0 and all(math.isfinite(x) for x in numbers):
            found.append((kernel, case))
    return found


def of_args(args: dict[str, Any]) -> tuple[dict[str, Any], Bootstrap]:
    """Settings of a recorded call, for the driver and for Python."""
    kept = {name: args[name] for name in ("alpha", "n_boot", "resample_seed")}
    return (
        settings(args["alpha"], args["n_boot"], args["resample_seed"]),
        Bootstrap(trials=args["n_trials"], **kept),
    )


@pytest.mark.parametrize("file", ["bootstrap_cases.json", "degenerate.json"])
def test_recorded_intervals(file: str) -> None:
    """Intervals and refusals under other settings, of odd bands too."""
    found = [
        (kernel, case)
        for kernel, case in recorded(file, "deflated_sharpe_ci")
        if case["args"].get("periods_per_year", 252) == 252
    ]
    assert len(found) > 10
    questions = [
        (
            "interval",
            kernel.name,
            case["per_seed_returns"],
            of_args(case["args"])[0],
            case["args"]["n_trials"],
        )
        for kernel, case in found
        if case["args"]["n_trials"] <= 26_000
    ]
    taken = [(k, c) for k, c in found if c["args"]["n_trials"] <= 26_000]
    for (kernel, case), answer in zip(taken, values(questions), strict=True):
        try:
            expected = interval(kernel, case["per_seed_returns"], of_args(case["args"])[1])
        except KernelRefusalError:
            assert answer is None
        else:
            assert answer == {name: getattr(expected, name) for name in INTERVAL}


@pytest.mark.parametrize("file", ["bootstrap_cases.json", "degenerate.json"])
def test_recorded_pairs(file: str) -> None:
    """Paired tests and refusals under other settings, of odd bands too."""
    found = [
        (kernel, case)
        for kernel, case in recorded(file, "paired_dsr_diff")
        if case["args"].get("periods_per_year", 252) == 252
    ]
    assert found
    questions = [
        (
            "pair",
            kernel.name,
            case["a_per_seed_returns"],
            case["b_per_seed_returns"],
            of_args(case["args"])[0],
            case["args"]["n_trials"],
        )
        for kernel, case in found
    ]
    for (kernel, case), answer in zip(found, values(questions), strict=True):
        bands = (case["a_per_seed_returns"], case["b_per_seed_returns"])
        try:
            expected = paired_difference(kernel, *bands, of_args(case["args"])[1])
        except KernelRefusalError:
            assert answer is None
        else:
            assert answer == {name: getattr(expected, name) for name in PAIR}


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


@pytest.fixture(scope="module")
def demo() -> Iterator[Bundle]:
    """Open the demo bundle once."""
    with open_bundle(FIXTURES / "sharpe-demo") as bundle:
        yield bundle


def payload(bundle: Bundle, board: str) -> dict[str, Any]:
    """What the page of a board carries, and the gap files of all of its entries."""
    data = bundle.read(f"sharpe/boards/{board}.json")

    def files(what: str) -> dict[str, str]:
        folder = f"sharpe/{what}/{board}/"
        paths = (path for path in bundle.paths if path.startswith(folder))
        return {path: bundle.read(path).decode() for path in paths}

    return {
        "kind": "board",
        "board": data.decode(),
        "sha256": sha256(data).hexdigest(),
        "returns": files("returns"),
        "gaps": files("gaps"),
    }


@cache
def honest(bundle: Bundle) -> dict[str, dict[str, Any]]:
    """Reports on every board of a bundle."""
    names = [path[14:-5] for path in bundle.paths if path.startswith("sharpe/boards/")]
    answers = values([("verify", json.dumps(payload(bundle, name))) for name in names])
    return dict(zip(names, answers, strict=True))


def test_every_fixture_number(demo: Bundle) -> None:
    """Each figure, interval, pair and gap of the seven boards agrees with the published double."""
    reports = honest(demo)
    assert len(reports) == 7
    for report in reports.values():
        assert report["verdict"] == "pass"
        said = {check["what"]: check["value"] for check in report["checks"]}
        rows = int(said["SHA-256 of the returns"].split()[0])
        assert said["deflated Sharpe, status, pass^k and mean return"] == (
            f"{4 * rows} of {4 * rows} equal"
        )
        assert said["bootstrap intervals"] == f"{6 * rows} of {6 * rows} equal"
        assert "gaps, and both of their sides" in said
        assert "the gates of process, bootstrap p, drawdown and kernel" in report["unchecked"]


@cache
def forged(demo: Bundle) -> dict[str, list[dict[str, Any]]]:
    """Reports on the boards that each forgery touches."""
    asked: list[tuple[str, dict[str, Any]]] = []
    for name, forgery in FORGERIES.items():
        bundle = overlay(demo, forgery.changes(demo), relist=True)
        touched = [*forgery.edits, *forgery.files, *forgery.remove]
        found = {
            "calm-sealed" if path.count("/") == 1 else path.split("/")[2].removesuffix(".json")
            for path in touched
        }
        asked += [(name, payload(bundle, board)) for board in sorted(found)]
    reports: dict[str, list[dict[str, Any]]] = {name: [] for name in FORGERIES}
    answers = values([("verify", json.dumps(brought)) for _, brought in asked])
    for (name, _), report in zip(asked, answers, strict=True):
        reports[name].append(report)
    return reports


@pytest.mark.parametrize("name", sorted(FORGERIES))
def test_forgeries(demo: Bundle, name: str) -> None:
    """The browser finds what follows from a board and its returns, and nothing else wrong."""
    verdicts = {report["verdict"] for report in forged(demo)[name]}
    expected = UNSEEN.get(name, FORGERIES[name].verdict)
    assert expected in verdicts
    assert verdicts <= {"pass", expected}


def test_one_digit(demo: Bundle) -> None:
    """A digit altered in the page's data is named, with both values."""
    brought = payload(demo, "calm-new")
    brought["board"] = brought["board"].replace('"p_value":0.006', '"p_value":0.007')
    [report] = values([("verify", json.dumps(brought))])
    failed = {check["what"]: check for check in report["checks"] if check["verdict"] == "fail"}
    assert set(failed) == {
        "SHA-256 of the board",
        "paired tests: equal_weight_long against min_variance, p_value",
    }
    pair = failed["paired tests: equal_weight_long against min_variance, p_value"]
    assert (pair["published"], pair["recomputed"]) == ("0.007", "0.006")


def test_an_altered_return(demo: Bundle) -> None:
    """A return with one other digit changes its hash and the figures that rest on it."""
    brought = payload(demo, "hard-new")
    path = "sharpe/returns/hard-new/momentum.json"
    text = brought["returns"][path]
    at = text.index("0.00") + 5
    brought["returns"][path] = f"{text[:at]}{(int(text[at]) + 1) % 9 + 1}{text[at + 1 :]}"
    [report] = values([("verify", json.dumps(brought))])
    failed = [check["what"] for check in report["checks"] if check["verdict"] == "fail"]
    assert "SHA-256 of the returns: momentum" in failed
    assert any("momentum, mean_return" in what for what in failed)


CHANGES: Final = [
    ('"sharpearena/0.31.0"', '"sharpearena/0.30.0"', "unproven"),
    ('"kernel":"0.28.0"', '"kernel":"0.5.0"', "fail"),
    ('"trials":6', '"trials":4000000', "unproven"),
    ('"n_boot":2000,"periods', '"n_boot":90000000,"periods', "unproven"),
    ('"rank":"1"', '"rank":"2"', "fail"),
    ('"rows":[', '"rows":["x",', "fail"),
    ('"n_days":120', '"n_days":119', "fail"),
]


def test_boards_that_cannot_be_judged(demo: Bundle) -> None:
    """What is not known is unproven, what is malformed or another fails, and nothing is thrown."""
    honest_ = payload(demo, "calm-new")
    asked = []
    for old, new, _ in CHANGES:
        assert old in honest_["board"]
        text = honest_["board"].replace(old, new, 1)
        brought = {**honest_, "board": text, "sha256": sha256(text.encode()).hexdigest()}
        asked.append(("verify", json.dumps(brought)))
    reports = values(asked)
    assert [report["verdict"] for report in reports] == [verdict for _, _, verdict in CHANGES]
