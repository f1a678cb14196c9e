"""`hopwright judge`: its numbers are those of the runs, its words those of the numbers."""

import csv
import errno
import json
import os
import shlex
import shutil
from pathlib import Path

import pytest
from arro3.io import read_parquet

from hopwright._cli.arguments import dispatch
from hopwright._cli.main import main
from hopwright._io.data import Json, items, number
from hopwright._io.errors import InputError
from hopwright._run.execute import execute, result_of
from hopwright.research.diagnosis import Reading
from hopwright.research.diagnosis import accuracy as accuracy_of
from hopwright.research.judging import Judgement, judge, read_case
from hopwright.research.judging.cases import shared_settings
from hopwright.research.judging.figure import accuracy_figure
from hopwright.research.judging.judgement import Row, Runs, difference_of, row_of
from hopwright.research.judging.report import percent, sentences, share, text
from hopwright.statistics.intervals import Interval
from hopwright.statistics.paired import paired, relative_difference
from hopwright.sweeps.journal import Journal
from hopwright.sweeps.schedule import Run
from processes import Hopwright

LOSSES = Path(__file__).parents[2] / "scenarios" / "losses"
BOTH = LOSSES / "queue-and-channel.toml"
SHORT = [("duration_s", "20")]
LOAD, WIRELESS = Reading.CONTENTION_IS_LOAD.value, Reading.CONTENTION_IS_WIRELESS.value
TIMED = {"timestamps": "true"}
UDP = """\
[[flows]]
from = 3
to = 0
app = "cbr"
rate_kbps = 10
payload_bytes = 100
start_s = 1
transport.protocol = "udp"
"""


def made_up(*runs: tuple[float, dict[str, Json]]) -> Runs:
    """Of runs of one flow with this goodput and these diagnoses."""
    flows: list[Json] = [{"goodput_bps": bps, "diagnoses": cells} for bps, cells in runs]
    return Runs.of([{"flows": [flow]} for flow in flows], [0])


def row(found: Judgement, name: str) -> Row:
    return next(each for each in found.rows if each.differentiator == name)


def known(estimate: Interval | None) -> Interval:
    assert estimate is not None
    return estimate


@pytest.fixture(scope="module")
def judged() -> Judgement:
    """Three differentiators where queues overflow and the channel damages frames."""
    case = read_case(str(BOTH), SHORT)
    return judge([case], ["biaz-vaidya", "zigzag"], runs=3, errors=[1.0, 0.5], jobs=1)


def test_the_bound_is_always_right_and_nobody_else_here(judged: Judgement) -> None:
    names = [each.differentiator for each in judged.rows]
    assert names == ["blame-congestion", "biaz-vaidya", "zigzag", "oracle"]
    for reading in Reading:
        bound = known(row(judged, "oracle").accuracy[reading.value])
        assert (bound.estimate, bound.ends, bound.n) == (1, (1, 1), 3)
        assert all(known(row(judged, n).accuracy[reading.value]).estimate < 1 for n in names[:-1])
    recall = row(judged, "blame-congestion").recall
    assert [known(recall[cause]).estimate for cause in ("congestion", "channel")] == [1, 0]
    assert recall["route"] is None


def test_numbers_are_those_of_the_runs(judged: Judgement) -> None:
    case = read_case(str(BOTH), SHORT)
    results = {
        name: [
            result_of(r) for r in execute(case.scenario(name, "spare", TIMED), [1, 2, 3], jobs=2)
        ]
        for name in ("zigzag", "oracle")
    }
    zigzag = row(judged, "zigzag")
    for reading in Reading:
        of_page = accuracy_of(results["zigzag"], reading)
        assert of_page == known(zigzag.accuracy[reading.value])
    goodputs = {
        name: [number(flow, "goodput_bps") or 0.0 for r in runs for flow in items(r, "flows")]
        for name, runs in results.items()
    }
    wanted = paired(goodputs["zigzag"], goodputs["oracle"])
    assert zigzag.against_oracle == (wanted.difference, wanted.relative)
    assert zigzag.lost["queue"] > 0
    assert sum(zigzag.confusion.values()) == zigzag.diagnoses


