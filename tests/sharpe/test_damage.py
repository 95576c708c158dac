"""
Every step of the published procedure notices what it is there for.

The base is a small arena that passes. Each case damages it as a publisher could, with
all hashes redone, and names the verdict and the step that must report it.
"""

from __future__ import annotations

import math
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import pytest
from sharpe_publisher import (
    DAYS,
    PUBLIC,
    SALT,
    published,
    rehash,
    row_of,
    written,
)
from small_bundle import write_tree

from verifier.bundle import Bundle, open_bundle, overlay
from verifier.errors import EvidenceError
from verifier.findings import Finding, Verdict
from verifier.policy import Policy, SharpePolicy
from verifier.sharpe.checks.catalogue import CHECKS
from verifier.sharpe.family import SHARPE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Files = dict[str, Any]

CASES: Final[list[Any]] = []


def case(verdict: str, step: int, *values: Any) -> Callable[[Any], Any]:
    """Add a damage, once for each of the values that it takes."""

    def add(damage: Any) -> Any:
        name = damage.__name__.strip("_").replace("_", "-")
        for value in values or ((),):
            with_value = (lambda files, v=value: damage(files, v)) if values else damage
            label = f"{name}-{value}" if values else name
            CASES.append(pytest.param(with_value, verdict, step, id=label))
        return damage

    return add


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundle]:
    """Write and open the small arena once."""
    with open_bundle(write_tree(tmp_path_factory.mktemp("a") / "b", written(published()))) as found:
        yield found


def check(bundle: Bundle, policy: Policy | None = None) -> list[Finding]:
    """All findings of the family."""
    context = SHARPE.load(bundle, policy or Policy())
    return [
        finding
        for item in SHARPE.items(context)
        for finding in SHARPE.check(context, item).findings
    ]


def verdict_of(findings: list[Finding]) -> str:
    """The verdict of a whole bundle with such findings."""
    found = {finding.verdict for finding in findings}
    worst = (Verdict.FAIL, Verdict.UNPROVEN, Verdict.PASS)
    return next(verdict for verdict in worst if verdict in found).value


def damaged(base: Bundle, damage: Callable[[Files], object]) -> Bundle:
    """The arena after a damage, its hash list redone."""
    before, after = unharmed(), published()
    damage(after)
    changes: dict[str, bytes | None] = dict.fromkeys(before.keys() - after.keys())
    different = {path: value for path, value in after.items() if before.get(path) != value}
    changes |= written(different)
    del changes["SHA256SUMS"]
    return overlay(base, changes, relist=True)


@cache
def unharmed() -> Files:
    """The arena as it is, to compare with."""
    return published()


def board(files: Files, name: str = "new") -> Any:
    """One of the three boards."""
    return files[f"sharpe/boards/{name}.json"]


def test_the_small_arena_passes(base: Bundle) -> None:
    """Nothing fails, nothing is unproven, and every check has something to say."""
    findings = check(base)
    assert verdict_of(findings) == "pass"
    assert {finding.check for finding in findings} == {info.id for info in CHECKS}


# Step 1


@case("unproven", 1)
def unknown_release(files: Files) -> None:
    """Unknown release."""
    board(files)["protocol"] = "sharpearena/0.25.0"


@case("unproven", 1)
def another_protocol(files: Files) -> None:
    """Another protocol."""
    board(files)["protocol"] = "otherarena/0.31.0"


@case("fail", 1, "0.28.0", "0.27.0")
def kernel_of_another_release(files: Files, name: str) -> None:
    """Kernel of another release."""
    board(files, "old")["kernel"] = name


@case("fail", 1, ("tier", "hard"), ("tier", "easy"), ("env_id", "SharpeArena/Calm-v2"))
def tier_and_environment(files: Files, change: tuple[str, str]) -> None:
    """Tier and environment."""
    board(files)[change[0]] = change[1]


@case("fail", 1, ("violations", 1), ("mode", "lax"))
def leakage(files: Files, change: tuple[str, Any]) -> None:
    """Leakage."""
    board(files)["leakage"][change[0]] = change[1]


