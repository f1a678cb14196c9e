//! The bandwidth that acknowledgements show: Westwood's, sampled per acknowledgement, and Westwood+'s, per round
//! trip.
//!
//! Spec      Mascolo et al. 2001 §2 (Tustin's filter, counting of duplicates); Grieco and Mascolo 2004 §2; the UCLA
//!           module for ns-2 and Linux 2.6.22 for constants that neither states
//! Deviates  acknowledgements of the same instant are one sample; the UCLA module takes the base from round-trip times
//!           in ticks and begins with 5 s. Unverified: what it does for a gap under `westwood_least_gap_ms` is done
//!           after a sample of zero; the paper's form of Westwood+ beyond its weight
//! Holds     never divides by no time

use hopwright_machine::{Duration, Time};

use crate::mechanisms::{Ack, AckKind};
use crate::params::{Knob, Params};
use crate::view::Public;

const ESTIMATOR: Knob = Knob::word(
    "bandwidth_estimator",
    &["westwood", "westwood-plus"],
    "how bandwidth is estimated: from a sample per acknowledgement (Westwood), or per round trip (Westwood+)",
);
const LEAST_RTT: Knob = Knob::word(
    "bandwidth_least_rtt",
    &["lifetime", "relearned"],
    "which round-trip time is the shortest: the shortest of the connection, or since the last time-out (Linux)",
);
const FILTER: Knob = Knob::word(
    "westwood_filter",
    &["tustin", "fixed-10", "fixed-15"],
    "Which filter is used: Tustin's with the time constant, or a filter as if tau were 10 gaps (.9047 and .0476; default of UCLA) or 15 gaps (.93548 and .03225)",
);
const TAU: Knob = Knob::real("westwood_tau_s", "s", 1.0, 1e-3..=1e3, "time constant tau of the filter");
const ZERO_SAMPLES: Knob = Knob::count(
    "westwood_zero_samples_per_tau",
    "samples",
    2,
    2..=1000,
    "number of samples of zero in each time constant without acknowledgements",
);
const LEAST_GAP: Knob = Knob::real(
    "westwood_least_gap_ms",
    "ms",
    10.0,
    0.0..=1e4,
    "after idle time, a gap shorter than this counts as half a time constant; unverified",
);
const CAP: Knob = Knob::count(
    "westwood_ack_cap_segments",
    "segments",
    2,
    0..=1000,
    "largest number of segments for which one acknowledgement counts (UCLA). 0: no limit",
);
const PLUS_FILTER: Knob = Knob::word(
    "westwood_plus_filter",
    &["paper", "linux", "ns3"],
    "which filter is used: one average of weight .9 (details unverified), two averages of weight 7/8 in a row, or Tustin's filter of weight .9",
);
const PLUS_WINDOW: Knob = Knob::real(
    "westwood_plus_least_window_ms",
    "ms",
    50.0,
    1.0..=1e4,
    "shortest time of a sample. Otherwise a sample takes a round-trip time",
);

/// The parameters of whoever estimates bandwidth.
pub(in crate::mechanisms) const KNOBS: &[Knob] =
    &[ESTIMATOR, LEAST_RTT, FILTER, TAU, ZERO_SAMPLES, LEAST_GAP, CAP, PLUS_FILTER, PLUS_WINDOW];

/// After so many samples of zero in a row nothing is left of any estimate.
const FORGOTTEN: u64 = 200;

/// See the file's header.
#[derive(Debug)]
pub(in crate::mechanisms) struct Bandwidth {
    estimator: Estimator,
    /// Bytes that duplicates have counted, of what a later acknowledgement will report.
    accounted: f64,
    relearns: bool,
    /// The least round-trip time, where it is relearned, and whether the next sample replaces it.
    least_rtt: Option<Duration>,
    is_stale: bool,
}

#[derive(Debug)]
enum Estimator {
    PerAck(PerAck),
    PerRound(PerRound),
}

impl Bandwidth {
    pub(in crate::mechanisms) fn new(params: &Params) -> Self {
        let estimator = match params.word(&ESTIMATOR) {
            "westwood" => Estimator::PerAck(PerAck::new(params)),
            _ => Estimator::PerRound(PerRound::new(params)),
        };
        let relearns = params.word(&LEAST_RTT) == "relearned";
        Self { estimator, accounted: 0.0, relearns, least_rtt: None, is_stale: false }
    }

