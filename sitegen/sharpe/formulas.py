"""The pages of SharpeArena's scoring kernels, and of the rules of a board around them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from formulas.registry import FORMULAS, read_document
from formulas.sharpe.kernels import KERNELS
from sitegen.components import Cell, Column, Row, Table
from sitegen.formula_parts import code_of, code_sha256, step_math
from sitegen.model import Crumb, Page
from sitegen.numbers import count
from sitegen.sharpe.formula_steps import BOARD_LATEX, KERNEL_LATEX, latex_of
from sitegen.sharpe.shelf import kernel_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


__all__ = ["formula_pages"]

_BOARD: Final = "sharpe-board/1"
_MODULES: Final = {
    "sharpe-kernel/0.4": ("kernel_0_4.py", "kernel_0_5.py"),
    "sharpe-kernel/0.5.0": ("kernel_0_5.py", "moments.py", "normal.py", "deflated.py"),
    "sharpe-kernel/0.28.0": ("kernel_0_28.py", "moments.py", "normal.py", "deflated.py"),
    _BOARD: ("ranking.py", "eligibility.py", "process.py", "seeds.py", "gaps.py"),
}


@dataclass(frozen=True, slots=True)
class _Document:
    """A formula's document, with its types checked."""

    id: str
    title: str
    releases: tuple[str, ...]
    source: tuple[str, ...]
    constants: Mapping[str, object]
    steps: tuple[str, ...]
    notes: tuple[str, ...]


def formula_pages() -> Iterator[Page]:
    """Make a page of every kernel, the oldest first, and one of the board's rules."""
    before: _Document | None = None
    for name in KERNELS:
        document = _document(f"sharpe-kernel/{name}")
        yield _page(document, kernel_path(name), before, KERNEL_LATEX)
        before = document
    path = "formulas/sharpe-board-1/index.html"
    yield _page(_document(_BOARD), path, None, BOARD_LATEX)


def _document(formula_id: str) -> _Document:
    found = read_document(FORMULAS[formula_id])
    constants, in_force = found["constants"], found["in_force"]
    assert isinstance(constants, dict)
    assert isinstance(in_force, dict)
    return _Document(
        id=formula_id,
        title=str(found["title"]),
        releases=_texts(in_force.get("releases", ())),
        source=_texts(found["source"]),
        constants=constants,
        steps=_texts(found["steps"]),
        notes=_texts(found["notes"]),
    )


def _texts(value: object) -> tuple[str, ...]:
    assert isinstance(value, list | tuple)
    return tuple(str(item) for item in value)


def _page(
    document: _Document,
    path: str,
    before: _Document | None,
    formulas: Mapping[str, tuple[str, ...]],
) -> Page:
    code = code_of("sharpe", *_MODULES[document.id])
    return Page(
        path=path,
        template="sharpe/formula.html",
        title=document.title,
        finding=(
            f"{_in_force(document)} {count(len(document.steps), 'step')}, "
            f"{count(len(document.constants), 'constant')}."
        ),
        trail=(Crumb("Formulas", "formulas/index.html"), Crumb(document.id)),
        values={
            "document": document,
            "steps": [(step, step_math(*latex_of(step, formulas))) for step in document.steps],
            "constants": _constants(document, before),
            "before": before,
            "before_path": None
            if before is None
            else kernel_path(before.id.removeprefix("sharpe-kernel/")),
            "changes": () if before is None else _changes(before, document),
            "code": code,
        },
        data_sha256=code_sha256(code),
        command=f"tallyproof formulas {document.id}",
        search=f"{document.id} {document.title} formula kernel constants steps deflated Sharpe",
    )


def _in_force(document: _Document) -> str:
    if not document.releases:
        return "In force in every release from 0.9.0 on, with the differences that its steps name:"
    first, last = document.releases[0], document.releases[-1]
    if first == last:
        return f"In force in SharpeArena {first}; an end is not known:"
    return f"In force in {count(len(document.releases), 'release')}, SharpeArena {first} to {last}:"


def _constants(document: _Document, before: _Document | None) -> Table:
    columns = [Column("name", "constant", "text"), Column("value", "value", "text")]
    if before is not None:
        columns.append(Column("before", f"in {before.id}", "text"))
    rows = []
    for name, value in document.constants.items():
        cells = [Cell(name), Cell(_value(value))]
        if before is not None:
            same = name in before.constants and before.constants[name] == value
            earlier = _value(before.constants[name]) if name in before.constants else "not there"
            cells.append(Cell("the same" if same else earlier))
        rows.append(Row(id="", cells=tuple(cells)))
    return Table(
        id="constants-table",
        caption="Constants, as published",
        columns=tuple(columns),
        rows=tuple(rows),
    )


def _value(value: object) -> str:
    return json.dumps(value) if isinstance(value, bool | int | float | list) else str(value)


def _changes(before: _Document, after: _Document) -> Sequence[tuple[str, str]]:
    """Steps that differ, as they were and as they are; a step that is new has no before."""
    old = [step for step in before.steps if step not in after.steps]
    new = [step for step in after.steps if step not in before.steps]
    return list(zip(old, new, strict=True))
