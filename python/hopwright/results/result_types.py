"""Results as Python's types know them. Written by `make reference`; do not edit.

They are dictionaries, as `json.load` reads them from `summary.json`. What not every run has is
`NotRequired`.
"""

from typing import Literal, NotRequired, TypedDict

_From = TypedDict("_From", {"from": int})


class NetworkTimes(TypedDict):
    """Where its packets were, those with data and those that go the other way.

    The parts add up to `measured_s`.
    """

    on_air: float
    """A frame of its exchange was on the air: RTS, CTS, data, ACK. Unit: s."""

    medium: float
    """A station had its turn to send it, and waited for the medium: idle times, back-off, others'
    frames, answers that did not come. Unit: s.
    """

    queued: float
    """It waited in an interface queue behind another packet. Unit: s."""

    elsewhere: float
    """It was in the network, but at no station: with a router, for want of a route, or on a shaped
    link. Unit: s.
    """

    nothing: float
    """No packet of the flow was in the network. Unit: s."""


class PacketTimes(TypedDict):
    """Where the time of packets that arrived went: their mean delay in parts; null if none did."""

    on_air: float | None
    """Frames of its exchanges were on the air: RTS, CTS, data, ACK. Unit: s."""

    medium: float | None
    """Stations had their turn to send it, and waited for the medium: the contention delay of all
    hops. Unit: s.
    """

    queued: float | None
    """It waited in interface queues behind other packets. Unit: s."""

    elsewhere: float | None
    """It was at no station: with a router, for want of a route, or on a shaped link. Unit: s."""


class Losses(TypedDict):
    """Packets from the sender to the receiver that were lost, by what is to blame.

    A packet is lost once, when its last copy is dropped, and not if a copy arrives; so there are
    more `drops` than losses.
    """

    queue: int
    """Congestion: a queue or buffer below routing was full."""

    contention: int
    """The MAC gave up, or routing took a neighbour for lost, though the next hop was in range:
    others were on the air. Or Link RED dropped it because of them, before it came to that.
    """

    link_failure: int
    """The next hop was out of range, or down."""

    no_route: int
    """Routing knew no way, or a wrong one: no route, a full routing buffer or too long a wait in
    it, a loop.
    """

    channel: int
    """The MAC gave up, and most of the tries failed to the channel, which damaged frames or made
    them too weak; or a shaped link lost it. 0 as long as nothing of the channel is left to
    chance.
    """

    node_down: int
    """The node that had it was down."""

    other: int
    """What does not belong to the network: nobody listened any more, a sequence number of the MAC
    came round, a relay held it back.
    """


class PhaseTimes(TypedDict):
    """Time in each phase of the sender."""

    slow_start: float
    """The start-up slot grows the window. Unit: s."""

    congestion_avoidance: float
    """The avoidance slot does. Unit: s."""

    recovery: float
    """A loss is repaired (fast recovery). Unit: s."""

    rto: float
    """From a time-out until new data is acknowledged. Unit: s."""

    frozen: float
    """The sender stands still, having been told that its route failed.

    Shaded in `flow-<i>.svg`, where `series.parquet` is written. Unit: s.
    """


class SenderTimes(TypedDict):
    """What kept the sender from sending more. The parts add up to `measured_s`."""

    opening: float
    """The connection was being opened. Unit: s."""

    application: float
    """The application had nothing more to send, or had not begun. Unit: s."""

    pacing: float
    """The next segment was held back until its time came. Unit: s."""

    receiver_window: float
    """The window that the receiver offers was full, or the scenario's `window_limit_segments`.

    Unit: s.
    """

    congestion_window: float
    """The congestion window was full, or the next acknowledgement alone let more leave. Unit: s."""

    recovery: float
    """A loss was being repaired (fast recovery). Unit: s."""

    time_out: float
    """From a time-out until new data was acknowledged: `phase_time_s.rto`. Unit: s."""

    frozen: float
    """The sender stood still, having been told that its route failed: `phase_time_s.frozen`.

    Unit: s.
    """


