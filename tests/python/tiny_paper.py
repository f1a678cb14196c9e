"""A small paper's file for tests."""

from pathlib import Path

TINY = """
document = "Nobody 2026"
title = "One hop and two"
source = "table 1"
about = "A file for tests."
runs = 4
quick_runs = 2

[reference]
command = "none"

[scenario]
name = "tiny"
duration_s = 3
topology = { kind = "chain", hops = 2 }
flows = [{ from = 0, to = 2 }]

[[vary]]
name = "hops"
title = "hops"
settings = [
    { label = "1", set = { "topology.hops" = 1, "flows.0.to" = 1 } },
    { label = "2", set = { "topology.hops" = 2, "flows.0.to" = 2 } },
]

[[vary]]
name = "limit"
key = "flows.transport.window_limit_segments"
values = [1, 8]

[[measures]]
id = "segments"
title = "segments"
sum = ["goodput_segments"]
kind = "amount"

[[measures]]
id = "lost"
title = "lost"
sum = ["mac.failures.data", "mac.failures.ack"]
kind = "count"

[[measures]]
id = "balance"
title = "segments twice, taken away once"
sum = ["goodput_segments", "goodput_segments", "-goodput_segments"]
kind = "amount"

[[measures]]
id = "idle"
title = "idle"
function = "idle_before_timeouts_s"
kind = "amount"

[[tables]]
id = "1"
title = "Table 1"
columns = "hops"
rows = [
    { measure = "segments", at = { limit = "1" }, printed = [300, nan], reference = @ },
    { measure = "segments", at = { limit = "8" } },
    { measure = "lost", at = { limit = "8" }, printed = [0, 1000] },
    { measure = "balance", at = { limit = "8" } },
    { measure = "idle", at = { limit = "8" } },
]

[[readings]]
id = "slower"
why = "Because."
set = { "mac.data_rate_mbps" = 1 }
cells = ["segments.1.*"]

[[claims]]
id = "falls"
says = "More hops, fewer segments."
rule = "order"
order = ["segments.1.1 > segments.1.2 > 0"]

[[claims]]
id = "lost"
says = "A thousand are lost."
rule = "numbers"
cells = ["lost.*"]
because = "Nobody measured it."

[[figures]]
id = "lines"
kind = "lines"
title = "segments"
y_label = "segments"
x = "hops"
by = "limit"
cells = ["segments.*"]

[[figures]]
id = "bars"
kind = "bars"
title = "segments"
y_label = "segments"
cells = ["segments.1.*"]
""".replace("@", "[[300, 3, 5], [150, 2, 5]]")

COMPARISON = """
[[comparisons]]
id = "limits"
asks = "Does the window's limit matter?"
measure = "segments"
axis = "limit"
these = ["8"]
against = ["1"]
"""


def write(folder: Path, text: str = TINY, name: str = "tiny") -> Path:
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path
