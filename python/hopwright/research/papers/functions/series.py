"""Numbers of a sender, from its series (values over time): silences, freezes, recoveries.

A *silence* is a time in which no new data is acknowledged. The *phase* of a sender is the column
`phase` of its series. The phase `rto` lasts from a time-out until new data is acknowledged.
"""

from typing import Literal

from hopwright._io.errors import InputError
from hopwright.research.papers import series
from hopwright.research.papers.run import Run
from hopwright.research.papers.series import (
    PHASE_COLUMNS,
    SENT_COLUMNS,
    SILENCE_COLUMNS,
    Settling,
    Silence,
)

Phase = Literal["slow_start", "congestion_avoidance", "recovery", "frozen", "rto"]


def idle_before_timeouts_s(run: Run, flow: int = 0) -> float:
    """Sum of the idle times before time-outs, in seconds.

    An idle time begins with the last event before the time-out in which the sender sent something
    or got an acknowledgement of new data. The idle time ends with the time-out.
    """
    return series.idle_before_timeouts(run.series(*series.IDLE_COLUMNS, flow=flow))


def _silences(run: Run, flow: int) -> list[Silence]:
    columns = run.series(*SILENCE_COLUMNS, flow=flow)
    return run.kept(f"silences of {flow}", lambda: series.silences(columns, run.duration_s))


def _longest(run: Run, flow: int) -> Silence:
    return series.longest_silence(_silences(run, flow))


def longest_silence_s(run: Run, flow: int = 0) -> float:
    """Length of the longest silence after the first acknowledgement, in seconds.

    A silence may last until the end of the run.
    """
    found = _longest(run, flow)
    return found.to_s - found.from_s


def longest_silence_from_s(run: Run, flow: int = 0) -> float:
    """Time at which the longest silence begins."""
    return _longest(run, flow).from_s


def longest_silence_to_s(run: Run, flow: int = 0) -> float:
    """Time at which the longest silence ends."""
    return _longest(run, flow).to_s


def longest_silence_timeouts(run: Run, flow: int = 0) -> float:
    """Number of time-outs in the longest silence."""
    return float(len(_longest(run, flow).timeouts_s))


def _silence(run: Run, at_s: float, flow: int) -> Silence:
    return series.silence_at(_silences(run, flow), at_s)


def silence_s(run: Run, at_s: float, flow: int = 0) -> float:
    """Length of the silence that contains the time `at_s`, in seconds."""
    found = _silence(run, at_s, flow)
    return found.to_s - found.from_s


def silence_from_s(run: Run, at_s: float, flow: int = 0) -> float:
    """Time at which the silence that contains `at_s` begins."""
    return _silence(run, at_s, flow).from_s


def silence_to_s(run: Run, at_s: float, flow: int = 0) -> float:
    """Time at which the silence that contains `at_s` ends."""
    return _silence(run, at_s, flow).to_s


def silence_timeouts(run: Run, at_s: float, flow: int = 0) -> float:
    """Number of time-outs in the silence that contains `at_s`."""
    return float(len(_silence(run, at_s, flow).timeouts_s))


def recoveries(run: Run, flow: int = 0) -> float:
    """How often the sender entered fast recovery."""
    return float(len(series.recoveries_at(run.series(*PHASE_COLUMNS, flow=flow))))


def recoveries_after_outages(run: Run, flow: int = 0) -> float:
    """How often the sender entered fast recovery within 1 s after an outage.

    An outage is a time of 1 s or more in which nothing new was sent or acknowledged.
    """
    return float(series.after_outages(run.series(*series.OUTAGE_COLUMNS, flow=flow)))


def segments_sent_in(run: Run, phase: Phase, flow: int = 0) -> float:
    """Segments that the sender sent in a phase, including retransmissions."""
    return series.sent_in(run.series(*SENT_COLUMNS, flow=flow), phase)


