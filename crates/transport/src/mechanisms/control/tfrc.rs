//! A rate: what a TCP would carry on this path, worked out from the losses that the sender sees.
//!
//! Spec      RFC 5348 §3.1 (the equation), §4.3 (what is received limits the rate), §4.4 (silence), §5.2 (loss events),
//!           §5.4 (their average), §6.3.1 (the first interval); with `rate_loss_at = "receiver"` the RFC's receiver
//!           (`rate_receiver`) finds the losses and reports them, without it the sender does, as in Velayutham 2005
//!           §2.5.1.8
//! Deviates  losses that the sender finds are those it sends again, and are dated by when they left, not by when they
//!           would have come; what is received is then what is acknowledged, selectively or not. With `rate_limit =
//!           "none"` it limits nothing. The first rate is the start-up slot's first window per round trip (§4.2 has its
//!           own), the round trip that of the time-out slot, whose timer stands for the one of §4.3. The optional rules
//!           are left out: damping of oscillations (§4.5), discounting of history (§5.5)
//! Holds     before the first report, or from a peer that makes none, the sender's own losses count. A segment in 64 seconds at least. The congestion window is the rate times the round trip, a segment at
//!           least, and nothing else changes it: a window that takes over begins there, and a rate that takes over from
//!           a window begins with what that carried. The clocking slot keeps the rate (`paced`)

use hopwright_machine::{Duration, Time};

use hopwright_wire::tcp::Rates;

use super::rate_receiver::RateReceiver;
use super::rate_reports::{RateReports, sent_little};
use super::{Allowance, Control, float, least_rate};
use crate::mechanisms::estimators::{LossIntervals, loss_at, throughput};
use crate::mechanisms::{Needs, Part};
use crate::params::{Knob, Params};
use crate::view::Public;

/// See the file's header.
pub const TFRC: Part<dyn Control> =
    Part::<dyn Control>::new("tfrc", "Velayutham 2005 §2.5.1.8", |p| Box::new(Tfrc::new(p)))
        .needing(Needs::SENT_TIMES.and(Needs::RATES))
        .with_knobs(&[LOSS_AT, LIMIT]);

pub(crate) const LOSS_AT: Knob = Knob::word(
    "rate_loss_at",
    &["sender", "receiver"],
    "where losses are found and the receive rate is measured: at the sender, or at the receiver, which reports both to the sender (RFC 5348)",
);
const LIMIT: Knob = Knob::word(
    "rate_limit",
    &["twice-received", "none"],
    "the largest rate: twice the rate that was received (RFC 5348), or no limit",
);

/// So many later ones that came make a segment one that was lost (§5.1).
const NDUPACK: u32 = 3;

/// What arrived in a round trip.
#[derive(Clone, Copy, Debug)]
struct Received {
    since: Time,
    /// What the peer had then, how many segments had been sent, and how many bytes the rate had allowed.
    held: u64,
    sent: u64,
    allowed: f64,
    /// Bytes per second in each of the two round trips before.
    rates: [f64; 2],
}

#[derive(Debug)]
struct Tfrc {
    is_limited: bool,
    /// Bytes per second; `None` before a round trip is known.
    rate: Option<f64>,
    /// The first rate.
    initial: f64,
    /// Bytes that the rate has allowed so far, and up to when.
    allowed: (f64, Time),
    intervals: LossIntervals,
    /// The current loss event: when the first segment lost in it had left, and as the how-manieth.
    event: (Time, u64),
    received: Option<Received>,
    /// When the rate last doubled before the first loss.
    doubled: Time,
    /// Whether nothing came for long, and nothing since: half the rate is then the limit, whatever else is none.
    is_silent: bool,
    /// With losses found at the receiver: what this end finds as one, and what the other one reports.
    receiver: Option<(RateReceiver, RateReports)>,
}

impl Tfrc {
    fn new(p: &Params) -> Self {
        Self {
            is_limited: p.word(&LIMIT) == "twice-received",
            rate: None,
            initial: 0.0,
            allowed: (0.0, Time::ZERO),
            intervals: LossIntervals::default(),
            event: (Time::ZERO, 0),
            received: None,
            doubled: Time::ZERO,
            is_silent: false,
            receiver: (p.word(&LOSS_AT) == "receiver").then(Default::default),
        }
    }

