//! The MAC of every node.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Profile, RoutingProtocol};

/// The 802.11 distributed coordination function. From `header_bytes` on: where ns-2 and the standard differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mac {
    /// The access method.
    pub kind: MacKind,
    /// Rate of unicast data frames, Mb/s.
    pub data_rate_mbps: f64,
    /// Rate of control frames and broadcasts, Mb/s.
    pub basic_rate_mbps: f64,
    /// Larger frames are preceded by RTS/CTS. 0: all unicast frames; larger than any frame: none.
    pub rts_threshold_bytes: u32,
    /// How the contention window reacts.
    pub backoff: Backoff,
    /// Packets that the interface queue holds.
    pub queue_packets: u32,
    /// Which of them goes next.
    pub queue_discipline: QueueDiscipline,
    /// Packets in it from which on it marks the packets of transports with `ecn`.
    pub ecn_threshold_packets: u32,
    /// Tries of an RTS, and of frames not above the RTS threshold.
    pub short_retry_limit: u32,
    /// Tries of frames above the RTS threshold.
    pub long_retry_limit: u32,
    /// Smallest contention window, slots.
    pub cw_min: u32,
    /// Largest contention window, slots.
    pub cw_max: u32,
    /// A slot, microseconds.
    pub slot_us: f64,
    /// Short interframe space, microseconds.
    pub sifs_us: f64,
    /// Interframe space before contention, microseconds.
    pub difs_us: f64,
    /// Preamble and PLCP header before every frame, microseconds.
    pub preamble_us: f64,
    /// What a data frame adds to its packet, bytes.
    pub header_bytes: u32,
    /// Whether the back-off is drawn from 0..=cw, or else from 0..cw.
    pub backoff_includes_cw: bool,
    /// Whether a packet that finds the medium idle draws a back-off too.
    pub backoff_always: bool,
    /// What follows a frame received in error.
    pub eifs: Eifs,
    /// Whether the carrier is sensed again between CTS and data frame.
    pub data_waits_for_idle: bool,
    /// Whether the RTS decision counts the preamble and takes a frame of just the threshold's size.
    pub rts_counts_preamble: bool,
    /// Whom the retry counters belong to.
    pub retry_counters: RetryCounters,
    /// Time a packet spends in the link layer, each way, microseconds.
    pub link_delay_us: f64,
    /// Whether MAC addresses are asked for before the first packet to a neighbour; the profile says how.
    pub arp: bool,
}

impl Mac {
    /// The defaults of a profile. ns-2 resolves addresses under every routing agent, and so does profile ns2, but with
    /// static routes: the runs that those are compared with go without. With DSR each class of packets has a queue, as its runs have it.
    #[must_use]
    pub const fn of_profile(profile: Profile, routing: RoutingProtocol) -> Self {
        let standard = Self {
            kind: MacKind::Dcf,
            data_rate_mbps: 2.0,
            basic_rate_mbps: 1.0,
            rts_threshold_bytes: 0,
            backoff: Backoff::Beb,
            queue_packets: 50,
            queue_discipline: QueueDiscipline::RoutingFirst,
            ecn_threshold_packets: 25,
            short_retry_limit: 7,
            long_retry_limit: 4,
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
}

/// The access method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MacKind {
    /// Distributed coordination function, IEEE 802.11.
    Dcf,
}

/// How the contention window reacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Backoff {
    /// Binary exponential: doubles on failure, back to the minimum on success.
    Beb,
}

/// Which packet of the interface queue goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QueueDiscipline {
    /// The oldest, but routing packets go to the front.
    RoutingFirst,
    /// Routing packets, then TCP acknowledgements, then data; `queue_packets` of each (ns-2's queue for DSR).
    ByClass,
}

/// What follows a frame received in error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Eifs {
    /// EIFS takes the place of DIFS.
    InsteadOfDifs,
    /// EIFS and then DIFS.
    ThenDifs,
}

/// Whom the retry counters belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RetryCounters {
    /// Each packet starts at zero.
    PerPacket,
    /// A packet inherits what the one before it left.
    PerStation,
}
