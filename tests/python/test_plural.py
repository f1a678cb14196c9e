"""One of a thing is not several: counts in sentences."""

from pathlib import Path

import pytest

import hopwright as hw
from hopwright._io.notebook import told_of_runs
from hopwright._io.plural import many
from hopwright.sweeps.unfinished import Unfinished


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        (many(0, "run"), "0 runs"),
        (many(1.0, "run"), "1 run"),
        (many(2, "try", "tries"), "2 tries"),
        (many(1, "run is", "runs are"), "1 run is"),
        (told_of_runs(0, 1), "0 of 1 run"),
        (told_of_runs(1200, 2000), "1,200 of 2,000 runs"),
        (
            str(Unfinished(Path("a"), frozenset(), 1, 1)),
            "a: 1 of 1 run is finished; --resume makes the others",
        ),
    ],
)
def test_one_is_not_several(told: str, wanted: str) -> None:
    assert told == wanted


def test_a_sweep_of_one_run_says_so(chain: Path) -> None:
    done = hw.sweep(chain, {"mac.cw_min": [15]}, overrides={"duration_s": 2.0})
    assert repr(done) == "<Sweep of 'chain-3' over mac.cw_min: 1 point, 1 run>"
