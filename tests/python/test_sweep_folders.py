"""A sweep's folder: overwritten, resumed, damaged, refused."""

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import hopwright as hw
from hopwright import _core
from hopwright._io.errors import InputError
from hopwright.sweeps import Range
from hopwright.sweeps.folder import read_plan
from hopwright.sweeps.journal import Journal
from hopwright.sweeps.merge import merge
from hopwright.sweeps.plan import from_json
from hopwright.sweeps.schedule import Run
from processes import Hopwright
from sweeping import SHORT, frame, lines, swept
from tables import untimed


def test_a_folder_with_a_sweep_is_not_overwritten(chain: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    swept(chain, out)
    before = {file.name: file.read_bytes() for file in out.iterdir()}
    with pytest.raises(InputError, match="holds a sweep; go on with resume=True if you ask"):
        swept(chain, out)
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before
    (out / "notes.txt").write_text("mine")
    done = swept(chain, out, overwrite=True, runs=1)
    assert len(lines(out)) == 6
    assert pl.read_parquet(out / "results.parquet").equals(pl.DataFrame(done.table))
    assert (out / "notes.txt").read_text() == "mine"


def test_nothing_is_overwritten_by_a_sweep_that_looks_at_no_result(
    chain: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    swept(chain, out)
    before = {file.name: file.read_bytes() for file in out.iterdir()}
    with pytest.raises(InputError, match="'goodputt_bps'; did you mean 'goodput_bps'"):
        swept(chain, out, overwrite=True, of="goodputt_bps")
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before


def test_what_is_overwritten_is_gone_when_new_runs_begin_and_the_help_says_so(
    chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hopwright: Hopwright
) -> None:
    out = tmp_path / "out"
    swept(chain, out)
    left: list[list[str]] = []

    def interrupted(*_given: object, **_options: object) -> None:
        left.append([*lines(out), *(each.name for each in out.glob("*.parquet"))])
        raise KeyboardInterrupt

    monkeypatch.setattr("hopwright.sweeps.perform.execute", interrupted)
    with pytest.raises(KeyboardInterrupt):
        swept(chain, out, overwrite=True)
    assert left == [[]]
    said = " ".join(hopwright("sweep", "--help").stdout.split())
    assert "its runs are removed when the first new run begins" in said


def test_overwriting_leaves_no_comparison_of_the_former_runs(chain: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    vary = {"flows.transport.protocol": ["reno", "vegas"]}
    hw.compare(chain, vary, baseline="reno", runs=2, overrides=SHORT, out=out)
    assert [file for file in out.iterdir() if file.name.startswith("comparison")]
    (out / "comparison-notes.md").write_text("mine")
    # What is there is said, and that only the same question can be gone on with.
    with pytest.raises(InputError, match="holds a comparison; go on with resume=True if you"):
        hw.compare(chain, {"mac.cw_min": [15, 31]}, baseline=15, overrides=SHORT, out=out)
    swept(chain, out, overwrite=True, vary=vary)
    left = {file.name for file in out.iterdir() if file.name.startswith("comparison")}
    assert left == {"comparison-notes.md"}


def test_foreign_folders_are_left_alone(chain: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("")
    for options in ({}, {"resume": True}, {"overwrite": True}):
        with pytest.raises(InputError, match="has other files in it"):
            swept(chain, tmp_path / "out", **options)
    with pytest.raises(InputError, match="is not a folder"):
        swept(chain, chain)
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("place", ["/proc/sweep", "/dev/null/sweep"])
def test_a_folder_that_cannot_be_written_is_said_first(chain: Path, place: str) -> None:
    with pytest.raises(InputError, match="cannot write there"):
        swept(chain, Path(place), vary={"no.such": [1]})


def test_a_wrong_point_leaves_no_folder(chain: Path, tmp_path: Path) -> None:
    with pytest.raises(hw.ScenarioError):
        swept(chain, tmp_path / "out", vary={"topology.hops": [4, 0]})
    assert not (tmp_path / "out").exists()


def test_resume_does_what_is_missing_and_nothing_else(
    chain: Path, tmp_path: Path, wanted: pl.DataFrame
) -> None:
    out = tmp_path / "out"
    swept(chain, out)
    all_lines = lines(out)
    kept = [*all_lines[3:7], *all_lines[12:14]]
    (out / "runs.jsonl").write_text("\n".join(kept) + "\n" + all_lines[0][:40])
    (out / "results.parquet").unlink()
    told: list[tuple[float, int]] = []
    done = swept(chain, out, resume=True, watch=lambda part, total: told.append((part, total)))
    assert (told[0], told[-1]) == ((6, 18), (18, 18))
    assert lines(out)[:6] == kept
    assert len(lines(out)) == 18
    assert frame(done).equals(wanted)


def test_resume_begins_where_nothing_is(chain: Path, tmp_path: Path, wanted: pl.DataFrame) -> None:
    assert frame(swept(chain, tmp_path / "out", resume=True)).equals(wanted)
    (tmp_path / "killed").mkdir()
    (tmp_path / "killed" / "runs.jsonl").touch()
    assert frame(swept(chain, tmp_path / "killed")).equals(wanted)


@pytest.mark.parametrize("written", [0, 1, 2])
def test_killed_before_it_has_a_plan_it_begins_again(
    chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: pl.DataFrame, written: int
) -> None:
    out = tmp_path / "out"
    left, left_over = [written], ".hopwright-0123456789ab"

    def killed(path: Path, content: bytes) -> None:
        if not left[0]:
            path.with_name(left_over).write_bytes(content[:100])
            raise KeyboardInterrupt
        left[0] -= 1
        path.write_bytes(content)

    with monkeypatch.context() as patch:
        patch.setattr("hopwright.sweeps.folder.write_whole", killed)
        with pytest.raises(KeyboardInterrupt):
            swept(chain, out)
    assert (out / left_over).is_file()
    assert frame(swept(chain, out, resume=True)).equals(wanted)
    assert len(list(out.iterdir())) == 5


def test_resume_may_ask_for_more_runs(chain: Path, tmp_path: Path, wanted: pl.DataFrame) -> None:
    out = tmp_path / "out"
    swept(chain, out, runs=1)
    first = lines(out)
    assert frame(swept(chain, out, runs=3, resume=True)).equals(wanted)
    assert lines(out)[:6] == first
    assert len(lines(out)) == 18
    with pytest.raises(InputError, match=r"runs: 3 then, 2 now"):
        swept(chain, out, runs=2, resume=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vary": {"topology.hops": [3, 5]}}, r"vary: topology.hops=3,4 flows"),
        ({"seed": 8}, "seed: 7 then, 8 now"),
        ({"overrides": {"duration_s": 3.0}}, r"'duration_s = 2.0' then, 'duration_s = 3.0' now"),
        ({"design": "random", "points": 6}, "design: product then, random now"),
        ({"until": 0.1}, r"until: None then, 0.1 now"),
        ({"shard": (1, 2)}, "shard: none then, 1/2 now"),
    ],
)
def test_resume_refuses_another_sweep(
    chain: Path, tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    swept(chain, tmp_path / "out")
    before = {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()}
    with pytest.raises(InputError, match=message):
        swept(chain, tmp_path / "out", resume=True, **options)
    assert {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()} == before


STEP = """
$ns_ at 0.5 "$node_(1) setdest 250.0 100.0 40.0"
"""
PLACES = "".join(
    f"$node_({node}) set X_ {100 + 150 * node}.0\n$node_({node}) set Y_ 100.0\n"
    for node in range(3)
)
MOVING = """
name = "moving"
duration_s = 3
seed = 7
[topology]
kind = "ns2"
file = "places/moving.tcl"
[[flows]]
from = 0
to = 2
"""


def test_movements_come_from_beside_the_scenario_and_must_not_change(
    tmp_path: Path, hopwright: Hopwright
) -> None:
    places = tmp_path / "far" / "places"
    places.mkdir(parents=True)
    (places / "moving.tcl").write_text(PLACES)
    (tmp_path / "far" / "moving.toml").write_text(MOVING)
    words = ("sweep", "far/moving.toml", "--vary", "flows.transport.protocol=reno,vegas")
    made = hopwright(*words, "--on", "processes:2", "--runs", 2, "--out", "out")
    assert made.returncode == 0, made.stderr
    here = hw.sweep(
        tmp_path / "far" / "moving.toml", {"flows.transport.protocol": ["reno", "vegas"]}, runs=2
    )
    assert untimed(tmp_path / "out" / "results.parquet").equals(frame(here))
    (places / "moving.tcl").write_text(PLACES + STEP)
    before = lines(tmp_path / "out")
    changed = hopwright(*words, "--runs", 2, "--out", "out", "--resume")
    assert changed.returncode == 2
    assert "a file that it names has changed" in changed.stderr
    assert lines(tmp_path / "out") == before


def test_a_points_name_does_not_depend_on_the_first_seed(chain: Path) -> None:
    one, other = swept(chain, seed=1, runs=1), swept(chain, seed=2, runs=1)
    assert [point.id for point in one.points] == [point.id for point in other.points]


def test_resume_refuses_another_build(
    chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    swept(chain, tmp_path / "out")
    monkeypatch.setattr(_core, "build", lambda: "0" * 12)
    with pytest.raises(InputError, match=r"program: version .* then, .*build 000000000000 now"):
        swept(chain, tmp_path / "out", resume=True)


def test_drawn_points_are_those_of_the_plan(
    chain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {
        "vary": {"topology.spacing_m": (100.0, 200.0)},
        "design": "lhs",
        "points": 4,
    }
    first = swept(chain, tmp_path / "out", **options)
    # Another version of a library may draw others.
    monkeypatch.setattr("hopwright.sweeps.perform.settings_of", None)
    again = swept(chain, tmp_path / "out", resume=True, **options)
    assert again.points == first.points
    assert again.vary == {"topology.spacing_m": Range(100.0, 200.0)}


def test_a_damaged_journal_is_said_with_its_line(chain: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    swept(chain, out)
    text = lines(out)
    (out / "runs.jsonl").write_text("\n".join([text[0], text[1][:50], *text[2:]]) + "\n")
    with pytest.raises(InputError, match=r"runs\.jsonl:2: this line is damaged; go on there with"):
        merge([out], tmp_path / "merged")
    with pytest.warns(hw.HopwrightWarning, match=r"runs\.jsonl:2: this line is damaged"):
        again = swept(chain, out, resume=True)
    assert sorted(untimed_line(line) for line in lines(out)) == sorted(map(untimed_line, text))
    assert again.runs == len(text)
    (out / "runs.jsonl").write_text(text[0] + "\n")
    with Journal(out / "runs.jsonl") as journal:
        ((run, result),) = journal.read().items()
        journal.append(run, result.replace('"events":', '"events":1'))
    with pytest.raises(InputError, match=r"runs\.jsonl:2: is another result of point"):
        swept(chain, out, resume=True)


@pytest.mark.parametrize("part", ["point", "seed", "goodput_bps", "crc32"])
def test_a_digit_that_has_changed_is_not_believed(
    chain: Path, tmp_path: Path, hopwright: Hopwright, part: str
) -> None:
    out = tmp_path / "out"
    words = ["sweep", chain, "--set", "duration_s=2", "--vary", "topology.hops=3,4", "--runs", 3]
    assert hopwright(*words, "--out", out).returncode == 0
    wanted, text = frame_of(out), lines(out)
    found = re.search(rf'"{part}":"?\w*?(\d)', text[3])
    assert found is not None
    place = found.start(1)
    digit = str((int(text[3][place]) + 1) % 10)
    flipped = f"{text[3][:place]}{digit}{text[3][place + 1 :]}"
    (out / "runs.jsonl").write_text("\n".join([*text[:3], flipped, *text[4:]]) + "\n")
    done = hopwright(*words, "--out", out, "--resume")
    assert done.returncode == 0
    assert done.stderr == (
        f"warning: {out}/runs.jsonl:4: this line is damaged; it is left out, and its run done "
        "again\n"
    )
    assert frame_of(out).equals(wanted)
    assert lines(out)[:5] == [*text[:3], *text[4:]]
    assert len(lines(out)) == 6
    again = hopwright(*words, "--out", out, "--resume")
    assert (again.returncode, again.stderr) == (0, "")


def test_runs_of_earlier_versions_are_taken_as_they_are(
    chain: Path, tmp_path: Path, hopwright: Hopwright
) -> None:
    out = tmp_path / "out"
    words = ["sweep", chain, "--set", "duration_s=2", "--vary", "topology.hops=3,4", "--runs", 3]
    assert hopwright(*words, "--out", out).returncode == 0
    wanted, text = frame_of(out), lines(out)
    old = [re.sub(r',"crc32":"[0-9a-f]{8}"', "", line) for line in text[:4]]
    (out / "runs.jsonl").write_text("\n".join([*old, *text[4:]]) + "\n")
    said = (
        f"warning: {out}/runs.jsonl: 4 of its runs were written by an earlier version, without "
        "checksums; they are taken as they are\n"
    )
    merging = hopwright("sweep", "--merge", out, "--out", tmp_path / "merged")
    assert (merging.returncode, merging.stderr) == (0, said)
    done = hopwright(*words, "--out", out, "--resume")
    assert (done.returncode, done.stderr) == (0, said)
    assert lines(out) == [*old, *text[4:]]
    assert frame_of(out).equals(wanted)
    assert lines(tmp_path / "merged")[0] == text[0]


def frame_of(folder: Path) -> pl.DataFrame:
    return untimed(folder / "results.parquet")


def untimed_line(line: str) -> str:
    return re.sub(r'"wall_s":[^,}]*|,"crc32".*', "", line)


def test_a_journal_that_was_written_anew_is_held_by_one(tmp_path: Path) -> None:
    """Whoever opened the file before it took the other's place notices, and opens that."""
    path = tmp_path / "runs.jsonl"
    with Journal(path) as journal:
        journal.append(Run("0" * 16, 1), "{}")
        journal.append(Run("0" * 16, 2), "{}")
    path.write_text(path.read_text().replace('"seed":1', '"seed":3'))
    with Journal(path) as journal:
        assert list(journal.read()) == [Run("0" * 16, 2)]
        with pytest.raises(InputError, match="another process is at work there"):
            Journal(path)
        journal.append(Run("0" * 16, 3), "{}")
    with Journal(path, write=False) as journal:
        assert [run.seed for run in journal.read()] == [2, 3]
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_a_plan_of_another_format_is_said(chain: Path, tmp_path: Path) -> None:
    swept(chain, tmp_path / "out")
    plan = tmp_path / "out" / "sweep.json"
    text = plan.read_text()
    plan.write_text(text.replace('"format": 1', '"format": 99'))
    with pytest.raises(InputError, match="is in format 99"):
        swept(chain, tmp_path / "out", resume=True)
    plan.write_text(text[:200])
    with pytest.raises(InputError, match="is damaged, or is not the plan of a sweep; copy it"):
        swept(chain, tmp_path / "out", resume=True)


@pytest.mark.parametrize(
    "wrong",
    [
        *({"runs": "2"}, {"runs": 1e30}, {"runs": 10**30, "most_runs": 10**30}, {"runs": 0}),
        *({"most_runs": None}, {"until": "x"}, {"format": "1"}, {"base": None}),
        *({"vary": ["x"]}, {"vary": [3]}, {"shard": [0, 0]}, {"points": [{"id": "x"}]}),
    ],
)
def test_a_plan_of_wrong_kinds_is_said(
    chain: Path, tmp_path: Path, wrong: dict[str, object]
) -> None:
    swept(chain, tmp_path / "out")
    plan = tmp_path / "out" / "sweep.json"
    assert from_json(plan.read_text(), plan).rule.runs == 3
    plan.write_text(json.dumps(json.loads(plan.read_text()) | wrong))
    with pytest.raises(InputError, match=r"sweep\.json: is damaged, or is not the plan of a sweep"):
        read_plan(tmp_path / "out")


def test_a_plan_that_is_no_text_is_said(chain: Path, tmp_path: Path) -> None:
    swept(chain, tmp_path / "out")
    (tmp_path / "out" / "sweep.json").write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"sweep\.json: is not text in UTF-8, at byte 0"):
        swept(chain, tmp_path / "out", resume=True)


def test_two_processes_cannot_write_one_folder(
    chain: Path, tmp_path: Path, hopwright: Hopwright
) -> None:
    out = tmp_path / "out"
    swept(chain, out)
    before = lines(out)
    words = ["sweep", chain, "--set", "duration_s=2", "--vary", "topology.hops=3,4", "--runs", 3]
    with Journal(out / "runs.jsonl"):
        done = hopwright(*words, "--out", out, "--overwrite")
        merging = hopwright("sweep", "--merge", out, "--out", tmp_path / "merged")
    for each in (done, merging):
        assert each.returncode == 2
        assert each.stderr == f"hopwright: {out}: another process is at work there\n"
    assert lines(out) == before
