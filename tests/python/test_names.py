"""Vehicles of SUMO by name: in scenarios, in what `check` prints, in results."""

import json
import re
import tomllib
from pathlib import Path

import hopwright as hw
from hopwright import _core
from hopwright._schema.keys import scenario_keys
from hopwright.results import nodes
from hopwright.view.folder import Run
from processes import Hopwright


def cars(folder: Path, names: list[str]) -> Path:
    """A scenario beside a file with so many vehicles that stand in a row."""
    vehicles = "".join(f'<vehicle id="{name}" x="{9 * n}" y="0"/>' for n, name in enumerate(names))
    text = f'<fcd-export><timestep time="0">{vehicles}</timestep></fcd-export>'
    (folder / "cars.xml").write_text(text)
    file = folder / "cars.toml"
    file.write_text(
        'duration_s = 2\ntopology = { kind = "sumo-fcd", file = "cars.xml" }\n'
        f'flows = [{{ from = "{names[-1]}", to = 0 }}]\n'
    )
    return file


def test_check_lists_numbers_and_names(hopwright: Hopwright, tmp_path: Path) -> None:
    file = cars(tmp_path, ["taxi-A", "Köln &#10;1", "taxi-B"])
    done = hopwright("check", file)
    assert (done.returncode, done.stderr) == (0, "")
    listed = done.stdout.splitlines()[-3:]
    assert listed == ["# node 0: 'taxi-A'", "# node 1: 'Köln \\n1'", "# node 2: 'taxi-B'"]
    assert tomllib.loads(done.stdout)["flows"][0]["from"] == 2
    report = json.loads(hopwright("topology", file, "--json").stdout)
    assert report["names"] == ["taxi-A", "Köln \n1", "taxi-B"]
    wrong = hopwright("check", file, "--set", "flows.to=taxi-b")
    assert wrong.returncode == 2
    assert "'taxi-b' is none of the 3 vehicles in " in wrong.stderr
    assert "did you mean 'taxi-B'?" in wrong.stderr


def test_of_many_names_the_first_are_listed(hopwright: Hopwright, tmp_path: Path) -> None:
    file = cars(tmp_path, [f"car.{n}" for n in range(23)])
    text = hopwright("check", file).stdout
    assert re.findall(r"^# node (\d+):", text, re.MULTILINE) == [str(n) for n in range(20)]
    assert text.endswith("# and 3 more: hopwright topology --json lists all\n")


def test_nodes_without_names_are_not_listed(hopwright: Hopwright, chain: Path) -> None:
    assert "# node" not in hopwright("check", chain).stdout
    assert "names" not in json.loads(hopwright("topology", chain, "--json").stdout)


LOSSY = """
[[errors]]
model = "uniform"
probability = 0.6
[output]
lineage = "losses"
frames = true
positions = true
"""


def test_people_read_names(hopwright: Hopwright, tmp_path: Path) -> None:
    file = cars(tmp_path, ["taxi-A", "17", "taxi-B"])
    file.write_text(file.read_text() + LOSSY)
    done = hopwright("run", file, "--out", "out", "--per-hop", "--set", "duration_s=20")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^ *0 *taxi-B → taxi-A  *newreno", done.stdout, re.MULTILINE)
    assert re.search(r"^ *taxi-B → taxi-A  *\d", done.stdout, re.MULTILINE), "the per-hop report"
    assert re.search(r'^ *"17"  *\d', done.stdout, re.MULTILINE), "a number would be a node's"
    out = tmp_path / "out"
    summary = json.loads((out / "summary.json").read_text())
    assert summary["names"] == ["taxi-A", "17", "taxi-B"]
    flow = summary["results"][0]["flows"][0]
    assert [flow[key] for key in ("from", "from_name", "to", "to_name")] == [
        2,
        "taxi-B",
        0,
        "taxi-A",
    ]
    assert "taxi-B → taxi-A" in (out / "flow-0.svg").read_text()
    explained = hopwright("explain", out, "--flow", "0").stdout
    assert "most losses  taxi-B → taxi-A: " in explained
    story = hopwright("explain", out, "--at", "3").stdout
    assert "node taxi-B" in story
    assert not re.search(r"node \d", explained + story)
    traced = hopwright("view", out, "--perfetto", "trace")
    assert traced.returncode == 0, traced.stderr
    assert b"flow 0 (taxi-B \xe2\x86\x92 taxi-A)" in (tmp_path / "trace").read_bytes()
    assert Run.at(out).about({"nodes": "3", "end_ns": "1", **RANGES})["names"] == [
        "taxi-A",
        '"17"',
        "taxi-B",
    ]


RANGES = {"reception_range_m": "1", "carrier_sense_range_m": "2"}


def test_where_nodes_have_no_names_numbers_stand(hopwright: Hopwright, chain: Path) -> None:
    summary = json.loads(hopwright("run", chain, "--json").stdout)
    assert "names" not in summary
    assert not {"from_name", "to_name"} & set(summary["results"][0]["flows"][0])


def test_names_are_in_the_schema_of_results() -> None:
    schema = json.loads(_core.results_schema_json())
    assert schema["properties"]["names"]["items"] == {"type": "string"}
    flow = schema["properties"]["results"]["items"]["properties"]["flows"]["items"]
    for key in ("from_name", "to_name"):
        assert flow["properties"][key]["type"] == "string"
        assert key not in flow["required"]


def test_names_that_could_be_read_as_something_else_are_quoted() -> None:
    names = ["taxi-A", "17", "5.0", "a b", "[red]", "Köln", "x\ny"]
    assert [nodes.node_text(n, name) for n, name in enumerate(names)] == [
        *("taxi-A", '"17"', '"5.0"', '"a b"', '"[red]"', "Köln", '"x\\ny"'),
    ]
    said = "node 0 sent 0:1 to node 2; node 9"
    told = nodes.with_names(said, names)
    assert told == 'node taxi-A sent 0:1 to node "5.0"; node 9'
    assert nodes.with_names(told, names) == told
    assert nodes.with_names(said, ()) == said


def test_markup_in_a_name_is_printed(hopwright: Hopwright, tmp_path: Path) -> None:
    printed = hopwright("run", cars(tmp_path, ["[red]a", "b"]), "--out", "out").stdout
    assert 'b → "[red]a"' in printed


def test_classes_take_names(tmp_path: Path) -> None:
    file = cars(tmp_path, ["a", "b"])
    scenario = hw.Scenario(
        duration_s=1,
        topology=hw.SumoFcd(file=str(file.with_name("cars.xml"))),
        flows=[hw.BulkFlow(from_="a", to="b")],
    )
    checked = scenario.check()
    assert checked.names() == ["a", "b"]
    assert tomllib.loads(checked.to_toml())["flows"][0]["to"] == 1
    assert hw.Scenario.from_dict(scenario.to_dict()) == scenario


def test_keys_that_take_names_are_keys() -> None:
    keys = scenario_keys(json.loads(_core.schema_json()))
    assert {"flows.from", "flows.to", "events.node", "errors.to", "attach.node"} <= set(keys)
