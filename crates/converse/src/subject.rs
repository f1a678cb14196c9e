//! What a conversation is held with.

use std::collections::VecDeque;

use hopwright_machine::{Duration, Time};
use hopwright_transport::Output;
use hopwright_wire::tcp::{Segment, Seq};

use crate::script::{Action, Detail, Name};

/// The subject's initial sequence number, as scripts and checker count: every longer conversation wraps around.
/// A subject that chooses its own translates.
pub const ISS: Seq = Seq(u32::MAX - 2_500);

/// The peer's initial sequence number.
pub const PEER_ISS: Seq = Seq(7_000);

/// The script's time zero: whole seconds, so that clock ticks fall on the script's round times. What happens
/// before it (the handshake that a script leaves out) has times, too.
pub const ZERO: Duration = Duration::from_secs(1);

/// What left the subject, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Heard {
    /// When.
    pub at: Time,
    /// A segment, or news for the application.
    pub output: Output,
}

/// How far from its time something may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tolerance {
    /// How much before.
    pub early: Duration,
    /// How much after.
    pub late: Duration,
}

/// One end of a connection that can be talked to.
pub trait Subject {
    /// How exactly the subject keeps time; `None` if exactly. One that does not is not held to the order of news
    /// and segments either, nor to the pieces in which data become readable.
    fn tolerance(&self) -> Option<Tolerance>;

    /// The time now.
    fn now(&self) -> Time;

    /// How late whoever drives the subject was at the worst, where time is real.
    fn lag(&self) -> Duration {
        Duration::ZERO
    }

    /// Lets time pass until `until`, or until something left if `briefly`, and adds what left.
    fn listen(&mut self, until: Time, briefly: bool, heard: &mut VecDeque<Heard>);

    /// The application does something.
    fn act(&mut self, action: &Action);

    /// A segment arrives, with its data where they are more than a number.
    fn arrive(&mut self, segment: &Segment, data: &[u8]);

    /// A part of the state, if the subject shows it.
    fn value(&self, name: Name) -> Option<String>;

    /// Whether a SYN would be let in for a new connection, if that can be asked.
    fn admits_reopening(&self, segment: &Segment) -> Option<bool>;

    /// Whether a detail of what leaves is as the script says; some are the subject's own choice.
    fn agrees(&self, detail: Detail, found: &str, wanted: &str) -> bool;
}