@case("fail", 1, ("vol_clustering", 0.5), ("impact_exponent", 0.5))
def setting_before_its_time(files: Files, change: tuple[str, Any]) -> None:
    """Setting before its time."""
    board(files, "old")["settings"][change[0]] = change[1]


@case("fail", 1, 0, -1)
def impact_not_positive(files: Files, value: float) -> None:
    """Impact not positive."""
    board(files)["settings"]["impact_exponent"] = value


@case("fail", 1)
def sealed_before_its_time(files: Files) -> None:
    """Sealed before its time."""
    board(files, "sealed")["protocol"] = "sharpearena/0.11.1"
    board(files, "sealed")["kernel"] = "0.5.0"


@case("fail", 1, 0, 1, 1.5, -0.1)
def alpha_out_of_range(files: Files, value: float) -> None:
    """Alpha out of range."""
    board(files)["scoring"]["alpha"] = value


@case("fail", 1)
def too_many_trials(files: Files) -> None:
    """Too many trials."""
    board(files)["scoring"]["trials"] = 2**32


# Step 2


@case("fail", 2)
def seed_twice(files: Files) -> None:
    """Seed twice."""
    board(files)["seeds"]["list"][1] = 0


@case("fail", 2)
def seeds_of_both_bands(files: Files) -> None:
    """Seeds of both bands."""
    board(files)["seeds"]["list"][3] = PUBLIC.test[0]


@case("fail", 2)
def seeds_between_the_bands(files: Files) -> None:
    """Seeds between the bands."""
    board(files)["seeds"]["list"][3] = PUBLIC.train.stop


@case("fail", 2)
def seed_dropped(files: Files) -> None:
    """Seed dropped."""
    del board(files)["seeds"]["list"][3]


@case("fail", 2)
def seeds_in_another_order(files: Files) -> None:
    """Seeds in another order."""
    board(files)["seeds"]["list"].reverse()


@case("fail", 2)
def public_seeds_as_texts(files: Files) -> None:
    """Public seeds as texts."""
    found = files["sharpe/returns/new/mine.json"]
    found["seeds"] = [str(seed) for seed in found["seeds"]]
    rehash(files)


def commitment_of(files: Files) -> Any:
    """The one commitment."""
    return files["sharpe/seeds.json"]["commitments"][0]


@case(
    "fail", 2, "2026-11-09T12:00:00Z", "2026-11-10T00:00:00Z", "2026-11-02", "2026-11-31T00:00:00Z"
)
def published_too_late_or_never(files: Files, when: str) -> None:
    """Published too late or never."""
    commitment_of(files)["published_at"] = when


@case("fail", 2)
def closes_after_the_evidence(files: Files) -> None:
    """Closes after the evidence."""
    commitment_of(files)["closed_at"] = "2026-11-20T00:00:01Z"


@case("unproven", 2)
def salt_withheld(files: Files) -> None:
    """Salt withheld."""
    commitment_of(files)["salt"] = None


@case("fail", 2, "00" * 24, "zz" * 16, SALT.hex().upper(), "00" * 15, "0" * 33, "")
def another_salt(files: Files, salt: str) -> None:
    """Another salt."""
    commitment_of(files)["salt"] = salt


@case("fail", 2, "ab" * 32, "AB" * 32, "ab")
def another_commitment(files: Files, text: str) -> None:
    """Another commitment."""
    commitment_of(files)["commitment"] = text


@case("fail", 2)
def another_count(files: Files) -> None:
    """Another count."""
    commitment_of(files)["count"] = 5


@case("fail", 2)
def enormous_count(files: Files) -> None:
    """Enormous count."""
    commitment_of(files)["count"] = board(files, "sealed")["seeds"]["count"] = 2**50


@case("fail", 2, "sealed", "new", "nobody")
def further_commitment(files: Files, name: str) -> None:
    """Further commitment."""
    files["sharpe/seeds.json"]["commitments"].append(
        commitment_of(files) | {"board": name, "commitment": "cd" * 32}
    )


@case("fail", 2)
def commitment_twice(files: Files) -> None:
    """Commitment twice."""
    files["sharpe/seeds.json"]["commitments"].append(dict(commitment_of(files)))


