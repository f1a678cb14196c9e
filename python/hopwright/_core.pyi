"""The simulator in Rust. It reads scenarios and runs them; it writes traces and prints nothing."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Self, final

__all__ = [
    "Cancelled",
    "ConnectionTrace",
    "Emulation",
    "EmulationWatch",
    "Host",
    "HostWatch",
    "Namespace",
    "Progress",
    "RunError",
    "RunResult",
    "Scenario",
    "ScenarioError",
    "Shaper",
    "ShaperWatch",
    "Stepped",
    "UdpRelay",
    "be_counted",
    "build",
    "check_link",
    "counted_connection",
    "die_with_parent",
    "enter_network",
    "exchange",
    "execute_unprivileged",
    "hop_counts",
    "keep_network_privileges",
    "links",
    "load",
    "lock_memory",
    "make_mounts_private",
    "measure_energy",
    "measure_power",
    "mount_new",
    "mount_over",
    "parameters_json",
    "parse",
    "protocols_json",
    "read_connection",
    "read_file",
    "replay",
    "restore",
    "results_schema_json",
    "run",
    "schema_json",
    "slots_json",
    "unmount",
    "unshare",
    "version",
    "words_json",
]

class ScenarioError(ValueError):
    """The scenario is wrong. Its text says where, what, and what would be right."""

class RunError(RuntimeError):
    """A run failed: a fault of the program. Its text names the seed that shows it."""

class Cancelled(Exception):  # noqa: N818 - not an error: it was asked for
    """The runs were stopped by `Progress.cancel`."""

@final
class Scenario:
    """A checked scenario with every default filled in. Never changes."""

    @property
    def name(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def duration_s(self) -> float: ...
    @property
    def node_count(self) -> int: ...
    @property
    def flow_count(self) -> int: ...
    def to_toml(self) -> str:
        """The scenario as a file that `load` reads back, every default written out."""

    def in_one_folder(self, beside: str = "") -> tuple[str, list[tuple[str, str]]]:
        """The same, and the files that it names, as they are to be called: names and texts.

        The text finds them in the folder `beside`: empty, or a path that ends with a slash.
        """

    def as_given(self) -> tuple[str, list[tuple[str, str]]]:
        """As `in_one_folder`, but without defaults: what the file and overrides say.

        Defaults may depend on other keys: only in this text do keys that are set have the effect
        that they have in the file.
        """

    def idle_parameters(self) -> list[tuple[str, str]]:
        """Parameters that nobody in the scenario reads.

        Name, and a line that says where it stands and whose it is.
        """

    def unit_slips(self) -> list[tuple[str, str]]:
        """Numbers that are allowed, but look like those of another unit.

        Name, and a line that says where it stands and what to write if the other unit is meant.
        """

    @property
    def has_medium(self) -> bool:
        """Whether nodes share a medium; if not, links join them."""

    def records(self) -> str | None:
        """The texts of the records of links, as one text, if the scenario names any."""

    def movement(self) -> str | None:
        """The text of its movement file, if it names one."""

    def names(self) -> list[str]:
        """What each node is called in its movement file; empty if nodes have no names."""

    def __reduce__(self) -> tuple[object, tuple[str, str, str | None]]: ...
    def attach_json(self) -> str:
        """The list `[[attach]]`, each with the name of its namespace."""

    def output_json(self) -> str:
        """The `[output]` table, every default filled in, as JSON."""

    def with_seed(self, seed: int) -> Scenario:
        """The same with another seed."""

    def positions(self, at_s: float, seed: int | None = None) -> list[tuple[float, float]]:
        """Where each node is at a time of the run: x and y, metres.

        With the scenario's own seed, or another. Raises `ValueError` for a time outside the run,
        `ScenarioError` where the seed leaves a flow without a way.
        """

    def tracks(
        self, times_s: Sequence[float], seed: int | None = None
    ) -> list[list[tuple[float, float]]]:
        """As `positions`, at several times."""

    def up(self, times_s: Sequence[float], seed: int | None = None) -> list[list[bool]]:
        """At each of these times, whether each node is up. Raises as `positions`."""

    def reached(self, times_s: Sequence[float], seed: int | None = None) -> list[list[list[int]]]:
        """At each of these times, whom each node reaches: who can receive its frames.

        By the scenario's propagation and obstacles, chance from frame to frame aside; where links
        join nodes, to whom one leads. Raises as `positions`.
        """

    def hops(self, times_s: Sequence[float], seed: int | None = None) -> list[bytes]:
        """At each of these times the length of the shortest path from each node to each, hops.

        A matrix of i32, little-endian, row by row; -1 where there is no path. Raises as
        `positions`.
        """

    def network_json(
        self, parts: int, times_s: Sequence[float] | None = None, seed: int | None = None
    ) -> str:
        """The nodes at the start, the end and between equal parts of the run, or at `times_s`.

        JSON: all fields of `hopwright.results.network.Network` but `links`.
        """

    def interference_json(self, at_s: float, seed: int | None = None) -> str:
        """Whose frames could be received at once, `at_s` seconds after the start, as JSON.

        `hears`: by node, whom it notices; `links`, `flows`, see `hopwright.topology.capacity`;
        `varies`: the key of the scenario that leaves to chance what is received, or null.
        """
    def topology_json(self, step_s: float, seed: int | None = None) -> str:
        """The network over time, looked at every `step_s` seconds, as JSON.

        Objects of columns: `snapshots`, `pairs`, `contacts`; `hops`, see `hopwright._cli.topology`.
        """

    def coefficients(self) -> str | None:
        """The text of its coefficient file, if it names one."""

    def movement_as(self, form: str, seed: int | None = None) -> str:
        """The nodes' ways as a movement file of another program: `ns2` or `bonnmotion`."""

