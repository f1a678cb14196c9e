"""The figures of a run: `hopwright plot` on its folder, or on a scenario that has not run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopwright import _core
from hopwright._io.data import Json, at, items, number
from hopwright._io.errors import InputError, near
from hopwright._io.parquet import read_columns
from hopwright.figures.look import PLAIN, Look
from hopwright.results.chosen import check_flows, flows_text
from hopwright.results.network import Network, network_of
from hopwright.results.nodes import ends_of, name_of, names_in
from hopwright.statistics.moving_average import moving_average

if TYPE_CHECKING:
    from hopwright.figures.figure import Figure

RUN_KINDS = ("time", "topology", "routes", "paths")
SCENARIO_KINDS = ("topology", "paths")
SERIES = "series.parquet"
QUEUE = "queue_packets"
OF_NODES = frozenset({QUEUE, "contention_window_slots"})
"""The columns that nodes have; all others are of flows."""
WORDS = frozenset({"phase", "backoff_stage"})
"""The columns that are no numbers."""
SAMPLES = "rtt_s"
"""The column whose values are of an instant; all others hold until the next."""
TITLES = {
    "cwnd_segments": "congestion window (segments)",
    "ssthresh_segments": "slow-start threshold (segments)",
    "rtt_s": "round-trip time (s)",
    "srtt_s": "smoothed round-trip time (s)",
    "rto_s": "retransmission time-out (s)",
    "in_flight_segments": "data in flight (segments)",
    "in_network_segments": "data in the network (packets)",
    "in_network_acks": "acknowledgements in the network (packets)",
    "acked_segments": "acknowledged (segments)",
    "sent_segments": "sent (segments)",
    "retransmitted_segments": "sent again (segments)",
    "duplicate_acks": "duplicate acknowledgements",
    "received_bytes": "received (bytes)",
    QUEUE: "queue (packets)",
    "contention_window_slots": "contention window (slots)",
}
"""The columns of `series.parquet` as people read them."""

MOST = 8


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What is to be drawn of a run."""

    y: str | None = None
    flows: Sequence[int] | None = None
    """None: all."""
    at_s: float | None = None
    moving_average: int | None = None
    title: str | None = None
    """None: the scenario's name; empty: no title."""
    log_y: bool = False
    look: Look = PLAIN

    def title_of(self, scenario: str) -> str:
        """What stands above the figure of a scenario with this name."""
        return scenario if self.title is None else self.title


def run_figure(
    folder: Path, summary: Json, kind: str | None, options: RunOptions
) -> "tuple[Figure, str, str]":
    """The figure of a run's folder, its kind, and a line that says what it shows.

    Raises `InputError` for what the run has not, or does not fit the kind.
    """
    flows = items(summary, "results", 0, "flows")
    check_flows(options.flows, len(flows))
    is_series = (folder / SERIES).is_file()
    # Without flows, little happens over time, and no packets go anywhere.
    guessed = ("time" if is_series else "routes") if flows else "topology"
    drawn = kind or guessed
    title = options.title_of(str(at(summary, "scenario")))
    if drawn == "time":
        _no_time(options)
        end_s = number(summary, "duration_s")
        names = names_in(summary)
        figure, said = time_figure(_series(folder), flows, end_s, title, options, names)
        return figure, drawn, said
    figure, said = network_figure(Network.read(folder), drawn, title, options, flows)
    return figure, drawn, said


def network_at(scenario: _core.Scenario, kind: str, at_s: float | None) -> Network:
    """The network of a scenario, for one of `SCENARIO_KINDS`: no run is needed.

    Raises `InputError` for a time outside of the run, or where links join the nodes.
    """
    if not scenario.has_medium:
        raise InputError(f"{kind}: nodes that links join have no positions")
    if at_s is not None and not 0 <= at_s <= scenario.duration_s:
        raise InputError(f"--at {at_s:g}: the run is from 0 to {scenario.duration_s:g} s")
    times = None if at_s is None or kind != "topology" else [at_s]
    return network_of(scenario, times_s=times)


def network_figure(
    network: Network, kind: str, title: str, options: RunOptions, flows: Sequence[Json] = ()
) -> "tuple[Figure, str]":
    """A figure of nodes and links, and a line that says what it shows.

    Raises `InputError` for what does not fit the kind.
    """
    if options.y is not None or options.log_y or options.moving_average is not None:
        raise InputError(f"--y, --log-y and --moving-average cannot be used with '{kind}'")
    try:
        return _network_figure(network, kind, title, options, flows)
    except (ValueError, TypeError, IndexError) as error:
        raise InputError(str(error)) from error


