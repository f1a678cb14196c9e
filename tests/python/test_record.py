"""What a run leaves in its folder besides its summary."""

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import hopwright
from hopwright._io.data import Object, at
from processes import Hopwright

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
EVERYTHING = ["--set", "output.pcap=all", "--set", "output.ns2_trace=old"]
NOTHING = ["--set", "output.series=[]", "--set", "output.figures=[]"]
TRACES = {"series.parquet", "trace.tr", *(f"node-{n}.pcapng" for n in range(4))}
DESCRIBED = {"summary.json", "scenario.toml"}
DRAWN = {"flow-0.svg", "network.json"}


def files_in(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}


def summary_of(folder: Path) -> Object:
    """The summary without what depends on the machine."""
    summary: Object = json.loads((folder / "summary.json").read_text())
    for part in (at(summary, "results", 0), at(summary, "mean")):
        assert isinstance(part, dict)
        del part["wall_s"]
    return summary


def test_everything_that_can_be_recorded(hopwright: Hopwright, chain: Path) -> None:
    out = chain.parent / "out"
    done = hopwright("run", chain, "--out", out, *EVERYTHING)
    assert (done.returncode, done.stderr) == (0, "")
    assert files_in(out) == DESCRIBED | TRACES | DRAWN
    series = (out / "series.parquet").read_bytes()
    assert series.startswith(b"PAR1")
    assert series.endswith(b"PAR1")
    assert (out / "trace.tr").read_text().startswith("s ")

    again = hopwright("run", chain, "--out", out, "--overwrite", "--runs", 2, *EVERYTHING)
    assert again.returncode == 0
    of_seeds = {f"seed-{seed}/{name}" for seed in (7, 8) for name in DESCRIBED | TRACES}
    assert files_in(out) == DESCRIBED | DRAWN | of_seeds
    assert (out / "seed-7" / "series.parquet").read_bytes() == series
    assert (out / "seed-8" / "series.parquet").read_bytes() != series


def test_traces_change_no_result(hopwright: Hopwright, chain: Path) -> None:
    plain, traced = (chain.parent / name for name in ("plain", "traced"))
    assert hopwright("run", chain, "--out", plain, *NOTHING).returncode == 0
    assert hopwright("run", chain, "--out", traced, *EVERYTHING).returncode == 0
    assert files_in(plain) == DESCRIBED
    assert summary_of(plain) == summary_of(traced)


def test_a_folder_is_run_again_wherever_it_lies(hopwright: Hopwright, tmp_path: Path) -> None:
    """The files that a scenario names are beside it: nodes' movements, what computation costs."""
    for file in ("mobile.toml", "energy/congestion.toml"):
        first, moved = tmp_path / "first", tmp_path / "elsewhere"
        short = ["--set", "duration_s=6", "--runs", 2, *NOTHING]
        done = hopwright("run", SCENARIOS / file, "--out", first, *short)
        assert (done.returncode, done.stderr) == (0, "")
        first.rename(moved)
        for scenario in (moved / "scenario.toml", moved / "seed-2" / "scenario.toml"):
            out = tmp_path / "out"
            done = hopwright("run", scenario, "--out", out, "--overwrite", "--seed", 2, *NOTHING)
            assert (done.returncode, done.stderr) == (0, "")
            assert summary_of(out)["results"] == summary_of(moved / "seed-2")["results"]
        shutil.rmtree(moved)


def test_from_python(chain: Path) -> None:
    out = chain.parent / "out"
    summary = hopwright.run(chain, out=out).summary
    assert files_in(out) == DESCRIBED | DRAWN | {"series.parquet"}
    assert json.loads((out / "summary.json").read_text()) == summary
    with pytest.raises(hopwright.InputError, match="has results already"):
        hopwright.run(chain, out=out)
    hopwright.run(hopwright.load(chain, {"output.figures": []}), out=out, overwrite=True)
    assert files_in(out) == DESCRIBED | {"series.parquet"}


@pytest.mark.parametrize("asked_for", ["output.pcap=all", "duration_s=200"])
def test_a_full_disk_leaves_nothing(chain: Path, asked_for: str) -> None:
    """Not even the result has room; see test_extras.py for what is beside it."""
    command = f"{sys.executable} -m hopwright run {chain} --out new/out --runs 3 --set {asked_for}"
    done = subprocess.run(
        ["bash", "-c", f"ulimit -f 1; {command}"],
        cwd=chain.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("hopwright: cannot write: [Errno 27] File too large")
    assert done.stderr.count("\n") == 1
    assert list(chain.parent.iterdir()) == [chain]


def test_a_folder_that_vanishes_is_one_error(chain: Path) -> None:
    scenario = hopwright.load(chain).check()
    from hopwright._run.execute import execute

    with pytest.raises(OSError, match=r"series\.parquet: No such file"):
        execute(scenario, [7], jobs=1, folders=[chain.parent / "gone"])


@pytest.mark.skipif(not shutil.which("tshark"), reason="tshark is not installed")
@pytest.mark.parametrize("name", ["chain", "grid", "mobile"])
def test_wireshark_counts_what_the_summary_says(
    hopwright: Hopwright, tmp_path: Path, name: str
) -> None:
    out = tmp_path / "out"
    small = ["--set", "duration_s=20", "--set", "flows.app=file", "--set", "flows.bytes=90000"]
    only = ["--set", "output.pcap=all", *NOTHING]
    done = hopwright("run", SCENARIOS / f"{name}.toml", "--out", out, *small, *only)
    assert done.returncode == 0, done.stderr
    captures = sorted(out.glob("node-*.pcapng"))
    merged = tmp_path / "all.pcapng"
    subprocess.run(["mergecap", "-w", merged, *captures], check=True)

    sent = "frame.packet_flags_direction == 2"
    columns = ["-e", "frame.comment", "-e", "tcp.dstport", "-e", "tcp.len", "-e", "tcp.seq_raw"]
    table = subprocess.run(
        ["tshark", "-r", merged, "-n", "-Y", sent, "-T", "fields", *columns],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    rows = [line.split("\t") for line in table.splitlines()]
    summary = json.loads((out / "summary.json").read_text())
    assert len(rows) == at(summary, "results", 0, "frames")

    segments: dict[int, dict[str, str]] = {}  # per flow: the bytes that a packet begins with
    for packet, port, length, sequence in rows:
        if port and int(length or 0) > 0:
            segments.setdefault(int(port) - 5001, {})[packet] = sequence
    for index, flow in enumerate(summary["results"][0]["flows"]):
        assert flow["goodput_segments"] == 90_000 // 1460, "the file has arrived"
        again = Counter(segments[index].values())
        # What the station gave up because no CTS came was never on the air.
        unsent = flow["segments_sent"] - again.total()
        assert again.total() - len(again) == flow["retransmissions"] - unsent
