//! Answers to segments that cannot be believed, and how many there may be.
//!
//! Spec      RFC 5961 §3, §4, §5 (challenge), §7 (limit); RFC 9293 §3.10.7.4 (answer to the unacceptable)
//! Deviates  the limit is each connection's own: a common one tells a stranger what others receive
//! Holds     data outside the window is always answered: a peer that probes or repeats depends on it

use hopwright_machine::{Duration, Time};
use hopwright_wire::tcp::Segment;

use super::Connection;

/// How many answers left in the second at hand.
#[derive(Debug, Default)]
pub(super) struct Challenges {
    second: Time,
    sent: u32,
}

impl Challenges {
    fn admit(&mut self, now: Time, per_second: u32) -> bool {
        if now.since(self.second) >= Duration::from_secs(1) {
            *self = Self { second: now, sent: 0 };
        }
        self.sent = self.sent.saturating_add(1);
        self.sent <= per_second
    }
}

impl Connection {
    /// Lets the peer prove what the segment at hand claims: it knows its own state, a stranger does not.
    pub(super) fn challenge(&mut self) {
        if self.challenges.admit(self.public.now, self.params.challenge_acks_per_s) {
            self.receiver.ack_now = true;
        }
    }

    /// Tells the sender of an unacceptable segment what would be acceptable. Two ends that disagree would tell
    /// each other for ever: answers to empty segments are limited.
    pub(super) fn answer(&mut self, segment: &Segment) {
        if segment.payload_bytes > 0 {
            self.receiver.ack_now = true;
        } else {
            self.challenge();
        }
    }
}
