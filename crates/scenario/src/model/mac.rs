//! The MAC of every node.

pub use hopwright_link::fba::{Buffered as FbaBuffered, Emptied as FbaEmptied, LostRace};
pub use hopwright_link::{Discipline as QueueDiscipline, Eifs, Kind as MacKind, RetryCounters, RtsRetries};
pub use hopwright_sim::stamps::contention::Until as ContentionDelay;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::limit::{COUNT, Limit, STEP_US, above, from};
use super::{Phy, Profile, RoutingProtocol};

/// Stations that exchange the frames of 802.11. Which frames RTS/CTS protects is said by name (`rts`) or by
/// `rts_threshold_bytes`, never by both. From `header_bytes` on: where ns-2 and the standard differ. Keys that only
/// one kind reads may stand in a table of the kind, as `[mac.dcf]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mac {
    /// How stations get access to the medium.
    pub kind: MacKind,
    /// The physical layer that sends frames. 802.11a and 802.11g set other defaults for `data_rate_mbps` (24),
    /// `basic_rate_mbps` (the highest of 6, 12 and 24 that is not above the data rate), `slot_us` (9), `sifs_us` (16
    /// and 10), `difs_us` (SIFS and two slots), `preamble_us` (20) and `cw_min` (15).
    pub phy: Phy,
    /// Rate of unicast data frames, Mb/s.
    pub data_rate_mbps: f64,
    /// Rate of control frames and broadcasts, Mb/s.
    pub basic_rate_mbps: f64,
    /// Which unicast frames RTS/CTS precedes: a word instead of `rts_threshold_bytes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rts: Option<Rts>,
    /// RTS/CTS precedes unicast frames that are larger than this, bytes. 0: all unicast frames. A value above the size
    /// of every frame: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rts_threshold_bytes: Option<u32>,
    /// How the contention window changes after successes and failures.
    pub backoff: Backoff,
    /// With back-off fba: the window of the normal stage, as a multiple of `cw_min` (Tradeoff_co of Hamadani and
    /// Rakocevic).
    pub fba_tradeoff: u32,
    /// With back-off fba: the share of `queue_packets` up to which packets in the queue give no priority (Thresh_min).
    pub fba_min_threshold: f64,
    /// With back-off fba: the share of `queue_packets` from which on packets in the queue give full priority
    /// (Thresh_max).
    pub fba_max_threshold: f64,
    /// With back-off fba: what it means for a station if another station sends first.
    pub fba_lost_race: LostRace,
    /// With back-off fba: what happens to the stage and the counts of a station that had nothing to send and gets a
    /// packet.
    pub fba_emptied: FbaEmptied,
    /// With back-off fba: which packets count as packets in the buffer.
    pub fba_buffered: FbaBuffered,
    /// When the contention delay of a packet at a station ends. If a transport asks for it (offer tcc), stations
    /// measure the delay, and each data frame carries it in four more bytes.
    pub contention_delay: ContentionDelay,
    /// Largest number of packets in the interface queue.
    pub queue_packets: u32,
    /// Which packet of the interface queue is sent next.
    pub queue_discipline: QueueDiscipline,
    /// Number of packets in the interface queue from which on the queue marks packets of transports with `ecn`.
    pub ecn_threshold_packets: u32,
    /// Whether Link RED marks or drops packets of transports while stations often have to repeat tries. It marks
    /// packets of transports with `ecn`, and drops other packets of transports.
    pub lred: bool,
    /// Whether stations, while they often have to repeat tries, wait after each acknowledged packet for as long as the
    /// packet took.
    pub adaptive_pacing: bool,
    /// Average number of failed tries per packet from which on Link RED and adaptive pacing act.
    pub lred_min_threshold_tries: f64,
    /// The probability of Link RED is the average minus `lred_min_threshold_tries`, divided by this value.
    pub lred_max_threshold_tries: f64,
    /// Largest probability of Link RED.
    pub lred_max_probability: f64,
    /// Weight of the newest packet in the average of failed tries.
    pub lred_weight: f64,
    /// Largest number of tries of an RTS, and of a frame that is not above the RTS threshold.
    pub short_retry_limit: u32,
    /// Largest number of tries of a frame above the RTS threshold.
    pub long_retry_limit: u32,
    /// With the tries of which frame the tries of an RTS are counted.
    pub rts_retries: RtsRetries,
    /// Smallest contention window, slots.
    pub cw_min: u32,
    /// Largest contention window, slots.
    pub cw_max: u32,
    /// Length of a slot, microseconds.
    pub slot_us: f64,
    /// Short interframe space, microseconds.
    pub sifs_us: f64,
    /// Interframe space before contention, microseconds.
    pub difs_us: f64,
    /// Preamble and PLCP header before every frame, microseconds.
    pub preamble_us: f64,
    /// Length that a data frame adds to its packet, bytes.
    pub header_bytes: u32,
    /// Whether the back-off can be as large as the contention window cw: it is drawn from 0 to cw, or else from 0 to cw
    /// - 1.
    pub backoff_includes_cw: bool,
    /// Whether a station draws a back-off also for a packet that finds the medium idle.
    pub backoff_always: bool,
    /// How long a station waits after a frame that it received in error.
    pub eifs: Eifs,
    /// Whether a station senses the carrier again between CTS and data frame.
    pub data_waits_for_idle: bool,
    /// Whether the decision about RTS counts the preamble as part of the frame, and includes frames that are exactly as
    /// large as the threshold.
    pub rts_counts_preamble: bool,
    /// Whether retry counters belong to packets or to stations.
    pub retry_counters: RetryCounters,
    /// Time that a packet spends in the link layer in each direction, down and up, microseconds.
    pub link_delay_us: f64,
    /// Whether a node asks for the MAC address of a neighbour before its first packet to this neighbour. The profile
    /// says how.
    pub arp: bool,
}

