"""`hopwright sedlane`: profiles from the command line, and what they are exported to."""

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

import hopwright as hw
from hopwright import _core
from hopwright._cli.arguments import dispatch
from hopwright._cli.main import main
from hopwright._cli.sedlane.profile import SHORTEST_LIFETIME_S
from hopwright._io.errors import InputError
from hopwright.emulation.sedlane import dummynet, mahimahi, netem
from hopwright.emulation.sedlane.link_file import Link, plain
from sweeping import DATAGRAMS

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "crates" / "sedlane" / "tests" / "recorded"
VARIABLES, PACKETS = RECORDED / "variables.tr", RECORDED / "standard.tr"

THREE = """\
time_s,rtt_ms,bytes,retransmitted_bytes
0,20,1000,0
1,40,3000,300
3,20,1000,0
4,,,
"""


def profile(*words: object) -> int:
    return main(["sedlane", "profile", *map(str, words)])


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """A trace of three round-trip times."""
    file = tmp_path / "three.csv"
    file.write_text(THREE)
    return file


def test_a_profile_is_the_link_of_a_scenario(three: Path, tmp_path: Path) -> None:
    out = tmp_path / "link.toml"
    assert profile(three, "--rate", "-o", out) == 0
    text = out.read_text()
    command = "hopwright sedlane profile three.csv --pipes 16 --mode sequential"
    assert text.splitlines()[1] == f"# {command} --reduce least-error --rate"
    assert str(tmp_path) not in text
    found = tomllib.loads(text)["profile"]
    assert found.pop("pipes") == [
        {"rtt_ms": 20, "lifetime_s": 1, "probability": 0.2, "loss_percent": 0, "rate_kbps": 8},
        {"rtt_ms": 40, "lifetime_s": 2, "probability": 0.6, "loss_percent": 10, "rate_kbps": 12},
        {"rtt_ms": 20, "lifetime_s": 1, "probability": 0.2, "loss_percent": 0, "rate_kbps": 8},
    ]
    assert found == {"mode": "sequential", "repeat": False}


def test_a_profile_says_on_which_way_it_delays(three: Path, tmp_path: Path) -> None:
    out = tmp_path / "link.toml"
    assert profile(three, "--delays", "forward", "--reorder", "-o", out) == 0
    text = out.read_text()
    assert "--delays forward --reorder\n" in text
    assert 'reorder = true\n\n[profile]\ndelays = "forward"\n' in text
    _core.check_link(out)


