//! The receiver of a rate: how often loss events come, and how fast what comes does.
//!
//! Spec      RFC 5348 §5.1 (three later ones make a transmission lost), §5.2 (loss events), §5.3 and §5.4 (their
//!           intervals), §6.2 (the receive rate), §6.3.1 (the first interval)
//! Deviates  it has no timer of its own: a report is made anew when an acknowledgement leaves and the last is a round trip
//!           old, or losses became more frequent, which makes one leave at once (§6.1). Those that are missing between two
//!           are dated between them, but no further apart than twice what is usual: a sender that fell silent in between
//!           did not go on sending (§5.2 supposes that it did). A hole of more than `MOST_MISSING` transmissions counts as
//!           one of so many. A round trip of more than `LONGEST` counts as that
//! Holds     transmissions are numbered; what is sent again has a number of its own

use std::collections::VecDeque;

use hopwright_machine::{Duration, Time};
use hopwright_wire::tcp::Rates;

use crate::mechanisms::estimators::{LossIntervals, loss_at};

/// So many later ones that came make a transmission one that was lost (§5.1).
const NDUPACK: u32 = 3;

/// The longest round trip that a sender is believed: what came within it is kept in mind.
const LONGEST: Duration = Duration::from_secs(60);

/// So many missing ones are kept in mind.
const MOST_MISSING: u64 = 4096;

/// One that has not come.
#[derive(Clone, Copy, Debug)]
struct Missing {
    number: u64,
    /// When it would have come: between its neighbours that did (§5.2).
    at: Time,
    /// How many later ones have come.
    later: u32,
}

/// See the file's header.
#[derive(Debug, Default)]
pub(super) struct RateReceiver {
    /// The sender's round-trip time, as it last told.
    rtt: Option<Duration>,
    /// The highest number that came, and when.
    highest: Option<(u64, Time)>,
    missing: VecDeque<Missing>,
    /// How far apart two come that are next to each other: smoothed, with a gain of an eighth.
    distance: Option<Duration>,
    /// The first loss of the event that goes on: its number, and when it would have come.
    event: Option<(u64, Time)>,
    intervals: LossIntervals,
    /// What came in the last round trip.
    lately: VecDeque<(Time, u32)>,
    /// The bytes of that.
    bytes: u64,
    /// The most that ever came in a round trip, in bytes per second.
    most: f64,
    /// The last report, and when it was made.
    report: Option<(Rates, Time)>,
    /// Whether losses became more frequent since.
    is_urgent: bool,
}

impl RateReceiver {
    /// A data segment came: the number and round-trip time that it tells, its payload, and that of one of the usual size.
    /// Returns whether the sender should hear at once.
    pub(super) fn on_data(&mut self, now: Time, number: u32, rtt_us: u32, bytes: u32, mss: u32) -> bool {
        if rtt_us > 0 {
            self.rtt = Some(Duration::from_micros(u64::from(rtt_us)).min(LONGEST));
        }
        self.lately.push_back((now, bytes));
        self.bytes += u64::from(bytes);
        self.most = self.most.max(self.receive_rate(now));
        let former = self.event;
        self.place(now, number);
        while let Some(&lost) = self.missing.front().filter(|missing| missing.later >= NDUPACK) {
            self.missing.pop_front();
            self.on_loss(lost, mss);
        }
        self.is_urgent |= self.event != former;
        self.is_urgent
    }

    /// Notes what lies between the highest number and this one, or that it is not missing any more.
    fn place(&mut self, now: Time, number: u32) {
        let Some((highest, at)) = self.highest else {
            self.highest = Some((u64::from(number), now));
            return;
        };
        let ahead = i64::from(number.wrapping_sub(highest as u32) as i32);
        let Some(number) = highest.checked_add_signed(ahead) else { return };
        for missing in self.missing.iter_mut().filter(|missing| missing.number < number) {
            missing.later += 1;
        }
        if number <= highest {
            self.missing.retain(|missing| missing.number != number);
            return;
        }
        let gap = number - highest;
        let took = now.since(at);
        if gap == 1 {
            let former = self.distance.unwrap_or(took).as_nanos();
            self.distance = Some(Duration::from_nanos((7 * former + took.as_nanos()) / 8));
        }
        let span = self.distance.map_or(took, |distance| took.min(distance * 2 * gap));
        for skipped in gap.saturating_sub(MOST_MISSING).max(1)..gap {
            let share = u128::from(span.as_nanos()) * u128::from(skipped) / u128::from(gap);
            let at = at + Duration::from_nanos(share as u64);
            self.missing.push_back(Missing { number: highest + skipped, at, later: 1 });
        }
        self.highest = Some((number, now));
    }

