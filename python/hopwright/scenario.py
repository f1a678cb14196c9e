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
    """Rows and columns, numbered row by row."""

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
    """Node 0 in the middle, the others on a circle."""

    TAG: ClassVar[tuple[str, str] | None] = ("kind", "star")

    leaves: int
    """Number of nodes on the circle. 1 to 9999."""

    radius_m: float | None = None
    """Radius of the circle, metres. 0.001 to 1000000. Default: 200."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Links(Table):
    """Nodes between which shaped links are, and no medium: see `[[links]]`."""

    TAG: ClassVar[tuple[str, str] | None] = ("kind", "links")


@dataclass(frozen=True, kw_only=True, repr=False)
class RandomNodes(Table):
    """Evenly at random in the area."""

    TAG: ClassVar[tuple[str, str] | None] = ("kind", "random")

    nodes: int
    """Number of nodes. 2 to 10000."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Positions(Table):
    """A list of positions."""

    TAG: ClassVar[tuple[str, str] | None] = ("kind", "positions")

    list: Sequence[Sequence[float]]
    """One `[x, y]` per node, metres."""


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
    """Positions and movements from SUMO's floating-car data.

    Vehicles are down while they are absent.
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
    """The area for random placement and movement."""

    width_m: float | None = None
    """Extent in x, metres. 0.001 to 1000000. Default: 1500."""

    height_m: float | None = None
    """Extent in y, metres. 0.001 to 1000000. Default: 300."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Static(Table):
    """Nodes stay where the topology puts them, or go where its file says."""

    TAG: ClassVar[tuple[str, str] | None] = ("model", "static")


@dataclass(frozen=True, kw_only=True, repr=False)
class Scripted(Table):
    """As static, and events say where nodes go."""

    TAG: ClassVar[tuple[str, str] | None] = ("model", "scripted")


@dataclass(frozen=True, kw_only=True, repr=False)
class RandomWaypoint(Table):
    """Choose a place, go there straight, pause, choose another."""

    TAG: ClassVar[tuple[str, str] | None] = ("model", "random-waypoint")

    min_speed_mps: float | None = None
    """Each journey's speed is drawn evenly from here, m/s; 0 only with start = "uniform".

    0 to 10000. Default: 1.
    """

    max_speed_mps: float | None = None
    """To here, m/s. Above 0, to 10000. Default: 20."""

    pause_s: float | None = None
    """Pause between journeys, seconds. 0 to 1000000. Default: 0."""

    pause_max_s: float | None = None
    """If given: pauses are drawn evenly from `pause_s` to here, seconds. 0 to 1000000."""

    start: Literal["steady-state", "yoon", "uniform"] | None = None
    """How nodes begin. Default: "steady-state"."""


@dataclass(frozen=True, kw_only=True, repr=False)
class RandomWalk(Table):
    """Again and again a new direction and a new speed; borders reflect."""

    TAG: ClassVar[tuple[str, str] | None] = ("model", "random-walk")

    min_speed_mps: float | None = None
    """Each leg's speed is drawn evenly from here, m/s. 0 to 10000. Default: 1."""

    max_speed_mps: float | None = None
    """To here, m/s. Above 0, to 10000. Default: 20."""

    leg_s: float | None = None
    """How long a leg lasts, seconds. Default: 10, where `leg_m` is not given. 0.001 to 1000000."""

    leg_m: float | None = None
    """Or how far a leg goes, metres. 0.001 to 1000000."""


