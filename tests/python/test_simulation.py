"""A run in steps, from Python."""

import _thread
import json
import math
import threading
import time
from pathlib import Path

import polars as pl
import pytest

import hopwright as hw
from hopwright._io.data import Json, items
from sweeping import DATAGRAMS


def untimed(summary: Json) -> str:
    """A summary without the time that its runs took."""
    assert isinstance(summary, dict)
    about = json.loads(json.dumps(summary))
    for part in (*about["results"], about["mean"]):
        part.pop("wall_s")
    return json.dumps(about)


def test_in_steps_it_is_the_run_in_one_piece(chain: Path) -> None:
    whole = hw.run(chain)
    with hw.Simulation(chain) as simulation:
        assert (simulation.now_s, simulation.end_s, simulation.seed) == (0, 10, 7)
        for step in range(1, 1001):
            simulation.advance(step / 100)
            assert simulation.now_s == step / 100
        results = simulation.results()
    assert untimed(results.summary) == untimed(whole.summary)
    assert results.scenario.to_toml() == whole.scenario.to_toml()
    assert simulation.results() is results


def test_another_seed(chain: Path) -> None:
    results = hw.Simulation(chain, 21).results()
    whole = hw.run(hw.load(chain, {"seed": 21}))
    assert untimed(results.summary) == untimed(whole.summary)
    with pytest.raises(ValueError, match="seed: must be from 0 to"):
        hw.Simulation(chain, -1)


def test_what_flows_and_nodes_are_doing(chain: Path) -> None:
    with hw.Simulation(chain) as simulation:
        (flow,) = simulation.flows
        assert flow.tcp is not None
        assert (flow.number, flow.from_, flow.to, flow.sent, flow.received_bytes) == (0, 0, 3, 0, 0)
        assert math.isinf(flow.tcp.ssthresh_segments)
        assert flow.tcp.srtt_s is None
        simulation.advance(5)
        (flow,) = simulation.flows
        assert flow.tcp is not None
        assert flow.sent > 0
        assert flow.received_bytes > 0
        assert flow.tcp.cwnd_segments >= 1
        assert flow.tcp.in_flight_segments > 0
        assert flow.tcp.srtt_s
        assert flow.tcp.rto_s >= flow.tcp.srtt_s
        assert flow.tcp.phase in {"slow_start", "congestion_avoidance", "recovery", "rto"}
        assert flow.tcp.mechanisms["avoidance"] == "additive"
        assert len(flow.tcp.mechanisms) == 12
        nodes = simulation.nodes
        assert [node.number for node in nodes] == [0, 1, 2, 3]
        assert [node.x_m for node in nodes] == [0, 200, 400, 600]
        assert all(node.is_up and node.queue_packets <= node.held_packets for node in nodes)
        route = simulation.route(0, 3)
        assert route is not None
        assert (route.next_hop, route.hops) == (1, 3)
        for wrong in (1, -1):
            with pytest.raises(
                IndexError, match=f"there is no flow {wrong}: there is one flow, number 0"
            ):
                simulation.swap(wrong, {"avoidance": "vegas"})
        for ends in ((0, 4), (-1, 0)):
            with pytest.raises(
                IndexError, match=r"there is no node (4|-1): there are 4 nodes, numbered 0 to 3"
            ):
                simulation.route(*ends)


def test_a_flow_of_datagrams_has_no_mechanisms(chain: Path) -> None:
    chain.write_text(chain.read_text().partition("[[flows]]")[0] + DATAGRAMS)
    with hw.Simulation(chain) as simulation:
        simulation.advance(5)
        (flow,) = simulation.flows
        assert (flow.tcp, flow.from_, flow.to) == (None, 3, 0)
        assert flow.sent > 10
        assert flow.received_bytes > 1000
        with pytest.raises(ValueError, match="flow 0 has no mechanisms: it is not over TCP"):
            simulation.swap(0, {"avoidance": "vegas"})


def test_mechanisms_are_swapped_all_or_none(chain: Path) -> None:
    with hw.Simulation(chain) as simulation:
        simulation.advance(3)
        for mechanisms, why in [
            ({"avoidance": "vegas", "acking": "never"}, "the slot has no such mechanism"),
            ({"avoidance": "vegas", "brakes": "on"}, "no such slot; slots are control"),
            ({"avoidance": "vegas", "recovery": "sack"}, "reads selective acknowledgements"),
        ]:
            with pytest.raises(ValueError, match=why):
                simulation.swap(0, mechanisms)
        (flow,) = simulation.flows
        assert flow.tcp is not None
        assert flow.tcp.mechanisms["avoidance"] == "additive"
        was = simulation.swap(0, {"avoidance": "vegas", "acking": "delayed"})
        assert was == {"avoidance": "additive", "acking": "every"}
        (flow,) = simulation.flows
        assert flow.tcp is not None
        assert flow.tcp.mechanisms["avoidance"] == "vegas"
        changed = simulation.results()
    plain = hw.run(chain)
    assert fingerprint(changed) != fingerprint(plain)


