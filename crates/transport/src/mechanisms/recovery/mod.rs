//! Slot: what is sent again, and when recovery ends.

use core::fmt::Debug;

use super::{Ack, Part};
use crate::params::{Knob, Params, RecoveryRules};
use crate::view::Public;

mod fast_recovery;
mod go_back;
mod ns2_sack1;
mod partial_acks;
mod sack;
mod status;
mod vegas;

pub use fast_recovery::FAST_RECOVERY;
pub use go_back::GO_BACK;
pub use ns2_sack1::NS2_SACK1;
pub use partial_acks::PARTIAL_ACKS;
pub use sack::SACK;
pub use status::STATUS;
pub use vegas::VEGAS;

/// Everything that can fill it.
pub const PARTS: &[Part<dyn Recovery>] = &[GO_BACK, FAST_RECOVERY, PARTIAL_ACKS, SACK, NS2_SACK1, STATUS, VEGAS];

/// Repairs losses found by the detection slot, and says what leaves next at any time.
pub trait Recovery: Debug + Send {
    /// An acknowledgement came, of whatever kind, also one that repeats or is old; nothing was looked at yet.
    fn on_any_ack(&mut self, _p: &Public) {}

    /// Whether what an acknowledgement reports beyond its number is taken in. If it is not, an advance makes
    /// everything be forgotten that was reported before. `una` has moved.
    fn reads_report(&self, _p: &Public, _is_advance: bool) -> bool {
        true
    }

    /// Whether a loss seen now is a new one, to be answered, rather than the echo of one answered already.
    fn admits(&self, p: &Public) -> bool;

    /// A loss was admitted and the windows were cut.
    fn on_loss(&mut self, p: &Public) -> Entry;

    /// A duplicate acknowledgement in recovery. Returns the bytes to inflate the window by.
    fn on_duplicate(&mut self, p: &Public, ack: &Ack<'_>) -> f64;

    /// New data acknowledged in recovery.
    fn on_advance(&mut self, p: &Public, ack: &Ack<'_>) -> Step;

    /// The first unacknowledged segment is about to be sent again without an answer to its loss. Returns whether
    /// a recovery begins with that.
    fn on_hole(&mut self, _p: &Public) -> bool {
        false
    }

    /// Whether the timer is backed off when it starts over at the start of a recovery.
    fn backs_off(&self) -> bool {
        false
    }

    /// Whether window and inflation are one number, as in ns-2's Vegas: both are there when the timer expires, the
    /// sum may be zero, which only the timer then changes, and a loss that is not admitted does not inflate.
    fn has_one_window(&self) -> bool {
        false
    }

    /// The timer expired: whatever was going on is over.
    fn on_timeout(&mut self, p: &Public);

    /// The bytes from `start` to before `end` left.
    fn on_sent(&mut self, _p: &Public, _start: u64, _end: u64) {}

    /// Whether the retransmission that just left restarts the timer.
    fn restarts_timer(&self, _p: &Public) -> bool {
        false
    }

    /// How much the acknowledgement at hand may release.
    fn release(&self, p: &Public) -> Release;

    /// Which byte leaves next, and how much is believed to be in the network. Asked once per segment. After a
    /// time-out, what the peer reports to hold is left out.
    fn plan(&mut self, p: &Public) -> Plan {
        Plan::in_order(p)
    }

    /// The mechanism was put into a running connection: takes over from what everybody can see.
    fn adopt(&mut self, _p: &Public) {}
}

/// How a recovery begins.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Entry {
    /// The first unacknowledged segment is sent again, the window inflated by so many bytes.
    Repair {
        /// The inflation.
        inflation: f64,
    },
    /// Everything from the first unacknowledged segment on is sent again, as the window allows. There is no
    /// recovery to end.
    GoBack,
}

/// What an acknowledgement of new data does to a recovery.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Step {
    /// The recovery goes on: the first unacknowledged segment is sent again.
    Partial {
        /// The new congestion window.
        cwnd: f64,
        /// The new inflation.
        inflation: f64,
        /// Whether the retransmission timer starts over.
        restart_timer: bool,
        /// Whether the first unacknowledged segment is sent again at once; otherwise `plan` says what is next.
        resend: bool,
    },
    /// The recovery goes on: the windows stay, the timer starts over, and `plan` says what is next.
    Stay {
        /// Whether the time-out is no longer backed off, from the next arming of the timer on.
        ends_back_off: bool,
    },
    /// The recovery is over, the inflation gone.
    Full {
        /// The new congestion window.
        cwnd: f64,
        /// The new threshold.
        ssthresh: f64,
        /// Whether this acknowledgement also grows the window.
        grow: bool,
    },
}

