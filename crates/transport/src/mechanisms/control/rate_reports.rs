//! What the receiver of a rate reports, as the sender takes it.
//!
//! Spec      RFC 5348 §4.3 (what is received limits the rate; a sender that has little to send), §4.4 (silence)
//! Deviates  a sender has little to send if what left since the last report, and a segment more, was less than nine
//!           tenths of what the rate allowed. Acknowledgements repeat a report: it is taken again after a round trip at the earliest
//! Holds     for two round trips after the first report nothing limits the rate

use std::collections::VecDeque;

use hopwright_machine::{Duration, Time};
use hopwright_wire::tcp::Rates;

use crate::view::Public;

/// See the file's header.
#[derive(Debug, Default)]
pub(super) struct RateReports {
    /// Loss events per transmission.
    loss: f64,
    /// What was received, in bytes per second, and when that was reported (X_recv_set).
    received: VecDeque<(Time, f64)>,
    /// The last report, when it came, how many segments had been sent then, and how many bytes the rate had allowed.
    last: Option<(Rates, Time, u64, f64)>,
    /// When one last came, that or the same again.
    heard: Time,
    /// The most that the rate may be, in bytes per second.
    limit: f64,
}

impl RateReports {
    /// Whether any has come.
    pub(super) fn has_come(&self) -> bool {
        self.last.is_some()
    }

    /// When the last that was taken came.
    pub(super) fn taken(&self) -> Option<Time> {
        self.last.map(|(_, at, ..)| at)
    }

    /// When one last came.
    pub(super) const fn heard(&self) -> Time {
        self.heard
    }

    /// Loss events per transmission, and the most that the rate may be, in bytes per second.
    pub(super) fn read(&self) -> (f64, f64) {
        (self.loss, self.limit)
    }

    /// One came, after the rate has allowed so many bytes in all. Returns whether it was taken.
    pub(super) fn on_report(&mut self, p: &Public, allowed: f64, rates: Rates) -> bool {
        let Rates::Report { receive_rate, loss_interval } = rates else { return false };
        self.heard = p.now;
        let rtt = p.srtt.unwrap_or(Duration::ZERO);
        let loss = if loss_interval == u32::MAX { 0.0 } else { 256.0 / f64::from(loss_interval.max(256)) };
        let Some((last, at, sent, allowed_then)) = self.last else {
            self.last = Some((rates, p.now, p.segments_sent, allowed));
            self.loss = loss;
            self.received.push_back((p.now, f64::INFINITY));
            self.limit = f64::INFINITY;
            return true;
        };
        let took = p.now.since(at);
        if rates == last && took < rtt {
            return false;
        }
        self.last = Some((rates, p.now, p.segments_sent, allowed));
        let has_little = sent_little(p, p.segments_sent - sent, allowed - allowed_then);
        let is_worse = loss > self.loss;
        self.loss = loss;
        let received = f64::from(receive_rate);
        if has_little {
            self.received.retain(|(_, rate)| rate.is_finite());
            let known = if is_worse { 0.5 * self.most() } else { self.most() };
            let most = known.max(if is_worse { 0.85 * received } else { received });
            self.received.clear();
            self.received.push_back((p.now, most));
            self.limit = if is_worse { most } else { 2.0 * most };
        } else {
            self.received.push_back((p.now, received));
            while self.received.front().is_some_and(|(at, _)| *at + rtt * 2 < p.now) {
                self.received.pop_front();
            }
            self.limit = 2.0 * self.most();
        }
        true
    }

    /// Whether none came for four round trips, and as long as two segments take at this rate, in bytes per second. A timer
    /// may expire though reports come: of one segment that was lost again.
    pub(super) fn are_missing(&self, p: &Public, rate: f64) -> bool {
        let patience = p.srtt.map_or(Duration::ZERO, |srtt| srtt * 4);
        p.now.since(self.heard) >= patience.max(Duration::from_secs_f64(2.0 * f64::from(p.mss) / rate))
    }

