"""Papers' files that extend others: what is taken, altered, left out, and refused."""

import re
from pathlib import Path

import pytest

from hopwright import _core
from hopwright._io.errors import InputError
from hopwright.research.papers import calling
from hopwright.research.papers.document import Document, read
from hopwright.research.papers.library import every
from hopwright.research.papers.points import scenario_at, source_of
from hopwright.research.papers.wording import wording
from tiny_paper import TINY, write

PRINTED = ", printed = [300, nan], reference = [[300, 3, 5], [150, 2, 5]] }"
HEAD = 'extends = "tiny.toml"\n'


def extended(folder: Path, text: str, base: str = TINY) -> Document:
    write(folder, base)
    return read(write(folder, HEAD + text, "child"))


def refused(folder: Path, text: str, base: str = TINY) -> str:
    with pytest.raises(InputError) as caught:
        extended(folder, text, base)
    return str(caught.value).replace(f"{folder}/", "")


def test_without_changes_all_is_the_other_files(tmp_path: Path) -> None:
    child, base = extended(tmp_path, ""), read(write(tmp_path))
    assert child.id == "child"
    for one, other in zip(child.claims, base.claims, strict=True):
        assert one == other
        assert wording(child, one) == wording(base, other)
    assert child.measures == base.measures
    assert list(child.cells) == list(base.cells)


def test_tables_are_merged_key_by_key(tmp_path: Path) -> None:
    child = extended(tmp_path, 'title = "Other"\n[scenario]\nduration_s = 5\n')
    assert (child.title, child.document) == ("Other", "Nobody 2026")
    assert child.scenario["duration_s"] == 5
    assert child.scenario["topology"] == {"kind": "chain", "hops": 2}
    nested = extended(tmp_path, "[scenario.topology]\nspacing_m = 150\n")
    assert nested.scenario["topology"] == {"kind": "chain", "hops": 2, "spacing_m": 150}


def test_what_is_wrong_with_a_scenario_is_told_with_the_file_that_states_it(tmp_path: Path) -> None:
    text = "[scenario]\nmac = { cw_mn = 3 }\n"
    child = extended(tmp_path, text, TINY.replace("duration_s = 3", 'duration_s = "3"'))
    with pytest.raises(_core.ScenarioError) as caught:
        scenario_at(child, source_of(child), child.points()[-1], {})
    told = str(caught.value).replace(f"{tmp_path}/", "").split("\n\n")
    at = "[scenario] (hops 2, limit 8)"
    assert {error.split(": ")[1]: error.split(" --> ")[1] for error in told} == {
        "duration_s": f"tiny.toml:14: {at}",
        "mac.cw_mn": f"child.toml:3: {at}",
    }


def test_lists_with_names_are_merged_by_these_and_keep_their_order(tmp_path: Path) -> None:
    text = """
[[measures]]
id = "lost"
kind = "amount"

[[measures]]
id = "more"
title = "more"
sum = ["rto_count"]
kind = "count"

[[vary]]
name = "hops"
settings = [
    { label = "3", set = { "topology.hops" = 3, "flows.0.to" = 3 } },
    { label = "1", reference = { hops = 1 } },
]
"""
    # A third column: rows that print two numbers would be wrong.
    base = TINY.replace(PRINTED, " }").replace(", printed = [0, 1000] }", ", printed = [0, 9, 9] }")
    child = extended(tmp_path, text, base)
    assert list(child.measures) == ["segments", "lost", "balance", "idle", "more"]
    lost = child.measures["lost"]
    assert (lost.kind, lost.title, len(lost.terms)) == ("amount", "lost", 2)
    assert child.axes[0].labels == ("1", "2", "3")
    assert child.axes[0].settings[0].reference == {"hops": "1"}
    assert child.axes[0].settings[0].keys == {"topology.hops": 1, "flows.0.to": 1}