    /// What the receiver reports, if it does.
    fn reports(&mut self) -> Option<&mut RateReports> {
        self.receiver.as_mut().map(|(_, reports)| reports).filter(|reports| reports.has_come())
    }

    /// Measures what arrives, once per round trip. A sender that has less to send than it may shows less than the path
    /// carries: what was known stays (§4.3).
    fn measure(&mut self, p: &Public, rtt: Duration) {
        let (held, sent, allowed) = (p.acked_bytes + p.sacked.bytes(), p.segments_sent, self.allowed.0);
        let Some(received) = &mut self.received else {
            self.received = Some(Received { since: p.now, held, sent, allowed, rates: [f64::INFINITY; 2] });
            return;
        };
        let took = p.now.since(received.since);
        if took < rtt || held <= received.held {
            return;
        }
        let per_second = |bytes: u64| bytes as f64 / took.as_secs_f64();
        let rate = per_second(held - received.held);
        let is_limited_by_data = sent_little(p, sent - received.sent, allowed - received.allowed);
        let [last, before] = received.rates;
        let known = [last, before].into_iter().filter(|rate| rate.is_finite()).fold(rate, f64::max);
        let rates = if is_limited_by_data { [known; 2] } else { [rate, last] };
        *received = Received { since: p.now, held, sent, allowed, rates };
        self.is_silent = false;
    }

    /// Adds what the rate has allowed since this was last done.
    fn count_allowed(&mut self, p: &Public) {
        let (bytes, until) = self.allowed;
        let since = p.now.since(until).as_secs_f64();
        self.allowed = (bytes + self.rate.unwrap_or(0.0) * since, p.now);
    }

    /// What was received limits the rate to this.
    fn limit(&self) -> f64 {
        match &self.received {
            Some(received) => 2.0 * received.rates[0].max(received.rates[1]),
            None => f64::INFINITY,
        }
    }

    /// The rate that the event at hand leaves.
    fn update(&mut self, p: &Public) {
        let Some(rtt) = p.srtt.filter(|rtt| *rtt > Duration::ZERO) else { return };
        let (segment, seconds) = (f64::from(p.mss), rtt.as_secs_f64());
        let least = least_rate(p);
        self.count_allowed(p);
        self.measure(p, rtt);
        let Some(rate) = self.rate else {
            self.initial = (p.cwnd / seconds).max(least);
            self.rate = Some(self.initial);
            self.doubled = p.now;
            return;
        };
        let own = (self.intervals.rate(come(p).saturating_sub(self.event.1) as f64), self.limit());
        let received = self.received.as_ref().map(|received| received.since);
        // Reports that come no more, though the peer acknowledges, say nothing any more: it sends data, too.
        let is_fresh = |reports: &&mut RateReports| received.is_none_or(|since| since <= reports.heard() + rtt * 4);
        let told = self.reports().filter(is_fresh).map(|reports| (reports.read(), reports.taken()));
        let ((loss, limit), fed) = told.unwrap_or((own, received));
        let limit = if self.is_limited || self.is_silent { limit } else { f64::INFINITY };
        let next = if loss > 0.0 {
            throughput(segment, seconds, loss).min(limit)
        } else if fed.is_some_and(|fed| fed > self.doubled) && p.now.since(self.doubled) >= rtt {
            self.doubled = p.now; // something came since
            (2.0 * rate).min(limit).max(self.initial)
        } else {
            rate
        };
        self.rate = Some(next.max(least));
    }
}

/// Of all segments sent, those that have come or were lost, as far as is known.
fn come(p: &Public) -> u64 {
    p.segments_sent.saturating_sub(p.flight().saturating_sub(p.sacked.bytes()) / u64::from(p.mss))
}

impl Control for Tfrc {
    fn allowance(&mut self, p: &Public) -> Allowance {
        self.update(p);
        let rate = self.rate.unwrap_or_else(|| f64::from(p.mss)); // a segment per second (§4.2)
        Allowance { window: float(p.offer), rate }
    }

    fn bounds(&self, p: &Public) -> (f64, f64) {
        match (self.rate, p.srtt) {
            (Some(rate), Some(srtt)) => {
                let window = (rate * srtt.as_secs_f64()).max(f64::from(p.mss));
                (window, window)
            }
            _ => (f64::from(p.mss), f64::INFINITY),
        }
    }

    fn limits_outstanding(&self) -> bool {
        false
    }

    fn tells_rates(&self) -> bool {
        self.receiver.is_some()
    }

