//! Link RED: the link tells transports of contention, before it has to give packets up.
//!
//! In a network of several hops frames fail long before queues fill. A station therefore watches not its queue, as RED
//! does, but how often its frames had to be tried again, on average over packets; and while that is high, it marks or
//! drops a few of the packets that it is about to serve.
//!
//! Spec      Fu, Zerfos, Luo, Lu, Zhang, Gerla: "The impact of multihop wireless channel on TCP throughput and loss",
//!           INFOCOM 2003, algorithm 1 (and IEEE TMC 4(2), 2005); unverified: of the paper only the abstract was at
//!           hand, the rest is from memory. With the average `a` of tries that failed: below `min_threshold` nothing
//!           happens; from there on a packet is told with probability min((a - `min_threshold`) / `max_threshold`,
//!           `max_probability`). After each packet a = (1 - `weight`) a + `weight` r, r being the packet's failed
//!           tries; the paper's weight is 1/8
//! Deviates  decided here: r counts every CTS and every acknowledgement that did not come, also those of a
//!           packet given up; all packets with a next hop count, those of routing too; broadcasts, which are never
//!           tried again, do not. The thresholds and the largest probability are this program's choice
//! Holds     - without contention nothing is told; the probability never exceeds `max_probability`
//!           - the average lies between nothing and the most that a packet was tried
//!           - packets that no transport would miss, those of routing and address resolution, are never touched

use hopwright_machine::Stream;

/// When a link counts as contended, and what it does then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// The link is contended from this average on: failed tries per packet. Not negative.
    pub min_threshold: f64,
    /// By how much the average must exceed `min_threshold` for certainty, if `max_probability` allowed it: failed tries
    /// per packet. Positive.
    pub max_threshold: f64,
    /// The largest probability that a packet is marked or dropped, 0 to 1.
    pub max_probability: f64,
    /// The share of the newest packet in the average: above 0, up to 1.
    pub weight: f64,
    /// Whether packets are marked or dropped: Link RED itself.
    pub signals: bool,
    /// Whether a contended station waits longer before its next packet: see `pacing`.
    pub paces: bool,
}

impl Default for Config {
    /// The paper's weight; the rest is ours.
    fn default() -> Self {
        Self {
            min_threshold: 1.0,
            max_threshold: 3.0,
            max_probability: 0.1,
            weight: 0.125,
            signals: true,
            paces: false,
        }
    }
}

/// How a packet's transport is told of contention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// The packet bears a mark now (RFC 3168 §5).
    Marked,
    /// By its loss: it takes no marks.
    ByLoss,
    /// Not at all: it is not of a transport.
    Spared,
}

/// The contention that a station has met, and what it makes of it.
#[derive(Debug)]
pub struct Lred<P> {
    config: Config,
    /// Marks a packet if it can be marked. The station does not know what a packet is.
    tell: fn(&mut P) -> Told,
    stream: Stream,
    /// Failed tries per packet.
    average: f64,
    /// Of the packet in service.
    failed: u32,
}

impl<P> Lred<P> {
    /// A station that has met none.
    #[must_use]
    pub const fn new(config: Config, tell: fn(&mut P) -> Told, stream: Stream) -> Self {
        Self { config, tell, stream, average: 0.0, failed: 0 }
    }

    /// Failed tries per packet, on average.
    #[must_use]
    pub const fn average(&self) -> f64 {
        self.average
    }

    /// The probability with which a packet is marked or dropped.
    #[must_use]
    pub fn probability(&self) -> f64 {
        if !self.config.signals || !self.is_contended() {
            return 0.0;
        }
        let excess = self.average - self.config.min_threshold;
        (excess / self.config.max_threshold).min(self.config.max_probability)
    }

    /// Whether the station gives others time after a packet.
    pub(crate) fn paces(&self) -> bool {
        self.config.paces && self.is_contended()
    }

    fn is_contended(&self) -> bool {
        self.average >= self.config.min_threshold
    }

    /// A packet with a next hop is about to be served; returns whether it is to be dropped instead.
    pub(crate) fn drops(&mut self, packet: &mut P) -> bool {
        let probability = self.probability();
        probability > 0.0 && self.stream.unit() < probability && (self.tell)(packet) == Told::ByLoss
    }

    /// A CTS or an acknowledgement has not come.
    pub(crate) fn missed(&mut self) {
        self.failed += 1;
    }

    /// The packet in service has been acknowledged, or given up.
    pub(crate) fn done(&mut self) {
        let failed = f64::from(std::mem::take(&mut self.failed));
        self.average += self.config.weight * (failed - self.average);
    }

