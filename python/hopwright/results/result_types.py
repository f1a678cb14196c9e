"""Python types of results. Written by `make reference`; do not edit.

They are dictionaries, as `json.load` reads them from `summary.json`. A key that not every run has
is `NotRequired`.
"""

from typing import Literal, NotRequired, TypedDict

_From = TypedDict("_From", {"from": int})


class NetworkTimes(TypedDict):
    """Where the packets of the flow were.

    Packets with data and packets in the opposite direction count. The parts add up to `measured_s`.
    """

    on_air: float
    """A frame of the exchange of a packet was on the air: RTS, CTS, data, ACK. Unit: s."""

    medium: float
    """A station served a packet, and waited for the medium: idle times, back-off, frames of other
    stations, answers that did not come. Unit: s.
    """

    queued: float
    """A packet waited in an interface queue behind another packet. Unit: s."""

    elsewhere: float
    """A packet was in the network, but not at a station: it was on a shaped link, or waited for a
    route in a router. Unit: s.
    """

    nothing: float
    """No packet of the flow was in the network. Unit: s."""


class PacketTimes(TypedDict):
    """Where packets with data spent their time.

    The parts are those of the mean delay of the packets that arrived; null if no packet arrived.
    """

    on_air: float | None
    """Frames of the packet's exchanges were on the air: RTS, CTS, data, ACK. Unit: s."""

    medium: float | None
    """Stations served the packet, and waited for the medium: the contention delay of all hops.

    Unit: s.
    """

    queued: float | None
    """The packet waited in interface queues behind other packets. Unit: s."""

    elsewhere: float | None
    """The packet was not at a station: it was on a shaped link, or waited for a route in a router.

    Unit: s.
    """


class Losses(TypedDict):
    """Lost packets from the sender to the receiver, by the cause of the loss.

    A packet is lost once: when its last copy is dropped, and not if any copy arrives. Therefore
    there are more `drops` than losses.
    """

    queue: int
    """Congestion: a queue or buffer below routing was full."""

    contention: int
    """The MAC gave up, or routing declared a neighbour lost, although the next hop was in range:
    other stations were sending. Or Link RED dropped the packet because of other stations,
    before the MAC gave up.
    """

    link_failure: int
    """The next hop was out of range, or down."""

    no_route: int
    """Routing knew no route, or a wrong one: no route was found, the routing buffer was full, the
    packet waited too long in this buffer, or the packet was in a loop.
    """

    channel: int
    """The MAC gave up, and most tries had failed because the channel damaged frames or made them
    too weak; or a shaped link lost the packet. 0 if nothing about the channel is random.
    """

    node_down: int
    """The node that had the packet was down."""

    other: int
    """The network is not to blame: nobody listened any more, a sequence number of the MAC was used
    again, or a relay held the packet back.
    """


class PhaseTimes(TypedDict):
    """Time in each phase of the sender."""

    slow_start: float
    """The start-up slot grows the window. Unit: s."""

    congestion_avoidance: float
    """The avoidance slot grows the window. Unit: s."""

    recovery: float
    """The sender repairs a loss (fast recovery). Unit: s."""

    rto: float
    """From a time-out until new data is acknowledged. Unit: s."""

    frozen: float
    """The sender sends nothing, because it was told that its route failed.

    If `series.parquet` is written, `flow-<i>.svg` shows this time shaded. Unit: s.
    """


class SenderTimes(TypedDict):
    """What kept the sender from sending more. The parts add up to `measured_s`."""

    opening: float
    """The connection was being opened. Unit: s."""

    application: float
    """The application had nothing more to send, or had not begun. Unit: s."""

    pacing: float
    """Pacing held the next segment back until its time came. Unit: s."""

    receiver_window: float
    """The window that the receiver offers was full, or the window of the scenario's
    `window_limit_segments`. Unit: s.
    """

    congestion_window: float
    """The congestion window was full, or only the next acknowledgement let more segments leave.

    Unit: s.
    """

    recovery: float
    """The sender was repairing a loss (fast recovery). Unit: s."""

    time_out: float
    """From a time-out until new data was acknowledged: equal to `phase_time_s.rto`. Unit: s."""

    frozen: float
    """The sender sent nothing, because it was told that its route failed: equal to
    `phase_time_s.frozen`. Unit: s.
    """


