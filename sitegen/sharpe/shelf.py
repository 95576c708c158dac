"""Where everything of one season of boards stands on the site: see ``sitegen.shelf``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitegen.names import unique_names
from sitegen.shelf import SeasonShelf
from verifier.dossier.sharpe import Arena, load_arena

if TYPE_CHECKING:
    from sitegen.model import Season

__all__ = ["Shelf", "kernel_path"]


def kernel_path(kernel: str) -> str:
    """Page of a scoring kernel."""
    return f"formulas/sharpe-kernel-{kernel}/index.html"


class Shelf(SeasonShelf):
    """
    One season's evidence, and the addresses of its pages.

    Args:
        season: The frozen season.

    Raises:
        EvidenceError: A board of it is no strict JSON.
    """

    def __init__(self, season: Season) -> None:
        super().__init__(season)
        self.arena: Arena = load_arena(season.bundle, season.policy)
        self.boards = unique_names(self.arena.names)
        # An agent has one name of a folder, on all boards.
        self.policies = unique_names(self.arena.policies)

    def board_page(self, name: str) -> str:
        """The page of a board."""
        return f"{self.season.root}boards/{self.boards[name]}/index.html"

    def entry_page(self, board: str, policy: str) -> str:
        """The page of an agent on a board."""
        return f"{self.season.root}boards/{self.boards[board]}/{self.policies[policy]}/index.html"

    def download(self, board: str, what: str) -> str:
        """The name, without ending, of a table to take away."""
        return f"{self.season.root}downloads/boards/{self.boards[board]}/{what}"

    def row_anchor(self, policy: str) -> str:
        """The row of an agent in the table of a board."""
        return f"agent-{self.policies[policy]}"
