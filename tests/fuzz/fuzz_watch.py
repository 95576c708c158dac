"""
The folder of an observer, and a proof of a rewrite, with a file of a stranger in them.

The first line of an input names what the rest takes the place of: an observation, a head,
a body, or a file of the proof. A folder that is opened all the same is the one that was
written, and a proof that holds shows what it showed. An observation is read as the next
one too, with the number and the hash that it lacks.
"""

import atexit
import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from publisher import Files, earlier_floor, edited, listed

from verifier.collect.port import Exchange, Request
from verifier.collect.watched import read_watched
from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.errors import EvidenceError, UsageError
from verifier.watch.observations import Seen
from verifier.watch.reading import Reading, compare, read
from verifier.watch.rewrite import check_rewrite, write_rewrite
from verifier.watch.state import State

URL: Final = "http://arena.example/"
ROOT: Final = Path(mkdtemp(prefix="tallyproof-"))
atexit.register(shutil.rmtree, ROOT)
FOLDER: Final = ROOT / "state"
PROOF: Final = FOLDER / "rewrites" / "1"


class Published:
    """Answers with files, at one second after the other."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def send(self, request: Request) -> Exchange:
        """Answer at once."""
        body = self._files.get(request.url.removeprefix(URL))
        return Exchange(request, request.url, 404 if body is None else 200, (), 10**12, body or b"")


def small(files: Files) -> Files:
    """The same publisher without all but its ledger, so that an input takes a millisecond."""
    kept = {path: files[path] for path in ("bundle.json", "floor/ledger.jsonl")}
    return listed({**kept, "SHA256SUMS": b""})


def shown(files: Files) -> tuple[str, Reading]:
    """What somebody reads who looks at these files."""
    source, documents = read_watched(URL, http=Published(files))
    return source, read(documents)


def made() -> None:
    """Two observations, and a proof of what contradicts them."""
    longer = small(earlier_floor(4))
    with State(FOLDER, URL) as state:
        for files in (small(earlier_floor(2)), longer):
            state.observe(*shown(files))
        _, rewritten = shown(edited(longer, "floor/ledger.jsonl", lambda ledger: ledger.pop()))
        write_rewrite(state, rewritten, compare(state.seen.facts, state.seen.logs, rewritten))


def largest(bodies: Path) -> Path:
    """The ledger that was seen last, among bodies."""
    return max(bodies.rglob("?" * 64), key=lambda path: path.stat().st_size)


made()
SHOWS: Final = check_rewrite(PROOF)
FIRST, LAST = sorted((FOLDER / "observations").iterdir())
HEADS: Final = FOLDER / "checkpoints" / "00000002"
PLACES: Final = {
    b"first": FIRST,
    b"last": LAST,
    b"ledger": HEADS / "floor-ledger.unsigned",
    b"own": HEADS / "observations.unsigned",
    b"body": largest(FOLDER / "bodies"),
    b"proof": PROOF / "proof.json",
    b"before": PROOF / "before.jsonl",
    b"after": PROOF / "after.jsonl",
    b"record": PROOF / "observation.json",
    b"proven": largest(PROOF / "bodies"),
}


def one_input(data: bytes) -> None:
    """Put the rest of *data* where its first line says, and look at everything."""
    name, _, content = data.partition(b"\n")
    place = PLACES.get(name, LAST)
    kept = place.read_bytes()
    place.write_bytes(content)
    try:
        with suppress(EvidenceError, UsageError), State(FOLDER, URL) as state:
            assert content == kept or not place.is_relative_to(FOLDER / "observations")
            assert content == kept or place.parent != HEADS
            state.documents()
            assert content == kept or place != PLACES[b"body"]
        with suppress(EvidenceError):
            assert check_rewrite(PROOF) == SHOWS
    finally:
        place.write_bytes(kept)
    follow(content)


def follow(content: bytes) -> None:
    """Read *content* as the first and as the third observation, if it is an object."""
    for before in ((), (FIRST, LAST)):
        seen = Seen()
        for path in before:
            seen.add(path.read_bytes())
        with suppress(EvidenceError):
            seen.add(content)
        with suppress(EvidenceError):
            value = read_json(content)
            if isinstance(value, dict):
                value |= {"previous": seen.previous, "sequence": seen.count + 1}
                seen.add(canonical_bytes(value) + b"\n")