@case("unproven", 2)
def no_commitment(files: Files) -> None:
    """No commitment."""
    files["sharpe/seeds.json"]["commitments"] = []


@case("unproven", 2)
def no_seeds_file(files: Files) -> None:
    """No seeds file."""
    del files["sharpe/seeds.json"]


@case("fail", 2, "bands", "commitments")
def seeds_file_without_a_member(files: Files, name: str) -> None:
    """Seeds file without a member."""
    del files["sharpe/seeds.json"][name]


@case("fail", 2)
def sealed_seeds_from_the_public_band(files: Files) -> None:
    """Sealed seeds from the public band."""
    for path, value in files.items():
        if path.startswith("sharpe/returns/sealed/"):
            value["seeds"] = ["0", "1", "2", "3"]
    rehash(files)


@case("fail", 2)
def sealed_seeds_of_another_salt(files: Files) -> None:
    """Sealed seeds of another salt."""
    for path, value in files.items():
        if path.startswith("sharpe/returns/sealed/"):
            value["seeds"] = [str(int(seed) + 1) for seed in value["seeds"]]
    rehash(files)


# Step 3


@case("fail", 3)
def returns_of_another_policy(files: Files) -> None:
    """Returns of another policy."""
    files["sharpe/returns/new/mine.json"] = files["sharpe/returns/new/equal_weight_long.json"]
    rehash(files)


@case("fail", 3)
def another_hash(files: Files) -> None:
    """Another hash."""
    row_of(files, "new", "mine")["returns"] = "00" * 32


@case("unproven", 3)
def returns_left_out(files: Files) -> None:
    """Returns left out."""
    # The row has no score, so no pair rests on it.
    del files["sharpe/returns/new/flat.json"]


@case("fail", 3, None, "0.1", True, [0.1])
def a_return_that_is_no_number(files: Files, value: Any) -> None:
    """A return that is no number."""
    files["sharpe/returns/new/mine.json"]["returns"][2][3] = value
    rehash(files)


@case("fail", 3)
def a_bar_too_few(files: Files) -> None:
    """A bar too few."""
    files["sharpe/returns/new/mine.json"]["returns"][1].pop()
    rehash(files)


@case("fail", 3)
def a_series_too_few(files: Files) -> None:
    """A series too few."""
    files["sharpe/returns/new/mine.json"]["returns"].pop()
    rehash(files)


@case("fail", 3)
def a_seed_and_its_series_too_few(files: Files) -> None:
    """A seed and its series too few."""
    files["sharpe/returns/new/mine.json"]["returns"].pop()
    files["sharpe/returns/new/mine.json"]["seeds"].pop()
    rehash(files)


@case("fail", 3)
def board_of_another_name(files: Files) -> None:
    """Board of another name."""
    board(files)["board"] = "newer"


@case("fail", 3)
def policy_twice(files: Files) -> None:
    """Policy twice."""
    board(files)["rows"].append(board(files)["rows"][-1])


@case("fail", 9, "returns/new/nobody", "traces/new/nobody", "gaps/new/mine", "gaps/none/x-transfer")
def file_of_no_row(files: Files, path: str) -> None:
    """File of no row."""
    files[f"sharpe/{path}.json"] = {}


@case("fail", 3)
def reference_policy_differs_between_boards(files: Files) -> None:
    """Reference policy differs between boards."""
    # A second board of the same release in the same world, with one bar changed.
    files["sharpe/returns/sealed/momentum.json"]["seeds"][0] = "0"
    files["sharpe/returns/sealed/momentum.json"]["returns"][0][0] = 0.5
    rehash(files)


@case("fail", 3)
def stateless_policy_differs_in_its_gap(files: Files) -> None:
    """Stateless policy differs in its gap."""
    side = files["sharpe/gaps/new/equal_weight_long-generalization.json"]["sides"][0]
    side["returns"][0][0] += 0.001


# Step 4


@case("fail", 4, "deflated_sharpe", "pass_k_rate", "mean_return")
def one_unit_in_the_last_place(files: Files, name: str) -> None:
    """One unit in the last place."""
    row = row_of(files, "new", "mine")
    row[name] = math.nextafter(row[name], 0.5)


