"""Events in words."""

from hopwright.explain import bundle_words
from hopwright.explain.events import QUEUE, Event, Lineage

LOSSES = {
    "queue": "a full queue",
    "contention": "contention",
    "link_failure": "a link failure",
    "no_route": "want of a route",
    "channel": "errors of the channel",
    "node_down": "a node that is down",
    "other": "other reasons",
    "arp_replaced": "address resolution",
    "queue_delay": "too long a wait in a queue",
    "no_room": "want of room for bundles",
    "no_way": "want of a route",
    "part_deleted": "parts that were deleted",
    "incomplete": "parts that stayed parts",
}
DROPS = {
    "retry_limit_rts": "no CTS came",
    "retry_limit_data": "no acknowledgement came",
    "next_hop_lost": "its next hop was taken for lost",
    "queue_full": "the interface queue was full",
    "link_loss": "the link lost it",
    "queue_delay": "it had waited too long",
    "hand_over": "its link handed over to another network",
    "suppressed": "it had sent again what that asks for",
    "link_red": "Link RED told its transport of contention",
    "no_route": "there was no route",
    "route_buffer_timeout": "no route was found in time",
    "route_buffer_full": "the routing buffer was full",
    "node_down": "the node was down",
    "no_listener": "nobody there waits for it",
    "ttl_expired": "it had made as many hops as it may",
    "arp_unanswered": "its next hop did not answer who it is",
    "arp_replaced": "another packet took its place while its next hop was asked who it is",
}
PROTOCOLS = {1: "ICMP", 6: "TCP", 17: "UDP"}
FRAMES = {"rts": "RTS", "cts": "CTS", "data": "data frame", "ack": "ACK"}
RELATIONS = {
    "hidden": "hidden from node {other}",
    "unread": "which node {other} sensed but could not read",
    "answer": "an answer, which leaves without sensing",
    "tie": "begun in the same instant",
    "deaf": "which node {other} had not noticed",
}
LATE = {
    "data_late": "but a copy of it was still on its way",
    "ack_late": "but it had arrived, and an acknowledgement was on its way",
    "not_acknowledged": "but it had arrived, and the receiver had not acknowledged it yet",
    "data_lost": "it had been lost to {loss}",
    "request_late": "but the request for it was still on its way",
    "request_lost": "the request for it had been lost to {loss}",
    "ack_lost": "it had arrived, but the acknowledgements that said so were lost to {loss}",
    "not_sent": "nothing is known of it",
}
CUTS = {
    "rto": "after the time-out",
    "fast_retransmit": "with the fast retransmit",
    "recovery": "at the end of the recovery",
    "mark": "because the receiver echoed a mark",
    "freeze": "as the {end} froze",
    "thaw": "as the {end} thawed",
    "adapted": "as its mechanisms changed",
    "own_measure": "by the {end}'s own measure",
}


def end_of(*, asks: bool) -> str:
    """Whose window it is: the sender's, or that of a receiver that asks for its data."""
    return "asking receiver" if asks else "sender"


def cut(cause: str, *, asks: bool) -> str:
    """What a window was cut with, or for."""
    return CUTS.get(cause, cause).format(end=end_of(asks=asks))


def what(lineage: Lineage, event: Event) -> str:
    """What happened, in one line without the time."""
    return _SENTENCES.get(event.kind, _other)(lineage, event)


def packet(lineage: Lineage, event: Event) -> str:
    """`segment 12 of flow 0`, `the ACK of segment 12 of flow 0`, `a RERR`."""
    of = "" if event.flow is None else f" of flow {event.flow}"
    if event.carries in ("segment", "request"):
        request = "the request for " if event.carries == "request" else ""
        return f"{request}{_segment(lineage, event)}{of}"
    if event.carries == "ack" and event.flow is not None and event.first_byte is not None:
        last = (event.first_byte - 1) // lineage.segment_bytes(event.flow)
        return f"the ACK of segment {last}{of}" if last else f"the first ACK{of}"
    if event.carries in ("syn", "fin", "reset"):
        return f"the {event.carries.upper()}{of}"
    if event.carries in bundle_words.PACKETS:
        return bundle_words.packet(lineage, event)
    if event.protocol is not None:
        return _foreign(event)
    name = event.carries or "packet"
    return f"a {name.upper() if name.startswith('r') else name}{of}"


def _foreign(event: Event) -> str:
    """`packet 0:17 (UDP to port 5004 of node 4)`."""
    name = "a packet" if event.packet is None else f"packet {name_of(event.packet)}"
    port = "" if event.destination_port is None else f"port {event.destination_port} of "
    return f"{name} ({protocol_of(event)} to {port}node {event.destination})"


def protocol_of(event: Event) -> str:
    """`UDP`, or `protocol 47`."""
    return PROTOCOLS.get(event.protocol or 0, f"protocol {event.protocol}")


def name_of(packet: int) -> str:
    """A packet by its node and its number there."""
    return f"{packet >> NODE_BITS}:{packet & (1 << NODE_BITS) - 1}"


NODE_BITS = 40
"""The name of a packet is its node, and in so many bits its number there."""


def _segment(lineage: Lineage, event: Event) -> str:
    """By its number: the first byte's is 1, and so is the first segment's."""
    if event.flow is None or event.first_byte is None:
        return "a segment"
    if event.first_byte == 0:
        return "the SYN"
    return f"segment {(event.first_byte - 1) // lineage.segment_bytes(event.flow) + 1}"


