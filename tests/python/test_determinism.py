"""The same scenario and seed give the same bits: here with the optimised build that users have.

`cargo test` checks the same table with the other build (crates/scenario/tests/determinism.rs).
"""

from pathlib import Path

import pytest

import hopwright
from hopwright._io.data import Json, at
from hopwright._io.parquet import read_table

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "crates" / "scenario" / "tests" / "fingerprints.txt"
ROWS = [line.split() for line in TABLE.read_text().splitlines() if not line.startswith("#")]


def without_wall_time(value: Json) -> Json:
    if isinstance(value, dict):
        return {k: without_wall_time(v) for k, v in value.items() if k != "wall_s"}
    if isinstance(value, list):
        return [without_wall_time(v) for v in value]
    return value


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]}-{row[1]}" for row in ROWS])
def test_every_scenario_has_its_fingerprint(row: list[str]) -> None:
    file, profile, seed, duration_s, frames, fingerprint = row
    settings = {"profile": profile, "seed": int(seed), "duration_s": float(duration_s)}
    summary = hopwright.run(hopwright.load(ROOT / "scenarios" / file, settings)).summary
    found = at(summary, "results", 0, "frames"), at(summary, "results", 0, "fingerprint")
    assert found == (int(frames), fingerprint)


@pytest.mark.parametrize("file", ["chain.toml", "mobile.toml"])
def test_one_job_and_two_give_the_same(file: str) -> None:
    scenario = hopwright.load(ROOT / "scenarios" / file, {"duration_s": 20})
    one, two = (hopwright.run(scenario, runs=4, jobs=jobs).summary for jobs in (1, 2))
    assert at(one, "results", 0, "wall_s") is not None
    assert without_wall_time(one) == without_wall_time(two)
    seeds = {at(one, "results", run, "fingerprint") for run in range(4)}
    assert len(seeds) == 4


@pytest.mark.parametrize("routing", ["aodv", "dsr"])
def test_nodes_that_sleep_have_the_same_series(routing: str, tmp_path: Path) -> None:
    """Where packets are traced, no node sleeps (docs/design-speed.md)."""
    keys = {"duration_s": 20, "routing.protocol": routing, "output.series": ["backoff", "cwnd"]}
    for lineage in ("off", "all"):
        settings = {**keys, "output.lineage": lineage}
        scenario = hopwright.load(ROOT / "scenarios" / "mobile.toml", settings)
        hopwright.run(scenario, out=tmp_path / lineage)
    asleep, awake = (read_table(tmp_path / each / "series.parquet") for each in ("off", "all"))
    assert asleep.num_rows > 1000
    assert asleep.to_struct_array().to_pylist() == awake.to_struct_array().to_pylist()
