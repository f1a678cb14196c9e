"""The tables of a scenario, as classes. Written by `make reference`; do not edit.

A key that is left out, or `None`, has the default that its text names. What a value may be is
checked when the scenario is used: see `Scenario.check`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from hopwright._schema.typed import ScenarioTable, Table

PropagationWord: TypeAlias = Literal[
    "two-ray-ground",
    "free-space",
    "log-distance",
    "disc",
]

ProfileWord: TypeAlias = Literal[
    "rfc",
    "ns2",
    "papanastasiou",
    "papanastasiou-trace",
]

SeriesWord: TypeAlias = Literal[
    "cwnd",
    "ssthresh",
    "rtt",
    "rto",
    "in-flight",
    "in-network",
    "queue",
    "backoff",
    "connection-progress",
]

TcpProtocolWord: TypeAlias = Literal[
    "tahoe",
    "reno",
    "newreno",
    "sack",
    "cubic",
    "vegas",
    "westwood",
    "westwood-plus",
    "veno",
    "ss-reno",
    "sca-reno",
    "ssca-reno",
    "ss-newreno",
    "sca-newreno",
    "ssca-newreno",
    "ss-sack",
    "sca-sack",
    "ssca-sack",
    "adaptive-sca",
    "cwl",
    "adaptive-cwl",
    "daa",
    "tcc",
    "fixed-rto",
    "door",
    "tcp-f",
    "elfn",
    "simelfn",
    "fsr",
    "atcp",
    "eln",
    "biaz-vaidya",
    "spike",
    "zigzag",
    "zbs",
    "ncpld",
    "oracle",
    "welcome",
    "tfrc",
    "wtcp",
    "stp",
]

MonitorWord: TypeAlias = Literal[
    "loss",
    "delay",
    "bandwidth",
    "fluctuation",
    "jitter",
    "interface",
]

ControlWord: TypeAlias = Literal[
    "window",
    "adaptive-cwl",
    "hybrid",
    "tfrc",
    "explicit",
]

AvoidanceWord: TypeAlias = Literal[
    "additive",
    "byte-counting",
    "slow",
    "adaptive-slow",
    "cubic",
    "few",
    "vegas",
    "veno",
    "delay",
    "told",
]

DiagnosisWord: TypeAlias = Literal[
    "blame-congestion",
    "blame-channel",
    "eln",
    "biaz-vaidya",
    "spike",
    "zigzag",
    "zbs",
    "ncpld",
    "usual-losses",
    "vegas-predictor",
    "westwood",
    "veno",
    "welcome",
    "oracle",
]

ResponseWord: TypeAlias = Literal[
    "halve",
    "restart",
    "cubic",
    "vegas",
    "veno",
    "spare",
    "bandwidth-fit",
    "welcome",
]

RecoveryWord: TypeAlias = Literal[
    "go-back",
    "fast-recovery",
    "partial-acks",
    "sack",
    "ns2-sack1",
    "status",
    "vegas",
]

TimeoutWord: TypeAlias = Literal[
    "rfc6298",
    "ns2-ticks",
    "frto",
    "eifel",
    "fixed-rto",
    "probe",
]

PathWord: TypeAlias = Literal[
    "ignore",
    "door",
    "tcp-f",
    "elfn",
    "atcp",
    "simelfn",
    "fsr",
]

AckingWord: TypeAlias = Literal[
    "every",
    "delayed",
    "every-k",
    "altman-jimenez",
    "daa",
    "tuned",
    "polled",
]

ProtocolWord: TypeAlias = Literal[
    "tahoe",
    "reno",
    "newreno",
    "sack",
    "cubic",
    "vegas",
    "westwood",
    "westwood-plus",
    "veno",
    "ss-reno",
    "sca-reno",
    "ssca-reno",
    "ss-newreno",
    "sca-newreno",
    "ssca-newreno",
    "ss-sack",
    "sca-sack",
    "ssca-sack",
    "adaptive-sca",
    "cwl",
    "adaptive-cwl",
    "daa",
    "tcc",
    "fixed-rto",
    "door",
    "tcp-f",
    "elfn",
    "simelfn",
    "fsr",
    "atcp",
    "eln",
    "biaz-vaidya",
    "spike",
    "zigzag",
    "zbs",
    "ncpld",
    "oracle",
    "welcome",
    "tfrc",
    "wtcp",
    "stp",
    "atp",
    "nctp",
    "nctp-short",
]


@dataclass(frozen=True, kw_only=True, repr=False)
class Chain(Table):
    """Nodes in a row: `hops` + 1 of them."""

    TAG: ClassVar[tuple[str, str] | None] = ("kind", "chain")

    hops: int
    """Number of hops from the first node to the last. 1 to 9999."""

    spacing_m: float | None = None
    """Distance between neighbours, metres. 0.001 to 1000000. Default: 200."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Grid(Table):
    """Nodes in rows and columns, numbered row by row."""

    TAG: ClassVar[tuple[str, str] | None] = ("kind", "grid")

    rows: int
    """Number of rows. 1 to 10000."""

    columns: int
    """Number of columns. 1 to 10000."""

    spacing_m: float | None = None
    """Distance between neighbours, metres. 0.001 to 1000000. Default: 200."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Cross(Table):
    """Two chains that cross in the middle."""

    TAG: ClassVar[tuple[str, str] | None] = ("kind", "cross")

    arm_hops: int
    """Hops from the middle to the end of each of the four arms. 1 to 2499."""

    spacing_m: float | None = None
    """Distance between neighbours, metres. 0.001 to 1000000. Default: 200."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Star(Table):
    """Node 0 in the middle, the other nodes on a circle around node 0."""

    TAG: ClassVar[tuple[str, str] | None] = ("kind", "star")

    leaves: int
    """Number of nodes on the circle. 1 to 9999."""

    radius_m: float | None = None
    """Radius of the circle, metres. 0.001 to 1000000. Default: 200."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Links(Table):
    """Nodes that shaped links connect, without a medium: see `[[links]]`."""

    TAG: ClassVar[tuple[str, str] | None] = ("kind", "links")


@dataclass(frozen=True, kw_only=True, repr=False)
class RandomNodes(Table):
    """Nodes at random places, evenly distributed over the area."""

    TAG: ClassVar[tuple[str, str] | None] = ("kind", "random")

    nodes: int
    """Number of nodes. 2 to 10000."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Positions(Table):
    """A list of positions."""

    TAG: ClassVar[tuple[str, str] | None] = ("kind", "positions")

    list: Sequence[Sequence[float]]
    """The position of each node, `[x, y]`, metres."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Ns2Movements(Table):
    """Positions and movements from an ns-2 movement file."""

    TAG: ClassVar[tuple[str, str] | None] = ("kind", "ns2")

    file: str
    """Path of the movement file, relative to the scenario file; gzip may have packed it.

    Nodes move in a plane, as the models of propagation know one height of all antennas: a file with
    heights is refused.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class BonnMotionMovements(Table):
    """Positions and movements from a two-dimensional file of BonnMotion (`.movements.gz`)."""

    TAG: ClassVar[tuple[str, str] | None] = ("kind", "bonnmotion")

    file: str
    """Path of the movement file, relative to the scenario file; gzip may have packed it.

    Nodes move in a plane, as the models of propagation know one height of all antennas: a file with
    heights is refused.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class SumoFcd(Table):
    """Positions and movements from floating-car data of SUMO.

    A node is down while its vehicle is absent.
    """

    TAG: ClassVar[tuple[str, str] | None] = ("kind", "sumo-fcd")

    file: str
    """Path of the file, relative to the scenario file; gzip may have packed it.

    Vehicles and persons are numbered from 0 in the order in which the file names them first;
    `hopwright check` lists numbers and names. `from`, `to` and `node` take the name in quotation
    marks as well as the number. Nodes move in a plane: heights (`z`) are left out.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Area(Table):
    """The area in which nodes are placed at random and move."""

    width_m: float | None = None
    """Width of the area, in x, metres. 0.001 to 1000000. Default: 1500."""

    height_m: float | None = None
    """Height of the area, in y, metres. 0.001 to 1000000. Default: 300."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Static(Table):
    """Nodes stay where the topology puts them, or move as the file of the topology says."""

    TAG: ClassVar[tuple[str, str] | None] = ("model", "static")


@dataclass(frozen=True, kw_only=True, repr=False)
class Scripted(Table):
    """Nodes stay or move as with `static`, and `[[events]]` move them, too."""

    TAG: ClassVar[tuple[str, str] | None] = ("model", "scripted")


@dataclass(frozen=True, kw_only=True, repr=False)
class RandomWaypoint(Table):
    """Each node chooses a place, moves straight there, pauses, and chooses the next place."""

    TAG: ClassVar[tuple[str, str] | None] = ("model", "random-waypoint")

    min_speed_mps: float | None = None
    """Lowest speed, m/s.

    The speed of each journey is drawn evenly from the range. 0 is allowed only with start =
    "uniform". 0 to 10000. Default: 1.
    """

    max_speed_mps: float | None = None
    """Highest speed, m/s. Above 0, to 10000. Default: 20."""

    pause_s: float | None = None
    """Pause between journeys, seconds. 0 to 1000000. Default: 0."""

    pause_max_s: float | None = None
    """Longest pause, seconds.

    If it is given, pauses are drawn evenly from `pause_s` to this time. 0 to 1000000.
    """

    start: Literal["steady-state", "yoon", "uniform"] | None = None
    """How nodes start to move. Default: "steady-state"."""


@dataclass(frozen=True, kw_only=True, repr=False)
class RandomWalk(Table):
    """Each node moves in legs.

    For each leg it chooses a new direction and a new speed. The borders of the area reflect nodes.
    """

    TAG: ClassVar[tuple[str, str] | None] = ("model", "random-walk")

    min_speed_mps: float | None = None
    """Lowest speed, m/s.

    The speed of each leg is drawn evenly from the range. 0 to 10000. Default: 1.
    """

    max_speed_mps: float | None = None
    """Highest speed, m/s. Above 0, to 10000. Default: 20."""

    leg_s: float | None = None
    """Duration of a leg, seconds. Default: 10, if `leg_m` is not given. 0.001 to 1000000."""

    leg_m: float | None = None
    """Length of a leg, metres, instead of `leg_s`. 0.001 to 1000000."""


@dataclass(frozen=True, kw_only=True, repr=False)
class GaussMarkov(Table):
    """New speeds and directions of a node depend on its former speed and direction."""

    TAG: ClassVar[tuple[str, str] | None] = ("model", "gauss-markov")

    alpha: float | None = None
    """Memory of speed and direction.

    With 0 both are drawn anew in each interval, with 1 they never change. 0 to 1. Default: 0.75.
    """

    mean_speed_mps: float | None = None
    """Mean speed, m/s. 0 to 10000. Default: 10."""

    speed_sd_mps: float | None = None
    """Standard deviation of the speed, m/s. 0 to 10000. Default: 1."""

    max_speed_mps: float | None = None
    """Highest speed, m/s.

    Higher speeds are reduced to this speed. Above 0, to 10000. Default: 20.
    """

    direction_sd_deg: float | None = None
    """Standard deviation of the direction, degrees. 0 to 360. Default: 30."""

    update_interval_s: float | None = None
    """Time between two changes of speed and direction, seconds. 0.001 to 1000000. Default: 1."""

    edge_m: float | None = None
    """Distance from an edge of the area, metres.

    Nearer to the edge, the mean direction points away from the edge. 0 to 1000000. Default: 50.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class ReferencePointGroup(Table):
    """Nodes move in groups.

    Members stay near their leader, and leaders move as with `random-waypoint`.
    """

    TAG: ClassVar[tuple[str, str] | None] = ("model", "reference-point-group")

    groups: int | None = None
    """Number of groups. 1 to 10000. Default: 4."""

    radius_m: float | None = None
    """Largest distance between a member's reference point and the leader, metres.

    0 to 1000000. Default: 100.
    """

    deviation_m: float | None = None
    """Largest distance between a member and its reference point, metres.

    0 to 1000000. Default: 10.
    """

    update_interval_s: float | None = None
    """Time between two changes of a member's movement, seconds. 0.001 to 1000000. Default: 1."""

    min_speed_mps: float | None = None
    """Lowest speed of a leader, m/s.

    The speed of each journey is drawn evenly from the range. 0 is allowed only with start =
    "uniform". 0 to 10000. Default: 1.
    """

    max_speed_mps: float | None = None
    """Highest speed, m/s. Above 0, to 10000. Default: 20."""

    pause_s: float | None = None
    """Pause between a leader's journeys, seconds. 0 to 1000000. Default: 0."""

    pause_max_s: float | None = None
    """Longest pause, seconds.

    If it is given, pauses are drawn evenly from `pause_s` to this time. 0 to 1000000.
    """

    start: Literal["steady-state", "yoon", "uniform"] | None = None
    """How leaders start to move. Default: "steady-state"."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Manhattan(Table):
    """Nodes move along streets and turn at crossings."""

    TAG: ClassVar[tuple[str, str] | None] = ("model", "manhattan")

    blocks_x: int | None = None
    """Number of blocks side by side.

    Streets run between and around blocks. 1 to 10000. Default: 10.
    """

    blocks_y: int | None = None
    """Number of blocks one above the other. 1 to 10000. Default: 2."""

    turn_left: float | None = None
    """Probability of a turn to the left at a crossing. 0 to 1. Default: 0.25."""

    turn_right: float | None = None
    """Probability of a turn to the right at a crossing.

    Otherwise a node goes straight on. 0 to 1. Default: 0.25.
    """

    min_speed_mps: float | None = None
    """Lowest speed, m/s. 0 to 10000. Default: 1."""

    max_speed_mps: float | None = None
    """Highest speed, m/s. Above 0, to 10000. Default: 20."""

    acceleration_mps2: float | None = None
    """Largest change of a node's speed within a second, m/s². 0 to 10000. Default: 1."""

    update_interval_s: float | None = None
    """Time between two changes of speed, seconds. 0.001 to 1000000. Default: 1."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Powers(Table):
    """The power that a radio takes in each of its states, watts."""

    transmit_w: float
    """Power while the radio sends, watts. 0 to 1000000."""

    receive_w: float
    """Power while a frame for this node or for all nodes arrives, watts. 0 to 1000000."""

    idle_w: float
    """Power while nothing is in the air, watts. 0 to 1000000."""

    overhear_w: float | None = None
    """Power while a frame for another node arrives, watts. Default: `receive_w`. 0 to 1000000."""

    sense_w: float | None = None
    """Power while a frame that is too weak to be decoded arrives, watts.

    Default: `receive_w`. 0 to 1000000.
    """

    off_w: float | None = None
    """Power while the node is down, watts. 0 to 1000000. Default: 0."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Radio(Table):
    """The radio of every node."""

    TABLES: ClassVar[dict[str, tuple[type[Table], ...]]] = {
        "energy": (Powers,),
    }

    propagation: PropagationWord | None = None
    """How received power depends on distance. Default: "two-ray-ground"."""

    path_loss_exponent: float | None = None
    """With propagation log-distance: the exponent with which received power falls as distance
    grows. 1 to 10. Default: 3.
    """

    reference_distance_m: float | None = None
    """With propagation log-distance: distance up to which propagation is that of free space,
    metres. 0.001 to 1000000. Default: 1.
    """

    shadowing: Literal["none", "frame", "link"] | None = None
    """How obstacles change received power. Default: "none"."""

    shadowing_sigma_db: float | None = None
    """Standard deviation of shadowing, dB. 0 to 30. Default: 4."""

    fading: Literal["none", "rayleigh", "ricean"] | None = None
    """How several paths between two antennas (multipath) change the received power of each frame.

    Default: "none".
    """

    ricean_k_db: float | None = None
    """With fading ricean: how much stronger the direct path is than all other paths together, dB.

    -30 to 60. Default: 6.
    """

    reception_range_m: float | None = None
    """Reception range: the distance up to which frames can be decoded, metres.

    0.001 to 1000000. Default: 250.
    """

    reception_threshold_dbm: float | None = None
    """Instead of `reception_range_m`: the lowest received power at which frames can be decoded,
    dBm. -200 to 100.
    """

    carrier_sense_range_m: float | None = None
    """Carrier-sense range: the distance up to which frames are noticed, metres.

    0.001 to 1000000. Default: 550.
    """

    carrier_sense_threshold_dbm: float | None = None
    """Instead of `carrier_sense_range_m`: the lowest received power at which frames are noticed,
    dBm. -200 to 100.
    """

    transmit_power_dbm: float | None = None
    """Transmit power, dBm. -100 to 100. Default: 24.5."""

    frequency_mhz: float | None = None
    """Carrier frequency, MHz. 1 to 1000000. Default: 914."""

    antenna_height_m: float | None = None
    """Antenna height above ground, metres. 0.001 to 10000. Default: 1.5."""

    capture_threshold_db: float | None = None
    """How much stronger than an overlapping frame a frame must be to be received, dB.

    0 to 100. Default: 10.
    """

    capture: Literal["first", "any"] | None = None
    """Whether the receiver may change to a later, stronger frame. Default: "first"."""

    weak_frames: Literal["lock", "energy"] | None = None
    """The effect of a frame that is noticed, but is too weak to be decoded. Default: "lock"."""

    interference: Literal["all", "locked", "sum"] | None = None
    """Which frames disturb a reception. With profile = "ns2": "locked". Default: "all"."""

    noise_floor_dbm: float | None = None
    """With interference sum: the power of noise in a receiver, dBm. -200 to 100. Default: -93.6."""

    bit_errors: bool | None = None
    """With interference sum: whether frames are damaged by random bit errors, instead of by
    `capture_threshold_db`. The probability of errors follows from modulation and SINR. With
    `phy` 802.11b: only at the rates of 802.11b. Default: False.
    """

    energy: Literal["wavelan", "lucent", "ns2"] | Powers | None = None
    """The power that the radio takes from its battery: the name of a known radio, or a table.

    Without this key, results contain no energy of radios.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Mac(Table):
    """The MAC of every node.

    Keys that only one `kind` reads may stand in a table of this kind, for example `[mac.dcf]`.
    """

    kind: Literal["dcf", "ideal"] | None = None
    """How stations get access to the medium. Default: "dcf"."""

    phy: Literal["802.11b", "802.11a", "802.11g"] | None = None
    """The physical layer that sends frames.

    802.11a and 802.11g set other defaults for `data_rate_mbps` (24), `basic_rate_mbps` (the highest
    of 6, 12 and 24 that is not above the data rate), `slot_us` (9), `sifs_us` (16 and 10),
    `difs_us` (SIFS and two slots), `preamble_us` (20) and `cw_min` (15). Default: "802.11b".
    """

    data_rate_mbps: float | None = None
    """Rate of unicast data frames, Mb/s. 0.001 to 100000. Default: 2."""

    basic_rate_mbps: float | None = None
    """Rate of control frames and broadcasts, Mb/s. 0.001 to 100000. Default: 1."""

    rts: Literal["all", "data", "none"] | None = None
    """Which unicast frames RTS/CTS precedes: a word instead of `rts_threshold_bytes`."""

    rts_threshold_bytes: int | None = None
    """RTS/CTS precedes unicast frames that are larger than this, bytes.

    0: all unicast frames. A value above the size of every frame: none. 0 to 4294967295. Default: 0.
    """

    backoff: Literal["beb", "fba"] | None = None
    """How the contention window changes after successes and failures. Default: "beb"."""

    fba_tradeoff: int | None = None
    """With back-off fba: the window of the normal stage, as a multiple of `cw_min` (Tradeoff_co of
    Hamadani and Rakocevic). 1 to 65535. Default: 10.
    """

    fba_min_threshold: float | None = None
    """With back-off fba: the share of `queue_packets` up to which packets in the queue give no
    priority (Thresh_min). 0 to 1. Default: 0.2.
    """

    fba_max_threshold: float | None = None
    """With back-off fba: the share of `queue_packets` from which on packets in the queue give full
    priority (Thresh_max). 0 to 1. Default: 0.8.
    """

    fba_lost_race: Literal["redraw", "keep-counter", "ignore"] | None = None
    """With back-off fba: what it means for a station if another station sends first.

    Default: "redraw".
    """

    fba_emptied: Literal["keep", "restart"] | None = None
    """With back-off fba: what happens to the stage and the counts of a station that had nothing to
    send and gets a packet. Default: "keep".
    """

    fba_buffered: Literal["all", "waiting"] | None = None
    """With back-off fba: which packets count as packets in the buffer. Default: "all"."""

    contention_delay: Literal["sent", "first-try"] | None = None
    """When the contention delay of a packet at a station ends.

    If a transport asks for it (offer tcc), stations measure the delay, and each data frame carries
    it in four more bytes. Default: "sent".
    """

    queue_packets: int | None = None
    """Largest number of packets in the interface queue. 1 to 1000000. Default: 50."""

    queue_discipline: Literal["routing-first", "by-class"] | None = None
    """Which packet of the interface queue is sent next.

    With profile = "ns2": "routing-first", but "by-class" with dsr. Default: "routing-first".
    """

    ecn_threshold_packets: int | None = None
    """Number of packets in the interface queue from which on the queue marks packets of transports
    with `ecn`. 0 to 1000000. Default: 25.
    """

    lred: bool | None = None
    """Whether Link RED marks or drops packets of transports while stations often have to repeat
    tries. It marks packets of transports with `ecn`, and drops other packets of transports.
    Default: False.
    """

    adaptive_pacing: bool | None = None
    """Whether stations, while they often have to repeat tries, wait after each acknowledged packet
    for as long as the packet took. Default: False.
    """

    lred_min_threshold_tries: float | None = None
    """Average number of failed tries per packet from which on Link RED and adaptive pacing act.

    0 to 255. Default: 1.
    """

    lred_max_threshold_tries: float | None = None
    """The probability of Link RED is the average minus `lred_min_threshold_tries`, divided by this
    value. Above 0, to 255. Default: 3.
    """

    lred_max_probability: float | None = None
    """Largest probability of Link RED. 0 to 1. Default: 0.1."""

    lred_weight: float | None = None
    """Weight of the newest packet in the average of failed tries. Above 0, to 1. Default: 0.125."""

    short_retry_limit: int | None = None
    """Largest number of tries of an RTS, and of a frame that is not above the RTS threshold.

    1 to 255. Default: 7.
    """

    long_retry_limit: int | None = None
    """Largest number of tries of a frame above the RTS threshold. 1 to 255. Default: 4."""

    rts_retries: Literal["short", "as-data"] | None = None
    """With the tries of which frame the tries of an RTS are counted. Default: "short"."""

    cw_min: int | None = None
    """Smallest contention window, slots. 1 to 65535. Default: 31."""

    cw_max: int | None = None
    """Largest contention window, slots. 1 to 65535. Default: 1023."""

    slot_us: float | None = None
    """Length of a slot, microseconds. 0.001 to 1000000. Default: 20."""

    sifs_us: float | None = None
    """Short interframe space, microseconds. 0.001 to 1000000. Default: 10."""

    difs_us: float | None = None
    """Interframe space before contention, microseconds. 0.001 to 1000000. Default: 50."""

    preamble_us: float | None = None
    """Preamble and PLCP header before every frame, microseconds. 0 to 1000000. Default: 192."""

    header_bytes: int | None = None
    """Length that a data frame adds to its packet, bytes.

    With profile = "ns2": 34. 0 to 1000. Default: 36.
    """

    backoff_includes_cw: bool | None = None
    """Whether the back-off can be as large as the contention window cw: it is drawn from 0 to cw,
    or else from 0 to cw - 1. With profile = "ns2": false. Default: True.
    """

    backoff_always: bool | None = None
    """Whether a station draws a back-off also for a packet that finds the medium idle.

    With profile = "ns2": true. Default: False.
    """

    eifs: Literal["instead-of-difs", "then-difs", "never"] | None = None
    """How long a station waits after a frame that it received in error.

    With profile = "ns2": "then-difs". Default: "instead-of-difs".
    """

    data_waits_for_idle: bool | None = None
    """Whether a station senses the carrier again between CTS and data frame.

    With profile = "ns2": true. Default: False.
    """

    rts_counts_preamble: bool | None = None
    """Whether the decision about RTS counts the preamble as part of the frame, and includes frames
    that are exactly as large as the threshold. With profile = "ns2": true. Default: False.
    """

    retry_counters: Literal["per-packet", "per-station"] | None = None
    """Whether retry counters belong to packets or to stations.

    With profile = "ns2": "per-station". Default: "per-packet".
    """

    link_delay_us: float | None = None
    """Time that a packet spends in the link layer in each direction, down and up, microseconds.

    With profile = "ns2": 25.0. 0 to 1000000. Default: 0.
    """

    arp: bool | None = None
    """Whether a node asks for the MAC address of a neighbour before its first packet to this
    neighbour. The profile says how. With profile = "ns2": false, but true with aodv, dsr, olsr,
    dsdv. Default: False.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Aodv(Table):
    """Parameters of the protocol `aodv`. They are kept without effect if another protocol runs."""

    profile: ProfileWord | None = None
    """Which constants and which rules are used. With profile = "ns2": "ns2". Default: "rfc"."""

    active_route_timeout_s: float | None = None
    """How long a route stays in use after its last packet, seconds.

    Default with profile rfc and without `link_feedback`: 3. 1e-06 to 1000000. Default: 10.
    """

    my_route_timeout_s: float | None = None
    """The lifetime that a destination writes into its replies, seconds.

    Default, except with profile ns2: twice `active_route_timeout_s`. With profile = "ns2": 10.0.
    1e-06 to 1000000. Default: 20.
    """

    net_diameter: int | None = None
    """The greatest length of a route, hops.

    It is also the time to live of a network-wide request. With profile = "ns2": 30. 1 to 255.
    Default: 35.
    """

    node_traversal_time_ms: float | None = None
    """A conservative estimate of the time that one hop takes, milliseconds.

    With profile = "ns2": 30.0. 0.001 to 1000000. Default: 40.
    """

    path_discovery_time_ms: float | None = None
    """How long a node remembers a request, milliseconds.

    Default, except with profile ns2: 4 x `node_traversal_time_ms` x `net_diameter`. With profile =
    "ns2": 6000.0. 0.001 to 1000000000. Default: 5600.
    """

    ttl_start: int | None = None
    """Time to live of the first request.

    The default, except with profile ns2, is at least 2 with `hello`. With profile = "ns2": 5. 1 to
    255. Default: 1.
    """

    ttl_increment: int | None = None
    """By how much the time to live grows from one request to the next. 1 to 255. Default: 2."""

    ttl_threshold: int | None = None
    """The largest time to live of a request that is not network-wide. 1 to 255. Default: 7."""

    rreq_retries: int | None = None
    """Repetitions of a network-wide request. With profile = "ns2": 3. 0 to 255. Default: 2."""

    buffer_packets: int | None = None
    """Largest number of packets that a node keeps while it looks for routes.

    0 to 1000000. Default: 64.
    """

    buffer_timeout_s: float | None = None
    """How long a node keeps a packet while it looks for a route, seconds.

    1e-06 to 1000000. Default: 30.
    """

    release_gap_ms: float | None = None
    """Time between two kept packets when they leave, milliseconds.

    With profile = "ns2": 10.0. 0 to 1000000. Default: 0.
    """

    broadcast_jitter_ms: float | None = None
    """Upper limit of the random time that a forwarded broadcast waits, milliseconds.

    0 to 1000000. Default: 10.
    """

    request_jitter_ms: float | None = None
    """Not with profile ns2: upper limit of the random time that a node waits before a request of
    its own, milliseconds. Without it, the requests of nodes that start to search at the same
    time would collide each time (RFC 5148). 0 to 1000000. Default: 10.
    """

    delete_period_s: float | None = None
    """Not with profile ns2: how long a node remembers a route that is not in use, seconds.

    Default: five times `active_route_timeout_s`, or five times `hello_interval_s` if that is
    longer. 1e-06 to 10000000.
    """

    timeout_buffer: int | None = None
    """Not with profile ns2: hops that are added to the radius of a search ring when its traversal
    time is computed. 0 to 255. Default: 2.
    """

    rreq_retries_include_first: bool | None = None
    """Not with profile ns2: whether the first network-wide request counts as a retry.

    Default: False.
    """

    rreq_ratelimit: int | None = None
    """Not with profile ns2: largest number of requests that a node originates per second.

    1 to 4294967295. Default: 10.
    """

    rerr_ratelimit: int | None = None
    """Not with profile ns2: largest number of route errors that a node originates per second.

    1 to 4294967295. Default: 10.
    """

    gratuitous: bool | None = None
    """Not with profile ns2: whether an intermediate node that replies also tells the destination.

    Default: False.
    """

    destination_only: bool | None = None
    """Not with profile ns2: whether only the destination may reply. Default: False."""

    link_feedback: bool | None = None
    """Not with profile ns2: whether a link is lost when the link layer gives up a packet.

    If not, only the packet is lost. Default: True.
    """

    hello: bool | None = None
    """Not with profile ns2: whether nodes send HELLOs, and assume that silent neighbours are lost.

    Default: true if `link_feedback` is false.
    """

    hello_always: bool | None = None
    """Not with profile ns2: whether a node sends HELLOs even if no active route leads through this
    node. Default: False.
    """

    hello_interval_s: float | None = None
    """Not with profile ns2: the longest time without a broadcast, seconds.

    Then the node sends a HELLO. 0.001 to 1000000. Default: 1.
    """

    hello_jitter_ms: float | None = None
    """Not with profile ns2: upper limit of the random time by which a HELLO is sent earlier,
    milliseconds. It must be less than the interval. 0 to 1000000. Default: 100.
    """

    allowed_hello_loss: int | None = None
    """Not with profile ns2: number of intervals of silence after which a neighbour that has sent
    HELLOs is lost. 1 to 255. Default: 2.
    """

    local_repair: bool | None = None
    """Not with profile ns2: whether the node before a lost link keeps packets and looks for
    another route. Default: False.
    """

    max_repair_ttl: int | None = None
    """Not with profile ns2: the greatest number of hops after the lost link with which a route is
    repaired. Default: 0.3 x `net_diameter`. 0 to 255.
    """

    local_add_ttl: int | None = None
    """Not with profile ns2: number of hops by which the request of a repair goes beyond the old
    length of the route. 0 to 255. Default: 2.
    """

    rrep_ack: bool | None = None
    """Not with profile ns2: whether replies ask for an acknowledgement. Default: False."""

    blacklist: bool | None = None
    """Not with profile ns2: whether a node ignores requests of neighbours that replies do not
    reach. `link_feedback` or `rrep_ack` shows this. Default: False.
    """

    blacklist_timeout_s: float | None = None
    """Not with profile ns2: how long a node ignores these requests, seconds.

    Default: `rreq_retries` x 2 x `node_traversal_time_ms` x `net_diameter`. 0 to 1000000.
    """

    next_hop_wait_ms: float | None = None
    """Not with profile ns2: how long a node waits for an acknowledgement, milliseconds.

    Default: `node_traversal_time_ms` + 10. 0.001 to 1000000.
    """

    rev_route_life_s: float | None = None
    """Only with profile ns2: the shortest lifetime of a reverse route, seconds.

    With profile = "ns2": 6.0. 0 to 1000000.
    """

    max_rreq_timeout_s: float | None = None
    """Only with profile ns2: the longest wait for a reply, and also the pause after a failed
    search, seconds. With profile = "ns2": 10.0. 0 to 1000000.
    """

    purge_interval_ms: float | None = None
    """Only with profile ns2: time between two checks of routes and kept packets, milliseconds.

    With profile = "ns2": 500.0. 1 to 1000000.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Dsr(Table):
    """Parameters of the protocol `dsr`. They are kept without effect if another protocol runs."""

    profile: Literal["rfc", "ns2", "papanastasiou", "dsr-uu"] | None = None
    """Which constants and which rules are used. With profile = "ns2": "ns2". Default: "rfc"."""

    broadcast_jitter_ms: float | None = None
    """Upper limit of the random time that forwarded requests and replies of the target wait,
    milliseconds. 0 to 1000000. Default: 10.
    """

    send_buffer_timeout_s: float | None = None
    """How long a packet waits for a route, seconds. 1e-06 to 1000000. Default: 30."""

    send_buffer_packets: int | None = None
    """Largest number of packets that wait for routes.

    If there are too many, the oldest packet is dropped. 1 to 1000000. Default: 64.
    """

    request_period_ms: float | None = None
    """The first wait between network-wide requests, milliseconds.

    With profile ns2, the first wait is four times this time, because the first search already
    counts as one that got no answer. 0.001 to 1000000. Default: 500.
    """

    max_request_period_s: float | None = None
    """The longest wait between network-wide requests, seconds. 1e-06 to 1000000. Default: 10."""

    nonpropagating_request: bool | None = None
    """Whether a search first asks only the neighbours. Default: True."""

    nonprop_request_timeout_ms: float | None = None
    """How long a node waits for the answer of neighbours, milliseconds.

    0.001 to 1000000. Default: 30.
    """

    reply_from_cache: bool | None = None
    """Whether nodes on the path of a request reply from their caches. Default: True."""

    salvage: bool | None = None
    """Whether a packet whose next hop is lost may take another route from the cache.

    Default: True.
    """

    max_salvage_count: int | None = None
    """How often a packet may take another route. 0 to 15. Default: 15."""

    promiscuous: bool | None = None
    """Whether nodes listen to packets for other stations. Default: True."""

    gratuitous_replies: bool | None = None
    """Whether nodes tell a source about a shorter path (automatic route shortening).

    Off without `promiscuous`. Default: True.
    """

    grat_reply_holdoff_s: float | None = None
    """How long a node does not tell the same source again, seconds. 0 to 1000000. Default: 1."""

    request_jitter_ms: float | None = None
    """Not with profile ns2: upper limit of the random time that a node waits before a request of
    its own, milliseconds. Without it, the requests of nodes that start to search at the same
    time would collide each time (RFC 5148). 0 to 1000000. Default: 10.
    """

    cache: Literal["path", "link", "link-static"] | None = None
    """Not with profile ns2: in which form a node keeps routes. Default: "link"."""

    cache_paths: int | None = None
    """Not with profile ns2: number of routes in the path cache. 1 to 1000000. Default: 64."""

    cache_links: int | None = None
    """Not with profile ns2: largest number of links in a link cache.

    While a node has so many, it learns no others. 1 to 1000000. Default: 1000000.
    """

    two_way_links: bool | None = None
    """Not with profile ns2: whether a link that a node learns leads both ways.

    If not, a link leads the way of the packet whose route has the link. A node also learns the way
    to a neighbour that it hears. Default: True.
    """

    route_cache_timeout_s: float | None = None
    """Not with profile ns2: how long a node keeps a path after its last use, or a link of `link-
    static` after the node last learnt it, seconds. 1e-06 to 10000000. Default: 300.
    """

    init_stability_s: float | None = None
    """Not with profile ns2: the first lifetime of a link in the link cache, seconds.

    1e-06 to 10000000. Default: 25.
    """

    stability_increase: float | None = None
    """Not with profile ns2: the lifetime that the ends of a link gain when it is used again, as a
    factor of the time between the two uses. 0 to 1000. Default: 4.
    """

    stability_decrease: float | None = None
    """Not with profile ns2: the share of the lifetime that remains to the ends of a link when the
    link breaks, as a factor. 0 to 1. Default: 0.5.
    """

    min_lifetime_s: float | None = None
    """Not with profile ns2: the shortest lifetime of a link, seconds.

    1e-06 to 10000000. Default: 1.
    """

    use_extends_s: float | None = None
    """Not with profile ns2: how long a node keeps a link after its use, seconds.

    0 to 10000000. Default: 120.
    """

    flush_link_cache: bool | None = None
    """Not with profile ns2: whether a node forgets all links when one link breaks.

    Default: False.
    """

    request_table_size: int | None = None
    """Not with profile ns2: number of nodes of which requests are remembered.

    1 to 1000000. Default: 64.
    """

    request_table_ids: int | None = None
    """Not with profile ns2: number of requests of each node that are remembered.

    1 to 1000000. Default: 16.
    """

    max_request_rexmt: int | None = None
    """Not with profile ns2: how often a request is repeated. 0 to 1000000. Default: 16."""

    discovery_hop_limit: int | None = None
    """Not with profile ns2: time to live of a network-wide request. 1 to 255. Default: 255."""

    reply_delay_ms: float | None = None
    """Not with profile ns2: the time H, milliseconds.

    Replies from the cache wait H (h - 1 + r) for a route of h hops, with a random r below 1. 0 to
    1000000. Default: 2.
    """

    link_layer_feedback: bool | None = None
    """Not with profile ns2: whether a link is lost when the link layer reports a failure.

    If not, acknowledgements decide. Default: True.
    """

    passive_acks: bool | None = None
    """Not with profile ns2: whether a packet is acknowledged when the node hears the next hop pass
    it on. Needs `promiscuous`. The last hop is asked for an acknowledgement. Off with
    `link_layer_feedback`. Default: False.
    """

    network_acks: bool | None = None
    """Not with profile ns2: whether nodes ask for acknowledgements on all hops. Default: False."""

    maintenance_buffer_packets: int | None = None
    """Not with profile ns2: number of packets that a node keeps until the next hop has confirmed
    them. 1 to 1000000. Default: 50.
    """

    maintenance_order: Literal["fifo", "lifo"] | None = None
    """Not with profile ns2: the order in which packets for a lost neighbour are salvaged or sent
    again. Default: "fifo".
    """

    maint_holdoff_ms: float | None = None
    """Not with profile ns2: how long a confirmed neighbour needs no other confirmation,
    milliseconds. 0 to 1000000. Default: 250.
    """

    max_maint_rexmt: int | None = None
    """Not with profile ns2: repetitions of a packet with a request for an acknowledgement.

    0 to 255. Default: 2.
    """

    try_passive_acks: int | None = None
    """Not with profile ns2: repetitions of a packet that waits for a passive acknowledgement.

    0 to 255. Default: 1.
    """

    passive_ack_timeout_ms: float | None = None
    """Not with profile ns2: how long a node waits for a passive acknowledgement, milliseconds.

    0.001 to 1000000. Default: 100.
    """

    own_packets_wait: bool | None = None
    """Not with profile ns2: whether a packet of a node's own waits for a new route if its next hop
    is lost and the node knows no other route. If not, the packet is dropped. Default: True.
    """

    snoop: bool | None = None
    """Not with profile ns2: whether a node keeps routes that it sees in forwarded packets and,
    with `promiscuous`, in overheard packets. Default: True.
    """

    primary_paths: int | None = None
    """Only with profile ns2: number of paths in the cache of routes that the node asked for.

    With profile = "ns2": 30. 1 to 1000000.
    """

    secondary_paths: int | None = None
    """Only with profile ns2: number of paths in the cache of routes that the node saw in use.

    With profile = "ns2": 64. 1 to 1000000.
    """

    flow_state: bool | None = None
    """Only with profile ns2: whether packets of an established flow carry no source route.

    With profile = "ns2": true.
    """

    flow_timeout_s: float | None = None
    """Only with profile ns2: how long nodes remember a flow after its last packet, seconds.

    With profile = "ns2": 60.0. 1e-06 to 65535.
    """

    flow_route_interval_s: float | None = None
    """Only with profile ns2: time between two packets of a flow that carry the route, seconds.

    With profile = "ns2": 5.0. 1e-06 to 1000000.
    """

    release_gap_ms: float | None = None
    """Only with profile ns2: time between two kept packets when they leave, milliseconds.

    With profile = "ns2": 30.0. 0 to 1000000.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Olsr(Table):
    """Parameters of the protocol `olsr`. They are kept without effect if another protocol runs."""

    profile: Literal["rfc", "papanastasiou"] | None = None
    """Which constants are used. Default: "rfc"."""

    hello_interval_s: float | None = None
    """The longest time between two HELLOs, seconds. 0.001 to 3968. Default: 2."""

    refresh_interval_s: float | None = None
    """The time within which every link is named in a HELLO, seconds.

    Default with profile rfc: `hello_interval_s`. 0.001 to 3968. Default: 2.
    """

    tc_interval_s: float | None = None
    """The longest time between two TC messages, seconds. 0.001 to 3968. Default: 5."""

    neighbour_hold_time_s: float | None = None
    """How long the information of a HELLO is valid, seconds.

    Default with profile rfc: three times `refresh_interval_s`. 1e-06 to 3968. Default: 6.
    """

    topology_hold_time_s: float | None = None
    """How long the information of a TC message is valid, seconds.

    Default with profile rfc: three times `tc_interval_s`. 1e-06 to 3968. Default: 15.
    """

    duplicate_hold_time_s: float | None = None
    """How long a node remembers a flooded message, seconds. 1e-06 to 1000000. Default: 30."""

    max_jitter_ms: float | None = None
    """Upper limit of the random time by which intervals are shorter, and for which flooded
    messages wait, milliseconds. Default with profile rfc: a quarter of `hello_interval_s`. 0 to
    1000000. Default: 500.
    """

    willingness: int | None = None
    """How willing a node is to carry packets of other nodes: 0 never, 3 the usual value, 7 always.

    0 to 7. Default: 3.
    """

    tc_redundancy: int | None = None
    """Which neighbours TC messages advertise.

    0: neighbours that chose the node as multipoint relay. 1: also the node's own multipoint relays.
    2: all neighbours. 0 to 2. Default: 0.
    """

    mpr_coverage: int | None = None
    """Number of multipoint relays that should reach each two-hop neighbour.

    1 to 255. Default: 1.
    """

    hysteresis: bool | None = None
    """Whether a link must be good for some time before it is used, and bad for some time before it
    is given up. Default: False.
    """

    hysteresis_high: float | None = None
    """Link quality above which a link is used. 0 to 1. Default: 0.8."""

    hysteresis_low: float | None = None
    """Link quality below which a link is lost. 0 to 1. Default: 0.3."""

    hysteresis_scaling: float | None = None
    """The weight of one packet in the link quality. Above 0, to 1. Default: 0.5."""

    link_layer_notification: bool | None = None
    """Whether a link is lost when the link layer gives up a packet. Default: False."""

    immediate_tc: bool | None = None
    """Whether a node tells a change of its advertised neighbours at once.

    If not, it waits for the next periodic TC message. Default: False.
    """

    immediate_forwarding: bool | None = None
    """Whether a node sends on flooded messages at once, each alone.

    If not, it sends them together after a random wait. Default: False.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Dsdv(Table):
    """Parameters of the protocol `dsdv`. They are kept without effect if another protocol runs."""

    profile: Literal["perkins", "ns2"] | None = None
    """Which constants and which rules are used. With profile = "ns2": "ns2". Default: "perkins"."""

    update_interval_s: float | None = None
    """The longest time between two full updates, seconds.

    The shortest time is three quarters of the longest. 0.001 to 1000000. Default: 15.
    """

    missed_updates: int | None = None
    """Number of intervals of silence after which a neighbour is lost. 1 to 1000. Default: 3."""

    initial_settling_time_s: float | None = None
    """The settling time of a destination about which nothing is known yet, seconds.

    A node tells a changed route after twice the settling time. 0 to 1000000. Default: 6.
    """

    settling_weight: float | None = None
    """The weight of former values in the average settling time. 0 to 1. Default: 0.875."""

    trigger_spacing_s: float | None = None
    """The shortest time between a triggered update and the update before it, seconds.

    0 to 1000000. Default: 1.
    """

    trigger_on_sequence: bool | None = None
    """Whether a newer sequence number alone triggers an update (DSDV-SQ). Default: False."""

    broadcast_jitter_ms: float | None = None
    """Upper limit of the random time that a broadcast waits, milliseconds.

    0 to 1000000. Default: 10.
    """

    start_jitter_s: float | None = None
    """Upper limit of the random time at which the first update leaves, seconds.

    0 to 1000000. Default: 2.
    """

    buffer_packets: int | None = None
    """Largest number of packets that a node keeps for each destination without a route.

    0 to 1000000. Default: 5.
    """

    link_layer_feedback: bool | None = None
    """Whether a neighbour is lost when the link layer cannot reach it.

    With profile = "ns2": false. Default: True.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Routing(Table):
    """How nodes find routes."""

    TABLES: ClassVar[dict[str, tuple[type[Table], ...]]] = {
        "aodv": (Aodv,),
        "dsr": (Dsr,),
        "olsr": (Olsr,),
        "dsdv": (Dsdv,),
    }

    protocol: Literal["static", "aodv", "dsr", "olsr", "dsdv"] | None = None
    """The routing protocol. Default: "static"."""

    multicast: Literal["refuse", "flood"] | None = None
    """What happens to packets that programs of an emulation send to groups or to all nodes.

    Default: "refuse".
    """

    multicast_jitter_ms: float | None = None
    """Upper limit of the random time that a node waits before it passes on a flooded packet,
    milliseconds. 0: no wait. Default if packets are flooded: 10. 0 to 10000.
    """

    lost_notices: Literal["as-packets", "sent-again"] | None = None
    """What happens to a notice to a transport (a route has failed, or is restored) if a next hop
    in range does not take it. Default: "as-packets".
    """

    aodv: Aodv | None = None
    """Parameters of the protocol `aodv`. They are kept without effect if another protocol runs."""

    dsr: Dsr | None = None
    """Parameters of the protocol `dsr`. They are kept without effect if another protocol runs."""

    olsr: Olsr | None = None
    """Parameters of the protocol `olsr`. They are kept without effect if another protocol runs."""

    dsdv: Dsdv | None = None
    """Parameters of the protocol `dsdv`. They are kept without effect if another protocol runs."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Output(Table):
    """What a run writes besides its summary. These keys do not change the run."""

    pcap: Sequence[int] | Literal["all"] | None = None
    """Nodes of which frames are captured, each in a file `node-<n>.pcapng`.

    "all": every node. Default: [].
    """

    series: Sequence[SeriesWord] | None = None
    """Values over time that `series.parquet` contains for every flow.

    With an empty list there is no such file. Default: ["cwnd", "ssthresh", "rtt", "rto", "in-
    flight", "queue"].
    """

    series_interval_s: float | None = None
    """Time between two rows of `series.parquet`, seconds.

    0: a row at every change. 0 to 1000000. Default: 0.
    """

    medium_use: bool | None = None
    """Whether results contain how the medium was used: `medium_use`, and `reverse_bps` of each
    flow. The run then takes somewhat longer. Default: False.
    """

    flow_time: bool | None = None
    """Whether results contain how each flow spent its time: `sender_time_s`, what kept its sender
    from sending more, and `network_time_s`, where its packets were. The run then takes somewhat
    longer. Default: False.
    """

    lineage: Literal["off", "losses", "all"] | None = None
    """Which events `events.parquet` contains, with the events that led to them, for `hopwright
    explain`. Default: "off".
    """

    frames: bool | None = None
    """Whether to write `frames.parquet` with every frame on the air, and `lanes.parquet` with what
    stations waited for. Default: False.
    """

    positions: bool | None = None
    """Whether to write `positions.parquet` with the place of each node at every moment, and the
    times when it was down. Default: False.
    """

    ns2_trace: Literal["off", "old", "new"] | None = None
    """The format of `trace.tr`, the trace that ns-2 would write. Default: "off"."""

    ns2_trace_layers: Sequence[Literal["agent", "router", "mac"]] | None = None
    """The layers of which events are in `trace.tr`. Default: ["agent", "router", "mac"]."""

    figures: Sequence[Literal["cwnd", "sequence", "rtt", "queue"]] | None = None
    """The panels of the figure `flow-<i>.svg`.

    With an empty list there is no figure. Default: ["cwnd", "sequence", "rtt", "queue"].
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Energy(Table):
    """The energy that the computation of transports takes, in joules."""

    compute: str | None = None
    """File with the energy that an event costs each transport, as `hopwright measure-energy --out`
    writes it. Results then contain the energy of computation. Default: it is not counted. The
    path is relative to the folder of the scenario.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Move(Table):
    """The node moves from its current place to another place, and stays there."""

    TAG: ClassVar[tuple[str, str] | None] = ("do", "move")

    at_s: float
    """Time of the event, seconds. 0 to 1000000."""

    node: int | str
    """The node. With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to 4294967295."""

    to_m: Sequence[float]
    """The place to which the node moves, `[x, y]`, metres."""

    speed_mps: float
    """Speed of the movement, m/s. Above 0, to 10000."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Down(Table):
    """The node goes down: its radio is off, and packets that it has to send are dropped."""

    TAG: ClassVar[tuple[str, str] | None] = ("do", "down")

    at_s: float
    """Time of the event, seconds. 0 to 1000000."""

    node: int | str
    """The node. With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to 4294967295."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Up(Table):
    """The node comes up again."""

    TAG: ClassVar[tuple[str, str] | None] = ("do", "up")

    at_s: float
    """Time of the event, seconds. 0 to 1000000."""

    node: int | str
    """The node. With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to 4294967295."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ProfilePipe(Table):
    """One pipe of a profile."""

    rtt_ms: float
    """Round-trip time, ms. 0 to 1000000."""

    lifetime_s: float | None = None
    """With `mode = "sequential"`: how long the pipe lasts, seconds.

    0: the last pipe, which stays. 0 to 1000000. Default: 0.
    """

    probability: float | None = None
    """With `mode = "simultaneous"`: the share of packets that take the pipe.

    The sum over all pipes is 1. 0 to 1. Default: 0.
    """

    loss_percent: float | None = None
    """Packets that the pipe loses, per cent. 0 to 100. Default: 0."""

    rate_kbps: float | None = None
    """Rate of the pipe, kb/s. Default: the rate of the link. Above 0, to 1000000000."""


@dataclass(frozen=True, kw_only=True, repr=False)
class LinkProfile(Table):
    """A connection that was recorded somewhere else, as pipes that the link follows.

    Delay and losses of the link are those of the pipes.
    """

    TABLES: ClassVar[dict[str, tuple[type[Table], ...]]] = {
        "pipes": (ProfilePipe,),
    }

    pipes: Sequence[ProfilePipe]
    """The pipes, in order. A pipe is a part of the recorded connection."""

    mode: Literal["sequential", "simultaneous"] | None = None
    """Whether one pipe follows another, or all pipes are used at once. Default: "sequential"."""

    repeat: bool | None = None
    """Whether the first pipe follows the last pipe again.

    If not, the last pipe stays. Only with `mode = "sequential"`. Default: False.
    """

    losses: Literal["forward", "reverse", "both"] | None = None
    """In which direction the pipes lose packets. Default: "forward"."""

    delays: Literal["both", "forward", "reverse"] | None = None
    """In which direction the pipes delay packets. Default: "both"."""


@dataclass(frozen=True, kw_only=True, repr=False)
class LinkShape(Table):
    """Properties of the direction from `to` to `from`, if they differ from the other direction."""

    preset: Literal["wlan", "wwan", "satellite"] | None = None
    """A network of Velayutham 2005, table 1. It sets the other keys if they are not given."""

    rate_kbps: float | None = None
    """Rate of the link, kb/s, IP headers included. Default: no limit. Above 0, to 1000000000."""

    trace: str | None = None
    """A file with the times at which a recorded link could send a packet, in the format of
    mahimahi, instead of a rate.
    """

    variation: Literal["none", "square", "sine", "random"] | None = None
    """How the rate varies. Default: `none`, or `square` if there is a period."""

    period_percent: float | None = None
    """Period of the variation of the rate, per cent of the delay.

    Above 0, to 1000000. Default: 100.
    """

    amplitude_percent: float | None = None
    """How far the rate goes above and below its mean, per cent of the rate.

    0 to 99. Default: 30.
    """

    delay_ms: float | None = None
    """Delay of the link, ms. 0 to 1000000. Default: 0."""

    jitter_percent: float | None = None
    """Jitter: how much longer or shorter the delay of a packet is, per cent of the delay.

    0 to 1000. Default: 0.
    """

    jitter_law: Literal["uniform", "normal"] | None = None
    """How the jitter is drawn. Default: "uniform"."""

    jitter_correlation_percent: float | None = None
    """Correlation of a packet's jitter with the jitter of the packet before, per cent.

    The law of the jitter does not change. 0 to 99. Default: 0.
    """

    reorder: bool | None = None
    """Whether packets may overtake each other. Default: False."""

    reorder_percent: float | None = None
    """Packets that have no delay and overtake all packets on the link, per cent of packets that
    may overtake. 0 to 100. Default: 0.
    """

    reorder_gap: int | None = None
    """Number of packets of which at most one overtakes others. 1 to 1000000. Default: 1."""

    reorder_correlation_percent: float | None = None
    """Correlation between the overtaking of a packet and of the packet before, per cent.

    The share of packets that overtake does not change. 0 to 99. Default: 0.
    """

    duplicate_percent: float | None = None
    """Packets that arrive twice, per cent of packets that arrive.

    The copy follows immediately. 0 to 100. Default: 0.
    """

    loss_percent: float | None = None
    """Packets lost on the link, per cent. 0 to 100. Default: 0."""

    loss_per: Literal["packet", "bit"] | None = None
    """Whether short packets are lost as often as long packets. Default: "packet"."""

    burst_packets: float | None = None
    """Mean number of packets that are lost in a row. 1 to 1000000. Default: 1."""

    loss_delay_correlation_percent: float | None = None
    """Correlation of losses with the delay, per cent.

    Above 0, packets with a longer delay are lost more often. The share of lost packets does not
    change. -100 to 100. Default: 0.
    """

    bad_begins_percent: float | None = None
    """Gilbert-Elliott model, instead of `loss_percent`: the probability p that a good link becomes
    bad with the next packet, per cent. 0 to 100. Default: 0.
    """

    bad_ends_percent: float | None = None
    """Gilbert-Elliott model: the probability r that a bad link becomes good with the next packet,
    per cent. 0 to 100. Default: 0.
    """

    bad_loss_percent: float | None = None
    """Packets lost while the link is bad (1 - h), per cent. 0 to 100. Default: 100."""

    good_loss_percent: float | None = None
    """Packets lost while the link is good (1 - k), per cent. 0 to 100. Default: 0."""

    bad_delay_ms: float | None = None
    """How much longer the delay is while the link is bad, ms. 0 to 1000000. Default: 0."""

    loss_trace: str | None = None
    """A file with the losses of a recorded link, instead of a share of losses.

    For each packet it has 0 (arrived) or 1 (lost).
    """

    queue_packets: int | None = None
    """Largest number of packets that wait for the link.

    The packet that is being sent is not counted. 0 to 1000000. Default: 50.
    """

    queue: Literal["drop-tail", "codel"] | None = None
    """Which packets are dropped besides packets that find the queue full. Default: "drop-tail"."""

    codel_target_ms: float | None = None
    """CoDel: the longest acceptable wait, ms. 0.001 to 1000000. Default: 5."""

    codel_interval_ms: float | None = None
    """CoDel: how long a longer wait is acceptable, ms. 0.001 to 1000000. Default: 100."""


@dataclass(frozen=True, kw_only=True, repr=False)
class LinkChange(Table):
    """One change of a link."""

    TABLES: ClassVar[dict[str, tuple[type[Table], ...]]] = {
        "profile": (LinkProfile,),
        "reverse": (LinkShape,),
    }

    at_s: float
    """Time of the change, seconds. 0 to 1000000."""

    network: int | None = None
    """Number of the network to which the link belongs after the change.

    The ends of the link are told of the hand-over. 0 to 1000.
    """

    clear: bool | None = None
    """Whether packets that wait for the link are lost. Default: False."""

    preset: Literal["wlan", "wwan", "satellite"] | None = None
    """A network of Velayutham 2005, table 1. It sets the other keys if they are not given."""

    rate_kbps: float | None = None
    """Rate of the link, kb/s, IP headers included. Default: no limit. Above 0, to 1000000000."""

    trace: str | None = None
    """A file with the times at which a recorded link could send a packet, in the format of
    mahimahi, instead of a rate.
    """

    variation: Literal["none", "square", "sine", "random"] | None = None
    """How the rate varies. Default: `none`, or `square` if there is a period."""

    period_percent: float | None = None
    """Period of the variation of the rate, per cent of the delay.

    Above 0, to 1000000. Default: 100.
    """

    amplitude_percent: float | None = None
    """How far the rate goes above and below its mean, per cent of the rate.

    0 to 99. Default: 30.
    """

    delay_ms: float | None = None
    """Delay of the link, ms. 0 to 1000000. Default: 0."""

    jitter_percent: float | None = None
    """Jitter: how much longer or shorter the delay of a packet is, per cent of the delay.

    0 to 1000. Default: 0.
    """

    jitter_law: Literal["uniform", "normal"] | None = None
    """How the jitter is drawn. Default: "uniform"."""

    jitter_correlation_percent: float | None = None
    """Correlation of a packet's jitter with the jitter of the packet before, per cent.

    The law of the jitter does not change. 0 to 99. Default: 0.
    """

    reorder: bool | None = None
    """Whether packets may overtake each other. Default: False."""

    reorder_percent: float | None = None
    """Packets that have no delay and overtake all packets on the link, per cent of packets that
    may overtake. 0 to 100. Default: 0.
    """

    reorder_gap: int | None = None
    """Number of packets of which at most one overtakes others. 1 to 1000000. Default: 1."""

    reorder_correlation_percent: float | None = None
    """Correlation between the overtaking of a packet and of the packet before, per cent.

    The share of packets that overtake does not change. 0 to 99. Default: 0.
    """

    duplicate_percent: float | None = None
    """Packets that arrive twice, per cent of packets that arrive.

    The copy follows immediately. 0 to 100. Default: 0.
    """

    loss_percent: float | None = None
    """Packets lost on the link, per cent. 0 to 100. Default: 0."""

    loss_per: Literal["packet", "bit"] | None = None
    """Whether short packets are lost as often as long packets. Default: "packet"."""

    burst_packets: float | None = None
    """Mean number of packets that are lost in a row. 1 to 1000000. Default: 1."""

    loss_delay_correlation_percent: float | None = None
    """Correlation of losses with the delay, per cent.

    Above 0, packets with a longer delay are lost more often. The share of lost packets does not
    change. -100 to 100. Default: 0.
    """

    bad_begins_percent: float | None = None
    """Gilbert-Elliott model, instead of `loss_percent`: the probability p that a good link becomes
    bad with the next packet, per cent. 0 to 100. Default: 0.
    """

    bad_ends_percent: float | None = None
    """Gilbert-Elliott model: the probability r that a bad link becomes good with the next packet,
    per cent. 0 to 100. Default: 0.
    """

    bad_loss_percent: float | None = None
    """Packets lost while the link is bad (1 - h), per cent. 0 to 100. Default: 100."""

    good_loss_percent: float | None = None
    """Packets lost while the link is good (1 - k), per cent. 0 to 100. Default: 0."""

    bad_delay_ms: float | None = None
    """How much longer the delay is while the link is bad, ms. 0 to 1000000. Default: 0."""

    loss_trace: str | None = None
    """A file with the losses of a recorded link, instead of a share of losses.

    For each packet it has 0 (arrived) or 1 (lost).
    """

    queue_packets: int | None = None
    """Largest number of packets that wait for the link.

    The packet that is being sent is not counted. 0 to 1000000. Default: 50.
    """

    queue: Literal["drop-tail", "codel"] | None = None
    """Which packets are dropped besides packets that find the queue full. Default: "drop-tail"."""

    codel_target_ms: float | None = None
    """CoDel: the longest acceptable wait, ms. 0.001 to 1000000. Default: 5."""

    codel_interval_ms: float | None = None
    """CoDel: how long a longer wait is acceptable, ms. 0.001 to 1000000. Default: 100."""

    profile: str | LinkProfile | None = None
    """A file with properties of the link, read as if its keys stood here.

    Or the profile itself, as a table.
    """

    reverse: LinkShape | None = None
    """Properties of the direction from `to` to `from`, if they differ from the other direction."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Link(Table):
    """A link between two nodes."""

    TABLES: ClassVar[dict[str, tuple[type[Table], ...]]] = {
        "profile": (LinkProfile,),
        "reverse": (LinkShape,),
        "changes": (LinkChange,),
    }

    from_: int
    """The node at one end. 0 to 9999."""

    to: int
    """The node at the other end. 0 to 9999."""

    directions: Literal["separate", "shared", "one-way"] | None = None
    """Whether packets travel in both directions, and whether the directions share queue and rate.

    Default: "separate".
    """

    preset: Literal["wlan", "wwan", "satellite"] | None = None
    """A network of Velayutham 2005, table 1. It sets the other keys if they are not given."""

    rate_kbps: float | None = None
    """Rate of the link, kb/s, IP headers included. Default: no limit. Above 0, to 1000000000."""

    trace: str | None = None
    """A file with the times at which a recorded link could send a packet, in the format of
    mahimahi, instead of a rate.
    """

    variation: Literal["none", "square", "sine", "random"] | None = None
    """How the rate varies. Default: `none`, or `square` if there is a period."""

    period_percent: float | None = None
    """Period of the variation of the rate, per cent of the delay.

    Above 0, to 1000000. Default: 100.
    """

    amplitude_percent: float | None = None
    """How far the rate goes above and below its mean, per cent of the rate.

    0 to 99. Default: 30.
    """

    delay_ms: float | None = None
    """Delay of the link, ms. 0 to 1000000. Default: 0."""

    jitter_percent: float | None = None
    """Jitter: how much longer or shorter the delay of a packet is, per cent of the delay.

    0 to 1000. Default: 0.
    """

    jitter_law: Literal["uniform", "normal"] | None = None
    """How the jitter is drawn. Default: "uniform"."""

    jitter_correlation_percent: float | None = None
    """Correlation of a packet's jitter with the jitter of the packet before, per cent.

    The law of the jitter does not change. 0 to 99. Default: 0.
    """

    reorder: bool | None = None
    """Whether packets may overtake each other. Default: False."""

    reorder_percent: float | None = None
    """Packets that have no delay and overtake all packets on the link, per cent of packets that
    may overtake. 0 to 100. Default: 0.
    """

    reorder_gap: int | None = None
    """Number of packets of which at most one overtakes others. 1 to 1000000. Default: 1."""

    reorder_correlation_percent: float | None = None
    """Correlation between the overtaking of a packet and of the packet before, per cent.

    The share of packets that overtake does not change. 0 to 99. Default: 0.
    """

    duplicate_percent: float | None = None
    """Packets that arrive twice, per cent of packets that arrive.

    The copy follows immediately. 0 to 100. Default: 0.
    """

    loss_percent: float | None = None
    """Packets lost on the link, per cent. 0 to 100. Default: 0."""

    loss_per: Literal["packet", "bit"] | None = None
    """Whether short packets are lost as often as long packets. Default: "packet"."""

    burst_packets: float | None = None
    """Mean number of packets that are lost in a row. 1 to 1000000. Default: 1."""

    loss_delay_correlation_percent: float | None = None
    """Correlation of losses with the delay, per cent.

    Above 0, packets with a longer delay are lost more often. The share of lost packets does not
    change. -100 to 100. Default: 0.
    """

    bad_begins_percent: float | None = None
    """Gilbert-Elliott model, instead of `loss_percent`: the probability p that a good link becomes
    bad with the next packet, per cent. 0 to 100. Default: 0.
    """

    bad_ends_percent: float | None = None
    """Gilbert-Elliott model: the probability r that a bad link becomes good with the next packet,
    per cent. 0 to 100. Default: 0.
    """

    bad_loss_percent: float | None = None
    """Packets lost while the link is bad (1 - h), per cent. 0 to 100. Default: 100."""

    good_loss_percent: float | None = None
    """Packets lost while the link is good (1 - k), per cent. 0 to 100. Default: 0."""

    bad_delay_ms: float | None = None
    """How much longer the delay is while the link is bad, ms. 0 to 1000000. Default: 0."""

    loss_trace: str | None = None
    """A file with the losses of a recorded link, instead of a share of losses.

    For each packet it has 0 (arrived) or 1 (lost).
    """

    queue_packets: int | None = None
    """Largest number of packets that wait for the link.

    The packet that is being sent is not counted. 0 to 1000000. Default: 50.
    """

    queue: Literal["drop-tail", "codel"] | None = None
    """Which packets are dropped besides packets that find the queue full. Default: "drop-tail"."""

    codel_target_ms: float | None = None
    """CoDel: the longest acceptable wait, ms. 0.001 to 1000000. Default: 5."""

    codel_interval_ms: float | None = None
    """CoDel: how long a longer wait is acceptable, ms. 0.001 to 1000000. Default: 100."""

    profile: str | LinkProfile | None = None
    """A file with properties of the link, read as if its keys stood here.

    Or the profile itself, as a table.
    """

    reverse: LinkShape | None = None
    """Properties of the direction from `to` to `from`, if they differ from the other direction."""

    changes: Sequence[LinkChange] | None = None
    """Changes of the link, in the order of time.

    Properties that an entry does not name stay as they were.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class SnoopRelay(Table):
    """The relay sends packets again that the wireless side lost (Balakrishnan and others 1995)."""

    TAG: ClassVar[tuple[str, str] | None] = ("kind", "snoop")

    node: int
    """The node. 0 to 9999."""

    towards: int | None = None
    """The neighbour on the wireless side.

    The relay keeps data that go to this neighbour. If data from this neighbour were lost before the
    relay, the relay tells their sender. Default: for each flow, the neighbour towards its receiver.
    0 to 9999.
    """

    cache_packets: int | None = None
    """Largest number of packets of a connection that the relay keeps.

    1 to 1000000. Default: 100.
    """

    min_timeout_ms: float | None = None
    """Shortest wait for an acknowledgement before the relay sends a packet again, ms.

    Otherwise the wait is the smoothed round-trip time of the wireless side plus four deviations. 1
    to 1000000. Default: 100.
    """

    retry_limit: int | None = None
    """How often the relay sends a packet again at most, until the sender sends this packet again.

    1 to 255. Default: 10.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class SplitRelay(Table):
    """The relay ends connections and carries their data over its own (Bakre and Badrinath 1995)."""

    TAG: ClassVar[tuple[str, str] | None] = ("kind", "split")

    node: int
    """The node. 0 to 9999."""

    towards: int | None = None
    """The neighbour on the wireless side.

    Only flows that send data to this neighbour are split. Default: all flows that pass. 0 to 9999.
    """

    protocol: TcpProtocolWord | None = None
    """The protocol of the relay's own connections.

    Default: the protocol of the flow, with the flow's mechanisms and parameters, but without its
    triggers.
    """

    buffer_bytes: int | None = None
    """Buffer for data of a flow that the receiver has not acknowledged, bytes.

    The window that the relay offers to the sender is the free part of this buffer. Default: as much
    as the receiver of the flow would offer. 536 to 1073725440.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Attach(Table):
    """A network namespace that `hopwright emulate` makes, whose only way out is a node."""

    node: int | str
    """The node.

    The namespace has the address of this node. With topology.kind = "sumo-fcd" also the name of a
    vehicle. 0 to 4294967295.
    """

    namespace: str | None = None
    """Name of the namespace: 1 to 32 letters, digits, '-', '_' and '.'; not `localhost`, and not
    the name of another node. Default: `node-` and the number of the node.
    """

    layer: Literal["ip", "ethernet"] | None = None
    """What the namespace and the node exchange. Default: "ip"."""

    prefix_length: int | None = None
    """With `layer = "ethernet"`: length of the prefix of the namespace's address.

    Default: 8. With 8 the kernel assumes that every node is a neighbour, and asks for its MAC
    address by ARP. With 32 no node is a neighbour until a route says so, as routing daemons need
    it. 1 to 32.
    """

    privileged: bool | None = None
    """Whether the program may change its own namespace: routes, addresses, filters.

    In this namespace, and nowhere else, it then has the capability CAP_NET_ADMIN and the
    capabilities that raw sockets and low ports need. Default: False.
    """

    command: Sequence[str] | None = None
    """A program that runs in the namespace from the start: its name and its arguments.

    Default: none.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Uniform(Table):
    """Each frame is damaged with the same probability, whatever happens to other frames."""

    TAG: ClassVar[tuple[str, str] | None] = ("model", "uniform")

    probability: float
    """Probability that a frame arrives damaged at a node; a ratio. 0 to 1."""

    from_: int | str | None = None
    """The node that sends the frames.

    Default: every node. With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to
    4294967295.
    """

    to: int | str | None = None
    """The node at which the frames arrive.

    Default: every node. With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to
    4294967295.
    """

    frames: Sequence[Literal["rts-cts", "data", "ack", "mac-ack", "routing"]] | None = None
    """What these frames carry. Default: ["rts-cts", "data", "ack", "mac-ack", "routing"]."""


@dataclass(frozen=True, kw_only=True, repr=False)
class GilbertElliott(Table):
    """Frames are damaged in bursts.

    A link is good and bad in turn, for exponentially distributed times.
    """

    TAG: ClassVar[tuple[str, str] | None] = ("model", "gilbert-elliott")

    mean_good_s: float
    """Mean time for which a link is good, seconds.

    Each direction changes independently. 1e-05 to 1000000.
    """

    mean_bad_s: float
    """Mean time for which a link is bad, seconds. 1e-05 to 1000000."""

    from_: int | str | None = None
    """The node that sends the frames.

    Default: every node. With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to
    4294967295.
    """

    to: int | str | None = None
    """The node at which the frames arrive.

    Default: every node. With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to
    4294967295.
    """

    frames: Sequence[Literal["rts-cts", "data", "ack", "mac-ack", "routing"]] | None = None
    """What these frames carry. Default: ["rts-cts", "data", "ack", "mac-ack", "routing"]."""

    good_probability: float | None = None
    """Probability of damage to a frame that leaves while the link is good; a ratio.

    0 to 1. Default: 0.
    """

    bad_probability: float | None = None
    """Probability of damage to a frame that leaves while the link is bad; a ratio.

    0 to 1. Default: 1.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Condition(Table):
    """Something that may be true of the path: one of `above`, `below` and `equals`."""

    monitor: MonitorWord
    """What the sender measures. `interface` is told by shaped links."""

    above: float | None = None
    """The condition is true if the measured value is above this bound. 0 to 1000000000000."""

    below: float | None = None
    """The condition is true if the measured value is below this bound. 0 to 1000000000000."""

    equals: int | None = None
    """The condition is true if the value is exactly this: the number of a network, for
    `interface`. 0 to 1000.
    """

    until: float | None = None
    """A true condition stays true until the value has come back over this bound.

    Default: the bound of `above` or `below`. 0 to 1000000000000.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Mechanisms(Table):
    """The mechanisms that the flow gets, by slot. All of these slots change at once, or none."""

    control: ControlWord | None = None
    """What the sender regulates: a window, a rate, or a rate made from a window."""

    clocking: Literal["self-clocked", "paced", "explicit"] | None = None
    """When the next segment may leave."""

    startup: Literal["slow-start", "slow", "vegas", "packet-pair"] | None = None
    """How the window grows before the first sign of congestion."""

    avoidance: AvoidanceWord | None = None
    """How the window grows after the first sign of congestion."""

    detection: Literal["duplicate-acks", "sack", "vegas", "eln"] | None = None
    """What counts as a loss."""

    diagnosis: DiagnosisWord | None = None
    """Why a segment was lost."""

    response: ResponseWord | None = None
    """Window and threshold after a loss."""

    recovery: RecoveryWord | None = None
    """What the sender sends again, and when recovery ends."""

    timeout: TimeoutWord | None = None
    """What it means if no acknowledgement comes."""

    path: PathWord | None = None
    """What the sender does about signals from routing."""

    acking: AckingWord | None = None
    """When the receiver sends an acknowledgement."""

    offer: Literal["free-buffer", "tcc", "separation"] | None = None
    """The window that the receiver offers to the sender."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Trigger(Table):
    """One entry of `[[flows.transport.triggers]]`."""

    TABLES: ClassVar[dict[str, tuple[type[Table], ...]]] = {
        "when": (Condition,),
        "set": (Mechanisms,),
    }

    when: Sequence[Condition]
    """Conditions on the path."""

    any: bool | None = None
    """Whether one true condition is enough. If not, all conditions must be true. Default: False."""

    set: Mechanisms | None = None
    """The mechanisms that the flow gets, by slot. All of these slots change at once, or none."""

    back: bool | None = None
    """Whether the slots change back when the trigger is no longer true.

    They get what the last of the other triggers that are still true wants, or the mechanisms from
    before all triggers. Default: False.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Tcp(Table):
    """The transport that carries the data of the flow."""

    TABLES: ClassVar[dict[str, tuple[type[Table], ...]]] = {
        "triggers": (Trigger,),
    }

    protocol: ProtocolWord | None = None
    """The transport protocol. Default: "newreno"."""

    control: ControlWord | None = None
    """What the sender regulates: a window, a rate, or a rate made from a window.

    Default: the mechanism of the protocol.
    """

    clocking: Literal["self-clocked", "paced", "explicit"] | None = None
    """When the next segment may leave. Default: the mechanism of the protocol."""

    startup: Literal["slow-start", "slow", "vegas", "packet-pair"] | None = None
    """How the window grows before the first sign of congestion.

    Default: the mechanism of the protocol.
    """

    avoidance: AvoidanceWord | None = None
    """How the window grows after the first sign of congestion.

    Default: the mechanism of the protocol.
    """

    detection: Literal["duplicate-acks", "sack", "vegas", "eln"] | None = None
    """What counts as a loss. Default: the mechanism of the protocol."""

    diagnosis: DiagnosisWord | None = None
    """Why a segment was lost. Default: the mechanism of the protocol."""

    response: ResponseWord | None = None
    """Window and threshold after a loss. Default: the mechanism of the protocol."""

    recovery: RecoveryWord | None = None
    """What the sender sends again, and when recovery ends.

    Default: the mechanism of the protocol.
    """

    timeout: TimeoutWord | None = None
    """What it means if no acknowledgement comes. Default: the mechanism of the protocol."""

    path: PathWord | None = None
    """What the sender does about signals from routing. Default: the mechanism of the protocol."""

    acking: AckingWord | None = None
    """When the receiver sends an acknowledgement. Default: the mechanism of the protocol."""

    offer: Literal["free-buffer", "tcc", "separation"] | None = None
    """The window that the receiver offers to the sender. Default: the mechanism of the protocol."""

    triggers: Sequence[Trigger] | None = None
    """Rules by which mechanisms change during the connection.

    They depend on what the sender measures of the path.
    """

    policy: str | None = None
    """A file with triggers, as `hopwright adapt` writes it.

    The triggers are read as if they stood here.
    """

    trigger_hold_s: float | None = None
    """Shortest time between two changes of a slot, seconds.

    Default: ten round trips, but at least one second. 0 to 1000000.
    """

    trigger_period_ms: float | None = None
    """Shortest time between two checks of the measured values, ms. 0 to 1000000. Default: 100."""

    loss_window_segments: int | None = None
    """Number of segments over which the monitor `loss` counts. 10 to 1000000. Default: 500."""

    loss_skips_slow_start: bool | None = None
    """Whether the monitor `loss` leaves out segments that slow start sends and loses.

    Losses of slow start only show how long a queue is. Default: False.
    """

    jitter_of: Literal["round-trips", "one-way"] | None = None
    """Which changes the monitor `jitter` measures. Default: "round-trips"."""

    monitor_source: Literal["measured", "told"] | None = None
    """Where the values of monitors come from. Default: "measured"."""

    place: Literal["sender", "receiver"] | None = None
    """The end that decides what is sent: the sender, or the receiver, which then asks the sender
    for data. Default: "sender".
    """

    segment_bytes: int | None = None
    """Largest payload of a segment. 1 to 65495. Default: 1460."""

    window_limit_segments: int | None = None
    """The largest window that the receiver offers. 1 to 65535. Default: 64."""

    initial_window_segments: int | None = None
    """Congestion window after the handshake. 1 to 65535. Default: 2."""

    max_burst_segments: int | None = None
    """Largest number of segments that one event may release.

    0: any number. 0 to 65535. Default: 3.
    """

    dupack_threshold: int | None = None
    """Number of duplicate acknowledgements that count as a loss. 1 to 65535. Default: 3."""

    limited_transmit: bool | None = None
    """Whether the first duplicate acknowledgements release new segments (RFC 3042).

    Default: False.
    """

    delayed_ack_ms: float | None = None
    """Longest delay of an acknowledgement. 0 to 1000000000. Default: 100."""

    min_rto_ms: float | None = None
    """Lower bound of the RTO (retransmission time-out), before back-off.

    0 to 1000000000. Default: 200.
    """

    max_rto_s: float | None = None
    """Upper bound of the RTO. 0.001 to 1000000. Default: 60."""

    initial_rto_ms: float | None = None
    """RTO before the first measurement.

    With profile = "ns2": 3000. 1 to 1000000000. Default: 1000.
    """

    granularity_ms: float | None = None
    """Length of a clock tick. 0 to 1000000000. Default: 10."""

    granularity_mode: Literal["heartbeat", "exact", "ns2"] | None = None
    """How clock ticks affect the timer. With profile = "ns2": "ns2". Default: "heartbeat"."""

    granularity_phase_ms: float | None = None
    """Time of the first tick. 0 to 1000000000. Default: 0."""

    idle_restart: Literal["off", "initial-window", "one-segment"] | None = None
    """The window after the sender was silent for an RTO.

    With profile = "ns2": "one-segment". Default: "initial-window".
    """

    window_validation: Literal["none", "rfc7661"] | None = None
    """Which rule stops the growth of a window that is not used.

    With rfc7661, idle_restart has no effect. Default: "none".
    """

    partial_ack_timer: Literal["first", "every"] | None = None
    """Which partial acknowledgements restart the timer. Default: "first"."""

    msl_s: float | None = None
    """Maximum segment lifetime. TIME-WAIT lasts twice as long. 0 to 1000000. Default: 120."""

    receive_buffer_bytes: int | None = None
    """Size of the receive buffer.

    0: window_limit_segments determines the size. 0 to 1073725440. Default: 0.
    """

    timestamps: bool | None = None
    """Whether the SYN asks for timestamps (RFC 7323). Default: False."""

    selective_acks: bool | None = None
    """Whether acknowledgements say which data came beyond gaps (RFC 2018). Default: False."""

    ecn: bool | Literal["accept"] | None = None
    """Whether the SYN asks for congestion marks, to which the sender reacts as to losses (RFC
    3168). accept: only if the peer asks for them. Default: False.
    """

    sack_blocks: int | None = None
    """Largest number of blocks in a selective acknowledgement.

    Three blocks fit besides a timestamp. With profile = "ns2": 3. 1 to 4. Default: 4.
    """

    displaced_blocks_forgotten: bool | None = None
    """ns-2: whether a block for which newer blocks left no room is not reported again before more
    of the block comes. With profile = "ns2": true. Default: False.
    """

    duplicate_sacks: bool | None = None
    """Whether selective acknowledgements also say which data came twice (RFC 2883).

    Default: False.
    """

    nagle: bool | None = None
    """Whether small segments wait for acknowledgements (RFC 9293 3.7.4). Default: False."""

    user_timeout_s: float | None = None
    """How long the peer may leave data unanswered. 0: for ever. 0 to 1000000. Default: 0."""

    fin_wait_2_timeout_s: float | None = None
    """How long the peer may be silent in FIN-WAIT-2. 0: for ever. 0 to 1000000. Default: 0."""

    challenge_acks_per_s: int | None = None
    """Largest number of answers per second to segments that are not credible (RFC 5961).

    1 to 65535. Default: 10.
    """

    ack_rwnd_hold: bool | None = None
    """Whether the offered window stays the same in duplicate acknowledgements. Default: False."""

    plain_handshake: bool | None = None
    """ns-2: whether the handshake has no options and no third segment.

    With profile = "ns2": true. Default: False.
    """

    rounding: Literal["bytes", "whole-segments"] | None = None
    """Whether windows are rounded to whole segments, as in ns-2.

    With profile = "ns2": "whole-segments". Default: "bytes".
    """

    halved: Literal["flight", "window"] | None = None
    """What is halved after a loss. With profile = "ns2": "window". Default: "flight"."""

    threshold_starts_at_offer: bool | None = None
    """ns-2: whether ssthresh starts at the offered window.

    With profile = "ns2": true. Default: False.
    """

    halve_on_every_timeout: bool | None = None
    """ns-2: whether repeated time-outs halve ssthresh again.

    With profile = "ns2": true. Default: False.
    """

    recovery_rules: Literal["rfc", "ns2"] | None = None
    """Which rules of fast recovery are used: those of the RFC or those of ns-2.

    With profile = "ns2": "ns2". Default: "rfc".
    """

    duplicate_rule: Literal["rfc5681", "any-repeat"] | None = None
    """What counts as a duplicate acknowledgement.

    With profile = "ns2": "any-repeat". Default: "rfc5681".
    """

    old_acks_release: bool | None = None
    """ns-2: whether old acknowledgements, however old, release segments.

    With profile = "ns2": true. Default: False.
    """

    delays_acks_of_repeats: bool | None = None
    """ns-2: whether the newest segment counts as new if it is repeated.

    With profile = "ns2": true. Default: False.
    """

    partial_ack_keeps_timing: bool | None = None
    """ns-2: whether the timing of a later segment continues after a partial acknowledgement.

    With profile = "ns2": true. Default: False.
    """

    cwnd_limit_segments: int | None = None
    """Largest congestion window (CWL, in ns-2 maxcwnd_). 0: no limit. 0 to 65535. Default: 0."""

    cwnd_floor_segments: int | None = None
    """Smallest congestion window, if the largest window allows it.

    0: one segment. 0 to 65535. Default: 0.
    """

    cwnd_limit_acts: Literal["clamp", "send"] | None = None
    """What the two limits act on: the congestion window itself (ns-2), or only what may be sent.

    Default: "clamp".
    """

    rate_loss_at: Literal["sender", "receiver"] | None = None
    """Where losses are found and the receive rate is measured: at the sender, or at the receiver,
    which reports both to the sender (RFC 5348). Default: "sender".
    """

    rate_limit: Literal["twice-received", "none"] | None = None
    """The largest rate: twice the rate that was received (RFC 5348), or no limit.

    Default: "twice-received".
    """

    explicit_epoch_srtt: float | None = None
    """Length of an epoch in smoothed round-trip times. 0.1 to 10. Default: 1."""

    explicit_window: Literal["reno", "acked"] | None = None
    """What the sender sends in an epoch: the congestion window, or as much as was acknowledged in
    the epoch before, plus one segment. Default: "reno".
    """

    explicit_spread: Literal["burst", "even"] | None = None
    """Whether the segments of an epoch leave all at once, or evenly spread over the epoch.

    Default: "burst".
    """

    slow_start_limit_segments: int | None = None
    """Largest growth of the window by one acknowledgement in slow start (L of RFC 3465).

    0: all data that it acknowledges. 0 to 1000000. Default: 1.
    """

    k: int | None = None
    """Number of acknowledgements without growth of the window, after each acknowledgement with
    growth. 0 to 1000000. Default: 10.
    """

    ss_k: int | None = None
    """In slow start: number of acknowledgements without growth of the window, after each
    acknowledgement with growth. 0: as many as k. 0 to 1000000. Default: 0.
    """

    vegas_rounding: Literal["as-windows", "real", "whole"] | None = None
    """How segments in the queue are counted: in whole segments (ns-2), as real numbers, or as
    windows are counted. Default: "as-windows".
    """

    vegas_rtt: Literal["mean", "shortest"] | None = None
    """Which of the delays measured in a round trip stands for this round trip.

    Linux: the shortest. Default: "mean".
    """

    vegas_least_samples: int | None = None
    """Fewest measured delays in a round trip.

    With fewer delays, the window grows as in Reno. Linux: 3. 0 to 65535. Default: 0.
    """

    vegas_gamma: float | None = None
    """Slow start ends if more segments than this are queued. 0 to 65535. Default: 1."""

    vegas_pace: Literal["every-other", "every"] | None = None
    """Which round trips of slow start double the window.

    Linux: every round trip. Default: "every-other".
    """

    vegas_exit: Literal["eighth", "target"] | None = None
    """The window after slow start: one eighth less, or one segment more than the path holds
    (Linux). Default: "eighth".
    """

    pair_gap_from: Literal["receiver", "acks"] | None = None
    """From where the sender knows the time between the packets of a pair: the receiver tells it,
    or it is the time between the two acknowledgements. Default: "receiver".
    """

    pair_tries: int | None = None
    """Number of pairs that are tried before slow start begins. 1 to 1000. Default: 3."""

    adaptive_k_table: Literal["dsr", "aodv"] | None = None
    """The routing protocol with which k was fitted to the hop count (Papanastasiou 2006, tables
    4.4 and B.1). Default: "dsr".
    """

    adaptive_k_from_hops: int | None = None
    """Hops from which on a route is slowed down. For parallel flows: 3. 1 to 255. Default: 4."""

    cubic_c: float | None = None
    """Steepness of the cubic function. 1e-06 to 1000000. Default: 0.4."""

    cubic_beta: float | None = None
    """The part of the window that remains after a loss. 0.01 to 0.99. Default: 0.7."""

    cubic_fast_convergence: bool | None = None
    """Whether a flow that is cut below its last maximum makes room for other flows (RFC 9438 4.7).

    Default: True.
    """

    cubic_counts: Literal["acks", "segments"] | None = None
    """Whether the window grows with each acknowledgement or with each acknowledged segment (Linux:
    segments). Default: "acks".
    """

    few_alpha: float | None = None
    """By how much the window grows in a round trip.

    The default is unverified. 0 to 1. Default: 0.01.
    """

    vegas_route_resets_base: bool | None = None
    """Whether the base delay is measured again after a signal of another route. Default: False."""

    vegas_alpha: float | None = None
    """The window grows if fewer segments than this are queued. 0 to 65535. Default: 1."""

    vegas_beta: float | None = None
    """The window shrinks if more segments than this are queued. 0 to 65535. Default: 3."""

    veno_beta: float | None = None
    """Backlog from which on there is congestion. 0 to 1000000. Default: 3."""

    veno_base_reset: bool | None = None
    """Whether the base of round-trip times is measured again after every loss (the rule of the
    paper; unverified). Default: False.
    """

    delay_threshold_share: float | None = None
    """How much longer than the shortest round trip a round trip may be before the window shrinks,
    as a share of the shortest. 0 to 100. Default: 0.25.
    """

    delay_factor: float | None = None
    """The part of a window that remains when it shrinks. 0.01 to 1. Default: 0.875."""

    vegas_fine_timer: Literal["ns2", "reno"] | None = None
    """The time-out of single segments: 17/16 (srtt + 2 mdev) with ns2, srtt + 4 mdev with reno.

    Default: "ns2".
    """

    eln_threshold: int | None = None
    """Number of duplicates after which a loss notice makes the sender repair the hole.

    1 to 100. Default: 1.
    """

    biaz_vaidya_upper: float | None = None
    """With n segments missing, the channel lost them if the spacing is less than n plus this
    value, in units of the shortest spacing: 2 (Biaz), 1.25 (mBiaz). 1 to 1000. Default: 2.
    """

    spike_start: float | None = None
    """A spike begins above this part of the range of one-way delays (alpha).

    0 to 1. Default: 0.5.
    """

    spike_end: float | None = None
    """A spike ends below this part of the range of one-way delays (beta).

    0 to 1. Default: 0.3333333333333333.
    """

    zigzag_deviation_from: Literal["new", "old"] | None = None
    """From which mean the deviation is computed: the new or the old; unverified. Default: "new"."""

    zbs_spacing_weight: float | None = None
    """Weight of a new spacing in the average spacing; unverified. 0 to 1. Default: 0.125."""

    ncpld_margin: float | None = None
    """Delays up to the shortest delay times this value are before the knee; unverified.

    1 to 100. Default: 1.25.
    """

    predictor_rule: Literal["vegas", "ntg", "ndg"] | None = None
    """What predicts congestion: the backlog, the normalised throughput gradient or the normalised
    delay gradient. Default: "vegas".
    """

    vegas_predictor_threshold: float | None = None
    """A backlog above this predicts congestion. 0 to 1000000. Default: 1."""

    ntg_predictor_threshold: float | None = None
    """A throughput gradient below this predicts congestion; unverified.

    -1e+06 to 1000000. Default: 0.5.
    """

    ndg_predictor_threshold: float | None = None
    """A delay gradient above this predicts congestion; unverified.

    -1e+06 to 1000000. Default: 0.
    """

    bandwidth_estimator: Literal["westwood", "westwood-plus"] | None = None
    """How bandwidth is estimated: from a sample per acknowledgement (Westwood), or per round trip
    (Westwood+). Default: "westwood".
    """

    bandwidth_least_rtt: Literal["lifetime", "relearned"] | None = None
    """Which round-trip time is the shortest: the shortest of the connection, or since the last
    time-out (Linux). Default: "lifetime".
    """

    westwood_filter: Literal["tustin", "fixed-10", "fixed-15"] | None = None
    """Which filter is used: Tustin's with the time constant, or a filter as if tau were 10 gaps
    (.9047 and .0476; default of UCLA) or 15 gaps (.93548 and .03225). Default: "tustin".
    """

    westwood_tau_s: float | None = None
    """Time constant tau of the filter. 0.001 to 1000. Default: 1."""

    westwood_zero_samples_per_tau: int | None = None
    """Number of samples of zero in each time constant without acknowledgements.

    2 to 1000. Default: 2.
    """

    westwood_least_gap_ms: float | None = None
    """After idle time, a gap shorter than this counts as half a time constant; unverified.

    0 to 10000. Default: 10.
    """

    westwood_ack_cap_segments: int | None = None
    """Largest number of segments for which one acknowledgement counts (UCLA).

    0: no limit. 0 to 1000. Default: 2.
    """

    westwood_plus_filter: Literal["paper", "linux", "ns3"] | None = None
    """Which filter is used: one average of weight .9 (details unverified), two averages of weight
    7/8 in a row, or Tustin's filter of weight .9. Default: "paper".
    """

    westwood_plus_least_window_ms: float | None = None
    """Shortest time of a sample.

    Otherwise a sample takes a round-trip time. 1 to 10000. Default: 50.
    """

    welcome_window_samples: int | None = None
    """Number of recent round-trip times that are considered (RTT_THRESHOLD; its role is a reading
    of the document). 1 to 64. Default: 10.
    """

    welcome_growing_samples: int | None = None
    """Round-trip times grow if more than this number are above the limit (RTT_G_COUNT_THRESHOLD).

    0 to 64. Default: 5.
    """

    welcome_limit: Literal["percent", "three-sigma"] | None = None
    """What the limit of round-trip times is: the estimate plus a percentage, or the control limit
    of the filter; unverified. Default: "percent".
    """

    welcome_excess_percent: float | None = None
    """How far the limit is above the estimate (RTT_G_THRESHOLD; its unit is unverified).

    0 to 10000. Default: 5.
    """

    welcome_samples: Literal["timed", "every"] | None = None
    """Which round-trip times are used: those that the timer measures, or those of every
    acknowledgement; unverified. Default: "timed".
    """

    welcome_centre_line: Literal["stable", "agile"] | None = None
    """Around which average the control limits lie; unverified. Default: "stable"."""

    welcome_agile_gain: float | None = None
    """Weight of the old estimate in the agile average. 0 to 1. Default: 0.1."""

    welcome_stable_gain: float | None = None
    """Weight of the old estimate in the stable average. 0 to 1. Default: 0.9."""

    welcome_range_gain: float | None = None
    """Weight of the old estimate in the moving range; unverified. 0 to 1. Default: 0.9."""

    oracle_congestion_as: Literal["congestion", "channel", "contention", "route"] | None = None
    """As which cause losses at full queues are diagnosed. Default: "congestion"."""

    oracle_channel_as: Literal["channel", "congestion", "contention", "route"] | None = None
    """As which cause losses by the channel are diagnosed. Default: "channel"."""

    oracle_contention_as: Literal["contention", "congestion", "channel", "route"] | None = None
    """As which cause losses by contention are diagnosed. Default: "contention"."""

    oracle_route_as: Literal["route", "congestion", "channel", "contention"] | None = None
    """As which cause losses by broken routes are diagnosed. Default: "route"."""

    oracle_nothing_as: Literal["channel", "congestion", "contention", "route"] | None = None
    """Which cause is diagnosed if nothing was lost.

    The default is a cause without a cut. Default: "channel".
    """

    oracle_error_probability: float | None = None
    """The share of diagnoses that use the causes of the keys `oracle_..._as`.

    All other diagnoses are correct. 0 to 1. Default: 1.
    """

    vegas_restart_segments: int | None = None
    """The window after a time-out (in ns-2: v_slowstart_). 1 to 65535. Default: 2."""

    veno_kept_fraction: float | None = None
    """The part of the data in flight that remains as window after a loss by the channel.

    0.1 to 1. Default: 0.8.
    """

    spare_timeouts: bool | None = None
    """Whether the windows also stay after a time-out that the channel caused. Default: False."""

    westwood_divisor_step: float | None = None
    """By how much each loss in slow start increases the divisor of the threshold after a time-out
    (UCLA; unverified). 0: no divisor. 0 to 3. Default: 0.
    """

    welcome_new_rtt_samples: int | None = None
    """Number of round-trip times that characterise a restored path (RTO_NEW_RTT_SAMPLES).

    1 to 1000. Default: 4.
    """

    welcome_route_window: Literal["scale", "keep", "halve"] | None = None
    """The window on a restored path: scaled by the ratio of round-trip times, as before, or half
    (the three methods of §5.7.2). Default: "scale".
    """

    welcome_on_channel: Literal["keep", "halve", "minimum"] | None = None
    """What duplicates caused by the channel leave of the windows: all (§5.7.2), half, or at most
    what the path holds (figures 5.8, 5.9). Default: "keep".
    """

    welcome_on_congestion: Literal["halve", "minimum", "restart", "keep"] | None = None
    """What other duplicates leave of the windows: half (§5.7.2), at most what the path holds
    (§5.7.3), one segment (figure 5.9), or all. Default: "halve".
    """

    newreno_recover_test: Literal["careful", "less-careful"] | None = None
    """Which duplicates may show a new loss: those beyond all data that was sent at the last loss,
    or also those exactly at the end of this data (RFC 2582). Default: "careful".
    """

    newreno_after_timeout: Literal["none", "ack"] | None = None
    """Which duplicates after a time-out are ignored as an echo of what was sent again: all, or
    (RFC 6582 4.1) not those after an advance of at most four segments. Default: "none".
    """

    sack_timer: Literal["advance", "retransmission"] | None = None
    """When the timer restarts in recovery (RFC 6675 §6): with every advance (RFC 6298), or also
    with every retransmission. Default: "advance".
    """

    rto_factor: float | None = None
    """Factor by which a measured RTO is longer, within its bounds (original DAA: 5, unverified).

    1 to 1000. Default: 1.
    """

    spurious_response: Literal["eifel", "none"] | None = None
    """Which windows and estimate the sender has after a spurious time-out: those from before (RFC
    4015), or the cut ones. Default: "eifel".
    """

    fixed_rto_after: int | None = None
    """From which time-out in a row on the RTO is no longer doubled; unverified: 2 by one summary,
    4 by another. 1 to 64. Default: 2.
    """

    probe_wait_srtt: float | None = None
    """Time without acknowledgements before the first probe, in smoothed round-trip times.

    1 to 100. Default: 2.
    """

    probe_period_srtt: float | None = None
    """Time between probes, in smoothed round-trip times. 0.1 to 100. Default: 1."""

    probe_cuts: Literal["no", "half", "one-segment"] | None = None
    """The congestion window after the answer to a probe: as before, half of it, or one segment.

    Default: "no".
    """

    door_detector: Literal["both", "sender", "receiver"] | None = None
    """Which end looks for segments out of order: the sender (in acknowledgements), the receiver
    (in data), or both. Default: "both".
    """

    door_response: Literal["both", "disable", "recover"] | None = None
    """What follows segments out of order: congestion control is disabled for door_disable_srtt, or
    cuts within door_recover_srtt are undone, or both. Default: "both".
    """

    door_disable_srtt: float | None = None
    """How long windows and timer do not change, in smoothed round-trip times (T1); unverified.

    0 to 1000. Default: 1.
    """

    door_recover_srtt: float | None = None
    """How old a cut that is undone may be, in smoothed round-trip times (T2); unverified.

    0 to 1000. Default: 1.
    """

    tcpf_route_failure_s: float | None = None
    """The longest time that the sender waits for a route (route failure timer); unverified.

    0.001 to 1000000. Default: 30.
    """

    tcpf_resume_from: Literal["una", "rfn-seq"] | None = None
    """Where the sender continues: at the first unacknowledged segment, or at the segment that the
    first notice names; unverified. Default: "una".
    """

    tcpf_seeks: bool | None = None
    """Whether the sender's node searches for a route while the sender waits, although no packet
    needs a route. Default: True.
    """

    thaw_timer: Literal["full", "remaining"] | None = None
    """The retransmission timer after a freeze: a whole RTO, or the time that remained; unverified.

    Default: "full".
    """

    elfn_probe_s: float | None = None
    """Time between probes.

    The paper tries up to 30 s (unverified). 0.001 to 1000000. Default: 2.
    """

    elfn_probe_srtt: float | None = None
    """Time between probes in smoothed round-trip times.

    0: elfn_probe_s is used; unverified. 0 to 1000000. Default: 0.
    """

    elfn_restore_cwnd: Literal["saved", "one-segment"] | None = None
    """The congestion window after the freeze: the saved window, or one segment.

    Which of them the paper recommends is unverified. Default: "saved".
    """

    elfn_restore_rto: Literal["saved", "initial"] | None = None
    """The time-out after the freeze: as before, or initial_rto_ms (in the paper 6 s, unverified).

    Default: "saved".
    """

    atcp_probe_s: float | None = None
    """Time until the first probe without a route.

    It is doubled after each probe (persist timer); unverified. 0.001 to 1000000. Default: 5.
    """

    atcp_longest_probe_s: float | None = None
    """Longest time between probes; unverified. 0.001 to 1000000. Default: 60."""

    simelfn_send_timeout_s: float | None = None
    """How long nodes keep a packet without a route (SEND_TIMEOUT).

    The sender does not wait longer. 0.001 to 1000000. Default: 30.
    """

    simelfn_alpha: float | None = None
    """How much earlier than this time the sender continues, in smoothed round-trip times.

    Unverified: the paper gives the range. 0 to 1. Default: 0.5.
    """

    simelfn_seeks: bool | None = None
    """Whether the sender's node searches for a route while the sender waits, although no packet
    needs a route. Default: False.
    """

    fsr_send_timeout_s: float | None = None
    """How long the sender waits for an acknowledgement: as long as nodes keep a packet without a
    route (SEND_TIMEOUT). 0.001 to 1000000. Default: 30.
    """

    fsr_resume_from: Literal["ack", "rfn-seq", "last-rfn-seq"] | None = None
    """Where the sender continues: where the acknowledgement points, at the first of the segments
    that the notices name, or at the segment that the latest notice names. Default: "ack".
    """

    fsr_seeks: bool | None = None
    """Whether the sender's node searches for a route while the sender waits, although no packet
    needs a route. Default: True.
    """

    ack_every_segments: int | None = None
    """Number of segments in order for which there is one acknowledgement.

    1 to 65535. Default: 3.
    """

    altman_l1_segments: int | None = None
    """From this segment on, every second segment is acknowledged (unverified).

    1 to 65535. Default: 2.
    """

    altman_l2_segments: int | None = None
    """From this segment on, every third segment is acknowledged (unverified).

    1 to 65535. Default: 5.
    """

    altman_l3_segments: int | None = None
    """From this segment on, every fourth segment is acknowledged (unverified).

    1 to 65535. Default: 9.
    """

    altman_delay_ms: float | None = None
    """Longest delay of an acknowledgement (unverified). 0 to 1000000. Default: 100."""

    daa_alpha: float | None = None
    """Weight of the former mean gap between segments (unverified). 0 to 1. Default: 0.75."""

    daa_kappa: float | None = None
    """Tolerance kappa of the wait.

    The wait is 2 + kappa mean gaps (unverified). 0 to 1000. Default: 0.2.
    """

    daa_mu: float | None = None
    """By how much the segments per acknowledgement grow with each acknowledgement, until there are
    four (unverified). 0.001 to 1. Default: 0.3.
    """

    daa_start_segments: int | None = None
    """Segments per acknowledgement at the start. The sources differ: 1 or 2. 1 to 4. Default: 2."""

    daa_averages_long_gaps: bool | None = None
    """Whether gaps longer than the wait are also part of the mean. Default: False."""

    tuned_acks_per_rtt: int | None = None
    """Number of acknowledgements per smoothed round trip for which the sender asks.

    2 to 1000. Default: 4.
    """

    tuned_initial_ms: float | None = None
    """Period of acknowledgements for which the sender asks before a round trip is known.

    1 to 500. Default: 100.
    """

    tuned_repeats: int | None = None
    """Number of acknowledgements in a row that the receiver still sends when no more segments
    come. 0 to 1000000. Default: 2.
    """

    tcc_initial_segments: int | None = None
    """The offered window before the first comparison.

    The paper does not name a value. 2 to 65535. Default: 2.
    """

    tcc_round_trip: Literal["echo", "offered"] | None = None
    """How the receiver measures a round trip.

    echo: from the echoes of timestamps, and without timestamps as with offered. offered: the time
    until all data that was offered has come. The paper does not say how a receiver knows a round
    trip. Default: "echo".
    """

    separation_low: float | None = None
    """The window grows if the time between two segments increased by less than this share on the
    path. Below zero, it grows if this time decreased by at least this share (unverified). -0.99
    to 10. Default: 0.05.
    """

    separation_high: float | None = None
    """The window shrinks if the time between two segments increased by more than this share on the
    path (unverified). 0 to 10. Default: 0.25.
    """

    separation_factor: float | None = None
    """The part of a window that remains when it shrinks (unverified). 0.01 to 1. Default: 0.75."""

    atp_segment_bytes: int | None = None
    """Application data in a full segment. 1 to 65477. Default: 1460."""

    atp_window_segments: int | None = None
    """Largest number of segments in flight.

    The receiver has room for this number of segments. 1 to 65535. Default: 8192.
    """

    atp_epoch_s: float | None = None
    """Time between two feedbacks of the receiver, time that the sender waits for a feedback, and
    time between probes. 0.001 to 1000000. Default: 1.
    """

    atp_phi: float | None = None
    """By which share the rate in a feedback must be above the sender's rate before the sender
    increases its rate. 0 to 1000000. Default: 0.25.
    """

    atp_k: float | None = None
    """Divisor: the rate rises by the difference of both rates divided by this value.

    1 to 1000000. Default: 5.
    """

    atp_receiver_weight: float | None = None
    """Weight of the former average in the receiver's new average of delays (beta).

    0 to 0.999. Default: 0.85.
    """

    atp_sack_blocks: int | None = None
    """Largest number of blocks in a feedback for data beyond the first gap.

    0 to 255. Default: 20.
    """

    atp_halve_epochs: int | None = None
    """Number of epochs without feedback after which the rate is halved.

    1 to 1000000. Default: 2.
    """

    atp_probe_epochs: int | None = None
    """Number of epochs without feedback after which the sender stops sending data and begins to
    send probes. 1 to 1000000. Default: 3.
    """

    atp_probe_fill_bytes: int | None = None
    """Bytes that fill up a probe.

    A short probe finds a rate that is too high for long segments. 0 to 65477. Default: 0.
    """

    atp_early_change: float | None = None
    """By which share the receiver's average must change so that the receiver sends a feedback
    before the end of the epoch. 0: it waits for the end. 0 to 1000000. Default: 0.
    """

    atp_node_weight: float | None = None
    """Weight of the former average in a station's new average of the time of packets (alpha), at
    all stations. 0 to 0.999. Default: 0.75.
    """

    atp_probe_factor: float | None = None
    """What an idle station writes on a probe, as a multiple of the time that packets take (eta).

    1 to 1000. Default: 3.
    """

    atp_idle_s: float | None = None
    """Time without data sent or heard after which a station is idle. 0 to 1000000. Default: 0.1."""

    atp_stale_s: float | None = None
    """Time without packets after which a station forgets its averages. 0 to 1000000. Default: 1."""

    nctp_bundle_packets: int | None = None
    """Packets in a bundle. 1 to 65535. Default: 1000."""

    nctp_packet_bytes: int | None = None
    """Application data in a packet, or its whole length. 1 to 65000. Default: 512."""

    nctp_packet_bytes_include_headers: bool | None = None
    """Whether nctp_packet_bytes also counts headers of IP and NCTP. Default: False."""

    nctp_bundles_in_transit: int | None = None
    """Largest number of bundles of a connection that are in the network at once.

    1 to 10000. Default: 1.
    """

    nctp_merge_connections: bool | None = None
    """Whether connections between the same two nodes share the number nctp_bundles_in_transit.

    Default: False.
    """

    nctp_initial_timer: Literal["fixed", "per-hop", "none"] | None = None
    """How long a source waits before the first round trip is known: for nctp_initial_timer_s, for
    this time for each hop, or for ever. Default: "fixed".
    """

    nctp_initial_timer_s: float | None = None
    """How long a source waits for the first answer. 0.001 to 1000000. Default: 5."""

    nctp_max_timer_s: float | None = None
    """Longest timer of a source after doubling. 0.001 to 1000000. Default: 60."""

    nctp_timer_starts: Literal["after-transfer", "before-transfer"] | None = None
    """When the timer of a source starts: after or before the transfer to the first hop.

    Default: "after-transfer".
    """

    nctp_recv_timer_s: float | None = None
    """Time without packets of a bundle after which a node deletes the part of the bundle that it
    has. 0.001 to 1000000. Default: 5.
    """

    nctp_probe_timer_s: float | None = None
    """How long a relay waits for the answer to a probe. 0.001 to 1000000. Default: 1."""

    nctp_probe_errors: bool | None = None
    """Whether an error about a link ahead ends this wait.

    The relay then searches for another path. Default: True.
    """

    nctp_probe_lead_packets: int | None = None
    """Number of packets before the end of a bundle at which a relay probes the path.

    0 to 65535. Default: 10.
    """

    nctp_source_probes: bool | None = None
    """Whether sources also probe the path before they send a bundle. Default: False."""

    nctp_retry_ms: float | None = None
    """How long an owner waits after a full queue or a refusal. 1 to 1000000. Default: 100."""

    nctp_hold_s: float | None = None
    """How long a relay keeps a bundle that makes no progress.

    0: for ever. 0 to 1000000. Default: 0.
    """

    nctp_reack: Literal["complete", "first-packet"] | None = None
    """Which packet of a bundle that the destination already has makes the destination acknowledge
    the bundle again. Default: "complete".
    """

    nctp_service: Literal["turns", "oldest-first", "nearest-first"] | None = None
    """The order in which a node serves bundles. Default: "turns"."""

    nctp_cut_through: bool | None = None
    """Whether relays send packets on before they have the whole bundle. Default: False."""

    nctp_buffer_bundles: int | None = None
    """Number of bundles for which a relay has room.

    0: room for all bundles. 0 to 1000000. Default: 0.
    """

    nctp_when_full: Literal["drop", "refuse"] | None = None
    """What a relay without room does. Default: "drop"."""

    nctp_relay_keeps: Literal["until-transfer", "until-ack"] | None = None
    """Until when a relay keeps a bundle. Default: "until-transfer"."""

    nctp_link_tries: int | None = None
    """How often a station may give up a packet before the link to the next owner counts as lost.

    1 to 1000. Default: 1.
    """

    nctp_restart: Literal["beginning", "failed-packet"] | None = None
    """Where a bundle begins again if its link has failed and the next owner is the same as before.

    Default: "beginning".
    """

    nctp_messages_first: bool | None = None
    """Whether probes, their answers and acknowledgements go before data in interface queues.

    Default: False.
    """

    nctp_survives_down: bool | None = None
    """Whether a relay that goes down still has its bundles when it comes up again.

    Default: False.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class BulkFlow(Table):
    """The application sends as much data as the network takes."""

    TAG: ClassVar[tuple[str, str] | None] = ("app", "bulk")

    TABLES: ClassVar[dict[str, tuple[type[Table], ...]]] = {
        "transport": (Tcp,),
    }

    from_: int | str | None = None
    """The sending node.

    With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to 4294967295.
    """

    to: int | str | None = None
    """The receiving node.

    With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to 4294967295.
    """

    pairs: Literal["random"] | None = None
    """How the ends are drawn."""

    count: int | None = None
    """Number of flows. No two flows have both ends in common. 1 to 10000. Default: 1."""

    parallel: int | None = None
    """Number of flows that each pair of ends has.

    These flows are all alike. 1 to 10000. Default: 1.
    """

    start_s: float | None = None
    """When the application starts, seconds. 0 to 1000000. Default: 0."""

    stop_s: float | None = None
    """When the application stops, seconds. Default: the end of the run. 0 to 1000000."""

    transport: Tcp | None = None
    """The transport that carries the data of the flow."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Udp(Table):
    """The transport that carries the data of the flow."""

    protocol: Literal["udp"] | None = None
    """The transport protocol. Default: "udp"."""


@dataclass(frozen=True, kw_only=True, repr=False)
class CbrFlow(Table):
    """The application sends datagrams at a constant rate."""

    TAG: ClassVar[tuple[str, str] | None] = ("app", "cbr")

    TABLES: ClassVar[dict[str, tuple[type[Table], ...]]] = {
        "transport": (Udp,),
    }

    rate_kbps: float
    """Rate of application data, kb/s. 0.001 to 100000000."""

    from_: int | str | None = None
    """The sending node.

    With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to 4294967295.
    """

    to: int | str | None = None
    """The receiving node.

    With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to 4294967295.
    """

    pairs: Literal["random"] | None = None
    """How the ends are drawn."""

    count: int | None = None
    """Number of flows. No two flows have both ends in common. 1 to 10000. Default: 1."""

    parallel: int | None = None
    """Number of flows that each pair of ends has.

    These flows are all alike. 1 to 10000. Default: 1.
    """

    payload_bytes: int | None = None
    """Application data in a datagram, bytes.

    The default fills an IP packet of 1500 bytes. 1 to 65507. Default: 1472.
    """

    jitter: float | None = None
    """Largest share by which each gap between datagrams is changed, evenly drawn.

    0.5: from half the gap to one and a half times the gap. 0 to 1. Default: 0.
    """

    start_s: float | None = None
    """When the application starts, seconds. 0 to 1000000. Default: 0."""

    stop_s: float | None = None
    """When the application stops, seconds. Default: the end of the run. 0 to 1000000."""

    transport: Udp | None = None
    """The transport that carries the data of the flow."""


@dataclass(frozen=True, kw_only=True, repr=False)
class OnOffFlow(Table):
    """The application sends datagrams at a constant rate, with pauses."""

    TAG: ClassVar[tuple[str, str] | None] = ("app", "onoff")

    TABLES: ClassVar[dict[str, tuple[type[Table], ...]]] = {
        "transport": (Udp,),
    }

    rate_kbps: float
    """Rate of application data while sending, kb/s. 0.001 to 100000000."""

    on_s: float
    """Time of sending, seconds. 1e-06 to 1000000."""

    off_s: float
    """Time of silence, seconds. 0 to 1000000."""

    from_: int | str | None = None
    """The sending node.

    With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to 4294967295.
    """

    to: int | str | None = None
    """The receiving node.

    With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to 4294967295.
    """

    pairs: Literal["random"] | None = None
    """How the ends are drawn."""

    count: int | None = None
    """Number of flows. No two flows have both ends in common. 1 to 10000. Default: 1."""

    parallel: int | None = None
    """Number of flows that each pair of ends has.

    These flows are all alike. 1 to 10000. Default: 1.
    """

    payload_bytes: int | None = None
    """Application data in a datagram, bytes.

    The default fills an IP packet of 1500 bytes. 1 to 65507. Default: 1472.
    """

    jitter: float | None = None
    """Largest share by which each gap between datagrams is changed, evenly drawn.

    0.5: from half the gap to one and a half times the gap. 0 to 1. Default: 0.
    """

    start_s: float | None = None
    """When the application starts, seconds. 0 to 1000000. Default: 0."""

    stop_s: float | None = None
    """When the application stops, seconds. Default: the end of the run. 0 to 1000000."""

    transport: Udp | None = None
    """The transport that carries the data of the flow."""


@dataclass(frozen=True, kw_only=True, repr=False)
class FileFlow(Table):
    """The application sends a file of `bytes` bytes. Then the connection closes."""

    TAG: ClassVar[tuple[str, str] | None] = ("app", "file")

    TABLES: ClassVar[dict[str, tuple[type[Table], ...]]] = {
        "transport": (Tcp,),
    }

    bytes: int
    """Length of the file, bytes. 1 to 9007199254740992."""

    from_: int | str | None = None
    """The sending node.

    With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to 4294967295.
    """

    to: int | str | None = None
    """The receiving node.

    With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to 4294967295.
    """

    pairs: Literal["random"] | None = None
    """How the ends are drawn."""

    count: int | None = None
    """Number of flows. No two flows have both ends in common. 1 to 10000. Default: 1."""

    parallel: int | None = None
    """Number of flows that each pair of ends has.

    These flows are all alike. 1 to 10000. Default: 1.
    """

    start_s: float | None = None
    """When the application starts, seconds. 0 to 1000000. Default: 0."""

    stop_s: float | None = None
    """When the application stops, seconds. Default: the end of the run. 0 to 1000000."""

    transport: Tcp | None = None
    """The transport that carries the data of the flow."""


Topology: TypeAlias = (
    Chain
    | Grid
    | Cross
    | Star
    | Links
    | RandomNodes
    | Positions
    | Ns2Movements
    | BonnMotionMovements
    | SumoFcd
)
Mobility: TypeAlias = (
    Static | Scripted | RandomWaypoint | RandomWalk | GaussMarkov | ReferencePointGroup | Manhattan
)
Event: TypeAlias = Move | Down | Up
Relay: TypeAlias = SnoopRelay | SplitRelay
Error: TypeAlias = Uniform | GilbertElliott
Flow: TypeAlias = BulkFlow | CbrFlow | OnOffFlow | FileFlow


@dataclass(frozen=True, kw_only=True, repr=False)
class Scenario(ScenarioTable):
    """A scenario of the network simulator Hopwright: a TOML file."""

    TABLES: ClassVar[dict[str, tuple[type[Table], ...]]] = {
        "topology": (
            Chain,
            Grid,
            Cross,
            Star,
            Links,
            RandomNodes,
            Positions,
            Ns2Movements,
            BonnMotionMovements,
            SumoFcd,
        ),
        "area": (Area,),
        "mobility": (
            Static,
            Scripted,
            RandomWaypoint,
            RandomWalk,
            GaussMarkov,
            ReferencePointGroup,
            Manhattan,
        ),
        "radio": (Radio,),
        "mac": (Mac,),
        "routing": (Routing,),
        "output": (Output,),
        "energy": (Energy,),
        "events": (Move, Down, Up),
        "links": (Link,),
        "relays": (SnoopRelay, SplitRelay),
        "attach": (Attach,),
        "errors": (Uniform, GilbertElliott),
        "flows": (BulkFlow, CbrFlow, OnOffFlow, FileFlow),
    }

    duration_s: float
    """Simulated time, seconds. 1e-06 to 1000000."""

    topology: Topology
    """Where the nodes stand."""

    name: str | None = None
    """The name of the scenario, for its results.

    It is also part of the name of the default output folder. Default: the name of the file, without
    its ending.
    """

    profile: Literal["standard", "ns2"] | None = None
    """The set of default values: those of the standards, or those of ns-2.35.

    Default: "standard".
    """

    seed: int | None = None
    """Seed of every random draw. 0 to 9007199254740992. Default: 1."""

    warm_up_s: float | None = None
    """Length of the warm-up, seconds.

    Measurements start when the warm-up ends. 0 to 1000000. Default: 0.
    """

    area: Area | None = None
    """The area in which nodes are placed at random and move."""

    mobility: Mobility | None = None
    """How nodes move."""

    radio: Radio | None = None
    """The radio of every node."""

    mac: Mac | None = None
    """The MAC of every node.

    Keys that only one `kind` reads may stand in a table of this kind, for example `[mac.dcf]`.
    """

    routing: Routing | None = None
    """How nodes find routes."""

    output: Output | None = None
    """What a run writes besides its summary. These keys do not change the run."""

    energy: Energy | None = None
    """The energy that the computation of transports takes, in joules."""

    events: Sequence[Event] | None = None
    """Events that happen to nodes at given times."""

    links: Sequence[Link] | None = None
    """Shaped links between nodes, instead of a medium."""

    relays: Sequence[Relay] | None = None
    """Nodes between two links that help TCP connections."""

    attach: Sequence[Attach] | None = None
    """Real programs at nodes of an emulation."""

    errors: Sequence[Error] | None = None
    """Frames that are damaged for other reasons than their received power."""

    flows: Sequence[Flow] | None = None
    """The flows: which node sends which data to which node."""


__all__ = [
    "Aodv",
    "Area",
    "Attach",
    "BonnMotionMovements",
    "BulkFlow",
    "CbrFlow",
    "Chain",
    "Condition",
    "Cross",
    "Down",
    "Dsdv",
    "Dsr",
    "Energy",
    "Error",
    "Event",
    "FileFlow",
    "Flow",
    "GaussMarkov",
    "GilbertElliott",
    "Grid",
    "Link",
    "LinkChange",
    "LinkProfile",
    "LinkShape",
    "Links",
    "Mac",
    "Manhattan",
    "Mechanisms",
    "Mobility",
    "Move",
    "Ns2Movements",
    "Olsr",
    "OnOffFlow",
    "Output",
    "Positions",
    "Powers",
    "ProfilePipe",
    "Radio",
    "RandomNodes",
    "RandomWalk",
    "RandomWaypoint",
    "ReferencePointGroup",
    "Relay",
    "Routing",
    "Scenario",
    "Scripted",
    "SnoopRelay",
    "SplitRelay",
    "Star",
    "Static",
    "SumoFcd",
    "Tcp",
    "Topology",
    "Trigger",
    "Udp",
    "Uniform",
    "Up",
]


def __dir__() -> list[str]:
    return sorted(__all__)