def disturbance(lineage: Lineage, event: Event) -> str:
    """Why a try came to nothing."""
    frame = FRAMES.get(event.frame or "", "frame")
    peer = event.peer
    if event.cause == "deferred":
        return "the CTS came, but the medium was busy again before the data could leave"
    loser = event.node if event.frame in ("cts", "ack") else peer
    sender = peer if event.frame in ("cts", "ack") else event.node
    head = {
        "collision": f"the {frame} collided at node {loser}",
        "captured": f"node {loser} was receiving a stronger frame when the {frame} came",
        "transmitting": f"node {loser} was itself sending when the {frame} came",
        "out_of_range": f"node {loser} was out of range",
        "down": f"node {loser} was down",
        "cut_off": f"the {frame} was cut off: a node went down",
        "reserved": f"node {peer} held back: the medium was reserved",
        "carrier": f"node {peer} held back: its carrier was busy",
        "engaged": f"node {peer} was in the middle of another exchange",
        "late": f"the {frame} of node {peer} came too late",
        "channel": f"the {frame} was damaged on its way to node {loser}",
    }.get(event.cause or "", f"the {frame} was not answered")
    if event.by_node is None or event.by_time_s is None:
        return head
    link = {"collision": " with", "reserved": " by", "carrier": " with"}.get(event.cause or "", ":")
    other = FRAMES.get(event.by_frame or "", "frame")
    said = f"{head}{link} node {event.by_node}'s {other}"
    carried = lineage.sending(event.by_packet)
    if carried is not None:
        said += f" ({packet(lineage, carried)})"
    said += f", sent at {event.by_time_s:.6f} s"
    if event.by_node == loser:
        return said
    return said + ", " + RELATIONS.get(event.relation or "", "").format(other=sender)


def _reaction(lineage: Lineage, event: Event) -> str:
    name = "time-out" if event.kind == "rto" else "fast retransmit"
    about = _segment(lineage, event)
    loss = _loss(lineage, event)
    why = LATE.get(event.cause or "", "").format(loss=loss)
    said = f"{name} of flow {event.flow}: {about} was missing; {why}"
    if event.peer is not None:
        said += f" (at node {event.peer})"
    if event.loss is None:
        said += ": spurious"
    if event.diagnosis:
        said += f". The {_end(lineage, event)} took it for {event.diagnosis}"
    return said


def _end(lineage: Lineage, event: Event) -> str:
    return end_of(asks=event.flow is not None and lineage.asks(event.flow))


def _loss(lineage: Lineage, event: Event) -> str:
    """What was lost was lost to this; want of a route stays that, whatever broke it."""
    loss = event.loss or ""
    if loss == QUEUE:
        loss = lineage.root(event) or loss
    return LOSSES.get(loss, loss)


def _dropped(lineage: Lineage, event: Event) -> str:
    why = DROPS.get(event.cause or "", (event.cause or "").replace("_", " "))
    lost = f": lost to {_loss(lineage, event)}" if event.loss else ""
    return f"node {event.node} dropped {packet(lineage, event)}, as {why}{lost}"


def _gave_up(lineage: Lineage, event: Event) -> str:
    carried = packet(lineage, event)
    return f"node {event.node} gave up {carried} to node {event.peer} after {_tries(event.tries)}"


def _route_broke(_lineage: Lineage, event: Event) -> str:
    truth = (
        "was in range: a false break" if event.cause == "in_range" else "was out of range indeed"
    )
    return f"node {event.node} took its routes over node {event.peer} out of use, which {truth}"


def _sent(lineage: Lineage, event: Event) -> str:
    sent = "sent again" if event.kind == "resent" else "sent"
    return f"node {event.node} {sent} {packet(lineage, event)}"


def _copied(lineage: Lineage, event: Event) -> str:
    return f"node {event.node}, a relay, sent a copy of {packet(lineage, event)}"


def _delivered(lineage: Lineage, event: Event) -> str:
    return f"{packet(lineage, event)} arrived at node {event.node}"


def _came(lineage: Lineage, event: Event) -> str:
    return f"{packet(lineage, event)} came to node {event.node} from node {event.peer}"


def _queued(lineage: Lineage, event: Event) -> str:
    return f"node {event.node} had a way for {packet(lineage, event)}: over node {event.peer}"


def _cut(lineage: Lineage, event: Event) -> str:
    before, after = event.window_before_segments or 0, event.window_after_segments or 0
    how = cut(event.cause or "", asks=event.flow is not None and lineage.asks(event.flow))
    return f"window of flow {event.flow} cut from {before:.2f} to {after:.2f} segments {how}"


def _try(_lineage: Lineage, event: Event) -> str:
    to = "everyone" if event.peer is None else f"node {event.peer}"
    return f"node {event.node} tried to reach {to}"


def _adapt(_lineage: Lineage, event: Event) -> str:
    return f"flow {event.flow}: {event.detail}"


def _other(_lineage: Lineage, event: Event) -> str:
    of = "" if event.flow is None else f" of flow {event.flow}"
    return f"{event.kind.replace('_', ' ')}{of} at node {event.node}"


def _tries(count: int | None) -> str:
    return "1 try" if count == 1 else f"{count} tries"


_SENTENCES = {
    "rto": _reaction,
    "fast_retransmit": _reaction,
    "dropped": _dropped,
    "gave_up": _gave_up,
    "route_broke": _route_broke,
    "sent": _sent,
    "resent": _sent,
    "delivered": _delivered,
    "copied": _copied,
    "came": _came,
    "queued": _queued,
    "cut": _cut,
    "adapt": _adapt,
    "try": _try,
    **bundle_words.sentences(LOSSES),
}
