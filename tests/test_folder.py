"""Files of a folder that strangers may have written to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from verifier import folder
from verifier.errors import FormatError, LimitError

if TYPE_CHECKING:
    from pathlib import Path


def test_what_never_ends_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe is not waited for, a device not read, and a large file not held."""
    monkeypatch.setattr(folder, "FILE_BYTES", 9)
    place = tmp_path / "file"
    place.write_bytes(b"123456789")
    assert folder.content_of(place) == b"123456789"
    place.write_bytes(b"1234567890")
    with pytest.raises(LimitError, match=r"file: over 9 bytes \(limit folder_bytes\)"):
        folder.content_of(place)
    place.unlink()
    os.mkfifo(place)
    (tmp_path / "device").symlink_to("/dev/zero")
    for name in ("file", "device", "."):
        with pytest.raises((FormatError, IsADirectoryError)):
            folder.content_of(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        folder.content_of(tmp_path / "none")
