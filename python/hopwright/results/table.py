"""The summary as a person reads it: at most 80 columns wide, plain where there is no terminal."""

from collections.abc import Sequence
from typing import NamedTuple

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from hopwright._io import markup
from hopwright._io.console import Listed, Prose, Whole, standard_output
from hopwright._io.data import Json, Object, at, items, number
from hopwright._io.latex import Sheet, document, joined
from hopwright._io.names import PLAIN, Names
from hopwright._io.plural import many
from hopwright.results.metrics import joules, over
from hopwright.results.nodes import ends_in_runs
from hopwright.results.said import SAID
from hopwright.results.starvation import of_results

ABSENT = "–"

NAMES = frozenset({"#", "from → to", "protocol"})
"""The heads of columns that name a flow."""

Cells = tuple[list[str], list[list[str]]]
"""The heads of a table, and its rows."""


class Column(NamedTuple):
    """A quantity of a flow: its key in the summary, and how it is shown."""

    title: str
    key: str
    scale: float
    decimals: int


MAIN = (
    Column("goodput\nkb/s", "goodput_bps", 1e-3, 1),
    Column("resent\nsegments", "retransmissions", 1, 0),
    Column("time-\nouts", "rto_count", 1, 0),
    Column("mean RTT\nms", "mean_rtt_s", 1e3, 1),
)
MORE = (
    Column("received\nkb/s", "received_bps", 1e-3, 1),
    Column("sent\nsegments", "segments_sent", 1, 0),
    Column("mean\ncwnd", "mean_cwnd_segments", 1, 2),
    Column("mean\nhops", "mean_hops", 1, 2),
    Column("data in\nnetwork", "mean_data_in_flight", 1, 2),
    Column("spurious\nresent", "spurious_retransmissions", 1, 0),
)
WORDS = SAID["drop_labels"] | {
    "rts_cts": "RTS/CTS",
    "ack": "ACK",
    "mac_ack": "MAC ACK",
    "rto": "time-out",
}


def print_summary(summary: Object, *, node_count: int, console: Console | None = None) -> None:
    """Prints the summary on standard output."""
    (console or standard_output()).print(render(summary, node_count=node_count))


def render(summary: Object, *, node_count: int) -> RenderableType:
    """The summary as a group of tables."""
    warned: list[RenderableType] = (
        [Text(), Prose(f"warning: {line}")] if (line := starved(summary)) else []
    )
    more = [part for heads, rows in _more(summary) for part in (Text(), Whole(_table(heads, rows)))]
    return Group(
        Prose(_heading(summary, node_count), style="bold"),
        *warned,
        Text(),
        Whole(_table(*_flow_cells(summary, MAIN, main=True))),
        *more,
        Text(),
        Whole(_fact_table(_facts(summary))),
    )


def html(summary: Object, *, node_count: int) -> str:
    """The same as HTML tables."""
    line = starved(summary)
    return "".join(
        [
            markup.paragraph(_heading(summary, node_count), bold=True),
            markup.paragraph(f"Warning: {line}") if line else "",
            markup.table(*_flow_cells(summary, MAIN, main=True)),
            *(markup.table(*cells) for cells in _more(summary)),
            markup.facts(_facts(summary)),
        ]
    )


def latex(summary: Object, *, node_count: int, names: Names = PLAIN) -> str:
    """The tables of flows in LaTeX; warnings, and what concerns the network, in comments."""
    scenario = str(summary["scenario"])
    caption = _heading(summary, node_count).replace("\n", "; ")
    tables = [_flow_cells(summary, MAIN, main=True), *_more(summary)]
    texts = {column.key: joined(column.title) for column in (*MAIN, *MORE)}
    sheets = [
        Sheet(heads, rows, caption, f"{scenario} flows{f' {n}' if n else ''}")
        for n, (heads, rows) in enumerate(tables)
    ]
    said = "\n".join(f"{label}: {text}" for label, text in _facts(summary))
    warned = [line] if (line := starved(summary)) else []
    return document(sheets, names.for_texts(texts), said, warned)


