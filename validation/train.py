"""Runs that show the compiler what is run often: for a wheel that is built with a profile.

    MATURIN_PGO=1 make wheel

builds the wheel twice: first with counters in it, then, after these runs, as they counted. Results
do not change, not to the last bit. Needs `rustup component add llvm-tools`.
"""

import sys
import tempfile
from pathlib import Path

from hopwright._cli.main import main

SCENARIOS = Path(__file__).resolve().parents[1] / "scenarios"

RUNS = (
    ("chain", "profile=ns2", "duration_s=300"),
    ("chain", "duration_s=60"),
    ("grid", "radio.interference=sum"),
    ("mobile", "duration_s=200"),
    ("mobile", "routing.protocol=dsr", "duration_s=200"),
    ("mobile", "routing.protocol=olsr", "duration_s=60"),
    ("ofdm",),
    ("bundles", "duration_s=20"),
)
"""A scenario, and what is set in it."""


def train() -> int:
    """Runs them; the exit code is that of the first that fails."""
    with tempfile.TemporaryDirectory() as folder:
        for name, *settings in RUNS:
            words = [word for setting in settings for word in ("--set", setting)]
            out = ["--out", f"{folder}/{name}", "--overwrite", "--jobs", "1"]
            code = main(["run", str(SCENARIOS / f"{name}.toml"), *words, *out])
            if code:
                return code
    return 0


if __name__ == "__main__":
    sys.exit(train())
