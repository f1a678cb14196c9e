//! What a sender measures of its path, for triggers: loss, delay, bandwidth, its fluctuation, jitter.
//!
//! Spec      Velayutham 2005 §3.5 (five parameters, each with a monitor that runs only if some trigger asks for it)
//! Deviates  the document gives no formula, no window and no filter. Here, from acknowledgements alone: see each monitor.
//!           Delay is half a round trip, as the document's is one-way; jitter is that of round trips, both ways together,
//!           or of the way there alone (`JitterOf`). That goes by timestamps (RFC 7323 §4.3), the peer's when it
//!           acknowledges less ours that it echoes: how far the two clocks are apart does not matter. It ends when the
//!           acknowledgement leaves, so that the peer's wait for a second segment is in it, and not the way back
//! Holds     a monitor without enough behind it has no value. The sender's own queueing is in delay and jitter

use std::collections::VecDeque;

use hopwright_machine::{Duration, Time};

use super::{JitterOf, Monitor, Settings};
use crate::mechanisms::{Ack, PathFacts};
use crate::view::{Phase, Public};

/// For how long a round trip counts, and for how long the mean rate is taken.
const MEMORY: Duration = Duration::from_secs(10);
/// Bytes of headers of a segment: IP and TCP, without options.
const HEADERS: f64 = 40.0;

/// Share of segments lost.
#[derive(Debug)]
struct Loss {
    window: u64,
    /// Segments sent and losses found, at some moments, the oldest first.
    marks: VecDeque<(u64, u64)>,
    /// So many segments sent make another mark.
    next: u64,
    /// What slow start sent and lost, if that does not count.
    uncounted: Option<Uncounted>,
}

/// Slow start sends until the queue overflows: what it loses tells how long the queue is, and nothing of the path.
#[derive(Debug)]
struct Uncounted {
    /// Segments sent and losses found meanwhile.
    totals: (u64, u64),
    /// The same of the whole connection, when it was last looked at.
    before: (u64, u64),
    /// Whether the sender was in slow start then, or in the recovery after it.
    was_in_it: bool,
}

impl Default for Uncounted {
    fn default() -> Self {
        Self { totals: (0, 0), before: (0, 0), was_in_it: true } // as connections begin
    }
}

impl Uncounted {
    fn on_event(&mut self, p: &Public) {
        let now = (p.segments_sent, found(p));
        if self.was_in_it {
            self.totals.0 += now.0 - self.before.0;
            self.totals.1 += now.1.saturating_sub(self.before.1);
        }
        self.before = now;
        match p.phase() {
            Phase::SlowStart => self.was_in_it = true,
            Phase::CongestionAvoidance => self.was_in_it = false,
            Phase::Recovery | Phase::Rto | Phase::Frozen => {} // it goes on
        }
    }
}

/// Below so many segments a share says nothing.
const LEAST_SEGMENTS: u64 = 100;

impl Loss {
    fn new(window: u64, skips_slow_start: bool) -> Self {
        Self { window, marks: VecDeque::new(), next: 0, uncounted: skips_slow_start.then(Uncounted::default) }
    }

    /// Segments sent that count.
    fn sent(&self, p: &Public) -> u64 {
        p.segments_sent - self.uncounted.as_ref().map_or(0, |uncounted| uncounted.totals.0)
    }

    /// Losses found that count.
    fn lost(&self, p: &Public) -> u64 {
        found(p).saturating_sub(self.uncounted.as_ref().map_or(0, |uncounted| uncounted.totals.1))
    }

    #[inline]
    fn on_event(&mut self, p: &Public) {
        if let Some(uncounted) = &mut self.uncounted {
            uncounted.on_event(p);
        }
        if self.sent(p) >= self.next {
            self.mark(p);
        }
    }

