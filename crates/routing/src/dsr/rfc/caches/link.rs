//! A link cache whose links live as long as their ends have proved stable (Link-MaxLife), or all as long as each other
//! (Link-Static).
//!
//! Spec      RFC 4728 §4.1, appendix A; Hu and Johnson 2000 (both names), DSR-UU's Link-Static
//! Deviates  nothing, unless links lead one way: then a broken link takes that back with it, as in DSR-UU
//! Holds     a route that is found has the fewest hops; of those, the one whose first link to expire lives longest

use hopwright_machine::{Address, Duration, Time};
use rustc_hash::FxHashMap;

use crate::dsr::config::{CacheKind, Config};

/// A link between two nodes.
#[derive(Clone, Copy, Debug)]
struct Link {
    expiry: Time,
    /// When this node last used it, or learnt of it.
    used: Time,
    /// Places of its ends.
    ends: [u32; 2],
}

/// A node that some link has or had as an end.
#[derive(Debug)]
struct End {
    address: Address,
    /// How stable it has proved.
    stability: Duration,
    /// To whom it has links, and where these are.
    links: Vec<(u32, u32)>,
}

/// How a node is reached: the first link on the way to expire does so at `expiry`.
#[derive(Clone, Copy, Debug)]
struct Way {
    hops: u32,
    expiry: Time,
    previous: u32,
}

impl Way {
    const NONE: Self = Self { hops: u32::MAX, expiry: Time::ZERO, previous: 0 };
}

/// How many paths of overheard packets a node remembers; a power of two.
const HEARD: usize = 8;

/// The path of a packet that was overheard, and where its links are. What a flow sends has the same path for a long time,
/// and each node along it is heard to send it.
#[derive(Debug, Default)]
struct Heard {
    /// Empty: nothing is remembered here.
    path: Vec<Address>,
    places: Vec<u32>,
}

/// The links that one node knows.
#[derive(Debug)]
pub(in crate::dsr) struct Links {
    /// How long every link lives, if that is fixed.
    lifetime: Option<Duration>,
    init_stability: Duration,
    increase: f64,
    decrease: f64,
    min_lifetime: Duration,
    use_extends: Duration,
    flush: bool,
    /// How many there can be.
    most: usize,
    /// Whether each leads both ways.
    is_two_way: bool,
    /// The links, and places of links that are gone.
    links: Vec<Link>,
    free: Vec<u32>,
    /// Where the link between two nodes is; if links lead both ways, the first of the two has the lower address. Packets
    /// name the links of their routes again and again, so that this is what is asked most: all else is found by its place.
    places: FxHashMap<(Address, Address), u32>,
    /// The nodes; the first is this one.
    ends: Vec<End>,
    /// Where each of them is.
    numbers: FxHashMap<Address, u32>,
    /// By slot, in which a path is looked for. Until a link is taken out, the places of links are right.
    heard: Box<[Heard; HEARD]>,
}

impl Links {
    pub(super) fn new(me: Address, config: &Config) -> Self {
        let mut links = Self {
            lifetime: (config.cache == CacheKind::LinkStatic).then_some(config.route_cache_timeout),
            init_stability: config.init_stability,
            increase: config.stability_increase,
            decrease: config.stability_decrease,
            min_lifetime: config.min_lifetime,
            use_extends: config.use_extends,
            flush: config.flush_link_cache,
            most: config.cache_links,
            is_two_way: config.two_way_links,
            links: Vec::new(),
            free: Vec::new(),
            places: FxHashMap::default(),
            ends: Vec::new(),
            numbers: FxHashMap::default(),
            heard: Default::default(),
        };
        links.number(me);
        links
    }

    pub(super) fn add(&mut self, now: Time, path: &[Address]) {
        for link in path.windows(2) {
            self.add_link(now, link[0], link[1]);
        }
    }

    /// A packet on this path was overheard as this place of it sent it.
    pub(super) fn add_heard(&mut self, now: Time, path: &[Address], sender: usize) {
        let slot = slot(path);
        if self.heard[slot].path == path {
            for at in 0..self.heard[slot].places.len() {
                self.renew(now, self.heard[slot].places[at]);
            }
        } else {
            self.add(now, path);
            self.remember(slot, path);
        }
        self.add_link(now, self.ends[0].address, path[sender]);
    }

