"""The command ``watch`` in this process: no socket, no waiting."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from arena.server import Arena
from fetching import Clock, Done
from publisher import Files, publish

from verifier.cli import main
from verifier.collect import http


@dataclass(slots=True)
class Observer:
    """Somebody who watches a publisher."""

    folder: Path
    state: Path
    arena: Arena
    run: Callable[..., Done]

    def sees(self, files: Files, *options: Any) -> Done:
        """Publish, then look."""
        publish(self.folder, files)
        self.arena.__dict__.pop("platform", None)
        return self.looks(*options)

    def looks(self, *options: Any) -> Done:
        """Look at what is published."""
        return self.run(self.arena.url, "--state", self.state, *options)

    def checks(self, number: int = 1) -> Done:
        """Check a proof that was written."""
        return self.run("--check", self.state / "rewrites" / str(number))

    def observations(self) -> list[Path]:
        """The files of the observations, in order."""
        return sorted((self.state / "observations").iterdir())


@pytest.fixture
def observer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Observer:
    """Somebody who has seen nothing yet, and a publisher of files."""
    folder = publish(tmp_path / "published", {})
    arena = Arena(folder, endpoints=False)
    client = http.Client
    clock = Clock()
    monkeypatch.setattr(
        http,
        "Client",
        lambda **given: client(**{**given, "waits": clock.waits(), "transport": arena.transport()}),
    )

    def run(*arguments: Any) -> Done:
        with pytest.raises(SystemExit) as leaving:
            main(["watch", *map(str, arguments)])
        captured = capsys.readouterr()
        assert isinstance(leaving.value.code, int)
        return Done(leaving.value.code, captured.out, captured.err)

    return Observer(folder, tmp_path / "state", arena, run)
