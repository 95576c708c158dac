"""
Write the bill of materials of a release: ``python .ci/sbom.py > tallyproof.cdx.json``.

CycloneDX 1.6, made from what is in the repository and nothing else, so that
anyone can make it again to the byte: no time, no serial number, no look at what
happens to be installed. Components are the lines of ``requirements/run.txt``,
the lock of the package with the extras that are tested; who needs whom are that
file's ``# via`` comments. A component's hashes are those of all its
files that the lock accepts, one for each platform. Marked lines, such as one
release of numpy for each Python, keep their marker as a property.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
LOCK: Final = ROOT / "requirements" / "run.txt"
ENTRY: Final = re.compile(
    r"(?P<name>[a-z0-9-]+)==(?P<version>[^\s;]+)(?: ; (?P<marker>[^\\]+?))? \\\n"
    r"(?P<hashes>(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)"
    r"    # via (?P<via>[^\n]+)\n"
)


@dataclass(frozen=True, slots=True)
class Locked:
    """One line of the lock: what it pins, to which files, and what needs it."""

    name: str
    version: str
    marker: str | None
    sha256: tuple[str, ...]
    needed_by: tuple[str, ...]

    @property
    def purl(self) -> str:
        """Its package URL, which is its reference in the bill too."""
        return f"pkg:pypi/{self.name}@{self.version}"


def read_lock(text: str) -> list[Locked]:
    """Read the whole lock; a line that is not understood is an error."""
    found, at = [], 0
    while at < len(text):
        entry = ENTRY.match(text, at)
        if entry is None:
            message = f"requirements/run.txt: not understood: {text[at : at + 80]!r}"
            raise SystemExit(message)
        needed_by = [each for each in entry["via"].split(", ") if not each.startswith("-c ")]
        found.append(
            Locked(
                entry["name"],
                entry["version"],
                entry["marker"],
                tuple(re.findall("[0-9a-f]{64}", entry["hashes"])),
                tuple(each.removesuffix(" (pyproject.toml)") for each in needed_by),
            )
        )
        at = entry.end()
    return found


def component(locked: Locked) -> dict[str, Any]:
    """One library of the bill."""
    about: dict[str, Any] = {
        "bom-ref": locked.purl,
        "hashes": [{"alg": "SHA-256", "content": digest} for digest in locked.sha256],
        "name": locked.name,
        "purl": locked.purl,
        "type": "library",
        "version": locked.version,
    }
    if locked.marker:
        about["properties"] = [{"name": "tallyproof:marker", "value": locked.marker}]
    return about


def bill(project: dict[str, Any], version: str, lock: list[Locked]) -> dict[str, Any]:
    """
    Make the bill of materials.

    Args:
        project: The table ``project`` of pyproject.toml.
        version: Release of the package.
        lock: What it was resolved to.
    """
    itself = f"pkg:pypi/{project['name']}@{version}"
    refs = {project["name"]: [itself]}
    for locked in lock:
        refs.setdefault(locked.name, []).append(locked.purl)
    needs: dict[str, set[str]] = {ref: set() for each in refs.values() for ref in each}
    for locked in lock:
        for name in locked.needed_by:
            for ref in refs[name]:
                needs[ref].add(locked.purl)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "components": [component(locked) for locked in lock],
        "dependencies": [{"dependsOn": sorted(needs[ref]), "ref": ref} for ref in sorted(needs)],
        "metadata": {
            "component": {
                "bom-ref": itself,
                "description": project["description"],
                "licenses": [{"license": {"id": project["license"]}}],
                "name": project["name"],
                "purl": itself,
                "type": "application",
                "version": version,
            }
        },
        "specVersion": "1.6",
        "version": 1,
    }


def main() -> None:
    """Write the bill of this checkout to standard output."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    where = project["tool"]["hatch"]["version"]
    release = re.search(where["pattern"], (ROOT / where["path"]).read_text("utf-8"))
    assert release is not None, "the pattern that the build uses"
    made = bill(project["project"], release["version"], read_lock(LOCK.read_text("utf-8")))
    sys.stdout.write(json.dumps(made, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
