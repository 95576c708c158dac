"""
Imports point one way.

Every import statement of the packages is read with ``ast``, those inside
functions and under ``TYPE_CHECKING`` too. ``ALLOWED`` is the whole rule: a
layer may import itself and the layers listed for it, and no other of ours;
``LIBRARIES`` says the same about what is installed. A module belongs to the
longest layer name that begins its own name.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Final

import pytest
from shared import FIXTURES, ROOT

PACKAGES: Final = ("formulas", "sitegen", "verifier")

# Evidence, what judges it, and what a user asks for, from the bottom up.
FORMATS: Final = {"verifier.bundle", "verifier.core", "verifier.errors", "verifier.ethereum"}
FINDINGS: Final = {"verifier.claim", "verifier.findings", "verifier.report.model"}
JUDGES: Final = {
    *FORMATS,
    *FINDINGS,
    "formulas",
    "verifier.explanation",
    "verifier.family",
    "verifier.limits",
    "verifier.policy",
    "verifier.version",
}
FAMILIES: Final = {"verifier.arcana", "verifier.floor", "verifier.sharpe"}
RUNNERS: Final = {"verifier.audit", "verifier.engine", "verifier.families", "verifier.journal"}
COMMANDS: Final = {
    *("verifier.diff", "verifier.explain", "verifier.freeze"),
    *("verifier.proof", "verifier.selftest", "verifier.signed"),
}

ALLOWED: Final[dict[str, set[str]]] = {
    "formulas": set(),
    "verifier": {"verifier.version"},
    "verifier.version": set(),
    "verifier.errors": set(),
    "verifier.findings": set(),
    "verifier.core": {"verifier.errors"},
    "verifier.ethereum": {"verifier.core", "verifier.errors"},
    "verifier.limits": set(),
    "verifier.bundle": {"verifier.core", "verifier.errors", "verifier.limits"},
    "verifier.venues": {"formulas", "verifier.core", "verifier.errors"},
    "verifier.policy": {"verifier.errors", "verifier.limits"},
    "verifier.report.model": {"verifier.findings"},
    "verifier.report.visible": set(),
    "verifier.report": {
        "verifier.core",
        "verifier.errors",
        "verifier.findings",
        "verifier.report.model",
        "verifier.report.visible",
    },
    "verifier.claim": {"verifier.findings", "verifier.report.model"},
    "verifier.signed": {
        *("verifier.claim", "verifier.core", "verifier.errors", "verifier.findings"),
        *("verifier.policy", "verifier.report", "verifier.report.model", "verifier.version"),
    },
    "verifier.explanation": {"verifier.core", "verifier.report.visible"},
    "verifier.family": {"verifier.bundle", "verifier.policy", *FINDINGS} - {"verifier.claim"},
    "verifier.arcana": JUDGES,
    "verifier.floor": JUDGES | {"verifier.venues"},
    "verifier.sharpe": JUDGES,
    "verifier.sharpe.regenerate": JUDGES | {"verifier.sharpe"},
    "verifier.families": {"verifier.family", *FAMILIES},
    "verifier.engine": {"verifier.errors", "verifier.family"},
    "verifier.journal": {"verifier.core", "verifier.errors", "verifier.family", *FINDINGS}
    - {"verifier.claim", "verifier.report.model"},
    "verifier.audit": JUDGES | RUNNERS - {"verifier.audit"},
    "verifier.diff": JUDGES | FAMILIES | RUNNERS | {"verifier.freeze"},
    "verifier.explain": JUDGES | FAMILIES | RUNNERS | {"verifier.report"},
    "verifier.proof": JUDGES | FAMILIES | RUNNERS,
    "verifier.selftest": JUDGES
    | FAMILIES
    | RUNNERS
    | {"verifier.report", "verifier.report.visible"},
    "verifier.folder": {"verifier.errors"},
    "verifier.watch": FORMATS | {"verifier.folder", "verifier.report.visible"},
    "verifier.collect": JUDGES
    | FAMILIES
    | {"verifier.folder", "verifier.venues", "verifier.watch"},
    "verifier.cli": {
        *JUDGES,
        *FAMILIES,
        *RUNNERS,
        *COMMANDS,
        "verifier",
        "verifier.collect",
        "verifier.report",
        "verifier.report.visible",
        "verifier.sharpe.regenerate",
        "verifier.watch",
    },
    "verifier.__main__": {"verifier.cli"},
    "verifier.dossier": JUDGES | FAMILIES | {"verifier.report.visible", "verifier.venues"},
    "verifier.freeze": JUDGES | FAMILIES | RUNNERS | {"verifier.report", "verifier.report.visible"},
    "sitegen": {
        *FORMATS,
        *FINDINGS,
        "formulas",
        "verifier.dossier",
        "verifier.explanation",
        "verifier.folder",
        "verifier.freeze",
        "verifier.policy",
        "verifier.report",
        "verifier.report.visible",
        "verifier.version",
    },
    "sitegen.cli": {"sitegen", "verifier.cli", "verifier.errors"},
}

LIBRARIES: Final[dict[str, set[str]]] = {
    "formulas": {"flint", "numpy", "scipy"},
    "verifier.bundle": {"fsspec"},
    "verifier.collect": {"httpcore", "httpx", "tenacity", "web3"},
    "verifier.core": {"Crypto", "rfc8785"},
    "verifier.ethereum": {"Crypto", "coincurve"},
    "verifier.report": {"rfc8785", "rich"},
    "verifier.explain": {"rich"},
    "verifier.selftest": {"rich"},
    "verifier.signed": {"Crypto"},
    "verifier.watch": {"Crypto"},
    "verifier.sharpe.regenerate": {"sharpearena"},
    "sitegen": {
        *("jinja2", "markupsafe", "markdown_it", "mdit_py_plugins"),
        *("latex2mathml", "pagefind", "pyarrow", "resvg_py"),
    },
    "sitegen.cli": {"typer"},
    "verifier.cli": {"click", "rich", "typer"},
}

# A formula is a function of its arguments: nothing here can tell it the time, a number drawn
# by chance, or what lies in a file.
IMPURE: Final = {
    *("asyncio", "os", "pathlib", "random", "secrets", "shutil", "socket"),
    *("subprocess", "tempfile", "threading", "time", "urllib"),
}
IMPURE_NAMES: Final = {"eval", "exec", "input", "open", "print"}
IMPURE_METHODS: Final = {"now", "today", "utcnow"}

# What no start of the command line pays for, unless the command needs it.
LARGE: Final = (
    "dask",
    "distributed",
    "flint",
    "httpcore",
    "httpx",
    "fsspec",
    "jinja2",
    "numpy",
    "scipy",
    "sharpearena",
    "tenacity",
    "web3",
)
LAZY: Final = (*LARGE, "Crypto", "coincurve", "rich", "tarfile", "tomllib", "zipfile")


def modules(root: Path, packages: tuple[str, ...]) -> dict[str, Path]:
    """Every module under *root* by its dotted name."""
    found = {}
    for package in packages:
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, path: Path) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything that a module imports."""
    inside = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_bytes(), path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = inside[: len(inside) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


def impure_names(path: Path) -> Iterator[tuple[int, str]]:
    """Line and name of everything in a module that could not be a function of its arguments."""
    for node in ast.walk(ast.parse(path.read_bytes(), path)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id in IMPURE_NAMES:
                yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and node.attr in IMPURE_METHODS:
            yield node.lineno, node.attr


def layer_of(name: str) -> str | None:
    """The longest layer whose name begins *name*; ``verifier`` itself holds no other module."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        layer = ".".join(parts[:length])
        if layer in ALLOWED and (layer != "verifier" or length == len(parts)):
            return layer
    return None


def violations(root: Path, packages: tuple[str, ...] = PACKAGES) -> list[str]:
    """Every import that the tables do not allow, as ``file:line: importer -> imported``."""
    known = modules(root, packages)
    wrong = []
    for name, path in known.items():
        here = layer_of(name)
        for line, target in imports(name, path):
            place = f"{path.relative_to(root)}:{line}: {name} -> {target}"
            top = target.split(".")[0]
            if top in packages:
                # `from package import name`: the name is a module, or something in the package
                module = target if target in known else target.rpartition(".")[0] or target
                there = layer_of(module)
                if there is None or (there != here and there not in ALLOWED.get(here or "", ())):
                    wrong.append(place)
            elif here == "formulas" and top in IMPURE:
                wrong.append(f"{place} (impure)")
            elif top not in sys.stdlib_module_names and top not in LIBRARIES.get(here or "", ()):
                wrong.append(f"{place} (library)")
    return wrong


def test_every_module_belongs_to_a_layer() -> None:
    """A new module is placed in the table before anything may import it."""
    assert [name for name in modules(ROOT, PACKAGES) if layer_of(name) is None] == []


def test_imports_point_one_way() -> None:
    """No module imports what its layer may not."""
    assert violations(ROOT) == []


def test_formulas_are_pure() -> None:
    """No formula reads a file or a clock, or writes anywhere."""
    names = {name: list(impure_names(path)) for name, path in modules(ROOT, ("formulas",)).items()}
    assert {name: found for name, found in names.items() if found} == {}


def test_the_table_has_no_cycle() -> None:
    """The allowed edges can be sorted from the bottom up."""
    order = list(TopologicalSorter(ALLOWED).static_order())
    assert set(order) == set(ALLOWED), "an edge leads to a layer that is not in the table"
    assert order.index("verifier.core") < order.index("verifier.arcana")


def test_nobody_imports_the_command_line() -> None:
    """Everything that a command does can be called without the command."""
    above = {"sitegen.cli", "verifier.__main__"}  # the former is a command itself
    assert {here for here, there in ALLOWED.items() if "verifier.cli" in there} == above


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("formulas/x.py", "import verifier.errors"),
        ("formulas/x.py", "import random"),
        ("formulas/x.py", "import pandas"),
        ("formulas/x.py", "def f() -> None:\n    from verifier import errors"),
        ("verifier/core/x.py", "from verifier.bundle import limits"),
        ("verifier/core/x.py", "from ..bundle import limits"),
        ("verifier/core/x.py", "import coincurve"),
        ("verifier/arcana/x.py", "from verifier import cli"),
        ("verifier/report/x.py", "if TYPE_CHECKING:\n    from verifier.arcana import rows"),
        ("sitegen/x.py", "from verifier import audit"),
        ("verifier/core/x.py", "from verifier.elsewhere import y"),
    ],
)
def test_a_forbidden_import_is_seen(tmp_path: Path, path: str, source: str) -> None:
    """The walk sees every form of import statement, wherever it stands."""
    for module in (path, "verifier/bundle/limits.py", "verifier/cli/__init__.py"):
        (tmp_path / module).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / module).touch()
    for module in ("verifier/audit.py", "verifier/errors.py", "verifier/arcana/rows.py"):
        (tmp_path / module).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / module).touch()
    (tmp_path / path).write_text(source, encoding="utf-8")
    assert [text.split(":")[0] for text in violations(tmp_path)] == [path]


def test_an_impure_name_is_seen(tmp_path: Path) -> None:
    """Built-in functions and methods that read the clock both count."""
    path = tmp_path / "x.py"
    path.write_text("open('x')\ndatetime.datetime.now()\n", encoding="utf-8")
    assert list(impure_names(path)) == [(1, "open"), (2, "now")]


def test_an_allowed_import_is_not(tmp_path: Path) -> None:
    """What the tables allow passes, relative imports of the same layer too."""
    core = tmp_path / "verifier" / "core"
    core.mkdir(parents=True)
    (core / "canon.py").touch()
    (core / "x.py").write_text(
        "from . import canon\nfrom verifier.errors import JsonError\nimport rfc8785, json\n",
        encoding="utf-8",
    )
    assert violations(tmp_path) == []


def loaded_by(program: str) -> set[str]:
    """Every module that a fresh interpreter has after running a program."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{program}\nprint(*sys.modules)"],
        check=True,
        capture_output=True,
        text=True,
    )
    return set(done.stdout.split())


