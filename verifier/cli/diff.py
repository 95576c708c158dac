"""``tallyproof diff``: what changed between two bundles, or two frozen seasons."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifier.cli.files import read_file
from verifier.cli.options import (
    NoColorOption,
    OutputOption,
    PolicyOption,
    QuietOption,
    TextFormat,
    TextFormatOption,
    emit,
    place,
    policy_from,
    use_color,
)
from verifier.cli.progress import progress_bar
from verifier.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.bundle import Bundle
    from verifier.diff import Difference
    from verifier.freeze import FrozenSeason
    from verifier.limits import BundleLimits

app = typer.Typer(add_completion=False)


class Expect(StrEnum):
    """What is no surprise, and exits 0."""

    SAME = "same"
    EXTENSION = "extension"


@app.command(epilog="Example: tallyproof diff september.zip october.zip --expect extension")
def diff_command(
    a: Annotated[
        str,
        typer.Argument(
            parser=place,
            help="What was there before: a bundle, its URL, a frozen season or a .json file.",
        ),
    ],
    b: Annotated[
        str,
        typer.Argument(parser=place, help="What is there now, of the same kind."),
    ],
    expect: Annotated[
        Expect,
        typer.Option(
            "--expect",
            help="Exit 0 only if B is the same as A, or if B keeps everything that A had.",
            show_default=True,
        ),
    ] = Expect.SAME,
    form: TextFormatOption = TextFormat.TEXT,
    output: OutputOption = None,
    policy: PolicyOption = None,
    quiet: QuietOption = False,
    no_color: NoColorOption = False,
) -> None:
    """
    Show what changed between two bundles or frozen seasons, by meaning.

    A change is an extension (only added), an update (moved as it may) or a
    rewrite (something that existed was changed or removed). Exit codes: 0 the
    two mean the same, or as expected; 1 they differ; 2 could not run.
    """
    difference = _compare(a, b, policy, quiet=quiet, no_color=no_color)
    if not quiet or output is not None:
        if form is TextFormat.JSON:
            from verifier.diff import json_  # noqa: PLC0415 - one of two forms

            emit(json_.render(difference), output)
        else:
            from verifier.cli.diff_text import render  # noqa: PLC0415 - one of two forms

            color = output is None and not no_color and use_color()
            emit(render(difference, color=color), output)
    same = not difference.entries
    good = same or (expect is Expect.EXTENSION and difference.keeps_history)
    raise typer.Exit(0 if good else 1)


def _compare(a: str, b: str, policy: Path | None, *, quiet: bool, no_color: bool) -> Difference:
    from verifier.diff import diff_bundles, diff_documents, diff_seasons  # noqa: PLC0415 - not for --help

    documents = [_document(place) for place in (a, b)]
    if all(documents):
        return diff_documents(read_file(Path(a)), read_file(Path(b)), name=Path(b).name)
    if any(documents):
        raise UsageError("a bundle cannot be compared with a single file")
    from verifier.freeze import FrozenSeason  # noqa: PLC0415 - not for documents

    limits = policy_from(policy).limits
    with progress_bar(quiet=quiet, no_color=no_color) as progress:
        hashing = None if progress is None else partial(progress, "hashing")
        with _open(a, limits, hashing) as before, _open(b, limits, hashing) as now:
            if isinstance(before, FrozenSeason) and isinstance(now, FrozenSeason):
                return diff_seasons(before, now)
            # Against a bundle, what is frozen of a season is its evidence.
            one, other = (
                side.bundle if isinstance(side, FrozenSeason) else side for side in (before, now)
            )
            return diff_bundles(one, other)


def _document(place: str) -> bool:
    from verifier.bundle.location import is_url  # noqa: PLC0415 - not for --help

    path = Path(place)
    return path.suffix == ".json" and not is_url(place) and not path.is_dir()


def _open(
    place: str, limits: BundleLimits, progress: Callable[[int, int], None] | None
) -> Bundle | FrozenSeason:
    from verifier.bundle import open_bundle  # noqa: PLC0415 - not for documents
    from verifier.bundle.location import local_path  # noqa: PLC0415 - the same
    from verifier.freeze import read_season  # noqa: PLC0415 - the same

    path = local_path(place)
    if path is not None and (path / "season.json").is_file():
        return read_season(path, progress=progress)
    return open_bundle(place, limits=limits, progress=progress)