    fn rates(&mut self, p: &Public, carries_data: bool) -> Rates {
        match &mut self.receiver {
            Some(_) if carries_data => {
                let rtt_us = p.srtt.map_or(0, |srtt| (srtt.as_nanos() / 1_000).min(u64::from(u32::MAX)) as u32);
                Rates::Data { number: p.segments_sent as u32, rtt_us }
            }
            Some((receiver, _)) => receiver.report(p.now),
            None => Rates::Nothing,
        }
    }

    fn on_rates(&mut self, p: &Public, rates: Rates, payload_bytes: u32) -> bool {
        self.count_allowed(p);
        let allowed = self.allowed.0;
        let Some((receiver, reports)) = &mut self.receiver else { return false };
        if let Rates::Data { number, rtt_us } = rates {
            return receiver.on_data(p.now, number, rtt_us, payload_bytes, p.mss);
        }
        if reports.on_report(p, allowed, rates) {
            self.is_silent = false;
        }
        false
    }

    fn on_silence(&mut self, p: &Public) {
        let (Some(rate), Some(rtt)) = (self.rate, p.srtt) else { return };
        let (segment, least) = (f64::from(p.mss), least_rate(p));
        let left = match self.reports() {
            Some(reports) if !reports.are_missing(p, rate) => return,
            Some(reports) => {
                let (loss, _) = reports.read();
                let equation = (loss > 0.0).then(|| throughput(segment, rtt.as_secs_f64(), loss));
                reports.on_silence(p, rate, equation, least)
            }
            None => {
                if let Some(received) = &mut self.received {
                    received.rates = [rate / 4.0; 2]; // half the rate is left (§4.4)
                }
                (rate / 2.0).max(least)
            }
        };
        self.rate = Some(left);
        self.doubled = p.now;
        self.is_silent = true;
    }

    fn on_resend(&mut self, p: &Public, offset: u64) {
        if offset != p.una && !p.sacked.is_lost(offset, NDUPACK, p.mss) {
            return; // sent again by a timer that knows nothing of it
        }
        let left = p.sent.at(offset).map_or(p.now, |sent| sent.at);
        if !self.intervals.is_empty() && left <= self.event.0 + p.srtt.unwrap_or(Duration::ZERO) {
            return; // within a round trip of the event's first: part of it
        }
        let later = p.sent.iter().filter(|sent| sent.at > left).count() as u64;
        let number = p.segments_sent.saturating_sub(later);
        let interval = number.saturating_sub(self.event.1) as f64;
        if self.intervals.is_empty() {
            let carried = self.received.as_ref().map_or(f64::INFINITY, |received| received.rates[0]);
            let rate = self.rate.unwrap_or(f64::INFINITY).min(carried);
            match p.srtt.map(Duration::as_secs_f64) {
                Some(rtt) if rate.is_finite() && rtt > 0.0 => {
                    self.intervals.seed(1.0 / loss_at(f64::from(p.mss), rtt, rate));
                }
                _ => self.intervals.seed(interval),
            }
        } else {
            self.intervals.end(interval);
        }
        self.event = (left, number);
    }