    fn mark(&mut self, p: &Public) {
        let sent_now = self.sent(p);
        self.next = sent_now + (self.window / 50).max(1);
        self.marks.push_back((sent_now, self.lost(p)));
        while self.marks.get(1).is_some_and(|&(sent, _)| sent + self.window <= sent_now) {
            self.marks.pop_front();
        }
    }

    fn value(&self, p: &Public) -> Option<f64> {
        let &(sent, lost) = self.marks.front()?;
        let of = self.sent(p) - sent;
        (of >= LEAST_SEGMENTS.min(self.window)).then(|| 100.0 * self.lost(p).saturating_sub(lost) as f64 / of as f64)
    }
}

/// Losses found: each segment sent again, but for those that the peer says it had.
fn found(p: &Public) -> u64 {
    p.retransmissions.saturating_sub(p.dsacks.max(p.needless_retransmits))
}

/// The shortest round trip of late.
#[derive(Debug, Default)]
struct Delay {
    /// Round trips that are shorter than all that came after, the oldest first.
    shortest: VecDeque<(Time, Duration)>,
}

impl Delay {
    fn on_round_trip(&mut self, now: Time, rtt: Duration) {
        while self.shortest.back().is_some_and(|&(_, longer)| longer >= rtt) {
            self.shortest.pop_back();
        }
        self.shortest.push_back((now, rtt));
        while self.shortest.len() > 1 && self.shortest.front().is_some_and(|&(at, _)| now.since(at) > MEMORY) {
            self.shortest.pop_front();
        }
    }

    fn ms(&self) -> Option<f64> {
        self.shortest.front().map(|(_, rtt)| rtt.as_secs_f64() * 500.0)
    }
}

/// What is carried.
#[derive(Debug, Default)]
struct Bandwidth {
    /// When the window at hand began, and the bytes acknowledged since.
    window: Option<(Time, u64)>,
    /// The last windows, kb/s.
    rates: VecDeque<f64>,
}

impl Bandwidth {
    fn on_ack(&mut self, p: &Public, acked: u64) {
        let Some((began, bytes)) = &mut self.window else {
            self.window = Some((p.now, 0));
            return;
        };
        *bytes += acked;
        let took = p.now.since(*began);
        let mss = u64::from(p.mss);
        if took < p.srtt.unwrap_or(Duration::MAX) || took == Duration::ZERO || *bytes < 8 * mss {
            return;
        }
        let with_headers = *bytes as f64 * (mss as f64 + HEADERS) / mss as f64;
        self.rates.truncate(7);
        self.rates.push_front(with_headers * 8.0 / took.as_secs_f64() / 1e3);
        self.window = Some((p.now, 0));
    }

    fn kbps(&self) -> Option<f64> {
        self.rates.iter().copied().reduce(f64::max)
    }
}

/// How long the ups and downs of the rate take.
#[derive(Debug, Default)]
struct Fluctuation {
    last: Option<Time>,
    /// Bytes per second, smoothed over two acknowledgements.
    rate: Option<f64>,
    /// The smoothed rate, and when it was so, of the last ten seconds.
    recent: VecDeque<(Time, f64)>,
    sum: f64,
    began: Option<Time>,
    /// Whether the rate was last well above the mean, or well below.
    is_above: Option<bool>,
    /// When it last went from one to the other, the oldest first.
    crossings: VecDeque<Time>,
}

/// How far beyond the mean the rate must be to have crossed it.
const BEYOND: f64 = 0.1;
/// Crossings that are kept, and needed.
const CROSSINGS: usize = 4;

