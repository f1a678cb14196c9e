"""Figures: the same data gives the same bytes, and no data gives a figure all the same."""

import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import hopwright as hw
from hopwright._io.data import number
from hopwright.figures import Line, lines
from hopwright.figures.decimate import COLUMNS, Column, ranges, visible
from hopwright.figures.flow import flow_figure
from hopwright.figures.frozen import frozen_spans
from hopwright.figures.panels import PANELS, ShownQueues

WINDOW = {
    "time_s": np.array([0.0, 1, 2, 3]),
    "cwnd_segments": np.array([2.0, 3, 4, 2]),
    "ssthresh_segments": np.array([np.inf, np.inf, np.inf, 2]),
    "acked_segments": np.array([0.0, 2, 5, 8]),
}
DATAGRAMS = {"time_s": np.array([0.0, 1]), "received_bytes": np.array([0.0, 1000])}
NO_ROWS = {name: np.array([]) for name in WINDOW}


def whole_run(duration_s: float) -> tuple[dict[str, Column], dict[int, tuple[Column, Column]]]:
    """Every column that a figure knows, at forty rows a second, and nine queues."""
    stream = np.random.default_rng(1)
    rows = int(40 * duration_s)
    time = np.sort(stream.uniform(0, duration_s, rows))
    cwnd = 2 + 20 * np.abs(np.sin(time)) + stream.uniform(0, 1, rows)
    acked = np.cumsum(stream.integers(0, 2, rows)).astype(float)
    rtt = 0.1 + cwnd * stream.uniform(0.02, 0.05, rows)
    columns = {
        "time_s": time,
        "cwnd_segments": cwnd,
        "ssthresh_segments": np.where(time < 3, np.inf, cwnd / 2),
        "srtt_s": rtt,
        "rtt_s": np.where(stream.uniform(size=rows) < 0.3, rtt, np.nan),
        "rto_s": rtt * stream.choice([2, 4, 64], rows, p=[0.98, 0.01, 0.01]),
        "in_flight_segments": cwnd,
        "acked_segments": acked,
        "sent_segments": acked + cwnd.round(),
        "retransmitted_segments": np.cumsum(stream.uniform(size=rows) < 0.01).astype(float),
    }
    return columns, {node: (time, stream.integers(0, 50, rows).astype(float)) for node in range(9)}


def panels(svg: bytes) -> int:
    root = ET.fromstring(svg)
    return sum(element.get("id", "").startswith("axes_") for element in root.iter())


@pytest.mark.parametrize(("columns", "count"), [(WINDOW, 2), (DATAGRAMS, 1), (NO_ROWS, 2), ({}, 1)])
def test_a_panel_for_each_kind_of_data(columns: dict[str, Column], count: int) -> None:
    assert panels(flow_figure(columns, title="0 → 3", end_s=5)) == count


@pytest.mark.parametrize(("chosen", "count"), [(["cwnd"], 1), (["rtt", "cwnd"], 1), (["queue"], 1)])
def test_only_the_panels_asked_for(chosen: list[str], count: int) -> None:
    assert panels(flow_figure(WINDOW, title="0 → 3", end_s=5, panels=chosen)) == count


@pytest.mark.parametrize(
    "lacking",
    ["ssthresh_segments", "srtt_s", "rtt_s", "rto_s", "sent_segments", "retransmitted_segments"],
)
def test_a_column_may_be_absent(lacking: str) -> None:
    columns, queues = whole_run(10)
    del columns[lacking]
    assert panels(flow_figure(columns, title="t", end_s=10, queues=ShownQueues(queues))) == len(
        PANELS
    )


@pytest.mark.parametrize("rows", [0, 1])
def test_a_run_in_which_little_happens(rows: int) -> None:
    columns, queues = whole_run(10)
    few = {name: values[:rows] for name, values in columns.items()}
    idle = {node: (time[:rows], packets[:rows]) for node, (time, packets) in queues.items()}
    few["rtt_s"] = np.full(rows, np.nan)
    assert panels(flow_figure(few, title="t", end_s=10, queues=ShownQueues(idle))) == len(PANELS)


def test_the_panel_says_which_queues_have_no_row() -> None:
    columns, queues = whole_run(10)
    said = "the fullest 2 of 9 on the path; highest: "
    for left_out in ("the fullest 2 of 9 on the path", ""):
        svg = flow_figure(columns, title="t", end_s=10, queues=ShownQueues(queues, left_out))
        assert (said in svg.decode()) == bool(left_out)
        assert "highest: " in svg.decode()


def test_a_long_run_stays_a_small_file() -> None:
    columns, queues = whole_run(900)
    assert len(flow_figure(columns, title="t", end_s=900, queues=ShownQueues(queues))) < 500_000


def test_markers_keep_their_curves() -> None:
    drawn = lines([Line("a", [1, 2], [3, 4])], x_label="x", y_label="y").svg()
    found = ET.fromstring(drawn).iter()
    paths = [element.get("d", "") for element in found if "d" in element.attrib]
    curved = [path for path in paths if "C" in path]
    assert curved
    for path in curved:
        # Each letter has its own numbers: a line after a curve would else be one more curve.
        wanted = {"M": 2, "L": 2, "Q": 4, "C": 6, "z": 0}
        for command in re.findall(r"[MLQCz][^MLQCz]*", path):
            assert len(command[1:].split()) == wanted[command[0]]