    fn adopt(&mut self, p: &Public) {
        self.event = (p.now, p.segments_sent);
        let Some(rtt) = p.srtt.map(Duration::as_secs_f64).filter(|rtt| *rtt > 0.0) else { return };
        let rate = (p.cwnd / rtt).max(least_rate(p));
        self.rate = Some(rate);
        self.intervals.seed(1.0 / loss_at(f64::from(p.mss), rtt, rate));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    fn state(ms: u64, acked: u64) -> Public {
        Public {
            now: Time::ZERO + Duration::from_millis(ms),
            mss: 1_460,
            cwnd: 2_920.0,
            offer: 1 << 20,
            srtt: Some(Duration::from_millis(200)),
            acked_bytes: acked,
            ..Public::default()
        }
    }

    fn rate(control: &mut Tfrc, p: &Public) -> f64 {
        control.allowance(p).rate
    }

    /// Vector T3: a first window of 4380 bytes (three segments of 1460) in a round trip of 200 ms is 21 900 B/s.
    #[test]
    fn the_first_rate_is_the_first_window_per_round_trip() {
        let mut control = Tfrc::new(&Params::default());
        assert_eq!(rate(&mut control, &Public { cwnd: 4_380.0, ..state(0, 0) }), 21_900.0);
    }

    #[test]
    fn the_first_rate_doubles() {
        let mut control = Tfrc::new(&Params::default());
        assert_eq!(rate(&mut control, &Public { srtt: None, ..state(0, 0) }), 1_460.0);
        assert_eq!(rate(&mut control, &state(0, 0)), 14_600.0);
        assert_eq!(rate(&mut control, &state(100, 1_460)), 14_600.0);
        let sends = |ms, acked, segments_sent| Public { segments_sent, ..state(ms, acked) };
        assert_eq!(rate(&mut control, &sends(200, 2_920, 2)), 29_200.0); // nothing limits in the first two round trips
        assert_eq!(rate(&mut control, &sends(400, 5_840, 6)), 29_200.0); // twice what was received: 14 600 B/s
        assert_eq!(rate(&mut control, &sends(600, 11_680, 14)), 58_400.0);
        // Hardly anything was sent: that little came says nothing of the path.
        assert_eq!(rate(&mut control, &sends(800, 13_140, 15)), 58_400.0);
    }

    /// RFC 5348 §5.2: what left within a round trip of an event's first loss is part of it.
    #[test]
    fn a_loss_event_is_a_round_trip_of_losses() {
        let mut control = Tfrc::new(&Params::default());
        rate(&mut control, &state(0, 0));
        let mut sent = crate::view::SentLog::default();
        for (n, ms) in [0, 100, 199, 201].into_iter().enumerate() {
            let start = 1 + 1_460 * n as u64;
            sent.record(Time::ZERO + Duration::from_millis(ms), start, start + 1_460, start, 1_460);
        }
        let p = Public { sent, segments_sent: 10, ..state(400, 2_920) };
        let resend = |control: &mut Tfrc, una| control.on_resend(&Public { una, ..p.clone() }, una);
        resend(&mut control, 1);
        let once = control.intervals.rate(0.0);
        resend(&mut control, 1_461);
        resend(&mut control, 2_921);
        control.on_resend(&Public { una: 2_921, ..p.clone() }, 4_381); // nobody says that it was lost
        assert_eq!(control.intervals.rate(0.0), once);
        let p = Public { segments_sent: 30, ..p.clone() };
        control.on_resend(&Public { una: 4_381, ..p }, 4_381);
        let (first, second) = (1.0 / once, 23.0); // from the seventh of ten, as three left later, to the thirtieth
        assert!((1.0 / control.intervals.rate(0.0) - (first + second) / 2.0).abs() < 1e-6);
    }

    /// Vector X6: a rate of 73 000 B/s is a window of 14 600 bytes in a round trip of 200 ms, which is 73 000 B/s again.
    #[test]
    fn the_window_is_the_rate_times_the_round_trip_both_ways() {
        let mut control = Tfrc::new(&Params::default());
        control.rate = Some(73_000.0);
        assert_eq!(control.bounds(&state(1_000, 50_000)), (14_600.0, 14_600.0));
        let p = Public { cwnd: 14_600.0, ..state(1_000, 50_000) };
        let mut control = Tfrc::new(&Params::default());
        control.adopt(&p);
        assert!((rate(&mut control, &p) - 73_000.0).abs() < 1.0);
        let (least, most) = control.bounds(&p);
        assert!(least == most && (most - 14_600.0).abs() < 1.0);
    }

    #[test]
    fn silence_halves_the_rate_after_a_loss_too_whatever_limits_it() {
        for word in ["twice-received", "none"] {
            let mut params = Params::default();
            params.set("rate_limit", Value::Word(word.into())).unwrap();
            let mut control = Tfrc::new(&params);
            rate(&mut control, &state(0, 0));
            let p = Public { una: 1, max: 14_601, segments_sent: 10, ..state(200, 2_920) };
            control.on_resend(&p, 1);
            let before = rate(&mut control, &p);
            control.on_silence(&p);
            assert!(rate(&mut control, &p) <= before / 2.0, "{word}");
        }
    }

    #[test]
    fn silence_halves_the_rate_down_to_a_segment_in_64_seconds() {
        let mut control = Tfrc::new(&Params::default());
        assert_eq!(rate(&mut control, &state(0, 0)), 14_600.0);
        for n in 1..=20 {
            let p = state(300 * n, 0);
            control.on_silence(&p);
            assert_eq!(rate(&mut control, &p), (14_600.0 / (1_u64 << n) as f64).max(1_460.0 / 64.0));
        }
    }
}