    /// Nothing came for long. `rate`: what it is, `equation`: what it would be by the losses alone, where there were any;
    /// `least`: what it may not fall below. Returns what it is now. All in bytes per second.
    pub(super) fn on_silence(&mut self, p: &Public, rate: f64, equation: Option<f64>, least: f64) -> f64 {
        let Some(equation) = equation else { return (rate / 2.0).max(least) };
        let received = self.most();
        let limit = if equation > 2.0 * received { received } else { equation / 2.0 }.max(least);
        self.received.clear();
        self.received.push_back((p.now, limit / 2.0));
        self.limit = limit;
        equation.min(limit).max(least) // step 4 of §4.3
    }

    fn most(&self) -> f64 {
        self.received.iter().fold(0.0, |most, (_, rate)| rate.max(most))
    }
}

/// Whether so many segments are less than a sender would have sent that has enough to send, where the rate allowed so many
/// bytes.
pub(super) fn sent_little(p: &Public, segments: u64, allowed: f64) -> bool {
    (((segments + 1) * u64::from(p.mss)) as f64) < 0.9 * allowed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64, segments_sent: u64) -> Public {
        let now = Time::ZERO + Duration::from_millis(ms);
        Public { now, mss: 1_000, srtt: Some(Duration::from_millis(100)), segments_sent, ..Public::default() }
    }

    fn report(receive_rate: u32, loss_interval: u32) -> Rates {
        Rates::Report { receive_rate, loss_interval }
    }

    #[test]
    fn twice_what_came_in_the_last_two_round_trips_is_the_limit() {
        let mut reports = RateReports::default();
        let mut limit = |ms, sent, rate| {
            reports.on_report(&at(ms, sent), 100.0 * ms as f64, report(rate, u32::MAX));
            reports.read().1
        };
        assert_eq!(limit(0, 1, 10_000), f64::INFINITY);
        assert_eq!(limit(100, 11, 30_000), f64::INFINITY);
        assert_eq!(limit(210, 22, 20_000), 60_000.0);
        assert_eq!(limit(320, 33, 10_000), 40_000.0);
        assert_eq!(limit(330, 34, 10_000), 40_000.0, "the same report again");
    }

    #[test]
    fn who_sends_little_keeps_what_was_known_and_half_of_it_if_losses_grow() {
        let mut reports = RateReports::default();
        reports.on_report(&at(0, 1), 0.0, report(80_000, u32::MAX));
        reports.on_report(&at(250, 26), 25000.0, report(80_000, u32::MAX));
        reports.on_report(&at(350, 27), 35000.0, report(10_000, u32::MAX));
        assert_eq!(reports.read(), (0.0, 160_000.0));
        reports.on_report(&at(450, 28), 45000.0, report(10_000, 25_600));
        assert_eq!(reports.read(), (0.01, 40_000.0));
    }

    /// §4.3, §4.4: the nofeedback timer.
    /// Vector T4: at 164 005 B/s and with a round trip of 100 ms it runs for 400 ms.
    #[test]
    fn silence_is_four_round_trips_and_two_segments_without_a_report() {
        let mut reports = RateReports::default();
        reports.on_report(&at(100, 1), 10000.0, report(10_000, 25_600));
        reports.on_report(&at(150, 1), 15000.0, report(10_000, 25_600));
        assert_eq!([549, 550].map(|ms| reports.are_missing(&at(ms, 1), 10_000.0)), [false, true]);
        assert_eq!([1_149, 1_150].map(|ms| reports.are_missing(&at(ms, 1), 2_000.0)), [false, true]);
        let usual = |ms| Public { mss: 1_460, ..at(ms, 1) };
        assert_eq!([549, 550].map(|ms| reports.are_missing(&usual(ms), 164_005.0)), [false, true]);
    }

    /// §4.4: silence halves what the equation gives, or goes down to what came.
    #[test]
    fn silence_halves() {
        let mut reports = RateReports::default();
        assert_eq!(reports.on_silence(&at(0, 0), 8_000.0, None, 16.0), 4_000.0);
        reports.on_report(&at(0, 1), 0.0, report(90_000, 25_600));
        reports.on_report(&at(250, 60), 25000.0, report(90_000, 25_600));
        assert_eq!(reports.on_silence(&at(900, 60), 164_005.0, Some(164_005.0), 16.0), 82_002.5);
        assert_eq!(reports.on_silence(&at(990, 60), 82_002.5, Some(164_005.0), 16.0), 41_001.25);
        assert_eq!(reports.on_silence(&at(999, 60), 100.0, Some(10.0), 16.0), 16.0, "not below the least");
    }
}