class Readings(TypedDict):
    """What the monitors of the triggers measured.

    Each value is the mean over all looks at which the monitor had a finite value; absent if the
    monitor had none.
    """

    loss: NotRequired[float]
    """Share of the segments that were lost. Unit: %."""

    delay: NotRequired[float]
    """Half of the round-trip time. Unit: ms."""

    bandwidth: NotRequired[float]
    """Rate of the acknowledged data. Unit: kb/s."""

    fluctuation: NotRequired[float]
    """How long the bandwidth takes to go up and down. Unit: % of the delay."""

    jitter: NotRequired[float]
    """Change from one round-trip time to the next. Unit: % of the delay."""


class Adaptation(TypedDict):
    """What the triggers of the flow did."""

    changes: int
    """Changes of mechanisms by triggers, including changes back."""

    refused: int
    """Changes that the connection refused because it cannot serve them."""

    readings: Readings
    """What the monitors of the triggers measured.

    Each value is the mean over all looks at which the monitor had a finite value; absent if the
    monitor had none.
    """


class Compute(TypedDict):
    """The computation of the two transports of the flow. Datagrams are not charged."""

    compute_j: float
    """Energy for the computation at both ends: the events of each function, times the energy of
    one such event in the coefficient file. Unit: J.
    """

    sent_bytes: int
    """Application bytes that the sender sent, including bytes sent again. Unit: bytes."""

    j_per_sent_byte: float | None
    """`compute_j` divided by `sent_bytes`; null if no byte was sent. Unit: J/byte."""

    work_events: dict[str, int]
    """Events of each function of the transports."""

    work_j: dict[str, float]
    """Energy of each function of the transports."""