@final
class Progress:
    """How far a call of `run` has come. Shared between threads."""

    def __init__(self) -> None: ...
    def fraction(self) -> float:
        """The simulated part of all runs, 0 to 1."""

    def cancel(self) -> None:
        """Makes `run` raise `Cancelled` soon."""

@final
class RunResult:
    """What one run measured."""

    @property
    def seed(self) -> int: ...
    @property
    def unwritten(self) -> list[str]:
        """Of what was to be recorded, the files that are missing: name and reason."""

    def summary_json(self) -> str:
        """One element of the summary's `results`."""

    def hops_json(self) -> str | None:
        """The per-hop report, with `per_hop` only: `links`, `nodes` and `flows`."""

    def series(self, flow: int) -> dict[str, bytes]:
        """What figures show of a flow: columns of f64, little-endian, all of one length.

        There is `time_s`, and NaN where nothing is known. Empty if it was not kept.
        """

    def changes(self, flow: int) -> list[tuple[float, str]]:
        """What the triggers of a flow did, with `figures` only: seconds, and what of it.

        The trigger's number, with `back` or `refused` where it was that, as in `series.parquet`.
        """

    def links(self, flow: int) -> list[tuple[int, int, int]]:
        """The links that a flow's packets came over, with `figures` only: from, to, packets.

        Counted over the whole run, in the direction of the data (a connection's first and last
        segments too), where the router at the link's end got a packet. Copies that its station
        recognised are not counted. In the order of from and to.
        """

    def queues(self, most: int) -> dict[int, tuple[bytes, bytes]]:
        """What figures show of the longest queues, at most so many: by node, times and packets."""

def check_link(path: str | PathLike[str]) -> None:
    """Reads a link file. Raises `ScenarioError` for what is wrong with it."""

@final
class ShaperWatch:
    """How `Shaper.run` is watched, told things and stopped, from other threads."""

    def __new__(cls) -> Self: ...
    def stop(self) -> None:
        """Makes `Shaper.run` return soon."""

    def say(self, line: str) -> str:
        """Does what a line of JSON says; returns the answer, a line of JSON."""

@final
class Shaper:
    """Two network namespaces, and a shaped link between their devices.

    Raises `ScenarioError` for the link file, `OSError` where privileges or devices are lacking.
    """

    def __new__(
        cls,
        path: str | PathLike[str],
        seed: int,
        *,
        proc: str | PathLike[str],
        offload: bool,
        mtu: int,
    ) -> Self: ...
    def namespaces(self) -> list[tuple[int, int]]:
        """The descriptors of both namespaces, and the threads that keep them: near, far."""

    def run(self, watch: ShaperWatch, *, realtime: bool = False) -> str:
        """Carries packets until `watch` is told to stop; returns what it did, as JSON.

        A thread that goes before all others (`realtime`) leaves them a tenth of the processor.
        """

