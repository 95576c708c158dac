"""The policy file: what the caller trusts, one form, and every mistake in it named."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import FIXTURES

from verifier.audit import audit
from verifier.errors import PolicyError
from verifier.findings import Verdict
from verifier.policy import ArcanaPolicy, Policy, load_policy, parse_policy

if TYPE_CHECKING:
    from pathlib import Path


def test_the_empty_policy_is_the_built_in_one() -> None:
    """Every key is optional."""
    assert parse_policy(b"") == Policy()


@given(
    chain=st.integers(1, 2**63 - 1),
    formulas=st.lists(st.text(st.characters(codec="utf-8")), max_size=3),
    as_of=st.none() | st.just("2026-09-20T03:30:00Z"),
    participation=st.sampled_from(("published", "engine")),
)
def test_what_is_shown_reads_back(
    chain: int, formulas: list[str], as_of: str | None, participation: str
) -> None:
    """The text of a policy is that policy, and its hash is the hash of the text."""
    policy = Policy(
        as_of=as_of,
        arcana=ArcanaPolicy(chain_id=chain, formulas=tuple(formulas), participation=participation),
    )
    text = policy.to_toml().encode()
    assert parse_policy(text) == policy
    assert policy.sha256 == hashlib.sha256(text).hexdigest()


def test_confirmations_leave_the_hash_alone() -> None:
    """No audit rests on confirmations, so the default is not in the text; another value is."""
    assert "confirmations" not in Policy().to_toml()
    policy = parse_policy(b"[arcana]\nconfirmations = 3")
    assert policy.arcana.confirmations == 3
    assert parse_policy(policy.to_toml().encode()) == policy
    assert policy.sha256 != Policy().sha256
    assert parse_policy(b"[arcana]\nconfirmations = 12").sha256 == Policy().sha256


def test_addresses_have_one_spelling() -> None:
    """Checksummed addresses of other tools mean the same sender."""
    policy = parse_policy(b'[arcana]\nsenders = ["0x3EF7678422a3c9aa932aec6b4cb03541b709fb3f"]')
    assert policy.arcana.senders == ("0x3ef7678422a3c9aa932aec6b4cb03541b709fb3f",)


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("as_of = 2026-09-20", "/as_of"),
        ("as_of = 2026-09-20T03:30:00", "/as_of"),
        ("as_of = 2026-09-20T03:30:00.5Z", "/as_of"),
        ('as_of = "2026-09-20T03:30:00Z"', "/as_of"),
        ("trusted = 1", "/trusted"),
        ("arcana = 1", "/arcana"),
        ("[arcana]\nsender = []", "/arcana/sender"),
        ('[arcana]\nsenders = "0x00"', "/arcana/senders"),
        ('[arcana]\nsenders = ["0x00"]', "/arcana/senders"),
        ("[arcana]\nchain_id = true", "/arcana/chain_id"),
        ("[arcana]\nchain_id = 0", "/arcana/chain_id"),
        ("[arcana]\nconfirmations = 0", "/arcana/confirmations"),
        ('[arcana]\nparticipation = "both"', "/arcana/participation"),
        ("[arcana]\nformulas = [1]", "/arcana/formulas"),
        ('[floor]\nvenue_revisions = "ignore"', "/floor/venue_revisions"),
        ('[sharpe]\nkernels = "0.5.0"', "/sharpe/kernels"),
        ("[limits]\nfiles = 0", "/limits/files"),
        ("[limits]\nfiles = 1.5", "/limits/files"),
        ("[limits]\nmemory = 1", "/limits/memory"),
    ],
)
def test_a_mistake_is_named(text: str, pointer: str) -> None:
    """The error points at the key, since a mistyped key would otherwise trust too much."""
    with pytest.raises(PolicyError) as caught:
        parse_policy(text.encode(), file="policy.toml")
    assert (caught.value.file, caught.value.pointer) == ("policy.toml", pointer)


@pytest.mark.parametrize("text", [b"\xff", b"as_of =", b"a" * (1 << 20) + b"=1", b"[" * 5000])
def test_no_policy_at_all(text: bytes, tmp_path: Path) -> None:
    """What is no TOML, no UTF-8 or too long is one error."""
    path = tmp_path / "policy.toml"
    path.write_bytes(text)
    with pytest.raises(PolicyError):
        load_policy(path)


@pytest.mark.parametrize(
    "arcana",
    [
        ArcanaPolicy(participation="engine", formulas=()),
        ArcanaPolicy(participation="engine", schemes=("keccak256-merkly",)),
    ],
)
def test_what_is_not_trusted_is_unproven(arcana: ArcanaPolicy) -> None:
    """A version or tree scheme that the caller leaves out proves nothing, and accuses nobody."""
    report = audit(FIXTURES / "arcana-demo", policy=Policy(arcana=arcana))
    assert report.verdict is Verdict.UNPROVEN


def test_the_clock_is_the_callers() -> None:
    """Rows later than the policy's time fail, whatever time the bundle states."""
    report = audit(FIXTURES / "arcana-demo", policy=Policy(as_of="2026-09-12T00:00:00Z"))
    assert report.as_of == "2026-09-12T00:00:00Z"
    late = [finding for finding in report.findings if "after the time" in finding.message]
    assert late
    assert all(finding.verdict is Verdict.FAIL for finding in late)
