//! The routing table of RFC 3561.
//!
//! Spec      RFC 3561 §2 (terms), §6.1, §6.2
//! Deviates  a neighbour's known sequence number is kept when a message arrives from it (§6.2 leaves open
//!           whether it becomes unknown); a lost route's number grows at least by one (see `invalidate`)
//! Holds     while a route is remembered, its sequence number never goes back

use std::collections::BTreeSet;

use hopwright_machine::{Address, Duration, NodeId, Time};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

/// Whether sequence number `a` is newer than `b` (§6.1: signed 32-bit arithmetic, so that it may wrap).
pub(super) const fn is_newer(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) > 0
}

/// The newer of two sequence numbers.
pub(super) const fn newest(a: u32, b: u32) -> u32 {
    if is_newer(a, b) { a } else { b }
}

#[derive(Debug)]
pub(super) struct Route {
    pub(super) valid: bool,
    /// `None`: unknown ("invalid sequence number" in the RFC's terms).
    pub(super) sequence: Option<u32>,
    pub(super) hops: u8,
    pub(super) next_hop: NodeId,
    /// End of use of a valid route, deletion of an invalid one. `Table::heard` may know of a later end.
    lifetime: Time,
    /// Until when a lost route may be repaired here (§6.12); `Time::ZERO`: not at all.
    pub(super) repairable_until: Time,
    /// Neighbours that are likely to send packets to the destination through this node.
    pub(super) precursors: BTreeSet<NodeId>,
}

/// What a message says about a route.
#[derive(Clone, Copy, Debug)]
pub(super) struct News {
    pub(super) sequence: Option<u32>,
    pub(super) hops: u8,
    pub(super) next_hop: NodeId,
    pub(super) lifetime: Time,
}

#[derive(Debug)]
pub(super) struct Table {
    heard: Heard,
    routes: IndexMap<Address, Route, FxBuildHasher>,
    delete_period: Duration,
    /// No lifetime ends before.
    quiet_until: Time,
}

impl Table {
    pub(super) fn new(delete_period: Duration) -> Self {
        Self {
            routes: IndexMap::default(),
            heard: Heard([Neighbours::NONE; Heard::SETS]),
            delete_period,
            quiet_until: Time::NEVER,
        }
    }

    /// No lifetime ends before.
    pub(super) fn quiet_until(&self) -> Time {
        self.quiet_until
    }

    pub(super) fn get(&self, destination: Address) -> Option<&Route> {
        self.routes.get(&destination)
    }

    pub(super) fn get_mut(&mut self, destination: Address) -> Option<&mut Route> {
        self.settle(destination);
        self.routes.get_mut(&destination)
    }

    pub(super) fn valid_mut(&mut self, destination: Address) -> Option<&mut Route> {
        self.get_mut(destination).filter(|route| route.valid)
    }

    pub(super) fn valid(&self, destination: Address) -> Option<&Route> {
        self.routes.get(&destination).filter(|route| route.valid)
    }

    /// When the use of a valid route ends.
    pub(super) fn valid_until(&self, destination: Address) -> Option<Time> {
        let heard = self.heard.until(destination).unwrap_or(Time::ZERO);
        self.valid(destination).map(|route| route.lifetime.max(heard))
    }

    /// A neighbour was heard: lets the route to it live at least until `lifetime`. Returns whether there is a valid one
    /// that leads straight there.
    pub(super) fn hear(&mut self, neighbour: NodeId, lifetime: Time) -> bool {
        if self.hear_again(neighbour, lifetime) {
            return true;
        }
        let destination = neighbour.address();
        let Some(route) = self.routes.get_mut(&destination).filter(|r| r.valid && r.next_hop == neighbour) else {
            return false;
        };
        route.lifetime = route.lifetime.max(lifetime);
        self.heard.insert(destination, lifetime);
        true
    }