/// How much an acknowledgement may release.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Release {
    /// Nothing.
    Hold,
    /// What the clocking slot says.
    Usual,
    /// At most so many segments.
    AtMost(u32),
}

/// What leaves next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The stream offset of its first byte.
    pub offset: u64,
    /// Where the segment ends at the latest: the peer holds what follows.
    pub end: u64,
    /// Bytes believed to be in the network.
    pub outstanding: u64,
}

impl Plan {
    /// What follows in the order of the stream, but for what the peer reports to hold.
    #[must_use]
    pub fn in_order(p: &Public) -> Self {
        if p.sacked.bytes() == 0 {
            return Self { offset: p.nxt, end: u64::MAX, outstanding: p.nxt - p.una };
        }
        Self::around_reported(p)
    }

    #[inline(never)]
    fn around_reported(p: &Public) -> Self {
        let (offset, next) = p.sacked.next_hole(p.nxt);
        let held: u64 = p.sacked.ranges().iter().filter(|r| r.0 < offset).map(|r| r.1.min(offset) - r.0).sum();
        Self { offset, end: next.unwrap_or(u64::MAX), outstanding: offset - p.una - held }
    }
}

/// Whether duplicates of exactly the recovery point are an echo.
const RECOVER_TEST: Knob = Knob::word(
    "newreno_recover_test",
    &["careful", "less-careful"],
    "which duplicates may show a new loss: those beyond all data that was sent at the last loss, or also those exactly at the end of this data (RFC 2582)",
);

/// What duplicates of less mean.
const AFTER_TIMEOUT: Knob = Knob::word(
    "newreno_after_timeout",
    &["none", "ack"],
    "which duplicates after a time-out are ignored as an echo of what was sent again: all, or (RFC 6582 4.1) not those after an advance of at most four segments",
);

/// The parameters of those who share `Classic`.
const CLASSIC: &[Knob] = &[RECOVER_TEST, AFTER_TIMEOUT];

/// What the three cumulative-acknowledgement recoveries share.
#[derive(Debug)]
struct Classic {
    rules: RecoveryRules,
    threshold: u32,
    is_careful: bool,
    looks_at_advances: bool,
}

impl Classic {
    fn new(params: &Params) -> Self {
        Self {
            rules: params.recovery_rules,
            threshold: params.dupack_threshold,
            is_careful: params.word(&RECOVER_TEST) == "careful",
            looks_at_advances: params.word(&AFTER_TIMEOUT) == "ack",
        }
    }

    fn is_ns2(&self) -> bool {
        self.rules == RecoveryRules::Ns2
    }

    /// The "careful" rule: duplicates for data sent before the last answer are its echo (RFC 6582 §3.2 step 1,
    /// ns-2 `bugFix_`). Read literally, `recover = iss` would forbid to repair the very first segment; here
    /// it may be, until a time-out has answered for it. ns-2 (`bugfix_ss_`) allows it even then.
    fn admits(&self, p: &Public) -> bool {
        let is_new = p.una > p.recover || (!self.is_careful && p.una == p.recover) || self.is_real(p);
        !p.is_recovering() && (is_new || (self.is_ns2() && p.una == 1))
    }

    /// Needless retransmissions would be acknowledged in a great stride, which their duplicates follow; after a small
    /// one a segment is missing (RFC 6582 §4.1, ns-2 `bugFix_ack_`).
    fn is_real(&self, p: &Public) -> bool {
        let stride = p.una - p.former_una;
        self.looks_at_advances && p.cwnd > f64::from(p.mss) && stride <= 4 * u64::from(p.mss)
    }

    /// Duplicates below the threshold release nothing (limited transmit is another matter).
    fn is_waiting(&self, p: &Public) -> bool {
        (1..self.threshold).contains(&p.dupacks)
    }

    /// The window after a recovery that usually ends with `usual`: as the loss left it, if that was not the
    /// threshold (a loss by the channel need not cost anything).
    fn exit_window(p: &Public, usual: f64) -> f64 {
        let is_cut_to_threshold = (p.cwnd - p.ssthresh).abs() < 1.0;
        if is_cut_to_threshold { usual } else { p.cwnd }
    }

    fn entry(&self, p: &Public) -> Entry {
        Entry::Repair { inflation: f64::from(self.threshold) * f64::from(p.mss) }
    }
}
