//! How fast a server sends: a rate over time, or opportunities.
//!
//! Holds     times only go forward; what a rate does at a time depends on nothing but that time and the link's stream

use std::collections::VecDeque;
use std::sync::Arc;

use hopwright_machine::{Duration, Stream, Time};

/// How fast the server sends.
#[derive(Clone, Debug, PartialEq)]
pub enum Rate {
    /// A packet is sent the moment it is there.
    Unlimited,
    /// Bits per second.
    Fixed(f64),
    /// Bits per second that go up and down.
    Varying {
        /// The mean.
        mean_bps: f64,
        /// How far above and below it they go, as a share of the mean, below 1.
        amplitude: f64,
        /// How long one up and down takes.
        period: Duration,
        /// How they go.
        shape: Shape,
    },
    /// Recorded opportunities.
    Trace(Arc<Opportunities>),
}

/// How a rate goes up and down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Half a period above, then half a period below.
    Square,
    /// A sine, in steps of a sixty-fourth of the period, each at the sine's mean over the step.
    Sine,
    /// Each period at a rate of its own, evenly drawn between the two.
    Random,
}

/// When a link was able to send so many bytes; after the last opportunity the record begins again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opportunities {
    /// Times since the start of the record, in order. Two may be equal.
    times: Vec<Duration>,
    /// How long the record is: a time is that of an opportunity of the next round after so long.
    period: Duration,
    /// Bytes that each can send.
    pub bytes: u32,
    /// Bytes that each packet takes beside its own.
    pub overhead_bytes: u32,
}

impl Opportunities {
    /// Opportunities at these times; `None` unless they are in order, and the last is after zero.
    #[must_use]
    pub fn new(times: Vec<Duration>, bytes: u32, overhead_bytes: u32) -> Option<Self> {
        let period = times.last().copied().filter(|last| *last > Duration::ZERO)?;
        times.is_sorted().then_some(Self { times, period, bytes, overhead_bytes })
    }

    /// The time of an opportunity, counted from 0 over all rounds.
    pub(crate) fn at(&self, number: u64) -> Time {
        let (round, place) = (number / self.times.len() as u64, number % self.times.len() as u64);
        Time::ZERO + self.period * round + self.times[place as usize]
    }

    /// The first opportunity after a time.
    pub(crate) fn after(&self, time: Time) -> u64 {
        let since = time.since(Time::ZERO);
        let round = since.whole(self.period);
        let into = since - self.period * round;
        let place = self.times.partition_point(|at| *at <= into) as u64;
        // The end of a round is the last opportunity of it: the start of the next has none before its first.
        round * self.times.len() as u64 + place
    }

    /// Bits per second that it can carry on average, in packets of that many bytes.
    #[must_use]
    pub fn mean_bps(&self) -> f64 {
        f64::from(self.bytes) * 8.0 * self.times.len() as f64 / self.period.as_secs_f64()
    }
}

impl Rate {
    /// Bits per second on average; infinite where nothing limits them.
    #[must_use]
    pub fn mean_bps(&self) -> f64 {
        match self {
            Self::Unlimited => f64::INFINITY,
            Self::Fixed(bps) | Self::Varying { mean_bps: bps, .. } => *bps,
            Self::Trace(opportunities) => opportunities.mean_bps(),
        }
    }
}

/// Steps of a sine.
const STEPS: u64 = 64;

/// A rate as time goes on.
#[derive(Debug)]
pub(crate) struct Course {
    rate: Rate,
    stream: Stream,
    /// The share of the amplitude in periods that were drawn, and the number of the first of them.
    drawn: (u64, VecDeque<f64>),
}

impl Course {
    pub(crate) const fn new(rate: Rate, stream: Stream) -> Self {
        Self { rate, stream, drawn: (0, VecDeque::new()) }
    }

    pub(crate) const fn rate(&self) -> &Rate {
        &self.rate
    }

    /// Another rate from now on. Its periods are counted from the start of time, as those of the one before were.
    pub(crate) fn set(&mut self, rate: Rate, now: Time) {
        self.drawn.1.clear();
        if let Rate::Varying { period, shape: Shape::Random, .. } = rate {
            self.drawn.0 = now.since(Time::ZERO).whole(period);
        }
        self.rate = rate;
    }