    pub(super) fn add_neighbour(&mut self, now: Time, from: Address) {
        if !self.is_two_way {
            self.add_link(now, self.ends[0].address, from);
        }
    }

    fn add_link(&mut self, now: Time, from: Address, to: Address) {
        if from == to {
            return;
        }
        match self.places.get(&self.key(from, to)) {
            Some(&place) => self.renew(now, place),
            None => self.add_new(now, from, to),
        }
    }

    /// A link that is known, or was until it expired, is learnt again.
    fn renew(&mut self, now: Time, place: u32) {
        let expiry = now + self.life(self.links[place as usize].ends);
        let known = &mut self.links[place as usize];
        if known.expiry <= now {
            (known.expiry, known.used) = (expiry, now);
        }
        known.expiry = known.expiry.max(expiry);
    }

    /// Remembers where the links of a path are, if all are known.
    fn remember(&mut self, slot: usize, path: &[Address]) {
        let places = path.windows(2).filter(|link| link[0] != link[1]);
        let places = places.map(|link| self.places.get(&self.key(link[0], link[1])).copied()).collect::<Option<_>>();
        self.heard[slot] = places.map(|places| Heard { path: path.to_vec(), places }).unwrap_or_default();
    }

    fn add_new(&mut self, now: Time, from: Address, to: Address) {
        if self.places.len() >= self.most {
            return;
        }
        let [a, b] = [self.number(from), self.number(to)];
        let new = Link { expiry: now + self.life([a, b]), used: now, ends: [a, b] };
        let place = self.free.pop().unwrap_or_else(|| {
            self.links.push(new);
            (self.links.len() - 1) as u32
        });
        self.links[place as usize] = new;
        self.places.insert(self.key(from, to), place);
        self.ends[a as usize].links.push((b, place));
        if self.is_two_way {
            self.ends[b as usize].links.push((a, place));
        }
    }

    /// The place of a node, which gets one if it has none.
    fn number(&mut self, address: Address) -> u32 {
        let next = self.ends.len() as u32;
        let number = *self.numbers.entry(address).or_insert(next);
        if number == next {
            self.ends.push(End { address, stability: self.init_stability, links: Vec::new() });
        }
        number
    }

    /// How long a link between two nodes lives.
    fn life(&self, [a, b]: [u32; 2]) -> Duration {
        let stability = |end: u32| self.ends[end as usize].stability;
        self.lifetime.unwrap_or_else(|| stability(a).min(stability(b)).max(self.min_lifetime))
    }

    /// Breadth first. What is reached is reached by the fewest hops; the best of the equal ways is kept, of equally good
    /// ones that over the lowest address.
    pub(super) fn find(&self, now: Time, destination: Address) -> Option<Vec<Address>> {
        let destination = *self.numbers.get(&destination)?;
        let mut ways = vec![Way::NONE; self.ends.len()];
        ways[0] = Way { hops: 0, expiry: Time::NEVER, previous: 0 };
        let (mut edge, mut next) = (vec![0], Vec::new());
        let mut hops = 0;
        while !edge.is_empty() && ways[destination as usize].hops == u32::MAX {
            hops += 1;
            for node in edge.drain(..) {
                let so_far = ways[node as usize].expiry;
                for &(to, place) in &self.ends[node as usize].links {
                    let expiry = self.links[place as usize].expiry;
                    if expiry <= now {
                        continue;
                    }
                    let expiry = so_far.min(expiry);
                    let best = &mut ways[to as usize];
                    if best.hops == u32::MAX {
                        next.push(to);
                    } else if best.hops != hops || expiry <= best.expiry {
                        continue;
                    }
                    *best = Way { hops, expiry, previous: node };
                }
            }
            next.sort_unstable_by_key(|&end| self.ends[end as usize].address);
            std::mem::swap(&mut edge, &mut next);
        }
        if matches!(ways[destination as usize].hops, 0 | u32::MAX) {
            return None;
        }
        let back = std::iter::successors(Some(destination), |&node| (node != 0).then(|| ways[node as usize].previous));
        let mut route: Vec<Address> = back.map(|node| self.ends[node as usize].address).collect();
        route.reverse();
        Some(route)
    }

