"""Text on standard output and in strings: no blanks at ends, nothing torn."""

import io
import os
import sys

import pytest
from rich.table import Table

from hopwright._io.console import Hanging, Listed, Prose, standard_output, text_of, wrapped
from hopwright._io.progress import _standard_error


@pytest.mark.parametrize(
    "unit", ["kb/s", "%", "ms", "s", "m", "Mb/s", "µJ", "nJ", "J", "dB", "m/s", "packets", "hops"]
)
def test_a_number_keeps_its_unit(unit: str) -> None:
    text = f"it is 37.2 {unit} wide"
    for width in range(6 + len(unit), len(text)):
        lines = wrapped(text, width)
        assert any(f"37.2 {unit}" in line for line in lines), lines
        assert " ".join(lines) == text


def test_a_number_keeps_its_interval() -> None:
    assert wrapped("with 229.6 ± 0.8 kb/s", 17) == ["with", "229.6 ± 0.8 kb/s"]


def test_words_that_only_begin_like_units_are_words() -> None:
    assert wrapped("of 10 seeds", 5) == ["of 10", "seeds"]
    assert wrapped("in 3 moments", 7) == ["in 3", "moments"]


def test_lists_are_broken_between_their_parts() -> None:
    parts = "slow start 7.6 s, congestion avoidance 254.7 s, recovery 37.3 s, time-out 0.4 s"
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    table.add_row("time by phase", Listed(parts))
    lines = text_of(table).splitlines()
    assert lines == [
        "time by phase  slow start 7.6 s, congestion avoidance 254.7 s,",
        "               recovery 37.3 s, time-out 0.4 s",
    ]


@pytest.mark.parametrize("columns", ["0", "000", "-1", "²", "wide", "", "9" * 5000])
def test_columns_that_are_no_width_are_those_of_a_missing_value(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    # As without a terminal that says how wide it is.
    monkeypatch.setattr(os, "get_terminal_size", _no_terminal)
    console = standard_output()
    console.print("seen")
    assert (console.width, capsys.readouterr().out) == (80, "seen\n")
    assert _standard_error().width == 80
    monkeypatch.setenv("COLUMNS", "40")
    assert standard_output().width == 40


def _no_terminal(_descriptor: int) -> os.terminal_size:
    raise OSError


def test_nothing_printed_has_blanks_at_its_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = Table()
    table.add_column("a")
    table.add_column("b")
    table.add_row("wide", "")
    standard_output(40).print(table, Prose("x  ", hang=2))
    assert not [line for line in capsys.readouterr().out.splitlines() if line != line.rstrip()]
    written = io.StringIO()
    monkeypatch.setattr(sys, "stdout", written)
    coloured = standard_output(40)
    assert coloured.file.write("a \x1b[1mb  \x1b[0m\n") > 0
    assert written.getvalue() == "a \x1b[1mb\x1b[0m\n"


def test_what_hangs_is_indented_from_its_second_line_on() -> None:
    from rich.table import Table

    def lines(width: int, text: str) -> list[str]:
        table = Table(box=None, show_header=False, padding=0)
        table.add_column(width=width)
        table.add_row(Hanging(text))
        return text_of(table).splitlines()

    assert lines(40, "acknowledgements lost: contention") == ["acknowledgements lost: contention"]
    assert lines(26, "acknowledgements lost: contention") == [
        "acknowledgements lost:",
        "  contention",
    ]
    assert lines(10, "ab cd ef gh ij") == ["ab cd ef", "  gh ij"]
