"""Runs for the tests of the page: `python viewer/tests/prepare.py FOLDER [--long]`.

Writes the pages, and `expected.json`: at random moments the collisions and losses that lineage
tells of, counted here, from events.parquet alone.
"""

import json
import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import hopwright as hw
from hopwright.view.folder import Run
from hopwright.view.page import write_page

SCENARIOS = Path(__file__).parents[2] / "scenarios"
DRAWN = {"output.frames": True, "output.positions": True}
SHORT = {**DRAWN, "output.lineage": "all"}
RUNS = {
    "chain": {**SHORT, "duration_s": 20},
    "grid": {**SHORT, "duration_s": 20},
    "mobile": {**SHORT, "duration_s": 60},
}
MOMENTS = 50
SEED = 5
EXCHANGE_S = 0.06
"""An exchange of frames takes less."""
NEAR_S = 2e-6
"""The page rounds times to microseconds: nothing happens so near the ends of what is asked for."""


def main() -> None:
    place = Path(sys.argv[1])
    place.mkdir(parents=True, exist_ok=True)
    expected = {}
    for name, overrides in RUNS.items():
        folder = made(place, name, overrides)
        write_page([Run.at(folder)], place / f"{name}.html")
        expected[name] = moments(folder, float(overrides["duration_s"]))
    write_page([Run.at(place / "chain"), Run.at(place / "grid")], place / "two.html")
    (place / "expected.json").write_text(json.dumps(expected), encoding="utf-8")
    if "--long" in sys.argv:
        large = {**DRAWN, "output.lineage": "losses"}
        folder = made(place, "long", large, SCENARIOS / "mobile.toml")
        write_page([Run.at(folder)], place / "long.html")
        file = place / "crowd.toml"
        file.write_text(thousand(), encoding="utf-8")
        folder = made(place, "crowd", large, file)
        write_page([Run.at(folder)], place / "crowd.html")


def thousand() -> str:
    """1,000 moving nodes over AODV, 20 s: the scenario that speed is measured with."""
    sys.path.append(str(SCENARIOS.parent / "validation"))
    from networks import crowd

    return crowd(1000, "aodv", 20)


def made(
    place: Path, name: str, overrides: Mapping[str, Any], scenario: Path | None = None
) -> Path:
    folder = place / name
    loaded = hw.load(scenario or SCENARIOS / f"{name}.toml", dict(overrides))
    hw.run(loaded, out=folder, overwrite=folder.exists())
    return folder


def moments(folder: Path, duration_s: float) -> list[dict[str, Any]]:
    """What happened in random stretches of the run."""
    names = ["time_s", "kind", "cause", "frame", "loss", "packet", "tries"]
    rows = pq.read_table(folder / "events.parquet", columns=names).to_pylist()
    collided = [row for row in rows if row["cause"] == "collision"]
    tried = [row for row in collided if row["kind"] == "try" and row["frame"] is not None]
    rts = [row["time_s"] for row in tried if row["frame"] == "rts"]
    later = [row for row in tried if row["frame"] != "rts"]
    missed = [row["time_s"] for row in collided if row["kind"] == "missed"]
    lost = [row["time_s"] for row in rows if row["kind"] == "dropped" and row["loss"] is not None]
    draw = random.Random(SEED)
    found: list[dict[str, Any]] = []
    while len(found) < MOMENTS:
        middle, span = draw.uniform(0.5, duration_s - 0.5), draw.choice([0.02, 0.1, 0.4, 1.0])
        begin, end = middle - span / 2, middle + span / 2
        times = (*rts, *missed, *lost)
        if any(abs(time - edge) < NEAR_S for time in times for edge in (begin, end)):
            continue
        found.append(
            {
                "time": middle,
                "span": span,
                "rts": within(rts, begin, end),
                "missed": within(missed, begin, end),
                "losses": within(lost, begin, end),
                # Of a later frame of an exchange lineage says when the exchange began.
                "surely": named(later, begin, end - EXCHANGE_S),
                "perhaps": named(later, begin - EXCHANGE_S, end),
            }
        )
    return found


def within(times: Sequence[float], begin: float, end: float) -> int:
    return sum(begin <= time < end for time in times)


def named(rows: Sequence[Mapping[str, Any]], begin: float, end: float) -> list[str]:
    return [
        f"{row['packet']} {row['tries']} {row['frame']}"
        for row in rows
        if begin <= row["time_s"] < end
    ]


if __name__ == "__main__":
    main()