    /// The same as far as one look can tell: if that does not find the neighbour, nothing has changed.
    #[inline]
    pub(super) fn hear_again(&mut self, neighbour: NodeId, lifetime: Time) -> bool {
        self.heard.renew(neighbour.address(), lifetime)
    }

    /// Has the route itself say how long it lives: somebody will change it, or read it.
    fn settle(&mut self, destination: Address) {
        if let Some(until) = self.heard.remove(destination)
            && let Some(route) = self.routes.get_mut(&destination)
        {
            route.lifetime = route.lifetime.max(until);
        }
    }

    /// Ends and deletes what is due. Must be called before the table is read at a new time.
    pub(super) fn advance(&mut self, now: Time) {
        if now < self.quiet_until {
            return;
        }
        let delete_period = self.delete_period;
        for (&destination, route) in &mut self.routes {
            if route.valid
                && route.lifetime <= now
                && let Some(until) = self.heard.remove(destination)
            {
                route.lifetime = route.lifetime.max(until);
            }
            if route.valid && route.lifetime <= now {
                // §6.1: an expired route's number is incremented.
                let ended = route.lifetime;
                invalidate(route, None, ended, delete_period);
            }
        }
        if self.routes.values().any(|route| route.lifetime <= now) {
            self.routes.retain(|_, route| route.lifetime > now);
        }
        self.quiet_until = self.routes.values().map(|route| route.lifetime).min().unwrap_or(Time::NEVER);
    }

    /// Creates or updates a route if the news is better than what is known (§6.2). Says whether it was.
    pub(super) fn update(&mut self, destination: Address, news: News) -> bool {
        self.settle(destination);
        self.quiet_until = self.quiet_until.min(news.lifetime);
        let Some(route) = self.routes.get_mut(&destination) else {
            let News { sequence, hops, next_hop, lifetime } = news;
            let precursors = BTreeSet::new();
            let repairable_until = Time::ZERO;
            let route = Route { valid: true, sequence, hops, next_hop, lifetime, repairable_until, precursors };
            self.routes.insert(destination, route);
            return true;
        };
        let better = match (news.sequence, route.sequence) {
            (Some(new), Some(old)) => {
                is_newer(new, old) || (new == old && (!route.valid || news.hops < route.hops)) // §6.2 (i)-(ii)
            }
            _ => true, // §6.2 (iii): one of the numbers is unknown
        };
        if better {
            route.valid = true;
            route.sequence = news.sequence.or(route.sequence);
            route.hops = news.hops;
            route.next_hop = news.next_hop;
            route.lifetime = news.lifetime;
            route.repairable_until = Time::ZERO;
        }
        better
    }

    /// Lets a valid route live at least until `lifetime`.
    pub(super) fn extend(&mut self, destination: Address, lifetime: Time) {
        if let Some(route) = self.valid_mut(destination) {
            route.lifetime = route.lifetime.max(lifetime);
        }
    }

    /// Takes a route out of use (§6.11). `told`: the number that a neighbour's error gives.
    pub(super) fn invalidate(&mut self, destination: Address, told: Option<u32>, now: Time) -> Option<&mut Route> {
        self.settle(destination);
        let route = self.routes.get_mut(&destination)?;
        invalidate(route, told, now, self.delete_period);
        self.quiet_until = self.quiet_until.min(route.lifetime);
        Some(route)
    }

    /// Takes a route out of use that may be repaired for as long as it would have been in use.
    pub(super) fn invalidate_for_repair(&mut self, destination: Address, now: Time) {
        let Some(until) = self.valid_until(destination) else { return };
        if let Some(route) = self.invalidate(destination, None, now) {
            route.repairable_until = until;
        }
    }

    /// Destinations of the valid routes through `neighbour`, in the order of addresses.
    pub(super) fn through(&self, neighbour: NodeId) -> Vec<Address> {
        let through = self.routes.iter().filter(|(_, route)| route.valid && route.next_hop == neighbour);
        let mut destinations: Vec<Address> = through.map(|(destination, _)| *destination).collect();
        destinations.sort_unstable();
        destinations
    }

