//! What can be set on a connection.

use core::fmt;
use std::sync::Arc;

use hopwright_machine::Duration;

use crate::adaptation::table::Triggers;

mod knob;

#[cfg(test)]
pub(crate) use knob::testing;
pub use knob::{Knob, Knobs};

/// How the retransmission timer and the delayed acknowledgement see time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum GranularityMode {
    /// A global tick: times are counted in ticks, deadlines fire at the first tick not before them.
    #[default]
    Heartbeat,
    /// No rounding.
    Exact,
    /// ns-2: round-trip times counted in ticks and smoothed in scaled integers; deadlines not rounded.
    Ns2,
}

/// What a sender does that has been silent for longer than one RTO.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum IdleRestart {
    /// Goes on as if nothing had been.
    Off,
    /// Falls back to the initial window (RFC 5681 §4.1).
    #[default]
    InitialWindow,
    /// Falls back to one segment (ns-2's timer keeps running and cuts the window when it finds nothing sent).
    OneSegment,
}

/// When a partial acknowledgement restarts the retransmission timer (RFC 6582 §3.2, step 3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PartialAckTimer {
    /// Only the first one of a recovery: "impatient", many losses end in a time-out and slow start.
    #[default]
    First,
    /// Every one: "slow but steady", one hole is repaired per round trip.
    Every,
}

/// Whether a window is counted in bytes or in whole segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rounding {
    /// Bytes, as the RFCs do.
    #[default]
    Bytes,
    /// The congestion window is a real number of segments, but only its whole part may be used; a threshold
    /// is cut to whole segments when it is set (ns-2).
    WholeSegments,
}

/// What is halved after a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Halved {
    /// The data in flight (RFC 5681 equation 4).
    #[default]
    Flight,
    /// The smaller of congestion window and offered window (ns-2).
    Window,
}

/// Whose rules of fast recovery apply where the documents leave room.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RecoveryRules {
    /// RFC 5681 and RFC 6582: full acknowledgement ends with a bounded window, no growth on that one.
    #[default]
    Rfc,
    /// ns-2: the halved window stays and grows on the acknowledgement that ends recovery; NewReno sends at
    /// most two segments per duplicate; the first segment of a connection may always be fast-retransmitted.
    Ns2,
}

/// What counts as a duplicate acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DuplicateRule {
    /// RFC 5681 §2: among others, the advertised window must not have changed.
    #[default]
    Rfc5681,
    /// Any empty acknowledgement that repeats the number (ns-2 has no window updates).
    AnyRepeat,
}

/// What becomes of a congestion window that is not used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WindowValidation {
    /// It grows with every acknowledgement, as RFC 5681 has it.
    #[default]
    None,
    /// It stays as it is, is filled slowly, and is not believed when something is lost (RFC 7661).
    Rfc7661,
}

/// Whether congestion marks are agreed on (RFC 3168).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EcnMode {
    /// Never.
    #[default]
    Off,
    /// If the peer's SYN asks for them: what a listener does that asks nobody itself.
    Accept,
    /// Asked for on the SYN, and accepted.
    On,
}

/// Which end decides what is sent of a stream, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Place {
    /// The one that sends it.
    #[default]
    Sender,
    /// The one that receives it: it asks for what it wants, and the other answers (Velayutham 2005 §3.2.5). At a
    /// connection: this end asks for what it receives.
    Receiver,
}