def segments_sent_per_second_in(run: Run, phase: Phase, flow: int = 0) -> float:
    """Segments that the sender sent in a phase, divided by the seconds that it spent in the phase.

    Retransmissions count.
    """
    lasted_s = _time_in(run, phase, 0.0, run.duration_s, flow)
    if lasted_s == 0:
        raise InputError(f"the sender is never in the phase {phase}")
    return segments_sent_in(run, phase, flow) / lasted_s


def share_of_time_in(run: Run, phase: Phase, from_s: float, to_s: float, flow: int = 0) -> float:
    """Share of the time from `from_s` to `to_s` that the sender spent in a phase."""
    begin_s, end_s = run.part(from_s, to_s)
    return _time_in(run, phase, begin_s, end_s, flow) / (end_s - begin_s)


def _time_in(run: Run, phase: Phase, from_s: float, to_s: float, flow: int) -> float:
    return series.time_in(run.series(*PHASE_COLUMNS, flow=flow), phase, from_s, to_s)


def freezes(run: Run, longer_s: float = 0.0, flow: int = 0) -> float:
    """How often the sender was frozen for longer than `longer_s`.

    If a freeze lasts beyond the end of the run, it counts with its length up to the end of the run.
    """
    lengths = series.freeze_lengths(run.series(*PHASE_COLUMNS, flow=flow), run.duration_s)
    return float(sum(each > longer_s for each in lengths))


def _settling(run: Run, at_s: float, flow: int) -> Settling:
    return series.settling(run.series(*series.SETTLING_COLUMNS, flow=flow), run.duration_s, at_s)


def on_after_s(run: Run, at_s: float, flow: int = 0) -> float:
    """Seconds from `at_s` to the next time at which the phase is neither `frozen` nor `rto`."""
    return _settling(run, at_s, flow).on_s - at_s


def settled_after_s(run: Run, at_s: float, flow: int = 0) -> float:
    """Seconds from `at_s` to the next time at which the sender is undisturbed.

    *Undisturbed* means: the sender is in slow start or congestion avoidance, and no freeze,
    time-out or recovery follows within two round-trip times, or within 1 s if 1 s is longer. The
    round-trip time is the last smoothed round-trip time before `at_s`. If the sender is never
    undisturbed after `at_s`, the end of the run counts.
    """
    return _settling(run, at_s, flow).settled_s - at_s


def settled_after_round_trips(run: Run, at_s: float, flow: int = 0) -> float:
    """`settled_after_s`, divided by the round-trip time."""
    found = _settling(run, at_s, flow)
    return (found.settled_s - at_s) / found.srtt_s


def settling_s(run: Run, at_s: float, flow: int = 0) -> float:
    """Seconds from `on_after_s` to `settled_after_s`."""
    found = _settling(run, at_s, flow)
    return found.settled_s - found.on_s


def settling_round_trips(run: Run, at_s: float, flow: int = 0) -> float:
    """`settling_s`, divided by the round-trip time."""
    found = _settling(run, at_s, flow)
    return (found.settled_s - found.on_s) / found.srtt_s


def column_at(run: Run, column: str, at_s: float, flow: int = 0) -> float:
    """Value of a column of the series at the time `at_s`; 0 before the first value."""
    return series.value_at(run.series("time_s", column, flow=flow), column, at_s)


def column_growth(run: Run, column: str, from_s: float, to_s: float, flow: int = 0) -> float:
    """Value of a column at `to_s`, minus its value at `from_s`."""
    return column_at(run, column, to_s, flow) - column_at(run, column, from_s, flow)


def column_most(
    run: Run,
    column: str,
    from_s: float,
    to_s: float,
    flow: int = 0,
) -> float:
    """Largest value of a column from `from_s` to `to_s`."""
    return series.most_between(run.series("time_s", column, flow=flow), column, from_s, to_s)


def column_after_silence(run: Run, column: str, at_s: float, flow: int = 0) -> float:
    """Value of a column at the end of the silence that contains `at_s`."""
    return column_at(run, column, _silence(run, at_s, flow).to_s, flow)