    /// Removes a lost neighbour from all precursor lists.
    pub(super) fn forget_precursor(&mut self, neighbour: NodeId) {
        for route in self.routes.values_mut() {
            route.precursors.remove(&neighbour);
        }
    }
}

/// Neighbours that were heard lately, to whom a valid route leads straight, and until when that keeps it alive.
///
/// A neighbour is heard with every copy of every flooded request, and most copies tell nothing else: they need not touch
/// the table.
// Not in a place of their own: to find that would be one more step for every copy.
#[derive(Debug)]
struct Heard([Neighbours; Self::SETS]);

/// Some of these neighbours: they fill a line of the cache, so that one look finds a neighbour or does not.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Neighbours {
    until: [Time; Self::MOST],
    /// `NOBODY` where there is room.
    neighbours: [Address; Self::MOST],
}

impl Neighbours {
    const MOST: usize = 5;
    const NOBODY: Address = Address::BROADCAST;
    const NONE: Self = Self { until: [Time::ZERO; Self::MOST], neighbours: [Self::NOBODY; Self::MOST] };

    #[inline]
    fn place(&self, neighbour: Address) -> Option<usize> {
        self.neighbours.iter().position(|&n| n == neighbour)
    }
}

impl Heard {
    /// Those that have no room in their set are looked up in the table.
    const SETS: usize = 16;

    const fn set(neighbour: Address) -> usize {
        neighbour.0 as usize % Self::SETS
    }

    /// The set and the place in it of a neighbour that is there.
    #[inline]
    fn find(&mut self, neighbour: Address) -> Option<(&mut Neighbours, usize)> {
        let set = &mut self.0[Self::set(neighbour)];
        let place = set.place(neighbour)?;
        Some((set, place))
    }

    fn until(&self, neighbour: Address) -> Option<Time> {
        let set = &self.0[Self::set(neighbour)];
        set.place(neighbour).map(|place| set.until[place])
    }

    /// Returns whether the neighbour was there.
    #[inline]
    fn renew(&mut self, neighbour: Address, until: Time) -> bool {
        let Some((set, place)) = self.find(neighbour) else { return false };
        set.until[place] = set.until[place].max(until);
        true
    }

    fn insert(&mut self, neighbour: Address, until: Time) {
        let set = &mut self.0[Self::set(neighbour)];
        if let Some(place) = set.place(Neighbours::NOBODY) {
            (set.neighbours[place], set.until[place]) = (neighbour, until);
        }
    }

    fn remove(&mut self, neighbour: Address) -> Option<Time> {
        let (set, place) = self.find(neighbour)?;
        set.neighbours[place] = Neighbours::NOBODY;
        Some(set.until[place])
    }
}

