"""Papers that play a run's path to another connection: a small one, in two seconds of real time.

Counts are looked at, never microseconds: the machine may be busy.
"""

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import kernels
import worlds
from hopwright._cli.main import main
from hopwright._io.errors import InputError, UnfinishedError
from hopwright.emulation.sandbox.needs import LackingError
from hopwright.emulation.sedlane.capture import name_of, packets
from hopwright.emulation.sedlane.shaper import NAMES
from hopwright.emulation.sedlane.transfer import ENGINE
from hopwright.research.papers import emulated, emulating
from hopwright.research.papers.document import read
from hopwright.research.papers.emulating import Kept
from hopwright.research.papers.kernels import Kernel
from hopwright.research.papers.reproduce import reproduce
from hopwright.research.papers.wording import wording
from hopwright.sweeps.run_plan import RunPlan

NEAR = NAMES["near"]

live = pytest.mark.skipif(bool(worlds.missing()), reason=str(worlds.missing()))

PAPER = """
document = "Nobody 2026"
title = "One hop, played again"
source = "figure 1"
about = "A file for tests."
runs = 2
quick_runs = 2

[scenario]
name = "tiny"
duration_s = 2
topology = { kind = "chain", hops = 1 }
flows = [{ from = 0, to = 1, transport = { window_limit_segments = 4 } }]

[[vary]]
name = "rate"
key = "mac.data_rate_mbps"
values = [2]

[[emulations]]
id = "own"
driver = "simulation"
mode = "sequential"
delays = "forward"
reorder = true

[[measures]]
id = "near"
title = "near"
function = "emulated_near_percent"
with = { emulation = "own" }
kind = "amount"

[[measures]]
id = "trace"
title = "trace"
function = "emulated_trace_kbps"
with = { emulation = "own" }
kind = "amount"

[[tables]]
id = "1"
title = "Table 1"
columns = "rate"
rows = [{ measure = "near" }, { measure = "trace" }]

[[claims]]
id = "near"
says = "Round trips are the trace's."
rule = "order"
order = ["near.2 > 90"]

[[figures]]
id = "rtt"
kind = "emulations"
title = "Round-trip times"
y_label = "round-trip time (ms)"
at = { rate = "2" }
shows = "rtt"
emulations = ["own"]
"""

LIVE = """
[[emulations]]
id = "kernel"
driver = "kernel"
mode = "simultaneous"
delays = "forward"
reorder = true
bytes = 200_000

[[emulations]]
id = "steady"
driver = "datagrams"
mode = "sequential"
pipes = 4
delays = "forward"
reorder = true

[[measures]]
id = "applied"
title = "applied"
function = "emulated_points_applied"
with = { emulation = "kernel" }
kind = "amount"

[[measures]]
id = "kbps"
title = "kbps"
function = "emulated_kbps"
with = { emulation = "kernel" }
kind = "amount"

[[measures]]
id = "seen"
title = "seen"
function = "emulated_lifetimes_seen_percent"
with = { emulation = "steady" }
kind = "amount"

[[tables]]
id = "2"
title = "Table 2"
columns = "rate"
rows = [{ measure = "applied" }, { measure = "kbps" }, { measure = "seen" }]

[[figures]]
id = "throughput"
kind = "emulations"
title = "Throughput"
y_label = "kb/s"
at = { rate = "2" }
shows = "throughput"
emulations = ["kernel"]

[[figures]]
id = "lifetimes"
kind = "emulations"
title = "Lifetimes"
y_label = "s"
at = { rate = "2" }
shows = "lifetimes"
emulations = ["steady"]

[[figures]]
id = "distribution"
kind = "emulations"
title = "Distribution"
y_label = "share of bytes (%)"
at = { rate = "2" }
shows = "distribution"
emulations = ["kernel", "own"]

[[figures]]
id = "losses"
kind = "emulations"
title = "Losses"
y_label = "sent again (%)"
at = { rate = "2" }
shows = "losses"
emulations = ["kernel"]
"""


