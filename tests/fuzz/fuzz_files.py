"""
Files that are named on the command line, compared and looked up.

The first line of an input says what the rest is: ``seals`` or ``anchor.json`` of an anchor to
build, ``score`` for a manifest alone, ``subject`` for what is to be explained, ``document`` for
a JSON document, and else the name of a row file of a tiny arena. Documents and bundles are
compared both ways, in words that hold no control character.
"""

import re
from atexit import register
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from small_bundle import write_tree
from tiny_arena import SEAL, arena

from verifier.arcana.single import check_alone
from verifier.bundle import open_bundle, overlay
from verifier.cli.diff_text import render
from verifier.core.jsonread import read_json
from verifier.core.schemes import SCHEMES
from verifier.diff import Difference, diff_bundles, diff_documents, json_
from verifier.errors import EvidenceError, UsageError
from verifier.explain import explain
from verifier.explanation import render_text
from verifier.policy import Policy
from verifier.proof.build import build_tree, built_root, read_seals

POLICY: Final = Policy()
FOLDER: Final = TemporaryDirectory()
register(FOLDER.cleanup)
BASE: Final = open_bundle(write_tree(Path(FOLDER.name) / "bundle", arena()))
DOCUMENT: Final = b'{"rows":[{"agent":"a1","rank":1,"score":60.7}],"title":"t"}'
FORBIDDEN: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\ufeff]")


def one_input(data: bytes) -> None:
    """Take the rest of *data* for what its first line says."""
    first, _, content = data.partition(b"\n")
    name = first.decode(errors="replace")
    with suppress(EvidenceError, UsageError):
        if name == "seals":
            anchored(content)
        elif name == "anchor.json":
            assert len(built_root(content)) == 64
        elif name == "score":
            assert check_alone(content, "score", POLICY, SEAL)
        elif name == "subject":
            subject = content.decode(errors="replace")
            shown(render_text(explain(BASE, subject, policy=POLICY)).decode())
        elif name == "document":
            compared(diff_documents(DOCUMENT, content, name="d.json"))
            compared(diff_documents(content, DOCUMENT, name="d.json"))
        else:
            path = f"arcana/{name}.jsonl"
            path = path if BASE.has(path) else "arcana/scores.jsonl"
            changed = overlay(BASE, {path: content}, relist=True)
            compared(diff_bundles(BASE, changed))
            compared(diff_bundles(changed, BASE))


def anchored(content: bytes) -> None:
    """Make the tree over the seals, and read its root back."""
    seals = read_seals(content)
    for scheme in SCHEMES:
        files = build_tree(seals, scheme)
        root = built_root(files["anchor.json"])
        assert sum(path.startswith("proofs/") for path in files) == len(seals)
        assert root.encode() in files[f"proofs/{seals[0]}.json"]


def compared(difference: Difference) -> None:
    """Show a comparison to people and to programs."""
    shown(render(difference).decode())
    assert read_json(json_.render(difference).removesuffix(b"\n"))


def shown(text: str) -> None:
    """Demand of a text that a terminal can be given it."""
    assert not FORBIDDEN.search(text)
