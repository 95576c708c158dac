"""``tallyproof fetch``: evidence from a running arena, a site, a URL, or the venues."""

from __future__ import annotations

import shlex
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

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
from verifier.cli.options import (
    BundleOption,
    NoColorOption,
    PolicyOption,
    QuietOption,
    emit,
    policy_from,
)
from verifier.cli.progress import progress_bar
from verifier.errors import UsageError
from verifier.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from verifier.collect.outcome import Outcome
    from verifier.collect.store import Recorder, Store
    from verifier.core.jsonread import JsonValue

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help=(
        "Collect evidence over the network, exactly as it is served.\n\n"
        "Exit codes: 0 done and complete; 1 what was served contradicts itself; "
        "2 could not fetch; 3 something that is referred to was not served."
    ),
)

FolderOption = Annotated[
    Path,
    typer.Option("--output", "-o", help="Folder for what is fetched; an interrupted one goes on."),
]


@app.command(
    "bundle", epilog="Example: tallyproof fetch bundle https://example.org/evidence -o DIR"
)
def bundle_command(
    url: Annotated[str, typer.Argument(help="Where bundle.json and SHA256SUMS lie.")],
    output: FolderOption,
    allow_private: PrivateOption = False,
    rate: RateOption = 20.0,
    timeout: TimeoutOption = 30.0,
    max_response: MaxResponseOption = 256,
    max_total: MaxTotalOption = 16384,
    max_seconds: MaxSecondsOption = 21600.0,
    quiet: QuietOption = False,
    no_color: NoColorOption = False,
) -> None:
    """Copy an evidence bundle of any arena from a base URL."""
    from verifier.collect.bundle import fetch_bundle  # noqa: PLC0415 - not for --help

    with _fetching(
        output,
        {"command": "bundle", "url": url},
        Network(allow_private, rate, timeout, max_response, max_total, max_seconds),
        quiet=quiet,
        no_color=no_color,
    ) as (http, store, progress):
        outcome = fetch_bundle(url, http=http, store=store, progress=progress)
        store.finish(outcome.to_json())
    _leave(outcome, quiet=quiet)


@app.command("site", epilog="Example: tallyproof fetch site https://example.org/arena -o DIR")
def site_command(
    url: Annotated[str, typer.Argument(help="Address of a site that Tallyproof built.")],
    output: FolderOption,
    season: Annotated[
        list[str] | None,
        typer.Option("--season", help="Id of a season; all without it; may be given again."),
    ] = None,
    allow_private: PrivateOption = False,
    rate: RateOption = 20.0,
    timeout: TimeoutOption = 30.0,
    max_response: MaxResponseOption = 256,
    max_total: MaxTotalOption = 16384,
    max_seconds: MaxSecondsOption = 21600.0,
    quiet: QuietOption = False,
    no_color: NoColorOption = False,
) -> None:
    """Copy the bundles of a site's seasons, with their tables, policies and reports."""
    from verifier.collect.site import fetch_site  # noqa: PLC0415 - not for --help

    seasons = sorted(set(season or ()))
    with _fetching(
        output,
        {"command": "site", "seasons": list(seasons), "url": url},
        Network(allow_private, rate, timeout, max_response, max_total, max_seconds),
        quiet=quiet,
        no_color=no_color,
    ) as (http, store, progress):
        outcome = fetch_site(url, http=http, store=store, seasons=seasons, progress=progress)
        store.finish(outcome.to_json())
    _leave(outcome, quiet=quiet)