    /// Called once per acknowledgement that advances or duplicates.
    pub(in crate::mechanisms) fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) {
        if let Some(rtt) = p.rtt_sample.or(ack.rtt) {
            let least = self.least_rtt.filter(|_| !self.is_stale).map_or(rtt, |least| least.min(rtt));
            (self.least_rtt, self.is_stale) = (Some(least), false);
        }
        let bytes = self.count(p, ack);
        match &mut self.estimator {
            Estimator::PerAck(estimator) => estimator.on_ack(p.now, bytes, f64::from(p.mss)),
            Estimator::PerRound(estimator) => estimator.on_ack(p.now, bytes, p.rtt_sample.or(ack.rtt)),
        }
    }

    /// Bytes that this acknowledgement shows to have arrived (`AckedCount`): a duplicate stands for a segment, and
    /// what duplicates stood for is not counted again. Linux takes away one segment more than the paper does.
    fn count(&mut self, p: &Public, ack: &Ack<'_>) -> f64 {
        let mss = f64::from(p.mss);
        if ack.kind != AckKind::Advance {
            self.accounted += mss;
            return mss;
        }
        let bytes = ack.acked as f64;
        if bytes <= mss {
            return bytes;
        }
        if self.accounted < bytes {
            let rest = bytes - self.accounted;
            self.accounted = 0.0;
            return rest;
        }
        let is_linux = matches!(&self.estimator, Estimator::PerRound(e) if e.filter == PlusFilter::Linux);
        self.accounted -= if is_linux { bytes } else { bytes - mss };
        mss
    }

    /// The retransmission timer expired.
    pub(in crate::mechanisms) const fn on_timeout(&mut self) {
        self.is_stale = true;
    }

    /// Bandwidth now, in bytes per second.
    pub(in crate::mechanisms) fn bytes_per_s(&mut self, now: Time) -> f64 {
        match &mut self.estimator {
            Estimator::PerAck(estimator) => {
                estimator.idle_until(now);
                estimator.bandwidth
            }
            Estimator::PerRound(estimator) => estimator.bandwidth,
        }
    }

    /// What the path holds: bandwidth times the least round-trip time, in bytes.
    pub(in crate::mechanisms) fn capacity(&mut self, p: &Public) -> f64 {
        let least = if self.relearns { self.least_rtt } else { p.min_rtt };
        least.map_or(0.0, |rtt| self.bytes_per_s(p.now) * rtt.as_secs_f64())
    }

    /// The same, divided by `divisor`, in whole segments, two at least: a threshold in bytes.
    pub(in crate::mechanisms) fn threshold(&mut self, p: &Public, divisor: f64) -> f64 {
        let mss = f64::from(p.mss);
        // A product that is a whole number of segments but for rounding is one.
        let segments = (self.capacity(p) / divisor / mss + 1e-9).floor();
        segments.max(2.0) * mss
    }

    /// Begins in a running connection.
    pub(in crate::mechanisms) fn adopt(&mut self, p: &Public) {
        self.least_rtt = p.min_rtt;
        if let (Some(srtt), true) = (p.srtt, p.cwnd.is_finite()) {
            let bandwidth = p.cwnd.min(p.flight() as f64) / srtt.as_secs_f64().max(1e-6);
            match &mut self.estimator {
                Estimator::PerAck(e) => (e.bandwidth, e.former, e.last) = (bandwidth, bandwidth, Some(p.now)),
                Estimator::PerRound(e) => e.load(bandwidth, p.now),
            }
        }
    }
}

/// Westwood's filter.
#[derive(Debug)]
struct PerAck {
    /// Tau over the gap, where it is fixed.
    ratio: Option<f64>,
    tau: Duration,
    zero_every: Duration,
    least_gap: Duration,
    cap: f64,
    bandwidth: f64,
    /// The sample before.
    former: f64,
    /// When the last sample was taken, of zero or not.
    last: Option<Time>,
    was_idle: bool,
    /// Bytes that wait for time to pass.
    waiting: f64,
}

