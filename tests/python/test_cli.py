"""The program as a whole, run as its users run it."""

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

import hopwright as hw
from hopwright._io.data import Json
from processes import Hopwright


def without_wall_time(value: Json) -> Json:
    if isinstance(value, dict):
        return {k: without_wall_time(v) for k, v in value.items() if k != "wall_s"}
    if isinstance(value, list):
        return [without_wall_time(v) for v in value]
    return value


FOLDER = {"summary.json", "scenario.toml", "series.parquet", "flow-0.svg", "network.json"}


def files_in(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}


def test_json_is_all_there_is_on_stdout(hopwright: Hopwright, chain: Path) -> None:
    done = hopwright("run", chain, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    summary = json.loads(done.stdout)
    assert list(summary) == [
        "scenario", "version", "seed", "runs", "duration_s", "results", "mean", "ci95",
    ]  # fmt: skip
    assert (summary["scenario"], summary["seed"], summary["runs"]) == ("chain-3", 7, 1)
    assert summary["duration_s"] == 10
    assert summary["ci95"] is None
    (result,) = summary["results"]
    assert result["seed"] == 7
    assert result["events"] > 0
    assert result["frames"] > 0
    (flow,) = result["flows"]
    assert (flow["from"], flow["to"], flow["protocol"]) == (0, 3, "newreno")
    assert flow["goodput_bps"] > 10_000
    assert summary["mean"]["flows"][0]["goodput_bps"] == flow["goodput_bps"]
    assert files_in(chain.parent) == {"chain.toml"}


def test_several_seeds(hopwright: Hopwright, chain: Path) -> None:
    summary = json.loads(hopwright("run", chain, "--json", "--runs", 3, "--seed", 20).stdout)
    assert [result["seed"] for result in summary["results"]] == [20, 21, 22]
    goodput = [result["flows"][0]["goodput_bps"] for result in summary["results"]]
    assert summary["mean"]["flows"][0]["goodput_bps"] == pytest.approx(sum(goodput) / 3)
    assert summary["ci95"]["flows"][0]["goodput_bps"] >= 0
    assert "seed" not in summary["mean"]
    alone = json.loads(hopwright("run", chain, "--json", "--seed", 21).stdout)
    assert without_wall_time(alone["results"][0]) == without_wall_time(summary["results"][1])


def test_jobs_change_nothing(hopwright: Hopwright, chain: Path) -> None:
    one = hopwright("run", chain, "--json", "--runs", 4, "--jobs", 1)
    two = hopwright("run", chain, "--json", "--runs", 4, "--jobs", 2)
    assert without_wall_time(json.loads(one.stdout)) == without_wall_time(json.loads(two.stdout))


def test_readable_summary_and_folder(hopwright: Hopwright, chain: Path) -> None:
    done = hopwright("run", chain)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].rstrip() == "chain-3: 4 nodes, 1 flow, 10 s, seed 7"
    assert all(len(line) <= 80 for line in lines)
    folder = chain.parent / lines[-1].removeprefix("results in ")
    assert files_in(folder) == FOLDER
    again = hopwright("run", folder / "scenario.toml", "--json")
    written = json.loads((folder / "summary.json").read_text())
    assert without_wall_time(json.loads(again.stdout)) == without_wall_time(written)


def test_folder_of_several_runs(hopwright: Hopwright, chain: Path) -> None:
    out = chain.parent / "out"
    assert hopwright("run", chain, "--runs", 2, "--out", out).returncode == 0
    assert files_in(out) == {
        "summary.json", "scenario.toml", "flow-0.svg", "network.json",
        "seed-7/summary.json", "seed-7/scenario.toml", "seed-7/series.parquet",
        "seed-8/summary.json", "seed-8/scenario.toml", "seed-8/series.parquet",
    }  # fmt: skip
    again = hopwright("run", out / "seed-8" / "scenario.toml", "--json")
    written = json.loads((out / "seed-8" / "summary.json").read_text())
    assert without_wall_time(json.loads(again.stdout)) == without_wall_time(written)

    refused = hopwright("run", chain, "--out", out)
    assert refused.returncode == 2
    assert "--overwrite" in refused.stderr
    assert hopwright("run", chain, "--out", out, "--overwrite").returncode == 0
    assert files_in(out) == FOLDER


def test_figures_are_the_same_bytes(hopwright: Hopwright, chain: Path) -> None:
    for name in ("a", "b"):
        assert hopwright("run", chain, "--out", name).returncode == 0
    figures = [(chain.parent / name / "flow-0.svg").read_bytes() for name in ("a", "b")]
    assert figures[0] == figures[1]