def test_errors_have_a_price_each(judged: Judgement) -> None:
    kinds = {(p.truth, p.believed, p.probability): p for p in judged.prices}
    assert {truth for truth, _, _ in kinds} >= {"congestion", "channel"}
    assert not any(truth == believed for truth, believed, _ in kinds)
    blind = kinds["channel", "congestion", 1.0]
    assert blind.errors > 0
    assert blind.goodput.absolute.estimate != 0
    half = kinds["channel", "congestion", 0.5]
    assert 0 < half.errors < blind.errors
    # `spare` halves for both, so that such an error changes nothing.
    harmless = kinds["congestion", "contention", 1.0]
    assert harmless.errors > 0
    assert harmless.goodput.absolute.estimate == 0


def test_an_error_where_nothing_was_lost_is_priced_once(chain: Path) -> None:
    """The oracle makes it always: other probabilities would be the same runs again."""
    settings = [("duration_s", "20"), ("topology.hops", "4"), ("flows.to", "4")]
    case = read_case(str(chain), [*settings, ("routing.protocol", "aodv")])
    found = judge([case], [], runs=2, errors=[0.5, 0.1], jobs=1)
    of_nothing = [p for p in found.prices if p.truth == "nothing"]
    assert [(p.believed, p.probability) for p in of_nothing] == [
        ("congestion", 1.0),
        ("contention", 1.0),
        ("route", 1.0),
    ]
    assert all(p.errors > 0 for p in of_nothing)
    kinds = [(p.truth, p.believed) for p in found.prices if p.truth != "nothing"]
    drawn = {(p.truth, p.believed, p.probability) for p in found.prices if p.truth != "nothing"}
    assert drawn == {(*kind, probability) for kind in kinds for probability in (0.5, 0.1)}
    assert len(drawn) == len(kinds) > 0


