"""
The policy: what the *caller* trusts.

Nothing that a verdict rests on is read from the evidence it judges: which
formula versions count, which addresses may sign anchors, which chain, which
moment is "now". A policy is a small TOML file; every key is optional, an
unknown key is an error. Its hash is the SHA-256 of the text that
:meth:`Policy.to_toml` writes, so that

    tallyproof policy show | sha256sum

gives the hash that stands in a report.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar

from verifier.errors import PolicyError
from verifier.limits import BundleLimits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

__all__ = ["ArcanaPolicy", "FloorPolicy", "Policy", "SharpePolicy", "load_policy", "parse_policy"]

PARTICIPATION_RULES: Final = ("published", "engine")
REVISION_RULES: Final = ("report", "fail")
MAX_POLICY_BYTES: Final = 16 << 10
CONFIRMATIONS: Final = 12
_Section = TypeVar("_Section")
_ADDRESS: Final = re.compile(r"0x[0-9a-f]{40}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArcanaPolicy:
    """
    What the caller trusts about ARCANA.

    Args:
        chain_id: The chain that anchors must be on.
        senders: Anchor senders trusted, lower-case addresses. None named:
            who wrote the anchors stays unproven.
        participation: ``published`` (the platform's page: protective exits do
            not count toward the five decisions) or ``engine`` (they do).
        formulas: Formula versions that may score.
        schemes: Tree schemes that an anchor's root may be made by.
        sealing_start: From then on every snapshot and score is sealed.
        commitments_start: From then on every decision is committed.
        confirmations: Blocks that must stand on top of an anchor's, for ``anchor
            check`` alone. No audit depends on it, so it is left out of the text of a
            policy, and out of its hash, unless it is another than the default.
    """

    chain_id: int = 4663
    senders: tuple[str, ...] = ()
    participation: str = "published"
    formulas: tuple[str, ...] = ("arcana-score-formula/v1",)
    schemes: tuple[str, ...] = ("rfc9162-sha256",)
    sealing_start: str = "2026-09-14T00:00:00Z"
    commitments_start: str = "2026-09-13T00:00:00Z"
    confirmations: int = CONFIRMATIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorPolicy:
    """
    What the caller trusts about the Floor.

    Args:
        rules: Rule sets that may judge calls.
        venue_revisions: ``report`` or ``fail``: what it means that two
            responses of one venue hold a closed minute with other values.
    """

    rules: tuple[str, ...] = ("floor-rules/1", "floor-rules/1-full")
    venue_revisions: str = "report"


@dataclass(frozen=True, slots=True, kw_only=True)
class SharpePolicy:
    """
    What the caller trusts about SharpeArena.

    Args:
        kernels: Scoring kernels that may make a board.
    """

    kernels: tuple[str, ...] = ("0.5.0", "0.28.0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """
    Everything the caller trusts; the defaults are the built-in policy.

    Args:
        as_of: The only clock of an audit, RFC 3339 UTC to the second. None:
            the time that the bundle names, and the report says so.
        arcana: Trust in ARCANA's formulas, chain and senders.
        floor: Trust in the Floor's rule sets.
        sharpe: Trust in SharpeArena's kernels.
        limits: Sizes and counts that evidence may not exceed.
    """

    as_of: str | None = None
    arcana: ArcanaPolicy = field(default_factory=ArcanaPolicy)
    floor: FloorPolicy = field(default_factory=FloorPolicy)
    sharpe: SharpePolicy = field(default_factory=SharpePolicy)
    limits: BundleLimits = field(default_factory=BundleLimits)

    def to_toml(self) -> str:
        """Write the policy in one fixed form, with every default that an audit rests on."""
        lines = [] if self.as_of is None else [f"as_of = {self.as_of}", ""]
        for name in ("arcana", "floor", "sharpe", "limits"):
            section = getattr(self, name)
            lines.append(f"[{name}]")
            lines += [
                f"{item.name} = {_toml_value(item.name, getattr(section, item.name))}"
                for item in fields(section)
                if (item.name, getattr(section, item.name)) != ("confirmations", CONFIRMATIONS)
            ]
            lines.append("")
        return "\n".join(lines).rstrip("\n") + "\n"

    @property
    def sha256(self) -> str:
        """Hash of :meth:`to_toml`, as reports state it."""
        return hashlib.sha256(self.to_toml().encode()).hexdigest()


def load_policy(path: Path) -> Policy:
    """
    Read a policy file.

    Raises:
        PolicyError: The file cannot be read, is no TOML, or holds an unknown
            key or a value that makes no sense; the error names the key.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_POLICY_BYTES + 1)
    except OSError as error:
        raise PolicyError(f"cannot be read: {error.strerror}", file=str(path)) from None
    return parse_policy(data, file=str(path))