def paper(folder: Path, text: str = PAPER) -> Path:
    file = folder / "tiny.toml"
    file.write_text(text)
    return file


def report(out: Path) -> dict[str, dict[str, float]]:
    """Mean and number of runs of each cell."""
    content = json.loads((out / "tiny" / "report.json").read_text())
    return {cell["cell"]: cell["ours"] for table in content["tables"] for cell in table["cells"]}


def test_a_simulated_connection_meets_the_round_trips_of_the_trace(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["reproduce", str(paper(tmp_path)), "--out", str(out)]) == 0
    cells = report(out)
    assert cells["near.2"]["mean"] > 90
    assert cells["trace.2"]["mean"] > 100
    assert (out / "tiny" / "rtt.svg").exists()
    kept = out / "tiny" / "runs" / "0-emulations" / "2" / "seed-1"
    link = (kept / "own.toml").read_text()
    assert link.lstrip().startswith("reorder = true\n")
    assert '[profile]\ndelays = "forward"\nmode = "sequential"\n' in link


@live
def test_a_kernel_sends_over_the_path_and_everything_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emulating, "BOUND_US", 10**8)
    monkeypatch.setattr(emulating, "APART_S", 0.1)
    out = tmp_path / "out"
    file = paper(tmp_path, PAPER + LIVE)
    assert main(["reproduce", str(file), "--out", str(out)]) == 0
    cells = report(out)
    assert cells["applied.2"]["mean"] < 50
    assert cells["kbps.2"]["mean"] > 0
    assert 0 <= cells["seen.2"]["mean"] <= 100, "few, where the machine is busy"
    for name in ("rtt", "throughput", "lifetimes", "distribution", "losses"):
        assert (out / "tiny" / f"{name}.svg").exists()
    place = out / "tiny" / "runs" / "0-emulations" / "2"
    said = json.loads((place / "seed-1" / "kernel.json").read_text())
    assert said["link"]["there"]["offered_packets"] > 100
    assert said["program"]["congestion"] == "reno"
    # Nothing is emulated twice: judged again, of the same captures.
    before = (place / "seed-2" / "kernel" / "near.pcap").stat().st_mtime_ns
    monkeypatch.setattr(emulating, "_run", None)
    assert main(["reproduce", str(file), "--out", str(out), "--resume"]) == 0
    assert (place / "seed-2" / "kernel" / "near.pcap").stat().st_mtime_ns == before
    assert report(out) == cells


COMPUTED = """
[[emulations]]
id = "engine"
driver = "engine"
mode = "sequential"
delays = "forward"
reorder = true
protocol = "sack"
segment_bytes = 1000
receive_buffer_bytes = 24000
compute = true

[[emulations]]
id = "charged"
driver = "simulation"
mode = "sequential"
delays = "forward"
reorder = true
protocol = "vegas"
compute = true
"""

NUMBERS = (
    *("engine.compute_j", "engine.sent_bytes", "engine.sent_bytes.slow_start", "engine.kbps"),
    *("engine.phase_time_s.slow_start", "engine.work_events", "charged.compute_j"),
    *("charged.sent_bytes", "charged.work_j.slow_start"),
)


def called(emulation: str, number: str, of: str = "") -> str:
    part = f', of = "{of}"' if of else ""
    return f'function = "emulated_{number}"\nwith = {{ emulation = "{emulation}"{part} }}\n'


def numbered(names: Sequence[str]) -> str:
    """Measures of these numbers, and a table of them."""
    measures = "".join(
        f'[[measures]]\nid = "{name.replace(".", " ")}"\ntitle = "{name}"\n'
        f'{called(*name.split("."))}kind = "amount"\n'
        for name in names
    )
    rows = ", ".join(f'{{ measure = "{name.replace(".", " ")}" }}' for name in names)
    return f'{measures}[[tables]]\nid = "3"\ntitle = "3"\ncolumns = "rate"\nrows = [{rows}]\n'


