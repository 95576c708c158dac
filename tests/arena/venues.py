"""
Hyperliquid and Coinbase as a bundle remembers them, for tests.

Every row that a stored response of the bundle holds is served again to whoever
asks for its minute or hour, shaped as the venue shapes it: Hyperliquid oldest
first, and the candle that contains the start; Coinbase newest first.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import httpx

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Row = Any


class Venues:
    """
    Both venues over the bundle in a folder.

    Args:
        folder: The bundle.

    *change* is what else is done to an answer, *statuses* come before any answer, and
    *now* is the time, ms, by which Hyperliquid has forgotten its older candles.
    """

    def __init__(self, folder: Path) -> None:
        self.candles: dict[tuple[str, str], dict[int, Row]] = {}
        self.prints: dict[str, dict[int, Row]] = {}
        self.change: Callable[[str, list[Row]], Any] = lambda _, rows: rows
        self.statuses: list[int] = []
        self.now = 0
        self.asked: list[str] = []
        index = (folder / "raw" / "index.jsonl").read_text(encoding="utf-8")
        # A later answer knows more about the minute that was open in an earlier one.
        lines = sorted(map(json.loads, index.splitlines()), key=lambda line: line["fetched_at"])
        for line in lines:
            if line["status"] == 200:
                digest = line["sha256"]
                self._learn(line["request"], (folder / "raw" / digest[:2] / digest).read_bytes())

    def _learn(self, request: Any, content: bytes) -> None:
        try:
            rows = json.loads(content)
        except ValueError:
            return
        if not isinstance(rows, list):
            return
        body = request["body"]
        if body is None:
            product, step, _, _ = _coinbase(request["url"])
            known = self.candles.setdefault((product, step), {})
            known.update((row[0], row) for row in rows)
        elif body["type"] == "candleSnapshot":
            known = self.candles.setdefault((body["req"]["coin"], body["req"]["interval"]), {})
            known.update((row["t"], row) for row in rows)
        else:
            self.prints.setdefault(body["coin"], {}).update((row["time"], row) for row in rows)

    def transport(self) -> httpx.MockTransport:
        """Answer a client without any socket."""
        return httpx.MockTransport(self._handle)

    def _handle(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(str(request.url))
        if self.statuses:
            return httpx.Response(self.statuses.pop(0), stream=httpx.ByteStream(b"busy"))
        if request.method == "GET":
            name = "coinbase"
            product, step, first, last = _coinbase(str(request.url))
            known = self.candles.get((product, step), {})
            rows = [known[at] for at in sorted(known, reverse=True) if first <= at <= last]
        else:
            name = "hyperliquid"
            rows = self._hyperliquid(json.loads(request.content))
        body = json.dumps(self.change(name, rows)).encode()
        return httpx.Response(200, stream=httpx.ByteStream(body))

    def _hyperliquid(self, body: Any) -> list[Row]:
        if body["type"] == "candleSnapshot":
            req = body["req"]
            known = self.candles.get((req["coin"], req["interval"]), {})
            return [
                known[at]
                for at in sorted(known)
                if known[at]["T"] >= req["startTime"] and at <= req["endTime"]
                # The newest 5,000 of an interval is all that there is.
                if at >= self.now - 5000 * (known[at]["T"] - at + 1)
            ]
        prints = self.prints.get(body["coin"], {})
        return [prints[at] for at in sorted(prints) if body["startTime"] <= at <= body["endTime"]]


def _coinbase(url: str) -> tuple[str, str, int, int]:
    """Take product, granularity and bounds (in seconds) from a URL."""
    parts = urlsplit(url)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    first, last = (
        int(datetime.fromisoformat(query[name]).timestamp()) for name in ("start", "end")
    )
    return parts.path.split("/")[2], query["granularity"], first, last