@app.command("arcana", epilog="Example: tallyproof fetch arcana https://example.org --all -o DIR")
def arcana_command(
    url: Annotated[str, typer.Argument(help="Address under which the endpoints /v1/ lie.")],
    output: FolderOption,
    agent: Annotated[
        list[str] | None, typer.Option("--agent", help="Id of an agent; may be given again.")
    ] = None,
    season: Annotated[
        str | None, typer.Option("--season", help="Only scores of this season, by its id.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All agents of the leaderboard, and all anchors.")
    ] = False,
    allow_private: PrivateOption = False,
    rate: RateOption = 20.0,
    timeout: TimeoutOption = 30.0,
    max_response: MaxResponseOption = 256,
    max_total: MaxTotalOption = 16384,
    max_seconds: MaxSecondsOption = 21600.0,
    quiet: QuietOption = False,
    no_color: NoColorOption = False,
) -> None:
    """
    Ask ARCANA's endpoints, follow what they refer to, and copy its bundle.

    Answers are compared with each other and with the bundle that lies under the
    same address. Without one, the score manifests are all that can be had.
    """
    from verifier.collect.arcana import fetch_arcana  # noqa: PLC0415 - not for --help

    agents = list(dict.fromkeys(agent or ()))
    with _fetching(
        output,
        {
            "agents": list(agents),
            "all": everything,
            "command": "arcana",
            "season": season,
            "url": url,
        },
        Network(allow_private, rate, timeout, max_response, max_total, max_seconds),
        quiet=quiet,
        no_color=no_color,
    ) as (http, store, progress):
        outcome = fetch_arcana(
            url,
            http=http,
            store=store,
            agents=agents,
            season=season,
            everything=everything,
            progress=progress,
        )
        store.finish(outcome.to_json())
    _leave(outcome, quiet=quiet)


@app.command(
    "venue", epilog="Example: tallyproof fetch venue --call 7a342a --bundle season/ -o DIR"
)
def venue_command(
    output: FolderOption,
    call: Annotated[
        str, typer.Option("--call", help="The call's seal, or 6 of its first digits or more.")
    ],
    bundle: BundleOption,
    timeout: TimeoutOption = 30.0,
    max_seconds: MaxSecondsOption = 21600.0,
    policy: PolicyOption = None,
    quiet: QuietOption = False,
    no_color: NoColorOption = False,
) -> None:
    """
    Ask Hyperliquid and Coinbase again for the window of a call.

    Says where a venue now tells another story than the stored responses
    (venue/revised). That is no verdict on the call. Exit codes: 0 all the same;
    1 something was revised; 3 something is not served any more.
    """
    from verifier.bundle import open_bundle  # noqa: PLC0415 - not for --help
    from verifier.collect.venue import RATES, fetch_venue  # noqa: PLC0415
    from verifier.floor.context import load_context  # noqa: PLC0415

    trusted = policy_from(policy)
    with open_bundle(bundle, limits=trusted.limits) as evidence:
        if not any(path.startswith("floor/") for path in evidence.paths):
            raise UsageError("the bundle holds no evidence of the Floor")
        with _fetching(
            output,
            {"bundle": evidence.sha256, "call": call, "command": "venue"},
            Network(False, 1.0, timeout, 16, 1024, max_seconds, rates=RATES),
            quiet=quiet,
            no_color=no_color,
        ) as (http, store, progress):
            context = load_context(evidence, trusted)
            outcome = fetch_venue(call, context, http=http, store=store, progress=progress)
            store.finish(outcome.to_json())
    _leave(outcome, quiet=quiet)


@contextmanager
def _fetching(
    folder: Path,
    source: Mapping[str, JsonValue],
    network: Network,
    *,
    quiet: bool,
    no_color: bool,
) -> Iterator[tuple[Recorder, Store, Callable[[str, int, int], None] | None]]:
    """Open the folder, and the client that records in it."""
    with needing("live"):
        from verifier.collect.store import Recorder, Store  # noqa: PLC0415 - not for --help

        client = network.client()
    with (
        client as http,
        Store(folder, source) as store,
        progress_bar(quiet=quiet, no_color=no_color) as progress,
    ):
        yield Recorder(http, store), store, progress


def _leave(outcome: Outcome, *, quiet: bool) -> None:
    """Say how it ended, name what is wrong or missing, and leave with the code."""
    for text in (*outcome.contradictions, *outcome.missing):
        typer.echo(f"tallyproof: {visible(text, limit=None)}", err=True)
    if not quiet:
        lines = [f"{label:<10}{visible(text)}\n" for label, text in outcome.facts]
        lines += [
            f"{'next':<10}{visible(shlex.join(command), limit=None)}\n"
            for command in outcome.commands
        ]
        emit("".join(lines).encode(), None)
    raise typer.Exit(outcome.code)