def test_other_lists_are_replaced(tmp_path: Path) -> None:
    text = """
[[scenario.flows]]
from = 2
to = 0

[[tables]]
id = "1"
rows = [{ measure = "segments", at = { limit = "8" } }]
"""
    without = 'without = ["claims.*", "figures.*", "readings.*"]\n'
    child = extended(tmp_path, without + text)
    assert child.scenario["flows"] == [{"from": 2, "to": 0}]
    assert list(child.cells) == ["segments.8.1", "segments.8.2"]


def test_what_is_left_out_is_named(tmp_path: Path) -> None:
    words = ["claims.*", "gaps.*", "readings.slower", "measures.lost.sum", "scenario.topology.hops"]
    words += ["vary.hops.settings.2", "figures.l*", "tables.1.rows", "reference"]
    text = (
        f"without = {words}\n".replace("'", '"')
        + """
[[measures]]
id = "lost"
function = "recoveries"

[[tables]]
id = "1"
rows = [{ measure = "lost", at = { limit = "*" } }]

[[figures]]
id = "bars"
cells = ["lost.*"]
"""
    )
    child = extended(tmp_path, text)
    assert not child.claims
    assert not child.readings
    assert (child.measures["lost"].function, child.measures["lost"].terms) == ("recoveries", ())
    assert child.axes[0].labels == ("1",)
    assert [each.id for each in child.drawings] == ["bars"]
    assert child.reference_command == ""
    assert child.scenario["topology"] == {"kind": "chain"}


def test_a_star_is_a_row_for_each_label(tmp_path: Path) -> None:
    rows = 'rows = [{ measure = "segments", at = { limit = "*" } }]'
    text = re.sub(r"rows = \[.*?\n\]", rows, TINY, flags=re.DOTALL).partition("[[readings]]")[0]
    document = read(write(tmp_path, text))
    assert list(document.cells) == [f"segments.{limit}.{hops}" for limit in "18" for hops in "12"]
    (table,) = document.tables
    assert [row[0].row for row in table.rows] == ["segments, 1", "segments, 8"]
    for more in ('label = "a"', "printed = [1, 2]"):
        with pytest.raises(InputError, match="not allowed for 2 rows, only for one"):
            read(write(tmp_path, text.replace('"*" }', f'"*" }}, {more}')))


def test_a_file_may_extend_one_that_extends_another(tmp_path: Path) -> None:
    write(tmp_path)
    write(tmp_path, HEAD + 'title = "Second"\nruns = 9\n', "second")
    third = read(write(tmp_path, 'extends = "second.toml"\ntitle = "Third"\n', "third"))
    assert (third.title, third.runs, third.quick_runs) == ("Third", 9, 2)


def test_a_scenario_of_a_file_replaces_one_that_is_written_out(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "scenario.toml").write_text(
        'name = "far"\nduration_s = 4\ntopology = { kind = "chain", hops = 2 }\n'
        "flows = [{ from = 0, to = 2 }]\n"
    )
    child = extended(tmp_path, '[scenario]\nfile = "far/scenario.toml"\n')
    assert child.scenario == {"file": "far/scenario.toml"}
    assert source_of(child).load().duration_s == 4
    text = 'extends = "../child.toml"\ntitle = "from afar"\n'
    assert source_of(read(write(tmp_path / "far", text, "grandchild"))).load().duration_s == 4


def test_functions_of_the_other_file_are_there_and_own_ones_hide_them(tmp_path: Path) -> None:
    from hopwright.research.papers.calling import functions_of

    (tmp_path / "tiny.py").write_text("def a(run):\n    return 1\n\ndef b(run):\n    return 1\n")
    (tmp_path / "child.py").write_text("def b(run):\n    return 2\n")
    known = functions_of(extended(tmp_path, ""))
    assert [known[name](None) for name in "ab"] == [1, 2]


