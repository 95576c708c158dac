"""
Journals of a stranger: none of them changes what an audit says.

The input is a journal as it lies on the disk: what is believed of it is what an audit of
the same evidence gave, and once the rest is added the file is what it would have been; or
it is refused as no journal, and left as it is. Then its lines are given the hashes that
they lack, as only somebody could who has the evidence and the program: what is believed
of those still makes a report.
"""

from atexit import register
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from small_bundle import write_tree
from tiny_arena import arena

from verifier.audit import all_checks, audit_bundle
from verifier.bundle import open_bundle
from verifier.core.jsonread import read_json
from verifier.core.shape import Obj
from verifier.errors import UsageError
from verifier.family import Outcome
from verifier.journal import Journal
from verifier.policy import Policy
from verifier.report import ReportBuilder

# A megabyte of empty lines would become many times as much by their hashes.
LONGEST: Final = 65_536
CHECKS: Final = all_checks()
STEPS: Final = {check.id: check.step for check in CHECKS}
FOLDER: Final = TemporaryDirectory()
register(FOLDER.cleanup)
JOURNAL: Final = Path(FOLDER.name) / "journal"


def audited() -> bytes:
    """The journal that an audit writes."""
    with open_bundle(write_tree(Path(FOLDER.name) / "bundle", arena())) as bundle:
        audit_bundle(bundle, policy=Policy(), resume=JOURNAL)
    return JOURNAL.read_bytes()


OWN: Final = audited()
FIRST: Final = OWN.splitlines(keepends=True)[0]
IDENTITY: Final = Obj(read_json(FIRST[65:-1]), (), open_ended=True).text("identity")


def outcomes() -> dict[int, Outcome]:
    """What the audit gave for each item."""
    with Journal(JOURNAL, IDENTITY, STEPS) as journal:
        return journal.known


TRUE: Final = outcomes()
assert len(TRUE) == len(OWN.splitlines()) - 1


def one_input(data: bytes) -> None:
    """Go on from *data*, then from the same lines with their hashes."""
    JOURNAL.write_bytes(data)
    try:
        with Journal(JOURNAL, IDENTITY, STEPS) as journal:
            assert journal.known.items() <= TRUE.items()
            for item in TRUE.keys() - journal.known.keys():
                journal.add(item, TRUE[item])
        assert JOURNAL.read_bytes() == OWN
    except UsageError:
        assert JOURNAL.read_bytes() == data
    JOURNAL.write_bytes(chained(data[:LONGEST]))
    builder = ReportBuilder(CHECKS)
    for outcome in outcomes().values():
        for finding in outcome.findings:
            builder.add(finding)
        for check, claims in outcome.passed.items():
            builder.count_passed(check, claims)
    builder.build(tool_version="1", policy_sha256="0" * 64)


def chained(data: bytes) -> bytes:
    """Give every line of *data* its hash, after the first line of our own journal."""
    head, written = FIRST[:64], [FIRST]
    for line in data.split(b"\n"):
        text = line[65:] if line[64:65] == b" " else line
        head = sha256(head + b"\n" + text).hexdigest().encode()
        written.append(b"%s %s\n" % (head, text))
    return b"".join(written)