/// All parameters of a connection. Fields of mechanisms carry the mechanism's name in the list below.
#[derive(Clone, PartialEq, Debug)]
pub struct Params {
    /// What changes its mechanisms under way, if anything does.
    pub triggers: Option<Arc<Triggers>>,
    /// Which end decides what is sent.
    pub place: Place,
    /// Largest payload of a segment; options take room from it (RFC 6691 §2).
    pub segment_bytes: u32,
    /// What the receiver offers at most, in segments of `segment_bytes`.
    pub window_limit_segments: u32,
    /// The congestion window after the handshake.
    pub initial_window_segments: u32,
    /// Segments that one event may release; 0: any number.
    pub max_burst_segments: u32,
    /// Number of duplicate acknowledgements that count as a loss.
    pub dupack_threshold: u32,
    /// Whether the first duplicates release new segments (RFC 3042).
    pub limited_transmit: bool,
    /// Longest delay of a delayed acknowledgement.
    pub delayed_ack: Duration,
    /// Lower bound of the RTO, applied before it is backed off.
    pub min_rto: Duration,
    /// Upper bound of the RTO, backed off or not.
    pub max_rto: Duration,
    /// RTO before the first round-trip time is known.
    pub initial_rto: Duration,
    /// Length of a clock tick.
    pub granularity: Duration,
    /// What the tick does.
    pub granularity_mode: GranularityMode,
    /// Time of the first tick. Hosts that booted at different times tick at different times.
    pub granularity_phase: Duration,
    /// What names the random draws of its mechanisms: the driver's choice, for each connection its own.
    pub luck: u64,
    /// What happens to the window after silence.
    pub idle_restart: IdleRestart,
    /// What happens to a window that is not used. With RFC 7661, `idle_restart` does not count.
    pub window_validation: WindowValidation,
    /// When partial acknowledgements restart the timer.
    pub partial_ack_timer: PartialAckTimer,
    /// Maximum segment lifetime; TIME-WAIT lasts twice as long (RFC 9293 §3.4.2).
    pub msl: Duration,
    /// Size of the receive buffer in bytes, where it is not to be counted in segments; 0: it is.
    pub receive_buffer_bytes: u32,
    /// Whether timestamps are asked for on the SYN (RFC 7323 §3).
    pub timestamps: bool,
    /// Whether acknowledgements say what came beyond gaps, if the peer can read that (RFC 2018).
    pub selective_acks: bool,
    /// Whether congestion marks are asked for on the SYN, or accepted, and then heeded (RFC 3168).
    pub ecn: EcnMode,
    /// How many blocks an acknowledgement reports at most (RFC 2018 §3: four fit, three beside a timestamp).
    pub sack_blocks: u32,
    /// Whether acknowledgements say what came twice (RFC 2883), where they say what came beyond gaps.
    pub duplicate_sacks: bool,
    /// Whether small segments wait for acknowledgements (RFC 9293 §3.7.4).
    pub nagle: bool,
    /// How long the peer may leave something unanswered before the connection ends (RFC 9293 §3.8.3); zero: for
    /// ever.
    pub user_timeout: Duration,
    /// How long the peer may be silent in FIN-WAIT-2, where only its FIN is missing, before the connection ends;
    /// zero: for ever (RFC 9293 §3.6 sets no limit to a half-closed connection).
    pub fin_wait_2_timeout: Duration,
    /// Answers per second to segments that cannot be believed (RFC 5961 §7).
    pub challenge_acks_per_s: u32,
    /// Whether the offered window stays as it is while acknowledgements repeat a number because of a gap, so that the
    /// peer can count them as duplicates (RFC 5681 §2).
    pub ack_rwnd_hold: bool,
    /// The application takes data with `Input::Read`. Without it, what is delivered counts as read (a sink).
    pub explicit_read: bool,