def test_start_is_lazy() -> None:
    """Importing the command line imports nothing that only some commands need."""
    commands = [name for name in modules(ROOT, PACKAGES) if name.startswith("verifier.cli.")]
    loaded = loaded_by(f"import {', '.join(commands)}")
    assert loaded.issuperset(commands)
    assert loaded.isdisjoint(LAZY), loaded & set(LAZY)


def test_an_audit_needs_no_extra() -> None:
    """An audit of scores imports none of the large libraries that are installed beside it."""
    command = ["audit", str(FIXTURES / "arcana-demo"), "--quiet"]
    loaded = loaded_by(f"from verifier.cli.app import run_app\nrun_app({command})")
    assert "verifier.arcana.recompute" in loaded
    assert loaded.isdisjoint(LARGE), loaded & set(LARGE)


def test_a_score_alone_loads_no_more_than_its_own() -> None:
    """One manifest needs no other command, no other scheme, no bundle and no large library."""
    manifest = next(
        path
        for path in sorted((FIXTURES / "arcana-demo" / "arcana" / "manifests").rglob("*.txt"))
        if path.read_bytes().startswith(b"arcana-score/v1\n")
    )
    command = ["arcana", "score", str(manifest), "--quiet"]
    loaded = loaded_by(f"from verifier.cli.app import run_app\nassert run_app({command}) == 0")
    assert "verifier.arcana.single" in loaded
    assert loaded.isdisjoint(LAZY), loaded & set(LAZY)
    others = ("arcana.manifest", "arcana.manifest_snapshot", "audit", "bundle", "cli.audit")
    assert loaded.isdisjoint(f"verifier.{name}" for name in others)