/// What its numbers may be.
pub(super) const LIMITS: &[Limit] = &[
    from("data_rate_mbps", 0.001, 1e5),
    from("basic_rate_mbps", 0.001, 1e5),
    from("rts_threshold_bytes", 0.0, COUNT),
    from("queue_packets", 1.0, 1e6),
    from("ecn_threshold_packets", 0.0, 1e6),
    from("fba_tradeoff", 1.0, 65_535.0),
    from("fba_min_threshold", 0.0, 1.0),
    from("fba_max_threshold", 0.0, 1.0),
    from("lred_min_threshold_tries", 0.0, 255.0),
    above("lred_max_threshold_tries", 0.0, 255.0),
    from("lred_max_probability", 0.0, 1.0),
    above("lred_weight", 0.0, 1.0),
    from("short_retry_limit", 1.0, 255.0),
    from("long_retry_limit", 1.0, 255.0),
    from("cw_min", 1.0, 65_535.0),
    from("cw_max", 1.0, 65_535.0),
    from("slot_us", STEP_US, 1e6),
    from("sifs_us", STEP_US, 1e6),
    from("difs_us", STEP_US, 1e6),
    from("preamble_us", 0.0, 1e6),
    from("header_bytes", 0.0, 1_000.0),
    from("link_delay_us", 0.0, 1e6),
];

impl Mac {
    /// The kinds, and for each the keys that only it reads.
    pub const KINDS: &[(&str, &[&str])] = &[
        (
            "dcf",
            &[
                "backoff",
                "fba_tradeoff",
                "fba_min_threshold",
                "fba_max_threshold",
                "fba_lost_race",
                "fba_emptied",
                "fba_buffered",
                "adaptive_pacing",
                "cw_min",
                "cw_max",
                "slot_us",
                "difs_us",
                "backoff_includes_cw",
                "backoff_always",
                "eifs",
                "data_waits_for_idle",
            ],
        ),
        ("ideal", &[]),
    ];