def _network_figure(
    network: Network, kind: str, title: str, options: RunOptions, flows: Sequence[Json]
) -> "tuple[Figure, str]":
    from hopwright.figures.path_lengths import path_lengths
    from hopwright.figures.route_map import route_map
    from hopwright.figures.topology_map import topology_map

    range_m, look = network.reception_range_m, options.look
    chosen = range(len(network.flows)) if options.flows is None else options.flows
    ends = [(network.flows[flow][0], network.flows[flow][1]) for flow in chosen]
    if kind == "paths":
        _no_time(options)
        hops = [(flow, number(flows[flow], "mean_hops")) for flow in chosen if flow < len(flows)]
        taken = [(f"flow {flow}", mean) for flow, mean in hops if mean]
        figure = path_lengths(
            network.positions_m,
            range_m=range_m,
            down=network.down,
            taken=taken if len(taken) <= MOST else (),
            title=title,
            look=look,
        )
        times = len(network.times_s)
        return figure, f"means and ranges over {times} times" if times > 1 else "nodes stand still"
    packets: dict[tuple[int, int], int] = {}
    for flow in chosen if kind == "routes" else ():
        for start, end, count in network.links[flow]:
            packets[start, end] = packets.get((start, end), 0) + count
    is_typical = options.at_s is None and bool(packets)
    place = _typical(network, packets) if is_typical else _snapshot(network, options.at_s)
    snapshot, time_s = network.positions_m[place], network.times_s[place]
    down = network.down_in(place)
    changes = network.moves or bool(network.down)
    when = "nodes stand still"
    if changes:
        when = f"{'positions' if network.moves else 'nodes that are up'} at {time_s:g} s"
    if changes and options.at_s is not None and options.at_s != time_s:
        when += f", of the run's {len(network.times_s)} snapshots the nearest to {options.at_s:g} s"
    if changes and is_typical:
        when += ", where the most of them went over links that are in range"
    if changes and options.title is None:
        title = f"{title}, {'nodes ' if kind == 'routes' else ''}at {time_s:g} s"
    if kind == "topology":
        figure = topology_map(
            snapshot, range_m=range_m, flows=ends, down=down, title=title, look=look
        )
        return figure, when
    figure = route_map(
        snapshot,
        [(start, end, count) for (start, end), count in sorted(packets.items())],
        range_m=range_m,
        flows=ends,
        down=down,
        title=title,
        look=look,
    )
    return figure, f"data packets of the whole run; {when}"


def _typical(network: Network, packets: Mapping[tuple[int, int], int]) -> int:
    """The first snapshot in which the most packets' links are in range.

    Packets are those of the whole run: no snapshot is right for all of them.
    """

    def in_range(place: int) -> int:
        near = _core.links(
            list(network.positions_m[place]), network.reception_range_m, set(network.down_in(place))
        )
        return sum(packets.get(pair, 0) + packets.get(pair[::-1], 0) for pair in near)

    return max(range(len(network.times_s)), key=in_range)


def _snapshot(network: Network, at_s: float | None) -> int:
    """Which snapshot is the nearest to a time."""
    wanted = 0.0 if at_s is None else at_s
    if at_s is not None and not 0 <= at_s <= max(network.end_s, 0):
        raise InputError(f"--at {at_s:g}: the run is from 0 to {network.end_s:g} s")
    return min(range(len(network.times_s)), key=lambda place: abs(network.times_s[place] - wanted))


def _no_time(options: RunOptions) -> None:
    if options.at_s is not None:
        raise InputError("--at can only be used with 'topology' and 'routes'")


def _series(folder: Path) -> dict[str, list[Any]]:
    path = folder / SERIES
    if not path.is_file():
        raise InputError(
            f"{path}: is not there; a run writes it if [output] series is not empty (of several "
            "runs, it is in their sub-folders)"
        )
    return read_columns(path)


