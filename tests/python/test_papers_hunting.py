"""Readings hunted: the list of gaps, the plan, the search, the confirmation and its reports."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hopwright._cli.main import main
from hopwright._io.errors import InputError
from hopwright.research.papers import library
from hopwright.research.papers.catalogue import hunts
from hopwright.research.papers.document import Document, read
from hopwright.research.papers.hunting.gaps import departures, distance, keys_of
from hopwright.research.papers.hunting.plan import gaps_json, hunt_wording, plan_of, read_as
from hopwright.research.papers.judgement import judge, printed_and_kinds
from hopwright.research.papers.measured import Effort, measure
from hopwright.sweeps.run_plan import RunPlan
from tiny_paper import TINY, write

GAPS = """
[[claims]]
id = "carried"
says = "Two hops carry more than 330 segments."
rule = "order"
order = ["segments.8.2 > 330"]

[[claims]]
id = "excluded"
says = "Two hops carry as many as one."
rule = "gains"
gains = ["segments.8.1 / segments.8.2: -5 to 5"]

[[gaps]]
id = "rate"
why = "Section 3 names no rate."
settings = [
    { label = "1 Mb/s", set = { "mac.data_rate_mbps" = 1 } },
    { label = "2 Mb/s", set = { "mac.data_rate_mbps" = 2 } },
    { label = "11 Mb/s", set = { "mac.data_rate_mbps" = 11 }, departs = "no such rate in 1999" },
]

[[gaps]]
id = "RTS"
why = "Not printed."
settings = [
    { label = "always" },
    { label = "never", set = { "mac.rts_threshold_bytes" = 3000 } },
]