class Readings(TypedDict):
    """What the monitors that the triggers ask for said.

    It is the mean over all looks at which they had a finite value; absent if they had none.
    """

    loss: NotRequired[float]
    """Segments lost. Unit: %."""

    delay: NotRequired[float]
    """Half of the round trip. Unit: ms."""

    bandwidth: NotRequired[float]
    """What was acknowledged. Unit: kb/s."""

    fluctuation: NotRequired[float]
    """How long the bandwidth's ups and downs take. Unit: % of the delay."""

    jitter: NotRequired[float]
    """Change from one round trip to the next. Unit: % of the delay."""


class Adaptation(TypedDict):
    """What its triggers did."""

    changes: int
    """Changes of mechanisms by triggers, there and back."""

    refused: int
    """Changes that the connection refused, as it cannot serve them."""

    readings: Readings
    """What the monitors that the triggers ask for said.

    It is the mean over all looks at which they had a finite value; absent if they had none.
    """


class Compute(TypedDict):
    """What its transports computed. Datagrams are not charged for."""

    compute_j: float
    """Joules that both ends computed for: events by function, each charged at what the file says
    one costs. Unit: J.
    """

    sent_bytes: int
    """Bytes of the application that the sender sent, resent ones included. Unit: bytes."""

    j_per_sent_byte: float | None
    """`compute_j` over these; null if there are none. Unit: J/byte."""

    work_events: dict[str, int]
    """Events that were work for each function."""

    work_j: dict[str, float]
    """Joules of each function."""