@dataclass(frozen=True, kw_only=True, repr=False)
class GaussMarkov(Table):
    """Speed and direction remember what they were."""

    TAG: ClassVar[tuple[str, str] | None] = ("model", "gauss-markov")

    alpha: float | None = None
    """Memory: 0 draws everything anew at each interval, 1 changes nothing.

    0 to 1. Default: 0.75.
    """

    mean_speed_mps: float | None = None
    """Mean speed, m/s. 0 to 10000. Default: 10."""

    speed_sd_mps: float | None = None
    """Standard deviation of the speed, m/s. 0 to 10000. Default: 1."""

    max_speed_mps: float | None = None
    """Speeds are cut off here, m/s. Above 0, to 10000. Default: 20."""

    direction_sd_deg: float | None = None
    """Standard deviation of the direction, degrees. 0 to 360. Default: 30."""

    update_interval_s: float | None = None
    """Time between changes, seconds. 0.001 to 1000000. Default: 1."""

    edge_m: float | None = None
    """Nearer to an edge than this, metres, the mean direction points away from it.

    0 to 1000000. Default: 50.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class ReferencePointGroup(Table):
    """Groups whose members keep near a leader, which moves by random waypoint."""

    TAG: ClassVar[tuple[str, str] | None] = ("model", "reference-point-group")

    groups: int | None = None
    """Number of groups. 1 to 10000. Default: 4."""

    radius_m: float | None = None
    """How far from their leader members' reference points lie at most, metres.

    0 to 1000000. Default: 100.
    """

    deviation_m: float | None = None
    """How far members are from their reference points at most, metres.

    0 to 1000000. Default: 10.
    """

    update_interval_s: float | None = None
    """Time between members' changes, seconds. 0.001 to 1000000. Default: 1."""

    min_speed_mps: float | None = None
    """A leader's speed is drawn evenly from here, m/s; 0 only with start = "uniform".

    0 to 10000. Default: 1.
    """

    max_speed_mps: float | None = None
    """To here, m/s. Above 0, to 10000. Default: 20."""

    pause_s: float | None = None
    """Pause between a leader's journeys, seconds. 0 to 1000000. Default: 0."""

    pause_max_s: float | None = None
    """If given: pauses are drawn evenly from `pause_s` to here, seconds. 0 to 1000000."""

    start: Literal["steady-state", "yoon", "uniform"] | None = None
    """How leaders begin. Default: "steady-state"."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Manhattan(Table):
    """Along streets, turning at crossings."""

    TAG: ClassVar[tuple[str, str] | None] = ("model", "manhattan")

    blocks_x: int | None = None
    """Blocks side by side; streets run between and around them. 1 to 10000. Default: 10."""

    blocks_y: int | None = None
    """Blocks one above the other. 1 to 10000. Default: 2."""

    turn_left: float | None = None
    """Probability of a turn to the left at a crossing. 0 to 1. Default: 0.25."""

    turn_right: float | None = None
    """Probability of a turn to the right; straight on is what is left of 1.

    0 to 1. Default: 0.25.
    """

    min_speed_mps: float | None = None
    """Lowest speed, m/s. 0 to 10000. Default: 1."""

    max_speed_mps: float | None = None
    """Highest speed, m/s. Above 0, to 10000. Default: 20."""

    acceleration_mps2: float | None = None
    """By how much a speed changes within a second at most, m/s². 0 to 10000. Default: 1."""

    update_interval_s: float | None = None
    """Time between changes of speed, seconds. 0.001 to 1000000. Default: 1."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Powers(Table):
    """What a radio draws in each of its states, watts."""

    transmit_w: float
    """While it sends, watts. 0 to 1000000."""

    receive_w: float
    """While a frame arrives that is for the node or for everyone, watts. 0 to 1000000."""

    idle_w: float
    """While nothing is in the air, watts. 0 to 1000000."""

    overhear_w: float | None = None
    """While a frame arrives that is for another node, watts; without it, `receive_w`.

    0 to 1000000.
    """

    sense_w: float | None = None
    """While a frame arrives that is too weak to be decoded, watts; without it, `receive_w`.

    0 to 1000000.
    """

    off_w: float | None = None
    """While the node is down, watts. 0 to 1000000. Default: 0."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Radio(Table):
    """The radio of every node."""

    TABLES: ClassVar[dict[str, tuple[type[Table], ...]]] = {
        "energy": (Powers,),
    }

    propagation: PropagationWord | None = None
    """What distance does to power. Default: "two-ray-ground"."""

    path_loss_exponent: float | None = None
    """With propagation log-distance: the power of the distance with which power falls.

    1 to 10. Default: 3.
    """

    reference_distance_m: float | None = None
    """With propagation log-distance: free space up to here, metres.

    0.001 to 1000000. Default: 1.
    """

    shadowing: Literal["none", "frame", "link"] | None = None
    """What obstacles do to power. Default: "none"."""

    shadowing_sigma_db: float | None = None
    """Standard deviation of shadowing, dB. 0 to 30. Default: 4."""

    fading: Literal["none", "rayleigh", "ricean"] | None = None
    """What many paths do to power, frame by frame. Default: "none"."""

    ricean_k_db: float | None = None
    """With fading ricean: how much stronger the direct path is than all others together, dB.

    -30 to 60. Default: 6.
    """

    reception_range_m: float | None = None
    """Frames from up to here can be decoded, metres. 0.001 to 1000000. Default: 250."""

    reception_threshold_dbm: float | None = None
    """Instead: frames from this power on can be decoded, dBm. -200 to 100."""

    carrier_sense_range_m: float | None = None
    """Frames from up to here are noticed, metres. 0.001 to 1000000. Default: 550."""

    carrier_sense_threshold_dbm: float | None = None
    """Instead: frames from this power on are noticed, dBm. -200 to 100."""

    transmit_power_dbm: float | None = None
    """Transmit power, dBm. -100 to 100. Default: 24.5."""

    frequency_mhz: float | None = None
    """Carrier frequency, MHz. 1 to 1000000. Default: 914."""

    antenna_height_m: float | None = None
    """Antenna height above ground, metres. 0.001 to 10000. Default: 1.5."""

    capture_threshold_db: float | None = None
    """How much stronger than another a frame must be to survive it, dB. 0 to 100. Default: 10."""

    capture: Literal["first", "any"] | None = None
    """Whether a later, stronger frame may take the receiver over. Default: "first"."""

    weak_frames: Literal["lock", "energy"] | None = None
    """What a frame does that is noticed but too weak to be decoded. Default: "lock"."""

    interference: Literal["all", "locked", "sum"] | None = None
    """Which frames disturb a reception. With profile = "ns2": "locked". Default: "all"."""

    noise_floor_dbm: float | None = None
    """With interference sum: noise in a receiver, dBm. -200 to 100. Default: -93.6."""

    bit_errors: bool | None = None
    """With interference sum: whether chance decides bit by bit what noise and interference damage,
    by modulation and SINR, and not `capture_threshold_db`. Rates of 802.11b. Default: False.
    """

    energy: Literal["wavelan", "lucent", "ns2"] | Powers | None = None
    """What the radio draws from its battery: the name of a table, or a table.

    Without it, nobody asks for energy, and results hold none.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Mac(Table):
    """The MAC of every node.

    Keys that only one kind reads may stand in a table of the kind, as `[mac.dcf]`.
    """

    kind: Literal["dcf", "ideal"] | None = None
    """How stations come by the air. Default: "dcf"."""

    phy: Literal["802.11b", "802.11a", "802.11g"] | None = None
    """How frames are sent.

    802.11a and 802.11g set other defaults for `data_rate_mbps` (24), `basic_rate_mbps` (the highest
    of 6, 12 and 24 that is not above the data rate), `slot_us` (9), `sifs_us` (16 and 10),
    `difs_us` (SIFS and two slots), `preamble_us` (20) and `cw_min` (15). Default: "802.11b".
    """

    data_rate_mbps: float | None = None
    """Rate of unicast data frames, Mb/s. 0.001 to 100000. Default: 2."""

    basic_rate_mbps: float | None = None
    """Rate of control frames and broadcasts, Mb/s. 0.001 to 100000. Default: 1."""

    rts: Literal["all", "data", "none"] | None = None
    """Instead of a threshold: which unicast frames are preceded by RTS/CTS, by name."""

    rts_threshold_bytes: int | None = None
    """Larger frames are preceded by RTS/CTS.

    0: all unicast frames; larger than any frame: none. 0 to 4294967295. Default: 0.
    """

    backoff: Literal["beb", "fba"] | None = None
    """How the contention window reacts. Default: "beb"."""

    fba_tradeoff: int | None = None
    """With back-off fba: the window of the normal stage, in `cw_min` (Tradeoff_co of Hamadani and
    Rakocevic). 1 to 65535. Default: 10.
    """

    fba_min_threshold: float | None = None
    """With back-off fba: up to this part of `queue_packets` a full queue gives no priority
    (Thresh_min). 0 to 1. Default: 0.2.
    """

    fba_max_threshold: float | None = None
    """With back-off fba: from this part on it gives all there is (Thresh_max).

    0 to 1. Default: 0.8.
    """

    fba_lost_race: Literal["redraw", "keep-counter", "ignore"] | None = None
    """With back-off fba: what it is to a station that another was faster. Default: "redraw"."""

    fba_emptied: Literal["keep", "restart"] | None = None
    """With back-off fba: what becomes of stage and counts when a station has nothing to send, and
    then gets a packet. Default: "keep".
    """

    fba_buffered: Literal["all", "waiting"] | None = None
    """With back-off fba: which packets count as being in the buffer. Default: "all"."""

    contention_delay: Literal["sent", "first-try"] | None = None
    """When a packet's contention delay at a station ends.

    Measured, and carried in four more bytes of each data frame, if a transport asks for it (offer
    tcc). Default: "sent".
    """

    queue_packets: int | None = None
    """Packets that the interface queue holds. 1 to 1000000. Default: 50."""

    queue_discipline: Literal["routing-first", "by-class"] | None = None
    """Which of them goes next.

    With profile = "ns2": "routing-first", but "by-class" with dsr. Default: "routing-first".
    """

    ecn_threshold_packets: int | None = None
    """Packets in it from which on it marks the packets of transports with `ecn`.

    0 to 1000000. Default: 25.
    """

    lred: bool | None = None
    """Whether Link RED marks (transports with `ecn`) or drops packets of transports while frames
    have to be tried again often. Default: False.
    """

    adaptive_pacing: bool | None = None
    """Whether stations wait for as long as the packet took after each one that is acknowledged,
    while that is so. Default: False.
    """

    lred_min_threshold_tries: float | None = None
    """From this average on it is so: tries of a packet that failed. 0 to 255. Default: 1."""

    lred_max_threshold_tries: float | None = None
    """What the average exceeds that by, divided by this, is Link RED's probability.

    Above 0, to 255. Default: 3.
    """

    lred_max_probability: float | None = None
    """Its largest probability. 0 to 1. Default: 0.1."""

    lred_weight: float | None = None
    """The share of the newest packet in the average. Above 0, to 1. Default: 0.125."""

    short_retry_limit: int | None = None
    """Tries of an RTS, and of frames not above the RTS threshold. 1 to 255. Default: 7."""

    long_retry_limit: int | None = None
    """Tries of frames above the RTS threshold. 1 to 255. Default: 4."""

    rts_retries: Literal["short", "as-data"] | None = None
    """Among whose tries those of an RTS count. Default: "short"."""

    cw_min: int | None = None
    """Smallest contention window, slots. 1 to 65535. Default: 31."""

    cw_max: int | None = None
    """Largest contention window, slots. 1 to 65535. Default: 1023."""

    slot_us: float | None = None
    """A slot, microseconds. 0.001 to 1000000. Default: 20."""

    sifs_us: float | None = None
    """Short interframe space, microseconds. 0.001 to 1000000. Default: 10."""

    difs_us: float | None = None
    """Interframe space before contention, microseconds. 0.001 to 1000000. Default: 50."""

    preamble_us: float | None = None
    """Preamble and PLCP header before every frame, microseconds. 0 to 1000000. Default: 192."""

    header_bytes: int | None = None
    """What a data frame adds to its packet, bytes.

    With profile = "ns2": 34. 0 to 1000. Default: 36.
    """

    backoff_includes_cw: bool | None = None
    """Whether the back-off is drawn from 0..=cw, or else from 0..cw.

    With profile = "ns2": false. Default: True.
    """

    backoff_always: bool | None = None
    """Whether a packet that finds the medium idle draws a back-off too.

    With profile = "ns2": true. Default: False.
    """

    eifs: Literal["instead-of-difs", "then-difs", "never"] | None = None
    """What follows a frame received in error.

    With profile = "ns2": "then-difs". Default: "instead-of-difs".
    """

    data_waits_for_idle: bool | None = None
    """Whether the carrier is sensed again between CTS and data frame.

    With profile = "ns2": true. Default: False.
    """

    rts_counts_preamble: bool | None = None
    """Whether the RTS decision counts the preamble and takes a frame of just the threshold's size.

    With profile = "ns2": true. Default: False.
    """

    retry_counters: Literal["per-packet", "per-station"] | None = None
    """Whom the retry counters belong to.

    With profile = "ns2": "per-station". Default: "per-packet".
    """

    link_delay_us: float | None = None
    """Time a packet spends in the link layer, each way, microseconds.

    With profile = "ns2": 25.0. 0 to 1000000. Default: 0.
    """

    arp: bool | None = None
    """Whether MAC addresses are asked for before the first packet to a neighbour; the profile says
    how. With profile = "ns2": false, but true with aodv, dsr, olsr, dsdv. Default: False.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Aodv(Table):
    """Parameters of Aodv; kept, without effect, where another protocol runs."""

    profile: ProfileWord | None = None
    """Which set of constants, and whose rules, hold.

    With profile = "ns2": "ns2". Default: "rfc".
    """

    active_route_timeout_s: float | None = None
    """How long a route stays in use after the last packet, seconds.

    rfc: 3 without `link_feedback`. 1e-06 to 1000000. Default: 10.
    """

    my_route_timeout_s: float | None = None
    """The lifetime a destination puts into its replies, seconds.

    rfc: twice `active_route_timeout_s`. With profile = "ns2": 10.0. 1e-06 to 1000000. Default: 20.
    """

    net_diameter: int | None = None
    """The greatest length of a route, and the time to live of a network-wide request.

    With profile = "ns2": 30. 1 to 255. Default: 35.
    """

    node_traversal_time_ms: float | None = None
    """A conservative estimate of the time one hop takes, milliseconds.

    With profile = "ns2": 30.0. 0.001 to 1000000. Default: 40.
    """

    path_discovery_time_ms: float | None = None
    """How long a request is remembered, milliseconds.

    rfc: 4 x `node_traversal_time_ms` x `net_diameter`. With profile = "ns2": 6000.0. 0.001 to
    1000000000. Default: 5600.
    """

    ttl_start: int | None = None
    """Time to live of the first request.

    rfc: at least 2 with `hello`. With profile = "ns2": 5. 1 to 255. Default: 1.
    """

    ttl_increment: int | None = None
    """By how much it grows. 1 to 255. Default: 2."""

    ttl_threshold: int | None = None
    """The largest below the network-wide one. 1 to 255. Default: 7."""

    rreq_retries: int | None = None
    """Repetitions of a network-wide request. With profile = "ns2": 3. 0 to 255. Default: 2."""

    buffer_packets: int | None = None
    """Packets that a node keeps while it looks for routes. 0 to 1000000. Default: 64."""

    buffer_timeout_s: float | None = None
    """How long a packet is kept there, seconds. 1e-06 to 1000000. Default: 30."""

    release_gap_ms: float | None = None
    """Gap between kept packets when they leave, milliseconds.

    With profile = "ns2": 10.0. 0 to 1000000. Default: 0.
    """

    broadcast_jitter_ms: float | None = None
    """Forwarded broadcasts wait for a random time below this, milliseconds.

    0 to 1000000. Default: 10.
    """

    request_jitter_ms: float | None = None
    """rfc: own requests wait for a random time below this, milliseconds, so that nodes that begin
    to search in one instant do not collide each time that they ask (RFC 5148). 0 to 1000000.
    Default: 10.
    """

    delete_period_s: float | None = None
    """rfc: how long a route out of use is remembered, seconds.

    Five times `active_route_timeout_s`, or `hello_interval_s` if that is longer. 1e-06 to 10000000.
    Default: 50.
    """

    timeout_buffer: int | None = None
    """rfc: hops added to a ring when its traversal time is computed. 0 to 255. Default: 2."""

    rreq_retries_include_first: bool | None = None
    """rfc: whether the first network-wide request counts as a retry. Default: False."""

    rreq_ratelimit: int | None = None
    """rfc: requests originated per second. 1 to 4294967295. Default: 10."""

    rerr_ratelimit: int | None = None
    """rfc: errors originated per second. 1 to 4294967295. Default: 10."""

    gratuitous: bool | None = None
    """rfc: whether an intermediate node that replies also tells the destination. Default: False."""

    destination_only: bool | None = None
    """rfc: whether only the destination may reply. Default: False."""

    link_feedback: bool | None = None
    """rfc: whether a packet that the link layer gives up shows that the link is lost.

    If not, it is only a lost packet. Default: True.
    """

    hello: bool | None = None
    """rfc: whether nodes send HELLOs, and take neighbours that fall silent for lost.

    On where `link_feedback` is off. Default: False.
    """

    hello_always: bool | None = None
    """rfc: send HELLOs also where no active route leads through the node. Default: False."""

    hello_interval_s: float | None = None
    """rfc: the longest time without a broadcast, seconds; then comes a HELLO.

    0.001 to 1000000. Default: 1.
    """

    hello_jitter_ms: float | None = None
    """rfc: a HELLO comes earlier by a random time below this, milliseconds.

    Less than the interval. 0 to 1000000. Default: 100.
    """

    allowed_hello_loss: int | None = None
    """rfc: intervals of silence after which a neighbour that has sent HELLOs is lost.

    1 to 255. Default: 2.
    """

    local_repair: bool | None = None
    """rfc: whether the node before a lost link keeps packets and looks for another way.

    Default: False.
    """

    max_repair_ttl: int | None = None
    """rfc: the greatest length of a route that is repaired, from the lost link on.

    0.3 x `net_diameter`. 0 to 255. Default: 10.
    """

    local_add_ttl: int | None = None
    """rfc: hops by which a repair's request goes beyond the old length. 0 to 255. Default: 2."""

    rrep_ack: bool | None = None
    """rfc: whether replies ask for an acknowledgement. Default: False."""

    blacklist: bool | None = None
    """rfc: ignore requests of neighbours that replies do not reach, as `link_feedback` or
    `rrep_ack` shows. Default: False.
    """

    blacklist_timeout_s: float | None = None
    """rfc: for how long, seconds.

    `rreq_retries` x 2 x `node_traversal_time_ms` x `net_diameter`. 0 to 1000000. Default: 5.6.
    """

    next_hop_wait_ms: float | None = None
    """rfc: how long an acknowledgement is waited for, milliseconds.

    `node_traversal_time_ms` + 10. 0.001 to 1000000. Default: 50.
    """

    rev_route_life_s: float | None = None
    """ns2: the least lifetime of a reverse route, seconds.

    With profile = "ns2": 6.0. 0 to 1000000.
    """

    max_rreq_timeout_s: float | None = None
    """ns2: the longest wait for a reply, and the pause after a failed search, seconds.

    With profile = "ns2": 10.0. 0 to 1000000.
    """

    purge_interval_ms: float | None = None
    """ns2: how often routes and kept packets are looked over, milliseconds.

    With profile = "ns2": 500.0. 1 to 1000000.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Dsr(Table):
    """Parameters of Dsr; kept, without effect, where another protocol runs."""

    profile: Literal["rfc", "ns2", "papanastasiou"] | None = None
    """Which set of constants, and whose rules, hold.

    With profile = "ns2": "ns2". Default: "rfc".
    """

    broadcast_jitter_ms: float | None = None
    """Forwarded requests and the target's replies wait for a random time below this, milliseconds.

    0 to 1000000. Default: 10.
    """

    send_buffer_timeout_s: float | None = None
    """How long a packet waits for a route, seconds. 1e-06 to 1000000. Default: 30."""

    send_buffer_packets: int | None = None
    """Packets that wait; the oldest goes when one too many comes. 1 to 1000000. Default: 64."""

    request_period_ms: float | None = None
    """The first wait between network-wide requests, milliseconds.

    0.001 to 1000000. Default: 500.
    """

    max_request_period_s: float | None = None
    """The longest, seconds. 1e-06 to 1000000. Default: 10."""

    nonpropagating_request: bool | None = None
    """Whether a search asks the neighbours first. Default: True."""

    nonprop_request_timeout_ms: float | None = None
    """How long they have to answer, milliseconds. 0.001 to 1000000. Default: 30."""

    reply_from_cache: bool | None = None
    """Whether nodes on the way reply from their caches. Default: True."""

    salvage: bool | None = None
    """Whether a packet whose next hop is lost may take another route from the cache.

    Default: True.
    """

    max_salvage_count: int | None = None
    """How often. 0 to 15. Default: 15."""

    promiscuous: bool | None = None
    """Whether nodes listen to packets for other stations. Default: True."""

    gratuitous_replies: bool | None = None
    """Whether a source is told of a shorter way (automatic route shortening).

    Off without `promiscuous`. Default: True.
    """

    grat_reply_holdoff_s: float | None = None
    """How long the same source is not told again, seconds. 0 to 1000000. Default: 1."""

    request_jitter_ms: float | None = None
    """rfc, papanastasiou: own requests wait for a random time below this, milliseconds, so that
    nodes that begin to search in one instant do not collide each time that they ask (RFC 5148).
    0 to 1000000. Default: 10.
    """

    cache: Literal["path", "link", "link-static"] | None = None
    """rfc, papanastasiou: how routes are kept. Default: "link"."""

    cache_paths: int | None = None
    """rfc, papanastasiou: routes of the path cache. 1 to 1000000. Default: 64."""

    route_cache_timeout_s: float | None = None
    """rfc, papanastasiou: how long a path is kept after its last use, or a `link-static` link
    after it was last learnt, seconds. 1e-06 to 10000000. Default: 300.
    """

    init_stability_s: float | None = None
    """rfc, papanastasiou: the first lifetime of a link in the link cache, seconds.

    1e-06 to 10000000. Default: 25.
    """

    stability_increase: float | None = None
    """rfc, papanastasiou: what of the time between two uses of a link its ends gain as lifetime,
    as a factor. 0 to 1000. Default: 4.
    """

    stability_decrease: float | None = None
    """rfc, papanastasiou: what is left of that when a link of theirs breaks, as a factor.

    0 to 1. Default: 0.5.
    """

    min_lifetime_s: float | None = None
    """rfc, papanastasiou: the least lifetime of a link, seconds. 1e-06 to 10000000. Default: 1."""

    use_extends_s: float | None = None
    """rfc, papanastasiou: how long a link is kept after a use, seconds.

    0 to 10000000. Default: 120.
    """

    flush_link_cache: bool | None = None
    """rfc, papanastasiou: whether all links are forgotten when one breaks. Default: False."""

    request_table_size: int | None = None
    """rfc, papanastasiou: nodes whose requests are remembered. 1 to 1000000. Default: 64."""

    request_table_ids: int | None = None
    """rfc, papanastasiou: requests of each that are remembered. 1 to 1000000. Default: 16."""

    max_request_rexmt: int | None = None
    """rfc, papanastasiou: how often a request is repeated. 0 to 1000000. Default: 16."""

    discovery_hop_limit: int | None = None
    """rfc, papanastasiou: time to live of a network-wide request. 1 to 255. Default: 255."""

    reply_delay_ms: float | None = None
    """rfc, papanastasiou: H: replies from the cache wait H (h - 1 + r) for a route of h hops, r
    random below 1, milliseconds. 0 to 1000000. Default: 2.
    """

    link_layer_feedback: bool | None = None
    """rfc, papanastasiou: whether the link layer's report of a failure counts; if not,
    acknowledgements decide. Default: True.
    """

    passive_acks: bool | None = None
    """rfc, papanastasiou: whether hearing the next hop pass a packet on acknowledges it; needs
    `promiscuous`. The last hop is asked. Off with `link_layer_feedback`. Default: False.
    """

    network_acks: bool | None = None
    """rfc, papanastasiou: whether acknowledgements are asked for on all hops. Default: False."""

    maintenance_buffer_packets: int | None = None
    """rfc, papanastasiou: packets that are kept until their next hop has confirmed them.

    1 to 1000000. Default: 50.
    """

    maintenance_order: Literal["fifo", "lifo"] | None = None
    """rfc, papanastasiou: in which order packets for a lost neighbour are salvaged or sent again.

    Default: "fifo".
    """

    maint_holdoff_ms: float | None = None
    """rfc, papanastasiou: for how long a confirmed neighbour needs no confirmation, milliseconds.

    0 to 1000000. Default: 250.
    """

    max_maint_rexmt: int | None = None
    """rfc, papanastasiou: repetitions of a packet with a request for an acknowledgement.

    0 to 255. Default: 2.
    """

    try_passive_acks: int | None = None
    """rfc, papanastasiou: repetitions of a packet that is to be acknowledged passively.

    0 to 255. Default: 1.
    """

    passive_ack_timeout_ms: float | None = None
    """rfc, papanastasiou: how long a passive acknowledgement is waited for, milliseconds.

    0.001 to 1000000. Default: 100.
    """

    snoop: bool | None = None
    """rfc, papanastasiou: whether routes seen in packets are kept: forwarded ones and, with
    `promiscuous`, overheard ones. Default: True.
    """

    primary_paths: int | None = None
    """ns2: paths of the cache of routes that were asked for.

    With profile = "ns2": 30. 1 to 1000000.
    """

    secondary_paths: int | None = None
    """ns2: paths of the cache of routes seen in use. With profile = "ns2": 64. 1 to 1000000."""

    flow_state: bool | None = None
    """ns2: whether packets of an established flow go without a source route.

    With profile = "ns2": true.
    """

    flow_timeout_s: float | None = None
    """ns2: how long nodes remember a flow after its last packet, seconds.

    With profile = "ns2": 60.0. 1e-06 to 65535.
    """

    flow_route_interval_s: float | None = None
    """ns2: how often a packet of a flow carries the route, seconds.

    With profile = "ns2": 5.0. 1e-06 to 1000000.
    """

    release_gap_ms: float | None = None
    """ns2: gap between kept packets when they leave, milliseconds.

    With profile = "ns2": 30.0. 0 to 1000000.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Olsr(Table):
    """Parameters of Olsr; kept, without effect, where another protocol runs."""

    profile: Literal["rfc", "papanastasiou"] | None = None
    """Which set of constants holds. Default: "rfc"."""

    hello_interval_s: float | None = None
    """The longest time between two HELLOs, seconds. 0.001 to 3968. Default: 2."""

    refresh_interval_s: float | None = None
    """Within this time every link is in some HELLO, seconds.

    rfc: `hello_interval_s`. 0.001 to 3968. Default: 2.
    """

    tc_interval_s: float | None = None
    """The longest time between two TC messages, seconds. 0.001 to 3968. Default: 5."""

    neighbour_hold_time_s: float | None = None
    """For how long HELLOs are believed, seconds.

    rfc: three times `refresh_interval_s`. 1e-06 to 3968. Default: 6.
    """

    topology_hold_time_s: float | None = None
    """For how long TC messages are believed, seconds.

    rfc: three times `tc_interval_s`. 1e-06 to 3968. Default: 15.
    """

    duplicate_hold_time_s: float | None = None
    """For how long a flooded message is remembered, seconds. 1e-06 to 1000000. Default: 30."""

    max_jitter_ms: float | None = None
    """Intervals are shorter by a random time below this, and flooded messages wait for one,
    milliseconds. rfc: a quarter of `hello_interval_s`. 0 to 1000000. Default: 500.
    """

    willingness: int | None = None
    """How willing a node is to carry packets of others: 0 is never, 3 the usual, 7 always.

    0 to 7. Default: 3.
    """

    tc_redundancy: int | None = None
    """What TC messages advertise: 0, the neighbours that chose the node as relay; 1, also its own
    relays; 2, all neighbours. 0 to 2. Default: 0.
    """

    mpr_coverage: int | None = None
    """How many relays should reach each two-hop neighbour. 1 to 255. Default: 1."""

    hysteresis: bool | None = None
    """Whether a link must prove good before it is used, and bad before it is given up.

    Default: False.
    """

    hysteresis_high: float | None = None
    """Link quality above which a link is used. 0 to 1. Default: 0.8."""

    hysteresis_low: float | None = None
    """Link quality below which it is lost. 0 to 1. Default: 0.3."""

    hysteresis_scaling: float | None = None
    """The weight of one packet in the link quality. Above 0, to 1. Default: 0.5."""

    link_layer_notification: bool | None = None
    """Whether a link is lost when the link layer gives a packet up. Default: False."""

    immediate_tc: bool | None = None
    """Whether a change of what is advertised is told at once, not with the next periodic TC
    message. Default: False.
    """

    immediate_forwarding: bool | None = None
    """Whether flooded messages are sent on at once, each alone, not after a jitter and together.

    Default: False.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Dsdv(Table):
    """Parameters of Dsdv; kept, without effect, where another protocol runs."""

    profile: Literal["perkins", "ns2"] | None = None
    """Which set of constants, and whose rules, hold.

    With profile = "ns2": "ns2". Default: "perkins".
    """

    update_interval_s: float | None = None
    """The longest time between two full updates, seconds; the shortest is three quarters of it.

    0.001 to 1000000. Default: 15.
    """

    missed_updates: int | None = None
    """After so many intervals of silence a neighbour is lost. 1 to 1000. Default: 3."""

    initial_settling_time_s: float | None = None
    """The settling time of a destination of which nothing is known yet, seconds.

    A changed route is told of after twice the settling time. 0 to 1000000. Default: 6.
    """

    settling_weight: float | None = None
    """The weight of the past in the average settling time. 0 to 1. Default: 0.875."""

    trigger_spacing_s: float | None = None
    """The shortest time between a triggered update and the update before it, seconds.

    0 to 1000000. Default: 1.
    """

    trigger_on_sequence: bool | None = None
    """Whether a newer sequence number alone triggers an update (DSDV-SQ). Default: False."""

    broadcast_jitter_ms: float | None = None
    """Broadcasts wait for a random time below this, milliseconds. 0 to 1000000. Default: 10."""

    start_jitter_s: float | None = None
    """The first update leaves at a random time below this, seconds. 0 to 1000000. Default: 2."""

    buffer_packets: int | None = None
    """Packets that a node keeps for each destination without a route. 0 to 1000000. Default: 5."""

    link_layer_feedback: bool | None = None
    """Whether a neighbour is lost when the link layer cannot reach it.

    With profile = "ns2": false. Default: True.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Routing(Table):
    """How routes are found."""

    TABLES: ClassVar[dict[str, tuple[type[Table], ...]]] = {
        "aodv": (Aodv,),
        "dsr": (Dsr,),
        "olsr": (Olsr,),
        "dsdv": (Dsdv,),
    }

    protocol: Literal["static", "aodv", "dsr", "olsr", "dsdv"] | None = None
    """The routing protocol. Default: "static"."""

    multicast: Literal["refuse", "flood"] | None = None
    """What becomes of packets that programs of an emulation send to groups, or to everyone.

    Default: "refuse".
    """

    multicast_jitter_ms: float | None = None
    """Before a node passes such a packet on it waits for a random time below this, milliseconds;
    0: not at all. Default where they are flooded: 10. 0 to 10000.
    """

    lost_notices: Literal["as-packets", "sent-again"] | None = None
    """What becomes of a notice to a transport, of a failed route or of its return, that a next hop
    in range has not taken. Default: "as-packets".
    """

    aodv: Aodv | None = None
    """Parameters of Aodv; kept, without effect, where another protocol runs."""

    dsr: Dsr | None = None
    """Parameters of Dsr; kept, without effect, where another protocol runs."""

    olsr: Olsr | None = None
    """Parameters of Olsr; kept, without effect, where another protocol runs."""

    dsdv: Dsdv | None = None
    """Parameters of Dsdv; kept, without effect, where another protocol runs."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Output(Table):
    """What a run writes beside its summary; changes nothing in the run."""

    pcap: Sequence[int] | Literal["all"] | None = None
    """Nodes whose frames are captured, each in `node-<n>.pcapng`; or "all". Default: []."""

    series: Sequence[SeriesWord] | None = None
    """What `series.parquet` holds of every flow over time; an empty list writes none.

    Default: ["cwnd", "ssthresh", "rtt", "rto", "in-flight", "queue"].
    """

    series_interval_s: float | None = None
    """Distance between the rows of `series.parquet`, seconds.

    0: a row at every change. 0 to 1000000. Default: 0.
    """

    medium_use: bool | None = None
    """Whether results tell how the medium was used: `medium_use`, and `reverse_bps` of each flow.

    Such a run takes somewhat longer. Default: False.
    """

    flow_time: bool | None = None
    """Whether results tell where each flow's time went: `sender_time_s`, what kept its sender from
    sending more, and `network_time_s`, where its packets were. Such a run takes somewhat
    longer. Default: False.
    """

    lineage: Literal["off", "losses", "all"] | None = None
    """What `events.parquet` tells of what led to what, for `hopwright explain`. Default: "off"."""

    frames: bool | None = None
    """Whether `frames.parquet` tells of every frame on the air, and `lanes.parquet` what stations
    waited for. Default: False.
    """

    positions: bool | None = None
    """Whether `positions.parquet` tells where nodes were at any moment, and when they were down.

    Default: False.
    """

    ns2_trace: Literal["off", "old", "new"] | None = None
    """The format of `trace.tr`, the trace that ns-2 would write. Default: "off"."""

    ns2_trace_layers: Sequence[Literal["agent", "router", "mac"]] | None = None
    """The layers whose events are in that trace. Default: ["agent", "router", "mac"]."""

    figures: Sequence[Literal["cwnd", "sequence", "rtt", "queue"]] | None = None
    """The panels of `flow-<i>.svg`; an empty list draws none.

    Default: ["cwnd", "sequence", "rtt", "queue"].
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Energy(Table):
    """What transports compute, in joules."""

    compute: str | None = None
    """File of what an event costs each transport, from `hopwright measure-energy --out`: results
    then say what transports computed. None: it is not counted. A path is one from the
    scenario's folder.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Move(Table):
    """The node sets out for a place, from wherever it is, and stays there."""

    TAG: ClassVar[tuple[str, str] | None] = ("do", "move")

    at_s: float
    """When, seconds. 0 to 1000000."""

    node: int | str
    """The node. With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to 4294967295."""

    to_m: Sequence[float]
    """The place, `[x, y]`, metres."""

    speed_mps: float
    """How fast, m/s. Above 0, to 10000."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Down(Table):
    """The node goes down: its radio is off, what it has to send is dropped."""

    TAG: ClassVar[tuple[str, str] | None] = ("do", "down")

    at_s: float
    """When, seconds. 0 to 1000000."""

    node: int | str
    """The node. With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to 4294967295."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Up(Table):
    """The node comes up again."""

    TAG: ClassVar[tuple[str, str] | None] = ("do", "up")

    at_s: float
    """When, seconds. 0 to 1000000."""

    node: int | str
    """The node. With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to 4294967295."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ProfilePipe(Table):
    """One pipe of a profile."""

    rtt_ms: float
    """The round trip, ms. 0 to 1000000."""

    lifetime_s: float | None = None
    """How long it lasts, seconds, if one follows another: 0 for the last, which stays.

    0 to 1000000. Default: 0.
    """

    probability: float | None = None
    """The share of packets that take it, if all are there at once; together 1.

    0 to 1. Default: 0.
    """

    loss_percent: float | None = None
    """Packets that it loses, per cent. 0 to 100. Default: 0."""

    rate_kbps: float | None = None
    """What it carries, kb/s. Default: what the link carries. Above 0, to 1000000000."""


