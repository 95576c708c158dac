"""
A policy file of any content: refused as one, or written back as the same policy.

The text that a policy is written as has the hash that reports state, so reading
it must give an equal policy.
"""

from verifier.errors import PolicyError
from verifier.policy import parse_policy


def one_input(data: bytes) -> None:
    """Read a policy, and what it is written as."""
    try:
        policy = parse_policy(data, file="policy.toml")
    except PolicyError as error:
        refused(error)
        return
    again = parse_policy(policy.to_toml().encode())
    assert again == policy
    assert again.sha256 == policy.sha256


def refused(error: PolicyError) -> None:
    """Demand an error that names the file."""
    assert str(error).startswith("policy.toml")
