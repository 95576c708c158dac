"""
Pagefind's index, for sites that are served: an extra that is asked for.

The ``pagefind`` package brings the program. It writes under ``pagefind/``; its bytes are
no function of the pages alone, so ``site check`` does not compare them with a rebuild, and
compares neither stamp nor sums of such a site, which list them.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

from sitegen.write import hash_file
from verifier.errors import SiteError

if TYPE_CHECKING:
    from pathlib import Path

    from sitegen.write import Written

__all__ = ["index_pages"]


def index_pages(folder: Path) -> dict[str, Written]:
    """
    Run Pagefind over the pages of a folder.

    Args:
        folder: The site, with all its pages written.

    Returns:
        The files that it wrote, by their path from the root of the site.

    Raises:
        SiteError: Pagefind is not installed, or failed.
    """
    if find_spec("pagefind") is None:
        raise SiteError("pagefind is not installed: pip install 'tallyproof[pagefind]'")
    done = subprocess.run(  # noqa: S603 - our own interpreter, and a folder of ours
        [sys.executable, "-m", "pagefind", "--site", str(folder)],
        check=False,
        capture_output=True,
        text=True,
        errors="replace",
    )
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no reason given"]
        raise SiteError(f"pagefind failed: {last[0]}")
    return {
        path.relative_to(folder).as_posix(): hash_file(path)
        for path in sorted((folder / "pagefind").rglob("*"))
        if path.is_file()
    }