def test_rings_are_refused(tmp_path: Path) -> None:
    write(tmp_path, 'extends = "b.toml"\n', "a")
    write(tmp_path, 'title = "b"\nextends = "a.toml"\n', "b")
    with pytest.raises(InputError) as caught:
        read(tmp_path / "a.toml")
    place = f"{tmp_path / 'b.toml'}:2: "
    assert (
        str(caught.value)
        == f"{place}extends leads back to the same file: a.toml -> b.toml -> a.toml"
    )
    with pytest.raises(InputError, match=r"to the same file: c\.toml -> c\.toml"):
        read(write(tmp_path, 'extends = "c.toml"\n', "c"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("without = 3\n", "child.toml:2: without = 3: write a list of texts"),
        (
            'without = ["claims.fall"]\n',
            (
                "child.toml:2: without: 'claims.fall': tiny.toml has nothing with this name; did "
                "you mean 'claims.falls'?"
            ),
        ),
        (
            '[[measures]]\nid = "lots"\ntitle = "a"\n',
            (
                "child.toml:2: measures: tiny.toml has no 'lots' to change; did you mean 'lost'?; "
                "a new one needs kind"
            ),
        ),
        (
            '[[vary]]\nname = "hops"\nsettings = [{ label = "7", reference = false }]\n',
            (
                "child.toml:4: vary.hops.settings: tiny.toml has no '7' to change; there are: 1, "
                "2; a new one needs set"
            ),
        ),
        (
            '\n[[measures]]\nid = "lost"\nkind = "counts"\n',
            "child.toml:5: [[measures]]: kind = 'counts'; did you mean 'count'?",
        ),
        (
            '\n[[claims]]\nid = "falls"\norder = ["segments.1.1 > segments.1.3"]\n',
            (
                "child.toml:3 (over tiny.toml:73): [[claims]] falls: order: no cell called "
                "'segments.1.3'; did you mean 'segments.1.2'?"
            ),
        ),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_place(
    text: str, said: str, tmp_path: Path
) -> None:
    assert refused(tmp_path, text) == said


def test_what_is_wrong_in_the_other_file_is_told_of_that(tmp_path: Path) -> None:
    wrong = TINY.replace('kind = "count"', 'kind = "counts"')
    line = wrong.splitlines().index('kind = "counts"') + 1
    said = refused(tmp_path, 'title = "Child"\n', wrong)
    assert said == f"tiny.toml:{line}: [[measures]]: kind = 'counts'; did you mean 'count'?"
    altered = refused(tmp_path, '[[measures]]\nid = "lost"\ntitle = "Lost"\n', wrong)
    assert f"tiny.toml:{line}" in altered
    unknown = TINY.replace("quick_runs = 2", "quick_runs = 2\nquik = 3")
    assert refused(tmp_path, "", unknown).startswith("tiny.toml:8: no key called 'quik'")
    with pytest.raises(InputError, match=r"tiny\.toml: .*line 1"):
        extended(tmp_path, "", "no toml\n")


def test_a_file_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    write(tmp_path)
    with pytest.raises(InputError) as caught:
        read(write(tmp_path, 'title = "a"\nextends = "tinny.toml"\n', "child"))
    assert str(caught.value) == (
        f"{tmp_path / 'child.toml'}:2: extends = 'tinny.toml': there is no such file; did you "
        "mean 'tiny.toml'?"
    )
    with pytest.raises(InputError, match="without: needs extends"):
        read(write(tmp_path, 'without = ["claims.*"]\n' + TINY))


def test_one_of_the_programs_own_is_extended_by_its_id(tmp_path: Path) -> None:
    text = 'extends = "gha-4.3.3-functions-per-byte"\nruns = 2\n'
    child = read(write(tmp_path, text, "child"))
    assert (child.id, child.runs) == ("child", 2)
    base = read(every()["gha-4.3.3-functions-per-byte"])
    assert child.functions == base.functions
    assert source_of(child).load().to_toml() == source_of(base).load().to_toml()
    calling.check(child)
    with pytest.raises(InputError, match=r"did you mean 'zhou-5\.3'"):
        read(write(tmp_path, 'extends = "zhou-5-3"\n', "child"))
