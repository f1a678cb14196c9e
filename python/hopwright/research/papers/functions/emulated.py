"""Numbers of `[[emulations]]` (docs/papers-keys.md): how similar an emulation is to its trace.

The *trace* is the simulated connection of the run's first flow. In an emulation, a link follows a
profile of this trace, and a driver sends data over the link. `emulation` is the `id` of an
emulation in the paper's file. The *functions of a sender* are slow start, congestion avoidance,
recovery and timers. A number that needs `compute` exists only if the emulation has
`compute = true`. Joules are CPU time, times the power in the coefficient file of the scenario
(docs/energy-computation.md).
"""

from typing import Literal

from hopwright.research.papers.emulated import number_of
from hopwright.research.papers.run import Run

Part = Literal["slow_start", "congestion_avoidance", "recovery", "timers"]
"""A function of a sender."""


def _told(run: Run, emulation: str, what: str, of: Part | None = None) -> float:
    return number_of(run.emulation(emulation), what if of is None else f"{what}.{of}")


def emulated_trace_kbps(run: Run, emulation: str) -> float:
    """Throughput of the trace: new data sent, divided by the duration of the trace."""
    return _told(run, emulation, "trace_kbps")


def emulated_trace_rtts(run: Run, emulation: str) -> float:
    """Number of round-trip times in the trace."""
    return _told(run, emulation, "trace_rtts")


def emulated_trace_loss_percent(run: Run, emulation: str) -> float:
    """Share of retransmitted bytes in all sent bytes of the trace."""
    return _told(run, emulation, "trace_loss_percent")


def emulated_kbps(run: Run, emulation: str) -> float:
    """Throughput: new data sent until the end of the trace, divided by the time until then."""
    return _told(run, emulation, "kbps")


def emulated_loss_percent(run: Run, emulation: str) -> float:
    """Share of retransmitted bytes in all sent bytes."""
    return _told(run, emulation, "loss_percent")


def emulated_gap_ms(run: Run, emulation: str) -> float:
    """Mean absolute difference between the round-trip times in the emulation and in the trace.

    They are compared at the time when the segment left.
    """
    return _told(run, emulation, "gap_ms")


def emulated_gap_median_ms(run: Run, emulation: str) -> float:
    """Median absolute difference between the round-trip times in the emulation and in the trace.

    They are compared at the time when the segment left.
    """
    return _told(run, emulation, "gap_median_ms")


def emulated_near_percent(run: Run, emulation: str) -> float:
    """Share of the round-trip times that differ by at most 2 ms from those in the trace."""
    return _told(run, emulation, "near_percent")


def emulated_gap_applied_ms(run: Run, emulation: str) -> float:
    """`emulated_gap_ms`, with the delays of data packets in place of round-trip times.

    The delay of a packet is the time from the capture at the sender to the capture at the receiver.
    """
    return _told(run, emulation, "gap_applied_ms")


def emulated_correlation(run: Run, emulation: str) -> float:
    """Correlation between the data sent in the emulation and in the trace, in windows of 20 s.

    Retransmissions do not count. The windows stop when the emulation or the trace ends.
    """
    return _told(run, emulation, "correlation")


def emulated_points(run: Run, emulation: str) -> float:
    """How much the distributions of round-trip times differ between the emulation and the trace.

    The round-trip times of the trace are divided into ten classes. Each class has about a tenth of
    the trace's bytes. In the emulation, a class can have another share of the bytes. The result is
    the largest difference between the two shares of a class, in percentage points. The round-trip
    times of the emulation are those that the sender measured.
    """
    return _told(run, emulation, "points")


def emulated_points_later(run: Run, emulation: str) -> float:
    """`emulated_points` for bytes that were sent after the end of the trace."""
    return _told(run, emulation, "points_later")


def emulated_points_applied(run: Run, emulation: str) -> float:
    """`emulated_points`, with the delays of data packets in place of round-trip times.

    The delays are those of `emulated_gap_applied_ms`, minus the median lateness of the link.
    """
    return _told(run, emulation, "points_applied")


def emulated_loss_points(run: Run, emulation: str) -> float:
    """Largest difference between the loss ratios of a class in the emulation and in the trace.

    The classes are those of `emulated_points`. The result is in percentage points.
    """
    return _told(run, emulation, "loss_points")


def emulated_loss_applied_percent(run: Run, emulation: str) -> float:
    """Share of the bytes that are missing in the capture of the receiver."""
    return _told(run, emulation, "loss_applied_percent")


def emulated_lifetime_ms(run: Run, emulation: str) -> float:
    """Mean absolute difference between a pipe's lifetime in the emulation and in the profile.

    Only for the driver `datagrams`. In the emulation, the lifetime of a pipe begins with the first
    datagram that has the delay of this pipe. It ends with the first datagram that has the delay of
    the next pipe.
    """
    return _told(run, emulation, "lifetime_ms")


def emulated_lifetimes_seen_percent(run: Run, emulation: str) -> float:
    """Share of the pipes whose lifetime in the emulation is known."""
    return _told(run, emulation, "lifetimes_seen_percent")


def emulated_late_p99_us(run: Run, emulation: str) -> float:
    """How late the link sent packets: 99 of 100 packets were at most this late."""
    return _told(run, emulation, "late_p99_us")


def emulated_megabytes(run: Run, emulation: str) -> float:
    """New data sent, without retransmissions, in megabytes."""
    return _told(run, emulation, "megabytes")


def emulated_lasted_s(run: Run, emulation: str) -> float:
    """Seconds from the beginning of the profile to the end of the connection."""
    return _told(run, emulation, "lasted_s")


def emulated_compute_j(run: Run, emulation: str) -> float:
    """Joules for the computation of the sender; needs `compute`."""
    return _told(run, emulation, "compute_j")


def emulated_sent_bytes(run: Run, emulation: str, of: Part | None = None) -> float:
    """Bytes that the sender sent, in all its functions or in the function `of`; needs `compute`."""
    return _told(run, emulation, "sent_bytes", of)


def emulated_compute_j_per_byte(run: Run, emulation: str, of: Part | None = None) -> float:
    """Joules for each byte sent, in all functions or in the function `of`; needs `compute`.

    0 if no byte was sent.
    """
    return _told(run, emulation, "compute_j_per_byte", of)


def emulated_work_events(run: Run, emulation: str, of: Part | None = None) -> float:
    """Events of the sender, in all functions or in the function `of`; needs `compute`."""
    return _told(run, emulation, "work_events", of)


def emulated_interrupted_percent(run: Run, emulation: str) -> float:
    """Share of the events that took 131 µs or more without a break; needs `compute`.

    During such an event, the sender probably lost the processor for some time. The numbers of
    joules and of events do not include such events. The numbers of bytes include the bytes that
    such events sent.
    """
    return _told(run, emulation, "interrupted_percent")


def emulated_work_j(run: Run, emulation: str, of: Part) -> float:
    """Joules for one function of the sender; needs `compute`."""
    return _told(run, emulation, "work_j", of)


def emulated_phase_time_s(run: Run, emulation: str, of: Part) -> float:
    """Time that the sender spent in one function; needs `compute`."""
    return _told(run, emulation, "phase_time_s", of)


def emulated_compute_w(run: Run, emulation: str, of: Part) -> float:
    """Joules for each second of one function; needs `compute`.

    0 if the sender was never in this function.
    """
    return _told(run, emulation, "compute_w", of)