class Flow(_From):
    """One flow."""

    to: int
    """The receiving node."""

    protocol: str
    """The transport, by its id; `udp`."""

    received_bps: float
    """Data handed to the receiving application over the measured time: the measure for UDP.

    Over bundles, what was delivered in order. Unit: b/s.
    """

    measured_s: float
    """The time that its rates are over: from its start, or the end of the warm-up, to the end of
    the run. Unit: s.
    """

    sending_s: float
    """The part of that time in which its application could send: up to `stop_s`. Unit: s."""

    completed_s: NotRequired[float]
    """Flow completion time: from the flow's start until the receiving application had all of the
    file. Unit: s.
    """

    offered_bps: float | None
    """Data that its application had to send in the measured time, over that time; null if it has
    always more (`app = "bulk"`). Unit: b/s.
    """

    segments_sent: int
    """Segments with data, or datagrams, that left the sender; resent ones included.

    Over bundles, what every owner handed to its station.
    """

    mean_data_in_flight: float
    """Packets from the sender to the receiver that are in the network, neither delivered nor
    dropped, averaged over time.
    """

    mean_hops: float | None
    """Hops made by packets that reached the receiver, on average; null if none did."""

    reverse_bps: NotRequired[float]
    """Acknowledgements without data that came to their flow's sender, with IP headers and DSR's;
    over NCTP all messages about bundles, probes included, that came to whom they were for; 0
    over UDP. Unit: b/s.
    """

    network_time_s: NotRequired[NetworkTimes]
    """Where its packets were, those with data and those that go the other way.

    The parts add up to `measured_s`.
    """

    packet_time_s: NotRequired[PacketTimes]
    """Where the time of packets that arrived went: their mean delay in parts; null if none did."""

    data_j: NotRequired[float]
    """What the radios of all nodes spent on packets from the sender to the receiver, with all
    frames of the MAC about them. Unit: J.
    """

    losses: Losses
    """Packets from the sender to the receiver that were lost, by what is to blame.

    A packet is lost once, when its last copy is dropped, and not if a copy arrives; so there are
    more `drops` than losses.
    """

    drops: dict[str, int]
    """Copies of packets of the flow that were dropped, in both directions, by cause; causes that
    did not occur are absent. In the table a column for each: `drops.queue_full`.
    """

    goodput_bps: NotRequired[float]
    """Application data acknowledged at the sender, each byte once, over the measured time.

    Unit: b/s.
    """

    goodput_segments: NotRequired[int]
    """The same data in whole segments of `segment_bytes`. Unit: segments."""

    retransmissions: NotRequired[int]
    """Segments sent again."""

    spurious_retransmissions: NotRequired[int]
    """Those of which, when they left, nothing was lost that had not been sent again already:
    earlier copies had arrived, or were on their way.
    """

    rto_count: NotRequired[int]
    """Expiries of the retransmission timer."""

    rto_time_s: NotRequired[float]
    """Time from time-outs until new data was acknowledged: `phase_time_s.rto`. Unit: s."""

    silence_probes: NotRequired[int]
    """Segments without data that asked for an acknowledgement after a silence."""

    mean_cwnd_segments: NotRequired[float]
    """Congestion window, averaged over time, without what fast recovery inflates.

    Unit: segments.
    """

    max_cwnd_segments: NotRequired[float]
    """Its largest value. Unit: segments."""

    mean_rtt_s: NotRequired[float | None]
    """Mean of the round-trip times that the sender measured; null if it measured none. Unit: s."""

    sd_rtt_s: NotRequired[float | None]
    """Their standard deviation (divisor n - 1); null if there are fewer than two. Unit: s."""

    mean_acks_in_flight: NotRequired[float]
    """Packets from the receiver to the sender that are in the network, acknowledgements, averaged
    over time.
    """

    acks_j: NotRequired[float]
    """What the radios of all nodes spent on packets from the receiver to the sender:
    acknowledgements. Unit: J.
    """

    ack_losses: NotRequired[Losses]
    """As `losses`, of packets from the receiver to the sender: acknowledgements."""

    phase_time_s: NotRequired[PhaseTimes]
    """Time in each phase of the sender."""

    sender_time_s: NotRequired[SenderTimes]
    """What kept the sender from sending more. The parts add up to `measured_s`."""

    adaptation: NotRequired[Adaptation]
    """What its triggers did."""

    compute: NotRequired[Compute]
    """What its transports computed. Datagrams are not charged for."""

    diagnoses: NotRequired[dict[str, int]]
    """How often the sender asked itself why a segment was lost, by what was true and what it
    believed: *truth*`_as_`*belief*, as `queue_as_channel`. What did not occur is absent. In the
    table a column for each.
    """

    mean_rate_pps: NotRequired[float | None]
    """The sender's rate S, mean over the feedback that it got while it sent data, one value after
    each; null if there was none. Unit: packets/s.
    """

    sd_rate_pps: NotRequired[float | None]
    """Its standard deviation (divisor n - 1); null if there are fewer than two. Unit: packets/s."""

    mean_told_pps: NotRequired[float | None]
    """The rate R that the way bears by what its stations wrote, mean over the same feedback: what
    bounds S. Unit: packets/s.
    """

    feedbacks: NotRequired[int]
    """Feedback that the sender got, answers to probes included."""

    probes: NotRequired[int]
    """Probes that it sent."""

    openings: NotRequired[int]
    """How often the answer to a probe had it begin, or go on, to send data."""

    probing_time_s: NotRequired[float]
    """Time without data, in which it probed: before the first answer, after a notice of a route
    failure, and after three epochs without feedback. Unit: s.
    """

    arrived_bps: NotRequired[float]
    """Application data that has come to the destination, each once, of whole bundles or not.

    Unit: b/s.
    """

    bundles_cut: NotRequired[int]
    """Bundles that the source cut."""

    bundles_delivered: NotRequired[int]
    """Bundles that the destination delivered."""

    bundles_resent: NotRequired[int]
    """Times that the source's timer ran out, so that a bundle was sent again."""

    hops_made: NotRequired[int]
    """Hops over which a bundle was handed, copies included."""

    duplicate_packets: NotRequired[int]
    """Packets that came where they were already, or belonged to a bundle that was owned or
    delivered. Unit: packets.
    """

    parts_deleted: NotRequired[int]
    """Parts of bundles that were deleted, as nothing more of them came."""

    link_failures: NotRequired[int]
    """Transfers that ended as the next owner did not answer."""

    silent_probes: NotRequired[int]
    """Those that nobody answered in time."""

    packets_without_room: NotRequired[int]
    """Packets for which a relay had no room."""

    refusals: NotRequired[int]
    """Times that an owner was told that a relay had no room."""

    bundles_lost: NotRequired[int]
    """Whole bundles that were lost with a node that went down, or given up."""


