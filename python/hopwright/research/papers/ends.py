"""What the flows' ends send and receive on the way there and back: from their agents' trace."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hopwright.research.papers import acknowledgements

EVENT = re.compile(r"([rs]) \S+ _\d+_ AGT  --- \d+ (tcp|ack) (\d+) ")


@dataclass
class Traffic:
    """Packets of all flows of TCP together, and their bytes with all headers from IP's on."""

    packets: int = 0
    bytes: int = 0


def traffic(lines: Iterable[str]) -> dict[tuple[str, str], Traffic]:
    """Of a trace in ns-2's old format: by `s` or `r`, and `tcp` or `ack`."""
    found = {(what, kind): Traffic() for what in "sr" for kind in ("tcp", "ack")}
    for line in lines:
        event = EVENT.match(line)
        if event is not None:
            what, kind, size = event.groups()
            found[what, kind].packets += 1
            found[what, kind].bytes += int(size)
    return found


def traffic_in(folder: Path) -> dict[tuple[str, str], Traffic]:
    """That of a run's folder."""
    with (folder / acknowledgements.TRACE).open(encoding="utf-8") as lines:
        return traffic(lines)
