"""The package as a library."""

import json
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


def test_the_output_table_is_there_with_its_defaults(chain: Path) -> None:
    output = json.loads(hopwright.load(chain, {"output.pcap": "[0, 3]"}).output_json())
    assert output["pcap"] == [0, 3]
    assert output["figures"] == ["cwnd", "sequence", "rtt", "queue"]
    assert (output["ns2_trace"], output["series_interval_s"]) == ("off", 0)


def test_a_wrong_scenario_says_where(chain: Path) -> None:
    with pytest.raises(hopwright.ScenarioError, match=r"flows\.0\.transport\.protocol.*newreno"):
        hopwright.load(chain, {"flows.0.transport.protocol": "newremo"})
    with pytest.raises(ValueError, match="at least 1"):
        hopwright.run(chain, runs=0)