    /// How many bits leave between two times; of a packet that begins to leave at the first. Infinite where nothing limits
    /// them, none where opportunities do.
    pub(crate) fn sent(&mut self, start: Time, until: Time) -> f64 {
        match self.rate {
            Rate::Unlimited => f64::INFINITY,
            Rate::Fixed(bps) => bps * until.since(start).as_secs_f64(),
            Rate::Trace(_) => 0.0,
            Rate::Varying { mean_bps, amplitude, period, shape } => {
                let (mut at, mut sent) = (start, 0.0);
                while at < until {
                    let (share, end) = self.piece(at, period, shape);
                    let end = end.min(until);
                    sent += mean_bps * (1.0 + amplitude * share) * end.since(at).as_secs_f64();
                    at = end;
                }
                sent
            }
        }
    }

    /// When so many bits that begin to leave at `start` have left; `None` where opportunities say so.
    pub(crate) fn end(&mut self, start: Time, bits: f64) -> Option<Time> {
        self.forget(start);
        match self.rate {
            Rate::Unlimited => Some(start),
            Rate::Fixed(bps) => Some(start + Duration::from_secs_f64(bits / bps)),
            Rate::Trace(_) => None,
            Rate::Varying { mean_bps, amplitude, period, shape } => {
                let (mut at, mut left) = (start, bits);
                loop {
                    let (share, until) = self.piece(at, period, shape);
                    let bps = mean_bps * (1.0 + amplitude * share);
                    let room = bps * until.since(at).as_secs_f64();
                    if left <= room {
                        return Some(at + Duration::from_secs_f64(left / bps));
                    }
                    left -= room;
                    at = until;
                }
            }
        }
    }

    /// The share of the amplitude from a time on, and until when.
    fn piece(&mut self, at: Time, period: Duration, shape: Shape) -> (f64, Time) {
        let since = at.since(Time::ZERO);
        match shape {
            Shape::Square => {
                let half = Duration::from_nanos(period.as_nanos().div_ceil(2));
                let number = since.whole(half);
                let share = if number.is_multiple_of(2) { 1.0 } else { -1.0 };
                (share, Time::ZERO + half * (number + 1))
            }
            Shape::Sine => {
                let step = Duration::from_nanos(period.as_nanos().div_ceil(STEPS));
                let number = since.whole(step);
                let angle = |n: u64| (n % STEPS) as f64 / STEPS as f64 * core::f64::consts::TAU;
                let (from, to) = (angle(number), angle(number % STEPS) + core::f64::consts::TAU / STEPS as f64);
                let share = (libm::cos(from) - libm::cos(to)) / (to - from);
                (share, Time::ZERO + step * (number + 1))
            }
            Shape::Random => {
                let number = since.whole(period);
                let (first, drawn) = &mut self.drawn;
                while *first + drawn.len() as u64 <= number {
                    drawn.push_back(2.0 * self.stream.unit() - 1.0);
                }
                (drawn[(number - *first) as usize], Time::ZERO + period * (number + 1))
            }
        }
    }

