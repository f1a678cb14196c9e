"""Figures: the same data gives the same bytes, and no data gives a figure all the same."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from hopwright.plot import flow_figure


def column(*values: float) -> bytes:
    return np.asarray(values, dtype="<f8").tobytes()


WINDOW = {
    "time_s": column(0, 1, 2, 3),
    "cwnd_segments": column(2, 3, 4, 2),
    "ssthresh_segments": column(np.inf, np.inf, np.inf, 2),
    "acked_segments": column(0, 2, 5, 8),
}
DATAGRAMS = {"time_s": column(0, 1), "received_bytes": column(0, 1000)}
NO_ROWS = dict.fromkeys(WINDOW, b"")


def panels(svg: bytes) -> int:
    root = ET.fromstring(svg)
    return sum(element.get("id", "").startswith("axes_") for element in root.iter())


@pytest.mark.parametrize(("series", "count"), [(WINDOW, 2), (DATAGRAMS, 1), (NO_ROWS, 2), ({}, 1)])
def test_a_panel_for_each_kind_of_data(series: dict[str, bytes], count: int) -> None:
    assert panels(flow_figure(series, title="0 → 3", end_s=5)) == count


def test_same_data_same_bytes() -> None:
    first = flow_figure(WINDOW, title="t", end_s=5)
    assert first == flow_figure(WINDOW, title="t", end_s=5)
    assert b"<dc:date>" not in first


def test_a_users_own_style_changes_nothing() -> None:
    from matplotlib import rc_context

    plain = flow_figure(WINDOW, title="t", end_s=5)
    with rc_context({"lines.linewidth": 9, "svg.hashsalt": "other", "font.size": 20}):
        assert flow_figure(WINDOW, title="t", end_s=5) == plain