class FrameCounts(TypedDict):
    """Frames that their addressee lost because another transmission overlapped.

    Each node in reception range is an addressee of a broadcast. Not counted: frames too weak to
    decode, captured ones, and those that arrived while the addressee was sending.
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
    """All of these."""


class Failures(TypedDict):
    """What was given up after a retry limit."""

    rts_cts: int
    """Exchanges given up after the retry limit of the RTS."""

    data: int
    """Packets with data that the MAC gave up, for want of a CTS or of an acknowledgement."""

    ack: int
    """The same: acknowledgements of a transport."""

    routing: int
    """The same: messages of routing and of address resolution."""

    lost_packets: int
    """Packets lost with that, each once: given up although the next hop had received them is no
    loss. Unit: packets.
    """


class Mac(TypedDict):
    """Of all stations together."""

    collisions: FrameCounts
    """Frames that their addressee lost because another transmission overlapped.

    Each node in reception range is an addressee of a broadcast. Not counted: frames too weak to
    decode, captured ones, and those that arrived while the addressee was sending.
    """

    channel_errors: NotRequired[FrameCounts]
    """Frames that their addressee, or of a broadcast each node in range, lost because the channel
    damaged them or made them too weak.
    """

    failures: Failures
    """What was given up after a retry limit."""

    mean_queue_packets: float
    """Length of the interface queue, averaged over time and nodes. Unit: packets."""


class LinkResult(_From):
    """One direction of a shaped link, or both where they share it."""

    to: int
    """The receiving node."""

    shared: bool
    """Whether both ways share it, and are counted together."""

    carried_bps: float
    """Data that arrived, IP headers included. Unit: b/s."""

    packets: int
    """Packets that arrived."""

    lost: int
    """Packets lost on the way."""

    dropped: int
    """Packets dropped before they were sent: the queue was full, they had waited too long, a
    change cleared the link.
    """

    mean_queue_packets: float
    """Packets that wait for it, averaged over time. Unit: packets."""


class SnoopResult(TypedDict):
    """One that sends again what was lost on the wireless side."""

    kind: Literal["snoop"]
    """"""

    node: int
    """Its node."""

    cached: int
    """Packets that it kept."""

    sent_again_by_duplicates: int
    """Packets that it sent again because acknowledgements were repeated."""

    sent_again_by_timer: int
    """Packets that it sent again for want of an acknowledgement."""

    suppressed_acks: int
    """Repeated acknowledgements that it kept to itself."""

    loss_notices: int
    """Acknowledgements of data from the wireless side on which it wrote that these were lost
    there.
    """


class SplitConnection(TypedDict):
    """The connection by which a relay carries a flow on."""

    flow: int
    """The flow's number."""

    protocol: str
    """Transport protocol."""

    segments_sent: int
    """Segments sent, resent ones included."""

    retransmissions: int
    """Segments sent again."""

    rto_count: int
    """Expiries of the retransmission timer."""

    mean_cwnd_segments: float
    """Congestion window, averaged over time. Unit: segments."""

    mean_rtt_s: float | None
    """Round-trip time, mean of the samples taken; null if there was none. Unit: s."""

    mean_buffered_bytes: float
    """Bytes that the receiver had not acknowledged, averaged over time. Unit: bytes."""

    most_buffered_bytes: int
    """The most that there were, from the start of the run. Unit: bytes."""


class SplitResult(TypedDict):
    """One that ends connections and carries their data on."""

    kind: Literal["split"]
    """"""

    node: int
    """Its node."""

    connections: list[SplitConnection]
    """Its own connections, in the order of their flows."""


class BundlesHeld(TypedDict):
    """Of all nodes that carry bundles together."""

    most_held: int
    """The most bundles of others, whole or in parts, that one node had at a time, from the start
    of the run.
    """

    left: int
    """What all nodes have of them at the end."""


class RoutingCounts(TypedDict):
    """Of all routers together."""

    control_packets: int
    """Messages of routing sent or forwarded: each transmission counts. Unit: packets."""

    control_bytes: int
    """Their bytes. Unit: bytes."""

    notices: int
    """Notices to transports about their routes, as packets of their own or in DSR's route errors:
    each transmission counts. One that a next hop does not take is lost as any packet is; with
    the scenario's `routing.lost_notices = "sent-again"` its station tries it again for as long
    as the next hop is in range, as Zhou et al. assume.
    """

    route_breaks: int
    """Neighbours taken for lost, each by one node, which took routes out of use there."""

    false_route_breaks: int
    """Those of them that were in range."""