@live
def test_our_own_tcp_sends_over_the_path_and_what_it_computes_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emulating, "BOUND_US", 10**8)
    coefficients = Path(__file__).parents[2] / "scenarios" / "energy" / "coefficients.toml"
    charged = PAPER.replace("[[vary]]", f'energy = {{ compute = "{coefficients}" }}\n[[vary]]', 1)
    out = tmp_path / "out"
    file = paper(tmp_path, charged + COMPUTED + numbered(NUMBERS))
    assert main(["reproduce", str(file), "--out", str(out)]) == 0
    cells = {name.removesuffix(".2"): cell["mean"] for name, cell in report(out).items()}
    assert cells["engine compute_j"] > 0
    assert cells["engine kbps"] > 0
    # It ends before anything is lost, so that it is slow start from the first byte to the last.
    assert 0 < cells["engine sent_bytes slow_start"] <= cells["engine sent_bytes"]
    assert 0 < cells["engine phase_time_s slow_start"] < 60
    assert cells["engine work_events"] > 10
    assert 0 < cells["charged work_j slow_start"] <= cells["charged compute_j"]
    assert cells["charged sent_bytes"] > 0
    place = out / "tiny" / "runs" / "0-emulations" / "2" / "seed-1"
    assert sum(p.data_bytes > 0 for p in packets(name_of("near", place / "engine"), ENGINE)) > 10


IN_KERNEL = """
[[emulations]]
id = "loaded"
driver = "kernel"
mechanism = "welcome"
mode = "sequential"
delays = "forward"
reorder = true
segment_bytes = 1000
receive_buffer_bytes = 24000
compute = true
"""


@live
@kernels.needing("list")
@kernels.needing("measure")
def test_a_mechanism_is_in_the_kernel_for_as_long_as_it_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emulating, "BOUND_US", 10**8)
    out = tmp_path / "out"
    names = ("loaded.compute_j", "loaded.sent_bytes", "loaded.compute_w.slow_start")
    file = paper(tmp_path, PAPER + IN_KERNEL + numbered(names))
    assert main(["reproduce", str(file), "--out", str(out)]) == 0
    cells = report(out)
    assert cells["loaded sent_bytes.2"]["mean"] > 10_000
    # Some microseconds for a segment, at 15 W: between nothing and a tenth of a second of work.
    assert 0 < cells["loaded compute_j.2"]["mean"] < 1.5
    place = out / "tiny" / "runs" / "0-emulations" / "2"
    for seed in ("seed-1", "seed-2"):
        said = json.loads((place / seed / "loaded.json").read_text())
        assert said["program"]["congestion"].startswith("hop_")
        assert said["compute"]["cookie"] == said["program"]["cookie"]
        assert said["compute"]["congestion"] == said["program"]["congestion"]
        data = [p.data_bytes for p in packets(name_of("near", place / seed / "loaded"), NEAR)]
        assert max(data) == 1000, "the receiver takes no more in a segment"
        assert said["compute"]["sent_bytes"] == sum(data)
    assert said["program"]["congestion"] not in kernels.run("list"), "it is taken back"
    assert not list(place.glob("*.jsonl"))


@live
@kernels.needing("list")
def test_an_algorithm_that_is_none_is_said_with_those_that_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("hopwright._cli.main._leave", lambda _code: None)
    monkeypatch.setattr(emulating, "_run", None)
    text = PAPER + IN_KERNEL.replace('"welcome"', '"nobody"') + numbered(["loaded.kbps"])
    out = tmp_path / "out"
    assert main(["reproduce", str(paper(tmp_path, text)), "--out", str(out)]) == 1
    assert "no algorithm 'nobody': there are sca, ssca" in capsys.readouterr().err


def test_what_the_kernel_lacks_is_said_before_anything_is_emulated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("hopwright._cli.main._leave", lambda _code: None)
    monkeypatch.setattr(emulating, "_run", None)
    text = (PAPER + LIVE).replace('driver = "kernel"', 'driver = "kernel"\ncongestion = "nobody"')
    out = tmp_path / "out"
    assert main(["reproduce", str(paper(tmp_path, text)), "--out", str(out)]) == 1
    said = capsys.readouterr().err
    assert "[[emulations]] kernel: the kernel has no congestion control called 'nobody'" in said


