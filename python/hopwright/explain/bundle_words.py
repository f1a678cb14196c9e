"""What happens to bundles, in words."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from hopwright.explain.events import Event, Lineage
from hopwright.results.said import SAID

PACKETS = {
    "bundle": "a packet of {bundle}",
    "bundle_probe": "the probe for {bundle}",
    "bundle_alive": "the answer to the probe for {bundle}",
    "bundle_ack": "the acknowledgement of {bundle}",
    "bundle_refusal": "the refusal of {bundle}",
}
"""What a packet is, by what it carries."""
_PLAIN = {
    "bundle_cut": "node {node} cut {bundle}: {bytes} bytes",
    "bundle_begun": "the first packet of {bundle} came to node {node} from node {peer}",
    "bundle_owned": "node {node} had received all of {bundle} from node {peer}, and now owned it",
    "bundle_handed_over": "node {node} handed {bundle} over to node {peer}",
    "bundle_link_failed": "node {node} could not reach node {peer} to hand over {bundle}",
    "bundle_probed": "node {node} asked whether the path of {bundle} works",
    "bundle_silent": "node {node} got no answer about the path of {bundle}: {why}",
    "bundle_part_deleted": "node {node} deleted its part of {bundle}, because {why}",
    "bundle_refused": "node {peer} had no room for {bundle}, and refused it to node {node}",
    "bundle_no_room": "node {node} had no room for a packet of {bundle} from node {peer}",
    "bundle_lost": "{why}",
    "bundle_delivered": "node {node}, the destination, delivered {bundle}",
    "bundle_resent": "node {node} sent {bundle} again (copy {tries}): {why}",
    "bundle_acknowledged": "node {node} got the acknowledgement of {bundle}",
}
"""What happened, by kind."""
KINDS = tuple(_PLAIN)
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
    why = SAID.get(event.kind, {}).get(event.cause or "", "the reason is not known")
    return _PLAIN[event.kind].format(**fields, why=why.format(**fields))