class Flow(_From):
    """One flow."""

    to: int
    """The receiving node."""

    from_name: NotRequired[str]
    """The name of the sending node."""

    to_name: NotRequired[str]
    """The name of the receiving node."""

    protocol: str
    """The id of the transport; `udp` for datagrams."""

    received_bps: float
    """Data that was handed to the receiving application, divided by the measured time.

    This is the measure for UDP. Over bundles: data that was delivered in order. Unit: b/s.
    """

    measured_s: float
    """The measured time of the flow: from the start of the flow or the end of the warm-up,
    whichever is later, to the end of the run. The rates of the flow are over this time. Unit:
    s.
    """

    sending_s: float
    """The part of `measured_s` in which the application could send: up to `stop_s`. Unit: s."""

    completed_s: NotRequired[float]
    """Flow completion time: from the start of the flow until the receiving application had the
    whole file. Unit: s.
    """

    offered_bps: float | None
    """Data that the application had to send in the measured time, divided by this time; null if
    the application always has more data (`app = "bulk"`). Unit: b/s.
    """

    segments_sent: int
    """Segments with data, or datagrams, that left the sender, including those sent again.

    Over bundles: packets that all owners handed to their stations.
    """

    mean_data_in_flight: float
    """Packets from the sender to the receiver that are in the network, neither delivered nor
    dropped, averaged over time.
    """

    mean_hops: float | None
    """Mean number of hops of the packets that reached the receiver; null if no packet did."""

    reverse_bps: NotRequired[float]
    """Acknowledgements without data that came to the sender of the flow, with IP headers and
    headers of DSR. Over NCTP: all messages about bundles, probes included, that came to their
    destination. Over UDP: 0. Unit: b/s.
    """

    network_time_s: NotRequired[NetworkTimes]
    """Where the packets of the flow were.

    Packets with data and packets in the opposite direction count. The parts add up to `measured_s`.
    """

    packet_time_s: NotRequired[PacketTimes]
    """Where packets with data spent their time.

    The parts are those of the mean delay of the packets that arrived; null if no packet arrived.
    """

    data_j: NotRequired[float]
    """Energy that the radios of all nodes spent on packets from the sender to the receiver,
    including all frames of the MAC for these packets. Unit: J.
    """

    losses: Losses
    """Lost packets from the sender to the receiver, by the cause of the loss.

    A packet is lost once: when its last copy is dropped, and not if any copy arrives. Therefore
    there are more `drops` than losses.
    """

    drops: dict[str, int]
    """Dropped copies of packets of the flow, in both directions, by cause.

    Causes that did not occur are absent. Tables have a column for each cause, such as
    `drops.queue_full`.
    """

    goodput_bps: NotRequired[float]
    """Application data acknowledged at the sender, each byte once, divided by the measured time.

    Unit: b/s.
    """

    goodput_segments: NotRequired[int]
    """The data of `goodput_bps`, in whole segments of `segment_bytes`. Unit: segments."""

    retransmissions: NotRequired[int]
    """Segments sent again."""

    spurious_retransmissions: NotRequired[int]
    """Segments that were sent again although nothing was missing: when the segment left, earlier
    copies of all its data had arrived or were still in the network.
    """

    rto_count: NotRequired[int]
    """Expiries of the retransmission timer."""

    rto_time_s: NotRequired[float]
    """Time from time-outs until new data was acknowledged: equal to `phase_time_s.rto`. Unit: s."""

    silence_probes: NotRequired[int]
    """Segments without data that asked for an acknowledgement after a silence."""

    mean_cwnd_segments: NotRequired[float]
    """Congestion window, averaged over time, without the inflation of the window in fast recovery.

    Unit: segments.
    """

    max_cwnd_segments: NotRequired[float]
    """Largest value of the congestion window. Unit: segments."""

    mean_rtt_s: NotRequired[float | None]
    """Mean of the round-trip times that the sender measured; null if the sender measured none.

    Unit: s.
    """

    sd_rtt_s: NotRequired[float | None]
    """Standard deviation of these round-trip times (divisor n - 1); null if there are fewer than
    two. Unit: s.
    """

    mean_acks_in_flight: NotRequired[float]
    """Packets from the receiver to the sender (acknowledgements) that are in the network, averaged
    over time.
    """

    acks_j: NotRequired[float]
    """Energy that the radios of all nodes spent on packets from the receiver to the sender:
    acknowledgements. Unit: J.
    """

    ack_losses: NotRequired[Losses]
    """Lost packets from the receiver to the sender (acknowledgements), by the cause of the loss,
    counted like `losses`.
    """

    phase_time_s: NotRequired[PhaseTimes]
    """Time in each phase of the sender."""

    sender_time_s: NotRequired[SenderTimes]
    """What kept the sender from sending more. The parts add up to `measured_s`."""

    adaptation: NotRequired[Adaptation]
    """What the triggers of the flow did."""

    compute: NotRequired[Compute]
    """The computation of the two transports of the flow. Datagrams are not charged."""

    diagnoses: NotRequired[dict[str, int]]
    """How often the sender made a diagnosis of a lost segment, by the truth and the diagnosis:
    *truth*`_as_`*diagnosis*, such as `queue_as_channel`. Pairs that did not occur are absent.
    Tables have a column for each pair.
    """

    mean_rate_pps: NotRequired[float | None]
    """Mean of the sender's rate S: one value after each feedback that came while the sender sent
    data; null if no feedback came. Unit: packets/s.
    """

    sd_rate_pps: NotRequired[float | None]
    """Standard deviation of the rate S (divisor n - 1); null if there are fewer than two values.

    Unit: packets/s.
    """

    mean_told_pps: NotRequired[float | None]
    """Mean of the rate R over the feedback of `mean_rate_pps`.

    R is the rate that the path can carry, according to the stamps of its stations; R bounds S.
    Unit: packets/s.
    """

    feedbacks: NotRequired[int]
    """Feedback that the sender got, answers to probes included."""

    probes: NotRequired[int]
    """Probes that the sender sent."""

    openings: NotRequired[int]
    """How often the answer to a probe made the sender begin, or continue, to send data."""

    probing_time_s: NotRequired[float]
    """Time in which the sender sent probes and no data: before the first answer, after a notice of
    a route failure, and after three epochs without feedback. Unit: s.
    """

    arrived_bps: NotRequired[float]
    """Application data that came to the destination, each byte once, also of bundles that are not
    complete. Unit: b/s.
    """

    bundles_cut: NotRequired[int]
    """Bundles that the source made from its data."""

    bundles_delivered: NotRequired[int]
    """Bundles that the destination delivered."""

    bundles_resent: NotRequired[int]
    """Expiries of the source's timer, after each of which the source sent a bundle again."""

    hops_made: NotRequired[int]
    """Hops over which a bundle was handed over, copies of bundles included."""

    duplicate_packets: NotRequired[int]
    """Packets that the node already had, or whose bundle was already owned or delivered.

    Unit: packets.
    """

    parts_deleted: NotRequired[int]
    """Parts of bundles that were deleted because no more packets of the bundle came."""

    link_failures: NotRequired[int]
    """Transfers that ended because the next owner did not answer."""

    silent_probes: NotRequired[int]
    """Probes that nobody answered in time."""

    packets_without_room: NotRequired[int]
    """Packets for which a node on the path had no room."""

    refusals: NotRequired[int]
    """How often the owner of a bundle was told that a node on the path had no room."""

    bundles_lost: NotRequired[int]
    """Whole bundles that were lost because their node went down, or that were given up."""