/// §6.11 copies the number from a received error. Copying an old number would lower ours, and lowered
/// numbers let loops form (van Glabbeek et al. 2013): take the newer of the error's and our own plus one.
fn invalidate(route: &mut Route, told: Option<u32>, now: Time, delete_period: Duration) {
    if route.valid {
        route.sequence =
            route.sequence.map(|own| told.map_or(own.wrapping_add(1), |told| newest(own.wrapping_add(1), told)));
    }
    route.valid = false;
    route.lifetime = now + delete_period;
    route.repairable_until = Time::ZERO;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(sequence: Option<u32>, hops: u8, next_hop: u32) -> News {
        News { sequence, hops, next_hop: NodeId(next_hop), lifetime: Time::from_nanos(10) }
    }

    #[test]
    fn newer_wins_then_shorter_and_numbers_wrap() {
        let d = NodeId(9).address();
        let mut table = Table::new(Duration::from_nanos(50));
        assert!(table.update(d, news(Some(u32::MAX), 3, 1)));
        assert!(!table.update(d, news(Some(u32::MAX - 1), 1, 2)), "stale");
        assert!(!table.update(d, news(Some(u32::MAX), 3, 2)), "as fresh, not shorter");
        assert!(table.update(d, news(Some(u32::MAX), 2, 2)), "as fresh and shorter");
        assert!(table.update(d, news(Some(0), 7, 3)), "newer by wrapping");
        assert_eq!(table.get(d).map(|route| (route.hops, route.next_hop)), Some((7, NodeId(3))));
    }

    #[test]
    fn a_route_expires_with_a_newer_number_and_is_deleted_later() {
        let d = NodeId(9).address();
        let mut table = Table::new(Duration::from_nanos(50));
        table.update(d, news(Some(5), 3, 1));
        table.advance(Time::from_nanos(9));
        assert!(table.valid(d).is_some());
        table.advance(Time::from_nanos(10));
        assert_eq!(table.get(d).map(|route| (route.valid, route.sequence)), Some((false, Some(6))));
        assert!(!table.update(d, news(Some(5), 1, 2)), "the old number no longer counts");
        table.advance(Time::from_nanos(60));
        assert!(table.get(d).is_none());
    }

    #[test]
    fn a_neighbour_that_is_heard_keeps_its_route_for_as_long_as_it_was_last_promised() {
        let (n, d) = (NodeId(1), NodeId(1).address());
        let at = Time::from_nanos;
        let mut table = Table::new(Duration::from_nanos(50));
        assert!(!table.hear(n, at(12)), "there is no route to renew");
        table.update(d, news(Some(4), 1, 1)); // until 10
        for until in [12, 20, 15] {
            assert!(table.hear(n, at(until)));
        }
        assert_eq!(table.valid_until(d), Some(at(20)));
        table.advance(at(10));
        table.advance(at(19));
        assert_eq!(table.get_mut(d).map(|route| (route.valid, route.lifetime)), Some((true, at(20))));
        assert!(table.hear(n, at(30)));
        table.extend(d, at(25));
        assert_eq!(table.valid_until(d), Some(at(30)), "never shortened");
        table.advance(at(30));
        assert_eq!(table.get(d).map(|route| (route.valid, route.sequence)), Some((false, Some(5))));
        assert!(!table.hear(n, at(40)), "it has expired");
    }

    #[test]
    fn a_neighbour_that_is_heard_renews_only_the_route_straight_there() {
        let (n, d) = (NodeId(1), NodeId(1).address());
        let at = Time::from_nanos;
        let mut table = Table::new(Duration::from_nanos(50));
        table.update(d, news(Some(4), 1, 1));
        assert!(table.hear(n, at(20)));
        table.invalidate(d, None, at(5));
        assert!(!table.hear(n, at(30)), "it is lost");
        table.update(d, news(Some(6), 2, 3));
        assert_eq!(table.valid_until(d), Some(at(10)), "what was promised of the lost route is forgotten");
        assert!(!table.hear(n, at(30)), "it leads over another neighbour");
    }

    #[test]
    fn more_neighbours_than_are_remembered_are_all_renewed() {
        let mut table = Table::new(Duration::from_nanos(50));
        for n in 0..200 {
            table.update(NodeId(n).address(), news(Some(4), 1, n));
        }
        for until in [20, 30] {
            assert!((0..200).all(|n| table.hear(NodeId(n), Time::from_nanos(until))));
        }
        table.advance(Time::from_nanos(29));
        assert!((0..200).all(|n| table.valid_until(NodeId(n).address()) == Some(Time::from_nanos(30))));
        table.advance(Time::from_nanos(30));
        assert!((0..200).all(|n| table.valid(NodeId(n).address()).is_none()));
    }

    #[test]
    fn an_error_with_an_old_number_does_not_lower_ours() {
        let d = NodeId(9).address();
        let mut table = Table::new(Duration::from_nanos(50));
        table.update(d, news(Some(5), 3, 1));
        table.invalidate(d, Some(2), Time::ZERO);
        assert_eq!(table.get(d).and_then(|route| route.sequence), Some(6));
    }
}