@case("fail", 4, "point", "lo", "hi", "width", "confidence")
def interval_one_unit_off(files: Files, name: str) -> None:
    """Interval one unit off."""
    found = row_of(files, "old", "mine")["interval"]
    found[name] = math.nextafter(found[name], 0.5)


@case("fail", 4)
def interval_of_other_resamples(files: Files) -> None:
    """Interval of other resamples."""
    board(files)["scoring"]["resample_seed"] = str(2**63 + 7)


@case("fail", 4)
def interval_of_another_alpha(files: Files) -> None:
    """Interval of another alpha."""
    board(files)["scoring"]["alpha"] = 0.05


@case("fail", 4)
def interval_of_fewer_resamples(files: Files) -> None:
    """Interval of fewer resamples."""
    row_of(files, "new", "mine")["interval"]["n_boot"] = 59


@case("fail", 4)
def trials_not_declared(files: Files) -> None:
    """Trials not declared."""
    board(files)["scoring"]["trials"] = 0


@case("fail", 4)
def interval_left_out(files: Files) -> None:
    """Interval left out."""
    row_of(files, "new", "mine")["interval"] = None


@case("fail", 4)
def interval_of_a_refused_row(files: Files) -> None:
    """Interval of a refused row."""
    row_of(files, "new", "flat")["interval"] = row_of(files, "new", "mine")["interval"]


@case("fail", 4)
def refused_row_with_a_score(files: Files) -> None:
    """Refused row with a score."""
    row_of(files, "new", "flat")["deflated_sharpe"] = 0


@case("fail", 4, "scored", "unavailable", "")
def another_status(files: Files, text: str) -> None:
    """Another status."""
    row_of(files, "new", "flat")["status"] = text


@case("fail", 4)
def score_of_a_good_row_withheld(files: Files) -> None:
    """Score of a good row withheld."""
    row_of(files, "new", "mine")["deflated_sharpe"] = None


@case("fail", 4)
def series_exchanged(files: Files) -> None:
    """Series exchanged."""
    returns = files["sharpe/returns/new/mine.json"]["returns"]
    returns[0], returns[1] = returns[1], returns[0]
    rehash(files)


@case("unproven", 4)
def more_resamples_than_any_machine_has(files: Files) -> None:
    """More resamples than any machine has."""
    board(files)["scoring"]["n_boot"] = 2**50


# Step 5


@case("fail", 5)
def ranks_swapped(files: Files) -> None:
    """Ranks swapped."""
    rows = board(files)["rows"]
    rows[0]["rank"], rows[1]["rank"] = rows[1]["rank"], rows[0]["rank"]


@case("fail", 5)
def tie_mark_dropped(files: Files) -> None:
    """Tie mark dropped."""
    row_of(files, "new", "momentum")["rank"] = "3"


@case("fail", 5)
def tie_mark_before_its_time(files: Files) -> None:
    """Tie mark before its time."""
    row_of(files, "old", "momentum")["rank"] = "4="


@case("fail", 5)
def rows_in_another_order(files: Files) -> None:
    """Rows in another order."""
    rows = board(files)["rows"]
    rows[0], rows[1] = rows[1], rows[0]
    rows[0]["rank"], rows[1]["rank"] = "1", "2"


@case("fail", 5)
def tied_policies_in_another_order(files: Files) -> None:
    """Tied policies in another order."""
    rows = board(files)["rows"]
    rows[2], rows[3] = rows[3], rows[2]


@case("fail", 5)
def unscored_row_first(files: Files) -> None:
    """Unscored row first."""
    rows = board(files)["rows"]
    rows.insert(0, rows.pop())


# Step 6


@case("fail", 6)
def eligible_after_all(files: Files) -> None:
    """Eligible after all."""
    row = row_of(files, "new", "mine")
    row["eligible"], row["reasons"] = True, []


@case("fail", 6)
def not_eligible_after_all(files: Files) -> None:
    """Not eligible after all."""
    row_of(files, "new", "equal_weight_long")["eligible"] = False


