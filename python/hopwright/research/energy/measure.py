"""What transports cost to compute, measured in a process that is stepped."""

import json
import sys
from collections.abc import Callable, Sequence

from hopwright import _core
from hopwright._io.data import Json, items

CYCLES = 500
"""Of the conversation: some 150,000 data segments, a thousand events of the rarest function."""


def measure(
    names: Sequence[str],
    *,
    repeat: int,
    samples: int,
    watch: Callable[[float], object] = lambda _part: None,
) -> list[Json]:
    """CPU time `repeat` times, instructions of `samples` events of each function.

    Protocols take turns: whatever else the machine does meanwhile meets them all alike. `watch` is
    told the finished part, 0 to 1.
    """
    found: list[Json] = []
    for turn in range(repeat):
        for place, name in enumerate(names):
            measured = _measured(name, samples if turn == 0 else 0)
            if turn == 0:
                found.append(measured)
            else:
                functions = (items(each, "functions") for each in (found[place], measured))
                for work, again in zip(*functions, strict=True):
                    items(work, "ns_per_event").extend(items(again, "ns_per_event"))
            watch((turn * len(names) + place + 1) / (repeat * len(names)))
    return found


def _measured(protocol: str, samples: int) -> Json:
    words = [protocol, str(CYCLES), str(samples)]
    child = [sys.executable, "-m", "hopwright.research.energy.counted", *words]
    text = _core.measure_energy(protocol, cycles=CYCLES, repeat=1, samples=samples, child=child)
    found: Json = json.loads(text)
    return found