[[gaps]]
id = "queue"
why = "Not printed."
settings = [{ label = "50" }, { label = "10", set = { "mac.queue_packets" = 10 } }]
"""
HUNTED = TINY.split("[[figures]]", maxsplit=1)[0] + GAPS


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Document:
    return read(write(tmp_path_factory.mktemp("gaps"), HUNTED))


@pytest.fixture(scope="module")
def out(document: Document, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("hunts") / "out"
    words = ["reproduce", "--hunt", str(document.path), "carried", "excluded", "--out", str(out)]
    assert main([*words, "--jobs", "2"]) == 0
    return out


def test_the_smallest_set_of_choices_is_confirmed_on_unseen_seeds(out: Path) -> None:
    report = json.loads((out / "report.json").read_text())
    assert report["training"] == {"seed": 1, "runs": 2}
    assert report["unseen"] == {"seed": 5, "runs": 4}  # behind the file's own seeds, 1 to 4
    assert report["full"] is True
    carried, excluded = report["hunted"]
    assert carried["hunted"] == "reproduced"
    tried = {each["reading"]: each["holds"] for each in carried["tried"]}
    assert tried["0-0-0"] is False
    answer = carried["answer"]
    # It cannot be made smaller: with any of its changes left out, it does not hold.
    assert tried[answer["reading"]]
    numbers = answer["reading"].split("-")
    for place, number in enumerate(numbers):
        fewer = "-".join([*numbers[:place], "0", *numbers[place + 1 :]])
        assert number == "0" or tried[fewer] is False
    assert answer["departs"] == {"rate": "no such rate in 1999"}
    assert answer["changes"] == {"rate": "11 Mb/s"}
    (need,) = answer["needs"]
    assert need["least"] == 0
    assert need["ours"]["low"] > 0
    assert excluded["hunted"] == "not reproduced"
    for each in excluded["confirmed"]:
        (need,) = each["needs"]
        assert (need["least"], need["most"]) == (-5, 5)
        assert need["ours"]["low"] > 5


def test_the_level_is_corrected_for_all_that_is_confirmed(out: Path) -> None:
    report = json.loads((out / "report.json").read_text())
    pairs = sum(len(each["confirmed"]) for each in report["hunted"])
    assert report["confirmed"] == pairs > 1
    assert {each["level"] for each in report["hunted"]} == {1 - (1 - 0.95) / pairs}


def test_main_effects_are_those_of_the_design(out: Path) -> None:
    report = json.loads((out / "report.json").read_text())
    carried = report["hunted"][0]
    (effects,) = carried["effects"]
    adds = {(each["gap"], each["setting"]): each["adds"]["value"] for each in effects["effects"]}
    values = {each["reading"]: each["needs"][0]["ours"]["value"] for each in carried["tried"]}
    rows = [each["reading"] for each in report["design"]]
    never = [values[row] for row in rows if row.split("-")[1] == "1"]
    always = [values[row] for row in rows if row.split("-")[1] == "0"]
    assert len(never) == len(always) == len(rows) / 2
    assert adds["RTS", "never"] == pytest.approx(
        sum(never) / len(never) - sum(always) / len(always)
    )
    assert adds["rate", "11 Mb/s"] > adds["rate", "2 Mb/s"] > 0


def test_reports_say_how_far_and_keep_hunted_verdicts_apart(out: Path) -> None:
    text = (out / "report.md").read_text()
    assert "| carried | reproduced | rate: 11 Mb/s | 1 change, 1 of them departs |" in text
    assert "departs, rate: no such rate in 1999" in text
    assert "The bound is what the closest reading reached" in text
    assert "They stand beside the verdicts of the claims" in " ".join(text.split())
    import duckdb

    with duckdb.connect() as database:
        rows = database.execute(
            f"select reading, min(seed), max(seed) from '{out / 'results.parquet'}' group by all"
        ).fetchall()
    seeds = {row[0].split()[0]: row[1:] for row in rows}
    assert seeds == {"training": (1, 2), "unseen": (5, 8)}


def test_the_plan_is_there_before_the_first_run(
    document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hopwright.research.papers.hunting import trials

    out = tmp_path / "out"

    def measure(*_: object) -> None:
        raise InputError("stopped")

    monkeypatch.setattr(trials, "measure", measure)
    assert main(["reproduce", str(document.path), "--hunt", "carried", "--out", str(out)]) == 2
    assert [each.name for each in out.iterdir()] == ["hunt.json"]
    plan = json.loads((out / "hunt.json").read_text())
    assert [gap["id"] for gap in plan["gaps"]] == ["rate", "RTS", "queue"]
    assert plan["gaps"][0]["settings"][2]["departs"] == "no such rate in 1999"
    assert len(plan["design"]) == 8
    assert [claim["id"] for claim in plan["claims"]] == ["carried"]


def test_going_on_takes_the_same_plan(
    document: Document, out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = json.loads((out / "report.json").read_text())
    words = ["--hunt", "carried", "excluded", "--jobs", "2", "--out", str(out)]
    assert main(["reproduce", str(document.path), *words]) == 2
    assert "has a hunt already" in capsys.readouterr().err
    assert main(["reproduce", str(document.path), *words, "--resume", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == before
    other = write(tmp_path, HUNTED.replace('queue_packets" = 10', 'queue_packets" = 11'))
    for path, more, what in (
        (other, [], "gaps"),
        (document.path, ["--runs", "3"], "unseen"),
        (document.path, ["--seed", "2"], "training"),
    ):
        assert main(["reproduce", str(path), *words, "--resume", *more]) == 2
        error = capsys.readouterr().err
        assert "was begun with another plan: " in error
        assert what in error


def test_a_reading_without_some_number_counts_for_claims_that_do_not_need_it(
    tmp_path: Path,
) -> None:
    """Where nothing arrives there is no round-trip time, but there are segments: none."""
    text = HUNTED.replace(
        '{ label = "10", set = { "mac.queue_packets" = 10 } }',
        '{ label = "late", set = { "flows.start_s" = 2.9999 } }',
    ).replace('sum = ["mac.failures.data", "mac.failures.ack"]', 'sum = ["mean_rtt_s"]')
    path = write(tmp_path, text)
    out = tmp_path / "out"
    assert main(["reproduce", str(path), "--hunt", "carried", "lost", "--out", str(out)]) == 0
    carried, lost = json.loads((out / "report.json").read_text())["hunted"]
    without = {each["reading"]: each for each in lost["tried"] if each["failed"]}
    assert without
    assert all(
        "some flow has no value of mean_rtt_s" in each["failed"] for each in without.values()
    )
    with_numbers = {each["reading"]: each for each in carried["tried"]}
    for reading in without.keys() & with_numbers.keys():
        assert with_numbers[reading]["failed"] is None
        assert with_numbers[reading]["needs"][0]["ours"]["value"] == -330


def test_departures_count_before_changes(document: Document) -> None:
    gaps = document.gaps
    assert keys_of(gaps, (2, 0, 1)) == {"mac.data_rate_mbps": 11, "mac.queue_packets": 10}
    assert departures(gaps, (2, 1, 1)) == {"rate": "no such rate in 1999"}
    assert distance(gaps, (1, 1, 1)) < distance(gaps, (2, 0, 0))
    assert distance(gaps, (0, 1, 0)) < distance(gaps, (0, 1, 1))


@pytest.mark.parametrize("name", library.every())
def test_every_list_of_the_projects_files_makes_scenarios(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the first and the last point; a hunt looks at all of them before its first run."""
    points = Document.points
    monkeypatch.setattr(Document, "points", lambda each: [points(each)[0], points(each)[-1]])
    document = read(library.every()[name])
    if not document.gaps:
        assert name != "ham-5b-grid"
        return
    plan = plan_of(document, (), {})
    assert plan.design[0] != plan.design[-1]


