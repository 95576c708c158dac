"""A publisher to watch: a demo bundle or a small site, as it is, was, or was made to be."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from shared import FIXTURES

from verifier.core.canon import canonical_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

Row = dict[str, Any]
Files = dict[str, bytes]

FLOOR: Final = "floor-demo"
ARCANA: Final = "arcana-demo"
SHARPE: Final = "sharpe-demo"
_PARTS: Final = {FLOOR: "floor", ARCANA: "arcana", SHARPE: "sharpe/boards"}

HOUR: Final = len("2026-11-02T08")


def demo(name: str) -> Files:
    """Read what is watched of a demo bundle, and its list of hashes."""
    folder = FIXTURES / name
    paths = [
        folder / "bundle.json",
        folder / "SHA256SUMS",
        *(folder / _PARTS[name]).glob("*.json*"),
    ]
    paths += (folder / "floor" / "seasons").glob("*.json")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(paths)}


def rows(files: Files, path: str) -> list[Row]:
    """Decode a file of JSON lines."""
    return [json.loads(line) for line in files[path].splitlines()]


def lines(value: list[Row]) -> bytes:
    """Write a file of JSON lines."""
    return b"".join(canonical_bytes(row) + b"\n" for row in value)


def edited(files: Files, path: str, change: Callable[[list[Row]], object]) -> Files:
    """Change a file of JSON lines, and list its hash."""
    value = rows(files, path)
    change(value)
    return listed({**files, path: lines(value)})


def listed(files: Files) -> Files:
    """Write the list of hashes anew; files that are listed and not watched keep their lines."""
    sums = {
        line[66:]: line[:64]
        for line in files["SHA256SUMS"].decode().splitlines()
        if not line[66:].startswith(("bundle.json", "floor/", "arcana/", "sharpe/boards/"))
        or "/manifests/" in line
        or "/chain/" in line
    }
    sums |= {
        path: sha256(content).hexdigest() for path, content in files.items() if path != "SHA256SUMS"
    }
    text = "".join(f"{digest}  {path}\n" for path, digest in sorted(sums.items()))
    return {**files, "SHA256SUMS": text.encode()}


def earlier_floor(entries: int) -> Files:
    """Give the Floor's demo as it was when its ledger had so many entries, before any season."""
    files = demo(FLOOR)
    ledger = rows(files, "floor/ledger.jsonl")[:entries]
    last = ledger[-1]["body"]["settled_at"]
    seen = {entry["body"]["call"] for entry in ledger}
    files["floor/ledger.jsonl"] = lines(ledger)
    for path, keep in (
        ("floor/settlements.jsonl", lambda row: row["call"] in seen),
        ("floor/roots.jsonl", lambda row: row["hour"][:HOUR] < last[:HOUR]),
        ("floor/calls.jsonl", lambda row: row["posted_at"] < last),
    ):
        files[path] = lines([row for row in rows(files, path) if keep(row)])
    index = {**json.loads(files["bundle.json"]), "seasons": [], "as_of": last}
    files["bundle.json"] = canonical_bytes(index)
    return listed({path: body for path, body in files.items() if "/seasons/" not in path})


def rechained(ledger: list[Row], first: int = 0) -> None:
    """Number and chain a ledger anew, as a publisher would who means it."""
    for at in range(first, len(ledger)):
        body = ledger[at]["body"]
        body["entry"] = at
        body["prev"] = ledger[at - 1]["hash"] if at else "0" * 64
        ledger[at]["hash"] = sha256(canonical_bytes(body)).hexdigest()


def season_with(standing: float) -> Files:
    """Freeze the Floor's season again with another standing, and publish its new hash."""
    files = demo(FLOOR)
    table = json.loads(files["floor/seasons/season-1.json"])
    table["rows"][0]["standing"] = standing
    files["floor/seasons/season-1.json"] = canonical_bytes(table)
    index = json.loads(files["bundle.json"])
    index["seasons"][0]["sha256"] = sha256(files["floor/seasons/season-1.json"]).hexdigest()
    return listed({**files, "bundle.json": canonical_bytes(index)})


def site(seasons: Mapping[str, tuple[bytes, Files]]) -> Files:
    """Publish seasons, each a table and a bundle, at the addresses of a site, newest first."""
    items: list[Row] = []
    files: Files = {}
    for name, (table, bundle) in seasons.items():
        digest = sha256(bundle["SHA256SUMS"]).hexdigest()
        index = json.loads(bundle["bundle.json"])
        evidence = f"evidence/{digest[:16]}/"
        record = {
            "as_of": index["as_of"],
            "bundle": {"sha256": digest},
            "family": index["families"][0],
            "policy": {"sha256": "0" * 64},
            "report": {"sha256": "0" * 64},
            "season": name,
            "table": {"sha256": sha256(table).hexdigest()},
        }
        path = f"seasons/{name}/table.json"
        items.insert(
            0, {"current": not items, "evidence": evidence, "record": record, "table": path}
        )
        files[path] = table
        files |= {evidence + path: body for path, body in bundle.items()}
    listing: Row = {"format": "tallyproof-seasons/1", "seasons": items}
    return {**files, "v1/seasons.json": canonical_bytes(listing) + b"\n"}


def publish(folder: Path, files: Files) -> Path:
    """Put files, and nothing else, in a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    return folder
