"""Mutations of a bundle as a whole: its hash list and its index (``bundle/layout``)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from verifier.audit import BUNDLE_LAYOUT
from verifier.bundle.index import INDEX
from verifier.bundle.inventory import SUMS
from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.selftest.mutations import Mutation, Suite

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.bundle import Bundle
    from verifier.selftest.mutations import Changes


def _relisted(bundle: Bundle, change: Callable[[list[bytes]], list[bytes]]) -> Changes:
    """Rewrite the lines of the hash list, each with its newline."""
    listed = b"".join(bundle.inventory.sums()).splitlines(keepends=True)
    return {SUMS: b"".join(change(listed))}


def _wrong_hash(listed: list[bytes]) -> list[bytes]:
    first = b"1" if listed[-1][:1] == b"0" else b"0"
    return [*listed[:-1], first + listed[-1][1:]]


def _missing_file(listed: list[bytes]) -> list[bytes]:
    # The name of the last file with one character more sorts behind it.
    return [*listed, listed[-1][:-1] + b"~\n"]


def _rewrite_index(bundle: Bundle, *, tail: bytes = b"", families: bool = True) -> Changes:
    value = read_json(bundle.read(INDEX))
    assert isinstance(value, dict)
    if not families:
        value["families"] = []
    return {INDEX: canonical_bytes(value) + tail}


def _mutation(name: str, what: str, change: Callable[[list[bytes]], list[bytes]]) -> Mutation:
    return Mutation(
        name=name,
        aims_at=BUNDLE_LAYOUT.id,
        what=what,
        apply=partial(_relisted, change=change),
        relist=False,
    )


SUITE: Final = Suite(
    load=lambda bundle, _: bundle,
    mutations=(
        Mutation(
            name="file-unlisted",
            aims_at=BUNDLE_LAYOUT.id,
            what="A file is added that the hash list does not name.",
            apply=lambda _: {"unlisted.txt": b"not in the list\n"},
            relist=False,
        ),
        Mutation(
            name="list-missing",
            aims_at=BUNDLE_LAYOUT.id,
            what="The hash list is taken away.",
            apply=lambda _: {SUMS: None},
            relist=False,
        ),
        _mutation("hash-wrong", "One digit of a listed hash is changed.", _wrong_hash),
        _mutation("listed-file-missing", "The list names a file that is not there.", _missing_file),
        _mutation(
            "list-out-of-order",
            "The first two lines of the list are exchanged.",
            lambda listed: [*listed[1::-1], *listed[2:]],
        ),
        _mutation("list-line-twice", "A line of the list stands twice.", lambda x: [x[0], *x]),
        _mutation(
            "list-cut-off",
            "The last newline of the list is cut off.",
            lambda listed: [*listed[:-1], listed[-1][:-1]],
        ),
        Mutation(
            name="index-newline",
            aims_at=BUNDLE_LAYOUT.id,
            what="bundle.json ends in a newline, so it is not canonical.",
            apply=partial(_rewrite_index, tail=b"\n"),
        ),
        Mutation(
            name="index-no-family",
            aims_at=BUNDLE_LAYOUT.id,
            what="bundle.json lists no family, though their folders are there.",
            apply=partial(_rewrite_index, families=False),
        ),
    ),
)