@final
class UdpRelay:
    """A relay of datagrams over a shaped link; it listens at an address, and sends to another one.

    Raises `ScenarioError` for the link file, and `ValueError` for an address, which begins with
    "listen: " or "to: ".
    """

    def __new__(cls, path: str | PathLike[str], listen: str, to: str) -> Self: ...
    def address(self) -> str:
        """Where it listens."""

    def run(
        self,
        watch: ShaperWatch,
        *,
        seed: int,
        clients: int,
        idle_s: float,
        realtime: bool = False,
    ) -> str:
        """Carries datagrams until `watch` is told to stop, once; returns what it did, as JSON.

        So many clients are remembered, each until he has been silent for `idle_s`. A thread that
        goes before all others (`realtime`) leaves them a tenth of the processor.
        """

@final
class EmulationWatch:
    """How `Emulation.run` is watched, told things and stopped, from other threads."""

    def __new__(cls) -> Self: ...
    def stop(self) -> None:
        """Makes `Emulation.run` return soon."""

    def status_json(self) -> str:
        """How things stood a moment ago."""

    def say(self, line: str) -> str:
        """Does what a line of JSON says; returns the answer, a line of JSON."""

@final
class Emulation:
    """A simulated network with a network namespace for each attached node.

    `attached`: node, name of the device, longest packet, "ip" or "ethernet", length of the
    address's prefix. `proc` is where threads are numbered as
    they are said. With a folder, it writes there what
    `[output]` asks for, and `inputs.pcapng`. Raises `OSError` where privileges or devices are
    lacking, `ValueError` where a device cannot be had anywhere.
    """

    def __new__(
        cls,
        scenario: Scenario,
        seed: int,
        attached: list[tuple[int, str, int, str, int]],
        *,
        proc: str | PathLike[str],
        folder: str | PathLike[str] | None = None,
        figures: bool = False,
    ) -> Self: ...
    def namespaces(self) -> list[tuple[int, int, int]]:
        """Of each node: its number, the descriptor of its namespace, the thread that keeps it."""

    def run(self, watch: EmulationWatch, *, realtime: bool = False) -> None:
        """Runs at the clock's pace until the scenario ends or `watch` is told to stop.

        A thread that goes before all others (`realtime`) leaves them a tenth of the processor.
        """

    def finish(self) -> tuple[RunResult, str]:
        """Ends it: what was measured, and what is said of the emulation, as JSON."""

    def close(self) -> None:
        """Ends it without results."""

def replay(
    scenario: Scenario,
    seed: int,
    inputs: str | PathLike[str],
    *,
    folder: str | PathLike[str] | None = None,
    figures: bool = False,
) -> tuple[RunResult, str, str]:
    """An emulation again: what was measured, what is said of it, where it differs, both as JSON.

    Raises `ValueError` for a recording that is none, is cut short, or does not fit the scenario.
    """

@final
class Stepped:
    """A run that is taken in steps. With a folder, it writes there what `[output]` asks for.

    Whatever is asked of it raises `ValueError` once it is over, and `IndexError` where there is no
    such flow or node.
    """

    def __new__(
        cls,
        scenario: Scenario,
        seed: int,
        *,
        folder: str | PathLike[str] | None = None,
        figures: bool = False,
    ) -> Self: ...
    @property
    def now_ns(self) -> int: ...
    @property
    def end_ns(self) -> int: ...
    def advance(self, to_ns: int, most_events: int) -> bool:
        """Goes on to a time, in at most so many events; returns whether it is there."""

    def swap(self, flow: int, parts: list[tuple[str, str]]) -> list[str]:
        """Puts mechanisms into slots, all or none; returns those that were there."""

    def flow_ends(self) -> list[tuple[int, int]]:
        """The sending and the receiving node of each flow."""

    def flow(self, flow: int) -> dict[str, Any]:
        """How a flow stands; what is about TCP is absent over UDP."""

    def node(self, node: int) -> dict[str, Any]:
        """How a node stands."""

    def route(self, node: int, destination: int) -> tuple[int, int | None] | None:
        """The route in use: next hop, and hops where the protocol knows them."""

    def finish(self) -> RunResult:
        """What was measured; what is left of the run happens first."""

    def close(self) -> None:
        """Ends the run without results."""

def load(path: str, overrides: list[tuple[str, str]]) -> Scenario:
    """Reads a scenario file and sets keys in it; a value is TOML, a bare word a string."""

