"""Numbers of papers' files that are no results of runs: of the topology and of acknowledgements."""

import csv
import importlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hopwright._io.data import items, number
from hopwright._io.errors import InputError
from hopwright._run.execute import execute, result_of
from hopwright.research.papers import acknowledgements, library, topology
from hopwright.research.papers.acknowledgements import Acknowledgement
from hopwright.research.papers.axes import Axis
from hopwright.research.papers.document import Document, read
from hopwright.research.papers.drawing import draw
from hopwright.research.papers.functions import network
from hopwright.research.papers.measured import Effort, measure
from hopwright.research.papers.points import overrides, source_of
from hopwright.sweeps.run_plan import RunPlan
from hopwright.topology.report import report_of
from made_up import MadeUp
from tiny_paper import TINY, write

if TYPE_CHECKING:
    from hopwright.research.papers.fields import Value

TRACE = """\
s 1.000000000 _0_ AGT  --- 0 tcp 40 [0 0 0 0] ------- [0:0 3:0 64 0] [0 0] 0 0
r 1.004826003 _3_ AGT  --- 0 tcp 40 [13a 3 2 800] ------- [0:0 3:0 62 3] [0 0] 3 0
s 1.004826003 _3_ AGT  --- 1 ack 40 [0 0 0 0] ------- [3:0 0:0 64 0] [0 0] 0 0
r 1.048627345 _3_ AGT  --- 2 tcp 1500 [13a 3 2 800] ------- [0:0 3:0 62 3] [1 0] 3 0
r 1.056238013 _3_ AGT  --- 3 tcp 1500 [13a 3 2 800] ------- [0:0 3:0 62 3] [2 0] 3 0
s 1.056238013 _3_ AGT  --- 4 ack 40 [0 0 0 0] ------- [3:0 0:0 64 0] [2 0] 0 0
D 1.060000000 _1_ IFQ  --- 9 tcp 1500 [0 1 0 800] ------- [0:0 3:0 64 1] [8 0] 0 0
r 1.084638019 _3_ AGT  --- 5 tcp 1500 [13a 3 2 800] ------- [0:0 3:0 62 3] [3 0] 3 0
s 1.200000000 _3_ AGT  --- 8 ack 40 [0 0 0 0] ------- [3:0 0:0 64 0] [3 0] 0 0
r 1.230000000 _3_ AGT  --- 7 tcp 1500 [13a 3 2 800] ------- [0:0 3:0 62 3] [5 0] 3 0
s 1.230000000 _3_ AGT  --- 9 ack 40 [0 0 0 0] ------- [3:0 0:0 64 0] [3 0] 0 0
r 1.240000000 _3_ AGT  --- 6 tcp 1500 [13a 3 2 800] ------- [0:0 3:0 62 3] [4 0] 3 0
s 1.333000000 _3_ AGT  --- 10 ack 40 [0 0 0 0] ------- [3:0 0:0 64 0] [5 0] 0 0
"""
"""Two at once; one by the timer on a tick of 200 ms; one out of order; two by the timer, off it."""

SENT = [
    Acknowledgement(1.056238013, 2, is_by_timer=False),
    Acknowledgement(1.2, 1, is_by_timer=True),
    Acknowledgement(1.23, 0, is_by_timer=False),
    Acknowledgement(1.333, 2, is_by_timer=True),
]

NETWORK = """
document = "Nobody 2026"
title = "Who is near whom"
source = "figure 1"
about = "A file for tests."
runs = 2
quick_runs = 2

[scenario]
name = "moving"
duration_s = 20
topology = { kind = "random", nodes = 12 }
area = { width_m = 800, height_m = 300 }
mobility = { model = "random-waypoint", min_speed_mps = 1, max_speed_mps = 5 }
routing = { protocol = "aodv" }
flows = [{ pairs = "random" }]

[[vary]]
name = "width"
key = "area.width_m"
values = [400, 1500]

[[measures]]
id = "short"
title = "share of up to 3 hops"
function = "topology"
with = { number = "share_up_to_3" }
kind = "amount"

[[measures]]
id = "degree"
title = "neighbours"
function = "topology"
with = { number = "mean_degree" }
kind = "amount"

[[tables]]
id = "1"
title = "Figure 1"
columns = "width"
rows = [{ measure = "short" }, { measure = "degree" }]

[[claims]]
id = "near"
says = "Most pairs are near."
rule = "order"
order = ["short.400 > 0.5"]

[[figures]]
id = "lengths"
kind = "path lengths"
title = "lengths"
y_label = "share"
at = { width = "1500" }
bins = "sturges"
"""

HEARTBEAT = TINY.replace('function = "idle_before_timeouts_s"', "@")
"""With the last measure to be put in."""


