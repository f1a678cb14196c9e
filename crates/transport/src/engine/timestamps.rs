//! Timestamps: which we send, which we echo, and which segments they show to be old.
//!
//! Spec      RFC 7323 §3, §4, §5
//! Deviates  an echo is used only where no exact time was taken; the peer's timestamp is kept after its
//!           acknowledgement was believed too (§5.3 R3 comes before that), so that no stranger can set it
//! Holds     off until both SYNs carried one

use hopwright_machine::{Duration, Time};
use hopwright_wire::tcp::Segment;

use crate::params::Params;

/// One tick of the timestamp clock (§5.4: between 1 ms and 1 s).
const TICK: Duration = Duration::from_millis(1);

/// After so long a silence the peer's clock may have gone half around (§5.5).
const OUTDATED: Duration = Duration::from_secs(24 * 24 * 3600);

/// See the file's header.
#[derive(Debug, Default)]
pub(super) struct Timestamps {
    /// Whether ours are sent: on SYNs by our own wish, later by both.
    pub(super) is_on: bool,
    /// What our clock shows at time zero.
    pub(super) offset: u32,
    /// The peer's timestamp to echo (TS.Recent), and when it came.
    recent: u32,
    recent_at: Time,
    /// The acknowledgement last sent (Last.ACK.sent), a position in the peer's stream.
    pub(super) last_ack: u64,
    /// No echo of an earlier time is a round trip.
    pub(super) since: Time,
}

impl Timestamps {
    pub(super) fn new(params: &Params, offset: u32) -> Self {
        Self { is_on: params.timestamps, offset, ..Self::default() }
    }

    /// TSval and TSecr of a segment that leaves now.
    pub(super) fn option(&self, now: Time) -> Option<(u32, u32)> {
        self.is_on.then(|| (self.clock(now), self.recent))
    }

    fn clock(&self, now: Time) -> u32 {
        self.offset.wrapping_add((now.as_nanos() / TICK.as_nanos()) as u32)
    }

    /// The peer's SYN came.
    pub(super) fn agree(&mut self, now: Time, syn: &Segment) {
        self.is_on &= syn.options.timestamps.is_some();
        if let Some((value, _)) = syn.options.timestamps {
            (self.recent, self.recent_at) = (value, now);
        }
    }

    /// Whether the segment is older than one accepted before (§5.3 R1).
    pub(super) fn is_old(&self, now: Time, segment: &Segment) -> bool {
        self.is_on
            && now.since(self.recent_at) <= OUTDATED
            && segment.options.timestamps.is_some_and(|(value, _)| is_before(value, self.recent))
    }

    /// Keeps the timestamp of an acceptable segment, if it is the one to be echoed (§4.3).
    pub(super) fn keep(&mut self, now: Time, seq: u64, segment: &Segment) {
        let Some((value, _)) = segment.options.timestamps else { return };
        let is_outdated = now.since(self.recent_at) > OUTDATED;
        if self.is_on && seq <= self.last_ack && (is_outdated || !is_before(value, self.recent)) {
            (self.recent, self.recent_at) = (value, now);
        }
    }

    /// The time since the echoed timestamp, if we can have sent that.
    pub(super) fn round_trip(&self, now: Time, segment: &Segment) -> Option<Duration> {
        let (_, echo) = segment.options.timestamps.filter(|_| self.is_on)?;
        let age = self.clock(now).wrapping_sub(echo);
        (age <= self.clock(now).wrapping_sub(self.clock(self.since))).then(|| TICK * u64::from(age.max(1)))
    }

    /// When the segment left whose timestamp is echoed, as the clock shows it: the beginning of its tick.
    pub(super) fn echoed(&self, now: Time, segment: &Segment) -> Option<Time> {
        let (_, echo) = segment.options.timestamps.filter(|_| self.is_on)?;
        let age = TICK * u64::from(self.clock(now).wrapping_sub(echo));
        let tick = TICK * (now.as_nanos() / TICK.as_nanos());
        (age <= tick).then(|| Time::ZERO + (tick - age))
    }

    /// How long a segment was on its way, against the unknown offset of the peer's clock: to be compared only.
    pub(super) fn one_way(&self, now: Time, segment: &Segment) -> Option<Duration> {
        let (value, _) = segment.options.timestamps.filter(|_| self.is_on)?;
        let ticks = (now.as_nanos() / TICK.as_nanos()) as u32;
        let late = Duration::from_nanos(now.as_nanos() % TICK.as_nanos());
        Some(TICK * u64::from(ticks.wrapping_sub(value).wrapping_add(1 << 31)) + late)
    }

    /// Whether the SYN of a new connection can be told from old segments of this one by its timestamp
    /// (RFC 6191 §2); `None` if timestamps do not decide.
    pub(super) fn admits(&self, syn: &Segment, is_wanted: bool) -> Option<bool> {
        let (value, _) = syn.options.timestamps.filter(|_| is_wanted)?;
        match value.wrapping_sub(self.recent) as i32 {
            _ if !self.is_on => Some(true),
            0 => None,
            ahead => Some(ahead > 0),
        }
    }
}

/// Timestamps in circular order (§5.2).
const fn is_before(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}

#[cfg(test)]
mod tests {
    use hopwright_wire::tcp::{Flags, Options, Seq};

    use super::*;

    #[test]
    fn only_what_we_can_have_sent_is_a_round_trip() {
        let at = |ms| Time::ZERO + TICK * ms;
        let params = Params { timestamps: true, ..Params::default() };
        let mut stamps = Timestamps::new(&params, u32::MAX - 1500); // the clock wraps between
        stamps.since = at(1000);
        let segment = |echo: u32| Segment {
            source_port: 1,
            destination_port: 2,
            seq: Seq(0),
            ack: Seq(0),
            flags: Flags::ACK,
            window: 0,
            urgent: 0,
            options: Options { timestamps: Some((0, stamps.clock(at(0)).wrapping_add(echo))), ..Options::default() },
            payload_bytes: 0,
            ecn: hopwright_wire::ip::Ecn::NotCapable,
        };
        let measured = |echo| stamps.round_trip(at(2000), &segment(echo)).map(Duration::as_nanos);
        assert_eq!(measured(1900), Some(100_000_000));
        assert_eq!(measured(1000), Some(1_000_000_000));
        assert_eq!(measured(2000), Some(1_000_000)); // a tick at least
        assert_eq!((measured(999), measured(2001)), (None, None));
    }
}
