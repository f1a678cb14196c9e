"""Letters in figures that files or fonts have no place for."""

import warnings
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from hopwright._cli.main import main
from hopwright._io.errors import HopwrightWarning
from hopwright.figures import Figure, Line, lines
from hopwright.figures.flow import flow_figure
from hopwright.figures.letters import visible

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"


def titled(text: str) -> Figure:
    series = [Line(text, [1, 2], [3, 4]), Line("b", [1, 2], [3, 5])]
    return lines(series, x_label=text, y_label=text, title=text)


@pytest.mark.parametrize(
    "text", ["a\x00", "\x1b[1m", "\ufeffa", "\ufeff", "a\udcff", "\ufffe", "\u202ea", "a\tb\r\nc"]
)
def test_no_letter_spoils_a_file(text: str) -> None:
    figure = titled(text)
    ET.fromstring(figure.svg())
    assert figure.pdf()
    assert figure.png()
    times = np.array([0.0, 1.0])
    ET.fromstring(flow_figure({"time_s": times, "cwnd_segments": times}, title=text, end_s=1.0))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("µ − é 中 \xa0", "µ − é 中 \xa0"),
        ("a\tb", "a b"),
        ("\x1b[1m", "\ufffd[1m"),
        ("\ufeffa\nb", "a\nb"),
    ],
)
def test_what_stands_for_them(text: str, seen: str) -> None:
    assert visible(text) == seen


def test_letters_of_other_scripts_are_drawn() -> None:
    titled("Ж λ שלום مرحبا")  # warnings are errors here


def test_letters_that_no_font_has_are_told_once() -> None:
    with pytest.warns(HopwrightWarning) as told:
        titled("中中 文").pdf()
    (line,) = [str(each.message) for each in told]
    assert line.startswith("the fonts of figures do not have 中, 文: PDF and PNG files show boxes")


def test_a_command_says_so_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        words = [str(SCENARIOS / "chain.toml"), "--title", "中", "--out", str(tmp_path / "map")]
        assert main(["plot", *words]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("warning: the fonts of figures do not have 中: ")
