"""Scenarios made in Python: classes from the schema, judged by the validator in Rust."""

import dataclasses
import inspect
import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hopwright as hw
from hopwright import _core, scenario
from hopwright._schema.classes import classes_page
from hopwright._schema.typed import Table

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "scenarios").glob("*.toml"))


def chain(**transport: object) -> hw.Scenario:
    return hw.Scenario(
        duration_s=5,
        topology=hw.Chain(hops=3),
        flows=[hw.BulkFlow(from_=0, to=3, transport=hw.Tcp(**transport))],  # type: ignore[arg-type]
    )


def test_the_classes_are_up_to_date() -> None:
    page = classes_page(json.loads(_core.schema_json()))
    here = Path(inspect.getsourcefile(scenario) or "").read_text()
    assert here == page, "python/hopwright/scenario.py is out of date: make reference"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_becomes_objects_and_text_again(file: Path) -> None:
    loaded = hw.load(file)
    assert loaded.check().to_toml() == _core.load(str(file), []).to_toml().replace(
        '"movements/', f'"{ROOT}/scenarios/movements/'
    )
    assert hw.Scenario.from_dict(loaded.to_dict()) == loaded


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_there_is_a_field_for_every_key(file: Path) -> None:
    """With every default written out, nothing gets lost on the way through the objects."""
    filled = hw.load(file).check().to_toml()
    through = hw.Scenario.from_dict(tomllib.loads(filled))
    assert tomllib.loads(through.to_toml()) == tomllib.loads(filled)
    assert through.check().to_toml() == filled


def test_what_is_not_stated_has_the_validators_default() -> None:
    checked = chain(protocol="vegas").check()
    assert 'protocol = "vegas"' in checked.to_toml()
    assert "vegas_alpha = 1" in checked.to_toml()
    assert checked.duration_s == 5


def test_a_wrong_value_is_told_as_for_files() -> None:
    with pytest.raises(hw.ScenarioError, match=r"protocol.*'renno' does not exist.*'reno'"):
        chain(protocol="renno").check()
    with pytest.raises(hw.ScenarioError, match=r"topology\.hops"):
        dataclasses.replace(chain(), topology=hw.Chain(hops=0)).check()
    with pytest.raises(TypeError, match="hop"):
        hw.Chain(hop=3)  # type: ignore[call-arg]


def test_settings_are_set_and_checked() -> None:
    three = chain().with_settings(
        {"topology.hops": 4, "flows.to": 4, "flows.0.transport.k": 3, "mac.data_rate_mbps": 11}
    )
    assert three.topology == hw.Chain(hops=4)
    assert three.mac == hw.Mac(data_rate_mbps=11)
    assert three.flows == [hw.BulkFlow(from_=0, to=4, transport=hw.Tcp(k=3))]
    with pytest.raises(hw.ScenarioError, match="data_rate_mbps"):
        chain().with_settings({"mac.data_rate_mpbs": 11})
    assert chain().with_settings({"seed": 9}).check().seed == 9


def test_another_kind_of_table_takes_another_class() -> None:
    grid = hw.Scenario.from_dict(
        {
            "duration_s": 5,
            "topology": {"kind": "grid", "rows": 2, "columns": 3},
            "flows": [{"from": 0, "to": 5}, {"from": 1, "to": 4, "app": "cbr", "rate_kbps": 9}],
        }
    )
    assert grid.topology == hw.Grid(rows=2, columns=3)
    assert grid.flows == [hw.BulkFlow(from_=0, to=5), hw.CbrFlow(from_=1, to=4, rate_kbps=9)]
    assert grid.check().flow_count == 2


def test_a_word_may_stand_for_a_table() -> None:
    own = hw.Powers(transmit_w=2, receive_w=1.5, idle_w=1)
    for energy in ("wavelan", own):
        made = dataclasses.replace(chain(), radio=hw.Radio(energy=energy))
        assert hw.Scenario.from_dict(made.to_dict()) == made
        again = hw.Scenario.from_dict(tomllib.loads(made.check().to_toml()))
        assert again.check().to_toml() == made.check().to_toml()
    powers = chain().with_settings(
        {"radio.energy": {"transmit_w": 2, "receive_w": 1.5, "idle_w": 1}}
    )
    assert powers.radio == hw.Radio(energy=own)
    result = hw.run(powers).summary["results"]
    assert isinstance(result, list)
    assert hw.run(chain().with_settings({"radio.energy": "ns2"})).summary["results"] != result


