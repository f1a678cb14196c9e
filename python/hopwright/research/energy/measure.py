"""What transports cost to compute, measured in a process that is stepped."""

import json
import sys
from collections.abc import Sequence

from hopwright import _core
from hopwright._io.data import Json, items

CYCLES = 500
"""Of the conversation: some 150,000 data segments, a thousand events of the rarest function."""


def measure(names: Sequence[str], *, repeat: int, samples: int) -> list[Json]:
    """CPU time `repeat` times, instructions of `samples` events of each function.

    Protocols take turns: whatever else the machine does meanwhile meets them all alike.
    """
    found = [_measured(name, samples) for name in names]
    for _ in range(1, repeat):
        for measurement, name in zip(found, names, strict=True):
            for work, again in zip(
                items(measurement, "functions"),
                items(_measured(name, 0), "functions"),
                strict=True,
            ):
                items(work, "ns_per_event").extend(items(again, "ns_per_event"))
    return found


def _measured(protocol: str, samples: int) -> Json:
    words = [protocol, str(CYCLES), str(samples)]
    child = [sys.executable, "-m", "hopwright.research.energy.counted", *words]
    text = _core.measure_energy(protocol, cycles=CYCLES, repeat=1, samples=samples, child=child)
    found: Json = json.loads(text)
    return found