    /// Each end gains the time since the link was last used, times StabilityIncrFactor; not where lifetimes are fixed.
    pub(super) fn used(&mut self, now: Time, route: &[Address]) {
        if self.lifetime.is_some() {
            return;
        }
        for link in route.windows(2) {
            let Some(&place) = self.places.get(&self.key(link[0], link[1])) else { continue };
            let known = &mut self.links[place as usize];
            let gain = Duration::from_secs_f64(now.since(known.used).as_secs_f64() * self.increase);
            known.used = now;
            known.expiry = known.expiry.max(now + self.use_extends);
            for end in known.ends {
                self.ends[end as usize].stability += gain;
            }
        }
    }

    pub(super) fn remove_link(&mut self, _now: Time, from: Address, to: Address) -> bool {
        let there = self.take_out(from, to);
        let back = if self.is_two_way { None } else { self.take_out(to, from) };
        let Some(ends) = there.or(back) else { return false };
        for end in ends {
            let end = &mut self.ends[end as usize];
            end.stability = Duration::from_secs_f64(end.stability.as_secs_f64() * self.decrease);
        }
        self.heard.iter_mut().for_each(|heard| heard.path.clear());
        if self.flush {
            self.links.clear();
            self.free.clear();
            self.places.clear();
            self.ends.iter_mut().for_each(|end| end.links.clear());
        }
        true
    }

    /// Takes a link out. Its ends, if it was there.
    fn take_out(&mut self, from: Address, to: Address) -> Option<[u32; 2]> {
        let place = self.places.remove(&self.key(from, to))?;
        self.free.push(place);
        let ends = self.links[place as usize].ends;
        for end in ends {
            self.ends[end as usize].links.retain(|&(_, link)| link != place);
        }
        Some(ends)
    }

    /// By what a link is found.
    fn key(&self, from: Address, to: Address) -> (Address, Address) {
        if self.is_two_way { (from.min(to), from.max(to)) } else { (from, to) }
    }
}

