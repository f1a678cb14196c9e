"""What the page needs of a run's folder: its files, and what it is told about the run."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hopwright._io.data import Json, Object, at, items, json_of
from hopwright._io.errors import InputError
from hopwright._io.files import read_text
from hopwright._io.parquet import read_format, read_table
from hopwright._io.paths import SWEEP, wrong_kind
from hopwright.explain.events import EVENTS
from hopwright.results.chosen import Flows, check_flows, flow_list
from hopwright.results.frames import FORMATS, FRAMES, LANES
from hopwright.results.nodes import names_in, node_text
from hopwright.results.places import SERIES
from hopwright.results.positions import FORMAT, POSITIONS
from hopwright.results.said import SAID

if TYPE_CHECKING:
    from arro3.core import Table

NEEDED = {**FORMATS, POSITIONS: FORMAT}
"""The files that the page cannot do without, and their formats."""
MORE = (EVENTS, SERIES)
"""Files without which the page has no stories, or no time line."""
WORDS = (
    *("tries", "drops", "losses", "losses_in_waiting"),
    *("relations", "reactions", "cut", "copied"),
)
"""What the page says of causes: the words of `hopwright explain`."""
NEEDS = (
    "name the folder of a run, such as 'hopwright run FILE --set KEY=VALUE --seed N --view --out "
    "DIR' writes"
)
HOW = (
    "'hopwright run FILE --view' writes them, or --set output.frames=true --set "
    "output.positions=true"
)
NO_FRAMES = "shaped links join its nodes, so there are no frames to show"


@dataclass(frozen=True)
class Run:
    """A run's folder, checked."""

    folder: Path
    summary: Json
    shown: tuple[int, ...] | None = None
    """The flows that the page shows first; None: all."""

    @classmethod
    def at(cls, folder: Path, flow: Flows = None) -> "Run":
        """Raises `InputError` if there is no such run that can be drawn, or no such flow."""
        if not folder.is_dir() or (folder / SWEEP).is_file():
            raise InputError(wrong_kind(folder, NEEDS))
        missing = [name for name in NEEDED if not (folder / name).is_file()]
        if missing:
            runs = sorted(folder.glob(f"seed-*/{FRAMES}"))
            if runs:
                raise InputError(
                    f"{folder}: holds several runs; name one of them, such as {runs[0].parent}"
                )
            how = NO_FRAMES if _is_of_links(folder) else HOW
            raise InputError(f"{folder}: has no {missing[0]}; {how}")
        summary = _summary(folder)
        shown = flow_list(flow)
        check_flows(shown, len(items(items(summary, "results")[0], "flows")))
        return cls(folder, summary, shown)

    def table(self, name: str) -> "Table":
        """A file of the folder. Raises `InputError` if it is none that this program reads."""
        return self.described(name)[0]

    def described(self, name: str) -> "tuple[Table, dict[str, str]]":
        """A file of the folder, and what it says about itself."""
        if name in NEEDED:
            return read_format(self.folder / name, NEEDED[name], "output.frames = true")
        return read_table(self.folder / name), {}

    @property
    def more(self) -> Iterator[str]:
        """Which of the files are there that the page can do without."""
        return (name for name in MORE if (self.folder / name).is_file())

    def about(self, tracks: dict[str, str]) -> Object:
        """What the page is told. `tracks`: what the file of positions says about itself."""
        flows = items(items(self.summary, "results")[0], "flows")
        return {
            "name": at(self.summary, "scenario"),
            "seed": at(self.summary, "seed"),
            "version": at(self.summary, "version"),
            "folder": self.folder.resolve().name,
            "nodes": int(tracks["nodes"]),
            "names": [node_text(None, name) for name in names_in(self.summary)],
            "end_s": int(tracks["end_ns"]) / 1e9,
            "reception_m": float(tracks["reception_range_m"]),
            "sensing_m": float(tracks["carrier_sense_range_m"]),
            "flows": [
                {"from": at(flow, "from"), "to": at(flow, "to"), "protocol": at(flow, "protocol")}
                for flow in flows
            ],
            "shown_flows": None if self.shown is None else list(self.shown),
            "lineage": EVENTS in self.more,
            "words": {name: dict(SAID[name]) for name in WORDS},
        }


def _summary(folder: Path) -> Json:
    """What a run says of itself. Raises `InputError` if it does not say who sends to whom."""
    try:
        summary: Json = json_of(read_text(folder / "summary.json"))
    except ValueError:
        summary = None
    flows = items(summary, "results", 0, "flows")
    ends = [at(flow, end) for flow in flows for end in ("from", "to")]
    if not items(summary, "results") or not all(isinstance(end, int) for end in ends):
        raise InputError(f"{folder}: summary.json is not one that 'hopwright run' wrote")
    return summary


def _is_of_links(folder: Path) -> bool:
    """Whether shaped links join the nodes of a run."""
    try:
        summary: Json = json_of(read_text(folder / "summary.json"))
    except (InputError, ValueError):
        return False
    return at(summary, "results", 0, "links") is not None


__all__ = ["FRAMES", "LANES", "Run"]
