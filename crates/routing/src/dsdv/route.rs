//! One route, and what an offer from a neighbour makes of it.
//!
//! Spec      Perkins and Bhagwat 1994 §3; ns-2.35 as its source shows it
//! Deviates  nothing
//! Holds     a route's number never goes back, and with the same number its metric never grows: so next hops
//!           form no loop

use hopwright_machine::{Duration, NodeId, Time};
use hopwright_wire::dsdv::INFINITE;

use super::config::{Config, Rules};

/// A route, in use or broken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Route {
    pub(super) next_hop: NodeId,
    pub(super) metric: u32,
    pub(super) sequence: u32,
    /// When it may be told of: it may not have settled before.
    pub(super) advertise_at: Time,
    /// The number is to be told.
    pub(super) new_sequence: bool,
    /// The metric is to be told, with every update up to the next full one.
    pub(super) new_metric: bool,
    /// What was told last: metric and number.
    pub(super) told: Option<(u32, u32)>,
    /// When the best route of this number came, and when the first did.
    changed_at: Time,
    first_at: Time,
    /// The weighted average of the time from one to the other.
    settling: Duration,
}

/// What a neighbour offers, its own hop counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    pub(super) from: NodeId,
    pub(super) metric: u32,
    pub(super) sequence: u32,
}

/// What came of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing to be told at once.
    None,
    /// An update is to be triggered when the route may be told of.
    Trigger,
}

/// Whether sequence number `a` is newer than `b`; they may wrap.
pub(super) const fn is_newer(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) > 0
}

impl Route {
    /// A route that is not told of before it is learned again.
    pub(super) const fn unheard(next_hop: NodeId, metric: u32, now: Time, config: &Config) -> Self {
        Self {
            next_hop,
            metric,
            sequence: 0,
            advertise_at: Time::NEVER,
            new_sequence: false,
            new_metric: false,
            told: None,
            changed_at: now,
            first_at: now,
            settling: config.initial_settling_time,
        }
    }

    /// The node's route to itself.
    pub(super) const fn to_self(node: NodeId, sequence: u32, now: Time) -> Self {
        Self {
            next_hop: node,
            metric: 0,
            sequence,
            advertise_at: Time::ZERO,
            new_sequence: true,
            new_metric: false,
            told: None,
            changed_at: now,
            first_at: now,
            settling: Duration::ZERO,
        }
    }

    /// A route to a destination that nobody has spoken of before.
    pub(super) fn first(now: Time, offer: Offer, config: &Config) -> (Self, Effect) {
        let usable = offer.metric != INFINITE;
        let route = Self {
            sequence: offer.sequence,
            advertise_at: if usable { now + config.initial_settling_time * 2 } else { now },
            new_metric: usable,
            ..Self::unheard(offer.from, offer.metric, now, config)
        };
        (route, if usable { Effect::Trigger } else { Effect::None })
    }

    pub(super) const fn is_usable(&self) -> bool {
        self.metric != INFINITE
    }

    /// Whether there is something to be told now.
    pub(super) fn has_news(&self, now: Time) -> bool {
        (self.new_sequence || self.new_metric) && self.advertise_at <= now
    }

    fn told_metric(&self) -> Option<u32> {
        self.told.map(|(metric, _)| metric)
    }

    /// A neighbour offers a route.
    pub(super) fn consider(&mut self, now: Time, offer: Offer, config: &Config) -> Effect {
        if offer.sequence == self.sequence {
            return self.consider_another_way(now, offer);
        }
        if is_newer(self.sequence, offer.sequence) {
            if offer.metric == INFINITE && self.is_usable() {
                // It believes in an old break: it is told of the newer route.
                self.advertise_at = now;
                self.new_metric = true;
                return Effect::Trigger;
            }
            return Effect::None;
        }
        // A newer number is believed whatever the metric.
        let measured = self.changed_at.since(self.first_at);
        let (past, weight) = (self.settling.as_nanos() as f64, config.settling_weight);
        let settling = weight * past + (1.0 - weight) * measured.as_nanos() as f64;
        self.settling = Duration::from_nanos(settling as u64);
        let both_usable = offer.metric != INFINITE && self.is_usable();
        let broke = offer.metric == INFINITE && self.is_usable();
        self.new_sequence = true;
        self.new_metric = Some(offer.metric) != self.told_metric();
        self.first_at = now;
        let settles_since =
            (config.rules == Rules::Perkins && offer.metric == self.metric).then_some(self.advertise_at);
        let told_already = config.rules == Rules::Perkins && !self.new_metric;
        self.take(now, offer, both_usable && !told_already);
        if let Some(time) = settles_since.filter(|_| both_usable) {
            self.advertise_at = self.advertise_at.min(time); // only the number is new
        }
        if config.trigger_on_sequence || (broke && config.rules == Rules::Perkins) {
            Effect::Trigger
        } else {
            Effect::None
        }
    }

