"""Vehicles of SUMO by name: in scenarios, in what `check` prints, in the report of the topology."""

import json
import re
import tomllib
from pathlib import Path

import hopwright as hw
from hopwright import _core
from hopwright._schema.keys import scenario_keys
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
