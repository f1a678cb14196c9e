"""What happens to bundles, in words."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from hopwright.explain.events import Event, Lineage

PACKETS = {
    "bundle": "a packet of {bundle}",
    "bundle_probe": "the probe for {bundle}",
    "bundle_alive": "the answer to the probe for {bundle}",
    "bundle_ack": "the acknowledgement of {bundle}",
    "bundle_refusal": "the refusal of {bundle}",
}
"""What a packet is, by what it carries."""
AGAIN = {
    "data_late": "a copy of it was still on its way, at node {peer}: the timer was too early",
    "ack_late": "it had been delivered, and the acknowledgement was on its way, at node {peer}: "
    "the timer was too early",
    "not_acknowledged": "it had been delivered, and no acknowledgement had left yet",
    "ack_lost": "it had been delivered, but the acknowledgement was lost to {loss}",
    "owner_lost": "node {peer}, which owned it, went down",
    "part_deleted": "node {peer} had not got all of it, and deleted its part",
    "incomplete": "node {peer} had not got all of it, and its owner before took it for handed over",
    "no_room": "node {peer} had no room for it",
    "no_way": "node {peer}, which owned it, had no way for it",
    "not_sent": "nothing is known of it",
}
"""Why a bundle was sent again."""
SHORTLY = {
    "data_late": "a copy was on its way",
    "ack_late": "the acknowledgement was on its way",
    "not_acknowledged": "it was not acknowledged yet",
    "ack_lost": "the acknowledgement was lost",
    "owner_lost": "its owner went down",
    "part_deleted": "a part was deleted",
    "incomplete": "a part stayed a part",
    "no_room": "there was no room",
    "no_way": "there was no way",
}
"""The same for a summary."""
DELETED = {
    "node_down": "it went down",
    "link_failed": "node {peer} could not reach it any more",
    "owner_lost": "node {peer}, from which it came, went down",
    "incomplete": "node {peer} took it for handed over",
    "no_room": "other packets of it had found no room there",
    "given_up": "node {peer}, from which it came, had given it up",
    "acknowledged": "node {peer} stopped: the bundle was acknowledged",
    "data_late": "nothing came from node {peer} for too long",
}
"""Why a part of a bundle was deleted."""
LOST = {
    "node_down": "node {node} went down and lost {bundle}",
    "no_way": "node {node} gave {bundle} up, as it had no way for it",
    "no_room": "node {node} gave {bundle} up, as node {peer} had no room for it",
}
"""How an owner lost a bundle."""
SILENT = {
    "probe_late": "the probe was still on its way, at node {peer}",
    "probe_lost": "the probe was lost to {loss}",
    "answer_late": "the answer was still on its way, at node {peer}",
    "answer_lost": "the answer was lost to {loss}",
}
"""Why nobody answered a probe."""
_PLAIN = {
    "bundle_cut": "node {node} cut {bundle}: {bytes} bytes",
    "bundle_begun": "the first packet of {bundle} came to node {node} from node {peer}",
    "bundle_owned": "node {node} had all of {bundle} from node {peer}, and owned it",
    "bundle_handed_over": "node {node} handed {bundle} over to node {peer}",
    "bundle_link_failed": "node {node} could not reach node {peer} with {bundle}",
    "bundle_probed": "node {node} asked whether the way of {bundle} is alive",
    "bundle_silent": "node {node} got no answer about the way of {bundle}: {why}",
    "bundle_part_deleted": "node {node} deleted its part of {bundle}, as {why}",
    "bundle_refused": "node {peer} refused {bundle} of node {node} for want of room",
    "bundle_no_room": "node {node} had no room for a packet of {bundle} from node {peer}",
    "bundle_lost": "{why}",
    "bundle_delivered": "node {node}, the destination, delivered {bundle}",
    "bundle_resent": "node {node} sent {bundle} again (copy {tries}): {why}",
    "bundle_acknowledged": "node {node} got the acknowledgement of {bundle}",
}
"""What happened, by kind."""
KINDS = tuple(_PLAIN)
_WHY: Mapping[str, Mapping[str, str]] = {
    "bundle_silent": SILENT,
    "bundle_part_deleted": DELETED,
    "bundle_lost": LOST,
    "bundle_resent": AGAIN,
}

Sentence: TypeAlias = Callable[[Lineage, Event], str]


def name(event: Event) -> str:
    """`bundle 3 of flow 0`."""
    return f"bundle {event.bundle} of flow {event.flow}"


def packet(lineage: Lineage, event: Event) -> str:
    """`packet 7 of bundle 3 of flow 0`, `the probe for bundle 3 of flow 0`."""
    place = _place(lineage, event) if event.carries == "bundle" else None
    if place is not None:
        return f"{place} of {name(event)}"
    return PACKETS[event.carries or "bundle"].format(bundle=name(event))


def _place(lineage: Lineage, event: Event) -> str | None:
    """Which packet of its bundle it is: all but the last one are equally long."""
    cut = lineage.cut(event.flow, event.bundle)
    if cut is None or cut.first_byte is None or event.first_byte is None or not event.bytes:
        return None
    before = event.first_byte - cut.first_byte
    if before + event.bytes == cut.bytes:
        return "the last packet"
    return f"packet {before // event.bytes + 1}"


def sentences(losses: Mapping[str, str]) -> dict[str, Sentence]:
    """What says of each kind of event what happened; `losses`: what packets are lost to."""
    return {kind: partial(_sentence, losses) for kind in _PLAIN}


def _sentence(losses: Mapping[str, str], lineage: Lineage, event: Event) -> str:
    fields = event._asdict() | {"bundle": name(event)}
    fields["loss"] = losses.get(lineage.root(event) or "", "unknown reasons")
    why = _WHY.get(event.kind, {}).get(event.cause or "", "nobody knows why")
    return _PLAIN[event.kind].format(**fields, why=why.format(**fields))