    /// ns-2: SYN and its answer are 40-byte packets without options, segment size and window scale being
    /// agreed out of band; no third segment, it rides on the first data; the answer is sent again only when
    /// the SYN is. Seen in the first four packets of any ns-2 trace with `syn_` true.
    pub plain_handshake: bool,
    /// ns-2: `int(cwnd_)` limits sending, `ssthresh_` is an integer, and both count segments.
    pub rounding: Rounding,
    /// ns-2: what `slowdown()` halves.
    pub halved: Halved,
    /// ns-2: `ssthresh_` starts at the offered window instead of beyond every window (RFC 5681 §3.1).
    pub threshold_starts_at_offer: bool,
    /// ns-2: every expiry halves again, also of the same segment, also of a SYN (RFC 5681 §3.1: the first).
    pub halve_on_every_timeout: bool,
    /// ns-2: fast recovery's entry, deflation, bursts and exit.
    pub recovery_rules: RecoveryRules,
    /// ns-2: duplicates need no unchanged window.
    pub duplicate_rule: DuplicateRule,
    /// ns-2 (`aggressive_maxburst_`): an acknowledgement older than the newest also lets segments out.
    pub old_acks_release: bool,
    /// ns-2: the delaying sink compares with the newest number only, and takes that one for new when it comes
    /// again.
    pub delays_acks_of_repeats: bool,
    /// ns-2 (`SackStack`): blocks that newer ones displaced from an acknowledgement are forgotten by the sink's report,
    /// though not by the sink, until more of them comes (RFC 2018 §4 would tell them again when there is room).
    pub displaced_blocks_forgotten: bool,
    /// ns-2: resending a hole on a partial acknowledgement does not stop the timing of a later segment.
    pub partial_ack_keeps_timing: bool,
    /// The knobs of mechanisms that were set.
    pub knobs: Knobs,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            triggers: None,
            place: Place::Sender,
            segment_bytes: 1460,
            window_limit_segments: 64,
            initial_window_segments: 2,
            max_burst_segments: 3,
            dupack_threshold: 3,
            limited_transmit: false,
            delayed_ack: Duration::from_millis(100),
            min_rto: Duration::from_millis(200),
            max_rto: Duration::from_secs(60),
            initial_rto: Duration::from_secs(1), // RFC 6298 §2.1
            granularity: Duration::from_millis(10),
            granularity_mode: GranularityMode::Heartbeat,
            granularity_phase: Duration::ZERO,
            luck: 0,
            idle_restart: IdleRestart::InitialWindow,
            window_validation: WindowValidation::None,
            partial_ack_timer: PartialAckTimer::First,
            msl: Duration::from_secs(120),
            receive_buffer_bytes: 0,
            timestamps: false,
            selective_acks: false,
            ecn: EcnMode::Off,
            sack_blocks: 4,
            duplicate_sacks: false,
            nagle: false,
            user_timeout: Duration::ZERO,
            fin_wait_2_timeout: Duration::ZERO,
            challenge_acks_per_s: 10,
            ack_rwnd_hold: false,
            explicit_read: false,
            plain_handshake: false,
            rounding: Rounding::Bytes,
            halved: Halved::Flight,
            threshold_starts_at_offer: false,
            halve_on_every_timeout: false,
            recovery_rules: RecoveryRules::Rfc,
            duplicate_rule: DuplicateRule::Rfc5681,
            old_acks_release: false,
            delays_acks_of_repeats: false,
            displaced_blocks_forgotten: false,
            partial_ack_keeps_timing: false,
            knobs: Knobs::default(),
        }
    }
}

impl Params {
    /// Every switch set to what ns-2.35 does with its own defaults; the rest as in `default`.
    #[must_use]
    pub fn ns2() -> Self {
        Self {
            initial_rto: Duration::from_secs(3), // rtxcur_init_
            sack_blocks: 3,                      // maxSackBlocks_
            granularity_mode: GranularityMode::Ns2,
            idle_restart: IdleRestart::OneSegment,
            plain_handshake: true,
            rounding: Rounding::WholeSegments,
            halved: Halved::Window,
            threshold_starts_at_offer: true,
            halve_on_every_timeout: true,
            recovery_rules: RecoveryRules::Ns2,
            duplicate_rule: DuplicateRule::AnyRepeat,
            old_acks_release: true,
            delays_acks_of_repeats: true,
            displaced_blocks_forgotten: true,
            partial_ack_keeps_timing: true,
            ..Self::default()
        }
    }

    /// The most the receiver offers, in bytes.
    #[must_use]
    pub const fn window_limit(&self) -> u64 {
        if self.receive_buffer_bytes > 0 {
            return self.receive_buffer_bytes as u64;
        }
        self.window_limit_segments as u64 * self.segment_bytes as u64
    }
}

/// A parameter's value as scenario files write it.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A number, in the parameter's unit.
    Number(f64),
    /// True or false.
    Bool(bool),
    /// One of a set of words.
    Word(String),
}

/// Why a parameter could not be set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParamError {
    /// No parameter has this name.
    Unknown,
    /// The value is of the wrong kind; this would be right.
    Expected(String),
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("no such transport parameter"),
            Self::Expected(what) => write!(f, "expected {what}"),
        }
    }
}

impl core::error::Error for ParamError {}
