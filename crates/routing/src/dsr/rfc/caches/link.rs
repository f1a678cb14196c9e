//! A link cache whose links live as long as their ends have proved stable (Link-MaxLife), or all as long as each other
//! (Link-Static).
//!
//! Spec      RFC 4728 §4.1, appendix A; Hu and Johnson 2000 (both names), DSR-UU's Link-Static
//! Deviates  nothing
//! Holds     a route that is found has the fewest hops; of those, the one whose first link to expire lives longest

use std::collections::BTreeMap;

use hopwright_machine::{Address, Duration, Time};

use crate::dsr::config::{CacheKind, Config};

/// A link between two nodes.
#[derive(Clone, Copy, Debug)]
struct Link {
    expiry: Time,
    /// When this node last used it, or learnt of it.
    used: Time,
}

/// The links that one node knows.
#[derive(Debug)]
pub(in crate::dsr) struct Links {
    me: Address,
    /// How long every link lives, if that is fixed.
    lifetime: Option<Duration>,
    init_stability: Duration,
    increase: f64,
    decrease: f64,
    min_lifetime: Duration,
    use_extends: Duration,
    flush: bool,
    /// The links, from either end.
    links: BTreeMap<Address, BTreeMap<Address, Link>>,
    /// How stable each node has proved.
    stability: BTreeMap<Address, Duration>,
}

impl Links {
    pub(super) fn new(me: Address, config: &Config) -> Self {
        Self {
            me,
            lifetime: (config.cache == CacheKind::LinkStatic).then_some(config.route_cache_timeout),
            init_stability: config.init_stability,
            increase: config.stability_increase,
            decrease: config.stability_decrease,
            min_lifetime: config.min_lifetime,
            use_extends: config.use_extends,
            flush: config.flush_link_cache,
            links: BTreeMap::new(),
            stability: BTreeMap::new(),
        }
    }

    pub(super) fn add(&mut self, now: Time, path: &[Address]) {
        for link in path.windows(2).filter(|link| link[0] != link[1]) {
            let max_life = || self.stability_of(link[0]).min(self.stability_of(link[1])).max(self.min_lifetime);
            let life = self.lifetime.unwrap_or_else(max_life);
            for (from, to) in [(link[0], link[1]), (link[1], link[0])] {
                let new = Link { expiry: now + life, used: now };
                let known = self.links.entry(from).or_default().entry(to).or_insert(new);
                if known.expiry <= now {
                    *known = new;
                }
                known.expiry = known.expiry.max(new.expiry);
            }
        }
    }

    fn stability_of(&self, node: Address) -> Duration {
        self.stability.get(&node).copied().unwrap_or(self.init_stability)
    }

    /// Breadth first. What is reached is reached by the fewest hops; the best of the equal ways is kept.
    pub(super) fn find(&self, now: Time, destination: Address) -> Option<Vec<Address>> {
        let mut reached = BTreeMap::from([(self.me, (Time::NEVER, self.me))]);
        let mut edge = vec![self.me];
        while !edge.is_empty() && !reached.contains_key(&destination) {
            let mut next: BTreeMap<Address, (Time, Address)> = BTreeMap::new();
            for &node in &edge {
                let so_far = reached[&node].0;
                for (&to, &Link { expiry, .. }) in self.links.get(&node).into_iter().flatten() {
                    if expiry <= now || reached.contains_key(&to) {
                        continue;
                    }
                    let way = (so_far.min(expiry), node);
                    next.entry(to).and_modify(|best| *best = if way.0 > best.0 { way } else { *best }).or_insert(way);
                }
            }
            edge = next.keys().copied().collect();
            reached.append(&mut next);
        }
        let mut route = vec![destination];
        let mut node = destination;
        while node != self.me {
            node = reached.get(&node)?.1;
            route.push(node);
        }
        route.reverse();
        (route.len() > 1).then_some(route)
    }

    /// Each end gains the time since the link was last used, times StabilityIncrFactor; not where lifetimes are fixed.
    pub(super) fn used(&mut self, now: Time, route: &[Address]) {
        if self.lifetime.is_some() {
            return;
        }
        for link in route.windows(2) {
            let Some(since) = self.links.get(&link[0]).and_then(|ends| ends.get(&link[1])).map(|link| link.used) else {
                continue;
            };
            let gain = Duration::from_secs_f64(now.since(since).as_secs_f64() * self.increase);
            for (from, to) in [(link[0], link[1]), (link[1], link[0])] {
                self.stability.insert(from, self.stability_of(from) + gain);
                if let Some(link) = self.links.get_mut(&from).and_then(|ends| ends.get_mut(&to)) {
                    link.used = now;
                    link.expiry = link.expiry.max(now + self.use_extends);
                }
            }
        }
    }