@case("fail", 6, [], ["pass_k"], ["process", "pass_k"], ["pass_k", "process", "drawdown"])
def other_reasons(files: Files, reasons: list[str]) -> None:
    """Other reasons."""
    row_of(files, "new", "mine")["reasons"] = reasons


@case("unproven", 6)
def not_judged(files: Files) -> None:
    """Not judged."""
    row = row_of(files, "new", "mine")
    row["eligible"], row["reasons"] = None, []


@case("fail", 6)
def not_judged_with_reasons(files: Files) -> None:
    """Not judged with reasons."""
    row_of(files, "new", "mine")["eligible"] = None


@case("unproven", 6, "mine", "equal_weight_long", "flat")
def traces_left_out(files: Files, policy: str) -> None:
    """Traces left out."""
    del files[f"sharpe/traces/new/{policy}.json"]


@case("fail", 6, ["process"], [])
def reasons_without_traces(files: Files, reasons: list[str]) -> None:
    """Reasons without traces."""
    del files["sharpe/traces/new/mine.json"]
    row_of(files, "new", "mine")["reasons"] = reasons


@case("fail", 6)
def eligible_without_traces(files: Files) -> None:
    """Eligible without traces."""
    del files["sharpe/traces/new/mine.json"]
    row_of(files, "new", "mine")["eligible"] = True


@case("fail", 6)
def refused_without_reason_nor_traces(files: Files) -> None:
    """Refused without reason nor traces."""
    del files["sharpe/traces/new/equal_weight_long.json"]
    row_of(files, "new", "equal_weight_long")["eligible"] = False


@case("fail", 6, "equal_weight_long")
def block_left_out(files: Files, policy: str) -> None:
    """Block left out."""
    files[f"sharpe/traces/new/{policy}.json"]["events"][0] = [{"kind": "denylist_bypass"}]


@case(
    "fail",
    6,
    {"kind": "order_placed"},
    {"kind": "drawdown_halt", "respected": "no"},
    {"kind": "unheard_of"},
    {},
    "event",
)
def event_that_cannot_be_judged(files: Files, event: Any) -> None:
    """Event that cannot be judged."""
    files["sharpe/traces/new/flat.json"]["events"][0] = [event]


@case("fail", 6)
def traces_of_fewer_runs(files: Files) -> None:
    """Traces of fewer runs."""
    files["sharpe/traces/new/flat.json"]["events"].pop()


@case("fail", 6)
def traces_of_another_policy(files: Files) -> None:
    """Traces of another policy."""
    files["sharpe/traces/new/flat.json"]["policy"] = "mine"


@case("fail", 6)
def traces_that_are_no_list(files: Files) -> None:
    """Traces that are no list."""
    files["sharpe/traces/new/flat.json"]["events"][0] = {}


# Step 7


@case("fail", 7, "point_diff", "lo", "hi", "p_value")
def pair_one_unit_off(files: Files, name: str) -> None:
    """Pair one unit off."""
    pair = board(files)["pairs"][0]
    pair[name] = math.nextafter(pair[name], 0.5)


@case("fail", 7)
def pair_of_the_boards_trials(files: Files) -> None:
    """Pair of the boards trials."""
    board(files)["pairs_trials"] = 3


@case("fail", 7)
def significance_flipped(files: Files) -> None:
    """Significance flipped."""
    board(files)["pairs"][2] |= {"significant": True, "verdict": "a_better"}


@case("fail", 7, 0, 1, 2)
def pair_left_out(files: Files, index: int) -> None:
    """Pair left out."""
    del board(files)["pairs"][index]


@case("fail", 7)
def pair_twice(files: Files) -> None:
    """Pair twice."""
    board(files)["pairs"].append(board(files)["pairs"][0])


@case("fail", 7)
def pair_turned_round(files: Files) -> None:
    """Pair turned round."""
    pair = board(files)["pairs"][0]
    pair["a"], pair["b"] = pair["b"], pair["a"]


@case("fail", 7)
def pair_with_series_that_cannot_be_read(files: Files) -> None:
    """Pair with series that cannot be read."""
    files["sharpe/returns/old/max_sharpe.json"]["returns"][0][0] = None
    rehash(files)


