"""``tallyproof site``: build a website of frozen seasons, check one, look at one."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from verifier.cli.options import JobsOption, NoColorOption, QuietOption
from verifier.cli.progress import progress_bar
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sitegen.source import Sources

    Progress = Callable[[str, int, int], None] | None

app = typer.Typer(no_args_is_help=True, add_completion=False)

_EXTRAS: Final = {"pagefind": "pagefind", "pyarrow": "parquet"}
_SITE: Final = frozenset(
    (
        *("font_source_serif_pro", "jinja2", "latex2mathml", "markdown_it", "markupsafe"),
        *("mdit_py_plugins", "resvg_py"),
    )
)

SourceOption = Annotated[
    Path, typer.Option("--source", help="Folder with site.toml, content/, errata/ and seasons/.")
]
SeasonsOption = Annotated[
    Path | None, typer.Option("--seasons", help="Folder with the frozen seasons, if elsewhere.")
]
DistArgument = Annotated[Path, typer.Argument(help="A site that was built.")]


@app.callback()
def site_command() -> None:
    """Build a website of frozen seasons, check it byte for byte, look at it."""


@app.command(epilog="Example: tallyproof site build --source site --out dist --jobs 2")
def build(
    source: SourceOption = Path("site"),
    seasons: SeasonsOption = None,
    out: Annotated[Path, typer.Option("--out", help="Where the site goes.")] = Path("dist"),
    jobs: JobsOption = 1,
    pagefind: Annotated[
        bool, typer.Option("--pagefind", help="Index the pages for Pagefind as well.")
    ] = False,
    quiet: QuietOption = False,
    no_color: NoColorOption = False,
) -> None:
    """
    Build the site of all frozen seasons, in the place of the one that is there.

    It is built beside the old site and takes its place when all of it is written
    and every link leads somewhere. Exit codes: 0 built; 2 not built, and the old
    site is as it was.
    """
    from sitegen.swap import check_apart  # noqa: PLC0415 - not for --help

    check_apart(out, source / "content", source / "errata", seasons or source / "seasons")
    with (
        _extras(),
        progress_bar(quiet=quiet, no_color=no_color) as progress,
        _sources(source, seasons, progress, pagefind=pagefind) as sources,
    ):
        from sitegen.build import build_site  # noqa: PLC0415 - not for --help

        built = build_site(sources, out, jobs=jobs, progress=progress)
    if not quiet:
        typer.echo(
            f"{built.pages:,} pages, {built.files:,} files, {built.size:,} bytes\n"
            f"root {built.root}\n"
            f"{out / 'index.html'}"
        )


@app.command(epilog="Example: tallyproof site check dist --source site --jobs 2")
def check(
    dist: DistArgument,
    source: SourceOption = Path("site"),
    seasons: SeasonsOption = None,
    jobs: JobsOption = 1,
    quiet: QuietOption = False,
    no_color: NoColorOption = False,
) -> None:
    """
    Rebuild a site and compare every byte, and compare it with its own SHA256SUMS.

    Exit codes: 0 the same; 1 it differs, and every file that does is named;
    2 could not run.
    """
    with (
        _extras(),
        progress_bar(quiet=quiet, no_color=no_color) as progress,
        _sources(source, seasons, progress) as sources,
    ):
        from sitegen.check import check_site  # noqa: PLC0415 - not for --help

        differences = check_site(sources, dist, jobs=jobs, progress=progress)
    if not quiet:
        for each in differences:
            typer.echo(f"{each.kind:8} {each.path}  (against {each.against})")
        typer.echo(
            f"{dist}: {len(differences)} differences"
            if differences
            else f"{dist}: the same, byte for byte"
        )
    raise typer.Exit(1 if differences else 0)


@app.command(epilog="Example: tallyproof site serve dist --port 8000 --prefix /arena/")
def serve(
    dist: DistArgument,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port of 127.0.0.1; 0 takes a free one.")
    ] = 0,
    prefix: Annotated[
        str, typer.Option("--prefix", help="Path to serve it under, as a host might.")
    ] = "/",
) -> None:
    """
    Look at a site on this computer. It is served to 127.0.0.1 alone.

    The address is printed; Ctrl-C ends it.
    """
    from sitegen.serve import make_server  # noqa: PLC0415 - not for --help

    with make_server(dist, port=port, prefix=prefix) as server:
        typer.echo(server.url)
        sys.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return


def _sources(
    source: Path, seasons: Path | None, progress: Progress, *, pagefind: bool = False
) -> Sources:
    from sitegen.source import read_sources  # noqa: PLC0415

    return read_sources(source, seasons=seasons, pagefind=pagefind, progress=progress)


@contextmanager
def _extras() -> Iterator[None]:
    """Name the extra that brings a library which is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        extra = _EXTRAS.get(library) or ("site" if library in _SITE else None)
        if extra is None:
            raise
        raise SiteError(f"{library} is not installed: pip install 'tallyproof[{extra}]'") from None