    /// One was lost: it begins an event, or is part of the one that began within a round trip before.
    fn on_loss(&mut self, lost: Missing, mss: u32) {
        let rtt = self.rtt.unwrap_or(Duration::ZERO);
        match self.event {
            Some((_, began)) if lost.at <= began + rtt => return,
            Some((first, _)) => self.intervals.end((lost.number - first) as f64),
            None => self.intervals.seed(self.first_interval(rtt, mss)),
        }
        self.event = Some((lost.number, lost.at));
    }

    /// The interval at which a TCP would carry as much as came before the first loss, half a segment in a round trip at
    /// least (§6.3.1).
    fn first_interval(&self, rtt: Duration, mss: u32) -> f64 {
        let (segment, seconds) = (f64::from(mss), rtt.as_secs_f64());
        if seconds > 0.0 { 1.0 / loss_at(segment, seconds, self.most.max(0.5 * segment / seconds)) } else { 1.0 }
    }

    /// What came in the last round trip, in bytes per second; zero before one is known.
    fn receive_rate(&mut self, now: Time) -> f64 {
        let Some(rtt) = self.rtt else { return 0.0 };
        while let Some(&(_, bytes)) = self.lately.front().filter(|(at, _)| *at + rtt <= now) {
            self.lately.pop_front();
            self.bytes -= u64::from(bytes);
        }
        self.bytes as f64 / rtt.as_secs_f64()
    }

