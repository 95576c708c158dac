"""Seals of exact bytes and of records: right digests, and kinds that never mix."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_vectors import values

from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import JsonValue
from verifier.core.seals import ByteSeal, RecordSeal, seal_of_bytes, seal_of_record
from verifier.errors import FormatError, JsonError

EMPTY = hashlib.sha256(b"{}").hexdigest()


@given(st.binary())
def test_byte_seal_is_sha256_of_the_bytes(raw: bytes) -> None:
    """The seal of bytes is their SHA-256, white space and all."""
    seal = seal_of_bytes(raw)
    assert seal.hex == hashlib.sha256(raw).hexdigest()
    assert seal == ByteSeal.parse(seal.hex)
    assert seal != seal_of_bytes(raw + b"\n")


@given(values)
def test_record_seal_is_sha256_of_the_canonical_form(record: JsonValue) -> None:
    """The seal of a record is that of its canonical bytes, whatever the order of names."""
    seal = seal_of_record(record)
    assert seal.hex == hashlib.sha256(canonical_bytes(record)).hexdigest()
    if isinstance(record, dict):
        assert seal == seal_of_record(dict(reversed(record.items())))


def test_kinds_do_not_mix() -> None:
    """
    A seal of one kind is no seal of the other, for mypy and for Python.

    Each line that mypy refuses is marked; were it to allow one, the mark would be
    unused, which it refuses as well.
    """
    raw, record = seal_of_bytes(b"{}"), seal_of_record({})
    assert raw.digest == record.digest

    def needs_bytes(seal: ByteSeal) -> None: ...
    def needs_record(seal: RecordSeal) -> None: ...

    needs_bytes(record)  # type: ignore[arg-type]
    needs_record(raw)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="ByteSeal compared with RecordSeal"):
        assert raw == record  # type: ignore[operator]
    with pytest.raises(TypeError, match="RecordSeal compared with ByteSeal"):
        assert record != raw  # type: ignore[operator]
    with pytest.raises(TypeError, match="ByteSeal compared with str"):
        assert raw == EMPTY
    assert len({raw, record, seal_of_bytes(b"{}")}) == 2


def test_neither_is_made_of_the_other_s_stuff() -> None:
    """A record is not sealed as bytes, bytes are not sealed as a record."""
    with pytest.raises(TypeError):
        seal_of_bytes({})  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        seal_of_bytes("{}")  # type: ignore[arg-type]
    with pytest.raises(JsonError):
        seal_of_record(b"{}")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        ByteSeal(EMPTY)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        ByteSeal(bytes(31))


@pytest.mark.parametrize(
    "published",
    [
        "",
        EMPTY[:-1],
        EMPTY + "0",
        EMPTY.upper(),
        EMPTY + "\n",
        "0x" + EMPTY[2:],
        " " + EMPTY[1:],
        "\u0661" * 64,
        "g" * 64,
    ],
)
def test_one_spelling_of_a_seal(published: str) -> None:
    """A published seal is 64 lower-case hex digits and nothing else."""
    assert RecordSeal.parse(EMPTY).hex == EMPTY
    with pytest.raises(FormatError):
        RecordSeal.parse(published)
