"""Seed bands and sealed seeds."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sharpe_vectors import VERSIONS, read

from formulas.errors import FormulaError
from formulas.sharpe.seeds import bands, commitment, sealed_seed, sealed_seeds

sizes = st.integers(0, 1000)


@pytest.mark.parametrize("folder", VERSIONS)
def test_published_bands(folder: str) -> None:
    """First, last and number of seeds of each published call; negative sizes are refused."""
    for case in read(f"{folder}/seeds.json")["train_test_seeds"]:
        args = case["args"]
        call = args["n_train"], args["n_test"], args["seed_start"], args["gap"]
        if min(args["n_train"], args["n_test"], args["gap"]) < 0:
            assert "error" in case
            with pytest.raises(FormulaError, match=r"must all be >= 0 \(got n_train="):
                bands(*call)
            continue
        found = bands(*call)
        for side, name in ((found.train, "train"), (found.test, "test")):
            published = [case["result"][f"{name}_{part}"] for part in ("first", "last", "count")]
            first, last = (side[0], side[-1]) if side else (None, None)
            assert [first, last, len(side)] == published


@given(sizes, sizes, sizes, sizes)
def test_bands_are_disjoint(n_train: int, n_test: int, start: int, gap: int) -> None:
    """No seed is in both bands, and at least the gap lies between them."""
    found = bands(n_train, n_test, start, gap)
    assert set(found.train).isdisjoint(found.test)
    assert found.test.start - found.train.stop == gap


def test_published_sealed_seeds() -> None:
    """Seeds and commitments of each published salt."""
    published = read("v0.31.0/seeds.json")["sealed_seeds"]
    for case in published["cases"]:
        salt = bytes.fromhex(case["salt_hex"])
        assert commitment(salt) == case["commitment_sha256_hex"]
        for seed in case["seeds"]:
            if "error" in seed:
                with pytest.raises(FormulaError) as refusal:
                    sealed_seed(salt, seed["slot"])
                assert seed["error"]["message"] == f"[INVALID_SALT] {refusal.value}"
            else:
                assert sealed_seed(salt, seed["slot"]) == seed["result"]


@given(st.binary(min_size=16, max_size=64), st.integers(0, 40))
def test_sealed_seeds_avoid_public_bands(salt: bytes, count: int) -> None:
    """Sealed seeds start at a million, in slot order, and the commitment covers the salt."""
    found = sealed_seeds(salt, count)
    assert found == [sealed_seed(salt, slot) for slot in range(count)]
    assert all(1_000_000 <= seed < 2**64 for seed in found)
    assert commitment(salt) == hashlib.sha256(salt).hexdigest()


@pytest.mark.parametrize("size", [0, 15])
def test_salts_that_are_too_short(size: int) -> None:
    """A salt has at least 16 bytes."""
    with pytest.raises(FormulaError, match=rf"at least 16 bytes \(got {size}\)"):
        sealed_seeds(bytes(size), 1)


@pytest.mark.parametrize("slot", [-1, 2**64])
def test_slots_out_of_range(slot: int) -> None:
    """A slot is a 64-bit unsigned integer."""
    with pytest.raises(FormulaError, match="slot must be in"):
        sealed_seed(bytes(16), slot)