    /// What an acknowledgement that leaves now reports; nothing before data came.
    pub(super) fn report(&mut self, now: Time) -> Rates {
        let Some((highest, _)) = self.highest else { return Rates::Nothing };
        let age = self.rtt.unwrap_or(Duration::ZERO);
        if let Some((report, _)) = self.report.filter(|(_, made)| !self.is_urgent && now < *made + age) {
            return report;
        }
        let open = self.event.map_or(0, |(first, _)| highest + 1 - first.min(highest));
        let loss = self.intervals.rate(open as f64);
        let loss_interval = if loss > 0.0 { (256.0 / loss).min(f64::from(u32::MAX - 1)) as u32 } else { u32::MAX };
        let receive_rate = self.receive_rate(now).min(f64::from(u32::MAX)) as u32;
        let report = Rates::Report { receive_rate, loss_interval };
        self.report = Some((report, now));
        self.is_urgent = false;
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u32 = 1_460;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// Comes with these numbers, one each 10 ms from `from` on, where the round trip takes 100 ms. Returns for which the
    /// sender hears at once.
    fn come(receiver: &mut RateReceiver, from: u64, numbers: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut urgent = vec![];
        for (n, number) in numbers.into_iter().enumerate() {
            let now = at(from + 10 * n as u64);
            if receiver.on_data(now, number, 100_000, MSS, MSS) {
                urgent.push(number);
            }
            receiver.report(now);
        }
        urgent
    }

    #[test]
    fn three_later_ones_make_a_loss_and_what_comes_late_is_none() {
        let mut receiver = RateReceiver::default();
        assert_eq!(come(&mut receiver, 0, [1, 2, 4, 5, 3, 6, 7, 9, 10, 11, 12]), [11]);
        assert_eq!(receiver.event.unwrap().0, 8);
    }

    #[test]
    fn numbers_go_around() {
        let mut receiver = RateReceiver::default();
        assert_eq!(come(&mut receiver, 0, [u32::MAX - 1, u32::MAX, 1, 2, 3]), [3]);
        assert_eq!(receiver.event.unwrap().0, 1 << 32);
    }

    /// §5.2: a round trip takes 2 s, and a segment comes each 200 ms.
    /// Vector T5: losses 1 s apart are one event, 3 s apart two.
    #[test]
    fn losses_within_a_round_trip_are_one_event() {
        for (second, events) in [(15, vec![13]), (25, vec![13, 28])] {
            let mut receiver = RateReceiver::default();
            let numbers = (0..60).filter(|n| *n != 10 && *n != second);
            let urgent = numbers.filter(|&number| {
                let now = at(200 * u64::from(number));
                let is_urgent = receiver.on_data(now, number, 2_000_000, MSS, MSS);
                receiver.report(now);
                is_urgent
            });
            assert_eq!(urgent.collect::<Vec<_>>(), events, "{second}");
        }
    }

    /// §5.2: a lost one would have come in between its neighbours.
    #[test]
    fn losses_are_dated_between_their_neighbours() {
        let mut receiver = RateReceiver::default();
        receiver.on_data(at(0), 0, 100_000, MSS, MSS);
        receiver.on_data(at(40), 4, 100_000, MSS, MSS);
        let times: Vec<_> = receiver.missing.iter().map(|missing| (missing.number, missing.at)).collect();
        assert_eq!(times, [(1, at(10)), (2, at(20)), (3, at(30))]);
    }

    /// §6.3.1: a segment each 10 ms is 146 000 B/s; the equation gives that at 1.24 %. Then intervals are counted.
    #[test]
    fn the_first_interval_is_that_of_what_came_and_the_next_are_counted() {
        let mut receiver = RateReceiver::default();
        come(&mut receiver, 0, (0..30).chain(31..34));
        let first = 1.0 / loss_at(f64::from(MSS), 0.1, 146_000.0);
        assert!((receiver.intervals.rate(0.0) * first - 1.0).abs() < 1e-9, "{} {first}", receiver.intervals.rate(0.0));
        come(&mut receiver, 330, (34..70).chain(71..74));
        assert!((receiver.intervals.rate(0.0) * (first + 40.0) / 2.0 - 1.0).abs() < 1e-9);
        let loss_interval = (128.0 * (first + 40.0)) as u32;
        assert_eq!(receiver.report(at(720)), Rates::Report { receive_rate: 146_000, loss_interval });
    }

    /// A window that was lost before a silence of ten round trips is one event.
    #[test]
    fn a_silence_does_not_make_events_of_what_was_lost_before() {
        let mut receiver = RateReceiver::default();
        for number in 0..50 {
            receiver.on_data(at(2 * u64::from(number)), number, 100_000, MSS, MSS);
        }
        let urgent: Vec<_> = (70..80)
            .filter(|number| {
                let is_urgent = receiver.on_data(at(1_100 + 2 * u64::from(*number)), *number, 100_000, MSS, MSS);
                receiver.report(at(1_100 + 2 * u64::from(*number)));
                is_urgent
            })
            .collect();
        assert_eq!(urgent, [72]);
    }

    #[test]
    fn a_report_stays_for_a_round_trip() {
        let mut receiver = RateReceiver::default();
        assert_eq!(receiver.report(at(0)), Rates::Nothing);
        receiver.on_data(at(0), 0, 100_000, MSS, MSS);
        let first = receiver.report(at(0));
        assert_eq!(first, Rates::Report { receive_rate: 14_600, loss_interval: u32::MAX });
        receiver.on_data(at(50), 1, 100_000, MSS, MSS);
        assert_eq!(receiver.report(at(99)), first);
        assert_eq!(receiver.report(at(100)), Rates::Report { receive_rate: 14_600, loss_interval: u32::MAX });
        receiver.on_data(at(110), 2, 100_000, MSS, MSS);
        receiver.on_data(at(140), 3, 100_000, MSS, MSS);
        assert_eq!(receiver.report(at(200)), Rates::Report { receive_rate: 29_200, loss_interval: u32::MAX });
    }

    #[test]
    fn a_long_hole_is_kept_in_bounds() {
        let mut receiver = RateReceiver::default();
        receiver.on_data(at(0), 0, 100_000, MSS, MSS);
        receiver.on_data(at(10), 1_000_000_000, 100_000, MSS, MSS);
        assert!(receiver.missing.len() as u64 <= MOST_MISSING);
    }
}