def test_at_once_equal_round_trips_are_one_pipe(
    three: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert profile(three, "--mode", "simultaneous") == 0
    pipes = tomllib.loads(capsys.readouterr().out)["profile"]["pipes"]
    shares = [(pipe["rtt_ms"], pipe["probability"], pipe["loss_percent"]) for pipe in pipes]
    assert shares == [(20, 0.4, 0), (40, 0.6, 10)]


def test_both_reductions_are_told_of(three: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert profile(three, "--pipes", 2, "--reduce", "pairwise", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    # Means of (20, 40) and (40, 20); half of the time each.
    pairwise = found["pairwise"]
    assert [(pipe["rtt_ms"], pipe["lifetime_s"]) for pipe in pairwise["pipes"]] == [(30, 4)]
    assert pairwise["error"]["rtt_rms_ms"] == pytest.approx(10)
    # One second of 20 and two of 40 are one step at a third from 40, or the other way round.
    least = found["least_error"]
    assert len(least["pipes"]) == 2
    assert least["error"]["rtt_rms_ms"] == pytest.approx(
        (1 * 13.333**2 + 2 * 6.667**2) ** 0.5 / 2, rel=1e-3
    )
    assert found["bytes"] == 5000
    assert found["lost_bytes"] == 300


@pytest.mark.parametrize(("mode", "suffix"), [("sequential", ".svg"), ("simultaneous", ".png")])
def test_a_figure_shows_the_trace_and_both(
    mode: str, suffix: str, three: Path, tmp_path: Path
) -> None:
    drawn, out = tmp_path / f"drawn{suffix}", tmp_path / "link.toml"
    assert profile(three, "--pipes", 2, "--mode", mode, "--figure", drawn, "-o", out) == 0
    assert drawn.read_bytes().startswith(b"\x89PNG" if suffix == ".png" else b"<?xml")
    # Nothing is replaced unless that is said, and then all of it.
    before = drawn.read_bytes(), out.read_bytes()
    assert profile(three, "--figure", drawn, "-o", out) == 2
    assert (drawn.read_bytes(), out.read_bytes()) == before
    assert profile(three, "--figure", drawn, "-o", out, "--overwrite") == 0
    assert drawn.read_bytes() != before[0]


def test_what_is_read_is_never_replaced(
    three: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert profile(three, "-o", three, "--overwrite") == 2
    assert capsys.readouterr().err == (
        f"hopwright: {three}: is what is read; name another file to write\n"
    )
    assert three.read_text() == THREE
    link = tmp_path / "link.toml"
    assert profile(three, "-o", link) == 0
    before = link.read_bytes()
    assert (
        main(["sedlane", "export", str(link), "--to", "netem", "-o", str(link), "--overwrite"]) == 2
    )
    both = tmp_path / "both.svg"
    assert profile(three, "-o", both, "--figure", both) == 2
    assert "is named twice" in capsys.readouterr().err
    assert link.read_bytes() == before


def test_a_figure_that_fails_costs_no_profile(
    three: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no ink")

    monkeypatch.setattr("hopwright.emulation.sedlane.figure.profile_figure", broken)
    drawn, out = tmp_path / "drawn.svg", tmp_path / "link.toml"
    assert profile(three, "--figure", drawn, "-o", out) == 0
    said = capsys.readouterr()
    assert "warning: the figure is missing" in said.err
    assert str(drawn) not in said.out
    assert (out.exists(), drawn.exists()) == (True, False)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("hopwright.emulation.sedlane.figure.profile_figure", interrupted)
    with pytest.raises(KeyboardInterrupt) as stopped:
        dispatch(
            [
                "sedlane",
                "profile",
                str(three),
                "--figure",
                str(drawn),
                "-o",
                str(out),
                "--overwrite",
            ]
        )
    assert stopped.value.__notes__ == [f"the profile is in {out}"]


def test_drops_come_from_ns2s_other_trace(capsys: pytest.CaptureFixture[str]) -> None:
    assert profile(VARIABLES, "--drops", PACKETS, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    dropped = sum(line.startswith("d ") for line in PACKETS.read_text().splitlines())
    assert (found["lost"], found["lost_bytes"]) == ("dropped", 1000 * dropped)
    assert profile(VARIABLES, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    last = [line for line in VARIABLES.read_text().splitlines() if "nrexmitbytes_" in line][-1]
    assert (found["lost"], found["lost_bytes"]) == ("retransmitted", int(last.split()[-1]))


NS2 = """
set ns [new Simulator]
set all [open wireless.tr w]
{format}
$ns trace-all $all
set topo [new Topography]
$topo load_flatgrid 700 700
create-god 4
$ns node-config -adhocRouting AODV -llType LL -macType Mac/802_11 \\
  -ifqType Queue/DropTail/PriQueue -ifqLen 50 -antType Antenna/OmniAntenna \\
  -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \\
  -channel [new Channel/WirelessChannel] -topoInstance $topo \\
  -agentTrace ON -routerTrace ON -macTrace OFF -movementTrace ON
for {{set i 0}} {{$i < 4}} {{incr i}} {{
  set n($i) [$ns node]
  $n($i) set X_ [expr 200 * $i + 1]
  $n($i) set Y_ 100
  $n($i) set Z_ 0
}}
set vars [open variables.tr w]
set tcp [new Agent/TCP/Newreno]
$tcp attach $vars
foreach name {{rtt_ ndatabytes_ nrexmitbytes_}} {{ $tcp tracevar $name }}
set sink [new Agent/TCPSink]
$ns attach-agent $n(0) $tcp
$ns attach-agent $n(3) $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 1 "$ftp start"
$ns at 9 "close $all; close $vars; exit 0"
$ns run
"""


@pytest.mark.skipif(not shutil.which("ns"), reason="ns-2 is not installed")
@pytest.mark.parametrize("form", ["", "$ns use-newtrace"])
def test_ns2s_wireless_traces_say_what_its_variables_say(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run.tcl").write_text(NS2.format(format=form))
    subprocess.run(["ns", "run.tcl"], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    found = []
    for name in ("variables.tr", "wireless.tr"):
        assert profile(tmp_path / name, "--lost", "retransmitted", "--json") == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0]["bytes"] == found[1]["bytes"] > 100_000
    assert found[0]["lost_bytes"] == found[1]["lost_bytes"]


def test_a_flow_without_round_trips_has_no_profile(
    chain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = chain.parent / "out"
    with chain.open("a") as file:
        file.write(DATAGRAMS)
    hw.run(hw.load(chain, {"output.series": ["rtt"], "duration_s": 3}), out=out)
    assert profile(out, "--flow", 1) == 2
    assert capsys.readouterr().err.endswith(
        "flow 1 is a UDP flow, which measures no round-trip times\n"
    )


def test_where_only_programs_sent_their_recording_is_named(
    chain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = chain.read_text()
    chain.write_text(text[: text.index("[[flows]]")])
    out = chain.parent / "out"
    for series, what in (
        ("[]", "has no series.parquet: run with [output] series = ['rtt']"),
        ("['queue']", "its series have no flow"),
    ):
        settings = ("--set", f"output.series={series}", "--set", "duration_s=1", "--overwrite")
        assert main(["run", str(chain), *settings, "--out", str(out)]) == 0
        (out / "inputs.pcapng").touch()  # as an emulation leaves it
        assert profile(out) == 2
        hint = f"{what}; for a connection of programs, name {out}/inputs.pcapng\n"
        assert capsys.readouterr().err.endswith(hint)


def test_a_file_called_minus_is_standard_output(
    three: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (["profile", "three.csv"], ["export", "link.toml", "--to", "netem"]):
        assert main(["sedlane", *words]) == 0
        usual = capsys.readouterr().out
        assert main(["sedlane", *words, "-o", "-"]) == 0
        assert capsys.readouterr().out == usual
        (tmp_path / "link.toml").write_text(usual)
    assert {file.name for file in tmp_path.iterdir()} == {three.name, "link.toml"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{absent}"], "does not exist"),
        (["{text}"], "is not a capture (pcap, pcapng), a trace of ns-2, or CSV"),
        (["{three}", "--from", "pcap"], "ends within its header"),
        (["{three}", "--from", "result"], "is not a folder of results"),
        (["{three}", "--lost", "dropped"], "does not say what was dropped"),
        (["{three}", "--pipes", "0"], "0 is not between 1 and 1000"),
        (["{three}", "--lifetime", "-1"], "is not above 0"),
        (["{three}", "--lifetime", "1e-9"], "--lifetime 1e-09: a link uses a pipe for at least"),
        (
            ["{fast}"],
            "fast.csv: pipe 1 would last for 5e-05 s, but a link uses a pipe for at least",
        ),
        (["{three}", "--figure", "a.bmp"], "must end in .svg, .png, .pdf"),
        (["{three}", "-o", "{folder}/none/link.toml"], "there is no folder"),
        (["{three}", "--drops", "{three}"], "three.csv: is no trace of packets of ns-2"),
        (["{folder}"], "has no series.parquet: run with [output] series = ['rtt']"),
        (["{variables}", "--flow", "3"], "has no connection 3; there are:\n  0: 0:0-2:0"),
        (["{variables}", "--flow", "x"], "'x' names no connection"),
        (["{bad}"], "bad.csv: line 3: rtt_ms is 'fast': must be a number"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(
    words: list[str],
    message: str,
    three: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text, bad, folder = tmp_path / "text.txt", tmp_path / "bad.csv", tmp_path / "folder"
    text.write_text("nothing of the kind\n")
    bad.write_text("time_s,rtt_ms\n1,20\n2,fast\n")
    folder.mkdir()
    fast = tmp_path / "fast.csv"
    fast.write_text("time_s,rtt_ms\n0,10\n0.00005,20\n0.0001,10\n")
    names = {
        "absent": tmp_path / "absent",
        "text": text,
        "three": three,
        "bad": bad,
        "fast": fast,
        "folder": folder,
        "variables": VARIABLES,
    }
    out = tmp_path / "link.toml"
    asked = [word.format(**names) for word in words]
    if "-o" not in asked:
        asked += ["-o", str(out)]
    assert profile(*asked) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_the_shortest_lifetime_is_one_that_links_accept(three: Path, tmp_path: Path) -> None:
    out = tmp_path / "link.toml"
    assert profile(three, "--lifetime", SHORTEST_LIFETIME_S, "-o", out) == 0
    _core.check_link(out)
    out.write_text(out.read_text().replace("lifetime_s = 0.0001", "lifetime_s = 0.00009"))
    with pytest.raises(hw.ScenarioError, match=r"must last for at least 0\.0001 s"):
        _core.check_link(out)


LINK = """\
[profile]
mode = "sequential"
repeat = {repeat}
[[profile.pipes]]
rtt_ms = 20
lifetime_s = 1.5
probability = 0.25
loss_percent = 0
[[profile.pipes]]
rtt_ms = 61
lifetime_s = 2
probability = 0.75
loss_percent = 12.5
rate_kbps = 500
"""


def link(tmp_path: Path, text: str) -> Link:
    file = tmp_path / "link.toml"
    file.write_text(text)
    return Link.read(file)


def commands(script: str) -> list[str]:
    return [line.strip() for line in script.splitlines() if line.strip() and "#" not in line[:1]]


def parses(script: str) -> None:
    """The shell reads it, and so does `tc`, if it is there: whatever the kernel says to that."""
    subprocess.run(["sh", "-n"], input=script, text=True, check=True)
    if not shutil.which("tc") or "tc qdisc" not in script:
        return
    on = script.replace("set -eu", "set -u").replace("sleep ", ": ")
    for devices in (["hopwright-no"], ["hopwright-no", "hopwright-no"]):
        done = subprocess.run(
            ["sh", "-s", *devices], input=on, text=True, capture_output=True, check=False
        )
        # There is no such device, which tc finds out after it has read its words.
        assert set(done.stderr.splitlines()) <= {'Cannot find device "hopwright-no"'}, done.stderr


def test_netem_follows_pipes_one_after_the_other(tmp_path: Path) -> None:
    once = netem.script(link(tmp_path, LINK.format(repeat="false")), "eth1")
    tail = commands(once)[-3:]
    assert tail == ["pipe replace 20 10 0 0bit", "sleep 1.5", "pipe change 61 30.5 12.5 500000bit"]
    assert 'forward="${1:-eth1}"' in once
    parses(once)
    again = netem.script(link(tmp_path, LINK.format(repeat="true")), None)
    assert commands(again)[-6:] == [
        "while true; do",
        "sleep 1.5",
        "pipe change 61 30.5 12.5 500000bit",
        "sleep 2",
        "pipe change 20 10 0 0bit",
        "done",
    ]
    subprocess.run(["sh", "-n"], input=again, text=True, check=True)


def test_netem_draws_delays_from_a_table(tmp_path: Path) -> None:
    text = LINK.format(repeat="false").replace("sequential", "simultaneous")
    with pytest.raises(InputError, match="netem cannot draw a rate for each packet"):
        netem.script(link(tmp_path, text), None)
    made = netem.script(link(tmp_path, text.replace("rate_kbps = 500\n", "")), None)
    parses(made)
    table = re.search(r"<<END\n(.*?)\nEND", made, re.DOTALL)
    shape = re.search(r"delay (\S+)ms (\S+)ms distribution pipes loss (\S+)%", made)
    assert table
    assert shape
    centre, jitter, loss = map(float, shape.groups())
    drawn = [centre + jitter * int(number) / 8192 for number in table[1].split()]
    assert len(drawn) == 4096
    assert sum(abs(delay - 20) < 0.01 for delay in drawn) == 1024
    assert sum(abs(delay - 61) < 0.01 for delay in drawn) == 3072
    assert loss == 9.375


def test_dummynet_gives_each_rule_its_part_of_what_is_left(tmp_path: Path) -> None:
    text = LINK.format(repeat="false").replace("sequential", "simultaneous")
    text = text.replace("0.75", "0.5") + "[[profile.pipes]]\nrtt_ms = 90\nprobability = 0.25\n"
    made = dummynet.script(link(tmp_path, "queue_packets = 20\n" + text), "em0")
    chances = [
        float(each) for each in re.findall(r"prob (\S+) pipe \d+ ip from any to any out", made)
    ]
    assert chances == pytest.approx([0.25, 0.5 / 0.75])
    # What comes to a rule, and is taken: the shares of the profile, nothing left.
    assert [chances[0], (1 - chances[0]) * chances[1]] == pytest.approx([0.25, 0.5])
    assert "ipfw add 1004 pipe 5 ip from any to any out" in made
    assert "ipfw pipe 3 config delay 30ms plr 0.125 bw 500000bit/s queue 20" in made
    parses(made)


def test_dummynet_changes_its_pipes_one_after_the_other(tmp_path: Path) -> None:
    made = dummynet.script(link(tmp_path, LINK.format(repeat="true")), None)
    assert made.count("ipfw add") == 2
    assert commands(made).count("ipfw pipe 1 config delay 10ms plr 0") == 2
    assert "ipfw pipe 2 config delay 30ms bw 500000bit/s" in made
    parses(made)


def test_mahimahi_has_one_pipe(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one delay for as long as it runs, and there are 2 pipes"):
        mahimahi.script(link(tmp_path, LINK.format(repeat="false")), None)
    one = '[profile]\nmode = "sequential"\n[[profile.pipes]]\nrtt_ms = 60\nlifetime_s = 1\n'
    bare = mahimahi.script(link(tmp_path, one), None)
    assert commands(bare)[-1] == 'exec mm-delay 30 "$@"'
    with pytest.raises(InputError, match="only mm-link has a queue"):
        mahimahi.script(link(tmp_path, "queue_packets = 9\n" + one), None)
    with pytest.raises(InputError, match="mahimahi has no devices"):
        mahimahi.script(link(tmp_path, one), "eth0")
    made = mahimahi.script(link(tmp_path, one + "loss_percent = 2\nrate_kbps = 1200\n"), None)
    assert 'mm-delay 30 mm-loss uplink 0.02 mm-link "$folder/link" "$folder/link" "$@"' in made
    parses(made)
    # The file that it writes: a packet of 12,000 bits every 10 ms.
    awk = next(line for line in made.splitlines() if line.startswith("awk"))
    done = subprocess.run(
        ["sh", "-c", awk.replace(' > "$folder/link"', "")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert [int(each) for each in done.stdout.split()] == list(range(10, 10_001, 10))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rate_kbps = 3", "has no [profile]"),
        ("x", "is not TOML"),
        (
            'delay_ms = 3\n[profile]\nmode = "sequential"',
            "delay_ms: cannot be exported beside a profile",
        ),
        ('[profile]\nmode = "sequental"', "profile.mode: is 'sequental'"),
        ('[profile]\nmode = "sequential"', "profile.pipes: must be at least one"),
        (
            '[profile]\nmode = "sequential"\n[[profile.pipes]]\nrtt_ms = 3',
            "profile.pipes.0.lifetime_s: is missing",
        ),
        (
            '[profile]\nmode = "simultaneous"\n[[profile.pipes]]\nrtt_ms = 3\nprobability = 0.5',
            "probabilities add up to 0.5, not to 1",
        ),
        (
            '[profile]\nmode = "sequential"\n[[profile.pipes]]\nrtt = 3',
            "profile.pipes.0.rtt: is not one of its keys; did you mean 'rtt_ms'?",
        ),
        (
            '[profile]\nmode = "simultaneous"\n[[profile.pipes]]\nrtt_ms = 3\nloss_percent = 101',
            "profile.pipes.0.probability: is missing",
        ),
    ],
)
def test_a_link_that_is_wrong_is_refused(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "link.toml", tmp_path / "link.sh"
    file.write_text(text)
    assert main(["sedlane", "export", str(file), "--to", "netem", "-o", str(out)]) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_what_a_profile_writes_can_be_exported(three: Path, tmp_path: Path) -> None:
    out, made = tmp_path / "link.toml", tmp_path / "link.sh"
    assert profile(three, "-o", out) == 0
    assert main(["sedlane", "export", str(out), "--to", "netem", "-o", str(made)]) == 0
    assert made.stat().st_mode & 0o100
    parses(made.read_text())
    assert main(["sedlane", "export", str(out), "--to", "netem", "--device", "a b"]) == 2


def test_numbers_are_plain() -> None:
    assert [plain(value) for value in (0, 1e-9, 100, 0.1 + 0.2, 1e9)] == [
        "0",
        "0",
        "100",
        "0.3",
        "1000000000",
    ]
