"""What a profile's text says of the two ways of a link, beside its pipes."""

import re
from typing import Literal, get_args

Delays = Literal["both", "forward", "reverse"]
DELAYS: tuple[Delays, ...] = get_args(Delays)


def with_ways(
    toml: str, *, delays: Delays = "both", reorder: bool = False, losses: bool = True
) -> str:
    """A profile's text with the ways that it delays on, and whether packets overtake and are lost.

    What is as usual is not written.
    """
    head, mark, tail = toml.partition("[profile]\n")
    if reorder:
        head += "reorder = true\n\n"
    if delays != "both":
        tail = f'delays = "{delays}"\n{tail}'
    if not losses:
        tail = re.sub(r"^loss_percent = .*\n", "", tail, flags=re.MULTILINE)
    return head + mark + tail
