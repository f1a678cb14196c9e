"""Events in words."""

from hopwright._io.plural import many
from hopwright.explain import bundle_words
from hopwright.explain.events import QUEUE, Event, Lineage
from hopwright.results.said import SAID

LOSSES = SAID["losses"] | SAID["losses_in_waiting"] | SAID["losses_of_bundles"]
DROPS = SAID["drops"]
PROTOCOLS = {1: "ICMP", 6: "TCP", 17: "UDP"}
FRAMES = {"rts": "RTS", "cts": "CTS", "data": "data frame", "ack": "ACK"}


def end_of(*, asks: bool) -> str:
    """Whose window it is: the sender's, or that of a receiver that asks for its data."""
    return "asking receiver" if asks else "sender"


def cut(cause: str, *, asks: bool) -> str:
    """What a window was cut with, or for."""
    return SAID["cut"].get(cause, cause).format(end=end_of(asks=asks))


def what(lineage: Lineage, event: Event) -> str:
    """What happened, in one line without the time."""
    return lineage.told(_SENTENCES.get(event.kind, _other)(lineage, event))


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


OF_OLDER_FILES = "node {node} sent a copy of {packet}"
"""What is said of `copied` where the file does not say who made the copy."""
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
    """Why a try failed."""
    return lineage.told(_disturbance(lineage, event))


def _disturbance(lineage: Lineage, event: Event) -> str:
    frame = FRAMES.get(event.frame or "", "frame")
    peer = event.peer
    loser = event.node if event.frame in ("cts", "ack") else peer
    sender = peer if event.frame in ("cts", "ack") else event.node
    head = SAID["tries"].get(event.cause or "", SAID["tries"]["unanswered"])
    head = head.format(frame=frame, loser=loser, peer=peer)
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
    return said + ", " + SAID["relations"].get(event.relation or "", "").format(other=sender)


def _reaction(lineage: Lineage, event: Event) -> str:
    name = "time-out" if event.kind == "rto" else "fast retransmit"
    asks = event.flow is not None and lineage.asks(event.flow)
    # A receiver that asks knows what has not come; a sender knows what was not acknowledged.
    missed = f"{_segment(lineage, event)} was {'missing' if asks else 'not acknowledged'}"
    why = SAID["reactions"].get(event.cause or "", "").format(loss=_loss(lineage, event))
    said = f"{name} of flow {event.flow}: {missed}; {why}"
    if event.peer is not None:
        said += f" (at node {event.peer})"
    if event.loss is None:
        said += f", so the {name} was spurious"
    if event.diagnosis:
        said += f". The {end_of(asks=asks)}'s diagnosis: {event.diagnosis}"
    return said


def _loss(lineage: Lineage, event: Event) -> str:
    """The cause of a loss. If no route existed, it does not matter here what broke the route."""
    loss = event.loss or ""
    if loss == QUEUE:
        loss = lineage.root(event) or loss
    return LOSSES.get(loss, loss)


def _dropped(lineage: Lineage, event: Event) -> str:
    why = DROPS.get(event.cause or "", event.cause or "")
    lost = f"; loss cause: {_loss(lineage, event)}" if event.loss else ""
    return f"node {event.node} dropped {packet(lineage, event)}, because {why}{lost}"


def _gave_up(lineage: Lineage, event: Event) -> str:
    carried, tries = packet(lineage, event), many(event.tries or 0, "try", "tries")
    return f"node {event.node} gave up {carried} to node {event.peer} after {tries}"


def _route_broke(_lineage: Lineage, event: Event) -> str:
    said = f"node {event.node} stopped using its routes over node {event.peer}"
    if event.cause == "in_range":
        return f"{said}, although node {event.peer} was in range: a false route break"
    return f"{said}; node {event.peer} was out of range or down"


def _sent(lineage: Lineage, event: Event) -> str:
    again = " again" if event.kind == "resent" else ""
    return f"node {event.node} sent {packet(lineage, event)}{again}"


def _copied(lineage: Lineage, event: Event) -> str:
    said = SAID["copied"].get(event.cause or "", OF_OLDER_FILES)
    return said.format(node=event.node, packet=packet(lineage, event))


def _delivered(lineage: Lineage, event: Event) -> str:
    return f"{packet(lineage, event)} arrived at node {event.node}"


def _came(lineage: Lineage, event: Event) -> str:
    return f"{packet(lineage, event)} came to node {event.node} from node {event.peer}"


def _queued(lineage: Lineage, event: Event) -> str:
    return f"node {event.node} had a route over node {event.peer} for {packet(lineage, event)}"


def _cut(lineage: Lineage, event: Event) -> str:
    before, after = event.window_before_segments or 0, event.window_after_segments or 0
    how = cut(event.cause or "", asks=event.flow is not None and lineage.asks(event.flow))
    span = f"from {before:.2f} to {after:.2f} segments"
    return f"the window of flow {event.flow} was cut {span} {how}"


def _froze(lineage: Lineage, event: Event) -> str:
    asks = event.flow is not None and lineage.asks(event.flow)
    did = "froze: it stopped sending" if event.kind == "freeze" else "thawed: it sends again"
    return f"the {end_of(asks=asks)} of flow {event.flow} {did}"


def _try(_lineage: Lineage, event: Event) -> str:
    if event.peer is None:
        return f"node {event.node} tried to send a broadcast"
    return f"node {event.node} tried to reach node {event.peer}"


def _adapt(_lineage: Lineage, event: Event) -> str:
    return f"flow {event.flow}: {event.detail}"


def _other(_lineage: Lineage, event: Event) -> str:
    of = "" if event.flow is None else f" of flow {event.flow}"
    return f"{event.kind.replace('_', ' ')}{of} at node {event.node}"


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
    "freeze": _froze,
    "thaw": _froze,
    "adapt": _adapt,
    "try": _try,
    **bundle_words.sentences(LOSSES),
}