def test_what_is_hunted_unless_it_is_named(document: Document) -> None:
    known = {"falls": "reproduced", "lost": "not reproduced"}
    plan = plan_of(document, (), known)
    assert [claim.id for claim in plan.claims] == ["lost", "carried", "excluded"]
    assert plan.cells == ("lost.8.1", "lost.8.2", "segments.8.2", "segments.8.1")
    few = plan_of(document, ("falls",), known, seed=40, runs=3)
    assert (few.training, few.unseen) == ((40, 2), (42, 3))
    assert not few.is_full
    with pytest.raises(InputError, match="all claims that runs judge are reproduced already"):
        plan_of(document, (), {claim.id: "reproduced" for claim in document.claims})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'id = "RTS"\nwhy = "Not printed."',
            'id = "rate"\nwhy = "Not printed."',
            "two have the id 'rate'",
        ),
        ('label = "never"', 'label = "always"', "the label 'always' is there twice"),
        ('{ label = "50" }, ', "", "1 setting: write 2 to 8, the file's own first"),
        ('"mac.queue_packets" = 10', '"mac.rts_threshold_bytes" = 1', "but 'RTS' also sets it"),
        ('"mac.queue_packets" = 10', '"topology.hops" = 1', r"but \[\[vary\]\]"),
        (', set = { "mac.queue_packets" = 10 }', "", "'10': set is missing"),
        ('{ "mac.data_rate_mbps" = 2 }', '{ "mac.queue_packets" = 2 }', "does not set mac.data"),
        ("departs = ", "depart = ", "did you mean 'departs'"),
        ('why = "Section 3 names no rate."', "", "why is missing"),
        ("quick_runs = 2", "quick_runs = 2\ntraining_runs = 1", "training_runs = 1: write"),
    ],
)
def test_a_list_that_makes_no_sense_is_refused(
    old: str, new: str, message: str, tmp_path: Path
) -> None:
    assert old in HUNTED
    with pytest.raises(InputError, match=message):
        read(write(tmp_path, HUNTED.replace(old, new)))