@dataclass(frozen=True, kw_only=True, repr=False)
class LinkProfile(Table):
    """What a connection met somewhere else, as pipes that the link follows.

    Delay and losses are those of the pipes.
    """

    TABLES: ClassVar[dict[str, tuple[type[Table], ...]]] = {
        "pipes": (ProfilePipe,),
    }

    pipes: Sequence[ProfilePipe]
    """The pipes, in order."""

    mode: Literal["sequential", "simultaneous"] | None = None
    """Whether one pipe follows another. Default: "sequential"."""

    repeat: bool | None = None
    """Whether the first pipe follows the last; if not, the last stays.

    Only with `mode = "sequential"`. Default: False.
    """

    losses: Literal["forward", "reverse", "both"] | None = None
    """On which way the pipes lose packets. Default: "forward"."""

    delays: Literal["both", "forward", "reverse"] | None = None
    """On which way the pipes delay packets. Default: "both"."""


@dataclass(frozen=True, kw_only=True, repr=False)
class LinkShape(Table):
    """What it is like on the way back, where that is not the same."""

    preset: Literal["wlan", "wwan", "satellite"] | None = None
    """A network of Velayutham 2005 table 1: what the other keys are where they are not given."""

    rate_kbps: float | None = None
    """What it carries, kb/s, IP headers included.

    Default: nothing limits it. Above 0, to 1000000000.
    """

    trace: str | None = None
    """A file with the opportunities of a recorded link, in mahimahi's format, in place of a rate.
    """

    variation: Literal["none", "square", "sine", "random"] | None = None
    """How the rate goes up and down.

    Default: not at all, or as a square where there is a period.
    """

    period_percent: float | None = None
    """How long one up and down takes, per cent of the delay. Above 0, to 1000000. Default: 100."""

    amplitude_percent: float | None = None
    """How far up and down it goes, per cent of the rate. 0 to 99. Default: 30."""

    delay_ms: float | None = None
    """How long the way takes, ms. 0 to 1000000. Default: 0."""

    jitter_percent: float | None = None
    """How much longer or shorter for each packet, per cent of the delay. 0 to 1000. Default: 0."""

    jitter_law: Literal["uniform", "normal"] | None = None
    """How that is drawn. Default: "uniform"."""

    jitter_correlation_percent: float | None = None
    """The correlation of a packet's jitter with that of the packet before, per cent.

    The law stays what it is. 0 to 99. Default: 0.
    """

    reorder: bool | None = None
    """Whether packets may overtake each other. Default: False."""

    reorder_percent: float | None = None
    """Packets that go ahead of all that are on their way, without the delay, per cent of those
    that may. 0 to 100. Default: 0.
    """

    reorder_gap: int | None = None
    """Of how many packets at most one goes ahead. 1 to 1000000. Default: 1."""

    reorder_correlation_percent: float | None = None
    """The correlation of going ahead with that of the packet before, per cent.

    The share stays what it is. 0 to 99. Default: 0.
    """

    duplicate_percent: float | None = None
    """Packets that arrive twice, the copy right behind, per cent of those that arrive.

    0 to 100. Default: 0.
    """

    loss_percent: float | None = None
    """Packets lost on the way, per cent. 0 to 100. Default: 0."""

    loss_per: Literal["packet", "bit"] | None = None
    """Whether short packets are lost as often as long ones. Default: "packet"."""

    burst_packets: float | None = None
    """Packets lost in a row, on average. 1 to 1000000. Default: 1."""

    loss_delay_correlation_percent: float | None = None
    """How losses go with the delay, per cent: above 0 a packet is lost more often if it takes
    longer. The share lost stays. -100 to 100. Default: 0.
    """

    bad_begins_percent: float | None = None
    """Gilbert-Elliott, in place of `loss_percent`: the probability p that with the next packet a
    good link becomes bad, per cent. 0 to 100. Default: 0.
    """

    bad_ends_percent: float | None = None
    """The probability r that with the next packet a bad link becomes good, per cent.

    0 to 100. Default: 0.
    """

    bad_loss_percent: float | None = None
    """Packets lost while the link is bad (1 - h), per cent. 0 to 100. Default: 100."""

    good_loss_percent: float | None = None
    """Packets lost while it is good (1 - k), per cent. 0 to 100. Default: 0."""

    bad_delay_ms: float | None = None
    """How much longer the way takes while it is bad, ms. 0 to 1000000. Default: 0."""

    loss_trace: str | None = None
    """A file with the losses of a recorded link, in place of a share: for each packet 0 (arrived)
    or 1 (lost).
    """

    queue_packets: int | None = None
    """Packets that wait for it at most; the one that is being sent is none of them.

    0 to 1000000. Default: 50.
    """

    queue: Literal["drop-tail", "codel"] | None = None
    """What is dropped beside what finds the queue full. Default: "drop-tail"."""

    codel_target_ms: float | None = None
    """CoDel: the wait that is acceptable, ms. 0.001 to 1000000. Default: 5."""

    codel_interval_ms: float | None = None
    """CoDel: for how long a longer one is, ms. 0.001 to 1000000. Default: 100."""