impl PerAck {
    fn new(params: &Params) -> Self {
        let tau = Duration::from_secs_f64(params.number(&TAU));
        let ratio = match params.word(&FILTER) {
            "fixed-10" => Some(10.0),
            "fixed-15" => Some(15.0),
            _ => None,
        };
        let cap = params.count(&CAP);
        Self {
            ratio,
            tau,
            zero_every: Duration::from_nanos((tau.as_nanos() / u64::from(params.count(&ZERO_SAMPLES))).max(1)),
            least_gap: Duration::from_secs_f64(params.number(&LEAST_GAP) / 1e3),
            cap: if cap == 0 { f64::INFINITY } else { f64::from(cap) },
            bandwidth: 0.0,
            former: 0.0,
            last: None,
            was_idle: false,
            waiting: 0.0,
        }
    }

    fn on_ack(&mut self, now: Time, bytes: f64, mss: f64) {
        self.idle_until(now);
        self.waiting += bytes.min(self.cap * mss);
        let Some(last) = self.last else {
            (self.last, self.waiting) = (Some(now), 0.0); // no gap before the first
            return;
        };
        let mut gap = now.since(last);
        if self.was_idle && gap < self.least_gap {
            gap = Duration::from_nanos(self.tau.as_nanos() / 2);
        }
        if gap == Duration::ZERO {
            return;
        }
        let sample = self.waiting / gap.as_secs_f64();
        self.feed(sample, gap);
        (self.last, self.waiting, self.was_idle) = (Some(now), 0.0, false);
    }

    /// Time passed without acknowledgements: samples of zero.
    fn idle_until(&mut self, now: Time) {
        let Some(last) = self.last else { return };
        let samples = now.since(last).as_nanos() / self.zero_every.as_nanos();
        for _ in 0..samples.min(FORGOTTEN) {
            self.feed(0.0, self.zero_every);
        }
        if samples > 0 {
            self.last = Some(last + self.zero_every * samples);
            self.was_idle = true;
        }
    }