impl Fluctuation {
    fn on_ack(&mut self, now: Time, acked: u64) {
        self.began.get_or_insert(now);
        let Some(gap) = self.last.replace(now).map(|last| now.since(last)).filter(|gap| *gap > Duration::ZERO) else {
            return;
        };
        let sample = acked as f64 / gap.as_secs_f64();
        let rate = self.rate.map_or(sample, |rate| f64::midpoint(rate, sample));
        self.rate = Some(rate);
        self.recent.push_back((now, rate));
        self.sum += rate;
        while let Some(&(_, old)) = self.recent.front().filter(|(at, _)| now.since(*at) > MEMORY) {
            self.sum -= old;
            self.recent.pop_front();
        }
        let mean = self.sum / self.recent.len() as f64;
        let side = if rate > (1.0 + BEYOND) * mean {
            Some(true)
        } else if rate < (1.0 - BEYOND) * mean {
            Some(false)
        } else {
            None
        };
        if let Some(side) = side {
            if self.is_above.is_some_and(|was| was != side) {
                self.crossings.push_back(now);
            }
            self.is_above = Some(side);
        }
        while self.crossings.front().is_some_and(|&at| now.since(at) > MEMORY) {
            self.crossings.pop_front();
        }
    }

    /// How long a period takes, ms.
    fn period_ms(&self, now: Time) -> Option<f64> {
        if let (Some(first), Some(last)) = (self.crossings.front(), self.crossings.back())
            && self.crossings.len() >= CROSSINGS
        {
            let between = last.since(*first).as_secs_f64() / (self.crossings.len() - 1) as f64;
            return Some(2.0 * between * 1e3);
        }
        let is_steady = self.crossings.is_empty() && self.began.is_some_and(|began| now.since(began) > MEMORY);
        is_steady.then_some(f64::INFINITY)
    }
}

/// Changes of the round trip, or of the way there.
#[derive(Debug, Default)]
struct Jitter {
    of: JitterOf,
    /// The last round trip, in nanoseconds; or the last way there, in ticks modulo 2^32 and from an unknown beginning.
    last: Option<u64>,
    ms: f64,
    arrivals: u32,
}

/// Arrivals that a value needs.
const LEAST_ARRIVALS: u32 = 16;

impl Jitter {
    fn new(of: JitterOf) -> Self {
        Self { of, ..Self::default() }
    }

    /// An acknowledgement that covers nothing sent again: of which copy its times are would not be known.
    fn on_ack(&mut self, ack: &Ack<'_>) {
        match self.of {
            JitterOf::RoundTrips => {
                if let Some(rtt) = ack.delay {
                    self.on_round_trip(rtt);
                }
            }
            // What repeats a number echoes a segment from before the gap.
            JitterOf::OneWay => {
                if let Some((value, echo)) = ack.segment.options.timestamps.filter(|_| ack.acked > 0) {
                    self.on_way(value.wrapping_sub(echo));
                }
            }
        }
    }

    fn on_round_trip(&mut self, rtt: Duration) {
        let last = self.last.replace(rtt.as_nanos()).map(Duration::from_nanos);
        self.on_change(last.map(|last| (rtt.as_secs_f64() - last.as_secs_f64()).abs() * 1e3));
    }

    /// A tick is a millisecond.
    fn on_way(&mut self, ticks: u32) {
        let last = self.last.replace(u64::from(ticks));
        self.on_change(last.map(|last| f64::from(ticks.wrapping_sub(last as u32) as i32).abs()));
    }

    /// There was an arrival, so many milliseconds later or earlier on its way than the one before.
    fn on_change(&mut self, ms: Option<f64>) {
        self.arrivals = self.arrivals.saturating_add(1);
        if let Some(change) = ms {
            self.ms += (change - self.ms) / 16.0;
        }
    }

    fn ms(&self) -> Option<f64> {
        (self.arrivals >= LEAST_ARRIVALS).then_some(self.ms)
    }
}

/// The monitors that some trigger asks for.
#[derive(Debug)]
pub(super) struct Monitors {
    loss: Option<Loss>,
    delay: Option<Delay>,
    bandwidth: Option<Bandwidth>,
    fluctuation: Option<Fluctuation>,
    jitter: Option<Jitter>,
    interface: u32,
    /// What was told of the path, where nothing is measured.
    told: Option<PathFacts>,
}