def effort(folder: Path) -> Effort:
    return Effort(2, RunPlan(jobs=1, out=folder / "runs"), watch=lambda _part: None)


def test_acknowledgements_are_told_apart_by_what_made_them_leave() -> None:
    assert acknowledgements.sent(TRACE.splitlines()) == SENT


def test_acknowledgements_are_counted() -> None:
    run = MadeUp(acknowledgements=SENT)
    assert network.acks_sent(run) == 4
    assert network.acks_by_timer(run) == 2
    assert network.acks_by_timer_off(run, tick_s=0.2) == 1
    assert network.acks_by_timer_off(run, tick_s=0.001) == 0
    with pytest.raises(InputError, match=r"tick_s = 0: must be above 0 seconds, such as 0\.2"):
        network.acks_by_timer_off(run, tick_s=0)


def test_a_line_that_is_no_event_of_an_agent_is_refused() -> None:
    with pytest.raises(InputError, match="is not an event of an agent"):
        acknowledgements.sent(["s 1.0 _0_ MAC  --- 0 tcp 40"])


def test_with_a_heartbeat_timers_run_out_on_its_beats_alone(tmp_path: Path) -> None:
    text = HEARTBEAT.replace(
        "@", 'function = "acks_by_timer_off"\nwith = { tick_s = 0.1 }'
    ).replace(
        "flows = [{ from = 0, to = 2 }]",
        'flows = [{ from = 0, to = 2, transport = { protocol = "newreno", acking = "delayed" } }]',
    )
    document = read(write(tmp_path, text))
    for tick, off in ((100, False), (0, True)):
        keys: dict[str, Value] = {
            "flows.transport.granularity_ms": tick,
            "flows.transport.granularity_mode": "heartbeat",
            "flows.transport.delayed_ack_ms": 7,  # runs out before the next segment
        }
        measured = measure(document, keys, effort(tmp_path / str(tick)), ["idle.8.2"])
        assert all((count > 5) is off for count in measured.of(document.cells["idle.8.2"]))


def test_of_numbers_that_are_no_results_only_those_that_are_shown_are_made(tmp_path: Path) -> None:
    document = read(write(tmp_path, HEARTBEAT.replace("@", 'function = "acks_sent"')))
    measured = measure(document, {}, effort(tmp_path))
    shown = [labels for labels, numbers in measured.values.items() if "idle" in numbers]
    assert shown == [("1", "8"), ("2", "8")]


def test_acknowledgements_are_of_one_flow(tmp_path: Path) -> None:
    text = HEARTBEAT.replace("@", 'function = "acks_sent"').replace(
        "flows = [{ from = 0, to = 2 }]", "flows = [{ from = 0, to = 2 }, { from = 0, to = 2 }]"
    )
    text = text.replace('"flows.0.to"', '"flows.to"')
    with pytest.raises(InputError, match="the run must have one flow; it has 2"):
        measure(read(write(tmp_path, text)), {}, effort(tmp_path))


def test_the_topology_takes_no_run_and_is_that_of_the_command(tmp_path: Path) -> None:
    document = read(write(tmp_path, NETWORK))
    measured = measure(document, {}, effort(tmp_path))
    assert not (tmp_path / "runs").exists()
    scenario = source_of(document).load([("area.width_m", "1500")])
    for place, seed in enumerate((1, 2)):
        report = report_of(scenario.with_seed(seed))
        assert measured.of(document.cells["short.1500"])[place] == report.paths()["share_up_to_3"]
        assert (
            measured.of(document.cells["degree.1500"])[place]
            == (report.over_time()["mean_degree"][0])
        )


def test_a_number_of_no_topology_is_refused_with_the_file(tmp_path: Path) -> None:
    text = NETWORK.replace("mean_degree", "mean_degre")
    with pytest.raises(InputError, match=r"tiny\.toml:30: .*did you mean 'mean_degree'\?"):
        measure(read(write(tmp_path, text)), {}, effort(tmp_path))


def test_a_histogram_holds_the_pairs_of_all_seeds(tmp_path: Path) -> None:
    document = read(write(tmp_path, NETWORK))
    (drawing,) = document.drawings
    draw(document, drawing, measure(document, {}, effort(tmp_path))).save(tmp_path / "lengths")
    with (tmp_path / "lengths.csv").open(newline="") as file:
        counts = [int(row["count"]) for row in csv.DictReader(file)]
    scenario = source_of(document).load([("area.width_m", "1500")])
    assert sum(counts) == len(report_of(scenario, runs=2).mean_paths())
    _, other = topology.histogram(scenario, (1, 2), bins="fd", jobs=1)
    assert sum(other) == sum(counts)


