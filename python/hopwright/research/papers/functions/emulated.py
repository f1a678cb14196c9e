"""Of `[[emulations]]`: how near a connection over a link is to the trace that the link follows.

`emulation` is an id of the file's. Joules are CPU time at the power of the scenario's coefficients
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
    """Throughput of the trace: what was sent for the first time, over its time."""
    return _told(run, emulation, "trace_kbps")


def emulated_trace_rtts(run: Run, emulation: str) -> float:
    """Round-trip times in the trace."""
    return _told(run, emulation, "trace_rtts")


def emulated_trace_loss_percent(run: Run, emulation: str) -> float:
    """Bytes of the trace sent again, of all that were sent."""
    return _told(run, emulation, "trace_loss_percent")


def emulated_kbps(run: Run, emulation: str) -> float:
    """Throughput: what was sent for the first time up to the trace's end, over its time."""
    return _told(run, emulation, "kbps")


def emulated_loss_percent(run: Run, emulation: str) -> float:
    """Bytes sent again, of all that were sent."""
    return _told(run, emulation, "loss_percent")


def emulated_gap_ms(run: Run, emulation: str) -> float:
    """How far round-trip times are from the trace's when the segment left: the mean."""
    return _told(run, emulation, "gap_ms")


def emulated_gap_median_ms(run: Run, emulation: str) -> float:
    """The same: the median."""
    return _told(run, emulation, "gap_median_ms")


def emulated_near_percent(run: Run, emulation: str) -> float:
    """The share of round-trip times within 2 ms of the trace's."""
    return _told(run, emulation, "near_percent")


def emulated_gap_applied_ms(run: Run, emulation: str) -> float:
    """The mean of what data packets took between both captures, off the trace's."""
    return _told(run, emulation, "gap_applied_ms")


def emulated_correlation(run: Run, emulation: str) -> float:
    """Of what was sent for the first time in windows of 20 s, as long as both last."""
    return _told(run, emulation, "correlation")


def emulated_points(run: Run, emulation: str) -> float:
    """Bytes in ten classes of round-trip times, each with about a tenth of the trace's.

    The largest difference of a class' share, as the sender measured.
    """
    return _told(run, emulation, "points")


def emulated_points_later(run: Run, emulation: str) -> float:
    """The same of what was sent after the trace's end."""
    return _told(run, emulation, "points_later")


def emulated_points_applied(run: Run, emulation: str) -> float:
    """The same by what packets took that arrived."""
    return _told(run, emulation, "points_applied")


def emulated_loss_points(run: Run, emulation: str) -> float:
    """The largest difference of a class' loss ratio."""
    return _told(run, emulation, "loss_points")


def emulated_loss_applied_percent(run: Run, emulation: str) -> float:
    """Bytes missing in the receiver's capture."""
    return _told(run, emulation, "loss_applied_percent")


def emulated_lifetime_ms(run: Run, emulation: str) -> float:
    """Of `datagrams`: the mean difference of a pipe's lifetime.

    It is from the first datagram that took as long as the pipe to the first that took as long as
    the next.
    """
    return _told(run, emulation, "lifetime_ms")


def emulated_lifetimes_seen_percent(run: Run, emulation: str) -> float:
    """Of how many pipes that is known."""
    return _told(run, emulation, "lifetimes_seen_percent")


def emulated_late_p99_us(run: Run, emulation: str) -> float:
    """How late the shaper was, 99 of 100 packets."""
    return _told(run, emulation, "late_p99_us")


def emulated_megabytes(run: Run, emulation: str) -> float:
    """What was sent for the first time."""
    return _told(run, emulation, "megabytes")


def emulated_lasted_s(run: Run, emulation: str) -> float:
    """From the profile's begin to the connection's end."""
    return _told(run, emulation, "lasted_s")


def emulated_compute_j(run: Run, emulation: str) -> float:
    """With `compute`: joules of the sender."""
    return _told(run, emulation, "compute_j")


def emulated_sent_bytes(run: Run, emulation: str, of: Part | None = None) -> float:
    """With `compute`: bytes that it sent, or one function."""
    return _told(run, emulation, "sent_bytes", of)


def emulated_compute_j_per_byte(run: Run, emulation: str, of: Part | None = None) -> float:
    """With `compute`: joules for a byte sent, of all or of one function; 0 where there was none."""
    return _told(run, emulation, "compute_j_per_byte", of)


def emulated_work_events(run: Run, emulation: str, of: Part | None = None) -> float:
    """With `compute`: events of the sender, or of one function."""
    return _told(run, emulation, "work_events", of)


def emulated_interrupted_percent(run: Run, emulation: str) -> float:
    """With `compute`: events within which something else had the processor.

    They are in no joules and no events, but what they sent is in the bytes.
    """
    return _told(run, emulation, "interrupted_percent")


def emulated_work_j(run: Run, emulation: str, of: Part) -> float:
    """Joules of one function of the sender (docs/energy-computation.md)."""
    return _told(run, emulation, "work_j", of)


def emulated_phase_time_s(run: Run, emulation: str, of: Part) -> float:
    """Time of one function."""
    return _told(run, emulation, "phase_time_s", of)


def emulated_compute_w(run: Run, emulation: str, of: Part) -> float:
    """Joules for a second of one function; 0 where it never happened."""
    return _told(run, emulation, "compute_w", of)