def fingerprint(results: hw.Results) -> Json:
    (run,) = items(results.summary, "results")
    assert isinstance(run, dict)
    return run["fingerprint"]


def test_times_that_cannot_be(chain: Path) -> None:
    with hw.Simulation(chain) as simulation:
        simulation.advance(4)
        for to_s, why in [
            (3.9, r"cannot go back to 3.9 s: it is 4.0 s"),
            (10.1, r"cannot go to 10.1 s: the run ends at 10.0 s"),
            (1e308, r"cannot go to 1e\+308 s: the run ends at 10.0 s"),
            (-(10**400), "cannot go back to -10"),
            (math.nan, "a number of seconds"),
            (math.inf, "a number of seconds"),
        ]:
            with pytest.raises(ValueError, match=why):
                simulation.advance(to_s)
        simulation.advance(4)
        assert simulation.now_s == 4
        assert repr(simulation) == "<Simulation of 'chain-3', seed 7: 4 s of 10 s>"
    assert repr(simulation) == "<Simulation of 'chain-3', seed 7: over>"
    for use in (lambda: simulation.advance(5), lambda: simulation.flows, simulation.results):
        with pytest.raises(ValueError, match="the simulation is over"):
            use()


def test_a_folder_is_there_when_results_are(chain: Path, tmp_path: Path) -> None:
    scenario = hw.load(chain, {"output.lineage": "all", "output.pcap": "all"})
    steps, whole = tmp_path / "steps", tmp_path / "whole"
    hw.run(scenario, out=whole)
    with hw.Simulation(scenario, out=steps) as simulation:
        simulation.advance(2.5)
        assert not steps.exists()
        results = simulation.results()
    assert results.folder == steps
    files = {file.name for file in whole.iterdir()}
    assert {file.name for file in steps.iterdir()} == files
    assert {"events.parquet", "series.parquet", "node-0.pcapng", "flow-0.svg"} <= files
    for name in files - {"summary.json"}:
        assert (steps / name).read_bytes() == (whole / name).read_bytes(), name
    assert len(results.series()) > 0
    with pytest.raises(hw.InputError, match="steps"):
        hw.Simulation(scenario, out=steps)
    hw.Simulation(scenario, out=steps, overwrite=True).results()


def test_what_is_closed_leaves_nothing(chain: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    with hw.Simulation(chain, out=out) as simulation:
        simulation.advance(1)
    simulation.close()
    assert not out.parent.exists()
    with pytest.raises(RuntimeError, match="mine"), hw.Simulation(chain, out=out):
        raise RuntimeError("mine")
    assert not out.parent.exists()


def test_series_without_a_folder(chain: Path) -> None:
    simulation = hw.Simulation(chain, series=True)
    simulation.advance(1)
    stepped = pl.DataFrame(simulation.results().series())
    assert stepped.equals(pl.DataFrame(hw.run(chain, series=True).series()))


def step_until_interrupted(simulation: hw.Simulation) -> None:
    """A short step, a long one, and patience where machines are fast."""
    for to_s in (1, 2000):
        simulation.advance(to_s)
    while True:
        time.sleep(0.01)


def test_an_interrupt_stops_a_step_and_the_run_can_go_on(chain: Path) -> None:
    scenario = hw.load(chain, {"duration_s": 2000})
    whole = hw.run(scenario)
    simulation = hw.Simulation(scenario)
    threading.Timer(0.3, _thread.interrupt_main).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        step_until_interrupted(simulation)
    assert time.monotonic() - begin < 20
    assert untimed(simulation.results().summary) == untimed(whole.summary)


def test_threads_share_a_simulation(chain: Path) -> None:
    simulation = hw.Simulation(chain)
    threads = [
        threading.Thread(target=lambda: simulation.advance(simulation.end_s)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert untimed(simulation.results().summary) == untimed(hw.run(chain).summary)


def test_progress_is_told_of_long_steps(chain: Path, capfd: pytest.CaptureFixture[str]) -> None:
    scenario = hw.load(chain, {"duration_s": 300})
    simulation = hw.Simulation(scenario, progress=True)
    simulation.advance(1)
    assert capfd.readouterr().err == ""
    simulation.results()
    assert "chain-3" in capfd.readouterr().err


def test_a_folder_that_cannot_be(chain: Path) -> None:
    with pytest.raises(hw.InputError, match="/proc/new: cannot write there"):
        hw.Simulation(chain, out="/proc/new")


def test_a_scenario_that_is_wrong(chain: Path) -> None:
    chain.write_text(chain.read_text() + "\ncolour = 1\n")
    with pytest.raises(hw.ScenarioError, match="colour"):
        hw.Simulation(chain)