@case("unproven", 7)
def pair_with_series_that_are_not_there(files: Files) -> None:
    """Pair with series that are not there: nothing shows it, and nothing refutes it."""
    del files["sharpe/returns/old/max_sharpe.json"]


@case("fail", 7)
def pairs_of_a_release_that_gives_none(files: Files) -> None:
    """Pairs of a release that gives none."""
    # One seed: the paired call refuses, and with it the whole table.
    for path, value in files.items():
        if path.startswith("sharpe/returns/new/"):
            del value["returns"][1:], value["seeds"][1:]
    del board(files)["seeds"]["list"][1:]
    rehash(files)


@case(
    "fail",
    7,
    ("mine", "equal_weight_long"),
    ("momentum", "max_sharpe"),
    ("equal_weight_long", "momentum"),
    ("mine", "mine"),
    ("mine", "flat"),
    ("me", "you"),
)
def claim_without_a_verdict(files: Files, entries: tuple[str, str]) -> None:
    """Claim without a verdict."""
    board(files)["claims"].append({"better": entries[0], "worse": entries[1]})


# Step 8


@case("fail", 8, "gap", "train", "test")
def gap_one_unit_off(files: Files, name: str) -> None:
    """Gap one unit off."""
    found = row_of(files, "new", "mine")["gap"]
    found[name] = math.nextafter(found[name], 0.5)


@case("fail", 8)
def gap_turned_round(files: Files) -> None:
    """Gap turned round."""
    files["sharpe/gaps/new/mine-generalization.json"]["sides"].reverse()


@case("unproven", 8)
def gap_left_out(files: Files) -> None:
    """Gap left out."""
    row_of(files, "new", "mine")["gap"] = None
    del files["sharpe/gaps/new/mine-generalization.json"]


@case("unproven", 8)
def gap_file_left_out(files: Files) -> None:
    """Gap file left out."""
    del files["sharpe/gaps/new/mine-generalization.json"]


@case("fail", 8)
def gap_on_a_part_of_the_band(files: Files) -> None:
    """Gap on a part of the band."""
    side = files["sharpe/gaps/new/mine-generalization.json"]["sides"][1]
    side["returns"].pop()
    side["seeds"].pop()


@case("fail", 8)
def gap_on_another_tier(files: Files) -> None:
    """Gap on another tier."""
    files["sharpe/gaps/new/mine-generalization.json"]["sides"][1]["tier"] = "hard"


@case("fail", 8)
def gap_with_three_sides(files: Files) -> None:
    """Gap with three sides."""
    sides = files["sharpe/gaps/new/mine-generalization.json"]["sides"]
    sides.append(sides[0])


@case("fail", 3)
def gap_with_a_short_series(files: Files) -> None:
    """Gap with a short series."""
    files["sharpe/gaps/new/mine-generalization.json"]["sides"][0]["returns"][2].pop()


@case("fail", 8, ("policy", "flat"), ("what", "transfer"), ("sides", {}))
def gap_file_of_something_else(files: Files, change: tuple[str, Any]) -> None:
    """Gap file of something else."""
    files["sharpe/gaps/new/mine-generalization.json"][change[0]] = change[1]


@case("fail", 8, None, "1")
def gap_return_that_is_no_number(files: Files, value: Any) -> None:
    """Gap return that is no number."""
    files["sharpe/gaps/new/mine-generalization.json"]["sides"][0]["returns"][1][DAYS - 1] = value


@case("fail", 8)
def refused_gap_with_a_number(files: Files) -> None:
    """Refused gap with a number."""
    row_of(files, "new", "flat")["gap"]["gap"] = 0


@case("fail", 8, "gap", "in", "out")
def transfer_one_unit_off(files: Files, name: str) -> None:
    """Transfer one unit off."""
    found = row_of(files, "new", "mine")["transfers"][1]
    found[name] = math.nextafter(found[name], 0.5)


@case("unproven", 8)
def transfer_file_left_out(files: Files) -> None:
    """Transfer file left out."""
    del files["sharpe/gaps/new/mine-transfer.json"]


