"""``tallyproof watch``: what was published stays published, or there is proof that it did not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifier.cli.files import read_file
from verifier.cli.network import (
    MaxResponseOption,
    MaxSecondsOption,
    MaxTotalOption,
    Network,
    PrivateOption,
    RateOption,
    TimeoutOption,
    needing,
)
from verifier.cli.options import NoColorOption, QuietOption, emit
from verifier.cli.progress import progress_bar
from verifier.errors import ProofError, UsageError
from verifier.report.visible import visible
from verifier.report.words import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.collect.port import Http
    from verifier.watch.observations import Seen
    from verifier.watch.reading import Reading
    from verifier.watch.state import State

app = typer.Typer(add_completion=False)

_SHOWN = 20


@app.command(epilog="Example: tallyproof watch https://example.org/arena --state seen")
def watch_command(
    url: Annotated[
        str | None,
        typer.Argument(help="Address of a site, of a bundle, or of an arena's endpoints /v1/."),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option("--state", help="Folder of what was seen; it only grows, and may be in git."),
    ] = None,
    key: Annotated[
        list[Path] | None,
        typer.Option(
            "--key", help="Ed25519 private key in PEM: sign the heads; may be given again."
        ),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option("--check", help="Check the proof of a rewrite, DIR/rewrites/N, offline."),
    ] = None,
    allow_private: PrivateOption = False,
    rate: RateOption = 10.0,
    timeout: TimeoutOption = 30.0,
    max_response: MaxResponseOption = 256,
    max_total: MaxTotalOption = 2048,
    max_seconds: MaxSecondsOption = 21600.0,
    quiet: QuietOption = False,
    no_color: NoColorOption = False,
) -> None:
    """
    Look whether what was published before is still there, unchanged.

    Each run adds an observation to the folder. Whatever contradicts the ones before
    it is written there as a proof, which anyone can check with --check.

    Exit codes: 0 all of it is there, or seen for the first time (with --check:
    the proof holds); 1 something was rewritten or left out (with --check: the
    proof does not hold); 2 could not look, and the folder is as it was; 3 what is
    served contradicts itself, so that there is no state to keep.
    """
    if check is not None:
        if url is not None or state is not None:
            raise UsageError("--check takes a folder alone, and neither URL nor --state")
        raise typer.Exit(_check(check, quiet=quiet))
    if url is None or state is None:
        raise UsageError("watch needs a URL and --state DIR, or --check FOLDER")
    network = Network(
        allow_private, rate, timeout, max_response, max_total, max_seconds, requests=100_000
    )
    with needing("live"):
        client = network.client()
    from verifier.collect.mirror import base_url  # noqa: PLC0415
    from verifier.watch.state import State  # noqa: PLC0415

    keys = [(str(path), read_file(path)) for path in key or ()]
    with (
        client as http,
        State(state, base_url(url), keys) as opened,
    ):
        code = _watch(opened, http, quiet=quiet, no_color=no_color)
    raise typer.Exit(code)


def _watch(state: State, http: Http, *, quiet: bool, no_color: bool) -> int:
    from verifier.watch.reading import compare  # noqa: PLC0415
    from verifier.watch.rewrite import write_rewrite  # noqa: PLC0415

    source, reading = _read(state, http, quiet=quiet, no_color=no_color)
    changes = compare(state.seen.facts, state.seen.logs, reading)
    if changes or _doubts(reading):
        # A publisher may replace files while they are read: only what a second look shows counts.
        source, reading = _read(state, http, quiet=quiet, no_color=no_color)
        changes = compare(state.seen.facts, state.seen.logs, reading)
    if changes:
        # Told first: where no proof can be written, it is not to be lost.
        _tell([change.sentence() for change in changes])
        folder, new = write_rewrite(state, reading, changes)
        if not quiet:
            emit(
                _lines([("rewrite", f"{folder}{'' if new else ', known'}"), *_seen(state.seen)]),
                None,
            )
        return 1
    doubts = _doubts(reading)
    if doubts:
        _tell(doubts)
        return 3
    first = not state.seen.count
    state.observe(source, reading)
    if not quiet:
        what = "seen for the first time" if first else "extends what was seen before"
        emit(_lines([(source, what), *_seen(state.seen)]), None)
    return 0


def _read(state: State, http: Http, *, quiet: bool, no_color: bool) -> tuple[str, Reading]:
    from verifier.collect.watched import read_watched  # noqa: PLC0415
    from verifier.watch.reading import read  # noqa: PLC0415

    known = state.documents()
    done = 0
    with progress_bar(quiet=quiet, no_color=no_color) as progress:

        def show(_url: str) -> None:
            nonlocal done
            done += 1
            if progress is not None:
                progress("reading", done, max(done, len(known)))

        source, documents = read_watched(
            state.seen.url, http=http, source=state.seen.source or None, known=known, progress=show
        )
    return source, read(documents)


def _doubts(reading: Reading) -> list[str]:
    """Say what is in the way of an observation though nothing was rewritten."""
    found = [change.sentence() for change in reading.conflicts]
    found += [
        f"the ledger of {scope or 'the arena'} is no chain: {fault}"
        for scope, log in reading.logs.items()
        for fault in log.faults
    ]
    return found


def _check(folder: Path, *, quiet: bool) -> int:
    from verifier.watch.rewrite import check_rewrite  # noqa: PLC0415

    try:
        url, changes = check_rewrite(folder)
    except ProofError as error:
        typer.echo(f"tallyproof: {visible(str(error), limit=None)}", err=True)
        return 1
    if not quiet:
        lines = [("proof", "holds"), ("url", url), ("rewritten", str(len(changes)))]
        lines += [("", change.sentence()) for change in changes[:_SHOWN]]
        emit(_lines(lines), None)
    return 0


def _seen(seen: Seen) -> list[tuple[str, str]]:
    from verifier.watch.kinds import KINDS  # noqa: PLC0415

    times = plural(seen.count, "time")
    lines = [("observed", f"{times}, last at {seen.at}"), ("head", seen.previous)]
    for scope, leaves in seen.logs.items():
        entries = "1 entry" if len(leaves) == 1 else f"{len(leaves)} entries"
        lines.append(("ledger", f"{scope or 'of the arena'}: {entries}"))
    counts = [f"{len(seen.facts[kind])} {kind}" for kind in KINDS if seen.facts.get(kind)]
    lines.append(("facts", ", ".join(counts)))
    return lines


def _tell(sentences: Sequence[str]) -> None:
    for sentence in sentences[:_SHOWN]:
        typer.echo(f"tallyproof: {visible(sentence)}", err=True)
    if len(sentences) > _SHOWN:
        typer.echo(f"tallyproof: … and {len(sentences) - _SHOWN} more", err=True)


def _lines(pairs: Sequence[tuple[str, str]]) -> bytes:
    return "".join(f"{label:<10}{visible(text, limit=None)}\n" for label, text in pairs).encode()