class FrameCounts(TypedDict):
    """Frames that their addressee lost because another transmission overlapped.

    For a broadcast, each node in reception range counts as an addressee. Not counted: frames that
    were too weak to decode, frames that were captured, and frames that arrived while the addressee
    was sending.
    """

    rts_cts: int
    """RTS and CTS."""

    data: int
    """Data of a transport."""

    ack: int
    """Acknowledgements of a transport."""

    mac_ack: int
    """Acknowledgements of the MAC."""

    routing: int
    """Messages of routing and of address resolution."""

    total: int
    """All frames together."""


class Failures(TypedDict):
    """What stations gave up at a retry limit."""

    rts_cts: int
    """Exchanges that were given up at the retry limit of the RTS."""

    data: int
    """Packets with data that the MAC gave up because no CTS or no MAC ACK came."""

    ack: int
    """Acknowledgements of a transport that the MAC gave up because no CTS or no MAC ACK came."""

    routing: int
    """Messages of routing and of address resolution that the MAC gave up because no CTS or no MAC
    ACK came.
    """

    lost_packets: int
    """Packets that were lost because the MAC gave them up, each packet once.

    A packet is not lost if the next hop had received it. Unit: packets.
    """


class Mac(TypedDict):
    """Counts of all stations together."""

    collisions: FrameCounts
    """Frames that their addressee lost because another transmission overlapped.

    For a broadcast, each node in reception range counts as an addressee. Not counted: frames that
    were too weak to decode, frames that were captured, and frames that arrived while the addressee
    was sending.
    """

    channel_errors: NotRequired[FrameCounts]
    """Frames that their addressee lost because the channel damaged the frame or made it too weak.

    For a broadcast, each node in reception range counts as an addressee.
    """

    failures: Failures
    """What stations gave up at a retry limit."""

    mean_queue_packets: float
    """Length of the interface queue, averaged over time and nodes. Unit: packets."""


class LinkResult(_From):
    """One direction of a shaped link, or both directions if they share the link."""

    to: int
    """The receiving node."""

    shared: bool
    """Whether both directions share the link.

    If they do, the counts are of both directions together.
    """

    carried_bps: float
    """Data that arrived, IP headers included. Unit: b/s."""

    packets: int
    """Packets that arrived."""

    lost: int
    """Packets that the link lost."""

    dropped: int
    """Packets dropped before the link sent them: the queue was full, the packet had waited too
    long, or a change cleared the link.
    """

    mean_queue_packets: float
    """Packets that wait for the link, averaged over time. Unit: packets."""


class SnoopResult(TypedDict):
    """A relay that sends packets again if they were lost on the wireless side."""

    kind: Literal["snoop"]
    """"""

    node: int
    """The node of the relay."""

    cached: int
    """Packets that the relay kept."""

    sent_again_by_duplicates: int
    """Packets that the relay sent again because acknowledgements were repeated."""

    sent_again_by_timer: int
    """Packets that the relay sent again because no acknowledgement came in time."""

    suppressed_acks: int
    """Repeated acknowledgements that the relay held back."""

    loss_notices: int
    """Acknowledgements in which the relay wrote that data from the wireless side was lost there."""


