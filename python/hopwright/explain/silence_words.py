"""Silences of programs' conversations in words: what was lost or late, where, and by what."""

from collections import Counter
from collections.abc import Sequence

from hopwright._io.data import Json
from hopwright._io.plural import many
from hopwright.explain import words
from hopwright.explain.conversations import Direction, Sent
from hopwright.explain.events import Event, Lineage
from hopwright.explain.silences import Silence, Wait, last_tries, longest, waits
from hopwright.explain.story import Story
from hopwright.results.said import SAID

COUNTED = SAID["counted_tries"]
"""What became of tries of a station, by `cause`."""

WAITED = {
    "route": "waiting for a route at node {node}",
    "queue": "in the queue of node {node}",
    "tries": "in tries from node {node} to node {peer}",
    "link": "on the link from node {node} to node {peer}",
}
SHORTEST_S = 1e-3
"""Shorter parts of a delay are not told of."""
PAUSE_S = 0.2
"""Shorter pauses of a program are not told of: no kernel's TCP waits less for what it misses."""
MOST_PARTS = 4
MOST_NAMES = 3


def account(direction: Direction) -> list[str]:
    """What became of a direction, in some lines."""
    packets, lost = len(direction.packets), len(direction.lost)
    said = (
        f"node {direction.source.node} to node {direction.destination.node}: "
        f"{many(packets, 'packet')}, {many(direction.bytes, 'byte')}"
    )
    if direction.again:
        said += f", {direction.again} of them sent again"
    if not lost:
        said += "; none lost"
    else:
        said += f"; {lost} lost ({100 * lost / packets:.1f} %): {_causes(direction.causes)}"
    under_way = packets - lost - direction.arrived
    if under_way:
        said += f"; {under_way} still on the way when the run ended"
    worst = longest(direction)
    return [said, f"longest silence: {_span(worst)}: {why(worst)}"]


def why(silence: Silence) -> str:
    """Why nothing came, in a few words."""
    lost = silence.lost
    parts = []
    if lost:
        roots = Counter(_root(silence.direction.lineage, each) for each in lost)
        parts.append(f"{many(len(lost), 'packet')} lost{_because(roots)}")
    elif silence.missed:
        parts.append(f"{many(len(silence.missed), 'packet')} sent that had not arrived")
    if silence.after is None:
        parts.append("nothing arrived after that")
    else:
        longest_wait = _longest_wait(silence)
        parts.append(f"the next packet took {silence.after.delay_s:.3f} s{longest_wait}")
    return "; ".join(parts)


def _longest_wait(silence: Silence) -> str:
    assert silence.after is not None  # noqa: S101 - for the type
    told = waits(silence.direction.lineage, silence.after)
    if not told or told[0].length_s < SHORTEST_S:
        return ""
    return f", {_wait(told[0])}" if len(told) == 1 else f", most of it {_wait(told[0])}"


def _wait(wait: Wait) -> str:
    return WAITED[wait.what].format(node=wait.node, peer=wait.peer)


def lines(silence: Silence) -> list[str]:
    """All of it: how packets were lost, what the first loss led back to, how late the next was."""
    direction = silence.direction
    source, destination = direction.source.node, direction.destination.node
    due = len(silence.missed) + (silence.after is not None)
    span = f"from t={silence.begin_s:.6f} s to t={silence.end_s:.6f} s"
    head = (
        f"node {source} to node {destination}: nothing arrived for {silence.length_s:.3f} s, "
        f"{span}, although {many(due, 'packet')} had been sent"
    )
    lost = silence.lost
    told = [head, *(f"  {said}" for said in _losses(direction.lineage, lost))]
    late = [each for each in silence.missed if each.came is not None]
    if late:
        told.append(
            f"  {many(len(late), 'packet')} arrived after a packet that was sent later: "
            f"{_names(late)}"
        )
    under_way = len(silence.missed) - len(lost) - len(late)
    if under_way:
        told.append(f"  {many(under_way, 'packet')} still on the way when the run ended")
    if silence.after is None:
        told.append("  nothing arrived after that")
    else:
        told += [f"  {said}" for said in _ending(silence, silence.after)]
    if lost and lost[0].lost is not None:
        told.append("  how the first of them was lost, the latest event first:")
        told += [f"    {line}" for line in Story.of(direction.lineage, lost[0].lost).lines()]
    return told