def test_a_saved_scenario_finds_its_movements_wherever_it_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here" / "moves").mkdir(parents=True)
    (tmp_path / "there").mkdir()
    movements = (ROOT / "scenarios" / "movements" / "strip-10mps.tcl").read_text()
    (tmp_path / "here" / "moves" / "strip.tcl").write_text(movements)
    text = (ROOT / "scenarios" / "mobile.toml").read_text()
    text = text.replace("movements/strip-10mps.tcl", "moves/strip.tcl")
    (tmp_path / "here" / "mobile.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    loaded = hw.load("here/mobile.toml")
    loaded.save(tmp_path / "there" / "mobile.toml")
    assert hw.load("there/mobile.toml").check().movement() == movements
    loaded.save("there/again.toml")
    assert hw.load("there/again.toml").check().movement() == movements


def test_a_saved_scenario_is_the_same(tmp_path: Path) -> None:
    chain(protocol="sack").save(tmp_path / "chain.toml")
    saved = hw.load(tmp_path / "chain.toml")
    assert saved == dataclasses.replace(chain(protocol="sack"), name="chain")


def test_a_loaded_scenario_has_the_name_of_its_file_wherever_it_is_saved(tmp_path: Path) -> None:
    for name in ("mix.1", "mix.2"):
        chain().save(tmp_path / f"{name}.toml")
    files = sorted(tmp_path.iterdir())
    loaded = [hw.load(file) for file in files]
    assert [each.name for each in loaded] == ["mix.1", "mix.2"]
    assert [hw.run(each).summary["scenario"] for each in loaded] == ["mix.1", "mix.2"]
    vary = {"mac.cw_min": [15, 31]}
    assert hw.sweep(loaded[0], vary).points == hw.sweep(files[0], vary).points
    loaded[0].save(tmp_path / "other.toml")
    assert hw.load(tmp_path / "other.toml") == loaded[0]
    two: list[Any] = [loaded[0], files[0]]
    with pytest.raises(
        hw.InputError, match=r"two scenarios are called 'mix.1'.*load\(FILE, \{'name': 'OTHER'\}\)"
    ):
        hw.compare(two, vary, baseline=15)


def test_a_table_of_another_kind_is_refused() -> None:
    wrong: Any = hw.Aodv()
    with pytest.raises(
        TypeError,
        match=r'^routing: expected Routing, found Aodv; write Routing\(protocol="aodv", aodv=Aodv',
    ):
        dataclasses.replace(chain(), routing=wrong)
    with pytest.raises(TypeError, match=r"^aodv: expected Aodv, found Dsr$"):
        hw.Routing(protocol="aodv", aodv=hw.Dsr())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^mac: expected Mac, found Radio$"):
        dataclasses.replace(chain(), mac=hw.Radio())  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match=r"^flows\.0: expected BulkFlow, .* or FileFlow, found Mac$"
    ):
        dataclasses.replace(chain(), flows=[hw.Mac()])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"^transport: expected Tcp, found Udp$"):
        hw.BulkFlow(from_=0, to=3, transport=hw.Udp())  # type: ignore[arg-type]


def test_values_of_numpy_are_those_of_python() -> None:
    given: Any = {
        "seed": np.int64(7),
        "duration_s": np.float32(2.5),
        "topology": hw.Positions(list=np.array([[0, 0], [200, 0]])),  # type: ignore[arg-type]
        "output": hw.Output(flow_time=np.bool_(True)),  # type: ignore[arg-type]
    }
    plain = hw.Scenario(
        seed=7,
        duration_s=2.5,
        topology=hw.Positions(list=[[0, 0], [200, 0]]),
        output=hw.Output(flow_time=True),
    )
    assert hw.Scenario(**given).to_toml() == plain.to_toml()
    beyond: Any = object()
    with pytest.raises(hw.InputError, match=r"^hops: .* cannot be the value of a scenario key$"):
        hw.Scenario(duration_s=2, topology=hw.Chain(hops=beyond)).to_toml()


def test_every_class_and_field_says_what_it_is() -> None:
    source = inspect.getsource(scenario)
    for name in scenario.__all__:
        kind = getattr(scenario, name)
        if not isinstance(kind, type):
            continue
        assert issubclass(kind, Table)
        assert kind.__doc__
        for field in dataclasses.fields(kind):
            assert f"\n    {field.name}: " in source
    assert "0.001 to 1000000. Default: 200." in source


def test_notebooks_show_the_text() -> None:
    assert "hops = 3" in chain()._repr_html_()
    assert "protocol='reno'" in repr(chain(protocol="reno"))


def test_keys_of_a_kind_of_mac_come_from_its_table_too(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    text = 'duration_s = 1\ntopology = { kind = "chain", hops = 1 }\n[mac.dcf]\ncw_min = 15\n'
    file.write_text(text)
    loaded = hw.Scenario.load(file)
    assert loaded.mac is not None
    assert loaded.mac.cw_min == 15
    assert loaded.with_settings({"mac.dcf.cw_min": 7}).to_dict()["mac"] == {"cw_min": 7}
