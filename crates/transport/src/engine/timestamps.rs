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

    fn at(ms: u64) -> Time {
        Time::ZERO + TICK * ms
    }

    /// Timestamps that both ends agreed on, of a peer whose clock showed `recent` at 1 s; ours shows 0 at time zero.
    fn agreed(recent: u32) -> Timestamps {
        let mut stamps = Timestamps::new(&Params { timestamps: true, ..Params::default() }, 0);
        stamps.agree(at(1000), &stamped(recent, 0));
        stamps
    }

    fn stamped(value: u32, echo: u32) -> Segment {
        let options = Options { timestamps: Some((value, echo)), ..Options::default() };
        Segment { options, ..crate::mechanisms::testing::empty_segment() }
    }

    fn bare() -> Segment {
        crate::mechanisms::testing::empty_segment()
    }

    const DAY: Duration = Duration::from_secs(24 * 3600);

    #[test]
    fn both_ends_must_want_them() {
        for (is_wanted, syn, is_on) in
            [(true, stamped(7, 0), true), (true, bare(), false), (false, stamped(7, 0), false), (false, bare(), false)]
        {
            let mut stamps = Timestamps::new(&Params { timestamps: is_wanted, ..Params::default() }, 500);
            stamps.agree(at(0), &syn);
            assert_eq!(stamps.option(at(30)), is_on.then_some((530, 7)));
        }
    }

    /// RFC 7323 §5.2: older is what lies less than half the circle behind. §5.5: not after 24 days.
    #[test]
    fn a_timestamp_before_the_last_is_old_for_24_days() {
        let stamps = agreed(5);
        let late = at(1000) + DAY * 24;
        for (value, now, is_old) in [
            (5, at(1000), false),
            (6, at(1000), false),
            (4, at(1000), true),
            (u32::MAX, at(1000), true), // six ticks before, around the circle
            (4, late, true),
            (4, late + Duration::from_nanos(1), false),
        ] {
            assert_eq!(stamps.is_old(now, &stamped(value, 0)), is_old, "{value}");
        }
        assert!(!stamps.is_old(at(1000), &bare()));
        assert!(!Timestamps { is_on: false, ..stamps }.is_old(at(1000), &stamped(4, 0)));
    }

    /// RFC 7323 §4.3: SEG.TSval >= TS.Recent and SEG.SEQ <= Last.ACK.sent.
    #[test]
    fn the_timestamp_of_what_the_last_acknowledgement_waited_for_is_kept() {
        for (value, seq, kept) in [(8, 100, 8), (8, 99, 8), (8, 101, 7), (7, 100, 7), (6, 100, 7)] {
            let mut stamps = Timestamps { last_ack: 100, ..agreed(7) };
            stamps.keep(at(1000), seq, &stamped(value, 0));
            assert_eq!(stamps.option(at(1000)), Some((1000, kept)), "{value} {seq}");
        }
        let mut stamps = Timestamps { last_ack: 100, ..agreed(7) };
        stamps.keep(at(1000), 100, &bare());
        assert_eq!(stamps.option(at(1000)), Some((1000, 7)));
    }

    /// RFC 7323 §5.5: TS.Recent is not believed after 24 days without a newer one; the same one again renews it.
    #[test]
    fn an_outdated_timestamp_gives_way_to_any() {
        let mut stamps = agreed(7);
        let late = at(1000) + DAY * 24;
        stamps.keep(late, 0, &stamped(6, 0));
        assert_eq!(stamps.recent, 7);
        stamps.keep(late + TICK, 0, &stamped(6, 0));
        assert_eq!(stamps.recent, 6);

        let mut stamps = agreed(7);
        stamps.keep(at(1000) + DAY, 0, &stamped(7, 0));
        assert!(stamps.is_old(late + DAY, &stamped(6, 0)));
        assert!(!stamps.is_old(late + DAY + TICK, &stamped(6, 0)));
    }

    #[test]
    fn the_echo_shows_the_tick_in_which_a_segment_left() {
        let stamps = agreed(7);
        let now = at(2000) + Duration::from_micros(400);
        for (echo, left) in [(1900, Some(at(1900))), (2000, Some(at(2000))), (0, Some(at(0))), (2001, None)] {
            assert_eq!(stamps.echoed(now, &stamped(0, echo)), left, "{echo}");
        }
        assert_eq!(stamps.echoed(now, &bare()), None);
        assert_eq!(Timestamps { is_on: false, ..stamps }.echoed(now, &stamped(0, 1900)), None);
    }

    #[test]
    fn without_agreement_an_echo_is_no_round_trip() {
        let stamps = agreed(7);
        assert_eq!(stamps.round_trip(at(2000), &stamped(0, 1900)), Some(TICK * 100));
        assert_eq!(stamps.round_trip(at(2000), &bare()), None);
        assert_eq!(Timestamps { is_on: false, ..stamps }.round_trip(at(2000), &stamped(0, 1900)), None);
    }

    /// The offset of the peer's clock is unknown, but the same for all: differences are those of the delays, also where
    /// the clock wraps.
    #[test]
    fn one_way_times_differ_as_the_delays() {
        let stamps = agreed(7);
        let late = Duration::from_micros(300);
        let way = |now, value| stamps.one_way(now, &stamped(value, 0)).unwrap();
        let first = way(at(2000), 5000);
        assert_eq!(way(at(2010) + late, 5000).saturating_sub(first), TICK * 10 + late);
        assert_eq!(way(at(2010), 5004).saturating_sub(first), TICK * 6);
        assert_eq!(first.saturating_sub(way(at(2010), 5030)), TICK * 20);
        assert_eq!(way(at(2010), 2).saturating_sub(way(at(2000), u32::MAX)), TICK * 7); // three ticks passed there
        assert_eq!(stamps.one_way(at(2000), &bare()), None);
        assert_eq!(Timestamps { is_on: false, ..stamps }.one_way(at(2000), &stamped(1, 0)), None);
    }

    /// RFC 6191 §2: a new connection is admitted if its timestamp is greater than the last of the former one, or if that
    /// had none; the sequence number decides where they are equal, or where the SYN has none.
    #[test]
    fn a_new_connection_is_told_by_its_timestamp() {
        let stamps = agreed(7);
        for (value, admitted) in [(8, Some(true)), (7, None), (6, Some(false)), (7 + (1 << 31), Some(false))] {
            assert_eq!(stamps.admits(&stamped(value, 0), true), admitted, "{value}");
            assert_eq!(stamps.admits(&stamped(value, 0), false), None);
        }
        assert_eq!(stamps.admits(&bare(), true), None);
        assert_eq!(Timestamps { is_on: false, ..stamps }.admits(&stamped(6, 0), true), Some(true));
    }
}