def parse_policy(data: bytes, *, file: str = "policy") -> Policy:
    r"""
    Read a policy from TOML text; errors as in :func:`load_policy`.

    >>> parse_policy(b'[arcana]\nparticipation = "engine"').arcana.participation
    'engine'
    """
    import tomllib  # noqa: PLC0415 - most commands run without a policy file

    if len(data) > MAX_POLICY_BYTES:
        raise PolicyError(f"longer than {MAX_POLICY_BYTES} bytes", file=file)
    try:
        table = tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        raise PolicyError("is not UTF-8", file=file, offset=error.start) from None
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(f"is not TOML: {error}", file=file) from None
    except ValueError:
        raise PolicyError("holds a number of too many digits", file=file) from None
    except RecursionError:
        raise PolicyError("is nested too deeply", file=file) from None
    try:
        return _policy(table)
    except PolicyError as error:
        error.file = file
        raise


def _policy(table: Mapping[str, Any]) -> Policy:
    _known(table, ("as_of", "arcana", "floor", "sharpe", "limits"), "")
    as_of = table.get("as_of")
    return Policy(
        as_of=None if as_of is None else _moment("as_of", as_of),
        arcana=_section(table, "arcana", ArcanaPolicy, _ARCANA_KEYS),
        floor=_section(table, "floor", FloorPolicy, _FLOOR_KEYS),
        sharpe=_section(table, "sharpe", SharpePolicy, {"kernels": _texts}),
        limits=_section(
            table, "limits", BundleLimits, {item.name: _count for item in fields(BundleLimits)}
        ),
    )


def _section(
    table: Mapping[str, Any],
    name: str,
    make: Callable[..., _Section],
    keys: Mapping[str, Callable[[str, Any], Any]],
) -> _Section:
    section = table.get(name, {})
    if not isinstance(section, dict):
        raise PolicyError("must be a table", pointer=f"/{name}")
    _known(section, tuple(keys), f"/{name}")
    return make(**{key: keys[key](f"{name}/{key}", value) for key, value in section.items()})


def _known(table: Mapping[str, Any], keys: tuple[str, ...], pointer: str) -> None:
    for key in table:
        if key not in keys:
            raise PolicyError(
                f"unknown key, known are {', '.join(keys)}", pointer=f"{pointer}/{key}"
            )


def _moment(key: str, value: Any) -> str:  # noqa: ANN401 - decoded TOML
    if not isinstance(value, datetime) or value.tzinfo is None or value.microsecond:
        raise PolicyError(
            "must be a time with a zone and whole seconds, as 2026-09-20T03:30:00Z",
            pointer=f"/{key}",
        )
    try:
        moment = value.astimezone(UTC).replace(tzinfo=None)
    except (OverflowError, ValueError):
        raise PolicyError("is outside the calendar", pointer=f"/{key}") from None
    # Not strftime, which writes the year 1 with one digit.
    return f"{moment.isoformat()}Z"


def _texts(key: str, value: Any) -> tuple[str, ...]:  # noqa: ANN401 - decoded TOML
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise PolicyError("must be a list of texts", pointer=f"/{key}")
    return tuple(value)


def _addresses(key: str, value: Any) -> tuple[str, ...]:  # noqa: ANN401 - decoded TOML
    addresses = tuple(item.lower() for item in _texts(key, value))
    for address in addresses:
        if _ADDRESS.match(address) is None:
            raise PolicyError(f"{address!r} is no address of 20 bytes", pointer=f"/{key}")
    return addresses


def _count(key: str, value: Any) -> int:  # noqa: ANN401 - decoded TOML
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value < 1 << 63:
        raise PolicyError(
            "must be a whole number of at least 1 and at most 64 bits", pointer=f"/{key}"
        )
    return value


def _choice(*choices: str) -> Callable[[str, Any], str]:
    def read(key: str, value: Any) -> str:  # noqa: ANN401 - decoded TOML
        if value not in choices:
            raise PolicyError(f"must be one of {', '.join(choices)}", pointer=f"/{key}")
        return str(value)

    return read


_ARCANA_KEYS: Final[Mapping[str, Callable[[str, Any], Any]]] = {
    "chain_id": _count,
    "senders": _addresses,
    "participation": _choice(*PARTICIPATION_RULES),
    "formulas": _texts,
    "schemes": _texts,
    "sealing_start": _moment,
    "commitments_start": _moment,
    "confirmations": _count,
}
_FLOOR_KEYS: Final[Mapping[str, Callable[[str, Any], Any]]] = {
    "rules": _texts,
    "venue_revisions": _choice(*REVISION_RULES),
}


def _toml_value(name: str, value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml_text(str(item)) for item in value) + "]"
    if isinstance(value, str):
        return value if name.endswith("_start") else _toml_text(value)
    return str(value)


def _toml_text(text: str) -> str:
    # TOML's basic string: JSON's escapes, and DEL too must be written as one.
    import json  # noqa: PLC0415 - only for showing a policy

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
