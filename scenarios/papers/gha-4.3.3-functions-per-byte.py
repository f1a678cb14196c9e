"""What a sender's functions cost for what they send; measures of the file beside this one."""

from hopwright import InputError
from hopwright.research.papers.functions.series import Phase, segments_sent_in
from hopwright.research.papers.run import Run


def joules_per_segment(run: Run, phase: Phase) -> float:
    """The joules of the function of a phase, for each segment that was sent in it."""
    sent = segments_sent_in(run, phase)
    if sent == 0:
        raise InputError(f"nothing is sent in {phase}")
    return run.result(f"compute.work_j.{phase}", flow=0) / sent
