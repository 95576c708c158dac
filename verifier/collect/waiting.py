"""
How long to wait: between attempts, and between requests to one host.

* After a failed attempt: a random time up to ``base`` times 2 for each attempt
  so far, at most ``longest`` (full jitter, so that many clients do not return
  at one moment). ``Retry-After``, in seconds or as a date, is obeyed if it asks
  for more; one that asks for more than ``longest`` ends the work.
* Between requests: a bucket of tokens a host. It fills at the host's rate and
  holds a second of it; each request takes what it costs.

Clock, sleep and chance are arguments, so that tests wait for nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Pace", "jittered", "retry_after"]

_SECONDS: Final = re.compile(r"[0-9]{1,9}")


def retry_after(value: str | None, now_ms: int) -> float:
    """
    Read the header ``Retry-After``.

    Args:
        value: Seconds, or a date of HTTP; None if it did not come.
        now_ms: When it came, ms since 1970 UTC.

    Returns:
        Seconds to wait; 0 where it says nothing that can be read.

    >>> retry_after("120", 0)
    120.0
    >>> retry_after("Thu, 01 Jan 1970 00:00:09 GMT", 2000)
    7.0
    >>> retry_after("soon", 0)
    0.0
    """
    if value is None:
        return 0.0
    if _SECONDS.fullmatch(value.strip()):
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
        return max(0.0, moment.timestamp() - now_ms / 1000)
    except (ValueError, TypeError, OverflowError, OSError):
        return 0.0


def jittered(attempt: int, *, base: float, longest: float, random: Callable[[], float]) -> float:
    """
    Draw the time to wait after a failed attempt.

    Args:
        attempt: Its number, from 1.
        base: Seconds.
        longest: Most seconds.
        random: Draws from [0, 1).
    """
    return random() * min(longest, base * 2.0 ** min(attempt, 32))


@dataclass(slots=True)
class Pace:
    """
    Rates of requests, one bucket a host.

    Args:
        rates: Cost a second by host.
        default: Cost a second of any other host.
        clock: Seconds, never going back.
        sleep: Waits for seconds.
    """

    rates: Mapping[str, float]
    default: float
    clock: Callable[[], float]
    sleep: Callable[[float], None]
    _buckets: dict[str, tuple[float, float]] = field(default_factory=dict, init=False)

    def take(self, host: str, cost: float) -> None:
        """Wait until a request of this cost may go to the host."""
        rate = self.rates.get(host, self.default)
        now = self.clock()
        tokens, before = self._buckets.get(host, (rate, now))
        # What a costly request lacks is waited for, and not saved up beforehand.
        tokens = min(rate, tokens + (now - before) * rate) - cost
        self._buckets[host] = tokens, now
        if tokens < 0:
            self.sleep(-tokens / rate)