@case("fail", 8)
def transfer_not_listed(files: Files) -> None:
    """Transfer not listed."""
    row_of(files, "new", "mine")["transfers"].pop()


@case("fail", 8)
def transfers_not_listed(files: Files) -> None:
    """Transfers not listed."""
    row_of(files, "new", "mine")["transfers"] = []


@case("fail", 8, "extreme", "nowhere")
def transfer_to_another_tier(files: Files, tier: str) -> None:
    """Transfer to another tier."""
    row_of(files, "new", "mine")["transfers"][1]["to"] = tier


@case("fail", 8)
def transfer_on_other_seeds(files: Files) -> None:
    """Transfer on other seeds."""
    files["sharpe/gaps/new/mine-transfer.json"]["sides"][2]["seeds"].reverse()


@case("fail", 8)
def transfer_outside_the_bands(files: Files) -> None:
    """Transfer outside the bands."""
    for side in files["sharpe/gaps/new/mine-transfer.json"]["sides"]:
        side["seeds"] = [5, 6, 7, 8]


@case("fail", 8)
def transfer_from_another_tier(files: Files) -> None:
    """Transfer from another tier."""
    files["sharpe/gaps/new/mine-transfer.json"]["sides"][0]["tier"] = "extreme"


@case("fail", 8)
def stateless_policy_with_a_gap_to_itself(files: Files) -> None:
    """Stateless policy with a gap to itself."""
    side = files["sharpe/gaps/new/equal_weight_long-transfer.json"]["sides"][1]
    side["returns"].reverse()


# Step 9

BOARD_MEMBERS: Final = sorted(published()["sharpe/boards/new.json"])
ROW_MEMBERS: Final = sorted(published()["sharpe/boards/new.json"]["rows"][0])


@case("fail", 9, *BOARD_MEMBERS)
def board_without_a_member(files: Files, name: str) -> None:
    """Board without a member."""
    del board(files)[name]


@case("fail", 9, *ROW_MEMBERS)
def row_without_a_member(files: Files, name: str) -> None:
    """Row without a member."""
    del board(files)["rows"][0][name]


@case("fail", 9, *sorted(published()["sharpe/boards/new.json"]["settings"]))
def setting_left_out(files: Files, name: str) -> None:
    """Setting left out."""
    del board(files)["settings"][name]


@case("fail", 9)
def member_too_many(files: Files) -> None:
    """Member too many."""
    board(files)["note"] = "hello"


@case(
    "fail",
    9,
    ("trials", -1),
    ("trials", 1.5),
    ("trials", "6"),
    ("n_boot", -1),
    ("resample_seed", -1),
    ("resample_seed", "7"),
    ("resample_seed", str(2**64)),
    ("resample_seed", "0" + str(2**60)),
    ("alpha", "0.05"),
    ("alpha", None),
)
def scoring_of_another_type(files: Files, change: tuple[str, Any]) -> None:
    """Scoring of another type."""
    board(files)["scoring"][change[0]] = change[1]


@case(
    "fail",
    9,
    ("seeds", {"kind": "secret"}),
    ("seeds", {"kind": "public", "list": ["0"]}),
    ("seeds", {"kind": "public", "list": [-1]}),
    ("seeds", {"kind": "sealed", "list": []}),
    ("rows", {}),
    ("rows", [[]]),
    ("pairs", [{}]),
    ("claims", [{"better": "x"}]),
    ("costs", {}),
    ("leakage", "none"),
)
def member_of_another_shape(files: Files, change: tuple[str, Any]) -> None:
    """Member of another shape."""
    board(files)[change[0]] = change[1]


@case(
    "fail",
    9,
    "boards/new",
    "returns/new/mine",
    "traces/new/mine",
    "gaps/new/mine-transfer",
    "seeds",
)
def not_canonical(files: Files, name: str) -> None:
    """Not canonical."""
    path = f"sharpe/{name}.json"
    files[path] = written({path: files[path]})[path] + b"\n"
    if name.startswith("returns"):
        row_of(files, "new", "mine")["returns"] = sha256(files[path]).hexdigest()


