"""``tallyproof anchor``: read a chain, and make what is written to one."""

from __future__ import annotations

import shlex
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verifier.cli.files import read_file
from verifier.cli.network import (
    MaxSecondsOption,
    Network,
    PrivateOption,
    RateOption,
    TimeoutOption,
    needing,
)
from verifier.cli.options import (
    AlsoOption,
    BundleArgument,
    Findings,
    FindingsOption,
    FormatOption,
    NoColorOption,
    OutputOption,
    PolicyOption,
    QuietOption,
    ReportFormat,
    SignOption,
    emit,
    emit_report,
    policy_from,
    reports_from,
)
from verifier.cli.progress import progress_bar
from verifier.errors import EvidenceError, UsageError
from verifier.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.collect.chain_answers import Node

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Check a bundle's anchors on their chain, record them, and make new ones.",
)

RpcOption = Annotated[
    list[str],
    typer.Option("--rpc", help="JSON-RPC address of a node; given again, all must say the same."),
]


@app.command(
    "check",
    epilog="Example: tallyproof anchor check season.zip --rpc https://rpc.example.org "
    "--policy policy.toml",
)
def check_command(
    bundle: BundleArgument,
    rpc: RpcOption,
    allow_private: PrivateOption = False,
    rate: RateOption = 20.0,
    timeout: TimeoutOption = 30.0,
    max_seconds: MaxSecondsOption = 21600.0,
    form: FormatOption = ReportFormat.TEXT,
    output: OutputOption = None,
    policy: PolicyOption = None,
    findings: FindingsOption = Findings.PROBLEMS,
    also: AlsoOption = None,
    sign: SignOption = None,
    quiet: QuietOption = False,
    no_color: NoColorOption = False,
) -> None:
    """
    Check every anchor of a bundle against its chain, by asking nodes.

    Chain, transaction, sender, status, block and confirmations, and whether it is
    still there. Nodes that disagree are refused, with what differs.
    """
    from verifier.bundle import open_bundle  # noqa: PLC0415 - not for --help
    from verifier.collect.chain import check_anchors  # noqa: PLC0415

    trusted = policy_from(policy)
    more = reports_from(form, also, sign, output)
    with (
        _nodes(rpc, Network(allow_private, rate, timeout, max_seconds=max_seconds)) as nodes,
        open_bundle(bundle, limits=trusted.limits) as evidence,
        progress_bar(quiet=quiet, no_color=no_color) as progress,
    ):
        report = check_anchors(
            evidence, nodes, policy=trusted, keep=findings.value, progress=progress
        )
    emit_report(report, form=form, output=output, quiet=quiet, no_color=no_color, more=more)


@app.command(
    "record",
    epilog="Example: tallyproof anchor record season.zip --rpc https://rpc.example.org -o recorded",
)
def record_command(
    bundle: BundleArgument,
    rpc: RpcOption,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the copy; must not be there.")
    ],
    allow_private: PrivateOption = False,
    rate: RateOption = 20.0,
    timeout: TimeoutOption = 30.0,
    max_seconds: MaxSecondsOption = 21600.0,
    policy: PolicyOption = None,
    quiet: QuietOption = False,
    no_color: NoColorOption = False,
) -> None:
    """
    Copy a bundle, with what the chain says of its anchors.

    The copy holds the nodes' answers and, where they can be made, the proofs that a
    light client needs, so that an audit checks the anchors offline. The bundle itself
    is not changed.
    """
    from verifier.bundle import open_bundle  # noqa: PLC0415 - not for --help
    from verifier.collect.chain_record import record_anchors  # noqa: PLC0415

    trusted = policy_from(policy)
    with (
        _nodes(rpc, Network(allow_private, rate, timeout, max_seconds=max_seconds)) as nodes,
        open_bundle(bundle, limits=trusted.limits) as evidence,
        progress_bar(quiet=quiet, no_color=no_color) as progress,
    ):
        recorded = record_anchors(evidence, nodes, output, policy=trusted, progress=progress)
    if not quiet:
        command = ["tallyproof", "audit", str(output)]
        command += [] if policy is None else ["--policy", str(policy)]
        lines = [
            f"anchors   {recorded.anchors}, {recorded.mined} of them in a block",
            f"proofs    {recorded.proved} with their transaction and receipt in the block's tries",
            f"next      {visible(shlex.join(command), limit=None)}",
        ]
        emit(("\n".join(lines) + "\n").encode(), None)


