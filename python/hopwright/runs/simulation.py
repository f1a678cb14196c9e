"""A run that is taken step by step, looked at and changed on its way."""

import math
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

from hopwright import _core
from hopwright._io.errors import StarvationWarning, how_many
from hopwright._io.in_python import in_python
from hopwright._io.keywords import hinting
from hopwright._io.progress import watched
from hopwright._io.warn import doubts, to_caller
from hopwright._run.execute import LARGEST_SEED, result_of, tell_missing
from hopwright.results.summary import summarise
from hopwright.runs.run import checked_scenario

if TYPE_CHECKING:
    from hopwright.runs.results import Results
    from hopwright.scenario import Scenario

EVENTS = 50_000
"""Events between two looks at the keyboard, and at who watches: some hundredths of a second."""

NS = 1e9

Phase = Literal["slow_start", "congestion_avoidance", "recovery", "rto", "frozen"]


@dataclass(frozen=True, kw_only=True, slots=True)
class TcpState:
    """How the sender of a flow over TCP stands."""

    acked_bytes: int
    """Application bytes acknowledged, each once."""
    retransmissions: int
    """Data segments sent again."""
    rto_count: int
    """Expiries of the retransmission timer."""
    cwnd_segments: float
    """Congestion window."""
    ssthresh_segments: float
    """Slow-start threshold; infinite until the first loss."""
    in_flight_segments: float
    """Sent and not yet acknowledged."""
    srtt_s: float | None
    """Smoothed round-trip time; None before the first measurement."""
    rto_s: float
    """The time-out that its timer is armed with."""
    phase: Phase
    """What it is doing, as `phase_time_s` of results names it."""
    mechanisms: Mapping[str, str]
    """The mechanism in each slot."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FlowState:
    """How a flow stands."""

    number: int
    """Its place in the scenario, from 0."""
    from_: int
    """The sending node."""
    to: int
    """The receiving node."""
    sent: int
    """Data segments or datagrams sent, first ones and retransmissions."""
    received_bytes: int
    """Bytes handed to the receiving application."""
    tcp: TcpState | None
    """Its sender's connection; None where it is not over TCP: of UDP, NCTP and ATP."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeState:
    """How a node stands."""

    number: int
    """Its number, from 0."""
    x_m: float
    """Where it is, to the right."""
    y_m: float
    """Where it is, upwards."""
    is_up: bool
    """Whether it is up."""
    queue_packets: int
    """Packets in its interface queue."""
    held_packets: int
    """Packets on their way that wait in it: for a route, an address, their turn in the queue, or
    the end of their transmission. What its transports keep besides, such as bundles of NCTP, does
    not count."""
    contention_window_slots: int | None
    """Its station's contention window, as of when the station last acted; `None` where stations do
    not contend."""
    control_packets: int
    """Routing messages it has sent or forwarded."""
    route_breaks: int
    """Neighbours it has taken for lost."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """A route in use."""

    next_hop: int
    """The neighbour that packets go to."""
    hops: int | None
    """Its length; None where the routing protocol does not know it."""


@in_python
class Simulation:
    """One run of a scenario, in steps.

    >>> import hopwright as hw
    >>> with hw.Simulation("scenarios/chain.toml") as simulation:
    ...     simulation.advance(5)
    ...     simulation.swap(0, {"avoidance": "vegas"})
    ...     results = simulation.results()

    When everything due up to and including a time has happened, the run stands there: then it can
    be looked at, which changes nothing, and mechanisms can be swapped, which takes effect at once.
    What is done at the same times gives the same results, whatever the steps in between.

    Swaps are not part of the scenario: a run that is made again from it, or from the
    `scenario.toml` in its folder, is without them.
    """

    @hinting(called="Simulation")
    def __init__(
        self,
        scenario: "Scenario | _core.Scenario | str | os.PathLike[str]",
        seed: int | None = None,
        *,
        series: bool = False,
        out: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
        progress: bool = False,
    ) -> None:
        """Builds the network; nothing has happened yet.

        Args:
            scenario: A scenario, or the path of its file.
            seed: The run's seed; the scenario's, if nothing is said.
            series: Whether to keep what happens over time, for `Results.series`.
            out: A folder for everything that `hopwright run --out` writes. It is there when
                `results` has returned.
            overwrite: Whether earlier results in that folder may be replaced.
            progress: Whether steps show a bar: on a terminal or in a notebook; lines elsewhere.

        Warns:
            HopwrightWarning: A parameter has no effect, or a number looks like one in another unit.

        Raises:
            ScenarioError: Something is wrong with the scenario.
            InputError: The folder cannot be written, or has other files in it.
        """
        checked = checked_scenario(scenario)
        if seed is not None:
            if not 0 <= seed <= LARGEST_SEED:
                raise ValueError(f"seed: must be from 0 to {LARGEST_SEED}")
            checked = checked.with_seed(seed)
        for line in doubts(checked):
            to_caller(line)
        self.scenario = checked
        self._out = None if out is None else Path(out)
        self._progress = progress
        self._results: Results | None = None
        self._stack = ExitStack()
        self._place: Path | None = None
        try:
            self._place = self._folder(series=series, overwrite=overwrite)
            self._run = _core.Stepped(
                checked, checked.seed, folder=self._place, figures=bool(self._panels())
            )
        except BaseException as error:
            self._discard(error)
            raise
        self._ends: list[tuple[int, int]] = []

    def _folder(self, *, series: bool, overwrite: bool) -> Path | None:
        """Where the run writes, if it writes anything."""
        if self._out is not None:
            from hopwright._io.out import check_folder, new_folder

            check_folder(self._out, overwrite=overwrite)
            return self._stack.enter_context(new_folder(self._out, overwrite=overwrite))
        if not series:
            return None
        return Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="hopwright-")))

    def _panels(self) -> Sequence[str]:
        from hopwright._run.recorded import panels_of

        return panels_of(self.scenario) if self._out is not None else ()

    @property
    def seed(self) -> int:
        """The run's seed."""
        return self.scenario.seed

    @property
    def now_s(self) -> float:
        """Everything due up to this simulated time has happened."""
        return self._run.now_ns / NS

    @property
    def end_s(self) -> float:
        """The simulated time at which the run ends."""
        return self._run.end_ns / NS

    def advance(self, to_s: float) -> None:
        """Lets everything happen that is due up to and including a time.

        An interrupt (Ctrl-C) stops in the middle; the run can go on afterwards.

        Args:
            to_s: Seconds of simulated time, from now to the end of the run.

        Raises:
            ValueError: The time has passed, or lies beyond the end.
            RunError: The run failed, which is a fault of the program.
        """
        if not -math.inf < to_s < math.inf:
            raise ValueError(f"to_s: must be a number of seconds, not {to_s}")
        # What is far beyond either end may be too large for a number of nanoseconds.
        to_ns = round(max(-1.0, min(to_s, self.end_s + 1.0)) * NS)
        now_ns, end_ns = self._run.now_ns, self._run.end_ns
        if to_ns < now_ns:
            raise ValueError(f"cannot go back to {to_s} s: it is {now_ns / NS} s")
        if to_ns > end_ns:
            raise ValueError(f"cannot go to {to_s} s: the run ends at {end_ns / NS} s")
        self._advance(to_ns)

    def _advance(self, to_ns: int) -> None:
        if self._run.advance(to_ns, EVENTS):
            return
        end_ns = self._run.end_ns
        with watched(self.scenario.name, None, progress=self._progress) as tell:
            while not self._run.advance(to_ns, EVENTS):
                tell(self._run.now_ns / end_ns, 1)
            tell(to_ns / end_ns, 1)

    def swap(self, flow: int, mechanisms: Mapping[str, str]) -> dict[str, str]:
        """Puts other mechanisms into slots of a flow over TCP, at both of its ends: all or none.

        `hopwright protocols --slots` lists slots and mechanisms. A mechanism takes over from what
        its connection knows; its parameters are the flow's.

        Args:
            flow: The flow's place in the scenario, from 0.
            mechanisms: Slots, and what is to fill them: `{"avoidance": "vegas"}`.

        Returns:
            What was in these slots.

        Raises:
            IndexError: There is no such flow.
            ValueError: There is no such slot or mechanism, the flow is not over TCP, or a mechanism
                cannot work here; it says why. Then nothing has changed.
        """
        _check(flow, self.scenario.flow_count, "flow")
        return dict(zip(mechanisms, self._run.swap(flow, list(mechanisms.items())), strict=True))

    @property
    def flows(self) -> tuple[FlowState, ...]:
        """How each flow stands, in the scenario's order."""
        return tuple(self._flow(number, ends) for number, ends in enumerate(self._flow_ends()))

    def _flow(self, number: int, ends: tuple[int, int]) -> FlowState:
        state = self._run.flow(number)
        sent, received_bytes = state.pop("sent"), state.pop("received_bytes")
        mechanisms = dict(state.pop("mechanisms"))
        return FlowState(
            number=number,
            from_=ends[0],
            to=ends[1],
            sent=sent,
            received_bytes=received_bytes,
            tcp=TcpState(mechanisms=mechanisms, **state) if state else None,
        )

    def _flow_ends(self) -> list[tuple[int, int]]:
        if not self._ends:
            self._ends = self._run.flow_ends()
        return self._ends

    @property
    def nodes(self) -> tuple[NodeState, ...]:
        """How each node stands."""
        numbers = range(self.scenario.node_count)
        return tuple(NodeState(number=number, **self._run.node(number)) for number in numbers)

    def route(self, from_: int, to: int) -> Route | None:
        """The route that packets take now from a node to another, if one is in use.

        Raises:
            IndexError: There is no such node.
        """
        for node in (from_, to):
            _check(node, self.scenario.node_count, "node")
        found = self._run.route(from_, to)
        return found and Route(next_hop=found[0], hops=found[1])

    def results(self) -> "Results":
        """Lets happen what is left of the run, and returns what `hopwright.run` returns.

        With that the run is over: it cannot be looked at any more.

        Warns:
            StarvationWarning: A flow gets next to nothing beside the others.

        Raises:
            ValueError: The simulation was closed.
            InputError: The folder cannot be written.
            RunError: The run failed, which is a fault of the program.
        """
        if self._results is None:
            self._advance(self._run.end_ns)
            self._results = self._finish()
            if (starved := self._results.starvation) is not None:
                to_caller(starved.said(), StarvationWarning)
        return self._results

    def _finish(self) -> "Results":
        from hopwright._io.parquet import read_table
        from hopwright._run.recorded import leave
        from hopwright.results.places import SERIES
        from hopwright.runs.results import Results

        try:
            finished = self._run.finish()
            tell_missing([finished], to_caller)
            if self._out is not None and self._place is not None:
                summary = leave(
                    self._place, self.scenario, [finished], self._panels(), warn=to_caller
                )
                results = Results(self.scenario, summary, folder=self._out)
            else:
                summary = summarise(self.scenario, [result_of(finished)])
                file = self._place and self._place / SERIES
                series = {self.seed: read_table(file)} if file and file.exists() else None
                results = Results(self.scenario, summary, series=series)
        except BaseException as error:
            self._discard(error)
            raise
        self._stack.close()
        return results

    def close(self) -> None:
        """Ends the run; without `results` before, nothing is left of it."""
        if self._results is None:
            self._run.close()
            self._discard(_ClosedError())

    def _discard(self, error: BaseException) -> None:
        self._stack.__exit__(type(error), error, error.__traceback__)

    def __enter__(self) -> Self:
        """The simulation, which is closed at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        """Says how far it is."""
        about = f"Simulation of {self.scenario.name!r}, seed {self.seed}"
        try:
            return f"<{about}: {self.now_s:g} s of {self.end_s:g} s>"
        except ValueError:
            return f"<{about}: over>"


def _check(number: int, count: int, what: str) -> None:
    if not 0 <= number < count:
        raise IndexError(f"there is no {what} {number}: {how_many(count, what)}")


class _ClosedError(Exception):
    """Results are not wanted."""