def test_what_is_written_is_what_is_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["judge", str(BOTH), "--set", "duration_s=15", "--runs", "2", "--jobs", "2"]
    words += ["--differentiators", "spike", "--response", "welcome", "--out", str(tmp_path / "j")]
    dispatch(words)
    printed = capsys.readouterr().out
    folder = tmp_path / "j"
    written = (folder / "judgement.txt").read_text()
    assert printed == f"{written}\nresults in {folder}\n"
    assert "response welcome, seeds 1 to 2" in written
    numbers = json.loads((folder / "judgement.json").read_text())
    assert numbers["seeds"] == {"queue-and-channel": [1, 2]}
    with (folder / "judgement.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [each["differentiator"] for each in rows] == ["blame-congestion", "spike", "oracle"]
    column = "accuracy.contention_is_load.mean"
    for one, other in zip(rows, numbers["rows"], strict=True):
        assert float(one[column]) == other["accuracy"][LOAD]["mean"]
    with (folder / "confusion.csv").open() as file:
        cells = list(csv.DictReader(file))
    of_spike = sum(int(each["count"]) for each in cells if each["differentiator"] == "spike")
    assert of_spike == numbers["rows"][1]["diagnoses"]
    runs = read_parquet(str(folder / "runs.parquet")).read_all()
    assert runs.column("seed").to_pylist() == [1, 2] * 3
    assert not (folder / "prices.csv").exists()
    for suffix in ("svg", "pdf", "png", "csv"):
        assert (folder / f"accuracy.{suffix}").stat().st_size > 0
    with pytest.raises(InputError, match="has a judgement already; go on with --resume if"):
        dispatch(words)
    again = [*words, "--overwrite", "--errors", "--error-probabilities", "1", "--json"]
    dispatch(again)
    assert json.loads(capsys.readouterr().out)["rows"] == numbers["rows"]
    assert "channel,congestion,1.0" in (folder / "prices.csv").read_text()


def test_a_full_disk_says_that_the_runs_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    words = ["judge", str(BOTH), "--set", "duration_s=3", "--runs", "1", "--differentiators"]
    monkeypatch.setattr("hopwright.research.judging.perform.write", full)
    with pytest.raises(OSError, match="No space left") as stopped:
        dispatch([*words, "spike", "--out", str(tmp_path / "out")])
    assert stopped.value.__notes__ == [
        f"3 of 3 runs are kept in {tmp_path / 'out'}; go on with --resume"
    ]


def test_a_judgement_that_was_stopped_is_gone_on_with(
    tmp_path: Path, hopwright: Hopwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed in the middle, and damaged: no run is lost, repeated, or believed that is not one."""
    words = ["judge", str(BOTH), "--set", "duration_s=5", "--runs", "4", "--differentiators"]
    words += ["spike", "--errors", "--error-probabilities", "1"]
    whole, out = tmp_path / "whole", tmp_path / "out"
    assert hopwright(*words, "--out", whole).returncode == 0
    names = ("judgement.json", "judgement.txt", "confusion.csv", "prices.csv", "judgement.csv")
    wanted = {name: (whole / name).read_bytes() for name in names}
    lines = (whole / "runs.jsonl").read_bytes().splitlines(keepends=True)

    append, count = Journal.append, 0

    def stop(self: Journal, run: Run, result: str) -> None:
        nonlocal count
        count += 1
        if count > 7:
            raise KeyboardInterrupt
        append(self, run, result)

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "append", stop)
        with pytest.raises(KeyboardInterrupt) as stopped:
            dispatch([*words, "--jobs", "1", "--out", str(out)])
    assert stopped.value.__notes__ == [f"7 of 12 runs are kept in {out}; go on with --resume"]
    assert {entry.name for entry in out.iterdir()} == {"request.json", "runs.jsonl"}
    refused = hopwright(*words, "--out", out)
    assert (refused.returncode, "go on with --resume" in refused.stderr) == (2, True)
    journal = out / "runs.jsonl"
    begun = journal.read_bytes().splitlines(keepends=True)
    begun[2] = begun[2].replace(b'"goodput_bps":', b'"goodput_bps":1', 1)
    journal.write_bytes(b"".join(begun) + lines[-1][:40])
    done = hopwright(*words, "--out", out, "--resume")
    assert done.returncode == 0
    said = f"warning: {journal}:3: this line is damaged; it is left out, and its run done again\n"
    assert done.stderr == said
    assert {name: (out / name).read_bytes() for name in names} == wanted
    after = journal.read_bytes().splitlines(keepends=True)
    assert after[:6] == [*begun[:2], *begun[3:7]]
    assert len(after) == len(set(after)) == len(lines)
    # All of it is there: nothing is run again.
    again = hopwright(*words, "--out", out, "--resume")
    assert (again.returncode, again.stderr) == (0, "")
    assert journal.read_bytes() == b"".join(after)
    # Another version's runs do not count: a warning says so, and the judgement is made anew.
    request = json.loads((out / "request.json").read_text())
    (out / "request.json").write_text(json.dumps(request | {"program": "version 0, build 0"}))
    other = hopwright(*words, "--set", "duration_s=6", "--out", out, "--resume")
    assert other.stderr == (
        f"warning: {len(after)} finished runs are of other scenarios or of another version of the "
        "program; they were not used\n"
    )
    anew = hopwright(*words, "--out", out, "--overwrite")
    assert (anew.returncode, anew.stderr) == (0, "")
    assert len(journal.read_bytes().splitlines()) == len(lines)
    assert {name: (out / name).read_bytes() for name in names} == wanted


@pytest.mark.parametrize(
    ("words", "difference"),
    [
        (
            ["--set", "duration_s=6"],
            "queue-and-channel: 'duration_s = 2.0' then, 'duration_s = 6.0'",
        ),
        (["--seed", "2"], "scenario queue-and-channel: 'seed = 1' then, 'seed = 2' now"),
        (["--set", "name=other"], "scenario queue-and-channel: asked for then, not now"),
        (
            ["--differentiators", "ncpld"],
            "blame-congestion, veno, oracle then, blame-congestion, nc",
        ),
        (["--differentiators", "veno,spike"], "timestamps: as each scenario says then, set for"),
        (["--response", "welcome"], "--response: spare then, welcome now"),
        (["--runs", "1"], "--runs: 2 then, 1 now"),
    ],
)
def test_another_question_does_not_replace_an_answer(
    words: list[str],
    difference: str,
    answered: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = {entry.name: entry.read_bytes() for entry in answered.iterdir()}
    assert main([*ANSWERED, *words, "--out", str(answered), "--resume"]) == 2
    said = capsys.readouterr().err
    assert f"{answered}: holds a judgement that was asked for otherwise:\n" in said
    assert difference in said
    assert {entry.name: entry.read_bytes() for entry in answered.iterdir()} == before


ANSWERED = [
    "judge",
    str(BOTH),
    "--set",
    "duration_s=2",
    "--runs",
    "2",
    "--differentiators",
    "veno",
]


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a judgement that is made."""
    folder = tmp_path_factory.mktemp("answered") / "j"
    assert main([*ANSWERED, "--out", str(folder)]) == 0
    return folder


def test_more_of_the_same_question_goes_on(tmp_path: Path, answered: Path) -> None:
    out = tmp_path / "j"
    shutil.copytree(answered, out)
    before = (out / "runs.jsonl").read_bytes()
    more = ["--runs", "3", "--differentiators", "veno,ncpld", "--errors"]
    assert main([*ANSWERED, *more, "--out", str(out), "--resume"]) == 0
    assert (out / "runs.jsonl").read_bytes().startswith(before)


def test_a_judgement_from_python_is_kept_and_gone_on_with(tmp_path: Path) -> None:
    case, out = read_case(str(BOTH), SHORT), tmp_path / "judged"
    told: list[str] = []
    first = judge([case], ["veno"], runs=1, seed=7, on="processes:1", out=out, warn=told.append)
    assert first.seeds == {case.name: (7, 7)}
    assert first.rows == judge([case.with_seed(7)], ["veno"], runs=1, jobs=1).rows
    assert (out / "judgement.json").read_text() == first.to_json()
    with pytest.raises(InputError, match="has a judgement already; go on with resume=True if"):
        judge([case], ["veno"], runs=1, seed=7, out=out)
    done: list[float] = []
    more = judge(
        [case], ["veno"], runs=2, seed=7, out=out, resume=True, watch=lambda n, _: done.append(n)
    )
    assert done[0] == 3, "one run of each of the three was there"
    assert more.seeds == {case.name: (7, 8)}
    assert told == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--on", "nowhere"], "nowhere: is not a place to run"),
        (["--on", "processes:2", "--jobs", "2"], "processes:2: has its own number of jobs"),
        (["--seed", "9007199254740992", "--runs", "2"], "the last seed would exceed"),
    ],
)
def test_how_runs_are_made_is_checked_before_the_first(words: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        dispatch(["judge", str(BOTH), "--json", *words])


def test_a_judgement_is_no_sweep(tmp_path: Path, chain: Path, hopwright: Hopwright) -> None:
    sweep = ["sweep", chain, "--vary", "mac.cw_min=15,31", "--out", tmp_path / "swept"]
    assert hopwright(*sweep).returncode == 0
    for more in ("--resume", "--overwrite"):
        done = hopwright("judge", BOTH, "--out", tmp_path / "swept", more)
        assert (done.returncode, "has other files in it" in done.stderr) == (2, True)
    both = hopwright("judge", BOTH, "--out", tmp_path / "new", "--resume", "--overwrite")
    assert (both.returncode, "--resume and --overwrite" in both.stderr) == (2, True)
    alone = hopwright("judge", BOTH, "--resume")
    assert (alone.returncode, "--resume needs --out" in alone.stderr) == (2, True)


def test_other_files_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(InputError, match="has other files in it"):
        dispatch(["judge", str(BOTH), "--out", str(tmp_path), "--overwrite"])
    with pytest.raises(InputError, match="is not a folder"):
        dispatch(["judge", str(BOTH), "--out", str(tmp_path / "notes")])
    assert [each.name for each in tmp_path.iterdir()] == ["notes"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--differentiators", "zigzg"], "no differentiator called 'zigzg'; did you mean 'zigzag'"),
        (["--differentiators", "spike,spike"], "differentiator 'spike' is named twice"),
        (["--response", "mercy"], "no response called 'mercy'; there are: halve, "),
        ([str(BOTH)], "two scenarios are called 'queue-and-channel'; give one another name"),
        (["--set", "seed=9007199254740992"], "the last seed would exceed"),
        (["--set", "flows=[]"], "has no flows"),
        (["--differentiators", ""], "--differentiators: a value is missing in ''"),
        (["--differentiators", "veno,,spike"], "a value is missing in 'veno,,spike'"),
        (
            ["--errors", "--error-probabilities", "1, "],
            "--error-probabilities: a value is missing in '1, '",
        ),
        (["--errors", "--error-probabilities", "0.5,0.50"], "0.5 is named twice"),
        (["--errors", "--error-probabilities", "0.5,two"], "'two' is not above 0"),
        (
            ["--set", "flows.transport.diagnosis=veno"],
            "flows.transport.diagnosis=veno: is set by the judgement; .* --differentiators",
        ),
        (["--set", "flows.0.transport.response=veno"], "use --response"),
        (
            ["--set", "flows.transport.timestamps=false"],
            "one of the differentiators needs timestamps, so all runs use them",
        ),
    ],
)
def test_what_cannot_be_judged_is_said(words: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        dispatch(["judge", str(BOTH), *words, "--json"])


def test_timestamps_may_be_set_where_no_differentiator_needs_them() -> None:
    timed = [read_case(str(BOTH), [*SHORT, ("flows.transport.timestamps", "true")])]
    plain = [read_case(str(BOTH), SHORT)]
    goodputs = [
        row(judge(cases, [name], runs=1, jobs=1), "oracle").goodput_bps
        for cases, name in ((timed, "veno"), (plain, "veno"), (timed, "spike"), (plain, "spike"))
    ]
    assert goodputs[0] != goodputs[1]
    assert goodputs[0] == goodputs[2] == goodputs[3]


def test_without_tcp_the_hint_makes_a_flow_of_it() -> None:
    star = str(LOSSES.parent / "star.toml")
    with pytest.raises(InputError, match="has no TCP flow") as caught:
        read_case(star)
    hint = shlex.split(str(caught.value).partition("--set ")[2])
    key, _, value = hint[0].partition("=")
    assert (key, value) == ("flows.0", "{ from = 1, to = 0 }")
    assert read_case(star, [(key, value)]).flows == (0,)


def test_a_scenario_takes_settings_of_its_own(tmp_path: Path) -> None:
    case = read_case(f"{BOTH},name=other,seed=7,duration_s=5", [("mac.queue_packets", "9")])
    assert (case.name, case.seed, case.flows) == ("other", 7, (0,))
    scenario = case.scenario("veno", "spare").to_toml()
    assert "queue_packets = 9" in scenario
    odd = tmp_path / "a,b=1.toml"
    odd.write_text(BOTH.read_text())
    assert read_case(str(odd)).name == "queue-and-channel"


def test_all_have_timestamps_if_one_needs_them() -> None:
    assert shared_settings(["blame-congestion", "zigzag", "oracle"]) == TIMED
    assert shared_settings(["blame-congestion", "welcome", "oracle"]) == {}
    case = read_case(str(BOTH), SHORT)
    alone = judge([case], ["veno"], runs=1, jobs=1)
    beside = judge([case], ["veno", "spike"], runs=1, jobs=1)
    assert row(alone, "veno").goodput_bps != row(beside, "veno").goodput_bps


def test_datagrams_are_left_alone(chain: Path) -> None:
    chain.write_text(chain.read_text() + UDP)
    case = read_case(str(chain))
    assert case.flows == (0,)
    found = judge([case], ["veno"], runs=2, jobs=1)
    with_udp = execute(case.scenario("veno", "spare"), [7], jobs=1)[0]
    tcp = items(result_of(with_udp), "flows")[0]
    assert isinstance(tcp, dict)
    assert found.runs["chain-3", "veno"].goodput_bps[0] == tcp["goodput_bps"]


def test_where_nothing_is_lost_there_is_nothing_to_judge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["judge", f"{BOTH},errors=[],mac.queue_packets=50,duration_s=3", "--runs", "2"]
    dispatch([*words, "--out", str(tmp_path / "none"), "--errors"])
    printed = capsys.readouterr().out
    assert "Nobody noticed a loss in any run: there is nothing to diagnose" in printed
    assert "How to read this" not in printed
    assert not list((tmp_path / "none").glob("accuracy.*"))
    numbers = json.loads((tmp_path / "none" / "judgement.json").read_text())
    assert numbers["rows"][0]["accuracy"][LOAD] is None
    assert numbers["prices"] == []


def test_words_follow_the_numbers() -> None:
    """Somebody who is wrong about the channel, but has more goodput than who knows the truth."""
    ignorant = made_up((100, {"channel_as_congestion": 4}), (110, {"channel_as_congestion": 2}))
    bound = made_up((90, {"channel_as_channel": 4}), (101, {"channel_as_channel": 2}))
    lucky = made_up(
        (120, {"channel_as_channel": 3, "channel_as_congestion": 1}),
        (130, {"channel_as_channel": 3, "channel_as_congestion": 1}),
    )
    ends = {"ignorant": ignorant, "bound": bound}
    rows = [
        row_of("s", "blame-congestion", ignorant, **ends),
        row_of("s", "lucky", lucky, **ends),
        row_of("s", "oracle", bound, **ends),
    ]
    assert rows[1].accuracy[WIRELESS] is not None
    assert share(rows[1].accuracy[WIRELESS]) == "0.75 0.75–0.75"
    assert rows[0].against_oracle.absolute.estimate == 9.5
    said = " ".join(sentences(rows))
    assert "right more often than blame-congestion: lucky; less often: nobody" in said
    assert "Right diagnoses cost goodput: " in said
    assert "More goodput than with right diagnoses: " in said
    same = row_of("s", "oracle", ignorant, ignorant=ignorant, bound=ignorant)
    assert percent(same.against_ignorance) == "the same"
    assert "change nothing with this response" in " ".join(sentences([same]))


def test_nothing_falls_by_more_than_all_of_it() -> None:
    wide = difference_of([10, 60, 90], [100, 120, 80])
    assert wide is not None
    fieller = relative_difference([-90, -60, 10], [100, 120, 80], 0.95)
    assert fieller is not None
    assert fieller.low is not None
    assert fieller.low < -1
    assert wide.relative is not None
    assert (wide.relative.estimate, wide.relative.ends) == (fieller.estimate, None)
    assert percent(wide) == "-46.7 % (no interval)"
    assert wide.absolute.ends is not None
    standing = difference_of([100, 110], [1, 200])  # a baseline that might be zero
    assert standing is not None
    assert percent(standing) == "+4.5 % (no interval)"
    narrow = difference_of([60, 66, 75], [70, 80, 90])
    assert narrow is not None
    assert narrow.relative is not None
    assert narrow.relative.ends is not None
    single = difference_of([5.0], [5.0])
    assert percent(single) == "the same"


def test_the_words_say_what_n_is_and_explain_no_interval_where_there_is_none(
    judged: Judgement,
) -> None:
    words = " ".join(text(judged).split())
    assert "n: all diagnoses of all runs." in words
    assert ("(no interval)" in words) == ("'no interval': too few runs" in words)


def test_one_run_has_no_intervals() -> None:
    found = judge([read_case(str(BOTH), SHORT)], ["veno"], runs=1, jobs=1)
    assert found.rows[0].accuracy[LOAD] is not None
    assert found.rows[0].goodput_bps.low is None
    words = text(found)
    assert "seed 1\n" in words
    assert words.count("(no interval)") == 3
    assert "'load': too few runs to say who is right more often." in words
    assert "A single run does not show whether right diagnoses bring goodput." in words
    assert "right more often than" not in words
    assert "'no interval': there are too few runs for an interval." in words
    assert accuracy_figure(found) is not None


def test_the_figure_shows_every_accuracy(judged: Judgement) -> None:
    figure = accuracy_figure(judged)
    assert figure is not None
    data = figure.data
    assert len(data["accuracy"]) == len(judged.rows) * len(Reading)
    assert set(data["bound"]) == {1.0}
    place = data["differentiator"].index("zigzag")
    assert data["reading"][place] == WIRELESS
    assert data["accuracy"][place] == known(row(judged, "zigzag").accuracy[WIRELESS]).estimate