class SplitConnection(TypedDict):
    """The connection in which a relay carries the data of a flow to the receiver."""

    flow: int
    """The number of the flow."""

    protocol: str
    """The transport protocol of the connection."""

    segments_sent: int
    """Segments sent, including those sent again."""

    retransmissions: int
    """Segments sent again."""

    rto_count: int
    """Expiries of the retransmission timer."""

    mean_cwnd_segments: float
    """Congestion window, averaged over time. Unit: segments."""

    mean_rtt_s: float | None
    """Mean of the round-trip times that the relay measured; null if it measured none. Unit: s."""

    mean_buffered_bytes: float
    """Bytes in the relay's buffer that the receiver had not acknowledged, averaged over time.

    Unit: bytes.
    """

    most_buffered_bytes: int
    """Largest number of such bytes, from the start of the run. Unit: bytes."""


class SplitResult(TypedDict):
    """A relay that ends connections and carries their data in connections of its own."""

    kind: Literal["split"]
    """"""

    node: int
    """The node of the relay."""

    connections: list[SplitConnection]
    """The relay's own connections, in the order of their flows."""


class BundlesHeld(TypedDict):
    """Counts of all nodes that carry bundles together."""

    most_held: int
    """Largest number of bundles of other nodes, whole or in parts, that one node had at one time,
    from the start of the run.
    """

    left: int
    """Number of bundles of other nodes, whole or in parts, that all nodes have at the end."""


class RoutingCounts(TypedDict):
    """Counts of all routers together."""

    control_packets: int
    """Messages of routing that were sent or forwarded: each transmission counts. Unit: packets."""

    control_bytes: int
    """Bytes of these messages. Unit: bytes."""

    notices: int
    """Notices to transports about their routes, as separate packets or in DSR's route errors: each
    transmission counts. A notice that a next hop does not receive is lost, like any packet.
    With the scenario's `routing.lost_notices = "sent-again"`, the station sends the notice
    again as long as the next hop is in range, as Zhou et al. assume.
    """

    route_breaks: int
    """How often a node declared a neighbour lost and therefore took routes out of use."""

    false_route_breaks: int
    """Route breaks in which the neighbour was in range."""


class SpatialReuse(TypedDict):
    """How many received data frames were on the air at the same time.

    This is what the medium carried, not the largest number that the medium could have carried.
    """

    mean: float
    """Average over time, idle times included.

    Divided by `mac_utilisation`, the result is the average over the times with at least one such
    frame.
    """

    max: int
    """Largest number at one time."""


class IndependentSet(TypedDict):
    """How many data frames could have been on the air at the same time.

    This is the size of the largest set of links with packets to send, no two of which exclude each
    other.
    """

    mean: float
    """Average over samples every 10 ms, idle times included."""

    max: int
    """Largest number in one sample."""

    exact: float
    """Share of the samples in which the counted set is surely the largest.

    With hundreds of links over a wide area, the search takes too long; the counted set can then be
    some percent too small. Unit: ratio.
    """


class MediumUse(TypedDict):
    """How the medium was used in the measured time."""

    mac_utilisation: float
    """Share of the measured time in which at least one received data frame was on the air.

    Data frames with one addressee count, whatever they carry. Unit: ratio.
    """

    spatial_reuse: SpatialReuse
    """How many received data frames were on the air at the same time.

    This is what the medium carried, not the largest number that the medium could have carried.
    """

    independent_set: IndependentSet
    """How many data frames could have been on the air at the same time.

    This is the size of the largest set of links with packets to send, no two of which exclude each
    other.
    """

    contending_mac_flows: float
    """Triples of node, next hop and flow with a packet in the interface queue or in service,
    averaged over samples every 10 ms.
    """