@pytest.mark.parametrize(("damage", "verdict", "step"), CASES)
def test_damage(base: Bundle, damage: Callable[[Files], object], verdict: str, step: int) -> None:
    """The damage gets its verdict, from its step."""
    findings = check(damaged(base, damage))
    assert verdict_of(findings) == verdict
    assert step in {finding.step for finding in findings if finding.verdict == verdict}


def test_every_step_fails_once() -> None:
    """A check that cannot fail is not a check."""
    assert {parameters.values[2] for parameters in CASES} == {info.step for info in CHECKS}


@pytest.mark.parametrize(
    "name", ["boards/new", "returns/new/mine", "gaps/new/mine-transfer", "seeds"]
)
@pytest.mark.parametrize("data", [b"", b"{", b'{"a":1,"a":2}', b"[NaN]", b"[1e999]", b"\xff"])
def test_what_does_not_parse(base: Bundle, name: str, data: bytes) -> None:
    """A text that is no JSON cannot be judged: one error, which names the file."""
    broken = overlay(base, {f"sharpe/{name}.json": data}, relist=True)
    with pytest.raises(EvidenceError, match=f"sharpe/{name}.json"):
        check(broken)


def test_deviations_are_named_and_exempt(base: Bundle) -> None:
    """What a board discloses is no failure; the finding says what is not canonical."""

    def deviate(files: Files) -> None:
        board(files)["settings"] |= {"max_weight": 0.5, "allow_short": False, "n_symbols": 8}
        board(files)["settings"] |= {"vol_clustering": 0.3, "impact_exponent": 0.5}
        board(files)["richness"] = "data_rich"
        board(files)["costs"] = {"model": "2 basis points a trade", "bps": 2}
        board(files)["scoring"]["periods_per_year"] = 365

    findings = check(damaged(base, deviate))
    assert verdict_of(findings) == "pass"
    exempt = {
        finding.message.removeprefix("not the canonical benchmark: ")
        for finding in findings
        if finding.verdict is Verdict.EXEMPT and finding.subject == "new"
    }
    assert exempt == {
        *("n_symbols", "n_days", "max_weight", "allow_short", "vol_clustering"),
        *("impact_exponent", "richness", "costs", "alpha", "n_boot", "resample_seed"),
        "periods_per_year",
    }


def test_one_unit_says_what_else_can_cause_it(base: Bundle) -> None:
    """Another C library's exp or log moves a figure by one unit in the last place."""
    findings = check(damaged(base, lambda files: one_unit_in_the_last_place(files, "mean_return")))
    (found,) = (finding for finding in findings if finding.verdict is Verdict.FAIL)
    assert "another C library's exp or log can cause" in found.message
    assert found.published is not None
    assert found.recomputed is not None


def test_a_kernel_that_the_policy_does_not_trust(base: Bundle) -> None:
    """The caller decides which kernels may make a board."""
    findings = check(base, Policy(sharpe=SharpePolicy(kernels=("0.28.0",))))
    unproven = [f for f in findings if f.verdict is Verdict.UNPROVEN]
    assert [(f.check, f.subject, f.published) for f in unproven] == [
        ("sharpe/pinned", "old", "0.5.0")
    ]


def test_notes_say_what_is_not_shown(base: Bundle) -> None:
    """The limits of an audit with their counts; lists that are not the first are named."""
    notes = SHARPE.notes(SHARPE.load(base, Policy()))
    assert notes[0].startswith("SharpeArena: 3 boards, 15 rows: 13 scored, 2 unavailable; ")
    assert "(1 sealed board)" in notes[1]
    assert "Of 2 lists, 0 are not the first" in notes[2]
    assert "60 return series" in notes[3]
    assert "(15 of 15 rows with some)" in notes[4]
    assert "off by at most 7.6e-08" in notes[5]

    def reversed_list(files: Files) -> None:
        board(files)["seeds"]["list"] = [1, 2, 3, 4]

    context = SHARPE.load(damaged(base, reversed_list), Policy())
    assert (
        "Of 2 lists, 1 is not the first seeds of a band in order (new)." in SHARPE.notes(context)[2]
    )
