"""Merkle schemes by name, and what each says about itself."""

import pytest

from verifier.core.keccak import keccak256
from verifier.core.schemes import RFC9162, SCHEMES, scheme
from verifier.errors import ProofError


def test_known_names() -> None:
    """The names that policies and reports use."""
    assert list(SCHEMES) == ["rfc9162-sha256", "keccak256-openzeppelin", "keccak256-merkly"]
    assert scheme("rfc9162-sha256") is RFC9162


@pytest.mark.parametrize("name", ["", "sha256", "RFC9162-SHA256", "x" * 10_000])
def test_unknown_name(name: str) -> None:
    """A name that is not known is refused, and quoted in short."""
    with pytest.raises(ProofError, match="unknown Merkle scheme") as caught:
        scheme(name)
    assert len(str(caught.value)) < 200


def test_policy_decides() -> None:
    """A known scheme that the policy does not list is refused."""
    allowed = ("rfc9162-sha256",)
    assert scheme("rfc9162-sha256", allowed=allowed) is RFC9162
    with pytest.raises(
        ProofError, match="policy does not allow the Merkle scheme keccak256-merkly"
    ):
        scheme("keccak256-merkly", allowed=allowed)
    with pytest.raises(ProofError, match="policy"):
        scheme("rfc9162-sha256", allowed=())


@pytest.mark.parametrize("name", SCHEMES)
def test_ordered(name: str) -> None:
    """A scheme is ordered exactly if swapping the two hashes of a node changes it."""
    known = SCHEMES[name]
    left, right = b"\x01" * 32, b"\x02" * 32
    assert (known.node(left, right) != known.node(right, left)) == known.ordered
    assert known.level([right, left]) == [known.node(right, left)]


@pytest.mark.parametrize("name", SCHEMES)
def test_domain_separated(name: str) -> None:
    """A scheme is separated exactly if two joined hashes are no record of their node."""
    known = SCHEMES[name]
    left, right = b"\x01" * 32, b"\x02" * 32
    assert (known.leaf(left + right) != known.node(left, right)) == known.domain_separated


def test_formulas() -> None:
    """The table in the module's docstring, line by line."""
    left, right = b"\x01" * 32, b"\x02" * 32
    zeppelin, merkly = SCHEMES["keccak256-openzeppelin"], SCHEMES["keccak256-merkly"]
    assert zeppelin.leaf(b"d") == keccak256(keccak256(b"d"))
    assert zeppelin.node(right, left) == keccak256(left + right)
    assert merkly.leaf(b"d") == keccak256(b"d")
    assert merkly.node(right, left) == keccak256(right + left)
