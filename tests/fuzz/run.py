"""
Run one fuzz target with atheris: ``python tests/fuzz/run.py TARGET OPTION...``.

The options are libFuzzer's, such as ``-max_total_time=30``, or ``-runs=2000 -seed=1``
for a run that is the same every time.

What is found is written to ``build/fuzz/<target>``: inputs that widen the
coverage, from which the next run goes on, and those that crash. A crash worth
keeping goes into the corpus of its target, where ``test_corpus.py`` replays it.
"""

import runpy
import sys
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
LONGEST_INPUT: Final = 65_536


def main(target: str, *limits: str) -> None:
    """Fuzz the ``one_input`` of a target, from its corpus, within the limits given."""
    import atheris  # noqa: PLC0415 - not to be had on every platform

    name = Path(target).stem.removeprefix("fuzz_")
    sys.path.insert(0, str(HERE.parent))  # what tests share, as under pytest
    with atheris.instrument_imports(include=["formulas", "sitegen", "verifier"]):
        one_input = runpy.run_path(target)["one_input"]
    found = HERE.parents[1] / "build" / "fuzz" / name
    found.mkdir(parents=True, exist_ok=True)
    options = [
        f"-max_len={LONGEST_INPUT}",
        f"-artifact_prefix={found}/",
        "-timeout=10",  # of the clock: on a busy machine an option of the caller's raises it
        "-verbosity=0",
        "-print_final_stats=1",
        *limits,
    ]
    atheris.Setup([target, *options, str(found), str(HERE / "corpus" / name)], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