def _losses(lineage: Lineage, lost: Sequence[Sent]) -> list[str]:
    """A line for each place and way in which packets were lost, the most first."""
    ways: dict[tuple[int, int | None, str, str], list[Sent]] = {}
    for each in lost:
        event = each.lost
        assert event is not None  # noqa: S101 - these were lost
        tries = last_tries(lineage, event)
        peer = tries[0].peer if tries else None
        way = (event.node, peer, event.cause or "", lineage.root(event) or "other")
        ways.setdefault(way, []).append(each)
    told = []
    for (node, peer, cause, root), those in sorted(ways.items(), key=lambda way: -len(way[1])):
        at = f"at node {node}" + ("" if peer is None else f" on the way to node {peer}")
        because = words.DROPS.get(cause, cause)
        said = f"{many(len(those), 'packet')} lost {at}, because {because}"
        said += f"; loss cause: {_cause(root)}"
        told.append(f"{said} ({_names(those)})")
        told += [f"  {line}" for line in _tries(lineage, those)]
    return told


def _tries(lineage: Lineage, lost: Sequence[Sent]) -> list[str]:
    """What their last tries came to, and which node stood in the way most often."""
    tries = [e for each in lost if each.lost is not None for e in last_tries(lineage, each.lost)]
    causes = Counter(event.cause for event in tries if event.cause is not None)
    if not causes:
        return []
    parts = [f"{count} {COUNTED.get(name, name)}" for name, count in causes.most_common()]
    told = [f"of {many(len(tries), 'try', 'tries')}, {', '.join(parts)}"]
    others = Counter((e.by_node, e.relation) for e in tries if e.by_node is not None)
    if others:
        (node, relation), count = others.most_common(1)[0]
        known = ", a hidden station" if relation == "hidden" else ""
        told.append(f"disturbed most often by node {node}{known}: {many(count, 'time')}")
    return told


def _ending(silence: Silence, after: Sent) -> list[str]:
    """How late what came next was, and where it had been."""
    again = " (its data had been sent before)" if after.is_again else ""
    when = f"sent at t={after.event.time_s:.6f} s, {after.delay_s:.3f} s on the way"
    told = [f"then packet {_name(after)} arrived{again}: {when}"]
    parts = [
        f"{wait.length_s:.3f} s {_wait(wait)}"
        for wait in waits(silence.direction.lineage, after)[:MOST_PARTS]
        if wait.length_s >= SHORTEST_S
    ]
    if parts:
        told.append(f"  {', '.join(parts)}")
    apart_s = after.event.time_s - silence.missed[-1].event.time_s if silence.missed else 0.0
    if apart_s >= max(PAUSE_S, silence.length_s / 2):
        told.append(f"  before this packet, its program had sent nothing for {apart_s:.3f} s")
    return told


def silence_json(silence: Silence) -> dict[str, Json]:
    """The same as numbers."""
    lineage = silence.direction.lineage
    lost: list[Json] = [
        {
            "packet": _name(each),
            "sent_s": each.event.time_s,
            "lost_s": each.lost.time_s,
            "event": each.lost.id,
            "node": each.lost.node,
            "cause": each.lost.cause,
            "loss": lineage.root(each.lost),
        }
        for each in silence.lost
        if each.lost is not None
    ]
    after: Json = None
    if silence.after is not None:
        delayed: list[Json] = [
            {"waited": each.what, "node": each.node, "peer": each.peer, "s": each.length_s}
            for each in waits(lineage, silence.after)
        ]
        after = {
            "packet": _name(silence.after),
            "sent_s": silence.after.event.time_s,
            "delay_s": silence.after.delay_s,
            "delay": delayed,
            "sent_again": silence.after.is_again,
        }
    return {
        "begin_s": silence.begin_s,
        "end_s": silence.end_s,
        "length_s": silence.length_s,
        "says": why(silence),
        "missed": len(silence.missed),
        "lost": lost,
        "after": after,
    }


def _span(silence: Silence) -> str:
    return f"{silence.length_s:.3f} s, from t={silence.begin_s:.3f} s"


def _root(lineage: Lineage, sent: Sent) -> str:
    return "other" if sent.lost is None else lineage.root(sent.lost) or "other"


def _because(counts: Counter[str]) -> str:
    """` because of contention`, or `: 2 because of contention, 1 because of a full queue`."""
    if len(counts) == 1:
        return f" because of {_cause(next(iter(counts)))}"
    return f": {_causes(counts)}"


def _causes(counts: Counter[str]) -> str:
    return ", ".join(f"{count} because of {_cause(name)}" for name, count in counts.most_common())


def _cause(name: str) -> str:
    return words.LOSSES.get(name, name)


def _name(sent: Sent) -> str:
    return words.name_of(_packet_of(sent.event))


def _packet_of(event: Event) -> int:
    return 0 if event.packet is None else event.packet


def _names(those: Sequence[Sent]) -> str:
    names = ", ".join(_name(each) for each in those[:MOST_NAMES])
    return names if len(those) <= MOST_NAMES else f"{names}, ..."