def test_set_changes_a_key(hopwright: Hopwright, chain: Path) -> None:
    done = hopwright(
        "run", chain, "--json",
        "--set", "flows.0.transport.protocol=reno", "--set", "topology.hops=4",
        "--set", "flows.to=4",
    )  # fmt: skip
    flow = json.loads(done.stdout)["results"][0]["flows"][0]
    assert (flow["protocol"], flow["to"]) == ("reno", 4)


def test_check_prints_a_scenario_that_checks(hopwright: Hopwright, chain: Path) -> None:
    first = hopwright("check", chain, "--set", "duration_s=20")
    assert (first.returncode, first.stderr) == (0, "")
    assert "rts_threshold_bytes" in first.stdout
    full = chain.parent / "full.toml"
    full.write_text(first.stdout)
    assert hopwright("check", full).stdout == first.stdout


def test_protocols(hopwright: Hopwright) -> None:
    table = json.loads(hopwright("protocols", "--json").stdout)
    newreno = next(protocol for protocol in table if protocol["id"] == "newreno")
    assert {"id", "slots", "parameters", "source"} <= newreno.keys()
    assert "newreno" in hopwright("protocols").stdout


def test_routing_protocols_are_those_that_scenarios_take(hopwright: Hopwright, chain: Path) -> None:
    routing = json.loads(hopwright("protocols", "--routing", "--json").stdout)
    known = {each["id"]: each for each in routing}
    assert {"static", "aodv", "dsr", "olsr", "dsdv"} <= known.keys()
    assert "RFC 3561" in known["aodv"]["source"]
    for name, each in known.items():
        for profile in each["profiles"]:
            keys = {"routing.protocol": name, f"routing.{name}.profile": profile["id"]}
            assert f'profile = "{profile["id"]}"' in hw.load(chain, keys).check().to_toml()
        table = tomllib.loads(hw.load(chain, {"routing.protocol": name}).check().to_toml())
        first = {"profile": each["profiles"][0]["id"]} if each["profiles"] else {}
        stated = {key: value for key, value in each["parameters"].items() if value is not None}
        assert table["routing"].get(name, {}) == first | stated
    for words in ([], ["--routing"]):
        shown = [line.split() for line in hopwright("protocols", *words).stdout.splitlines()]
        assert ["olsr", *known["olsr"]["source"].split(), "rfc,", "papanastasiou"] in shown
    named = hopwright("protocols", "aodv")
    assert named.returncode == 2
    assert "'aodv' is a routing protocol; --routing lists them" in named.stderr
    assert hopwright("protocols", "--routing", "aodv").returncode == 2
    assert hopwright("protocols", "--routing", "--slots").returncode == 2


def test_figures_are_those_asked_for(hopwright: Hopwright, chain: Path) -> None:
    assert hopwright("run", chain, "--out", "a", "--set", "output.figures=[]").returncode == 0
    assert files_in(chain.parent / "a") == {"summary.json", "scenario.toml", "series.parquet"}


def test_schema(hopwright: Hopwright) -> None:
    schema = json.loads(hopwright("schema").stdout)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["properties"]["duration_s"]["minimum"] == 1e-6
    assert hopwright("schema", "--markdown").stdout.startswith("# The scenario file")


