"""The runs whose lineage the tests look at."""

from collections.abc import Mapping
from pathlib import Path

from hopwright import _core
from hopwright._io.data import Json, at
from hopwright._run.recorded import run_into

SCENARIO = Path(__file__).resolve().parents[2] / "scenarios" / "chain.toml"
SETTINGS = {
    "profile": "ns2",
    "routing.protocol": "aodv",
    "duration_s": "60",
    "output.series": "[]",
    "output.figures": "[]",
}


def recorded(
    folder: Path,
    scope: str,
    changed: Mapping[str, str] | None = None,
    more: str = "",
    seed: int = 1,
) -> tuple[Path, Json]:
    """NewReno over eight hops and AODV: false breaks, losses of both ways, spurious time-outs."""
    file = folder / "scenario.toml"
    file.write_text(SCENARIO.read_text() + more)
    settings = SETTINGS | {"output.lineage": scope} | dict(changed or {})
    scenario = _core.load(str(file), list(settings.items()))
    summary = run_into(folder / scope, scenario, [seed], jobs=1, overwrite=False)
    return folder / scope, at(summary, "results", 0)