class SpatialReuse(TypedDict):
    """How many of them were on the air at once.

    That is what the medium carried, not the largest set that it could have.
    """

    mean: float
    """Averaged over time, idle times included.

    Over `mac_utilisation` it is the mean while there was one.
    """

    max: int
    """The most that were at once."""


class IndependentSet(TypedDict):
    """How many could have been on the air at once.

    That is the largest set of links with work no two of which exclude each other.
    """

    mean: float
    """Averaged over samples every 10 ms, idle times included."""

    max: int
    """The most that could have been."""

    exact: float
    """Share of the samples of which that is surely the largest set; of hundreds of links over a
    wide area it takes too long to find out, and a set up to some percent smaller is counted.
    Unit: ratio.
    """


class MediumUse(TypedDict):
    """How the medium was used."""

    mac_utilisation: float
    """Share of the time in which such a frame was on the air. Unit: ratio."""

    spatial_reuse: SpatialReuse
    """How many of them were on the air at once.

    That is what the medium carried, not the largest set that it could have.
    """

    independent_set: IndependentSet
    """How many could have been on the air at once.

    That is the largest set of links with work no two of which exclude each other.
    """

    contending_mac_flows: float
    """Triples of node, next hop and flow with a packet in the interface queue or in service,
    averaged over samples every 10 ms.
    """


class OverStates(TypedDict):
    """`energy.radio_j` by state."""

    transmit: float
    """Sending. Unit: J."""

    receive: float
    """On frames strong enough to be decoded that were for the node, or for everyone. Unit: J."""

    overhear: float
    """On such frames for another node. Unit: J."""

    sense: float
    """On frames too weak to be decoded. Unit: J."""

    idle: float
    """While nothing was in the air. Unit: J."""

    off: float
    """While the node was down. Unit: J."""


class NodeEnergy(TypedDict):
    """One node's radio."""

    radio_j: float
    """What it took. Unit: J."""

    state_time_s: OverStates
    """Time in each state; together, the measured time."""


class Energy(TypedDict):
    """What all of it took, over the measured time."""

    radio_j: NotRequired[float]
    """What the radios of all nodes took. Unit: J."""

    communication_j: NotRequired[float]
    """The part of it in which they were busy with a frame: sending, receiving, overhearing or
    sensing it. Unit: J.
    """

    communication_j_per_received_bit: NotRequired[float | None]
    """That part over the bits that all flows handed to their receiving applications; null if there
    were none. Unit: J/bit.
    """

    routing_j: NotRequired[float]
    """The part of `energy.communication_j` that messages of routing and of address resolution
    took, and notices. The rest is the flows'. Unit: J.
    """

    state_j: NotRequired[OverStates]
    """`energy.radio_j` by state."""

    state_time_s: NotRequired[OverStates]
    """Time in each state, of all radios together: nodes times measured time."""

    nodes: NotRequired[list[NodeEnergy]]
    """Of each node, in the order of their numbers. Not in the table."""

    compute_j: NotRequired[float]
    """Joules that the transports of all flows computed for.

    Datagrams have a transport of eight bytes and no state: none are charged. Unit: J.
    """

    j_per_received_bit: float | None
    """Energy, with `energy.compute_j` where that is counted, over the bits that all flows handed
    to their receiving applications; null if there were none. Unit: J/bit.
    """


class Fairness(TypedDict):
    """How evenly the flows share."""

    jain: float
    """Jain's index of the flows' shares: 1 if all get the same, 1/n if one of n gets all.

    Unit: ratio.
    """

    normalised_sd: float
    """Standard deviation of the shares (divisor n) over their mean. Unit: ratio."""

    worst_goodput_bps: float
    """The smallest of the shares: what the worst flow gets. Unit: b/s."""


