"""
One node of a chain, asked by JSON-RPC through web3.py and our own client.

web3.py makes the requests and judges the envelopes of the answers; what carries
them is a provider on :class:`~verifier.collect.port.Http`. So the address rules,
the limits, the retries and the pinned connection are the same as everywhere here:
web3's own HTTPProvider would resolve a name a second time, follow redirects to
other hosts, obey proxies of the environment and read answers of any size.

An answer is bytes of a stranger. It is read as strict JSON within a limit, it must
answer the very request that was sent, and the results are handed on as they came:
web3's middleware, which would turn them into its own types, is left out.

A node's URL often holds the key of its user. Nothing here repeats more of it than
scheme, host and port.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final, cast

from web3 import Web3
from web3.exceptions import TransactionNotFound, Web3RPCError
from web3.providers.base import JSONBaseProvider
from web3.types import RPCEndpoint

from verifier.collect.addresses import origin
from verifier.collect.errors import AddressError, CollectError
from verifier.collect.port import Request
from verifier.core.jsonread import read_json
from verifier.core.shape import Obj
from verifier.errors import EvidenceError, FormatError

if TYPE_CHECKING:
    from web3.types import RPCResponse

    from verifier.collect.port import Exchange, Http
    from verifier.core.jsonread import JsonValue

__all__ = ["ANSWER_BYTES", "RpcNode"]

ANSWER_BYTES: Final = 64 << 20
"""Most bytes of one answer; a full block of a busy chain takes a few MiB."""

_SHOWN: Final = 200
_NOT_FOUND: Final = "transaction not found"
_DEPTH: Final = 1_000


class RpcNode:
    """
    A :class:`~verifier.collect.chain_answers.Node` on web3.py.

    Args:
        url: Address of its JSON-RPC endpoint.
        http: Carries the requests.

    Raises:
        AddressError: It is no URL that may be asked.
    """

    def __init__(self, url: str, http: Http) -> None:
        try:
            scheme, host, port = origin(url)
        except AddressError:
            # Not even a malformed one is shown: a wss address holds the same key.
            raise AddressError(
                "the address of a node is no http or https URL that may be asked; "
                "it is not shown, as it may hold a key"
            ) from None
        # A library of web3's raises Python's limit a hundredfold when it is imported. Whatever
        # nests deeply would then end the process where it is an error otherwise.
        sys.setrecursionlimit(min(_DEPTH, sys.getrecursionlimit()))
        self.name = f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
        self._web3 = Web3(_Provider(url, self.name, http), middleware=[])

    def ask(self, method: str, *params: JsonValue) -> JsonValue:
        """
        Ask for one result.

        Raises:
            CollectError: The node gives none: it cannot be reached, it answers with
                an error, or its answer is none to this request.
        """
        try:
            return self._result(method, params)
        except TransactionNotFound:
            return None  # some nodes say so instead of null
        except Web3RPCError as error:
            told = (error.rpc_response or {}).get("error")
            raise CollectError(f"{self.name}: {method}: the node answers {told}") from None

    def ask_if_known(self, method: str, *params: JsonValue) -> JsonValue:
        """Ask for what not every node can give; None where it answers with an error."""
        try:
            return self._result(method, params)
        except Web3RPCError:
            return None

    def _result(self, method: str, params: tuple[JsonValue, ...]) -> JsonValue:
        result: JsonValue = self._web3.manager.request_blocking(RPCEndpoint(method), list(params))
        return result


class _Provider(JSONBaseProvider):
    """web3's requests, carried by our client."""

    def __init__(self, url: str, name: str, http: Http) -> None:
        super().__init__()
        self._url = url
        self._name = name
        self._http = http

    def make_request(self, method: RPCEndpoint, params: object) -> RPCResponse:
        """Send one request, and read what comes back."""
        body = self.encode_rpc_request(method, params)
        request = Request("POST", self._url, body=body, limit=ANSWER_BYTES)
        try:
            exchange = self._http.send(request)
        except CollectError as error:
            reason = str(error).removeprefix(f"{self._url}: ").replace(self._url, self._name)
            raise CollectError(f"{self._name}: {method}: {reason}") from None
        try:
            sent = Obj(read_json(body), ("id",), open_ended=True).integer("id")
            response = _envelope(exchange, sent)
        except EvidenceError as error:
            raise CollectError(f"{self._name}: {method}: the answer is none: {error}") from None
        told = response.get("error")
        if not params and isinstance(told, dict) and told["message"] == _NOT_FOUND:
            # web3 takes the first parameter for the hash of the transaction.
            raise CollectError(f"{self._name}: {method}: the node answers {told}")
        return response


def _envelope(exchange: Exchange, sent: int) -> RPCResponse:
    """Read an answer, and pass on no more of its envelope than JSON-RPC has."""
    if exchange.status != 200:
        raise FormatError(f"status {exchange.status}")
    answer = Obj(read_json(exchange.body), ("id", "jsonrpc"), open_ended=True)
    if answer.text("jsonrpc") != "2.0":
        raise FormatError("must be 2.0", pointer="/jsonrpc")
    number = answer.value["id"]
    if ("result" in answer.value) == (answer.value.get("error") is not None):
        raise FormatError("must hold either a result or an error")
    # An error about a request that could not be read has no id.
    if (type(number) is not int or number != sent) and (
        number is not None or "result" in answer.value
    ):
        raise FormatError("is not that of the request", pointer="/id")
    if "result" in answer.value:
        return cast("RPCResponse", {"id": sent, "jsonrpc": "2.0", "result": answer.value["result"]})
    error = Obj(answer.value["error"], ("code", "message"), pointer="/error", open_ended=True)
    code = error.value["code"]
    if type(code) is not int:
        raise FormatError("must be a whole number", pointer="/error/code")
    told = {"code": code, "message": error.text("message")[:_SHOWN]}
    return cast("RPCResponse", {"error": told, "id": sent, "jsonrpc": "2.0"})