impl Monitors {
    /// Those that are asked for, and the delay where a share of it is.
    pub(super) fn new(asked: &[Monitor], settings: &Settings) -> Self {
        let is_asked = |monitor| asked.contains(&monitor);
        let shares = is_asked(Monitor::Fluctuation) || is_asked(Monitor::Jitter);
        Self {
            loss: is_asked(Monitor::Loss)
                .then(|| Loss::new(settings.loss_window.into(), settings.loss_skips_slow_start)),
            delay: (is_asked(Monitor::Delay) || shares).then(Delay::default),
            bandwidth: is_asked(Monitor::Bandwidth).then(Bandwidth::default),
            fluctuation: is_asked(Monitor::Fluctuation).then(Fluctuation::default),
            jitter: is_asked(Monitor::Jitter).then(|| Jitter::new(settings.jitter_of)),
            interface: 0,
            told: None,
        }
    }

    /// Whether round trips of every acknowledgement are wanted: one in each is enough for the shortest.
    pub(super) const fn wants_delays(&self) -> bool {
        self.jitter.is_some()
    }

    /// An acknowledgement that advances, or repeats.
    pub(super) fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) {
        if let Some(jitter) = &mut self.jitter
            && !ack.covers_resent
        {
            jitter.on_ack(ack);
        }
        if let Some(delay) = &mut self.delay
            && let Some(rtt) = ack.delay.filter(|_| !ack.covers_resent).or(ack.rtt)
        {
            delay.on_round_trip(p.now, rtt);
        }
        let acked = ack.acked;
        if acked > 0 {
            if let Some(bandwidth) = &mut self.bandwidth {
                bandwidth.on_ack(p, acked);
            }
            if let Some(fluctuation) = &mut self.fluctuation {
                fluctuation.on_ack(p.now, acked);
            }
        }
    }

    /// The link below uses another network.
    pub(super) const fn on_interface(&mut self, number: u32) {
        self.interface = number;
    }

    /// What the path is like.
    pub(super) const fn on_path(&mut self, facts: PathFacts) {
        self.told = Some(facts);
    }

    /// Anything happened.
    pub(super) fn on_event(&mut self, p: &Public) {
        if let Some(loss) = &mut self.loss {
            loss.on_event(p);
        }
    }

    /// What is measured now; `None` if too little is known.
    pub(super) fn value(&self, monitor: Monitor, p: &Public) -> Option<f64> {
        if let Some(facts) = &self.told {
            return Some(self.of_told(facts, monitor));
        }
        let share = |ms: f64| Some(100.0 * ms / self.delay.as_ref()?.ms().filter(|delay| *delay > 0.0)?);
        match monitor {
            Monitor::Loss => self.loss.as_ref()?.value(p),
            Monitor::Delay => self.delay.as_ref()?.ms(),
            Monitor::Bandwidth => self.bandwidth.as_ref()?.kbps(),
            Monitor::Fluctuation => share(self.fluctuation.as_ref()?.period_ms(p.now)?),
            Monitor::Jitter => share(self.jitter.as_ref()?.ms()?),
            Monitor::Interface => Some(f64::from(self.interface)),
        }
    }

    /// The value that is told.
    fn of_told(&self, facts: &PathFacts, monitor: Monitor) -> f64 {
        match monitor {
            Monitor::Loss => f64::from(facts.loss_ppm) / 1e4,
            Monitor::Delay => f64::from(facts.delay_us) / 1e3,
            Monitor::Bandwidth if facts.bandwidth_bps == u64::MAX => f64::INFINITY,
            Monitor::Bandwidth => facts.bandwidth_bps as f64 / 1e3,
            Monitor::Fluctuation if facts.fluctuation_permille == u32::MAX => f64::INFINITY,
            Monitor::Fluctuation => f64::from(facts.fluctuation_permille) / 10.0,
            Monitor::Jitter => f64::from(facts.jitter_permille) / 10.0,
            Monitor::Interface => f64::from(self.interface),
        }
    }
}

#[cfg(test)]
mod tests;
