//! A link cache whose links live as long as their ends have proved stable (Link-MaxLife), or all as long as each other
//! (Link-Static).
//!
//! Spec      RFC 4728 §4.1, appendix A; Hu and Johnson 2000 (both names), DSR-UU's Link-Static
//! Deviates  nothing
//! Holds     a route that is found has the fewest hops; of those, the one whose first link to expire lives longest

use std::collections::hash_map::Entry;

use hopwright_machine::{Address, Duration, Time};
use rustc_hash::FxHashMap;

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
    /// The links, and places of links that are gone.
    links: Vec<Link>,
    free: Vec<u32>,
    /// Where the link between two nodes is, of which the first has the lower address. Packets name the links of their
    /// routes again and again, so that this is what is asked most.
    places: FxHashMap<(Address, Address), u32>,
    /// Whom each node has a link to, and where that is.
    ends: FxHashMap<Address, Vec<(Address, u32)>>,
    /// How stable each node has proved.
    stability: FxHashMap<Address, Duration>,
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
            links: Vec::new(),
            free: Vec::new(),
            places: FxHashMap::default(),
            ends: FxHashMap::default(),
            stability: FxHashMap::default(),
        }
    }

    pub(super) fn add(&mut self, now: Time, path: &[Address]) {
        for link in path.windows(2) {
            self.add_link(now, link[0], link[1]);
        }
    }

    /// A packet on this path was overheard as this place of it sent it.
    pub(super) fn add_heard(&mut self, now: Time, path: &[Address], sender: usize) {
        self.add(now, path);
        self.add_link(now, self.me, path[sender]);
    }

    fn add_link(&mut self, now: Time, from: Address, to: Address) {
        if from == to {
            return;
        }
        let max_life = || self.stability_of(from).min(self.stability_of(to)).max(self.min_lifetime);
        let new = Link { expiry: now + self.lifetime.unwrap_or_else(max_life), used: now };
        match self.places.entry(ends(from, to)) {
            Entry::Occupied(place) => {
                let known = &mut self.links[*place.get() as usize];
                if known.expiry <= now {
                    *known = new;
                }
                known.expiry = known.expiry.max(new.expiry);
            }
            Entry::Vacant(entry) => {
                let place = self.free.pop().unwrap_or_else(|| {
                    self.links.push(new);
                    (self.links.len() - 1) as u32
                });
                self.links[place as usize] = new;
                entry.insert(place);
                self.ends.entry(from).or_default().push((to, place));
                self.ends.entry(to).or_default().push((from, place));
            }
        }
    }

    fn stability_of(&self, node: Address) -> Duration {
        self.stability.get(&node).copied().unwrap_or(self.init_stability)
    }

    /// Breadth first. What is reached is reached by the fewest hops; the best of the equal ways is kept, of equally good
    /// ones that over the lowest address.
    pub(super) fn find(&self, now: Time, destination: Address) -> Option<Vec<Address>> {
        let mut reached = FxHashMap::default();
        reached.insert(self.me, (0, Time::NEVER, self.me));
        let (mut edge, mut next) = (vec![self.me], Vec::new());
        let mut hops = 0;
        while !edge.is_empty() && !reached.contains_key(&destination) {
            hops += 1;
            for node in edge.drain(..) {
                let so_far = reached[&node].1;
                for &(to, place) in self.ends.get(&node).into_iter().flatten() {
                    let expiry = self.links[place as usize].expiry;
                    if expiry <= now {
                        continue;
                    }
                    let way = (hops, so_far.min(expiry), node);
                    match reached.entry(to) {
                        Entry::Vacant(entry) => {
                            entry.insert(way);
                            next.push(to);
                        }
                        Entry::Occupied(mut best) if best.get().0 == hops && way.1 > best.get().1 => {
                            best.insert(way);
                        }
                        Entry::Occupied(_) => {}
                    }
                }
            }
            next.sort_unstable();
            std::mem::swap(&mut edge, &mut next);
        }
        let mut route = vec![destination];
        let mut node = destination;
        while node != self.me {
            node = reached.get(&node)?.2;
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
            let Some(&place) = self.places.get(&ends(link[0], link[1])) else { continue };
            let known = &mut self.links[place as usize];
            let gain = Duration::from_secs_f64(now.since(known.used).as_secs_f64() * self.increase);
            known.used = now;
            known.expiry = known.expiry.max(now + self.use_extends);
            for &node in link {
                self.stability.insert(node, self.stability_of(node) + gain);
            }
        }
    }

    pub(super) fn remove_link(&mut self, _now: Time, from: Address, to: Address) -> bool {
        let Some(place) = self.places.remove(&ends(from, to)) else { return false };
        self.free.push(place);
        for (node, other) in [(from, to), (to, from)] {
            self.ends.entry(node).or_default().retain(|&(end, _)| end != other);
            let stability = self.stability_of(node).as_secs_f64() * self.decrease;
            self.stability.insert(node, Duration::from_secs_f64(stability));
        }
        if self.flush {
            self.links.clear();
            self.free.clear();
            self.places.clear();
            self.ends.clear();
        }
        true
    }
}

/// Both ends of a link, that with the lower address first.
fn ends(a: Address, b: Address) -> (Address, Address) {
    (a.min(b), a.max(b))
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
            let expiry = |from: u32, to: u32| {
                let place = links.places[&ends(NodeId(from).address(), NodeId(to).address())];
                links.links[place as usize].expiry
            };
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