def test_where_no_namespaces_are_allowed_what_was_simulated_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_words: object) -> None:
        raise LackingError("cannot make a network for programs here: there is no /dev/net/tun")

    monkeypatch.setattr("hopwright._cli.main._leave", lambda _code: None)
    monkeypatch.setattr(emulating, "_run", refuse)
    out = tmp_path / "out"
    other = tmp_path / "other.toml"
    other.write_text(PAPER)
    words = ["reproduce", str(paper(tmp_path, PAPER + LIVE)), str(other), "--out", str(out)]
    assert main(words) == 1
    said = capsys.readouterr()
    assert "tiny: cannot make a network for programs here: there is no /dev/net/tun" in said.err
    assert "Finished runs are kept" in said.err
    assert "--resume" in said.err
    assert "near: Round trips are the trace's." in said.out, "of the other paper"
    assert (out / "other" / "report.json").exists()
    place = out / "tiny" / "runs" / "0-emulations" / "2" / "seed-1"
    assert (place / "run" / "series.parquet").exists()
    assert (place / "own.json").exists()
    assert not (place / "kernel.json").exists()


def test_all_points_of_all_files_are_emulated_at_the_same_time_beside_other_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is emulated ends only when all others have begun, and a file without any has run."""
    two = PAPER.replace("values = [2]", "values = [1, 2]")
    names = ("a", "b", "c")
    for name, text in zip(names, (two + LIVE, two + LIVE, PAPER), strict=True):
        (tmp_path / f"{name}.toml").write_text(text)
    files = [read(tmp_path / f"{name}.toml") for name in names]
    out = tmp_path / "out"
    expected = 2 * 2 * 2 * sum(each.needs_kernel for each in files[0].emulations.values())
    begun: list[str] = []
    all_begun = threading.Event()

    def run(words: Sequence[str], _stop: threading.Event) -> None:
        begun.append(words[-1])
        if len(begun) == expected:
            all_begun.set()
        assert all_begun.wait(60)
        end = time.monotonic() + 60
        while not (out / "c" / "report.json").exists() and time.monotonic() < end:
            time.sleep(0.1)
        raise UnfinishedError("seen enough")

    monkeypatch.setattr(emulating, "_run", run)
    monkeypatch.setattr(emulating, "APART_S", 0.0)
    with pytest.raises(UnfinishedError, match="seen enough"):
        reproduce(files, RunPlan(out=out, jobs=2))
    assert len(begun) == expected
    assert (out / "c" / "report.json").exists()


def test_packets_that_are_late_each_time_are_not_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    late = {"program": {}, "link": {"valid": False, "lateness": {"p99_us": 1500.0}}}
    monkeypatch.setattr("hopwright._cli.main._leave", lambda _code: None)
    monkeypatch.setattr(emulating, "_run", lambda *_words: dict(late))
    monkeypatch.setattr(emulating, "APART_S", 0.0)
    out = tmp_path / "out"
    assert main(["reproduce", str(paper(tmp_path, PAPER + LIVE)), "--out", str(out)]) == 1
    said = capsys.readouterr().err
    assert (
        "packets were too late in 3 tries: 99 of 100 by up to [1500.0, 1500.0, 1500.0] us" in said
    )
    assert not (out / "tiny" / "report.json").exists()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('driver = "simulation"', 'driver = "kernal"', "driver = 'kernal'; did you mean 'kernel'?"),
        ('id = "own"', 'id = "o.wn"', "the name must not contain '.'"),
        ("emulated_near", "emulated_naer", "did you mean 'emulated_near_percent'?"),
        (
            'emulation = "own"',
            'emulation = "owm"',
            "no emulation called 'owm'; did you mean 'own'?",
        ),
        ('emulations = ["own"]', 'emulations = ["one"]', "no emulation called 'one'"),
        ('shows = "rtt"', 'shows = "ttr"', "shows = 'ttr'"),
        (
            "emulated_near_percent",
            "emulated_points_applied",
            "a simulation has no captured packets",
        ),
        ("emulated_near_percent", "emulated_compute_j", "emulation own: needs compute = true"),
        (
            'driver = "simulation"',
            'driver = "simulation"\nprotocol = "vgas"',
            "protocol = 'vgas'; did you mean 'vegas'?",
        ),
        (
            'driver = "simulation"',
            'driver = "simulation"\ncompute = true',
            "[[emulations]] own: compute = true needs energy.compute in the scenario",
        ),
        (
            'driver = "simulation"',
            'driver = "simulation"\nsack = false',
            "[[emulations]] own: sack has no meaning for the driver 'simulation', only for kernel",
        ),
        (
            'driver = "simulation"',
            'driver = "kernel"\ncongestion = "cubic"\nmechanism = "welcome"',
            "own: give either congestion or mechanism, not both",
        ),
        (
            'driver = "simulation"',
            'driver = "engine"\nsegment_bytes = 10',
            "segment_bytes = 10: write a whole number, at least 88",
        ),
    ],
)
def test_what_makes_no_sense(
    old: str, new: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert old in PAPER
    out = tmp_path / "out"
    file = paper(tmp_path, PAPER.replace(old, new))
    assert main(["reproduce", str(file), "--out", str(out)]) == 2
    assert said in capsys.readouterr().err


def test_a_verdict_is_of_the_emulation_that_was_judged(tmp_path: Path) -> None:
    def words(text: str) -> str:
        document = read(paper(tmp_path, text))
        return wording(document, document.claims[0])

    own = words(PAPER)
    assert words(PAPER.replace('delays = "forward"', 'delays = "both"')) != own
    assert words(PAPER.replace("reorder = true", "reorder = false")) != own
    assert words(PAPER + LIVE) == own, "what the claim says nothing of"


def test_the_list_says_how_long_it_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = PAPER.replace("duration_s = 2\n", "duration_s = 300\n")
    assert main(["reproduce", str(paper(tmp_path, text + LIVE)), "--list"]) == 0
    assert "needs namespaces, and about 5 minutes of real time" in capsys.readouterr().out
    assert main(["reproduce", str(paper(tmp_path, text)), "--list"]) == 0
    assert "real time" not in capsys.readouterr().out
    played = [*read(paper(tmp_path, text + LIVE)).emulations.values()]
    assert emulating.real_time_s(played, 1, 31, 300) == 2 * 300 + 62


def test_the_command_is_one_that_anybody_can_give(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["reproduce", str(paper(tmp_path)), "--out", str(out)]) == 0
    kept = Kept(out / "tiny" / "runs" / "0-emulations" / "2" / "seed-1")
    played = read(paper(tmp_path, PAPER + LIVE)).emulations
    kernel = Kernel({"welcome": "hop_1_0"})
    words = emulating.command(kept, played["kernel"], 1, kernel)
    assert words[:2] == ["sedlane", "run"]
    assert "--no-offload" in words
    assert words[words.index("--bytes") + 1] == "200000"
    assert "--privileged" not in words
    plain = emulating.command(kept, replace(played["kernel"], sack=False), 1, kernel)
    assert {"--privileged", "--no-sack"} <= set(plain)
    restricted = replace(played["kernel"], congestion="restricted")
    assert "--privileged" in emulating.command(kept, restricted, 1, kernel)
    loaded = emulating.command(kept, replace(played["kernel"], mechanism="welcome"), 1, kernel)
    assert loaded[loaded.index("--congestion") + 1] == "hop_1_0"
    assert "--privileged" not in loaded
    assert "pace" in emulating.command(kept, played["steady"], 1, kernel)
    with pytest.raises(InputError, match="datagrams have no round-trip times"):
        _ = emulated.Seen(kept, played["steady"]).found