    /// Tustin's approximation of a first-order low-pass filter.
    fn feed(&mut self, sample: f64, gap: Duration) {
        let twice = 2.0 * self.ratio.unwrap_or_else(|| self.tau.as_secs_f64() / gap.as_secs_f64());
        let kept = (twice - 1.0) / (twice + 1.0);
        // Beyond two time constants the approximation would swing below zero.
        self.bandwidth = (kept * self.bandwidth + (sample + self.former) / (twice + 1.0)).max(0.0);
        self.former = sample;
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PlusFilter {
    Paper,
    Linux,
    Ns3,
}

/// Westwood+'s sample and filter.
#[derive(Debug)]
struct PerRound {
    filter: PlusFilter,
    least_window: Duration,
    window: Duration,
    began: Option<Time>,
    bytes: f64,
    /// The first average of two, or the sample before.
    inner: f64,
    bandwidth: f64,
    is_first: bool,
}

impl PerRound {
    fn new(params: &Params) -> Self {
        let filter = match params.word(&PLUS_FILTER) {
            "paper" => PlusFilter::Paper,
            "linux" => PlusFilter::Linux,
            _ => PlusFilter::Ns3,
        };
        let least_window = Duration::from_secs_f64(params.number(&PLUS_WINDOW) / 1e3);
        Self {
            filter,
            least_window,
            window: least_window,
            began: None,
            bytes: 0.0,
            inner: 0.0,
            bandwidth: 0.0,
            is_first: true,
        }
    }

    fn on_ack(&mut self, now: Time, bytes: f64, rtt: Option<Duration>) {
        if let Some(rtt) = rtt {
            self.window = rtt.max(self.least_window);
        }
        let Some(began) = self.began else {
            self.began = Some(now);
            return;
        };
        self.bytes += bytes;
        let passed = now.since(began);
        if passed >= self.window {
            self.feed(self.bytes / passed.as_secs_f64());
            (self.began, self.bytes) = (Some(now), 0.0);
        }
    }

    fn feed(&mut self, sample: f64) {
        let is_first = core::mem::replace(&mut self.is_first, false);
        match self.filter {
            PlusFilter::Paper => self.bandwidth = 0.9 * self.bandwidth + 0.1 * sample,
            PlusFilter::Linux if is_first => (self.inner, self.bandwidth) = (sample, sample),
            PlusFilter::Linux => {
                self.inner = (7.0 * self.inner + sample) / 8.0;
                self.bandwidth = (7.0 * self.bandwidth + self.inner) / 8.0;
            }
            PlusFilter::Ns3 => {
                self.bandwidth = 0.9 * self.bandwidth + 0.1 * (sample + self.inner) / 2.0;
                self.inner = sample;
            }
        }
    }

    fn load(&mut self, bandwidth: f64, now: Time) {
        (self.bandwidth, self.inner, self.is_first, self.began) = (bandwidth, bandwidth, false, Some(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanisms::testing::empty_segment;
    use crate::params::Value;

    fn params(settings: &[(&str, &str)]) -> Params {
        settings.iter().fold(Params::default(), |mut params, (name, word)| {
            params.set(name, Value::Word((*word).to_owned())).unwrap();
            params
        })
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn per_ack() -> PerAck {
        PerAck { bandwidth: 1e5, former: 1e5, last: Some(at(0)), ..PerAck::new(&Params::default()) }
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 0.05
    }

    #[test]
    fn w1_a_sample_moves_the_estimate() {
        let mut e = per_ack();
        e.on_ack(at(100), 20_000.0, 10_000.0);
        assert!(near(e.bandwidth, 104_761.9), "{}", e.bandwidth);
    }

    #[test]
    fn w2_silence_feeds_zeros() {
        let mut e = per_ack();
        e.idle_until(at(499));
        assert!(near(e.bandwidth, 1e5));
        e.idle_until(at(500));
        assert!(near(e.bandwidth, 8e4));
        e.idle_until(at(1000));
        assert!(near(e.bandwidth, 4.8e4));
        e.idle_until(at(10_000_000));
        assert!(near(e.bandwidth, 0.0));
    }

    #[test]
    fn w3_duplicates_are_counted_once() {
        let segment = empty_segment();
        let mut bandwidth = Bandwidth::new(&Params::default());
        let p = Public { mss: 1000, ..Public::default() };
        let mut count = |kind, acked| bandwidth.count(&p, &Ack::bare(kind, acked, &segment));
        let counted: Vec<f64> = (0..3).map(|_| count(AckKind::Duplicate, 0)).collect();
        assert_eq!(counted, [1000.0; 3]);
        assert_eq!(count(AckKind::Advance, 4000), 1000.0);
        assert_eq!(count(AckKind::Advance, 3000), 3000.0);
    }

    #[test]
    fn counted_too_much_the_difference_stays() {
        let segment = empty_segment();
        let p = Public { mss: 1000, ..Public::default() };
        for (filter, left) in [("paper", 4000.0), ("linux", 3000.0)] {
            let settings = [("bandwidth_estimator", "westwood-plus"), ("westwood_plus_filter", filter)];
            let mut bandwidth = Bandwidth::new(&params(&settings));
            bandwidth.accounted = 5000.0;
            assert_eq!(bandwidth.count(&p, &Ack::bare(AckKind::Advance, 2000, &segment)), 1000.0);
            assert_eq!(bandwidth.accounted, left);
        }
    }

    #[test]
    fn the_same_instant_is_one_sample() {
        let (mut once, mut twice) = (per_ack(), per_ack());
        once.on_ack(at(100), 1000.0, 1000.0);
        once.on_ack(at(200), 2000.0, 1000.0);
        twice.on_ack(at(100), 1000.0, 1000.0);
        twice.on_ack(at(100), 1000.0, 1000.0);
        twice.on_ack(at(200), 1000.0, 1000.0);
        assert_eq!(once.bandwidth, twice.bandwidth);
        assert!(once.bandwidth.is_finite());
    }

    #[test]
    fn an_acknowledgement_counts_for_two_segments_at_most() {
        let (mut four, mut two) = (per_ack(), per_ack());
        four.on_ack(at(100), 4000.0, 1000.0);
        two.on_ack(at(100), 2000.0, 1000.0);
        assert_eq!(four.bandwidth, two.bandwidth);
    }

    #[test]
    fn a_short_gap_after_idling_is_half_a_time_constant() {
        let mut e = per_ack();
        e.on_ack(at(505), 1000.0, 1000.0); // five after the sample of zero
        assert!(near(e.bandwidth, 0.6 * 8e4 + 0.2 * 2000.0), "{}", e.bandwidth);
        let mut e = per_ack();
        e.on_ack(at(5), 1000.0, 1000.0); // not idle: a gap as it is
        assert!(e.bandwidth > 1e5);
    }

    #[test]
    fn fixed_filters_have_their_constants() {
        for (word, kept, new) in [("fixed-10", 0.9047, 0.0476), ("fixed-15", 0.93548, 0.03225)] {
            let mut e = PerAck { bandwidth: 1e5, former: 0.0, ..PerAck::new(&params(&[("westwood_filter", word)])) };
            e.feed(1e5, Duration::from_millis(1));
            assert!((e.bandwidth - 1e5 * (kept + new)).abs() < 10.0, "{word}: {}", e.bandwidth);
        }
    }

    #[test]
    fn p1_to_p3_filters_of_westwood_plus() {
        for (word, expected) in [
            ("paper", [10_000.0, 19_000.0, 27_100.0]),
            ("ns3", [5_000.0, 14_500.0, 23_050.0]),
            ("linux", [1e5, 1e5, 1e5]),
        ] {
            let mut e = PerRound::new(&params(&[("westwood_plus_filter", word)]));
            let found = [(); 3].map(|()| {
                e.feed(1e5);
                e.bandwidth
            });
            assert!(found.iter().zip(expected).all(|(a, b)| near(*a, b)), "{word}: {found:?}");
        }
        let mut e = PerRound::new(&params(&[("westwood_plus_filter", "linux")]));
        e.feed(8e5);
        e.feed(0.0);
        assert!(near(e.bandwidth, 787_500.0)); // 7e5 inside, then (7 * 8e5 + 7e5) / 8
    }

    /// A sample is what one round trip brought, and nothing of the one before.
    #[test]
    fn each_sample_of_westwood_plus_begins_anew() {
        let mut e = PerRound::new(&params(&[("westwood_plus_filter", "linux")]));
        let rtt = Some(Duration::from_millis(100));
        for ms in 0..=10 {
            e.on_ack(at(10 * ms), 1000.0, rtt);
        }
        assert!(near(e.bandwidth, 1e5), "10,000 bytes in 100 ms");
        for ms in 11..=20 {
            e.on_ack(at(10 * ms), 2000.0, rtt);
        }
        assert!(near(e.inner, (7.0 * 1e5 + 2e5) / 8.0), "20,000 bytes in 100 ms");
    }

    #[test]
    fn westwood_plus_samples_once_per_round_trip() {
        let mut e = PerRound::new(&Params::default());
        let rtt = Some(Duration::from_millis(100));
        for ms in [0, 20, 40, 60, 80] {
            e.on_ack(at(ms), 1000.0, rtt);
        }
        assert_eq!(e.bandwidth, 0.0);
        e.on_ack(at(100), 1000.0, rtt);
        assert!(near(e.bandwidth, 5_000.0)); // a tenth of 5000 bytes in 100 ms
    }

    #[test]
    fn the_least_round_trip_is_relearned_after_a_timeout() {
        let segment = empty_segment();
        let mut e = Bandwidth::new(&params(&[("bandwidth_least_rtt", "relearned")]));
        let measure = |e: &mut Bandwidth, ms| {
            let ack = Ack { rtt: Some(Duration::from_millis(ms)), ..Ack::bare(AckKind::Advance, 1, &segment) };
            e.on_ack(&Public { mss: 1000, ..Public::default() }, &ack);
            e.least_rtt
        };
        assert_eq!(measure(&mut e, 80), Some(Duration::from_millis(80)));
        assert_eq!(measure(&mut e, 120), Some(Duration::from_millis(80)));
        e.on_timeout();
        assert_eq!(measure(&mut e, 120), Some(Duration::from_millis(120)));
    }
}
