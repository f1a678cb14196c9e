//! A path cache: whole routes from this node.
//!
//! Spec      RFC 4728 §4.1, §9 (RouteCacheTimeout)
//! Deviates  nothing
//! Holds     no route names a node twice; none is found later than RouteCacheTimeout after its last use

use hopwright_machine::{Address, Duration, Time};

/// A route and when it was last used or learnt.
#[derive(Debug)]
struct Kept {
    route: Vec<Address>,
    used: Time,
}

/// The routes of one node.
#[derive(Debug)]
pub(in crate::dsr) struct Paths {
    me: Address,
    limit: usize,
    timeout: Duration,
    kept: Vec<Kept>,
}

impl Paths {
    pub(super) fn new(me: Address, limit: usize, timeout: Duration) -> Self {
        Self { me, limit, timeout, kept: Vec::new() }
    }

    /// Both directions from this node, if it is on the path at all.
    pub(super) fn add(&mut self, now: Time, path: &[Address]) {
        let Some(here) = path.iter().position(|&node| node == self.me) else { return };
        self.keep(now, path[here..].to_vec());
        self.keep(now, path[..=here].iter().rev().copied().collect());
    }

    /// A packet on this path was overheard as this place of it sent it.
    pub(super) fn add_heard(&mut self, now: Time, path: &[Address], sender: usize) {
        if path.contains(&self.me) {
            self.add(now, path);
            return self.add(now, &[self.me, path[sender]]);
        }
        let from_here = || std::iter::once(self.me);
        let onward = from_here().chain(path[sender..].iter().copied()).collect();
        let back = from_here().chain(path[..=sender].iter().rev().copied()).collect();
        self.keep(now, onward);
        self.keep(now, back);
    }

    fn keep(&mut self, now: Time, route: Vec<Address>) {
        if route.len() < 2 || has_repeats(&route) {
            return;
        }
        let timeout = self.timeout;
        self.kept.retain(|kept| now.since(kept.used) <= timeout && !route.starts_with(&kept.route));
        if let Some(longer) = self.kept.iter_mut().find(|kept| kept.route.starts_with(&route)) {
            longer.used = now;
            return;
        }
        if self.kept.len() >= self.limit
            && let Some(oldest) = (0..self.kept.len()).min_by_key(|&place| self.kept[place].used)
        {
            self.kept.remove(oldest);
        }
        self.kept.push(Kept { route, used: now });
    }

    /// The shortest route; of equal ones that used last.
    pub(super) fn find(&self, now: Time, destination: Address) -> Option<Vec<Address>> {
        let fresh = self.kept.iter().filter(|kept| now.since(kept.used) <= self.timeout);
        let hops = |kept: &Kept| kept.route.iter().skip(1).position(|&node| node == destination);
        let found = fresh.filter_map(|kept| Some((hops(kept)?, kept)));
        let (hops, kept) = found.min_by(|a, b| a.0.cmp(&b.0).then(b.1.used.cmp(&a.1.used)))?;
        Some(kept.route[..hops + 2].to_vec())
    }

    pub(super) fn used(&mut self, now: Time, route: &[Address]) {
        for kept in self.kept.iter_mut().filter(|kept| kept.route.starts_with(route)) {
            kept.used = now;
        }
    }

    pub(super) fn remove_link(&mut self, from: Address, to: Address) -> bool {
        let mut found = false;
        for kept in &mut self.kept {
            if let Some(at) = kept.route.windows(2).position(|link| link == [from, to] || link == [to, from]) {
                kept.route.truncate(at + 1);
                found = true;
            }
        }
        self.kept.retain(|kept| kept.route.len() > 1);
        found
    }
}

/// Whether a node is visited twice.
fn has_repeats(route: &[Address]) -> bool {
    route.iter().enumerate().any(|(at, node)| route[..at].contains(node))
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

    #[test]
    fn the_shortest_route_counts_until_its_timeout() {
        let mut paths = Paths::new(NodeId(0).address(), 3, Duration::from_secs(300));
        paths.add(at(0), &nodes(&[9, 8, 0, 1, 2, 3]));
        paths.add(at(10), &nodes(&[0, 5, 3]));
        assert_eq!(paths.find(at(11), NodeId(3).address()), Some(nodes(&[0, 5, 3])));
        assert_eq!(paths.find(at(11), NodeId(9).address()), Some(nodes(&[0, 8, 9])));
        assert_eq!(paths.find(at(311), NodeId(3).address()), None);
        paths.used(at(300), &nodes(&[0, 1, 2]));
        assert_eq!(paths.find(at(600), NodeId(3).address()), Some(nodes(&[0, 1, 2, 3])));
    }

    #[test]
    fn a_broken_link_cuts_routes_in_either_direction() {
        let mut paths = Paths::new(NodeId(0).address(), 3, Duration::from_secs(300));
        paths.add(at(0), &nodes(&[0, 1, 2, 3]));
        assert!(paths.remove_link(NodeId(3).address(), NodeId(2).address()));
        assert!(!paths.remove_link(NodeId(3).address(), NodeId(2).address()));
        assert_eq!(paths.find(at(0), NodeId(3).address()), None);
        assert_eq!(paths.find(at(0), NodeId(2).address()), Some(nodes(&[0, 1, 2])));
    }

    #[test]
    fn the_route_unused_longest_makes_room_and_repeats_are_refused() {
        let mut paths = Paths::new(NodeId(0).address(), 2, Duration::from_secs(300));
        for n in 1..=3 {
            paths.add(at(n.into()), &nodes(&[0, n]));
        }
        paths.add(at(4), &nodes(&[0, 4, 5, 4, 6]));
        let known: Vec<bool> = (1..=6).map(|n| paths.find(at(5), NodeId(n).address()).is_some()).collect();
        assert_eq!(known, [false, true, true, false, false, false]);
    }
}
