"""Numbers that look like those of another unit: taken, and told of wherever a scenario is run."""

import warnings
from pathlib import Path

import pytest

import hopwright as hw
from processes import Hopwright

SLIP = ("--set", "mac.data_rate_mbps=2000")
SAID = (
    "mac.data_rate_mbps: is 2000 Mb/s, but stations of 802.11b, a and g send at 1 to 54 Mb/s; if "
    "2000 kb/s is meant, write 2"
)


@pytest.mark.parametrize(
    "words",
    [
        ("check", *SLIP),
        ("run", *SLIP, "--json"),
        ("sweep", "--vary", "mac.data_rate_mbps=2,2000", "--out", "swept"),
        ("compare", "--vary", "mac.data_rate_mbps=2,2000", "--baseline", "2", "--json"),
    ],
)
def test_commands_warn_and_go_on(hopwright: Hopwright, chain: Path, words: tuple[str, ...]) -> None:
    done = hopwright(words[0], chain, *words[1:])
    assert done.returncode == 0
    lines = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
    assert len(lines) == 1
    assert lines[0].endswith(SAID)


def test_python_warns(chain: Path) -> None:
    slipped = hw.load(chain, {"mac.data_rate_mbps": 2000})
    for act in (lambda: hw.run(slipped), lambda: hw.Simulation(slipped), slipped.check):
        with pytest.warns(hw.HopwrightWarning, match="if 2000 kb/s is meant, write 2") as told:
            act()
        assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hw.run(hw.load(chain, {"mac.data_rate_mbps": 54}))