def test_text_is_text_as_wide_as_it_was_laid_out() -> None:
    svg = flow_figure(WINDOW, title="reno & 0 → 4", end_s=5)
    texts = [element for element in ET.fromstring(svg).iter() if element.tag.endswith("}text")]
    assert {"reno & 0 → 4", "time (s)", "window (segments)"} <= {each.text for each in texts}
    for each in texts:
        families = each.get("style", "")
        assert "font-family: 'STIXGeneral', " in families
        assert "serif;" in families
        assert each.get("lengthAdjust") == "spacingAndGlyphs"
        size = float(families.removeprefix("font-size: ").partition("px")[0])
        # No letter is wider than it is high, and none has no width.
        letters = len(each.text or "")
        assert 0.1 * size * letters < float(each.get("textLength", "0")) < size * letters


def test_a_long_title_has_lines() -> None:
    svg = flow_figure(WINDOW, title="a-scenario-with-a-name: " * 8, end_s=5).decode()
    paper, *texts = re.findall(r'(?:<svg [^>]*width|textLength)="([\d.]+)', svg)
    assert max(map(float, texts)) < float(paper)


def test_same_data_same_bytes() -> None:
    first = flow_figure(WINDOW, title="t", end_s=5)
    assert first == flow_figure(WINDOW, title="t", end_s=5)
    assert b"<dc:date>" not in first


def test_a_users_own_style_changes_nothing() -> None:
    from matplotlib import rc_context

    plain = flow_figure(WINDOW, title="t", end_s=5)
    with rc_context({"lines.linewidth": 9, "svg.hashsalt": "other", "font.size": 20}):
        assert flow_figure(WINDOW, title="t", end_s=5) == plain


def test_what_is_left_out_cannot_be_seen() -> None:
    columns, _ = whole_run(900)
    time, cwnd = columns["time_s"], columns["cwnd_segments"]
    few_times, few = visible(time, cwnd, 0, 900)
    assert len(few) <= 4 * (COLUMNS + 1) < len(cwnd)
    edges = np.linspace(0, 900, COLUMNS + 1)
    for left, right in pairwise(edges):
        whole = cwnd[(time >= left) & (time < right)]
        kept = few[(few_times >= left) & (few_times < right)]
        assert (whole[0], whole[-1]) == (kept[0], kept[-1])
        assert (whole.min(), whole.max()) == (kept.min(), kept.max())
    assert (np.diff(few_times) >= 0).all()


def test_ranges_know_only_samples() -> None:
    time = np.array([0.0, 0.001, 5.0, 9.0])
    at, least, most = ranges(time, np.array([1.0, 3.0, np.nan, 2.0]), 0, 10)
    assert (at.tolist(), least.tolist(), most.tolist()) == ([0.0, 9.0], [1.0, 2.0], [3.0, 2.0])


def groups(svg: bytes, prefix: str) -> int:
    return sum(each.get("id", "").startswith(prefix) for each in ET.fromstring(svg).iter())


@pytest.mark.parametrize("chosen", [list(PANELS), ["queue"], ["sequence"]])
def test_times_in_which_the_sender_stood_still_are_shaded(chosen: list[str]) -> None:
    columns, queues = whole_run(10)
    plain = flow_figure(columns, title="t", end_s=10, panels=chosen, queues=ShownQueues(queues))
    spans = [(2.0, 4.0), (5.0, 5.001)]
    shaded = flow_figure(
        columns, title="t", end_s=10, panels=chosen, queues=ShownQueues(queues), frozen=spans
    )
    assert (groups(plain, "frozen"), groups(shaded, "frozen")) == (0, len(chosen))
    assert groups(shaded, "legend") == groups(plain, "legend") + 1
    assert groups(flow_figure({}, title="t", end_s=10, frozen=spans), "frozen") == 0


OUTAGE = """
[[events]]
at_s = 3
node = 2
do = "down"
[[events]]
at_s = 5
node = 2
do = "up"
"""


def test_a_runs_frozen_times_are_in_its_figure(chain: Path, tmp_path: Path) -> None:
    text = chain.read_text().replace('"static"', '"aodv"').replace('"newreno"', '"fsr"')
    chain.write_text(text.replace("seed = 7", "seed = 1") + OUTAGE)
    out = tmp_path / "out"
    results = hw.run(chain, out=out)
    stood_still = number(results.summary, "results", 0, "flows", 0, "phase_time_s", "frozen")
    assert stood_still is not None
    assert stood_still > 1
    spans = frozen_spans(out / "series.parquet", 0, 10.0)
    assert sum(end - start for start, end in spans) == pytest.approx(stood_still)
    assert groups((out / "flow-0.svg").read_bytes(), "frozen") > 0
    assert frozen_spans(out / "series.parquet", 1, 10.0) == []
    few = hw.load(chain, {"output.series": ["queue"], "duration_s": 5.01})
    hw.run(few, out=tmp_path / "queues")
    assert frozen_spans(tmp_path / "queues" / "series.parquet", 0, 5.01) == []
    assert groups((tmp_path / "queues" / "flow-0.svg").read_bytes(), "frozen") == 0
    none = hw.load(chain, {"output.series": [], "duration_s": 5.01})
    hw.run(none, out=tmp_path / "none")
    assert groups((tmp_path / "none" / "flow-0.svg").read_bytes(), "frozen") == 0
    short = hw.load(chain, {"duration_s": 5.01})
    hw.run(short, out=tmp_path / "short")
    assert frozen_spans(tmp_path / "short" / "series.parquet", 0, 5.01)[-1][1] == 5.01