    /// The station has been down.
    pub(crate) fn forget(&mut self) {
        (self.average, self.failed) = (0.0, 0);
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::{NodeId, Purpose};
    use proptest::prelude::*;

    use super::*;

    /// What is done to a packet is what it says.
    fn lred(config: Config) -> Lred<Told> {
        Lred::new(config, |packet| *packet, Stream::new(1, NodeId(0), Purpose::LinkRed))
    }

    fn after(config: Config, tries: &[u32]) -> Lred<Told> {
        let mut lred = lred(config);
        for &failed in tries {
            (0..failed).for_each(|_| lred.missed());
            lred.done();
        }
        lred
    }

    const CERTAIN: Config = Config {
        min_threshold: 1.0,
        max_threshold: 3.0,
        max_probability: 1.0,
        weight: 1.0,
        signals: true,
        paces: true,
    };

    #[test]
    fn l1_below_the_threshold_nothing_is_told_and_above_it_a_share() {
        assert_eq!(after(CERTAIN, &[]).probability(), 0.0);
        assert_eq!(after(CERTAIN, &[1]).probability(), 0.0);
        assert_eq!(after(CERTAIN, &[2]).probability(), 1.0 / 3.0);
        assert_eq!(after(Config { max_probability: 0.1, ..CERTAIN }, &[2]).probability(), 0.1);
        assert_eq!(after(Config { signals: false, ..CERTAIN }, &[2]).probability(), 0.0);
        assert!(after(CERTAIN, &[1]).paces() && !after(CERTAIN, &[0]).paces());
        assert!(!after(Config { paces: false, ..CERTAIN }, &[7]).paces());
    }

    /// The weight is the paper's; `docs/reference.md` says the rest.
    #[test]
    fn by_default_packets_are_told_and_nothing_is_paced() {
        let lred = after(Config::default(), &[8; 6]);
        let kept = (0..6).fold(1.0, |kept, _| kept * 0.875);
        assert!((lred.average() - 8.0 * (1.0 - kept)).abs() < 1e-12);
        assert_eq!((lred.probability(), lred.paces()), (0.1, false));
        // An average of one is where it begins, and of three more where it would be certain.
        let little = after(Config { weight: 1.0, ..Config::default() }, &[1]);
        assert_eq!((little.probability(), little.is_contended()), (0.0, true));
        let certain = Config { weight: 1.0, max_probability: 1.0, ..Config::default() };
        assert_eq!((after(certain, &[2]).probability(), after(certain, &[4]).probability()), (1.0 / 3.0, 1.0));
    }

    #[test]
    fn who_was_down_has_met_no_contention() {
        let mut lred = after(CERTAIN, &[7]);
        lred.missed();
        lred.forget();
        assert_eq!(lred.average(), 0.0);
        lred.done();
        assert_eq!(lred.average(), 0.0);
    }

    #[test]
    fn l3_the_average_follows_a_step_by_an_eighth_a_packet() {
        let average = after(Config { weight: 0.125, ..CERTAIN }, &[7; 8]).average();
        let kept = (0..8).fold(1.0, |kept, _| kept * 0.875);
        assert!((average - 7.0 * (1.0 - kept)).abs() < 1e-12, "{average}");
        assert!((average / 7.0 - 0.656).abs() < 0.001);
    }

    #[test]
    fn packets_are_told_as_often_as_the_probability_says_and_lost_only_if_they_take_no_marks() {
        let mut lred = after(CERTAIN, &[2]);
        let mut dropped = |mut packet| (0..9000).filter(|_| lred.drops(&mut packet)).count();
        // Three standard deviations of a binomial count: 134.
        let lost = dropped(Told::ByLoss);
        assert!(lost.abs_diff(3000) < 134, "{lost} of 9000");
        assert_eq!(dropped(Told::Marked), 0);
        assert_eq!(dropped(Told::Spared), 0);
    }

    #[test]
    fn without_contention_no_number_is_drawn() {
        let mut quiet = after(CERTAIN, &[1]);
        assert!(!quiet.drops(&mut Told::ByLoss));
        let fresh = Stream::new(1, NodeId(0), Purpose::LinkRed).bits();
        assert_eq!(quiet.stream.bits(), fresh);
    }

    proptest! {
        #[test]
        fn the_average_stays_among_what_it_is_of_and_the_probability_below_its_bound(
            tries in proptest::collection::vec(0u32..12, 0..200),
            weight in 0.001f64..=1.0,
            min_threshold in 0.0f64..5.0,
            max_threshold in 0.01f64..5.0,
            max_probability in 0.0f64..=1.0,
        ) {
            let config =
                Config { weight, min_threshold, max_threshold, max_probability, signals: true, paces: true };
            let lred = after(config, &tries);
            let most = f64::from(tries.iter().copied().max().unwrap_or(0));
            prop_assert!((0.0..=most).contains(&lred.average()));
            prop_assert!((0.0..=max_probability).contains(&lred.probability()));
            prop_assert_eq!(lred.paces(), lred.average() >= min_threshold);
            prop_assert!(lred.probability() == 0.0 || lred.paces());
        }
    }
}
