"""Where the pages and files of a season of boards lie, from the root of the site."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sitegen.names import unique_names

if TYPE_CHECKING:
    from sitegen.model import Season
    from verifier.dossier.sharpe import Arena

__all__ = ["Addresses", "kernel_path"]


def kernel_path(kernel: str) -> str:
    """Page of a scoring kernel."""
    return f"formulas/sharpe-kernel-{kernel}/index.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """
    Addresses in one season.

    Args:
        season: The season.
        boards: From the name of a board to its folder's.
        policies: From the name of an agent to its folder's; one for all boards.
    """

    season: Season
    boards: dict[str, str]
    policies: dict[str, str]

    @classmethod
    def of(cls, season: Season, arena: Arena) -> Addresses:
        """Give every board and every agent of a season a name of its own."""
        return cls(
            season=season,
            boards=unique_names(arena.names),
            policies=unique_names(arena.policies),
        )

    @property
    def index(self) -> str:
        """The list of boards."""
        return f"{self.season.root}index.html"

    def board(self, name: str) -> str:
        """The page of a board."""
        return f"{self.season.root}boards/{self.boards[name]}/index.html"

    def entry(self, board: str, policy: str) -> str:
        """The page of an agent on a board."""
        return f"{self.season.root}boards/{self.boards[board]}/{self.policies[policy]}/index.html"

    def download(self, board: str, what: str) -> str:
        """The name, without ending, of a table to take away."""
        return f"{self.season.root}downloads/boards/{self.boards[board]}/{what}"

    def evidence(self, path: str) -> str:
        """A file of the bundle."""
        return f"{self.season.evidence}{path}"

    def anchor(self, policy: str) -> str:
        """The row of an agent in the table of a board."""
        return f"agent-{self.policies[policy]}"