@dataclass(frozen=True, kw_only=True, repr=False)
class LinkChange(Table):
    """A link that is another from some time on."""

    TABLES: ClassVar[dict[str, tuple[type[Table], ...]]] = {
        "profile": (LinkProfile,),
        "reverse": (LinkShape,),
    }

    at_s: float
    """When, seconds. 0 to 1000000."""

    network: int | None = None
    """The number of the network that the link is part of from then on: its ends are told of the
    hand-over. 0 to 1000.
    """

    clear: bool | None = None
    """Whether what waits for the link is lost. Default: False."""

    preset: Literal["wlan", "wwan", "satellite"] | None = None
    """A network of Velayutham 2005 table 1: what the other keys are where they are not given."""

    rate_kbps: float | None = None
    """What it carries, kb/s, IP headers included.

    Default: nothing limits it. Above 0, to 1000000000.
    """

    trace: str | None = None
    """A file with the opportunities of a recorded link, in mahimahi's format, in place of a rate.
    """

    variation: Literal["none", "square", "sine", "random"] | None = None
    """How the rate goes up and down.

    Default: not at all, or as a square where there is a period.
    """

    period_percent: float | None = None
    """How long one up and down takes, per cent of the delay. Above 0, to 1000000. Default: 100."""

    amplitude_percent: float | None = None
    """How far up and down it goes, per cent of the rate. 0 to 99. Default: 30."""

    delay_ms: float | None = None
    """How long the way takes, ms. 0 to 1000000. Default: 0."""

    jitter_percent: float | None = None
    """How much longer or shorter for each packet, per cent of the delay. 0 to 1000. Default: 0."""

    jitter_law: Literal["uniform", "normal"] | None = None
    """How that is drawn. Default: "uniform"."""

    jitter_correlation_percent: float | None = None
    """The correlation of a packet's jitter with that of the packet before, per cent.

    The law stays what it is. 0 to 99. Default: 0.
    """

    reorder: bool | None = None
    """Whether packets may overtake each other. Default: False."""

    reorder_percent: float | None = None
    """Packets that go ahead of all that are on their way, without the delay, per cent of those
    that may. 0 to 100. Default: 0.
    """

    reorder_gap: int | None = None
    """Of how many packets at most one goes ahead. 1 to 1000000. Default: 1."""

    reorder_correlation_percent: float | None = None
    """The correlation of going ahead with that of the packet before, per cent.

    The share stays what it is. 0 to 99. Default: 0.
    """

    duplicate_percent: float | None = None
    """Packets that arrive twice, the copy right behind, per cent of those that arrive.

    0 to 100. Default: 0.
    """

    loss_percent: float | None = None
    """Packets lost on the way, per cent. 0 to 100. Default: 0."""

    loss_per: Literal["packet", "bit"] | None = None
    """Whether short packets are lost as often as long ones. Default: "packet"."""

    burst_packets: float | None = None
    """Packets lost in a row, on average. 1 to 1000000. Default: 1."""

    loss_delay_correlation_percent: float | None = None
    """How losses go with the delay, per cent: above 0 a packet is lost more often if it takes
    longer. The share lost stays. -100 to 100. Default: 0.
    """

    bad_begins_percent: float | None = None
    """Gilbert-Elliott, in place of `loss_percent`: the probability p that with the next packet a
    good link becomes bad, per cent. 0 to 100. Default: 0.
    """

    bad_ends_percent: float | None = None
    """The probability r that with the next packet a bad link becomes good, per cent.

    0 to 100. Default: 0.
    """

    bad_loss_percent: float | None = None
    """Packets lost while the link is bad (1 - h), per cent. 0 to 100. Default: 100."""

    good_loss_percent: float | None = None
    """Packets lost while it is good (1 - k), per cent. 0 to 100. Default: 0."""

    bad_delay_ms: float | None = None
    """How much longer the way takes while it is bad, ms. 0 to 1000000. Default: 0."""

    loss_trace: str | None = None
    """A file with the losses of a recorded link, in place of a share: for each packet 0 (arrived)
    or 1 (lost).
    """

    queue_packets: int | None = None
    """Packets that wait for it at most; the one that is being sent is none of them.

    0 to 1000000. Default: 50.
    """

    queue: Literal["drop-tail", "codel"] | None = None
    """What is dropped beside what finds the queue full. Default: "drop-tail"."""

    codel_target_ms: float | None = None
    """CoDel: the wait that is acceptable, ms. 0.001 to 1000000. Default: 5."""

    codel_interval_ms: float | None = None
    """CoDel: for how long a longer one is, ms. 0.001 to 1000000. Default: 100."""

    profile: str | LinkProfile | None = None
    """A file that says what the link is like, read as if its keys stood here; or the profile
    itself.
    """

    reverse: LinkShape | None = None
    """What it is like on the way back, where that is not the same."""


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
    """The node at the other. 0 to 9999."""

    directions: Literal["separate", "shared", "one-way"] | None = None
    """Whether packets go both ways, and whether these ways share queue and rate.

    Default: "separate".
    """

    preset: Literal["wlan", "wwan", "satellite"] | None = None
    """A network of Velayutham 2005 table 1: what the other keys are where they are not given."""

    rate_kbps: float | None = None
    """What it carries, kb/s, IP headers included.

    Default: nothing limits it. Above 0, to 1000000000.
    """

    trace: str | None = None
    """A file with the opportunities of a recorded link, in mahimahi's format, in place of a rate.
    """

    variation: Literal["none", "square", "sine", "random"] | None = None
    """How the rate goes up and down.

    Default: not at all, or as a square where there is a period.
    """

    period_percent: float | None = None
    """How long one up and down takes, per cent of the delay. Above 0, to 1000000. Default: 100."""

    amplitude_percent: float | None = None
    """How far up and down it goes, per cent of the rate. 0 to 99. Default: 30."""

    delay_ms: float | None = None
    """How long the way takes, ms. 0 to 1000000. Default: 0."""

    jitter_percent: float | None = None
    """How much longer or shorter for each packet, per cent of the delay. 0 to 1000. Default: 0."""

    jitter_law: Literal["uniform", "normal"] | None = None
    """How that is drawn. Default: "uniform"."""

    jitter_correlation_percent: float | None = None
    """The correlation of a packet's jitter with that of the packet before, per cent.

    The law stays what it is. 0 to 99. Default: 0.
    """

    reorder: bool | None = None
    """Whether packets may overtake each other. Default: False."""

    reorder_percent: float | None = None
    """Packets that go ahead of all that are on their way, without the delay, per cent of those
    that may. 0 to 100. Default: 0.
    """

    reorder_gap: int | None = None
    """Of how many packets at most one goes ahead. 1 to 1000000. Default: 1."""

    reorder_correlation_percent: float | None = None
    """The correlation of going ahead with that of the packet before, per cent.

    The share stays what it is. 0 to 99. Default: 0.
    """

    duplicate_percent: float | None = None
    """Packets that arrive twice, the copy right behind, per cent of those that arrive.

    0 to 100. Default: 0.
    """

    loss_percent: float | None = None
    """Packets lost on the way, per cent. 0 to 100. Default: 0."""

    loss_per: Literal["packet", "bit"] | None = None
    """Whether short packets are lost as often as long ones. Default: "packet"."""

    burst_packets: float | None = None
    """Packets lost in a row, on average. 1 to 1000000. Default: 1."""

    loss_delay_correlation_percent: float | None = None
    """How losses go with the delay, per cent: above 0 a packet is lost more often if it takes
    longer. The share lost stays. -100 to 100. Default: 0.
    """

    bad_begins_percent: float | None = None
    """Gilbert-Elliott, in place of `loss_percent`: the probability p that with the next packet a
    good link becomes bad, per cent. 0 to 100. Default: 0.
    """

    bad_ends_percent: float | None = None
    """The probability r that with the next packet a bad link becomes good, per cent.

    0 to 100. Default: 0.
    """

    bad_loss_percent: float | None = None
    """Packets lost while the link is bad (1 - h), per cent. 0 to 100. Default: 100."""

    good_loss_percent: float | None = None
    """Packets lost while it is good (1 - k), per cent. 0 to 100. Default: 0."""

    bad_delay_ms: float | None = None
    """How much longer the way takes while it is bad, ms. 0 to 1000000. Default: 0."""

    loss_trace: str | None = None
    """A file with the losses of a recorded link, in place of a share: for each packet 0 (arrived)
    or 1 (lost).
    """

    queue_packets: int | None = None
    """Packets that wait for it at most; the one that is being sent is none of them.

    0 to 1000000. Default: 50.
    """

    queue: Literal["drop-tail", "codel"] | None = None
    """What is dropped beside what finds the queue full. Default: "drop-tail"."""

    codel_target_ms: float | None = None
    """CoDel: the wait that is acceptable, ms. 0.001 to 1000000. Default: 5."""

    codel_interval_ms: float | None = None
    """CoDel: for how long a longer one is, ms. 0.001 to 1000000. Default: 100."""

    profile: str | LinkProfile | None = None
    """A file that says what the link is like, read as if its keys stood here; or the profile
    itself.
    """

    reverse: LinkShape | None = None
    """What it is like on the way back, where that is not the same."""

    changes: Sequence[LinkChange] | None = None
    """What it becomes, in the order of time; what an entry does not say stays as it was."""