    /// The number is known already: the offer came another way, and counts if it is shorter.
    fn consider_another_way(&mut self, now: Time, offer: Offer) -> Effect {
        if offer.metric >= self.metric {
            return Effect::None;
        }
        self.new_metric = Some(offer.metric) != self.told_metric();
        let was_usable = self.is_usable();
        self.take(now, offer, was_usable);
        if self.new_metric { Effect::Trigger } else { Effect::None }
    }

    fn take(&mut self, now: Time, offer: Offer, must_settle: bool) {
        self.next_hop = offer.from;
        self.metric = offer.metric;
        self.sequence = offer.sequence;
        self.changed_at = now;
        self.advertise_at = if must_settle { now + self.settling * 2 } else { now };
    }

    /// The neighbour it leads to is lost.
    pub(super) fn fail(&mut self, now: Time) {
        self.metric = INFINITE;
        self.sequence = self.sequence.wrapping_add(1); // odd: not made by the destination
        self.advertise_at = now;
        self.new_metric = true;
        self.new_sequence = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(s: u64) -> Time {
        Time::ZERO + Duration::from_secs(s)
    }

    fn offer(from: u32, metric: u32, sequence: u32) -> Offer {
        Offer { from: NodeId(from), metric, sequence }
    }

    fn known(config: &Config) -> Route {
        Route::first(at(0), offer(1, 3, 10), config).0
    }

    fn summary(route: &Route) -> (u32, u32, u32) {
        (route.next_hop.0, route.metric, route.sequence)
    }

    #[test]
    fn a_newer_number_wins_then_a_smaller_metric() {
        for config in [Config::perkins(), Config::ns2()] {
            let mut route = known(&config);
            assert_eq!(route.consider(at(1), offer(2, 1, 8), &config), Effect::None);
            assert_eq!(route.consider(at(1), offer(2, 3, 10), &config), Effect::None);
            assert_eq!(summary(&route), (1, 3, 10));
            assert_eq!(route.consider(at(1), offer(2, 2, 10), &config), Effect::Trigger);
            assert_eq!(summary(&route), (2, 2, 10));
            assert_eq!(route.consider(at(2), offer(3, 9, 12), &config), Effect::None);
            assert_eq!(summary(&route), (3, 9, 12));
        }
    }

    #[test]
    fn settling_time_is_the_weighted_average_of_what_was_measured() {
        let config = Config::ns2();
        let mut route = known(&config);
        assert_eq!(route.advertise_at, at(12), "twice the initial one");
        route.consider(at(4), offer(2, 2, 10), &config); // the best of number 10 came 4 s after the first
        route.consider(at(15), offer(1, 3, 12), &config);
        let settling = Duration::from_millis(6000 * 7 / 8 + 4000 / 8);
        assert_eq!((route.settling, route.advertise_at), (settling, at(15) + settling * 2));
    }

    #[test]
    fn a_newer_number_over_the_same_metric_need_not_settle_in_the_paper_but_in_ns2() {
        for (config, waits) in [(Config::perkins(), false), (Config::ns2(), true)] {
            let mut route = known(&config);
            route.told = Some((3, 10));
            route.consider(at(15), offer(1, 3, 12), &config);
            assert!(!route.new_metric && route.new_sequence);
            assert_eq!(route.advertise_at > at(15), waits);
        }
    }

    #[test]
    fn a_break_is_told_at_once_and_answered_by_who_knows_better() {
        for (config, on) in [(Config::perkins(), Effect::Trigger), (Config::ns2(), Effect::None)] {
            let mut route = known(&config);
            assert_eq!(route.consider(at(1), offer(1, INFINITE, 11), &config), on);
            assert_eq!((summary(&route), route.advertise_at), ((1, INFINITE, 11), at(1)));
            assert!(!route.is_usable() && route.has_news(at(1)));
            // The destination has spoken again.
            route.consider(at(2), offer(2, 4, 12), &config);
            assert_eq!((summary(&route), route.advertise_at), ((2, 4, 12), at(2)));
            route.told = Some((4, 12));
            (route.new_metric, route.new_sequence) = (false, false);
            assert_eq!(route.consider(at(3), offer(3, INFINITE, 11), &config), Effect::Trigger);
            assert!(route.is_usable() && route.has_news(at(3)));
        }
    }

    #[test]
    fn a_lost_neighbour_makes_the_number_odd() {
        let mut route = known(&Config::perkins());
        route.fail(at(1));
        assert_eq!(summary(&route), (1, INFINITE, 11));
        assert!(route.has_news(at(1)));
    }
}
