"""Runs that show the compiler what is run often: for a wheel that is built with a profile.

    MATURIN_PGO=1 make wheel

builds the wheel twice: first with counters in it, then, after these runs, as they counted. Results
do not change, not to the last bit. Needs `rustup component add llvm-tools`.
"""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import hopwright as hw

SCENARIOS = Path(__file__).resolve().parents[1] / "scenarios"

RUNS: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("chain", {"profile": "ns2", "duration_s": 300}),
    ("chain", {"duration_s": 60}),
    ("grid", {"radio.interference": "sum"}),
    ("mobile", {"duration_s": 200}),
    ("mobile", {"routing.protocol": "dsr", "duration_s": 200}),
    ("mobile", {"routing.protocol": "olsr", "duration_s": 60}),
    ("ofdm", {}),
    ("bundles", {"duration_s": 20}),
)
"""A scenario, and what is set in it."""


def train() -> None:
    """Each as a sweep runs it, without recording, and for a tenth of the time with its series."""
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, settings) in enumerate(RUNS):
            scenario = hw.load(SCENARIOS / f"{name}.toml", settings)
            hw.run(scenario)
            short = {**settings, "duration_s": scenario.duration_s / 10 + 2}
            recorded = hw.load(SCENARIOS / f"{name}.toml", short)
            hw.run(recorded, out=Path(folder, str(number)))


if __name__ == "__main__":
    train()