class Result(TypedDict):
    """What one run measured: an element of a summary's `results`."""

    seed: int
    """Of the run."""

    events: int
    """Events handled, from the start of the run."""

    frames: int
    """Frames put on the air, from the start of the run; over links, transmissions."""

    fingerprint: str
    """Hash of time, station and kind of every frame. Equal runs have equal ones."""

    flows: list[Flow]
    """In the scenario's order."""

    mac: NotRequired[Mac]
    """Of all stations together."""

    links: NotRequired[list[LinkResult]]
    """Shaped links, in the order of the scenario: each direction, or both where they share it.

    Not in the table.
    """

    relays: NotRequired[list[SnoopResult | SplitResult]]
    """Relays, in the order of the scenario. Not in the table."""

    bundles: NotRequired[BundlesHeld]
    """Of all nodes that carry bundles together."""

    routing: RoutingCounts
    """Of all routers together."""

    medium_use: NotRequired[MediumUse]
    """How the medium was used."""

    energy: NotRequired[Energy]
    """What all of it took, over the measured time."""

    fairness: Fairness
    """How evenly the flows share."""

    wall_s: float
    """Computing time of the run on this machine. Unit: s."""


class ByFrame(TypedDict):
    """Failed tries, by the frame that was lost, or not answered."""

    rts: int
    """RTS."""

    cts: int
    """CTS."""

    data: int
    """Data."""

    ack: int
    """Acknowledgements of the MAC."""


class HopsOfLink(_From):
    """What a station had to do with one of its neighbours."""

    to: int
    """The receiving node."""

    tries: int
    """Tries to hand a packet over."""

    handed_over: int
    """Packets handed over."""

    given_up: int
    """Packets given up."""

    lost: ByFrame
    """Failed tries, by the frame that was lost, or not answered."""

    causes: dict[str, int]
    """Failed tries, by what they came to nothing for; what did not occur is absent."""

    airtime_share: float
    """Share of the measured time in which frames of its exchanges were in the air, answers
    included. Unit: ratio.
    """

    mean_service_s: float | None
    """Mean length of a service; null if there was none. Unit: s."""

    route_breaks: int
    """Routes taken out of use for a failure of this link."""

    false_route_breaks: int
    """Those of them for which it was in range."""


class HopsOfNode(TypedDict):
    """What a node had to do with the medium."""

    node: int
    """Its number."""

    sent_share: float
    """Share of the measured time in which it sent. Unit: ratio."""

    busy_share: float
    """Share of the measured time in which it sent, sensed the carrier, or took the medium for
    reserved. Unit: ratio.
    """

    mean_queue_packets: float
    """Packets in its interface queue, averaged over the measured time. Unit: packets."""

    longest_queue_packets: int
    """The longest its interface queue was. Unit: packets."""


class FlowHop(_From):
    """What a link did for a flow's data."""

    to: int
    """The receiving node."""

    packets: int
    """Packets handed over or given up."""

    mean_tries: float
    """Tries for each of them, on average."""

    mean_service_s: float
    """Mean length of their services. Unit: s."""

    service_share: float
    """Share of the measured time that these services took. Unit: ratio."""


class HopsOfFlow(TypedDict):
    """Which link held a flow back."""

    flow: int
    """Its number."""

    hops: list[FlowHop]
    """The links that carried its data, in the order of `from` and `to`."""

    held_back_by: list[int] | None
    """The link that spent most time on each of its packets; null if none was carried."""


class Hops(TypedDict):
    """What each link, each node and each flow had to do with the medium, in the measured time.

    Of several runs, the means; of a link that a run did not use, 0.
    """

    links: list[HopsOfLink]
    """By sender and receiver."""

    nodes: list[HopsOfNode]
    """By number."""

    flows: list[HopsOfFlow]
    """By number."""


class Summary(TypedDict):
    """Results of the network simulator Hopwright: what `hopwright run --json` prints."""

    scenario: str
    """The scenario's name."""

    version: str
    """Of the program."""

    seed: int
    """Of the first run."""

    runs: int
    """How many there are, with seeds counted from the first."""

    duration_s: float
    """How long each run lasts, in simulated time."""

    results: list[Result]
    """The runs, in the order of their seeds."""

    mean: Result
    """Has the shape of a result: each number's mean over the runs.

    Words and what only names (`seed`, `from`, `to`) are left out.
    """

    ci95: Result | None
    """Has the shape of a result: half the width of the mean's 95 % interval (Student's t); null if
    there is one run.
    """

    hops: NotRequired[Hops]
    """What each link, each node and each flow had to do with the medium, in the measured time.

    Of several runs, the means; of a link that a run did not use, 0.
    """

    emulation: NotRequired[dict[str, object]]
    """Of an emulation, or its replay: how that went."""
