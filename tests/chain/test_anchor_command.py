"""``anchor check`` and ``anchor record`` as they are run: a node on a loopback port, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Final

import pytest
from chain.anchored import ROOT, bundle_of, row
from chain.evm import MAGIC, Evm, NodeHttp
from real_command import run
from shared import ROOT as CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAYLOAD: Final = MAGIC + ROOT


@contextmanager
def serving(http: NodeHttp) -> Iterator[str]:
    """A node on a free port of this machine, as long as the block lasts."""
    lock = Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = self.rfile.read(int(self.headers["content-length"]))
            with lock:
                status, body = http.answer(asked)
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/KEY"
        server.shutdown()


@pytest.fixture(name="evm", scope="module")
def _evm() -> Evm:
    evm = Evm()
    evm.send(PAYLOAD)
    evm.mine(13)
    return evm


@pytest.fixture(name="policy")
def _policy(evm: Evm, tmp_path: Path) -> Path:
    path = tmp_path / "policy.toml"
    path.write_text(f'[arcana]\nsenders = ["{evm.accounts[0].address}"]\n')
    return path


def tx_of(evm: Evm) -> str:
    """Hash of the one transaction."""
    tx_hash: str = evm.block(1)["transactions"][0]
    return tx_hash


def test_check(evm: Evm, tmp_path: Path, policy: Path) -> None:
    """0 for a sound anchor, 1 for a wrong one, 3 without a sender, 2 for nodes that disagree."""
    sound = bundle_of(tmp_path / "b", row(evm, tx_of(evm)))
    wrong = bundle_of(tmp_path / "c", row(evm, tx_of(evm), block_number=2))
    liar = NodeHttp(evm)
    liar.lies["eth_getTransactionReceipt"] = lambda value: value | {"status": "0x0"}
    with serving(NodeHttp(evm)) as url, serving(liar) as other:
        ask = ("--rpc", url, "--allow-private")
        passed = run("anchor", "check", sound, *ask, "--policy", policy, "--format", "json")
        assert (passed.returncode, passed.stderr) == (0, b"")
        report = json.loads(passed.stdout)
        assert report["verdict"] == "pass"
        assert [check["id"] for check in report["checks"]] == [
            *("anchor/chain", "anchor/mined", "anchor/payload", "anchor/sender", "anchor/status"),
            *("anchor/block", "anchor/confirmations", "anchor/record"),
        ]
        assert b"KEY" not in passed.stdout
        failed = run("anchor", "check", wrong, *ask, "--policy", policy)
        assert (failed.returncode, failed.stderr) == (1, b"")
        assert b"block number differs" in failed.stdout
        assert run("anchor", "check", sound, *ask, "--quiet").returncode == 3
        refused = run("anchor", "check", sound, *ask, "--rpc", other, "--policy", policy)
        assert (refused.returncode, refused.stdout) == (2, b"")
        assert b"disagree about transaction" in refused.stderr
        assert b"status of the receipt is 0x1 to the first and 0x0 to the second" in refused.stderr
        assert refused.stderr.count(b"\n") == 1
        assert b"KEY" not in refused.stderr
        twice = run("anchor", "check", sound, *ask, "--rpc", f"{url.upper()}/")
        assert (twice.returncode, b"names one node twice" in twice.stderr) == (2, True)


def test_record_and_audit(evm: Evm, tmp_path: Path, policy: Path) -> None:
    """What was recorded passes offline, in a process without web3 or httpx."""
    source = bundle_of(tmp_path / "b", row(evm, tx_of(evm)))
    with serving(NodeHttp(evm)) as url:
        done = run(
            *("anchor", "record", source, "--rpc", url, "--allow-private"),
            *("-o", tmp_path / "copy", "--policy", policy),
        )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"1 with their transaction and receipt" in done.stdout
    program = (
        "import sys\n"
        "sys.modules['web3'] = sys.modules['httpx'] = None\n"
        "from verifier.audit import audit\n"
        "from verifier.policy import load_policy\n"
        "from pathlib import Path\n"
        "report = audit(sys.argv[1], policy=load_policy(Path(sys.argv[2])), keep='all')\n"
        "print(*(f.verdict for f in report.findings if f.subject == 'anchor 96'))\n"
    )
    offline = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "copy"), str(policy)],
        capture_output=True,
        check=True,
        cwd=CHECKOUT,
        env={"PATH": os.environ["PATH"]},
    )
    assert offline.stdout == b"pass\n"


def test_private_addresses_and_dead_nodes(evm: Evm, tmp_path: Path) -> None:
    """Loopback needs a word of the caller; a node that does not answer leaves no verdict."""
    source = bundle_of(tmp_path / "b", row(evm, tx_of(evm)))
    for command in (("check",), ("record", "-o", tmp_path / "x")):
        done = run("anchor", *command, source, "--rpc", "http://127.0.0.1:9/SECRET")
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"refused without --allow-private" in done.stderr
        assert b"SECRET" not in done.stderr
        assert done.stderr.count(b"\n") == 1
    html = NodeHttp(evm)
    html.body = lambda *_: b"<html>busy</html>"
    with serving(html) as url:
        done = run("anchor", "check", source, "--rpc", url, "--allow-private")
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert b"eth_chainId: the answer is none" in done.stderr


def test_without_the_extra(evm: Evm, tmp_path: Path) -> None:
    """Without web3 the line says what to install."""
    source = bundle_of(tmp_path / "b", row(evm, tx_of(evm)))
    program = (
        "import sys\n"
        "sys.modules['web3'] = None\n"
        "from verifier.cli import main\n"
        "main(['anchor', 'check', sys.argv[1], '--rpc', 'https://rpc.example'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(source)],
        capture_output=True,
        check=False,
        cwd=CHECKOUT,
        env={"PATH": os.environ["PATH"]},
    )
    assert done.returncode == 2
    assert b"pip install 'tallyproof[chain]'" in done.stderr
