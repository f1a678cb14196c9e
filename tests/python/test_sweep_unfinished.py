"""Sweeps that were stopped: whoever looks at their table is told what it lacks."""

from pathlib import Path

import pytest

import hopwright as hw
from hopwright._cli.main import main
from hopwright._io.errors import HopwrightWarning
from hopwright.comparisons import compare_sweep
from hopwright.sweeps.merge import merge
from sweeping import SHORT

PROTOCOL = "flows.transport.protocol"
VARY = {PROTOCOL: ["reno", "vegas"]}
RUNS = 5
MADE = 7
STOPPED = f"{MADE} of {2 * RUNS} runs are finished; --resume makes the others"


def stopped(chain: Path, out: Path, **options: object) -> Path:
    """A sweep that was interrupted: reno has five runs, vegas two, the table has all of them."""
    how = {"runs": RUNS, "overrides": SHORT} | options
    whole = out.parent / "whole"
    hw.sweep(chain, VARY, out=whole, jobs=1, **how)  # type: ignore[arg-type]
    cut_journal(whole, MADE)
    merge([whole], out)
    return out


def killed(chain: Path, out: Path, kept: int) -> Path:
    """A sweep of 4 runs, killed while it was gone on with: the table is the old one."""
    hw.sweep(chain, VARY, out=out, runs=2, overrides=SHORT)
    old = (out / "results.parquet").read_bytes()
    hw.sweep(chain, VARY, out=out, runs=RUNS, overrides=SHORT, resume=True)
    (out / "results.parquet").write_bytes(old)
    cut_journal(out, kept)
    return out


def cut_journal(folder: Path, runs: int) -> None:
    journal = folder / "runs.jsonl"
    journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:runs]))


def plot(folder: Path) -> int:
    return main(["plot", str(folder), "bars", "--overwrite", "--out", str(folder.parent / "bars")])


def test_figures_and_comparisons_say_how_much_is_finished(
    chain: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    part = stopped(chain, tmp_path / "part")
    capsys.readouterr()
    assert plot(part) == 0
    assert capsys.readouterr().err == f"warning: {part}: {STOPPED}\n"
    assert main(["compare", "--from", str(part), "--baseline", "reno", "--json"]) == 0
    assert capsys.readouterr().err == f"warning: {part}: {STOPPED}\n"
    assert main(["explain", str(part), "--against", "reno", "--json"]) == 0
    assert f"warning: {part}: {STOPPED}\n" in capsys.readouterr().err
    hw.sweep(chain, VARY, out=part, runs=RUNS, overrides=SHORT, resume=True)
    assert plot(part) == 0
    assert capsys.readouterr().err == ""


def test_runs_that_were_not_made_are_why_others_are_left_out(chain: Path, tmp_path: Path) -> None:
    part = stopped(chain, tmp_path / "part")
    with pytest.warns(HopwrightWarning, match=STOPPED):
        found = compare_sweep(part, baseline="reno", metrics=["goodput_bps"])
    (contrast,) = found.contrasts
    assert (contrast.n, contrast.left_out, contrast.not_made) == (2, 3, 3)
    left = "Left out: 3 runs have no value, or no partner of the same seed: 3 runs are not made yet"
    assert found.sentences[0].endswith(f" {left}.")
    with pytest.warns(HopwrightWarning, match=STOPPED):
        found = compare_sweep(part, baseline="reno", where={"seed": [7, 8]})
    assert "not made" not in str(found), "seeds that nobody asks for"
    with pytest.warns(HopwrightWarning, match=STOPPED):
        found = compare_sweep(part, baseline="reno", where={"seed": [10]})
    assert "no two runs have a value. Left out" not in found.sentences[0]
    assert found.sentences[0].endswith(" 1 run is not made yet.")


def test_an_adaptive_sweep_lacks_what_its_results_ask_for(
    chain: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    part = stopped(chain, tmp_path / "part", until=0.0001, most_runs=20)
    capsys.readouterr()
    assert plot(part) == 0
    # Its five runs are too few for reno, and so it is to have eight.
    assert f"{part}: {MADE} of {8 + RUNS} runs are finished" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        (8, "but 8 are finished; --resume makes the others, and the table anew"),
        (10, "but 10 are finished; --resume makes the table anew"),
    ],
)
def test_a_table_that_is_older_than_the_journal_is_told_of(
    chain: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kept: int, said: str
) -> None:
    out = killed(chain, tmp_path / "out", kept)
    with (out / "runs.jsonl").open("a") as journal:
        journal.write('{"point":"torn')
    line = f"{out}: results.parquet has 4 of 10 runs, {said}"
    assert plot(out) == 0
    assert capsys.readouterr().err == f"warning: {line}\n"
    with pytest.warns(HopwrightWarning) as told:
        compare_sweep(out, baseline="reno")
    assert [str(each.message) for each in told] == [line]


def test_a_table_without_journal_is_taken_as_it_is(
    chain: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = killed(chain, tmp_path / "out", 8)
    (out / "sweep.json").write_text("damaged")
    assert plot(out) == 0
    (out / "sweep.json").unlink()
    assert plot(out) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("within", ["", "1-chain"])
def test_a_sweep_that_was_killed_before_it_had_a_table_names_the_remedy(
    chain: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], within: str
) -> None:
    out = tmp_path / "out"
    killed(chain, out / within, 3)
    (out / within / "results.parquet").unlink()
    capsys.readouterr()
    said = (
        f"hopwright: {out / within}/results.parquet: is missing: 3 of 10 runs are finished; "
        "finish the sweep with --resume\n"
    )
    assert plot(out) == 2
    assert capsys.readouterr().err == said
    assert main(["compare", "--from", str(out), "--baseline", "reno"]) == 2
    assert capsys.readouterr().err == said
    (out / within / "runs.jsonl").unlink()
    assert plot(out) == 2
    assert "0 of 10 runs are finished; finish the sweep" in capsys.readouterr().err