    pub(super) fn remove_link(&mut self, _now: Time, from: Address, to: Address) -> bool {
        let mut found = false;
        for (a, b) in [(from, to), (to, from)] {
            found |= self.links.get_mut(&a).is_some_and(|ends| ends.remove(&b).is_some());
        }
        if found {
            for node in [from, to] {
                let stability = self.stability_of(node).as_secs_f64() * self.decrease;
                self.stability.insert(node, Duration::from_secs_f64(stability));
            }
            if self.flush {
                self.links.clear();
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::NodeId;

    use super::*;

    fn nodes(nodes: &[u32]) -> Vec<Address> {
        nodes.iter().map(|&n| NodeId(n).address()).collect()
    }

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    fn links() -> Links {
        Links::new(NodeId(0).address(), &Config::rfc())
    }

    #[test]
    fn routes_are_put_together_from_links_of_different_routes() {
        let mut links = links();
        links.add(at(0), &nodes(&[0, 1, 2, 3]));
        links.add(at(0), &nodes(&[4, 2]));
        assert_eq!(links.find(at(1), NodeId(4).address()), Some(nodes(&[0, 1, 2, 4])));
        links.add(at(0), &nodes(&[1, 4]));
        assert_eq!(links.find(at(1), NodeId(4).address()), Some(nodes(&[0, 1, 4])));
        assert_eq!(links.find(at(1), NodeId(0).address()), None);
        assert!(links.remove_link(at(1), NodeId(4).address(), NodeId(1).address()));
        assert!(!links.remove_link(at(1), NodeId(4).address(), NodeId(1).address()));
        assert_eq!(links.find(at(1), NodeId(4).address()), Some(nodes(&[0, 1, 2, 4])));
    }

    #[test]
    fn lifetimes_follow_appendix_a() {
        let mut links = links();
        links.add(at(0), &nodes(&[0, 1]));
        let found = |links: &Links, second| links.find(at(second), NodeId(1).address()).is_some();
        assert!(found(&links, 24) && !found(&links, 25)); // InitStability
        links.add(at(30), &nodes(&[0, 1]));
        links.used(at(40), &nodes(&[0, 1])); // UseExtends; stability 25 + 4 x 10
        assert!(found(&links, 159) && !found(&links, 160));
        links.add(at(200), &nodes(&[0, 1]));
        assert!(found(&links, 264) && !found(&links, 265));
        links.remove_link(at(250), NodeId(0).address(), NodeId(1).address()); // stability x 0.5
        links.add(at(250), &nodes(&[0, 1]));
        assert!(found(&links, 282) && !found(&links, 283));
        for _ in 0..9 {
            links.remove_link(at(400), NodeId(0).address(), NodeId(1).address());
            links.add(at(400), &nodes(&[0, 1]));
        }
        let mut early = Time::ZERO + Duration::from_millis(400_999);
        assert!(links.find(early, NodeId(1).address()).is_some()); // MinLifetime
        early += Duration::from_millis(1);
        assert!(links.find(early, NodeId(1).address()).is_none());
    }

    /// Appendix A: a new link lives as long as the less stable of its ends says.
    #[test]
    fn the_less_stable_end_counts() {
        for link in [[1, 2], [2, 1]] {
            let mut links = links();
            links.add(at(0), &nodes(&[0, 1]));
            links.remove_link(at(0), NodeId(0).address(), NodeId(1).address()); // 12.5 s for each of them
            links.used(at(0), &nodes(&[0, 1]));
            links.add(at(0), &nodes(&[0, 3]));
            links.add(at(0), &nodes(&link));
            let expiry = |from: u32, to: u32| links.links[&NodeId(from).address()][&NodeId(to).address()].expiry;
            let half = Time::ZERO + Duration::from_millis(12_500);
            assert_eq!([expiry(1, 2), expiry(2, 1), expiry(0, 3)], [half; 3]);
        }
    }

    #[test]
    fn static_links_live_as_long_as_the_timeout_says_whatever_happens_to_them() {
        let mut links = Links::new(NodeId(0).address(), &Config::papanastasiou());
        let found = |links: &Links, second| links.find(at(second), NodeId(1).address()).is_some();
        links.add(at(0), &nodes(&[0, 1]));
        links.used(at(200), &nodes(&[0, 1])); // a use proves nothing in DSR-UU
        assert!(found(&links, 299) && !found(&links, 300));
        links.add(at(310), &nodes(&[0, 1]));
        links.remove_link(at(320), NodeId(0).address(), NodeId(1).address());
        assert!(!found(&links, 320));
        links.add(at(330), &nodes(&[1, 0]));
        links.add(at(350), &nodes(&[0, 1])); // learnt again: the time starts anew
        assert!(found(&links, 649) && !found(&links, 650));
        let config = Config { route_cache_timeout: Duration::from_secs(5), ..Config::papanastasiou() };
        let mut short = Links::new(NodeId(0).address(), &config);
        short.add(at(0), &nodes(&[0, 1]));
        assert!(found(&short, 4) && !found(&short, 5));
    }

    #[test]
    fn of_equal_routes_the_longest_lived_is_taken_and_a_flush_takes_all() {
        let mut links = links();
        links.add(at(0), &nodes(&[0, 1, 3]));
        links.add(at(5), &nodes(&[0, 2, 3]));
        assert_eq!(links.find(at(6), NodeId(3).address()), Some(nodes(&[0, 2, 3])));
        let mut links = Links { flush: true, ..links };
        links.remove_link(at(6), NodeId(0).address(), NodeId(1).address());
        assert_eq!(links.find(at(6), NodeId(3).address()), None);
    }
}