@dataclass(frozen=True, kw_only=True, repr=False)
class SnoopRelay(Table):
    """Sends again what the wireless side lost (Balakrishnan and others 1995)."""

    TAG: ClassVar[tuple[str, str] | None] = ("kind", "snoop")

    node: int
    """The node. 0 to 9999."""

    towards: int | None = None
    """The neighbour on the wireless side: data that go there are kept, and of data that come from
    there their sender is told which were lost on the way. Default: of each flow the neighbour
    towards its receiver. 0 to 9999.
    """

    cache_packets: int | None = None
    """Packets of a connection that it keeps at most. 1 to 1000000. Default: 100."""

    min_timeout_ms: float | None = None
    """The shortest wait for an acknowledgement before a packet is sent again, ms; else the
    smoothed round-trip time of the wireless side and four deviations. 1 to 1000000. Default:
    100.
    """

    retry_limit: int | None = None
    """How often it sends a packet again at most, until the sender does. 1 to 255. Default: 10."""


@dataclass(frozen=True, kw_only=True, repr=False)
class SplitRelay(Table):
    """Ends connections and carries their data on over its own (Bakre and Badrinath 1995)."""

    TAG: ClassVar[tuple[str, str] | None] = ("kind", "split")

    node: int
    """The node. 0 to 9999."""

    towards: int | None = None
    """The neighbour on the wireless side: only flows that send their data there are split.

    Default: all that pass. 0 to 9999.
    """

    protocol: TcpProtocolWord | None = None
    """The protocol of its own connections.

    Default: the flow's, with the flow's mechanisms and parameters, but without its triggers.
    """

    buffer_bytes: int | None = None
    """What it holds of a flow's data that the receiver has not acknowledged, bytes: as much window
    is offered to the sender as there is room. Default: as much as the flow's receiver would
    offer. 536 to 1073725440.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Attach(Table):
    """A network namespace that `hopwright emulate` makes, whose only way out is a node."""

    node: int | str
    """The node.

    Its address is the namespace's. With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to
    4294967295.
    """

    namespace: str | None = None
    """What the namespace is called; 1 to 32 letters, digits, '-', '_' and '.'.

    Default: `node-` and the node's number.
    """

    layer: Literal["ip", "ethernet"] | None = None
    """What passes between the namespace and the node. Default: "ip"."""

    prefix_length: int | None = None
    """With `layer = "ethernet"`: length of the prefix of the namespace's address, by default 8.

    With 8 the kernel takes every node for a neighbour, and asks for it by ARP; with 32 for none,
    until a route says so, as routing daemons want it. 1 to 32.
    """

    privileged: bool | None = None
    """Whether the program may change its own namespace: routes, addresses, filters.

    It has the capability CAP_NET_ADMIN and those that raw sockets and low ports need, there and
    nowhere else. Default: False.
    """

    command: Sequence[str] | None = None
    """A program that runs there from the start: its name and its words. Default: none."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Uniform(Table):
    """Each frame with the same probability, whatever happens to others."""

    TAG: ClassVar[tuple[str, str] | None] = ("model", "uniform")

    probability: float
    """Of damage to a frame on its way to a node; a ratio. 0 to 1."""

    from_: int | str | None = None
    """Frames from this node; without it, from all.

    With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to 4294967295.
    """

    to: int | str | None = None
    """On their way to this node; without it, to all.

    With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to 4294967295.
    """

    frames: Sequence[Literal["rts-cts", "data", "ack", "mac-ack", "routing"]] | None = None
    """What these frames carry. Default: ["rts-cts", "data", "ack", "mac-ack", "routing"]."""


