//! What the engine lets everybody see: mechanisms, drivers, statistics. Nobody else can change it.

use hopwright_machine::{Duration, Time};

use super::{Cause, Round, Scoreboard, SentLog};

/// What the sender is doing, for statistics and mechanisms.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Phase {
    /// The start-up slot grows the window.
    #[default]
    SlowStart,
    /// The avoidance slot does.
    CongestionAvoidance,
    /// A loss is being repaired.
    Recovery,
    /// The timer expired and nothing new has been acknowledged since: the time lost to a time-out.
    Rto,
    /// A path mechanism keeps the sender still.
    Frozen,
}

/// The public state of a connection. Positions are stream offsets: the SYN is at 0, the first byte at 1.
#[derive(Clone, Debug, Default)]
pub struct Public {
    /// Time of the event at hand.
    pub now: Time,
    /// Largest payload of a segment sent.
    pub mss: u32,
    /// Congestion window in bytes, without inflation.
    pub cwnd: f64,
    /// What recovery adds to the window while it lasts, in bytes (negative after deflation).
    pub inflation: f64,
    /// Threshold between slow start and congestion avoidance, in bytes; infinite until the first loss.
    pub ssthresh: f64,
    /// What the peer offers, in bytes.
    pub offer: u64,
    /// What the path has lately carried of the congestion window, in bytes, while that is not used (pipeACK of RFC 7661
    /// §4.2). `None`: the window is used, or `window_validation` does not ask.
    pub pipe: Option<u64>,
    /// Oldest unacknowledged position.
    pub una: u64,
    /// Where that was before it last moved.
    pub former_una: u64,
    /// Next position to send; falls back below `max` after a time-out.
    pub nxt: u64,
    /// Highest position sent, plus one.
    pub max: u64,
    /// What had been sent when the last loss was answered: acknowledgements up to here echo that loss.
    pub recover: u64,
    /// Whether a segment that was never sent waits, and the peer offers room for it: known in a recovery when `plan`
    /// is asked (with `Needs::SELECTIVE_ACKS`).
    pub has_room_for_new: bool,
    /// Duplicate acknowledgements of `una`.
    pub dupacks: u32,
    /// Bytes that limited transmit sent since `una` last moved.
    pub limited_bytes: u64,
    /// Expiries of the timer since `una` last moved.
    pub consecutive_timeouts: u32,
    /// Whether the SYN was sent more than once.
    pub syn_resent: bool,
    /// Bytes per second the clocking slot shall keep; infinite under a window.
    pub rate: f64,
    /// Smoothed round-trip time; `None` before the first measurement.
    pub srtt: Option<Duration>,
    /// Its variation.
    pub rttvar: Duration,
    /// The time-out the timer is armed with.
    pub rto: Duration,
    /// The shortest exact round-trip time so far.
    pub min_rtt: Option<Duration>,
    /// Exact round-trip time, if the event at hand measured one (Karn's rule applied): none twice, so that
    /// reading it after every event gives the statistics.
    pub rtt_sample: Option<Duration>,
    /// Whether both ends agreed on selective acknowledgements.
    pub has_selective_acks: bool,
    /// Whether what the peer reports to hold is read.
    pub keeps_scoreboard: bool,
    /// What the peer holds beyond the first gap; empty unless a mechanism needs it.
    pub sacked: Scoreboard,
    /// Times of outstanding segments; empty unless a mechanism needs them.
    pub sent: SentLog,
    /// The last round trip; meaningless unless a mechanism needs it.
    pub round: Round,
    /// Hops to the peer, if routing said so.
    pub hops: Option<u32>,
    /// How many losses the diagnosis slot put down to each cause.
    pub diagnosed: Diagnosed,
    /// Time-outs found to have been spurious.
    pub spurious_timeouts: u64,
    /// Fast retransmits found to have been needless, by those who look for them.
    pub needless_retransmits: u64,
    /// Duplicate acknowledgements received (RFC 5681 §2, or as the duplicate rule has it).
    pub duplicate_acks: u64,
    /// Duplicates the peer reported (RFC 2883).
    pub dsacks: u64,
    /// Data segments sent, first ones and retransmissions. SYN and FIN alone are not data.
    pub segments_sent: u64,
    /// Data segments sent again.
    pub retransmissions: u64,
    /// Expiries of the retransmission timer, also for a SYN.
    pub timeouts: u64,
    /// Probes that silence made the sender send (`timeout = "probe"`).
    pub silence_probes: u64,
    /// Changes of mechanisms by triggers.
    pub changes: u64,
    /// Losses answered without waiting for the timer.
    pub fast_retransmits: u64,
    /// Application bytes that the peer acknowledged, each once.
    pub acked_bytes: u64,
    /// Bytes handed to the application in order.
    pub delivered_bytes: u64,
    /// Data segments received that brought nothing new.
    pub duplicate_segments: u64,
    /// Segments sent that carried nothing but an acknowledgement.
    pub pure_acks_sent: u64,
    /// How often the path slot made the sender stand still.
    pub freezes: u64,
    /// Segments sent again by the path slot: probes of the path, and what it repairs itself.
    pub path_probes: u64,
    /// Whether both ends agreed on explicit congestion notification.
    pub has_ecn: bool,
    /// Windows cut because the peer echoed congestion (RFC 3168).
    pub echo_cuts: u64,
    /// What the sender is doing, except for standing still.
    pub(crate) doing: Phase,
    pub(crate) is_frozen: bool,
}

/// Losses by the cause the diagnosis slot found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Diagnosed {
    /// A queue was full.
    pub congestion: u64,
    /// The channel damaged it.
    pub channel: u64,
    /// The medium was contended for too long.
    pub contention: u64,
    /// The route broke.
    pub route: u64,
}

impl Diagnosed {
    /// The counts, in the order of `Cause`.
    #[must_use]
    pub const fn counts(&self) -> [u64; 4] {
        [self.congestion, self.channel, self.contention, self.route]
    }

    pub(crate) const fn count(&mut self, cause: Cause) {
        match cause {
            Cause::Congestion => self.congestion += 1,
            Cause::Channel => self.channel += 1,
            Cause::Contention => self.contention += 1,
            Cause::Route => self.route += 1,
        }
    }
}

impl Public {
    /// What the sender is doing.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        if self.is_frozen { Phase::Frozen } else { self.doing }
    }

    /// Whether a loss is being repaired.
    #[must_use]
    pub const fn is_recovering(&self) -> bool {
        matches!(self.doing, Phase::Recovery)
    }

    /// Data outstanding, in bytes (FlightSize of RFC 5681 §2).
    #[must_use]
    pub const fn flight(&self) -> u64 {
        self.max - self.una
    }

    /// The congestion window with what recovery adds to it, in bytes: `cwnd` as RFC 5681 §3.2 counts it.
    #[must_use]
    pub fn window(&self) -> f64 {
        self.cwnd + self.inflation
    }
}
