"""Movement: models, events and movement files, as a run and as Python sees them."""

from pathlib import Path

import pytest

import hopwright
from hopwright import _core
from hopwright._io.data import at
from hopwright._run.execute import execute

RANDOM = """\
duration_s = 20
topology = { kind = "random", nodes = 12 }
area = { width_m = 400, height_m = 300 }
routing.protocol = "aodv"
[[flows]]
from = 0
to = 1
"""
MODELS = [
    "random-waypoint",
    "random-walk",
    "gauss-markov",
    "reference-point-group",
    "manhattan",
]


def parse(text: str, *settings: tuple[str, str], folder: Path = Path()) -> _core.Scenario:
    return _core.parse(text, "a.toml", list(settings), folder=folder)


@pytest.mark.parametrize("model", MODELS)
def test_nodes_move_within_the_area_and_run(model: str) -> None:
    scenario = parse(RANDOM, ("mobility.model", model))
    start, middle = scenario.tracks([0.0, 10.0])
    assert all(0 <= x <= 400 and 0 <= y <= 300 for x, y in [*start, *middle])
    assert sum(a != b for a, b in zip(start, middle, strict=True)) > 6
    first, again = (execute(scenario, [7], jobs=1)[0].summary_json() for _ in range(2))
    assert first.partition('"wall_s"')[0] == again.partition('"wall_s"')[0]


@pytest.mark.parametrize("form", ["ns2", "bonnmotion"])
@pytest.mark.parametrize("model", MODELS)
def test_what_is_exported_is_read_back_within_a_millimetre(
    model: str, form: str, tmp_path: Path
) -> None:
    scenario = parse(RANDOM, ("mobility.model", model))
    (tmp_path / "way").write_text(scenario.movement_as(form))
    text = RANDOM.replace('"random", nodes = 12', f'"{form}", file = "way"')
    read = parse(text, folder=tmp_path)
    times = [step * 0.25 for step in range(81)]
    for ours, theirs in zip(scenario.tracks(times), read.tracks(times), strict=True):
        for (x, y), (u, v) in zip(ours, theirs, strict=True):
            assert abs(x - u) < 1e-3
            assert abs(y - v) < 1e-3


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="no format called 'gpx'"):
        parse(RANDOM).movement_as("gpx")


def test_scenarios_as_objects_have_models_and_events() -> None:
    from hopwright.scenario import Down, Move, RandomNodes, RandomWaypoint, Scenario, Up

    scenario = Scenario(
        duration_s=20,
        topology=RandomNodes(nodes=12),
        mobility=RandomWaypoint(max_speed_mps=5.0, pause_s=3.0),
        events=[Down(at_s=5.0, node=3), Up(at_s=9.0, node=3)],
        routing=hopwright.scenario.Routing(protocol="aodv"),
    )
    checked = scenario.check().to_toml()
    assert 'model = "random-waypoint"' in checked
    assert 'do = "down"' in checked
    assert Move(at_s=1.0, node=0, to_m=[1.0, 2.0], speed_mps=3.0).to_dict()["do"] == "move"


def test_a_relay_that_is_down_shows_in_the_results() -> None:
    text = """\
duration_s = 20
topology = { kind = "chain", hops = 2 }
routing.protocol = "aodv"
[[events]]
at_s = 8
node = 1
do = "down"
[[flows]]
from = 0
to = 2
"""
    up = execute(parse(text.replace("at_s = 8", "at_s = 19.99")), [1], jobs=1)[0]
    down = execute(parse(text), [1], jobs=1)[0]
    import json

    whole, cut = (json.loads(run.summary_json())["flows"][0]["received_bps"] for run in (up, down))
    assert 0.2 * whole < cut < 0.6 * whole


def test_a_frame_mistaken_for_a_repetition_is_lost_and_counted() -> None:
    # Here a number of a frame comes round at a neighbour just when the frame's first try was lost.
    file = Path(__file__).resolve().parents[2] / "scenarios" / "mobile.toml"
    settings = {"routing.protocol": "dsdv", "seed": 2, "duration_s": 471.46}
    summary = hopwright.run(hopwright.load(file, settings)).summary
    assert at(summary, "results", 0, "flows", 0, "drops", "mistaken_repeat") == 1
