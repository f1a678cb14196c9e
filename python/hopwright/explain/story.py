"""The story of one event: the chain of what led to it, latest first, with each try of a station."""

from collections.abc import Sequence
from dataclasses import dataclass

from hopwright._io import markup
from hopwright._io.data import Json
from hopwright.explain import bundle_words, words
from hopwright.explain.events import REACTIONS, Event, Lineage
from hopwright.results.chosen import Flows

TOLD = tuple(dict.fromkeys((*REACTIONS, "dropped", "gave_up", "route_broke", *bundle_words.KINDS)))
"""What `--at` looks for."""
AGAIN = ("resent", "bundle_resent")
"""Where a story ends, and another begins."""


@dataclass(frozen=True)
class Step:
    """A link of the chain: an event, or all tries of a station to hand one packet over."""

    event: Event
    """Of several tries, the last."""
    tries: Sequence[Event]
    """In the order of time; empty if it is none."""


@dataclass(frozen=True, repr=False)
class Story:
    """An event and what led to it."""

    lineage: Lineage
    steps: Sequence[Step]

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
        because = self.steps[-1].event.because
        return because if because in self.lineage else None

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
            lines.append(f"<- event {self.before}, which --event or --full tells")
        return lines

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        event = self.steps[0].event
        return f"<Story of event {event.id} at {event.time_s:.6f} s: {len(self.steps)} steps>"

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
        return markup.table(["t, s", "what led to it, the latest first"], rows)

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
        last, count = step.event, len(step.tries)
        to = "everyone" if last.peer is None else f"node {last.peer}"
        if last.cause is not None:
            times = "once" if count == 1 else f"{count} times"
            return f"node {last.node} tried {times} to reach {to}, without success"
        if last.peer is None:
            return f"node {last.node} sent it to everyone"
        how = "at once" if count == 1 else f"at try {count}"
        return f"node {last.node} handed it to {to} {how}"

    def _why(self, event: Event) -> str:
        if event.cause is None:
            return "it went through"
        return words.disturbance(self.lineage, event)


def find(lineage: Lineage, at_s: float, flows: Flows) -> Event | None:
    """What a story is told of: the event nearest to a time; of several, what a sender did."""
    told = lineage.those(TOLD, flows)
    rank = {kind: place for place, kind in enumerate(TOLD)}
    return min(told, key=lambda event: (abs(event.time_s - at_s), rank[event.kind]), default=None)


def _same_service(later: Event, earlier: Event) -> bool:
    """Whether both are tries of one station with one packet."""
    is_try = earlier.kind == "try"
    return is_try and (earlier.node, earlier.packet) == (later.node, later.packet)


def _fields(event: Event) -> dict[str, Json]:
    return {name: value for name, value in event._asdict().items() if value is not None}