def test_too_many_combinations_are_refused(tmp_path: Path) -> None:
    more = "".join(
        f'[[gaps]]\nid = "{name}"\nwhy = "W."\nsettings = [{{ label = "a" }}, '
        f'{{ label = "b", set = {{ "key.{name}" = 1 }} }}]\n'
        for name in range(17)
    )
    with pytest.raises(InputError, match="1572864 combinations; at most 65536"):
        read(write(tmp_path, HUNTED + more))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--hunt"], "--hunt: which paper?"),
        (["@", "--hunt", "falsl"], "no claim called 'falsl'; did you mean 'falls'?"),
        (["@", "--hunt", "falls", "falls"], "falls is named twice"),
        (["@", "@", "--hunt"], "one paper at a time"),
        (["--hunt", "zhou-*"], "one paper at a time"),
        (["@", "--hunt", "--quick"], "omit --quick"),
        (["@", "--hunt", "--list"], "omit --list"),
        (["@", "--hunt", "--runs", "1"], "--runs"),
        (["@", "--hunt", "--seed", str(2**53)], "fewer than 4 unseen seeds are left"),
        (["@", "--runs", "3"], "--runs needs --hunt"),
        (["--hunt", "pap-3.2-before-the-break"], "[[gaps]] is missing"),
        (["--hunt", "ham-5b-grid", "ham-5-parameters"], "a claim about settings needs no runs"),
    ],
)
def test_what_cannot_be_hunted_is_refused(
    words: list[str],
    message: str,
    document: Document,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = [str(document.path) if word == "@" else word for word in words]
    out = tmp_path / "out"
    assert main(["reproduce", *given, "--out", str(out)]) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_a_reading_that_is_no_scenario_is_refused_before_any_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, HUNTED.replace('"mac.queue_packets" = 10', '"mac.queue_packets" = 0'))
    out = tmp_path / "out"
    assert main(["reproduce", "--hunt", str(path), "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert "[[gaps]]: queue: 10: " in error
    assert not out.exists()
    out.mkdir()
    (out / "mine").touch()
    whole = write(tmp_path, HUNTED)
    assert main(["reproduce", "--hunt", str(whole), "--out", str(out), "--resume"]) == 2
    assert "has other files in it" in capsys.readouterr().err
    (out / "hunt.json").write_text("{")
    assert main(["reproduce", "--hunt", str(whole), "--out", str(out), "--resume"]) == 2
    assert "is damaged" in capsys.readouterr().err


def test_a_hunted_verdict_is_of_its_list(tmp_path: Path) -> None:
    """Another choice makes another hunt of it; how it is told does not."""
    document = read(write(tmp_path, HUNTED))
    claim = document.claims[2]
    head = "claim,verdict,reading,departures,runs,seed,wording"
    row = f"carried,reproduced,rate: 11 Mb/s,1,4,5,{hunt_wording(document, claim)}"
    (tmp_path / "hunts.csv").write_text(f"{head}\n{row}\n")

    def is_known(old: str, new: str) -> bool:
        assert old in HUNTED
        return "carried" in hunts([read(write(tmp_path, HUNTED.replace(old, new)))], tmp_path)

    assert is_known("Not printed.", "Nowhere printed.")
    assert is_known('says = "Two hops carry more', 'says = "Over two hops there are more')
    assert not is_known('packets" = 10', 'packets" = 9')
    assert not is_known("segments.8.2 > 330", "segments.8.2 > 331")


def test_a_higher_level_makes_verdicts_harder(document: Document) -> None:
    claim = next(each for each in document.claims if each.id == "carried")
    printed, kinds = printed_and_kinds(document)
    values = {"segments.8.2": [340.0, 350.0, 345.0, 336.0]}
    usual = judge(claim, printed, kinds, values)
    strict = judge(claim, printed, kinds, values, 1 - 0.05 / 50)
    assert usual.finding.found == "reproduced"
    assert (strict.finding.found, strict.verdict) == ("open", "undecided")
    (wide,), (narrow,) = strict.finding.compared.pairs, usual.finding.compared.pairs
    assert wide.difference.estimate == narrow.difference.estimate
    assert wide.difference.low is not None
    assert narrow.difference.low is not None
    assert wide.difference.low < 0 < narrow.difference.low


LIMITED = HUNTED.replace(
    '{ label = "10", set = { "mac.queue_packets" = 10 } }',
    '{ label = "10", set = { "mac.queue_packets" = 10 }, at = { hops = ["2"] } }',
)


def test_a_setting_may_be_of_some_labels_alone(tmp_path: Path) -> None:
    document = read(write(tmp_path, LIMITED))
    assert keys_of(document.gaps, (1, 0, 1)) == {"mac.data_rate_mbps": 2}
    read_so, keys = read_as(document, (1, 0, 1))
    assert keys == {"mac.data_rate_mbps": 2}
    queues = [setting.keys.get("mac.queue_packets") for setting, _ in read_so.points()]
    assert queues == [None, None, 10, 10]
    assert read_as(document, (0, 0, 0))[0].axes == document.axes
    everywhere = read(write(tmp_path, HUNTED))
    wordings = {hunt_wording(each, each.claims[-1]) for each in (document, everywhere)}
    assert len(wordings) == 2
    told = json.loads(json.dumps([gaps_json(each) for each in (document, everywhere)]))
    assert [gaps[2]["settings"][1].get("at") for gaps in told] == [{"hops": ["2"]}, None]


@pytest.mark.parametrize(
    ("at", "message"),
    [
        ('{ hop = ["2"] }', "no key called 'hop'; did you mean 'hops'"),
        ('{ hops = ["3"] }', "'10': at: no '3' in hops"),
        ('{ hops = "2" }', "at: hops = '2': write a list of texts"),
        ('{ hops = ["2"], limit = ["1"] }', "names 2 axes; name only one"),
    ],
)
def test_labels_that_there_are_none_of_are_refused(at: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read(write(tmp_path, LIMITED.replace('{ hops = ["2"] }', at)))


def test_settings_of_a_gap_set_keys_at_the_same_points(tmp_path: Path) -> None:
    own = '{ label = "50", set = { "mac.queue_packets" = 50 } }'
    with pytest.raises(InputError, match="'10' sets keys at other points than '50'"):
        read(write(tmp_path, LIMITED.replace('{ label = "50" }', own)))


def test_what_is_set_for_a_flow_is_not_taken_back_by_an_axis(
    document: Document, tmp_path: Path
) -> None:
    """The axis sets the same key for all flows, in a sweep of its own where nothing else does."""
    cells = ("segments.1.2", "segments.8.2")
    few = {"flows.0.transport.window_limit_segments": 1}
    effort = Effort(2, RunPlan(jobs=1, out=tmp_path / "few"), watch=lambda _: None)
    found = measure(document, few, effort, cells)
    one, eight = (found.of(document.cells[name]) for name in cells)
    assert one == eight
    effort = replace(effort, how=RunPlan(jobs=1, out=tmp_path / "own"))
    assert measure(document, {}, effort, cells).of(document.cells[cells[1]]) != eight


def test_numbers_that_no_sweep_keeps_are_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hopwright.research.papers.hunting import trials

    path = write(tmp_path, HUNTED.replace("segments.8.2 > 330", "idle.8.2 > 9"))
    out = tmp_path / "out"
    words = ["reproduce", str(path), "--hunt", "carried", "--out", str(out), "--jobs", "2"]
    assert main(words) == 0
    before = (out / "report.json").read_text()
    (out / "report.json").unlink()

    def measure(*_: object) -> None:
        raise AssertionError("run again")

    monkeypatch.setattr(trials, "measure", measure)
    assert main([*words, "--resume"]) == 0
    assert (out / "report.json").read_text() == before
