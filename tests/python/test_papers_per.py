"""Results of runs divided by numbers that are none."""

from pathlib import Path

import pytest

from hopwright.errors import InputError
from hopwright.papers.document import read
from hopwright.papers.measured import Effort, measure
from tiny_paper import TINY, write

SUM = """\
id = "lost"
title = "lost"
sum = ["mac.failures.data", "mac.failures.ack"]
kind = "count"
"""


def effort(folder: Path) -> Effort:
    return Effort(2, 1, folder / "runs", resume=False, watch=lambda _part: None)


def measured(folder: Path, lines: str) -> dict[str, list[float]]:
    """What the two runs of two hops with eight segments give."""
    folder.mkdir(exist_ok=True)
    text = TINY.replace(SUM, f'id = "lost"\ntitle = "lost"\nkind = "count"\n{lines}\n')
    found = measure(read(write(folder, text)), {}, effort(folder))
    return {name: [*values] for name, values in found.values["2", "8"].items()}


def test_a_result_is_divided_by_a_number_of_the_series(tmp_path: Path) -> None:
    lines = 'sum = ["goodput_segments"]\nper = ["series.acked_segments@1.5"]\nflow = 0'
    halves = measured(tmp_path, lines)
    # Twice as long: about twice as much, less what the handshake and slow start take.
    assert all(1.7 < value < 2.5 for value in halves["lost"])
    whole = measured(tmp_path / "other", lines.replace("@1.5", "@3"))
    assert whole["lost"] == pytest.approx([1, 1], rel=0.01)
    assert halves["segments"] == whole["segments"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('sum = ["goodput_segments"]\nper = ["series.sent_in.frozen"]', "per is 0 in a run"),
        (
            'sum = ["goodput_segments"]\nper = ["series.recoveries", "goodput_bps"]',
            "different kinds: results, series.*",
        ),
        ('sum = ["series.recoveries"]\nper = ["goodput_bps"]', "per, flow: of results of runs"),
    ],
)
def test_what_cannot_be_divided_is_refused(tmp_path: Path, lines: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        measured(tmp_path, lines)