    /// Nobody asks for periods before this time any more.
    fn forget(&mut self, before: Time) {
        if let Rate::Varying { period, shape: Shape::Random, .. } = self.rate {
            let number = before.since(Time::ZERO).whole(period);
            let (first, drawn) = &mut self.drawn;
            while *first < number {
                if drawn.pop_front().is_none() {
                    self.stream.unit(); // a period in which nothing was sent
                }
                *first += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopwright_machine::{NodeId, Purpose};

    fn course(shape: Shape) -> Course {
        let period = Duration::from_millis(100);
        let rate = Rate::Varying { mean_bps: 1e6, amplitude: 0.3, period, shape };
        Course::new(rate, Stream::new(1, NodeId(0), Purpose::LinkRate))
    }

    fn end(course: &mut Course, start_ms: f64, bits: f64) -> f64 {
        course.end(Time::from_secs_f64(start_ms / 1e3), bits).unwrap().as_secs_f64() * 1e3
    }

    #[test]
    fn a_square_is_two_rates_in_turn() {
        let mut square = course(Shape::Square);
        assert_eq!(end(&mut square, 0.0, 13_000.0), 10.0); // 1.3 Mb/s
        assert_eq!(end(&mut square, 60.0, 7_000.0), 70.0); // 0.7
        assert_eq!(end(&mut square, 45.0, 6_500.0 + 3_500.0), 55.0); // 5 ms of each
        assert_eq!(end(&mut square, 0.0, 1e5), 100.0); // the mean over a period
        assert_eq!(end(&mut square, 20.0, 3e5), 320.0);
    }

    /// Vector M3: where 390 and 210 kb/s last for 125 ms each, a packet of 1500 bytes takes 30.8 ms, and then 57.1 ms.
    #[test]
    fn a_packet_takes_longer_at_the_lower_rate() {
        let rate =
            Rate::Varying { mean_bps: 3e5, amplitude: 0.3, period: Duration::from_millis(250), shape: Shape::Square };
        let mut course = Course::new(rate, Stream::new(1, NodeId(0), Purpose::LinkRate));
        for (start_ms, took_ms) in [(0.0, 30.8), (30.8, 30.8), (125.0, 57.1)] {
            assert!((end(&mut course, start_ms, 12_000.0) - start_ms - took_ms).abs() < 0.05, "{start_ms}");
        }
    }

    #[test]
    fn a_sine_has_the_mean_of_a_sine() {
        let mut sine = course(Shape::Sine);
        assert!((end(&mut sine, 0.0, 1e5) - 100.0).abs() < 1e-3);
        // Half a period: 50 ms at the mean, and the amplitude's integral 0.3 T / pi.
        let half = 1e6 * 0.05 + 0.3 * 1e6 * 0.1 / core::f64::consts::PI;
        assert!((end(&mut sine, 0.0, half) - 50.0).abs() < 1e-3);
        assert!((end(&mut sine, 50.0, 1e5 - half) - 100.0).abs() < 1e-3);
    }

    #[test]
    fn a_random_rate_stays_for_a_period() {
        let mut random = course(Shape::Random);
        let mut rates = vec![];
        for n in 0..200 {
            let from = f64::from(n) * 100.0;
            let (first, second) =
                (end(&mut random, from, 1e3) - from, end(&mut random, from + 50.0, 1e3) - from - 50.0);
            assert!((first - second).abs() < 1e-5, "{first} {second}");
            rates.push(1.0 / first);
        }
        assert!(rates.iter().all(|mbps| (0.699..1.301).contains(mbps)), "{rates:?}");
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        assert!((mean - 1.0).abs() < 0.04, "{mean}"); // three standard errors
    }

    /// What leaves until a time, and then until the end, is what was to leave.
    #[test]
    fn what_is_sent_adds_up() {
        for shape in [Shape::Square, Shape::Sine, Shape::Random] {
            let mut course = course(shape);
            for (start_ms, bits) in [(0.0, 7e4), (80.0, 3e5), (390.0, 1e3)] {
                let start = Time::from_secs_f64(start_ms / 1e3);
                let end = course.end(start, bits).unwrap();
                let middle = Time::from_secs_f64(f64::midpoint(start.as_secs_f64(), end.as_secs_f64()));
                let (first, second) = (course.sent(start, middle), course.sent(middle, end));
                assert!((first + second - bits).abs() < 0.01, "{shape:?}: {first} + {second}, not {bits}");
            }
        }
    }

    /// Periods that grow longer are drawn, too.
    #[test]
    fn a_random_rate_goes_on_when_its_period_changes() {
        let mut random = course(Shape::Random);
        end(&mut random, 19_900.0, 1e3);
        let longer = Duration::from_millis(1_000);
        let rate = Rate::Varying { mean_bps: 1e6, amplitude: 0.3, period: longer, shape: Shape::Random };
        random.set(rate, Time::from_secs_f64(20.0));
        let mut rates: Vec<f64> =
            (20..40).map(|s| 1.0 / (end(&mut random, f64::from(s) * 1e3, 1e3) - f64::from(s) * 1e3)).collect();
        rates.dedup_by(|a, b| (*a - *b).abs() < 1e-6);
        assert!(rates.len() > 15, "{rates:?}");
    }

    #[test]
    fn opportunities_come_again() {
        let ms = |ms: u64| Duration::from_millis(ms);
        let record = Opportunities::new(vec![ms(2), ms(2), ms(5), ms(10)], 1504, 4).unwrap();
        let at = |number| record.at(number).as_secs_f64() * 1e3;
        assert_eq!([0, 1, 2, 3, 4, 7, 8].map(at), [2.0, 2.0, 5.0, 10.0, 12.0, 20.0, 22.0]);
        for (time, number) in [(0, 0), (1, 0), (2, 2), (4, 2), (5, 3), (9, 3), (10, 4), (11, 4), (12, 6), (20, 8)] {
            assert_eq!(record.after(Time::ZERO + ms(time)), number, "after {time} ms");
        }
        assert_eq!(record.mean_bps(), 4.0 * 1504.0 * 8.0 / 0.01);
        assert_eq!(Opportunities::new(vec![ms(5), ms(2)], 1504, 4), None);
        assert_eq!(Opportunities::new(vec![Duration::ZERO], 1504, 4), None);
        assert_eq!(Opportunities::new(vec![], 1504, 4), None);
    }
}