@dataclass(frozen=True, kw_only=True, repr=False)
class GilbertElliott(Table):
    """In bursts: a link is good and bad in turn, for exponential times."""

    TAG: ClassVar[tuple[str, str] | None] = ("model", "gilbert-elliott")

    mean_good_s: float
    """How long a link is good, on average, in each direction on its own, seconds.

    1e-05 to 1000000.
    """

    mean_bad_s: float
    """How long it is bad, on average, seconds. 1e-05 to 1000000."""

    from_: int | str | None = None
    """Frames from this node; without it, from all.

    With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to 4294967295.
    """

    to: int | str | None = None
    """On their way to this node; without it, to all.

    With topology.kind = "sumo-fcd" also the name of a vehicle. 0 to 4294967295.
    """

    frames: Sequence[Literal["rts-cts", "data", "ack", "mac-ack", "routing"]] | None = None
    """What these frames carry. Default: ["rts-cts", "data", "ack", "mac-ack", "routing"]."""

    good_probability: float | None = None
    """Of damage to a frame that leaves in a good time; a ratio. 0 to 1. Default: 0."""

    bad_probability: float | None = None
    """Of damage to a frame that leaves in a bad time; a ratio. 0 to 1. Default: 1."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Condition(Table):
    """Something that may be true of the path: one of `above`, `below` and `equals`."""

    monitor: MonitorWord
    """What is measured, at the sender; `interface` is told by shaped links."""

    above: float | None = None
    """True if more is measured. 0 to 1000000000000."""

    below: float | None = None
    """True if less is measured. 0 to 1000000000000."""

    equals: int | None = None
    """True if it is just that: the number of a network, for `interface`. 0 to 1000."""

    until: float | None = None
    """Once true, it stays so until the value has come back over this bound.

    Default: over the same one. 0 to 1000000000000.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Mechanisms(Table):
    """The mechanisms that the flow has from then on: part by slot.

    All slots change at once, or none.
    """

    control: ControlWord | None = None
    """What is regulated: a window, a rate, or a rate made of a window."""

    clocking: Literal["self-clocked", "paced", "explicit"] | None = None
    """When the next segment may leave."""

    startup: Literal["slow-start", "slow", "vegas", "packet-pair"] | None = None
    """The window before the first sign of congestion."""

    avoidance: AvoidanceWord | None = None
    """Growth of the window afterwards."""

    detection: Literal["duplicate-acks", "sack", "vegas", "eln"] | None = None
    """What counts as a loss."""

    diagnosis: DiagnosisWord | None = None
    """Why it was lost."""

    response: ResponseWord | None = None
    """The window and threshold after a loss."""

    recovery: RecoveryWord | None = None
    """What is sent again, and when recovery ends."""

    timeout: TimeoutWord | None = None
    """What silence means."""

    path: PathWord | None = None
    """What signals from routing do."""

    acking: AckingWord | None = None
    """When an acknowledgement leaves."""

    offer: Literal["free-buffer", "tcc", "separation"] | None = None
    """The window offered to the peer."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Trigger(Table):
    """One entry of `[[flows.transport.triggers]]`."""

    TABLES: ClassVar[dict[str, tuple[type[Table], ...]]] = {
        "when": (Condition,),
        "set": (Mechanisms,),
    }

    when: Sequence[Condition]
    """What must be true of the path."""

    any: bool | None = None
    """Whether one of the conditions is enough; if not, all must be true. Default: False."""

    set: Mechanisms | None = None
    """The mechanisms that the flow has from then on: part by slot.

    All slots change at once, or none.
    """

    back: bool | None = None
    """Whether the slots go back when it is not true any more: to what the last of the triggers
    that are still true wants, or to what was there before all of them. Default: False.
    """


@dataclass(frozen=True, kw_only=True, repr=False)
class Tcp(Table):
    """What carries the data."""

    TABLES: ClassVar[dict[str, tuple[type[Table], ...]]] = {
        "triggers": (Trigger,),
    }

    protocol: ProtocolWord | None = None
    """The transport protocol. Default: "newreno"."""

    control: ControlWord | None = None
    """What is regulated: a window, a rate, or a rate made of a window.

    Default: as the protocol has it.
    """

    clocking: Literal["self-clocked", "paced", "explicit"] | None = None
    """When the next segment may leave. Default: as the protocol has it."""

    startup: Literal["slow-start", "slow", "vegas", "packet-pair"] | None = None
    """The window before the first sign of congestion. Default: as the protocol has it."""

    avoidance: AvoidanceWord | None = None
    """Growth of the window afterwards. Default: as the protocol has it."""

    detection: Literal["duplicate-acks", "sack", "vegas", "eln"] | None = None
    """What counts as a loss. Default: as the protocol has it."""

    diagnosis: DiagnosisWord | None = None
    """Why it was lost. Default: as the protocol has it."""

    response: ResponseWord | None = None
    """The window and threshold after a loss. Default: as the protocol has it."""

    recovery: RecoveryWord | None = None
    """What is sent again, and when recovery ends. Default: as the protocol has it."""

    timeout: TimeoutWord | None = None
    """What silence means. Default: as the protocol has it."""

    path: PathWord | None = None
    """What signals from routing do. Default: as the protocol has it."""

    acking: AckingWord | None = None
    """When an acknowledgement leaves. Default: as the protocol has it."""

    offer: Literal["free-buffer", "tcc", "separation"] | None = None
    """The window offered to the peer. Default: as the protocol has it."""

    triggers: Sequence[Trigger] | None = None
    """When mechanisms change under way, as what the sender measures of the path says."""

    policy: str | None = None
    """A file with triggers, as `hopwright adapt` writes it: they are read as if they stood here."""

    trigger_hold_s: float | None = None
    """The least time between two changes of a slot, seconds.

    Default: ten round trips, a second at least. 0 to 1000000.
    """

    trigger_period_ms: float | None = None
    """The least time between two looks at what is measured, ms. 0 to 1000000. Default: 100."""

    loss_window_segments: int | None = None
    """Segments over which the monitor `loss` counts. 10 to 1000000. Default: 500."""

    loss_skips_slow_start: bool | None = None
    """Whether the monitor `loss` leaves out what slow start sends and loses: that tells how long a
    queue is. Default: False.
    """

    jitter_of: Literal["round-trips", "one-way"] | None = None
    """Whose changes the monitor `jitter` goes by. Default: "round-trips"."""

    monitor_source: Literal["measured", "told"] | None = None
    """Where values come from. Default: "measured"."""

    place: Literal["sender", "receiver"] | None = None
    """The end that decides what is sent: the sender, or the receiver, which asks for its data.

    Default: "sender".
    """

    segment_bytes: int | None = None
    """Largest payload of a segment. 1 to 65495. Default: 1460."""

    window_limit_segments: int | None = None
    """What the receiver offers at most. 1 to 65535. Default: 64."""

    initial_window_segments: int | None = None
    """Congestion window after the handshake. 1 to 65535. Default: 2."""

    max_burst_segments: int | None = None
    """Segments one event may release; 0: any number. 0 to 65535. Default: 3."""

    dupack_threshold: int | None = None
    """Duplicate acknowledgements taken for a loss. 1 to 65535. Default: 3."""

    limited_transmit: bool | None = None
    """The first duplicates release new segments (RFC 3042). Default: False."""

    delayed_ack_ms: float | None = None
    """Longest delay of an acknowledgement. 0 to 1000000000. Default: 100."""

    min_rto_ms: float | None = None
    """Lower bound of the RTO, before back-off. 0 to 1000000000. Default: 200."""

    max_rto_s: float | None = None
    """Upper bound of the RTO. 0.001 to 1000000. Default: 60."""

    initial_rto_ms: float | None = None
    """RTO before the first measurement.

    With profile = "ns2": 3000. 1 to 1000000000. Default: 1000.
    """

    granularity_ms: float | None = None
    """Length of a clock tick. 0 to 1000000000. Default: 10."""

    granularity_mode: Literal["heartbeat", "exact", "ns2"] | None = None
    """What the clock tick does. With profile = "ns2": "ns2". Default: "heartbeat"."""

    granularity_phase_ms: float | None = None
    """Time of the first tick. 0 to 1000000000. Default: 0."""

    idle_restart: Literal["off", "initial-window", "one-segment"] | None = None
    """The window after an RTO of silence.

    With profile = "ns2": "one-segment". Default: "initial-window".
    """

    window_validation: Literal["none", "rfc7661"] | None = None
    """What keeps a window that is not used from growing; with rfc7661, idle_restart has no effect.

    Default: "none".
    """

    partial_ack_timer: Literal["first", "every"] | None = None
    """Partial acknowledgements that restart the timer. Default: "first"."""

    msl_s: float | None = None
    """Maximum segment lifetime; TIME-WAIT lasts twice as long. 0 to 1000000. Default: 120."""

    receive_buffer_bytes: int | None = None
    """Size of the receive buffer; 0: window_limit_segments counts it.

    0 to 1073725440. Default: 0.
    """

    timestamps: bool | None = None
    """Timestamps are asked for on the SYN (RFC 7323). Default: False."""

    selective_acks: bool | None = None
    """Acknowledgements say what came beyond gaps (RFC 2018). Default: False."""

    ecn: bool | Literal["accept"] | None = None
    """Congestion marks are asked for on the SYN, and answered like losses (RFC 3168); accept:
    agreed to if the peer asks. Default: False.
    """

    sack_blocks: int | None = None
    """Most blocks of a selective acknowledgement; three fit beside a timestamp.

    With profile = "ns2": 3. 1 to 4. Default: 4.
    """

    displaced_blocks_forgotten: bool | None = None
    """ns-2: a block that newer ones left no room for is not told again before more of it comes.

    With profile = "ns2": true. Default: False.
    """

    duplicate_sacks: bool | None = None
    """Selective acknowledgements also say what came twice (RFC 2883). Default: False."""

    nagle: bool | None = None
    """Small segments wait for acknowledgements (RFC 9293 3.7.4). Default: False."""

    user_timeout_s: float | None = None
    """How long the peer may leave something unanswered; 0: for ever. 0 to 1000000. Default: 0."""

    fin_wait_2_timeout_s: float | None = None
    """How long the peer may be silent in FIN-WAIT-2; 0: for ever. 0 to 1000000. Default: 0."""

    challenge_acks_per_s: int | None = None
    """Answers per second to segments that cannot be believed (RFC 5961).

    1 to 65535. Default: 10.
    """

    ack_rwnd_hold: bool | None = None
    """The offered window stays the same on duplicate acknowledgements. Default: False."""

    plain_handshake: bool | None = None
    """ns-2: no options, no third segment. With profile = "ns2": true. Default: False."""

    rounding: Literal["bytes", "whole-segments"] | None = None
    """ns-2: windows in whole segments. With profile = "ns2": "whole-segments". Default: "bytes"."""

    halved: Literal["flight", "window"] | None = None
    """What is halved after a loss. With profile = "ns2": "window". Default: "flight"."""

    threshold_starts_at_offer: bool | None = None
    """ns-2: ssthresh starts at the offered window. With profile = "ns2": true. Default: False."""

    halve_on_every_timeout: bool | None = None
    """ns-2: repeated time-outs halve again. With profile = "ns2": true. Default: False."""

    recovery_rules: Literal["rfc", "ns2"] | None = None
    """Whose rules of fast recovery. With profile = "ns2": "ns2". Default: "rfc"."""

    duplicate_rule: Literal["rfc5681", "any-repeat"] | None = None
    """What counts as a duplicate acknowledgement.

    With profile = "ns2": "any-repeat". Default: "rfc5681".
    """

    old_acks_release: bool | None = None
    """ns-2: old acknowledgements, however old, let segments out.

    With profile = "ns2": true. Default: False.
    """

    delays_acks_of_repeats: bool | None = None
    """ns-2: a repeated newest segment is taken for new.

    With profile = "ns2": true. Default: False.
    """

    partial_ack_keeps_timing: bool | None = None
    """ns-2: partial acknowledgements leave the timing of a later segment alone.

    With profile = "ns2": true. Default: False.
    """

    cwnd_limit_segments: int | None = None
    """The most the congestion window may be (CWL, ns-2 maxcwnd_); 0: no limit.

    0 to 65535. Default: 0.
    """

    cwnd_floor_segments: int | None = None
    """The least the congestion window may be, if its limit allows; 0: one segment.

    0 to 65535. Default: 0.
    """

    cwnd_limit_acts: Literal["clamp", "send"] | None = None
    """Limits keep the congestion window itself within them (ns-2), or only what may be sent.

    Default: "clamp".
    """

    rate_loss_at: Literal["sender", "receiver"] | None = None
    """Where losses are found and the receive rate is measured: at the sender, or at the receiver,
    which reports both (RFC 5348). Default: "sender".
    """

    rate_limit: Literal["twice-received", "none"] | None = None
    """The most the rate may be: twice what was received (RFC 5348), or anything.

    Default: "twice-received".
    """

    explicit_epoch_srtt: float | None = None
    """Length of an epoch in smoothed round-trip times. 0.1 to 10. Default: 1."""

    explicit_window: Literal["reno", "acked"] | None = None
    """What leaves in an epoch: the congestion window, or what was acknowledged in the epoch before
    and a segment. Default: "reno".
    """

    explicit_spread: Literal["burst", "even"] | None = None
    """What leaves in an epoch leaves at once, or evenly spread. Default: "burst"."""

    slow_start_limit_segments: int | None = None
    """What one acknowledgement adds to the window in slow start at most (L of RFC 3465); 0: all
    that it acknowledges. 0 to 1000000. Default: 1.
    """

    k: int | None = None
    """Acknowledgements that do not grow the window after each that does.

    0 to 1000000. Default: 10.
    """

    ss_k: int | None = None
    """Acknowledgements that do not grow the window after each that does, in slow start; 0: as many
    as k. 0 to 1000000. Default: 0.
    """

    vegas_rounding: Literal["as-windows", "real", "whole"] | None = None
    """How the queue is counted: whole segments (ns-2), real numbers, or as windows are.

    Default: "as-windows".
    """

    vegas_rtt: Literal["mean", "shortest"] | None = None
    """The delay that stands for a round trip; Linux: the shortest. Default: "mean"."""

    vegas_least_samples: int | None = None
    """A round trip with fewer delays measured grows the window as Reno; Linux: 3.

    0 to 65535. Default: 0.
    """

    vegas_gamma: float | None = None
    """More segments queued than that end slow start. 0 to 65535. Default: 1."""

    vegas_pace: Literal["every-other", "every"] | None = None
    """Round trips of slow start that double the window; Linux: every. Default: "every-other"."""

    vegas_exit: Literal["eighth", "target"] | None = None
    """The window after slow start: an eighth less, or one segment more than the path holds
    (Linux). Default: "eighth".
    """

    pair_gap_from: Literal["receiver", "acks"] | None = None
    """The distance of a pair is what the receiver tells of it, or that of its two
    acknowledgements. Default: "receiver".
    """

    pair_tries: int | None = None
    """Pairs that are tried before slow start takes over. 1 to 1000. Default: 3."""

    adaptive_k_table: Literal["dsr", "aodv"] | None = None
    """The routing over which k was fitted to the hop count (Papanastasiou 2006, tables 4.4 and
    B.1). Default: "dsr".
    """

    adaptive_k_from_hops: int | None = None
    """Shorter routes are not slowed down; 3 for parallel flows. 1 to 255. Default: 4."""

    cubic_c: float | None = None
    """How steep the cubic function is. 1e-06 to 1000000. Default: 0.4."""

    cubic_beta: float | None = None
    """What a loss leaves of the window. 0.01 to 0.99. Default: 0.7."""

    cubic_fast_convergence: bool | None = None
    """A flow that is cut below its last maximum makes room for others (RFC 9438 4.7).

    Default: True.
    """

    cubic_counts: Literal["acks", "segments"] | None = None
    """What the steps of the window are per (Linux: segments). Default: "acks"."""

    few_alpha: float | None = None
    """What a round trip adds to the window; the default is unverified. 0 to 1. Default: 0.01."""

    vegas_route_resets_base: bool | None = None
    """A signal of another route makes the base delay be measured anew. Default: False."""

    vegas_alpha: float | None = None
    """Fewer segments queued than that open the window. 0 to 65535. Default: 1."""

    vegas_beta: float | None = None
    """More segments queued than that close the window. 0 to 65535. Default: 3."""

    veno_beta: float | None = None
    """Backlog that means congestion. 0 to 1000000. Default: 3."""

    veno_base_reset: bool | None = None
    """The base of round-trip times is measured anew after every loss (the paper's rule;
    unverified). Default: False.
    """

    delay_threshold_share: float | None = None
    """How much longer than the shortest a round trip may be, as a share of that, before the window
    shrinks. 0 to 100. Default: 0.25.
    """

    delay_factor: float | None = None
    """What is left of a window that shrinks. 0.01 to 1. Default: 0.875."""

    vegas_fine_timer: Literal["ns2", "reno"] | None = None
    """The time-out of single segments: 17/16 (srtt + 2 mdev), or srtt + 4 mdev. Default: "ns2"."""

    eln_threshold: int | None = None
    """Duplicates after which a loss notice repairs the hole. 1 to 100. Default: 1."""

    biaz_vaidya_upper: float | None = None
    """With n missing, the channel lost them if the spacing is below n and this times the least: 2
    (Biaz), 1.25 (mBiaz). 1 to 1000. Default: 2.
    """

    spike_start: float | None = None
    """A spike begins above this part of the range of times on the way (alpha).

    0 to 1. Default: 0.5.
    """

    spike_end: float | None = None
    """A spike ends below this part of the range (beta). 0 to 1. Default: 0.3333333333333333."""

    zigzag_deviation_from: Literal["new", "old"] | None = None
    """Which mean the deviation is taken from; unverified. Default: "new"."""

    zbs_spacing_weight: float | None = None
    """Weight of a new spacing in the average; unverified. 0 to 1. Default: 0.125."""

    ncpld_margin: float | None = None
    """Delays up to this times the least are before the knee; unverified.

    1 to 100. Default: 1.25.
    """

    predictor_rule: Literal["vegas", "ntg", "ndg"] | None = None
    """Backlog, normalised throughput gradient or normalised delay gradient. Default: "vegas"."""

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
    """Whose bandwidth: a sample per acknowledgement, or per round trip. Default: "westwood"."""

    bandwidth_least_rtt: Literal["lifetime", "relearned"] | None = None
    """The shortest round-trip time: of the connection, or since the last time-out (Linux).

    Default: "lifetime".
    """

    westwood_filter: Literal["tustin", "fixed-10", "fixed-15"] | None = None
    """Tustin's with the time constant, or as if tau were 10 gaps (.9047 and .0476; UCLA's default)
    or 15 (.93548 and .03225). Default: "tustin".
    """

    westwood_tau_s: float | None = None
    """Time constant of the filter. 0.001 to 1000. Default: 1."""

    westwood_zero_samples_per_tau: int | None = None
    """Samples of zero in a time constant without acknowledgements. 2 to 1000. Default: 2."""

    westwood_least_gap_ms: float | None = None
    """After idling, a shorter gap counts as half a time constant; unverified.

    0 to 10000. Default: 10.
    """

    westwood_ack_cap_segments: int | None = None
    """Most that one acknowledgement counts for (UCLA); 0: no limit. 0 to 1000. Default: 2."""

    westwood_plus_filter: Literal["paper", "linux", "ns3"] | None = None
    """One average of weight .9 (its details unverified), two of 7/8 in a row, or Tustin's of
    weight .9. Default: "paper".
    """

    westwood_plus_least_window_ms: float | None = None
    """A sample takes a round-trip time, but not less than this. 1 to 10000. Default: 50."""

    welcome_window_samples: int | None = None
    """Recent round-trip times that are looked at (RTT_THRESHOLD; its role is a reading).

    1 to 64. Default: 10.
    """

    welcome_growing_samples: int | None = None
    """More than so many beyond the limit: times are growing (RTT_G_COUNT_THRESHOLD).

    0 to 64. Default: 5.
    """

    welcome_limit: Literal["percent", "three-sigma"] | None = None
    """The limit: estimate plus a percentage, or the control limit of the filter; unverified.

    Default: "percent".
    """

    welcome_excess_percent: float | None = None
    """How far above the estimate the limit lies (RTT_G_THRESHOLD; its unit is unverified).

    0 to 10000. Default: 5.
    """

    welcome_samples: Literal["timed", "every"] | None = None
    """Round-trip times as the timer measures them, or of every acknowledgement; unverified.

    Default: "timed".
    """

    welcome_centre_line: Literal["stable", "agile"] | None = None
    """Which average the control limits lie around; unverified. Default: "stable"."""

    welcome_agile_gain: float | None = None
    """Weight of the old estimate in the agile average. 0 to 1. Default: 0.1."""

    welcome_stable_gain: float | None = None
    """Weight of the old estimate in the stable average. 0 to 1. Default: 0.9."""

    welcome_range_gain: float | None = None
    """Weight of the old estimate in the moving range; unverified. 0 to 1. Default: 0.9."""

    oracle_congestion_as: Literal["congestion", "channel", "contention", "route"] | None = None
    """What losses to full queues are taken for. Default: "congestion"."""

    oracle_channel_as: Literal["channel", "congestion", "contention", "route"] | None = None
    """What losses to the channel are taken for. Default: "channel"."""

    oracle_contention_as: Literal["contention", "congestion", "channel", "route"] | None = None
    """What losses to contention are taken for. Default: "contention"."""

    oracle_route_as: Literal["route", "congestion", "channel", "contention"] | None = None
    """What losses to routes that broke are taken for. Default: "route"."""

    oracle_nothing_as: Literal["channel", "congestion", "contention", "route"] | None = None
    """What is taken for the cause where nothing was lost: by default one that asks for no cut.

    Default: "channel".
    """

    oracle_error_probability: float | None = None
    """The share of diagnoses in which a cause is taken for another one as `oracle_..._as` say; the
    others are right. 0 to 1. Default: 1.
    """

    vegas_restart_segments: int | None = None
    """The window after silence (ns-2: v_slowstart_). 1 to 65535. Default: 2."""

    veno_kept_fraction: float | None = None
    """What is left of the flight after a loss by the channel. 0.1 to 1. Default: 0.8."""

    spare_timeouts: bool | None = None
    """The windows stay after silence due to the channel, too. Default: False."""

    westwood_divisor_step: float | None = None
    """Growth, per loss in slow start, of what divides the threshold after silence (UCLA;
    unverified); 0: no divisor. 0 to 3. Default: 0.
    """

    welcome_new_rtt_samples: int | None = None
    """Round-trip times that characterise a restored path (RTO_NEW_RTT_SAMPLES).

    1 to 1000. Default: 4.
    """

    welcome_route_window: Literal["scale", "keep", "halve"] | None = None
    """The window on a restored path: by the ratio of round-trip times, as before, or half (the
    three ways of §5.7.2). Default: "scale".
    """

    welcome_on_channel: Literal["keep", "halve", "minimum"] | None = None
    """Duplicates due to the channel leave the windows (§5.7.2), half, or at most what the path
    holds (figures 5.8, 5.9). Default: "keep".
    """

    welcome_on_congestion: Literal["halve", "minimum", "restart", "keep"] | None = None
    """Other duplicates leave half (§5.7.2), at most what the path holds (§5.7.3), one segment
    (figure 5.9), or the windows. Default: "halve".
    """

    newreno_recover_test: Literal["careful", "less-careful"] | None = None
    """Which duplicates may be a new loss: of what is beyond all that was sent at the last one, or
    at its end too (RFC 2582). Default: "careful".
    """

    newreno_after_timeout: Literal["none", "ack"] | None = None
    """Duplicates of what a time-out sent again are its echo; RFC 6582 4.1: not where the last
    advance was of four segments at most. Default: "none".
    """

    sack_timer: Literal["advance", "retransmission"] | None = None
    """RFC 6675 §6: in recovery the timer restarts with every advance (RFC 6298), or with every
    retransmission too. Default: "advance".
    """

    rto_factor: float | None = None
    """A measured RTO is this many times as long, within its bounds (the original DAA: 5,
    unverified). 1 to 1000. Default: 1.
    """

    spurious_response: Literal["eifel", "none"] | None = None
    """After a spurious time-out: windows and estimate of before (RFC 4015), or the cut ones.

    Default: "eifel".
    """

    fixed_rto_after: int | None = None
    """The how-manieth time-out in a row no longer doubles the RTO; unverified: 2 by one summary, 4
    by another. 1 to 64. Default: 2.
    """

    probe_wait_srtt: float | None = None
    """Silence before the first probe, in smoothed round-trip times. 1 to 100. Default: 2."""

    probe_period_srtt: float | None = None
    """Time between probes, in smoothed round-trip times. 0.1 to 100. Default: 1."""

    probe_cuts: Literal["no", "half", "one-segment"] | None = None
    """The congestion window after the answer to a probe: as it was, half of it, or one segment.

    Default: "no".
    """

    door_detector: Literal["both", "sender", "receiver"] | None = None
    """Who looks for segments out of order: the sender at acknowledgements, the receiver at data.

    Default: "both".
    """

    door_response: Literal["both", "disable", "recover"] | None = None
    """What follows: congestion control is disabled for door_disable_srtt, or cuts within
    door_recover_srtt are undone. Default: "both".
    """

    door_disable_srtt: float | None = None
    """How long windows and timer stay as they are (T1); unverified. 0 to 1000. Default: 1."""

    door_recover_srtt: float | None = None
    """How long ago a cut may be to be undone (T2); unverified. 0 to 1000. Default: 1."""

    tcpf_route_failure_s: float | None = None
    """How long the sender waits for a route at most (route failure timer); unverified.

    0.001 to 1000000. Default: 30.
    """

    tcpf_resume_from: Literal["una", "rfn-seq"] | None = None
    """Where it goes on: at the first unacknowledged segment, or at the one the first notice names;
    unverified. Default: "una".
    """

    tcpf_seeks: bool | None = None
    """While it waits, its node searches for a route although no packet wants one. Default: True."""

    thaw_timer: Literal["full", "remaining"] | None = None
    """The retransmission timer after a freeze: a whole RTO, or what was left of it; unverified.

    Default: "full".
    """

    elfn_probe_s: float | None = None
    """Time between probes; the paper tries up to 30, unverified. 0.001 to 1000000. Default: 2."""

    elfn_probe_srtt: float | None = None
    """Time between probes, where that shall follow the round-trip time; 0: elfn_probe_s says it;
    unverified. 0 to 1000000. Default: 0.
    """

    elfn_restore_cwnd: Literal["saved", "one-segment"] | None = None
    """The congestion window afterwards; unverified which the paper recommends. Default: "saved"."""

    elfn_restore_rto: Literal["saved", "initial"] | None = None
    """The time-out afterwards: as before, or initial_rto_ms (in the paper 6 s, unverified).

    Default: "saved".
    """

    atcp_probe_s: float | None = None
    """Time to the first probe without a route, and from there doubled (persist timer); unverified.

    0.001 to 1000000. Default: 5.
    """

    atcp_longest_probe_s: float | None = None
    """Longest time between probes; unverified. 0.001 to 1000000. Default: 60."""

    simelfn_send_timeout_s: float | None = None
    """How long nodes keep a packet without a route (SEND_TIMEOUT); the sender waits no longer.

    0.001 to 1000000. Default: 30.
    """

    simelfn_alpha: float | None = None
    """How much earlier the sender goes on than that; unverified, the paper gives the range.

    0 to 1. Default: 0.5.
    """

    simelfn_seeks: bool | None = None
    """While it waits, its node searches for a route although no packet wants one.

    Default: False.
    """

    fsr_send_timeout_s: float | None = None
    """How long the sender waits for an acknowledgement: as long as nodes keep a packet without a
    route (SEND_TIMEOUT). 0.001 to 1000000. Default: 30.
    """

    fsr_resume_from: Literal["ack", "rfn-seq", "last-rfn-seq"] | None = None
    """Where it goes on: where the acknowledgement points, at the first of the segments that the
    notices name, or at the one that the latest of them names. Default: "ack".
    """

    fsr_seeks: bool | None = None
    """While it waits, its node searches for a route although no packet wants one. Default: True."""

    ack_every_segments: int | None = None
    """Segments in order that make an acknowledgement. 1 to 65535. Default: 3."""

    altman_l1_segments: int | None = None
    """From this segment on, every second (unverified). 1 to 65535. Default: 2."""

    altman_l2_segments: int | None = None
    """From this segment on, every third (unverified). 1 to 65535. Default: 5."""

    altman_l3_segments: int | None = None
    """From this segment on, every fourth (unverified). 1 to 65535. Default: 9."""

    altman_delay_ms: float | None = None
    """Longest delay of an acknowledgement (unverified). 0 to 1000000. Default: 100."""

    daa_alpha: float | None = None
    """Weight of the former mean gap between segments (unverified). 0 to 1. Default: 0.75."""

    daa_kappa: float | None = None
    """Tolerance of the wait, which is 2 + kappa mean gaps (unverified). 0 to 1000. Default: 0.2."""

    daa_mu: float | None = None
    """Growth per acknowledgement until four are reached (unverified). 0.001 to 1. Default: 0.3."""

    daa_start_segments: int | None = None
    """Segments per acknowledgement to begin with; the sources differ between 1 and 2.

    1 to 4. Default: 2.
    """

    daa_averages_long_gaps: bool | None = None
    """Gaps longer than the wait are part of the mean, too. Default: False."""

    tuned_acks_per_rtt: int | None = None
    """Acknowledgements that the sender asks for per smoothed round trip. 2 to 1000. Default: 4."""

    tuned_initial_ms: float | None = None
    """Period asked for before a round trip is known. 1 to 500. Default: 100."""

    tuned_repeats: int | None = None
    """Acknowledgements in a row, after which nothing came, that the receiver still sends.

    0 to 1000000. Default: 2.
    """

    tcc_initial_segments: int | None = None
    """The offer before the first comparison; the paper names none. 2 to 65535. Default: 2."""

    tcc_round_trip: Literal["echo", "offered"] | None = None
    """What the receiver takes for a round trip; echo: what the echoes of timestamps tell, and
    without timestamps as offered; offered: the time in which all that was offered has come. The
    paper does not say how a receiver knows one. Default: "echo".
    """

    separation_low: float | None = None
    """Segments that arrive less than this share further apart than they left let the window grow;
    below zero, those that arrive so much closer together (unverified). -0.99 to 10. Default:
    0.05.
    """

    separation_high: float | None = None
    """Segments that arrive more than this share further apart than they left make it shrink
    (unverified). 0 to 10. Default: 0.25.
    """

    separation_factor: float | None = None
    """What is left of a window that shrinks (unverified). 0.01 to 1. Default: 0.75."""

    atp_segment_bytes: int | None = None
    """Application data in a full segment. 1 to 65477. Default: 1460."""

    atp_window_segments: int | None = None
    """Segments that may be under way, so many the receiver has room for.

    1 to 65535. Default: 8192.
    """

    atp_epoch_s: float | None = None
    """How often the receiver tells, how long the sender waits for that, and the time between
    probes. 0.001 to 1000000. Default: 1.
    """

    atp_phi: float | None = None
    """By which share the told rate must be above the sender's to raise it.

    0 to 1000000. Default: 0.25.
    """

    atp_k: float | None = None
    """The rate rises by the difference divided by this. 1 to 1000000. Default: 5."""

    atp_receiver_weight: float | None = None
    """The share of the former average of delays in the receiver's new one (beta).

    0 to 0.999. Default: 0.85.
    """

    atp_sack_blocks: int | None = None
    """Blocks of data beyond the first gap in a feedback, at most. 0 to 255. Default: 20."""

    atp_halve_epochs: int | None = None
    """After so many without feedback the rate is halved. 1 to 1000000. Default: 2."""

    atp_probe_epochs: int | None = None
    """After so many, data stop and probes begin. 1 to 1000000. Default: 3."""

    atp_probe_fill_bytes: int | None = None
    """What fills a probe up: a short one finds a rate that is too high for long segments.

    0 to 65477. Default: 0.
    """

    atp_early_change: float | None = None
    """By which share the receiver's average must have changed to be told before the epoch is over;
    0: it waits. 0 to 1000000. Default: 0.
    """

    atp_node_weight: float | None = None
    """The share of the former average of a packet's time in a station's new one (alpha), at all
    stations. 0 to 0.999. Default: 0.75.
    """

    atp_probe_factor: float | None = None
    """What an idle station writes on a probe, in times of what packets take (eta).

    1 to 1000. Default: 3.
    """

    atp_idle_s: float | None = None
    """A station that has sent and heard no data for so long is idle. 0 to 1000000. Default: 0.1."""

    atp_stale_s: float | None = None
    """After so long without a packet a station forgets its averages. 0 to 1000000. Default: 1."""

    nctp_bundle_packets: int | None = None
    """Packets in a bundle. 1 to 65535. Default: 1000."""

    nctp_packet_bytes: int | None = None
    """Application data in a packet, or its whole length. 1 to 65000. Default: 512."""

    nctp_packet_bytes_include_headers: bool | None = None
    """Nctp_packet_bytes counts headers of IP and NCTP, too. Default: False."""

    nctp_bundles_in_transit: int | None = None
    """Bundles of a connection in the network at once. 1 to 10000. Default: 1."""

    nctp_merge_connections: bool | None = None
    """Connections between the same two nodes share that number. Default: False."""

    nctp_initial_timer: Literal["fixed", "per-hop", "none"] | None = None
    """What a source waits for before the first round trip is known: nctp_initial_timer_s, that for
    each hop, for ever. Default: "fixed".
    """

    nctp_initial_timer_s: float | None = None
    """How long a source waits for the first answer. 0.001 to 1000000. Default: 5."""

    nctp_max_timer_s: float | None = None
    """The most that doubling makes of a source's timer. 0.001 to 1000000. Default: 60."""

    nctp_timer_starts: Literal["after-transfer", "before-transfer"] | None = None
    """When a source's timer starts: with or after the first hop. Default: "after-transfer"."""

    nctp_recv_timer_s: float | None = None
    """A part of a bundle is deleted after so long without a packet of it.

    0.001 to 1000000. Default: 5.
    """

    nctp_probe_timer_s: float | None = None
    """How long a relay waits for the answer to a probe. 0.001 to 1000000. Default: 1."""

    nctp_probe_errors: bool | None = None
    """An error about a link ahead ends that, and has the relay seek another way. Default: True."""

    nctp_probe_lead_packets: int | None = None
    """So long before the end of a bundle a relay probes the way. 0 to 65535. Default: 10."""

    nctp_source_probes: bool | None = None
    """Sources probe the way, too, before they send a bundle. Default: False."""

    nctp_retry_ms: float | None = None
    """How long an owner waits after a full queue or a refusal. 1 to 1000000. Default: 100."""

    nctp_hold_s: float | None = None
    """How long a relay keeps a bundle that comes no further; 0: for ever.

    0 to 1000000. Default: 0.
    """

    nctp_reack: Literal["complete", "first-packet"] | None = None
    """Which packet of a bundle that it has makes a destination acknowledge again.

    Default: "complete".
    """

    nctp_service: Literal["turns", "oldest-first", "nearest-first"] | None = None
    """In which order a node serves bundles. Default: "turns"."""

    nctp_cut_through: bool | None = None
    """Relays send packets on before they have the whole bundle. Default: False."""

    nctp_buffer_bundles: int | None = None
    """Bundles for which a relay has room; 0: for all. 0 to 1000000. Default: 0."""

    nctp_when_full: Literal["drop", "refuse"] | None = None
    """What a relay without room does. Default: "drop"."""

    nctp_relay_keeps: Literal["until-transfer", "until-ack"] | None = None
    """Until when a relay keeps a bundle. Default: "until-transfer"."""

    nctp_link_tries: int | None = None
    """How often a station may give a packet up before the link to the next owner counts as lost.

    1 to 1000. Default: 1.
    """

    nctp_restart: Literal["beginning", "failed-packet"] | None = None
    """Where a bundle begins again when its link has failed and the next owner is the same.

    Default: "beginning".
    """

    nctp_messages_first: bool | None = None
    """Probes, their answers and acknowledgements go before data in interface queues.

    Default: False.
    """

    nctp_survives_down: bool | None = None
    """A relay that goes down has its bundles when it comes up. Default: False."""