    /// The defaults of a profile, RTS/CTS still open. ns-2 resolves addresses under every routing agent, and so does
    /// profile ns2, but with static routes: the runs that those are compared with go without. With DSR each class of
    /// packets has a queue, as its runs have it.
    #[must_use]
    pub const fn of_profile(profile: Profile, routing: RoutingProtocol) -> Self {
        let standard = Self {
            kind: MacKind::Dcf,
            phy: Phy::Dot11b,
            data_rate_mbps: 2.0,
            basic_rate_mbps: 1.0,
            rts: None,
            rts_threshold_bytes: None,
            backoff: Backoff::Beb,
            fba_tradeoff: 10,
            fba_min_threshold: 0.2,
            fba_max_threshold: 0.8,
            fba_lost_race: LostRace::Redraw,
            fba_emptied: FbaEmptied::Keep,
            fba_buffered: FbaBuffered::All,
            contention_delay: ContentionDelay::Sent,
            queue_packets: 50,
            queue_discipline: QueueDiscipline::RoutingFirst,
            ecn_threshold_packets: 25,
            lred: false,
            adaptive_pacing: false,
            lred_min_threshold_tries: 1.0,
            lred_max_threshold_tries: 3.0,
            lred_max_probability: 0.1,
            lred_weight: 0.125,
            short_retry_limit: 7,
            long_retry_limit: 4,
            rts_retries: RtsRetries::Short,
            cw_min: 31,
            cw_max: 1023,
            slot_us: 20.0,
            sifs_us: 10.0,
            difs_us: 50.0,
            preamble_us: 192.0,
            header_bytes: 36, // 24 header, 4 FCS, 8 LLC/SNAP
            backoff_includes_cw: true,
            backoff_always: false,
            eifs: Eifs::InsteadOfDifs,
            data_waits_for_idle: false,
            rts_counts_preamble: false,
            retry_counters: RetryCounters::PerPacket,
            link_delay_us: 0.0,
            arp: false,
        };
        match profile {
            Profile::Standard => standard,
            Profile::Ns2 => Self {
                header_bytes: 34,
                backoff_includes_cw: false,
                backoff_always: true,
                eifs: Eifs::ThenDifs,
                data_waits_for_idle: true,
                rts_counts_preamble: true,
                retry_counters: RetryCounters::PerStation,
                link_delay_us: 25.0,
                arp: !matches!(routing, RoutingProtocol::Static),
                queue_discipline: match routing {
                    RoutingProtocol::Dsr => QueueDiscipline::ByClass,
                    _ => QueueDiscipline::RoutingFirst,
                },
                ..standard
            },
        }
    }

    /// Fills in what is still open: RTS/CTS protects all unicast frames.
    pub const fn close(&mut self) {
        if self.rts.is_none() && self.rts_threshold_bytes.is_none() {
            self.rts_threshold_bytes = Some(0);
        }
    }

    /// Larger frames are preceded by RTS/CTS, bytes: whichever way it was said.
    #[must_use]
    pub fn rts_threshold(&self) -> u32 {
        self.rts.map(Rts::threshold_bytes).or(self.rts_threshold_bytes).unwrap_or(0)
    }
}

/// Which unicast frames are preceded by RTS/CTS: the policies that Papanastasiou 2006 §5.4 calls full, partial and no
/// RTS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rts {
    /// All unicast frames.
    All,
    /// Frames with data of a transport: frames above 500 bytes.
    Data,
    /// None.
    None,
}

impl Rts {
    /// The threshold that it stands for, bytes. That of `Data` lies between the frames of acknowledgements and those of
    /// data; Papanastasiou states no number.
    #[must_use]
    pub const fn threshold_bytes(self) -> u32 {
        match self {
            Self::All => 0,
            Self::Data => 500,
            Self::None => u32::MAX,
        }
    }
}

/// How the contention window changes after successes and failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Backoff {
    /// Binary exponential: the window doubles after a failure, and is the smallest after a success.
    Beb,
    /// Fair: the window depends on the successes or failures in a row, by stages.
    Fba,
}