@app.command("build", epilog="Example: tallyproof anchor build seals.txt -o anchor")
def build_command(
    seals: Annotated[Path, typer.Argument(help="Seals in the order of the leaves, one a line.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder to write; must not be there.")
    ],
    scheme: Annotated[
        str, typer.Option("--scheme", help="Name of the tree's scheme.", show_default=True)
    ] = "rfc9162-sha256",
) -> None:
    """Make the tree over a list of seals: its root, and a proof of each."""
    from verifier.proof.build import (  # noqa: PLC0415 - not for --help
        build_tree,
        built_root,
        read_seals,
    )

    try:
        files = build_tree(read_seals(read_file(seals)), scheme)
    except EvidenceError as error:
        raise error.in_file(str(seals)) from None
    try:
        output.mkdir()
        for path, content in files.items():
            (output / path).parent.mkdir(exist_ok=True)
            (output / path).write_bytes(content)
    except OSError as error:
        raise UsageError(f"{output}: cannot be written: {error.strerror}") from None
    emit(f"root      {built_root(files['anchor.json'])}\n".encode(), None)


@app.command("submit", epilog="Example: tallyproof anchor submit anchor --sender 0x3ef7…fb3f")
def submit_command(
    root: Annotated[str, typer.Argument(help="A root, or a folder that `anchor build` wrote.")],
    sender: Annotated[str, typer.Option("--sender", help="Address that will sign and send it.")],
    nonce: Annotated[
        int | None, typer.Option("--nonce", min=0, help="The sender's next; else the wallet's.")
    ] = None,
    gas: Annotated[
        int | None, typer.Option("--gas", min=21000, help="Gas limit; else the wallet's.")
    ] = None,
    priority_fee: Annotated[
        int | None, typer.Option("--priority-fee", min=0, help="Wei per gas, with --max-fee.")
    ] = None,
    max_fee: Annotated[
        int | None, typer.Option("--max-fee", min=0, help="Wei per gas, with --priority-fee.")
    ] = None,
    output: OutputOption = None,
    policy: PolicyOption = None,
) -> None:
    """
    Print the transaction that anchors a root, unsigned.

    Nothing is sent and no key is asked for: a wallet fills in what is left open, signs
    and sends it. The chain is the policy's.
    """
    from verifier.core.canon import canonical_bytes  # noqa: PLC0415 - not for --help
    from verifier.proof.build import built_root, unsigned_transaction  # noqa: PLC0415

    if (priority_fee is None) != (max_fee is None):
        raise UsageError("--priority-fee and --max-fee go together")
    fees = None
    if priority_fee is not None and max_fee is not None:
        fees = (priority_fee, max_fee)
    folder = Path(root)
    if folder.is_dir():
        file = folder / "anchor.json"
        try:
            root = built_root(read_file(file))
        except EvidenceError as error:
            raise error.in_file(str(file)) from None
    transaction = unsigned_transaction(
        root, sender, policy_from(policy).arcana.chain_id, nonce=nonce, gas=gas, fees=fees
    )
    emit(canonical_bytes(transaction) + b"\n", output)


@contextmanager
def _nodes(urls: list[str], network: Network) -> Iterator[Sequence[Node]]:
    """Open the client for the nodes."""
    if len({url.rstrip("/").lower() for url in urls}) != len(urls):
        raise UsageError("--rpc names one node twice, which always agrees with itself")
    with needing("chain"):
        from verifier.collect.rpc import RpcNode  # noqa: PLC0415 - an extra

        client = network.client()
    with client as http:
        yield [RpcNode(url, http) for url in urls]
