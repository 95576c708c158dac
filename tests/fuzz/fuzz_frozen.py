"""
Bytes of a stranger in every place of a frozen season.

The input takes the place of each file of a small frozen season in turn, and of
its archive; then of each file that a table is made of. A season that can be
read although a file was exchanged is one whose file was not.
"""

import atexit
import json
import shutil
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from verifier.bundle import Bundle, open_bundle, overlay
from verifier.core.canon import canonical_bytes
from verifier.errors import EvidenceError, UsageError
from verifier.freeze import read_season
from verifier.freeze.archive import write_archive
from verifier.freeze.names import check_season_id
from verifier.freeze.read import FILES
from verifier.freeze.record import season_record
from verifier.freeze.tables import FAMILIES, family_of, season_table
from verifier.policy import Policy

ID: Final = "s-1"
TABLE: Final = b'{"rows":[]}'
POLICY: Final = Policy().to_toml().encode()
INDEX: Final = canonical_bytes(
    {
        "arena": "a",
        "as_of": "2026-09-20T03:30:00Z",
        "families": ["arcana", "floor"],
        "format": "evidence-bundle/1",
        "seasons": [{"family": "floor", "id": ID, "sha256": sha256(TABLE).hexdigest()}],
        "title": "t",
    }
)
SEASONS: Final = (
    b'{"end":"2026-09-20T00:00:00.000000Z","name":"n","season_id":"a-1",'
    b'"start":"2026-09-01T00:00:00.000000Z"}\n'
)
BOARDS: Final = b'{"category":"overall","rows":[],"season_id":"a-1"}\n'
EVIDENCE: Final = {
    "bundle.json": INDEX,
    f"floor/seasons/{ID}.json": TABLE,
    "arcana/seasons.jsonl": SEASONS,
    "arcana/leaderboards.jsonl": BOARDS,
    "arcana/scores.jsonl": b"",
    "sharpe/boards/calm.json": b"{}",
}


def one_input(data: bytes) -> None:
    """Read the season, and make tables, with *data* in each place."""
    with suppress(UsageError):
        check_season_id(data.decode("utf-8", "replace"))
    bundle, folder, archive = frozen()
    for path in EVIDENCE:
        make_tables(bundle, path, data)
    for file in (*(folder / name for name in FILES), archive):
        kept = file.read_bytes()
        file.write_bytes(data)
        with suppress(EvidenceError), read_season(folder) as season:
            assert season.id == ID
            assert data == kept or file == archive
        file.write_bytes(kept)


@cache
def frozen() -> tuple[Bundle, Path, Path]:
    """The season, made once: its evidence, its folder and its archive."""
    root = Path(mkdtemp(prefix="tallyproof-"))
    atexit.register(shutil.rmtree, root)
    for path, content in EVIDENCE.items():
        (root / "bundle" / path).parent.mkdir(parents=True, exist_ok=True)
        (root / "bundle" / path).write_bytes(content)
    bundle = open_bundle(root / "bundle")
    folder, archive = freeze(root, bundle)
    with read_season(folder) as season:
        assert season.table == TABLE
    return bundle, folder, archive


def freeze(root: Path, bundle: Bundle) -> tuple[Path, Path]:
    """A season as freezing writes it, with a report that nobody made."""
    report = canonical_bytes(
        {
            "bundle": {"as_of": bundle.index.as_of, "sha256": bundle.sha256},
            "counts": {"exempt": 0, "fail": 0, "pass": 1, "unproven": 0},
            "coverage": {},
            "format": "tallyproof-report/1",
            "policy": {"sha256": sha256(POLICY).hexdigest()},
            "tool": {"name": "tallyproof", "version": "0"},
            "verdict": "pass",
        }
    )
    files = {"policy.toml": POLICY, "report.json": report + b"\n", "table.json": TABLE}
    record = season_record(
        index=bundle.index,
        bundle_sha256=bundle.sha256,
        family="floor",
        season=ID,
        table=TABLE,
        report=files["report.json"],
        policy=POLICY,
        reason=None,
    )
    archive = root / "evidence" / f"{bundle.sha256}.zip"
    folder = root / ID
    folder.mkdir()
    archive.parent.mkdir()
    for name, content in (files | {"season.json": canonical_bytes(record)}).items():
        (folder / name).write_bytes(content)
    with archive.open("wb") as file:
        write_archive(bundle, file)
    return folder, archive


def make_tables(bundle: Bundle, path: str, data: bytes) -> None:
    """Every table of a bundle with *data* in the place of one file."""
    with suppress(EvidenceError):
        changed = overlay(bundle, {path: data})
        for season in (ID, "a-1"):
            with suppress(EvidenceError, UsageError):
                assert family_of(changed, season) in FAMILIES
            for family in FAMILIES:
                with suppress(EvidenceError, UsageError):
                    table = season_table(changed, family, season)
                    assert family == "floor" or canonical_bytes(json.loads(table)) == table
