"""
Reports of every verdict, and the golden files of what they look like.

``python tests/report/samples.py`` writes the golden files anew, from the root
of the checkout. A commit that does so says why the bytes moved.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from verifier.findings import Finding, Verdict, Where
from verifier.report import RENDERERS, CheckInfo, Report, ReportBuilder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

GOLDEN: Final = Path(__file__).parent / "golden"
SUFFIXES: Final = {
    "text": "txt",
    "json": "json",
    "junit": "xml",
    "sarif": "sarif",
    "github": "github",
    "markdown": "md",
    "intoto": "intoto.json",
    "shields": "shields.json",
}

CHECKS: Final = (
    CheckInfo(id="bundle/layout", step=0, title="every file is listed and has its digest"),
    CheckInfo(id="arcana/seal", step=2, title="sha256 of the manifest's exact bytes is its seal"),
    CheckInfo(id="arcana/outputs", step=8, title="the sealed formula gives the sealed outputs"),
    CheckInfo(id="arcana/anchor", step=9, title="the seal lies in the anchored tree of its hour"),
    CheckInfo(id="floor/points", step=6, title="points follow from settlement and baseline"),
)
_STEPS: Final = {check.id: check.step for check in CHECKS}
_NOTES: Final = (
    "no as_of was given, so the bundle's own is used: nothing here says that it is recent",
    (
        "a pass shows that the published numbers follow from the evidence published with them; "
        "whether all evidence was published, no audit of it can show"
    ),
)


def finding(
    check: str,
    verdict: Verdict,
    subject: str = "call 7",
    message: str = "points recomputed",
    *,
    published: str | None = None,
    recomputed: str | None = None,
    where: Where | None = None,
) -> Finding:
    """Make a finding of one of :data:`CHECKS`."""
    return Finding(
        check=check,
        step=_STEPS[check],
        subject=subject,
        verdict=verdict,
        message=message,
        published=published,
        recomputed=recomputed,
        where=where,
    )


def report(
    findings: Iterable[Finding],
    *,
    keep: Literal["problems", "all"] = "problems",
    title: str | None = "ARCANA season 3",
    notes: tuple[str, ...] = _NOTES,
) -> Report:
    """Build a report of :data:`CHECKS` from findings."""
    builder = ReportBuilder(CHECKS, keep=keep)
    for one in findings:
        builder.add(one)
    return builder.build(
        tool_version="0.1.0",
        policy_sha256="a5" * 32,
        bundle_sha256="5a" * 32,
        as_of="2026-09-20T03:30:00Z",
        title=title,
        coverage={"inputs": 5908, "sealed": 2992, "anchored": 2992},
        notes=notes,
    )


def passes() -> Iterator[Finding]:
    """Give findings that pass, and two that are exempt."""
    for index in range(12):
        yield finding("bundle/layout", Verdict.PASS, f"file {index:02}", "digest as listed")
        yield finding("floor/points", Verdict.PASS, f"call {index:02}", "points are equal")
    yield finding("arcana/seal", Verdict.PASS, "season 3, agent vega", "seal is equal")
    for agent in ("lyra", "vega"):
        yield finding(
            "arcana/anchor",
            Verdict.EXEMPT,
            f"season 2, agent {agent}",
            "published before anything was sealed, so the rules ask for no anchor",
        )


def unproven() -> Iterator[Finding]:
    """Give more unproven findings than a list shows."""
    for line in range(1, 26):
        yield finding(
            "arcana/anchor",
            Verdict.UNPROVEN,
            f"snapshot {line:02}",
            "no transaction in the bundle holds this root",
            where=Where("arcana/anchors.jsonl", line),
        )


def failures() -> Iterator[Finding]:
    """Give findings that fail, with values and hostile texts."""
    yield finding(
        "arcana/seal",
        Verdict.FAIL,
        "season 3, agent nova",
        "sha256 of the manifest's bytes is not its seal",
        published="9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        recomputed="60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
        where=Where("arcana/manifests/nova.json"),
    )
    yield finding(
        "arcana/outputs",
        Verdict.FAIL,
        "season 3, agent nova",
        "score is not what the sealed formula gives from the sealed inputs; the last step that "
        "agrees is the weighted sum of daily returns",
        published="71.394",
        recomputed="71.393",
        where=Where("arcana/manifests/nova.json", pointer="/outputs/score"),
    )
    yield finding(
        "floor/points",
        Verdict.FAIL,
        "call 13 of safe\u202egnp.exe | <b>@everyone</b> ```\n::stop-commands::x",
        "points differ from what {0} and [this](https://example.invalid/) give, by 100%",
        published="1" * 500 + "2",
        recomputed="1" * 500 + "3",
        where=Where("floor/a b,c:é%.jsonl", 13, "/body/points"),
    )


SAMPLES: Final = {
    "pass": report(passes()),
    "all": report([*passes(), *failures()], keep="all"),
    "unproven": report([*passes(), *unproven()]),
    "fail": report([*passes(), *unproven(), *failures()]),
    "nothing": report([], title=None, notes=()),
}


def golden(name: str, style: str) -> Path:
    """Locate the golden file of a sample in a format."""
    return GOLDEN / f"{name}.{SUFFIXES[style]}"


def _write() -> None:
    GOLDEN.mkdir(exist_ok=True)
    for name, sample in SAMPLES.items():
        for style, render in RENDERERS.items():
            golden(name, style).write_bytes(render(sample))


if __name__ == "__main__":
    _write()
