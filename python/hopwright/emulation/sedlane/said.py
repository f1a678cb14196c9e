"""What a shaped link that has carried packets says in the end."""

import json
import sys
from collections.abc import Sequence

from hopwright._io.data import Json, amount, at
from hopwright.emulation.pacing import Loop


def of_link(
    summary: Json,
    *,
    bound_us: float,
    as_json: bool,
    loop: Loop[str],
    more: Sequence[str] = (),
    unit: str = "packet",
) -> None:
    """Says what it did, which `loop` ran; `more` are lines of who has it."""
    late = at(summary, "lateness")
    p99_us = at(late, "p99_us")
    is_valid = p99_us is None or amount(late, "p99_us") <= bound_us
    lines = []
    for name, way in (("to far", "there"), ("to near", "back")):
        carried = at(summary, way)
        lost, dropped = amount(carried, "lost_packets"), amount(carried, "dropped_packets")
        unwritten = amount(carried, "unwritten_packets")
        lines.append(
            f"{name}: {amount(carried, 'offered_packets'):.0f} {unit}s, {lost:.0f} lost, "
            f"{dropped:.0f} dropped from the queue"
            + (f", {unwritten:.0f} that the kernel did not accept" if unwritten else "")
        )
    if p99_us is not None:
        lines.append(
            f"lateness of {unit}s: median {amount(late, 'median_us'):.0f} us, 99 of 100 up to "
            f"{amount(late, 'p99_us'):.0f} us, largest {amount(late, 'max_us'):.0f} us"
        )
    lines += [*more, *loop.said()]
    if not is_valid:
        lines.append(f"invalid: more than 1 of 100 {unit}s was over {bound_us:.0f} us late")
    for line in lines:
        print(f"hopwright: {line}", file=sys.stderr)
    if as_json and isinstance(summary, dict):
        about: Json = summary | {"scheduling": loop.scheduling.summary(), "valid": is_valid}
        sys.stdout.write(json.dumps(about, indent=2) + "\n")
