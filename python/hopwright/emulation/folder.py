"""What the folder of an emulation, or of its replay, says of itself."""

from pathlib import Path

from hopwright._io.data import Json, at, json_of
from hopwright._io.files import read_bytes

INPUTS = "inputs.pcapng"
"""What came and went in an emulation."""

SCENARIO = "scenario.toml"
"""The network in which it did."""

OPEN_LOOP = (
    "open loop: this replay changed more than what is recorded. Packets of programs kept their "
    "recorded times; real programs would have reacted, and would have sent other packets"
)


def is_open_loop(folder: Path) -> bool:
    """Whether it is a replay of something else than what happened.

    A folder whose summary cannot be read says nothing of it.
    """
    file = folder / "summary.json"
    if not (folder / INPUTS).is_file() or not file.is_file():
        return False
    try:
        summary: Json = json_of(read_bytes(file))
    except ValueError:
        return False
    return at(summary, "emulation", "replay", "open_loop") is True