def starved(summary: Object) -> str:
    """`a flow starves: flow 1 (10 → 14) gets ...`; empty if none does."""
    found = of_results(items(summary, "results"))
    return found.said() if found else ""


def show(
    mean: float | None, half_width: float | None = None, *, scale: float = 1, decimals: int = 0
) -> str:
    """`212.3 ± 4.1`; a count is whole by itself, but a mean of counts is not."""
    if mean is None:
        return ABSENT
    if not half_width:
        shown = decimals if decimals or float(mean).is_integer() else 1
        return f"{mean * scale:.{shown}f}"
    shown = max(decimals, 1)
    return f"{mean * scale:.{shown}f} ± {half_width * scale:.{shown}f}"


def _heading(summary: Object, node_count: int) -> str:
    flows = len(items(summary, "mean", "flows"))
    seed, runs = number(summary, "seed"), number(summary, "runs")
    duration = number(summary, "duration_s") or 0
    size = f"{many(node_count, 'node')}, {many(flows, 'flow')}, {duration:g} s"
    heading = f"{summary['scenario']}: {size}, "
    if seed is None or runs is None or runs == 1:
        return heading + f"seed {seed}"
    spread = f"mean ± half width of the 95 % confidence interval over {runs} runs"
    return heading + f"seeds {seed} to {seed + runs - 1}\n{spread}"


def _more(summary: Object) -> list[Cells]:
    """A second table: the means of those further quantities that the summary has."""
    flows = range(len(items(summary, "mean", "flows")))
    known = [
        column
        for column in MORE
        if any(number(summary, "mean", "flows", flow, column.key) is not None for flow in flows)
    ]
    return [_flow_cells(summary, known, main=False)] if known else []


def _flow_cells(summary: Object, columns: Sequence[Column], *, main: bool) -> Cells:
    """Heads and rows: what names a flow, then what it has of these quantities."""
    names = ("#", "from → to", "protocol") if main else ("#", "protocol")
    rows = []
    runs: list[Json] = items(summary, "results")
    for index, flow in enumerate(items(summary, "results", 0, "flows")):
        ends = (ends_in_runs(at(run, "flows", index) for run in runs),) if main else ()
        cells = [_cell(summary, index, column, spread=main) for column in columns]
        rows.append([str(index), *ends, str(at(flow, "protocol")), *cells])
    return [*names, *(column.title for column in columns)], rows


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), collapse_padding=True)
    for head in heads:
        if head in NAMES:
            table.add_column(head, vertical="bottom")
        else:
            table.add_column(head, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))  # a name of a node is no markup
    return table


def _cell(summary: Object, flow: int, column: Column, *, spread: bool) -> str:
    key = over(at(summary, "results", 0, "flows", flow, "protocol"), column.key)
    mean = number(summary, "mean", "flows", flow, key)
    half_width = number(summary, "ci95", "flows", flow, key) if spread else None
    return show(mean, half_width, scale=column.scale, decimals=column.decimals)


