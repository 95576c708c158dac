"""
One report model and its pure renderers.

Checks yield findings, :class:`ReportBuilder` counts them into a
:class:`Report`, and a function of :data:`RENDERERS` turns that into bytes. A
renderer is loaded when it is first called, so that asking for text does not
load XML.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Final

from verifier.report.model import CheckCount, CheckInfo, Keep, Report, ReportBuilder, exit_code

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "RENDERERS",
    "CheckCount",
    "CheckInfo",
    "Keep",
    "Renderer",
    "Report",
    "ReportBuilder",
    "exit_code",
]

Renderer = Callable[[Report], bytes]


def _renderer(module: str) -> Renderer:
    def render(report: Report) -> bytes:
        chosen: Renderer = import_module(f"verifier.report.{module}").render
        return chosen(report)

    return render


RENDERERS: Final[Mapping[str, Renderer]] = {
    "text": _renderer("text"),
    "json": _renderer("json_"),
    "junit": _renderer("junit"),
    "sarif": _renderer("sarif"),
    "github": _renderer("github"),
    "markdown": _renderer("markdown"),
    "intoto": _renderer("intoto"),
    "shields": _renderer("shields"),
}