/// The slot of `Links::heard` in which a path is remembered, if it is.
fn slot(path: &[Address]) -> usize {
    // A multiplicative hash (Knuth, TAOCP 6.4): the ends differ in few bits, and the way back has a slot of its own.
    let [first, last] = [path[0].0, path[path.len() - 1].0];
    let mixed = first.wrapping_mul(0x9e37_79b1).wrapping_add(last).wrapping_mul(0x85eb_ca77);
    mixed as usize >> 16 & (HEARD - 1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use hopwright_machine::NodeId;
    use proptest::prelude::*;

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
                let place = links.places[&links.key(NodeId(from).address(), NodeId(to).address())];
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

    /// The same cache as a plain table of links, which looks through all of them for each question.
    struct Plain {
        config: Config,
        links: BTreeMap<(u32, u32), (Time, Time)>,
        stability: [Duration; NODES as usize],
    }

    const NODES: u32 = 7;

    impl Plain {
        fn key(&self, a: u32, b: u32) -> (u32, u32) {
            if self.config.two_way_links { (a.min(b), a.max(b)) } else { (a, b) }
        }

        fn add(&mut self, now: Time, path: &[u32]) {
            for link in path.windows(2).filter(|link| link[0] != link[1]) {
                let [a, b] = [link[0], link[1]].map(|end| self.stability[end as usize]);
                let expiry = now + a.min(b).max(self.config.min_lifetime);
                let key = self.key(link[0], link[1]);
                if !self.links.contains_key(&key) && self.links.len() >= self.config.cache_links {
                    continue;
                }
                let known = self.links.entry(key).or_insert((Time::ZERO, now));
                if known.0 <= now {
                    *known = (expiry, now);
                }
                known.0 = known.0.max(expiry);
            }
        }

        fn used(&mut self, now: Time, path: &[u32]) {
            for link in path.windows(2) {
                let key = self.key(link[0], link[1]);
                let Some((expiry, used)) = self.links.get_mut(&key) else { continue };
                let gain = now.since(*used).as_secs_f64() * self.config.stability_increase;
                *expiry = (*expiry).max(now + self.config.use_extends);
                *used = now;
                for &end in link {
                    self.stability[end as usize] += Duration::from_secs_f64(gain);
                }
            }
        }

        fn remove(&mut self, a: u32, b: u32) -> bool {
            let [there, back] = [self.key(a, b), self.key(b, a)].map(|key| self.links.remove(&key).is_some());
            let was_known = there || back;
            if was_known {
                for end in [a, b] {
                    let stability = &mut self.stability[end as usize];
                    *stability = Duration::from_secs_f64(stability.as_secs_f64() * self.config.stability_decrease);
                }
                if self.config.flush_link_cache {
                    self.links.clear();
                }
            }
            was_known
        }

        /// By levels: of the neighbours one hop nearer that over which the route lives longest, then the lowest.
        fn find(&self, now: Time, destination: u32) -> Option<Vec<u32>> {
            let mut reached: BTreeMap<u32, (Time, Vec<u32>)> = BTreeMap::from([(0, (Time::NEVER, vec![0]))]);
            let mut level = reached.clone();
            while !level.is_empty() {
                let mut further: BTreeMap<u32, (Time, Vec<u32>)> = BTreeMap::new();
                for to in (0..NODES).filter(|to| !reached.contains_key(to)) {
                    for (&from, (lives, route)) in &level {
                        let Some(&(expiry, _)) = self.links.get(&self.key(from, to)) else { continue };
                        let lives = expiry.min(*lives);
                        if expiry > now && further.get(&to).is_none_or(|(best, _)| lives > *best) {
                            further.insert(to, (lives, [&route[..], &[to]].concat()));
                        }
                    }
                }
                reached.extend(further.clone());
                level = further;
            }
            (destination != 0).then(|| reached.get(&destination).map(|(_, route)| route.clone())).flatten()
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Add(Vec<u32>),
        Hear(Vec<u32>, usize),
        Use(Vec<u32>),
        Remove(u32, u32),
        Wait(u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        let path = || prop::collection::vec(0..NODES, 2..5);
        prop_oneof![
            4 => path().prop_map(Step::Add),
            2 => (path(), 0..2_usize).prop_map(|(path, sender)| Step::Hear(path, sender)),
            2 => path().prop_map(Step::Use),
            3 => (0..NODES, 0..NODES).prop_map(|(a, b)| Step::Remove(a, b)),
            2 => (0..20_u64).prop_map(Step::Wait),
        ]
    }

    proptest! {
        /// Links come, are used, break, expire and come again: places are used again, and nothing old is found there.
        #[test]
        fn a_plain_table_finds_the_same_routes(
            steps in prop::collection::vec(step(), 1..80),
            flush_link_cache in prop::bool::weighted(0.2),
            two_way_links in any::<bool>(),
            cache_links in prop_oneof![Just(1_000_000), 1..12_usize],
        ) {
            let config = Config { flush_link_cache, two_way_links, cache_links, ..Config::rfc() };
            let mut links = Links::new(NodeId(0).address(), &config);
            let stability = [config.init_stability; NODES as usize];
            let mut plain = Plain { config, links: BTreeMap::new(), stability };
            let mut now = Time::ZERO;
            for step in steps {
                match step {
                    Step::Add(path) => {
                        links.add(now, &nodes(&path));
                        plain.add(now, &path);
                    }
                    Step::Hear(path, sender) => {
                        links.add_heard(now, &nodes(&path), sender);
                        plain.add(now, &path);
                        plain.add(now, &[0, path[sender]]);
                    }
                    Step::Use(path) => {
                        links.used(now, &nodes(&path));
                        plain.used(now, &path);
                    }
                    Step::Remove(a, b) => {
                        let [from, to] = [a, b].map(|n| NodeId(n).address());
                        prop_assert_eq!(links.remove_link(now, from, to), plain.remove(a, b));
                    }
                    Step::Wait(seconds) => now += Duration::from_secs(seconds),
                }
                for to in 0..NODES {
                    let expected = plain.find(now, to).map(|route| nodes(&route));
                    prop_assert_eq!(links.find(now, NodeId(to).address()), expected, "to {} at {}", to, now);
                }
            }
        }
    }
}