@pytest.mark.parametrize(
    ("title", "label", "name"),
    [
        ("hops", "3", "hops 3"),
        ("granularity, ms", "50", "granularity 50 ms"),
        ("loss (%)", "0.5", "loss 0.5 %"),
        ("hops", "3 of 5", "3 of 5"),
        ("protocol", "NewReno", "NewReno"),
    ],
)
def test_series_that_are_numbers_say_of_what(title: str, label: str, name: str) -> None:
    assert Axis("a", title, ()).series(label) == name


def test_a_figure_of_acknowledgements_is_of_the_time_that_is_asked_for(tmp_path: Path) -> None:
    recipe = """
[[figures]]
id = "acks"
kind = "acknowledgements"
title = "acknowledgements"
y_label = "segments"
by = "hops"
at = { limit = "8" }
labels = ["2"]
from_s = 1
to_s = 2
"""
    document = read(write(tmp_path, TINY + recipe))
    few = read(write(tmp_path, NETWORK, "network"))
    draw(document, document.drawings[-1], measure(few, {}, effort(tmp_path))).save(
        tmp_path / "acks"
    )
    with (tmp_path / "acks.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["series"] for row in rows} == {"hops 2, at a segment"}
    assert all(1 <= float(row["x"]) <= 2 and float(row["y"]) == 1 for row in rows)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('at = { width = "1500" }', "", "width is missing"),
        ('bins = "sturges"', 'bins = "scott"', "bins = 'scott'"),
        ('kind = "path lengths"', 'kind = "path length"', "did you mean 'path lengths'?"),
        ('bins = "sturges"', "from_s = 1", "no key called 'from_s'"),
    ],
)
def test_a_wrong_recipe_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in NETWORK
    with pytest.raises(InputError) as caught:
        read(write(tmp_path, NETWORK.replace(old, new)))
    assert message in str(caught.value)


# Settings that replace all flows, and settings that ns-2 has not

FLOWS = """
[[vary]]
name = "connections"
settings = [
    { label = "one", set = { flows = [@] }, reference = { connections = 1 } },
    { label = "two", set = { flows = [@, @] }, reference = false },
]
""".replace("@", "{ from = 0, to = 2 }")


def with_flows(tmp_path: Path) -> Document:
    """Whoever replaces the flows stands last, where it would take back what the others set."""
    text = TINY.replace('"flows.0.to"', '"flows.to"').replace(
        "[[measures]]", FLOWS + "\n[[measures]]", 1
    )
    text = text.replace('at = { limit = "1" }', 'at = { limit = "1", connections = "one" }', 1)
    text = text.replace('at = { limit = "8" }', 'at = { limit = "8", connections = "two" }')
    text = text.replace("segments.1.1 > segments.1.2", "segments.1.one.1 > segments.1.one.2")
    text = text.replace("segments.1.*", "segments.1.one.*")
    text = text.replace('sum = ["series.idle_before_timeouts_s"]', 'sum = ["goodput_segments"]')
    text = text.replace('id = "lost"\ntitle', 'id = "lost"\nreference = "ret_rts"\ntitle', 1)
    return read(write(tmp_path, text))


def test_settings_of_all_flows_do_not_take_back_settings_of_each(tmp_path: Path) -> None:
    document = with_flows(tmp_path)
    for point in document.points():
        scenario = source_of(document).load(overrides(point, {"flows.transport.protocol": "vegas"}))
        text = scenario.to_toml()
        hops, _, connections = (setting.label for setting in point)
        assert scenario.flow_count == (2 if connections == "two" else 1)
        assert text.count(f"\nto = {hops}\n") == text.count('protocol = "vegas"')
        assert text.count('protocol = "vegas"') == scenario.flow_count
    keys: dict[str, Value] = {"flows.transport.protocol": "vegas"}
    measured = measure(document, keys, effort(tmp_path))
    for point in document.points():
        scenario = source_of(document).load(overrides(point, keys))
        runs = [result_of(run) for run in execute(scenario, measured.seeds, jobs=1)]
        at = {axis.name: each.label for axis, each in zip(document.axes, point, strict=True)}
        assert measured.at(at, "segments") == [
            sum(number(flow, "goodput_segments") or 0 for flow in items(run, "flows"))
            for run in runs
        ]


def test_what_ns2_has_no_setting_for_is_not_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(library.FOLDER.parents[1] / "validation" / "ns2")
    fill = importlib.import_module("fill")
    document = with_flows(tmp_path)
    settings = document.axes[2].settings
    assert [each.reference for each in settings] == [{"connections": "1"}, None]
    assert fill._sample(document, document.cells["lost.8.two.1"], None, []) == ""
    one = replace(
        document.cells["lost.8.two.1"], at={"hops": "1", "limit": "8", "connections": "one"}
    )
    with pytest.raises(LookupError, match="no ret_rts where"):
        fill._sample(document, one, None, [])