def parse(
    text: str, name: str, overrides: list[tuple[str, str]], *, folder: str | PathLike[str] = ...
) -> Scenario:
    """As `load`, for a text.

    `name` stands for the file in messages; paths in the text are relative to `folder`.
    """

def restore(
    text: str,
    name: str,
    movement: str | None,
    coefficients: str | None,
    records: str | None = None,
) -> Scenario:
    """A scenario from what pickling wrote: its text and those of the files that it names."""

def measure_energy(
    protocol: str, *, cycles: int, repeat: int, samples: int, child: Sequence[str]
) -> str:
    """Measures a protocol's functions: JSON.

    `child`: a command that calls `be_counted` with the same protocol, cycles and samples.
    """

def measure_power(
    folder: str | PathLike[str], protocols: Sequence[str], *, cycles: int, span_s: float
) -> str:
    """What the processor takes for the work of protocols, by its RAPL counters: JSON.

    Raises `RunError` with the reason where it cannot be known.
    """

def be_counted(protocol: str, cycles: int, samples: int) -> None:
    """Lets the parent process count this one's instructions: see `measure_energy`."""

def run(
    scenario: Scenario,
    seeds: list[int],
    jobs: int,
    progress: Progress,
    *,
    folders: Sequence[PathLike[str]] | None = None,
    figures: bool = False,
    per_hop: bool = False,
) -> list[RunResult]:
    """Runs the scenario once per seed, `jobs` at a time; results come in the order of `seeds`.

    The interpreter lock is released meanwhile. With `folders`, one per seed, each run writes there
    what `[output]` asks for: what cannot be written is left out, see `RunResult.unwritten`. With
    `figures`, the first seed's run keeps what figures show; with `per_hop`, each run has its
    per-hop report.
    """

def read_file(path: str | PathLike[str], most: int) -> bytes:
    """The content of a regular file of up to `most` bytes.

    Raises `OSError` if it cannot be read, `ValueError` if it is no regular file, or larger.
    """

def exchange(one: str | PathLike[str], other: str | PathLike[str]) -> None:
    """Has two files or folders change places, in one step. Raises `OSError` if they cannot."""

def links(
    positions: Sequence[tuple[float, float]], range_m: float, down: set[int] = ...
) -> list[tuple[int, int]]:
    """The pairs of nodes in range of each other, the lower one first, in order.

    Whoever is `down` is in none.
    """

def hop_counts(
    positions: Sequence[tuple[float, float]], range_m: float, down: set[int] = ...
) -> tuple[list[int], int]:
    """How many pairs of nodes are n + 1 hops apart at least, and how many no path joins."""

def parameters_json() -> str:
    """Every transport parameter, as JSON: `name`, `unit`, `default`, `about`, `used_by`."""

def protocols_json() -> str:
    """Every transport protocol, as JSON: `id`, `source`, slots, settings, parameters."""

def slots_json() -> str:
    """Every slot, as JSON: `slot`, what it `decides`, its `mechanisms`."""

def results_schema_json() -> str:
    """The JSON schema of a summary, draft 2020-12."""

def words_json() -> str:
    """What sentences say of causes, by what is said of: `drops`, `losses`, `tries`, ..."""

def schema_json() -> str:
    """The JSON schema of the scenario file, draft 2020-12."""

def build() -> str:
    """Twelve digits for the simulator's sources: where they are equal, so are results."""

def version() -> str: ...

@final
class ConnectionTrace:
    """What is known of a connection: its round-trip times, and what was sent meanwhile."""

    @property
    def kind(self) -> str:
        """What recorded it: csv, ns2-variables, ns2-packets, pcap or result."""

    @property
    def connection(self) -> str:
        """Its ends, in the words of its source; empty where that has none."""

    @property
    def knows_bytes(self) -> bool: ...
    @property
    def knows_losses(self) -> tuple[bool, bool]:
        """Whether it tells what was sent again, and what was dropped."""

    def samples(self) -> dict[str, bytes]:
        """Columns of f64, little-endian: `time_s` (and the last one's end), `rtt_s`, `bytes`.

        And `again_bytes`: of these, what had been sent before.
        """

    def reduce(
        self,
        *,
        mode: str,
        pipes: int,
        reduction: str,
        averaging: str,
        lost: str,
        lifetime_s: float | None,
        rate: bool,
        about: Sequence[str],
    ) -> tuple[str, str]:
        """Pipes that stand for it: JSON of both reductions, and the profile of the chosen one.

        The profile is the text of a link, TOML; `about` are its comments. Raises `ValueError` if
        the trace does not tell what is asked for.
        """

