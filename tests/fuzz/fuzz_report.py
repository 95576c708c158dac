"""
Texts of others, rendered in every format.

The input is cut at ``0x1E`` into texts, which are dealt out in turn to the
members of findings. Every output must parse as what it claims to be, and what
people or build servers read must hold no raw control character.
"""

import json
import re
from typing import Final
from xml.etree import ElementTree as ET

from verifier.findings import Finding, Verdict, Where
from verifier.report import RENDERERS, CheckInfo, ReportBuilder

CHECK: Final = CheckInfo(id="fuzz/text", step=1, title="a text of others")
MEMBERS: Final = 6
FORBIDDEN: Final = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)


def one_input(data: bytes) -> None:
    """Render a report made of the texts in *data*, and read it back."""
    texts = data.decode("utf-8", "replace").split("\x1e")
    builder = ReportBuilder([CHECK])
    verdicts = tuple(Verdict)
    dealt = [texts[at : at + MEMBERS] for at in range(0, len(texts), MEMBERS)]
    for index, given in enumerate(dealt):
        subject, message, file, pointer, *values = (*given, *[""] * (MEMBERS - len(given)))
        builder.add(
            Finding(
                check=CHECK.id,
                step=CHECK.step,
                subject=subject,
                verdict=verdicts[index % len(verdicts)],
                message=message,
                published=values[0],
                recomputed=values[1],
                where=Where(file, index or None, pointer),
            )
        )
    report = builder.build(
        tool_version="1", policy_sha256="0" * 64, title=texts[0], notes=(texts[-1],)
    )
    shown = {style: render(report).decode() for style, render in RENDERERS.items()}
    document = json.loads(shown["json"])
    assert [finding["subject"] for finding in document["findings"]] == [
        finding.subject for finding in report.findings
    ]
    sarif = json.loads(shown["sarif"])
    assert len(sarif["runs"][0]["results"]) == len(report.findings)
    suites = ET.fromstring(shown["junit"])
    cases = len(report.findings) + (report.count(Verdict.PASS) > 0)
    assert len(list(suites.iter("testcase"))) >= cases
    for style in ("text", "github", "markdown", "junit"):
        assert not FORBIDDEN.search(shown[style])
    for style in ("text", "markdown"):
        assert not re.search(r"^\s*::", shown[style], re.MULTILINE)
    for line in shown["github"].splitlines():
        assert line.startswith(("::error ", "::warning ", "::notice "))
