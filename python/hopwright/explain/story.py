"""The story of one event: the chain of what led to it, latest first, with each try of a station."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hopwright._io import markup
from hopwright._io.data import Json, json_of, number
from hopwright._io.errors import InputError
from hopwright._io.files import read_bytes
from hopwright._io.plural import many
from hopwright.explain import bundle_words, words
from hopwright.explain.events import REACTIONS, Event, Lineage
from hopwright.results.chosen import Flows

TOLD = tuple(dict.fromkeys((*REACTIONS, "dropped", "gave_up", "route_broke", *bundle_words.KINDS)))
"""What `--at` looks for first."""
FAR_S = 0.1
"""How far from the time asked for an event must be, for that to be said."""
AGAIN = ("resent", "bundle_resent")
"""Where a story ends, and another begins."""
SENT = ("sent", "resent", "copied")
"""How packets enter the network."""
UNFINISHED = "unfinished"
"""The cause of a try that the end of the run cut short."""


@dataclass(frozen=True)
class Step:
    """A link of the chain: an event, or all tries of a station to hand one packet over."""

    event: Event
    """Of several tries, the last."""
    tries: Sequence[Event]
    """In the order of time; empty if it is none."""

    @property
    def first(self) -> Event:
        """Of several tries, the first."""
        return self.tries[0] if self.tries else self.event


@dataclass(frozen=True, repr=False)
class Story:
    """An event and what led to it."""

    lineage: Lineage
    steps: Sequence[Step]
    asked_s: float | None = None
    """The time that was asked for, if its event was looked for by a time."""

    @classmethod
    def at(
        cls, lineage: Lineage, at_s: float, flows: Flows = None, *, full: bool = False
    ) -> "Story":
        """The story of the event nearest to a time; `full`: see `of`.

        Raises `InputError` if the recording is empty.
        """
        event = find(lineage, at_s, flows)
        if event is None:
            raise InputError(f"no event to explain at {at_s:g} s: the recording has no events")
        return replace(cls.of(lineage, event, full=full), asked_s=at_s)

    @classmethod
    def of(cls, lineage: Lineage, event: Event, *, full: bool = False) -> "Story":
        """Follows the chain from an event back to where the packet was sent.

        `full`: and, if that or its bundle was sent again, on to what it was sent for, and so on.
        """
        chain = lineage.chain(event)
        again = (place for place, each in enumerate(chain) if place and each.kind in AGAIN)
        end = None if full else next(again, len(chain)) + 1
        steps: list[Step] = []
        tries: list[Event] = []
        for each in chain[:end]:
            if tries and not _same_service(tries[0], each):
                steps.append(Step(tries[0], tries[::-1]))
                tries = []
            if each.kind == "try":
                tries.append(each)
            else:
                steps.append(Step(each, ()))
        if tries:
            steps.append(Step(tries[0], tries[::-1]))
        return cls(lineage, steps)

    @property
    def before(self) -> int | None:
        """The event with which the story goes on, if it stops before its beginning."""
        because = self.steps[-1].first.because
        return because if because in self.lineage else None

    @property
    def origin(self) -> Event | None:
        """How the packet had been sent, where the story ends with less than that."""
        first = self.steps[-1].first
        if first.packet is None or first.because is not None:
            return None
        earlier = (each for each in self.lineage.of_packet(first.packet) if each.id < first.id)
        return max((each for each in earlier if each.kind in SENT), default=None)

    @property
    def remark(self) -> str | None:
        """How far the event is from the time that was asked for, where that is far."""
        apart_s = 0.0 if self.asked_s is None else self.steps[0].event.time_s - self.asked_s
        if abs(apart_s) < FAR_S:
            return None
        way = "later" if apart_s > 0 else "earlier"
        return f"the event nearest to {self.asked_s:g} s is {abs(apart_s):.1f} s {way}"

    @property
    def heading(self) -> str:
        """What the lines below it are about."""
        first = self.steps[0].event
        if self.remark is not None:
            said = f"{self.remark} (event {first.id});"
        elif self.asked_s is not None:
            said = f"the event nearest to {self.asked_s:g} s (event {first.id}), and"
        elif first.protocol is not None and first.packet is not None:
            said = f"event {first.id} of packet {words.name_of(first.packet)}, and"
        else:
            said = f"event {first.id}, and"
        return f"{said} what led to it, the latest first:"

    def lines(self) -> list[str]:
        """As text: a line for each event, indented by one for each try."""
        lines = []
        for place, step in enumerate(self.steps):
            arrow = "<- " if place else ""
            lines.append(f"{arrow}t={step.event.time_s:.6f} s  {self._headline(step)}")
            lines += [
                f"     try {each.tries}, t={each.time_s:.6f} s: {self._why(each)}"
                for each in step.tries
                if each.cause is not None
            ]
        if self.before is not None:
            lines.append(
                f"<- event {self.before}: --event {self.before} or --full continues the story"
            )
        if self.origin is not None:
            sent = words.what(self.lineage, self.origin)
            lines += [
                "   what led to this is not recorded; the packet had been sent before:",
                f"   t={self.origin.time_s:.6f} s  {sent} (event {self.origin.id})",
            ]
        return lines

    def __str__(self) -> str:
        return "\n".join([self.heading, *self.lines()])

    def __repr__(self) -> str:
        event = self.steps[0].event
        return (
            f"<Story of event {event.id} at {event.time_s:.6f} s: {many(len(self.steps), 'step')}>"
        )

    def _repr_html_(self) -> str:
        rows = [
            (f"{each.time_s:.6f}", said)
            for step in self.steps
            for each, said in [
                (step.event, self._headline(step)),
                *(
                    (tried, f"try {tried.tries}: {self._why(tried)}")
                    for tried in step.tries
                    if tried.cause is not None
                ),
            ]
        ]
        return markup.paragraph(self.heading) + markup.table(["t, s", "what happened"], rows)

    def to_json(self) -> Json:
        """The events in full, each with what it says."""
        return [
            {
                "says": self._headline(step),
                **_fields(step.event),
                "attempts": [{"says": self._why(each), **_fields(each)} for each in step.tries],
            }
            for step in self.steps
        ]

    def _headline(self, step: Step) -> str:
        if not step.tries:
            return words.what(self.lineage, step.event)
        return self.lineage.told(_handed_over(step))

    def _why(self, event: Event) -> str:
        if event.cause is None:
            return "it succeeded"
        return words.disturbance(self.lineage, event)


def _handed_over(step: Step) -> str:
    """What came of several tries."""
    last, count = step.event, len(step.tries)
    what = "send a broadcast" if last.peer is None else f"reach node {last.peer}"
    if last.cause == UNFINISHED:
        return f"node {last.node} was still trying to {what} when the run ended"
    if last.cause is not None:
        times = "once" if count == 1 else f"{count} times"
        return f"node {last.node} tried {times} to {what}, without success"
    if last.peer is None:
        return f"node {last.node} sent the packet as a broadcast"
    how = "at the first try" if count == 1 else f"at try {count}"
    return f"node {last.node} handed the packet to node {last.peer} {how}"


def check_time(at_s: float, folder: Path, asked: str) -> None:
    """Raises `InputError` for a time that is not within the run of a folder.

    `asked`: how the message begins, such as `--at -3`.
    """
    if not 0 <= at_s < math.inf:
        raise InputError(f"{asked}: must be a time, 0 seconds or more")
    try:
        summary: Json = json_of(read_bytes(folder / "summary.json"))
    except (InputError, ValueError):
        return  # nobody knows when it ended
    # An emulation may go on for longer than its scenario says.
    ends = (number(summary, "duration_s"), number(summary, "emulation", "duration_s"))
    end_s = max((each for each in ends if each is not None), default=math.inf)
    if at_s > end_s:
        raise InputError(f"{asked}: the run ends at {end_s:g} s")


def find(lineage: Lineage, at_s: float, flows: Flows) -> Event | None:
    """What a story is told of: the event nearest to a time; of several, what a sender did.

    Where nothing was lost, any event: a recording of all packets has some.
    """
    told = lineage.those(TOLD, flows)
    rank = {kind: place for place, kind in enumerate(TOLD)}
    nearest = lambda event: (abs(event.time_s - at_s), rank[event.kind])  # noqa: E731
    return min(told, key=nearest, default=None) or lineage.at(at_s, flows)


def _same_service(later: Event, earlier: Event) -> bool:
    """Whether both are tries of one station with one packet."""
    is_try = earlier.kind == "try"
    return is_try and (earlier.node, earlier.packet) == (later.node, later.packet)


def _fields(event: Event) -> dict[str, Json]:
    return {name: value for name, value in event._asdict().items() if value is not None}
