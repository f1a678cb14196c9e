"""The package as a library."""

from pathlib import Path

import pytest

import hopwright
from hopwright.data import number


def test_load_and_run(chain: Path) -> None:
    scenario = hopwright.load(chain, {"duration_s": 5, "flows.transport.protocol": "reno"})
    assert (scenario.name, scenario.seed, scenario.duration_s) == ("chain-3", 7, 5.0)
    assert (scenario.node_count, scenario.flow_count) == (4, 1)
    assert 'protocol = "reno"' in scenario.to_toml()
    summary = hopwright.run(scenario, runs=2, jobs=2)
    assert number(summary, "runs") == 2
    assert number(summary, "mean", "flows", 0, "goodput_bps")


def test_run_takes_a_path(chain: Path) -> None:
    assert hopwright.run(chain)["scenario"] == "chain-3"


def test_a_wrong_scenario_says_where(chain: Path) -> None:
    with pytest.raises(hopwright.ScenarioError, match=r"flows\.0\.transport\.protocol.*newreno"):
        hopwright.load(chain, {"flows.0.transport.protocol": "newremo"})
    with pytest.raises(ValueError, match="at least 1"):
        hopwright.run(chain, runs=0)