def time_figure(
    columns: Mapping[str, Sequence[Any]],
    flows: Sequence[Json],
    end_s: float | None,
    title: str,
    options: RunOptions,
    names: Sequence[str] = (),
) -> "tuple[Figure, str]":
    """A figure of a column of a run's series, and a line that says what it shows.

    `names`: of all nodes, if they have any.

    Raises `InputError` for a column that the run has not.
    """
    from hopwright.figures.lines import Line
    from hopwright.figures.time_series import time_series

    known = [name for name in columns if name in TITLES]
    wanted = options.y or _first_filled(columns, known, options.flows)
    if wanted in WORDS and wanted in columns:
        raise InputError(f"--y {wanted}: is not a number; the numbers are: {', '.join(known)}")
    if wanted not in known:
        raise InputError(f"--y {wanted}: no such series{near(wanted, known)}")
    whose = "node" if wanted in OF_NODES else "flow"
    if whose == "node" and options.flows is not None:
        raise InputError(f"--flow: {wanted} belongs to a node, not to a flow")
    found = _by_owner(columns, whose, wanted, options.flows)
    if not found:
        raise InputError(f"--y {wanted}: this run has no value of it")
    chosen = _largest(found, end_s)
    said = "values over the run"
    if len(chosen) < len(found):
        said += f"; the {MOST} largest of {len(found)} {whose}s"
    held = wanted != SAMPLES
    series = [(_name(whose, who, flows, names), *found[who]) for who in chosen]
    averages: list[list[float | None]] = []
    if options.moving_average is not None:
        series = [(name, *(_changes(*of) if held else of)) for name, *of in series]
        averages = _averaged([of[1] for _, *of in series], options.moving_average)
    lines = [Line(*of) for of in series]
    short = {f"{whose} {who}": line.name for who, line in zip(chosen, lines, strict=True)}
    look = options.look.for_texts(TITLES | short)
    try:
        figure = time_series(
            lines,
            y_label=TITLES[wanted],
            title=f"{title}: {lines[0].name}" if title and len(lines) == 1 else title,
            start_s=0.0,
            end_s=end_s,
            log_y=options.log_y,
            held=held,
            averages=averages,
            averages_name=f"moving average of {options.moving_average} values",
            look=look,
        )
    except ValueError as error:
        raise InputError(str(error)) from error
    return figure, said


def _first_filled(
    columns: Mapping[str, Sequence[Any]], known: Sequence[str], flows: Sequence[int] | None
) -> str:
    """The first column that one of the flows has a value of: not each transport has a window."""
    for name in known:
        whose = "node" if name in OF_NODES else "flow"
        if _by_owner(columns, whose, name, flows):
            return name
    whom = "" if flows is None else f" of {flows_text(flows)}"
    raise InputError(f"this run has no values over time{whom}")


def _by_owner(
    columns: Mapping[str, Sequence[Any]], whose: str, name: str, flows: Sequence[int] | None
) -> dict[int, tuple[list[float], list[float]]]:
    """The times and values of a column, of each node or flow that has some."""
    found: dict[int, tuple[list[float], list[float]]] = {}
    for time, who, value in zip(columns["time_s"], columns[whose], columns[name], strict=True):
        is_other = whose == "flow" and flows is not None and who not in flows
        if who is None or value is None or is_other:
            continue
        times, values = found.setdefault(who, ([], []))
        times.append(time)
        values.append(value)
    return found


def _changes(times: list[float], values: list[float]) -> tuple[list[float], list[float]]:
    """Where a value that holds changes: rows that other columns have made are no observations."""
    kept = [n for n, value in enumerate(values) if n == 0 or value != values[n - 1]]
    return [times[n] for n in kept], [values[n] for n in kept]


def _averaged(series: list[list[float]], count: int) -> list[list[float | None]]:
    """None at the ends, where too few values are around."""
    most = max(map(len, series))
    if most < count:
        raise InputError(f"--moving-average {count}: there are only {most} values")
    averages = [moving_average(values, count) for values in series]
    first = count // 2
    return [
        [*[None] * len(values[:first]), *known, *[None] * (len(values[first:]) - len(known))]
        for values, known in zip(series, averages, strict=True)
    ]


def _name(whose: str, who: int, flows: Sequence[Json], names: Sequence[str]) -> str:
    if whose == "node":
        return f"node {name_of(names, who)}"
    flow = flows[who] if who < len(flows) else None
    return f"flow {who}: {at(flow, 'protocol')}, {ends_of(flow)}"


def _largest(of: dict[int, tuple[list[float], list[float]]], end_s: float | None) -> list[int]:
    """Those whose values are the largest on average over time, at most eight."""

    def area(who: int) -> float:
        times, values = of[who]
        until = [*times[1:], max(end_s or 0.0, times[-1])]
        return sum(n * (b - a) for a, b, n in zip(times, until, values, strict=True))

    return sorted(sorted(of, key=lambda who: -area(who))[:MOST])