def test_version_and_help(hopwright: Hopwright) -> None:
    assert hopwright("--version").stdout.startswith("hopwright ")
    start = time.monotonic()
    overview = hopwright("--help")
    assert time.monotonic() - start < 2  # 0.1 s on a quiet machine
    assert overview.returncode == 0
    assert all(command in overview.stdout for command in ("run", "check", "protocols"))
    assert "--set KEY=VALUE" in hopwright("run", "--help").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rnu"], "did you mean 'run'"),
        (["run", "missing.toml"], "missing.toml"),
        (["run", "."], "."),
        (["run", "chain.toml", "--set", "topology.hopps=4"], "did you mean 'hops'"),
        (
            ["run", "chain.toml", "--set", "flows.transport.protocol=newremo"],
            "did you mean 'newreno'",
        ),
        (["run", "chain.toml", "--set", "flows.0.to=99"], "flows"),
        (["run", "chain.toml", "--set", "flows.0.to=0"], "flows"),
        (["run", "chain.toml", "--set", "duration_s=-1"], "duration_s"),
        (["run", "chain.toml", "--set", "duration_s=soon"], "duration_s"),
        (["run", "chain.toml", "--set", "topology.hops=1e9"], "topology.hops"),
        (["run", "chain.toml", "--set", "seed=[1"], "seed"),
        (["run", "chain.toml", "--out", "chain.toml"], "not a folder"),
        (["run", "chain.toml", "--out", "/proc/x"], "cannot write there"),
        (["run", "chain.toml", "--seed", "9007199254740992", "--runs", "2"], "--runs 2"),
        (["check", "binary.toml"], "binary.toml"),
        (["check", "broken.toml"], "broken.toml"),
    ],
)
def test_wrong_input(hopwright: Hopwright, chain: Path, arguments: list[str], message: str) -> None:
    (chain.parent / "binary.toml").write_bytes(b"\xff\xfe\x00")
    (chain.parent / "broken.toml").write_text("name = \n")
    before = files_in(chain.parent)
    done = hopwright(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert files_in(chain.parent) == before


def test_nohup_is_heeded() -> None:
    ask = (
        "import signal; from hopwright._cli.main import main; main(['protocols']); "
        "print(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN)"
    )
    for nohup, expected in ((["nohup"], "True"), ([], "False")):
        done = subprocess.run(
            [*nohup, sys.executable, "-c", ask],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=True,
        )
        assert done.stdout.splitlines()[-1] == expected


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_at_once_and_leaves_nothing(chain: Path, number: signal.Signals) -> None:
    command = [
        sys.executable,
        "-m",
        "hopwright",
        "run",
        str(chain),
        "--runs",
        "3",
        "--out",
        "new/out",
    ]
    long = ["--set", "duration_s=1000000"]
    with subprocess.Popen(
        [*command, *long],
        cwd=chain.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        time.sleep(1.5)
        assert process.poll() is None
        start = time.monotonic()
        process.send_signal(number)
        try:
            output, message = process.communicate(timeout=30)
        finally:
            process.kill()  # or a failure would wait for ever
    assert time.monotonic() - start < 1
    assert process.returncode == 128 + number
    assert output == ""
    assert message.count("\n") == 1
    assert list(chain.parent.iterdir()) == [chain]


def test_a_reader_that_leaves_early_is_no_fault(chain: Path) -> None:
    shell = f"{sys.executable} -m hopwright run {chain} --json --runs 20 | head -c 10"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert len(done.stdout) == 10
    assert done.stderr == ""


@pytest.mark.parametrize(
    "words",
    [
        "check FILE",
        "compare FILE --vary flows.transport.protocol=reno,vegas --baseline reno --runs 2",
        "protocols",
        "protocols --json",
        "protocols --routing",
        "protocols --slots",
        "reproduce --list",
        "run FILE",
        "run FILE --json",
        "schema",
        "sweep FILE --vary mac.cw_min=15,31 --out swept",
        "topology FILE",
        "topology FILE --export ns2",
    ],
)
def test_every_command_lets_its_reader_leave(chain: Path, words: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "hopwright", *words.replace("FILE", str(chain)).split()],
            cwd=chain.parent,
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, "")


def test_a_full_disk_is_a_failed_run(chain: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "hopwright", "run", chain, "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("setting", "answer"),
    [
        ("detection=sack", "'sack' reads selective acknowledgements; set selective_acks = true"),
        ("timeout=eifel", "'eifel' reads timestamps; set timestamps = true"),
        ("diagnosis=spike", "'spike' reads timestamps; set timestamps = true"),
        ("avoidance=slo", "did you mean 'slow'?"),
        ("k=2.5", "expected a whole number, found 2.5"),
    ],
)
def test_what_cannot_work_is_refused(
    setting: str, answer: str, hopwright: Hopwright, chain: Path
) -> None:
    done = hopwright("check", chain, "--set", f"flows.transport.{setting}")
    assert (done.returncode, done.stdout) == (2, "")
    assert answer in done.stderr


def test_the_printed_composition_is_the_flows_own(hopwright: Hopwright, chain: Path) -> None:
    done = hopwright("check", chain, "--set", "flows.transport.avoidance=slow")
    assert "avoidance slow" in done.stdout
    assert "avoidance additive" not in done.stdout


def test_a_protocol_in_full_and_what_fits_its_slots(hopwright: Hopwright) -> None:
    full = hopwright("protocols", "vegas").stdout
    assert "vegas_alpha" in full
    assert "newreno" not in full
    assert hopwright("protocols", "vegas", "--slots").returncode == 2
    slots = json.loads(hopwright("protocols", "--slots", "--json").stdout)
    avoidance = next(slot for slot in slots if slot["slot"] == "avoidance")
    assert {"additive", "slow", "cubic"} <= {part["id"] for part in avoidance["mechanisms"]}


def test_a_stored_scenario_runs_for_another_duration(chain: Path, hopwright: Hopwright) -> None:
    words = ("--set", "duration_s=3", "--out", "first")
    assert hopwright("run", chain, *words).returncode == 0
    for duration_s in (2, 5):
        again = ("first/scenario.toml", "--set", f"duration_s={duration_s}", "--json")
        done = hopwright("run", *again)
        assert (done.returncode, done.stderr) == (0, "")
        (flow,) = json.loads(done.stdout)["results"][0]["flows"]
        assert flow["sending_s"] == flow["measured_s"]