class OverStates(TypedDict):
    """`energy.radio_j`, by the state of the radios."""

    transmit: float
    """The radio was sending. Unit: J."""

    receive: float
    """The radio received frames that were strong enough to be decoded and addressed to the node,
    or to all nodes. Unit: J.
    """

    overhear: float
    """The radio received frames that were strong enough to be decoded and addressed to another
    node. Unit: J.
    """

    sense: float
    """The radio sensed frames that were too weak to be decoded. Unit: J."""

    idle: float
    """No frame arrived at the radio, and the radio was not sending. Unit: J."""

    off: float
    """The node was down. Unit: J."""


class NodeEnergy(TypedDict):
    """One node's radio."""

    radio_j: float
    """Energy that the radio of the node spent. Unit: J."""

    state_time_s: OverStates
    """Time in each state. All states together: the measured time."""


class Energy(TypedDict):
    """Energy that radios and transports spent in the measured time."""

    radio_j: NotRequired[float]
    """Energy that the radios of all nodes spent. Unit: J."""

    communication_j: NotRequired[float]
    """The part of `energy.radio_j` that radios spent on frames: sending, receiving, overhearing or
    sensing them. Unit: J.
    """

    communication_j_per_received_bit: NotRequired[float | None]
    """`energy.communication_j` divided by the bits that all flows handed to their receiving
    applications; null if there were none. Unit: J/bit.
    """

    routing_j: NotRequired[float]
    """The part of `energy.communication_j` for messages of routing, messages of address
    resolution, and notices. The flows took the rest. Unit: J.
    """

    state_j: NotRequired[OverStates]
    """`energy.radio_j`, by the state of the radios."""

    state_time_s: NotRequired[OverStates]
    """Time in each state, summed over all radios.

    All states together: the number of nodes times the measured time.
    """

    nodes: NotRequired[list[NodeEnergy]]
    """The radio of each node, in the order of the node numbers. Tables leave this field out."""

    compute_j: NotRequired[float]
    """Energy for the computation of the transports of all flows.

    Datagrams are not charged: their transport is eight bytes without state. Unit: J.
    """

    j_per_received_bit: float | None
    """Energy, `energy.compute_j` included if it is counted, divided by the bits that all flows
    handed to their receiving applications; null if there were none. Unit: J/bit.
    """


class Fairness(TypedDict):
    """How evenly the flows share the network.

    The share of a flow is its goodput; over bundles `arrived_bps`, over UDP `received_bps`.
    """

    jain: float
    """Jain's index of the flows' shares: 1 if all shares are equal, 1/n if one of n flows has
    everything. Unit: ratio.
    """

    normalised_sd: float
    """Standard deviation of the shares (divisor n), divided by their mean. Unit: ratio."""

    worst_goodput_bps: float
    """The smallest share: what the worst flow gets. Unit: b/s."""


class Result(TypedDict):
    """What one run measured: an element of a summary's `results`."""

    seed: int
    """The seed of the run."""

    events: int
    """Events that the simulator handled, from the start of the run."""

    frames: int
    """Frames that were put on the air, from the start of the run.

    Over shaped links: transmissions.
    """

    fingerprint: str
    """Hash of the time, the station and the kind of every frame.

    Equal runs have equal fingerprints.
    """

    flows: list[Flow]
    """The flows, in the order of the scenario."""

    mac: NotRequired[Mac]
    """Counts of all stations together."""

    links: NotRequired[list[LinkResult]]
    """Shaped links, in the order of the scenario: one entry for each direction, or one entry for
    both directions if they share the link. Tables leave this field out.
    """

    relays: NotRequired[list[SnoopResult | SplitResult]]
    """Relays, in the order of the scenario. Tables leave this field out."""

    bundles: NotRequired[BundlesHeld]
    """Counts of all nodes that carry bundles together."""

    routing: RoutingCounts
    """Counts of all routers together."""

    medium_use: NotRequired[MediumUse]
    """How the medium was used in the measured time."""

    energy: NotRequired[Energy]
    """Energy that radios and transports spent in the measured time."""

    fairness: Fairness
    """How evenly the flows share the network.

    The share of a flow is its goodput; over bundles `arrived_bps`, over UDP `received_bps`.
    """

    wall_s: float
    """Computing time of the run on this machine. Unit: s."""


