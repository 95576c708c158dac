"""
Run one fuzz target with atheris: ``python tests/fuzz/run.py TARGET SECONDS``.

What is found is written to ``build/``; a crash worth keeping goes into the
corpus of its target, where ``test_corpus.py`` replays it for ever. Inputs that
only widen the coverage are dropped at the end.
"""

import runpy
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

HERE: Final = Path(__file__).parent
LONGEST_INPUT: Final = 65_536


def main(target: str, seconds: str) -> None:
    """Fuzz the ``one_input`` of a target, from its corpus, for so many seconds."""
    import atheris  # noqa: PLC0415 - not to be had on every platform

    name = Path(target).stem.removeprefix("fuzz_")
    with atheris.instrument_imports(include=["formulas", "verifier"]):
        one_input = runpy.run_path(target)["one_input"]
    artifacts = HERE.parents[1] / "build"
    artifacts.mkdir(exist_ok=True)
    with TemporaryDirectory() as found:
        options = [
            f"-max_total_time={seconds}",
            f"-max_len={LONGEST_INPUT}",
            f"-artifact_prefix={artifacts}/{name}-",
            "-timeout=10",
            "-verbosity=0",
            "-print_final_stats=1",
        ]
        atheris.Setup([target, *options, found, str(HERE / "corpus" / name)], one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