@dataclass(frozen=True, kw_only=True, repr=False)
class BulkFlow(Table):
    """As much as the network takes."""

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
    """How many flows; no two have both ends in common. 1 to 10000. Default: 1."""

    parallel: int | None = None
    """How many flows each pair of ends has, all alike. 1 to 10000. Default: 1."""

    start_s: float | None = None
    """When the application starts, seconds. 0 to 1000000. Default: 0."""

    stop_s: float | None = None
    """When it stops, seconds. Default: the end of the run. 0 to 1000000."""

    transport: Tcp | None = None
    """What carries the data."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Udp(Table):
    """What carries the data."""

    protocol: Literal["udp"] | None = None
    """The transport protocol. Default: "udp"."""


@dataclass(frozen=True, kw_only=True, repr=False)
class CbrFlow(Table):
    """Datagrams at a constant rate."""

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
    """How many flows; no two have both ends in common. 1 to 10000. Default: 1."""

    parallel: int | None = None
    """How many flows each pair of ends has, all alike. 1 to 10000. Default: 1."""

    payload_bytes: int | None = None
    """Application data in a datagram, bytes.

    Default: fills an IP packet of 1500 bytes. 1 to 65507.
    """

    jitter: float | None = None
    """Each gap is changed by up to this share, evenly: 0.5 means half to one and a half times.

    0 to 1. Default: 0.
    """

    start_s: float | None = None
    """When the application starts, seconds. 0 to 1000000. Default: 0."""

    stop_s: float | None = None
    """When it stops, seconds. Default: the end of the run. 0 to 1000000."""

    transport: Udp | None = None
    """What carries the data."""


@dataclass(frozen=True, kw_only=True, repr=False)
class OnOffFlow(Table):
    """Datagrams at a constant rate, with pauses."""

    TAG: ClassVar[tuple[str, str] | None] = ("app", "onoff")

    TABLES: ClassVar[dict[str, tuple[type[Table], ...]]] = {
        "transport": (Udp,),
    }

    rate_kbps: float
    """Rate of application data while sending, kb/s. 0.001 to 100000000."""

    on_s: float
    """Seconds of sending. 1e-06 to 1000000."""

    off_s: float
    """Seconds of silence. 0 to 1000000."""

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
    """How many flows; no two have both ends in common. 1 to 10000. Default: 1."""

    parallel: int | None = None
    """How many flows each pair of ends has, all alike. 1 to 10000. Default: 1."""

    payload_bytes: int | None = None
    """Application data in a datagram, bytes.

    Default: fills an IP packet of 1500 bytes. 1 to 65507.
    """

    jitter: float | None = None
    """Each gap is changed by up to this share, evenly. 0 to 1. Default: 0."""

    start_s: float | None = None
    """When the application starts, seconds. 0 to 1000000. Default: 0."""

    stop_s: float | None = None
    """When it stops, seconds. Default: the end of the run. 0 to 1000000."""

    transport: Udp | None = None
    """What carries the data."""


@dataclass(frozen=True, kw_only=True, repr=False)
class FileFlow(Table):
    """So many bytes, then the connection closes."""

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
    """How many flows; no two have both ends in common. 1 to 10000. Default: 1."""

    parallel: int | None = None
    """How many flows each pair of ends has, all alike. 1 to 10000. Default: 1."""

    start_s: float | None = None
    """When the application starts, seconds. 0 to 1000000. Default: 0."""

    stop_s: float | None = None
    """When it stops, seconds. Default: the end of the run. 0 to 1000000."""

    transport: Tcp | None = None
    """What carries the data."""


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
    """Names the results; also part of the default output folder's name.

    A file that does not state it is called by its own name, without its ending.
    """

    profile: Literal["standard", "ns2"] | None = None
    """Which set of defaults holds: the standards' or ns-2.35's. Default: "standard"."""

    seed: int | None = None
    """Seed of every random draw. 0 to 9007199254740992. Default: 1."""

    warm_up_s: float | None = None
    """Measurements start here, seconds. 0 to 1000000. Default: 0."""

    area: Area | None = None
    """The area for random placement and movement."""

    mobility: Mobility | None = None
    """How nodes move."""

    radio: Radio | None = None
    """The radio of every node."""

    mac: Mac | None = None
    """The MAC of every node.

    Keys that only one kind reads may stand in a table of the kind, as `[mac.dcf]`.
    """

    routing: Routing | None = None
    """How routes are found."""

    output: Output | None = None
    """What a run writes beside its summary; changes nothing in the run."""

    energy: Energy | None = None
    """What transports compute, in joules."""

    events: Sequence[Event] | None = None
    """What a script does to nodes."""

    links: Sequence[Link] | None = None
    """Shaped links between nodes, in place of a medium."""

    relays: Sequence[Relay] | None = None
    """Nodes between two links that help connections over TCP."""

    attach: Sequence[Attach] | None = None
    """Programs of the real world at nodes of an emulation."""

    errors: Sequence[Error] | None = None
    """Which frames are damaged for no reason that power gives."""

    flows: Sequence[Flow] | None = None
    """Who sends what to whom."""


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