class ByFrame(TypedDict):
    """Failed tries, by the frame that was lost or not answered."""

    rts: float
    """RTS."""

    cts: float
    """CTS."""

    data: float
    """Data."""

    ack: float
    """Acknowledgements of the MAC."""


class HopsOfLink(_From):
    """What a station and one of its next hops did with packets."""

    to: int
    """The receiving node."""

    tries: float
    """Tries to hand over a packet."""

    handed_over: float
    """Packets that were handed over."""

    given_up: float
    """Packets that were given up."""

    lost: ByFrame
    """Failed tries, by the frame that was lost or not answered."""

    causes: dict[str, float]
    """Failed tries, by the cause of the failure; causes that did not occur are absent."""

    airtime_share: float
    """Share of the measured time in which frames of the link's exchanges were on the air, answers
    included. Unit: ratio.
    """

    mean_service_s: float | None
    """Mean length of a service; null if there was none. Unit: s."""

    route_breaks: float
    """How often a failure of this link took routes out of use."""

    false_route_breaks: float
    """Route breaks in which the receiving node was in range."""


class HopsOfNode(TypedDict):
    """What a node had to do with the medium."""

    node: int
    """The number of the node."""

    sent_share: float
    """Share of the measured time in which the node sent. Unit: ratio."""

    busy_share: float
    """Share of the measured time in which the node sent, sensed the carrier, or regarded the
    medium as reserved. Unit: ratio.
    """

    mean_queue_packets: float
    """Packets in the interface queue of the node, averaged over the measured time.

    Unit: packets.
    """

    longest_queue_packets: float
    """Largest number of packets in the interface queue of the node. Unit: packets."""


class FlowHop(_From):
    """What a link did for a flow's data."""

    to: int
    """The receiving node."""

    packets: float
    """Packets of the flow that the link handed over or gave up."""

    mean_tries: float
    """Mean number of tries for each of these packets."""

    mean_service_s: float
    """Mean length of the services of these packets. Unit: s."""

    service_share: float
    """Share of the measured time that these services took. Unit: ratio."""


class HopsOfFlow(TypedDict):
    """Which link held a flow back."""

    flow: int
    """The number of the flow."""

    hops: list[FlowHop]
    """The links that carried data of the flow, in the order of `from` and `to`."""

    held_back_by: list[float] | None
    """The link that spent the most time on packets of the flow; null if no link carried data."""


class Hops(TypedDict):
    """The per-hop report: how links, nodes and flows used the medium in the measured time.

    With several runs, each number is the mean over the runs; a link that a run did not use counts
    as 0 in this run.
    """

    links: list[HopsOfLink]
    """One entry for each link, in the order of sender and receiver."""

    nodes: list[HopsOfNode]
    """One entry for each node, in the order of node numbers."""

    flows: list[HopsOfFlow]
    """One entry for each flow, in the order of flow numbers."""


class Summary(TypedDict):
    """Results of the network simulator Hopwright: what `hopwright run --json` prints."""

    scenario: str
    """The name of the scenario."""

    version: str
    """The version of the program."""

    seed: int
    """The seed of the first run."""

    runs: int
    """The number of runs. Their seeds are counted up from `seed`."""

    duration_s: float
    """The length of each run, in simulated time."""

    names: NotRequired[list[str]]
    """The name of each node, in the order of their numbers.

    Only with `topology.kind = "sumo-fcd"`; other summaries do not have this field.
    """

    results: list[Result]
    """The result of each run, in the order of the seeds."""

    mean: Result
    """The mean of each number over the runs, in an object with the shape of a result.

    Words, and numbers that only name something (`seed`, `from`, `to`), are left out.
    """

    ci95: Result | None
    """Half the width of the 95 % confidence interval of each mean (Student's t), in an object with
    the shape of a result; null if there is one run.
    """

    hops: NotRequired[Hops]
    """The per-hop report: how links, nodes and flows used the medium in the measured time.

    With several runs, each number is the mean over the runs; a link that a run did not use counts
    as 0 in this run.
    """

    emulation: NotRequired[dict[str, object]]
    """How an emulation, or its replay, went. Other runs do not have this field."""