def read_connection(
    content: bytes,
    *,
    kind: str | None = None,
    flow: str | None = None,
    tick_s: float | None = None,
    segment_bytes: int | None = None,
    dropped: bytes | None = None,
) -> ConnectionTrace:
    """Reads a connection from a file's content. `dropped`: ns-2's trace of packets of the same run.

    Raises `ValueError` for what is wrong with it, with the line or packet; with `"dropped"` as the
    first of two arguments if it is that other file. `KeyError` if no kind is known.
    """

def counted_connection(
    connection: str,
    *,
    time_s: bytes,
    rtt_s: bytes,
    new_bytes: bytes,
    again_bytes: bytes,
    dropped: tuple[bytes, bytes] | None = None,
) -> ConnectionTrace:
    """A connection from counters over time: columns of f64, little-endian. Raises `ValueError`."""

@final
class HostWatch:
    """Stops a host and says how far it is; shared with the thread that runs it."""

    def __init__(self) -> None: ...
    def stop(self) -> None:
        """Makes the host stop soon."""

    def is_ready(self) -> bool:
        """Whether the device is up."""

    def bytes(self) -> tuple[int, int]:
        """Application bytes so far: sent and acknowledged, received."""

@final
class Host:
    """A host behind a TUN device: the device is there, and what is to be sent is open."""

    def __new__(cls, options: Mapping[str, object]) -> Self:
        """`options` are the fields of `hopwright._cli.host.HostOptions`.

        Raises `ValueError` if they make no sense, `RunError` if something cannot be had.
        """

    def give_up_privileges(self) -> None:
        """Gives up every privilege of this thread and of those that it will start, for ever."""

    def run(self, watch: HostWatch) -> str:
        """Runs until the task is done; returns the summary as JSON. Once.

        Raises `ValueError` if what comes cannot be written, `RunError` if the task failed.
        """

@final
class Namespace:
    """A network namespace whose only way out is a TUN device, or a TAP device with a MAC address.

    It has the device with its address and routes, and `lo`. It is there until `close`.
    """

    def __new__(
        cls,
        device: str,
        address: str,
        *,
        mtu: int = 1500,
        offload: bool = False,
        mac: Sequence[int] | None = None,
        routes: Sequence[str] = ...,
        proc: str | PathLike[str] = ...,
    ) -> Self:
        """Raises `ValueError` if an argument makes no sense, `RunError` if something is lacking.

        `address` is with its prefix, 10.0.0.1/24; so are `routes`, such as 224.0.0.0/4.
        `proc` is where `thread_id` is looked up: another /proc where others are to find it.
        """

    def descriptor(self) -> int:
        """What commands enter it by; closed with it."""

    def device_descriptor(self) -> int:
        """Gives and takes packets, without blocking; with offload, a header of 10 bytes first."""

    def thread_id(self) -> int:
        """A thread that is in it, for `nsenter --net=/proc/ID/ns/net`."""

    def close(self) -> None:
        """Takes it down with its device."""

def unshare(kinds: Sequence[str]) -> None:
    """Moves this thread into new namespaces: user, mount, pid, network, ipc. Raises `OSError`."""

def enter_network(file: str | PathLike[str]) -> None:
    """Moves this thread into a network namespace, by a file of it. Raises `OSError`."""

def die_with_parent() -> None:
    """Has this process killed when the thread that started it ends."""

def execute_unprivileged() -> None:
    """Gives up every privilege of this thread and of what it executes, for ever.

    Raises `RunError`.
    """

def keep_network_privileges() -> None:
    """Leaves to a program executed by root privileges over networks alone. Raises `RunError`."""

def make_mounts_private() -> None:
    """What is mounted from now on shows in this mount namespace only. Raises `OSError`."""

def lock_memory() -> None:
    """Keeps in memory what this process has there and will touch of it. Raises `OSError`."""

def mount_new(kind: str, target: str | PathLike[str]) -> None:
    """Mounts a new file system: proc, tmpfs. Raises `OSError`."""

def mount_over(source: str | PathLike[str], target: str | PathLike[str]) -> None:
    """Lays a file or folder over another. Raises `OSError`."""

def unmount(target: str | PathLike[str]) -> None:
    """Takes a mount from its place. Raises `OSError`."""