def _fact_table(facts: Sequence[tuple[str, str]]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for label, text in facts:
        table.add_row(label, Listed(text))
    return table


def _facts(summary: Object) -> list[tuple[str, str]]:
    """Whatever concerns the network rather than a flow, a line each."""
    facts: list[tuple[str, str]] = []
    flows = items(summary, "mean", "flows")
    for index in range(len(flows)):
        of = f" {index}" if len(flows) > 1 else ""
        _add(
            facts,
            f"time by phase{of}",
            _parts(summary, ("flows", index, "phase_time_s"), decimals=1, unit=" s"),
        )
        for key, label in COUNTS_BY_CAUSE.items():
            _add(facts, f"{label}{of}", _parts(summary, ("flows", index, key), zeros=False))
    for index, link in enumerate(items(summary, "results", 0, "links")[:MOST_LINKS]):
        arrow = "↔" if at(link, "shared") is True else "→"
        name = f"link {at(link, 'from')} {arrow} {at(link, 'to')}"
        _add(facts, name, _link(summary, index))
    for index, relay in enumerate(items(summary, "results", 0, "relays")[:MOST_LINKS]):
        _add(facts, f"{at(relay, 'kind')} at node {at(relay, 'node')}", _relay(summary, index))
    _add(facts, "collisions", _parts(summary, ("mac", "collisions")))
    _add(facts, "channel errors", _parts(summary, ("mac", "channel_errors")))
    _add(facts, "MAC gave up", _failures(summary))
    _add(
        facts,
        "mean queue",
        _value(summary, ("mac", "mean_queue_packets"), decimals=2, unit=" packets"),
    )
    _add(facts, "medium", _medium(summary))
    _add(facts, "routing", _parts(summary, ("routing",)))
    _add(facts, "energy", _energy(summary))
    if len(flows) > 1:
        _add(facts, "fairness", _fairness(summary))
    _add(facts, "work", _work(summary))
    return facts


MOST_LINKS = 8
"""Directions of links, and relays, that a summary shows; the others are in its file."""
COUNTS_BY_CAUSE = {"losses": "losses", "ack_losses": "ACK losses", "drops": "drops"}
"""Fields of a flow of which only the causes that occurred are shown, and what they are called."""
SHOWN_IF_ANY = frozenset({"frozen", "notices"})
"""What only transports cause that ask for it."""


def _add(facts: list[tuple[str, str]], label: str, text: str) -> None:
    if text:
        facts.append((label, text))


def _fairness(summary: Object) -> str:
    """`Jain 0.649, normalised sd 0.735, worst flow 0.4 kb/s`."""
    ratios = {"jain": "Jain", "normalised_sd": "normalised sd"}
    parts = [
        f"{words} {_value(summary, ('fairness', key), decimals=3)}" for key, words in ratios.items()
    ]
    worst = _value(summary, ("fairness", "worst_goodput_bps"), scale=1e-3, decimals=1, unit=" kb/s")
    return ", ".join([*parts, f"worst flow {worst}"])


def _parts(
    summary: Object,
    path: tuple[str | int, ...],
    *,
    decimals: int = 0,
    unit: str = "",
    zeros: bool = True,
    but: Sequence[str] = (),
) -> str:
    """`RTS/CTS 900, data 300, total 1200`; empty where the summary has none of it."""
    parts = at(summary, "mean", *path)
    if not isinstance(parts, dict):
        return ""
    names = [name for name in parts if parts[name] or (zeros and name not in SHOWN_IF_ANY)]
    names = [name for name in names if name not in but]
    shown = {name: _value(summary, (*path, name), decimals=decimals, unit=unit) for name in names}
    return ", ".join(
        f"{WORDS.get(name, name.replace('_', ' '))} {text}" for name, text in shown.items() if text
    )


def _failures(summary: Object) -> str:
    """`data 152, ACK 111, routing 0, at the RTS limit 263 of these, packets lost 263`."""
    path = ("mac", "failures")
    given_up = _parts(summary, path, but=("rts_cts", "lost_packets"))
    at_rts, lost = (_value(summary, (*path, name)) for name in ("rts_cts", "lost_packets"))
    return given_up and f"{given_up}, at the RTS limit {at_rts} of these, packets lost {lost}"


def _link(summary: Object, index: int) -> str:
    """`806 kb/s carried, 67 lost, 0 dropped, 0.05 packets waiting`."""
    parts = (
        ("carried_bps", 1e-3, 0, " kb/s carried"),
        ("lost", 1, 0, " lost"),
        ("dropped", 1, 0, " dropped"),
        ("mean_queue_packets", 1, 2, " packets waiting"),
    )
    return ", ".join(
        _value(summary, ("links", index, key), scale=scale, decimals=decimals, unit=unit)
        for key, scale, decimals, unit in parts
    )


def _relay(summary: Object, index: int) -> str:
    """`6103 packets kept, 121 sent again for repetitions, 4 by its timer, 900 ACKs held back`."""
    kept = (
        ("cached", 0, " packets kept"),
        ("sent_again_by_duplicates", 0, " sent again for repetitions"),
        ("sent_again_by_timer", 0, " by its timer"),
        ("suppressed_acks", 0, " ACKs held back"),
        ("loss_notices", 0, " notices"),
    )
    parts = [
        _value(summary, ("relays", index, key), decimals=decimals, unit=unit)
        for key, decimals, unit in kept
    ]
    own = (
        ("segments_sent", 1, 0, " segments"),
        ("retransmissions", 1, 0, " resent"),
        ("rto_count", 1, 0, " time-outs"),
        ("mean_buffered_bytes", 1e-3, 1, " kB in its buffer"),
    )
    for connection, found in enumerate(
        items(summary, "results", 0, "relays", index, "connections")[:MOST_LINKS]
    ):
        path = ("relays", index, "connections", connection)
        said = ", ".join(
            _value(summary, (*path, key), scale=scale, decimals=decimals, unit=unit)
            for key, scale, decimals, unit in own
        )
        parts.append(f"flow {at(found, 'flow')} by {at(found, 'protocol')}: {said}")
    return ", ".join(part for part in parts if part)


def _value(
    summary: Object,
    path: tuple[str | int, ...],
    *,
    scale: float = 1,
    decimals: int = 0,
    unit: str = "",
) -> str:
    mean, half_width = number(summary, "mean", *path), number(summary, "ci95", *path)
    return "" if mean is None else show(mean, half_width, scale=scale, decimals=decimals) + unit


def _medium(summary: Object) -> str:
    """`frames received at once 1.31, at most 4, possible 1.80, utilisation 0.784, ...`.

    Empty where nobody asked for it.
    """
    parts = (
        ("frames received at once ", ("spatial_reuse", "mean"), 2),
        ("at most ", ("spatial_reuse", "max"), 0),
        ("possible ", ("independent_set", "mean"), 2),
        ("utilisation ", ("mac_utilisation",), 3),
        ("contending MAC flows ", ("contending_mac_flows",), 2),
    )
    shown = [
        (before, _value(summary, ("medium_use", *path), decimals=decimals))
        for before, path, decimals in parts
    ]
    return ", ".join(f"{before}{text}" for before, text in shown if text)


def _energy(summary: Object) -> str:
    """`radio 115.3 J, communication 12.1 J, computation 6.325 mJ, 1.920 µJ per received bit`.

    What the summary has of it; empty without energy.
    """
    parts = [
        f"{before}{text}{after}"
        for key, before, decimals, after in ENERGY
        if (text := _joules(summary, ("energy", key), decimals))
    ]
    return ", ".join(parts)


ENERGY = (
    ("radio_j", "radio ", 1, ""),
    ("communication_j", "communication ", 1, ""),
    ("compute_j", "computation ", 3, ""),
    ("j_per_received_bit", "", 3, " per received bit"),
)
"""Fields of the run's energy: words before, decimals, words after."""


def _joules(summary: Object, path: tuple[str | int, ...], decimals: int) -> str:
    """`6.325 mJ`, in the multiple of the joule that shows digits."""
    unit, scale = joules(number(summary, "mean", *path) or 0.0)
    return _value(summary, path, scale=scale, decimals=decimals, unit=f" {unit}")


def _work(summary: Object) -> str:
    results: list[Json] = items(summary, "results")
    parts = []
    for key, words in (("frames", "frames"), ("events", "events")):
        counts = [number(each, key) for each in results]
        known = [c for c in counts if c is not None]
        if known:
            parts.append(f"{sum(known):,.0f} {words}")
    wall = [number(each, "wall_s") for each in results]
    seconds = sum(s for s in wall if s is not None)
    if seconds:
        parts.append(f"{seconds:.2f} s of computing")
    return ", ".join(parts)
