//! The routing table: shortest paths over what HELLOs and TC messages say.
//!
//! A table is worked out when a route is asked for and something has changed since. Most changes come while
//! nobody asks. It is worked out as far as the destination asked for: most traffic of a large network is local, and
//! what changes anywhere discards the table.
//!
//! Spec      RFC 3626 §10
//! Deviates  where the RFC leaves the choice, the next hop with the lowest address wins; addresses of further
//!           interfaces (§10 step 5) do not exist
//! Holds     a route of n hops is a shortest path in what the node knows

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use hopwright_machine::{Address, NodeId, Time};

use super::neighbourhood::Neighbourhood;
use super::topology::Topology;

/// Where packets to a destination go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Route {
    pub(super) next_hop: NodeId,
    pub(super) hops: u32,
}

/// The routes at one time.
#[derive(Debug)]
pub(super) struct Routes {
    /// All routes of up to `hops` hops.
    table: BTreeMap<Address, Route>,
    hops: u32,
    /// The destinations at that distance, with their next hops; empty when there is nothing beyond.
    frontier: Vec<(Address, NodeId)>,
    /// Until then they hold, if no message comes.
    valid_until: Time,
}

impl Routes {
    /// Routes that are asked for never.
    pub(super) const NONE: Self =
        Self { table: BTreeMap::new(), hops: 0, frontier: Vec::new(), valid_until: Time::ZERO };

    pub(super) fn is_stale(&self, now: Time) -> bool {
        self.valid_until <= now
    }

    /// They no longer hold.
    pub(super) fn discard(&mut self) {
        self.valid_until = Time::ZERO;
    }

    /// The route to `destination`. `far` must know what it knew when the table was begun.
    pub(super) fn get(&mut self, now: Time, me: Address, far: &Topology, destination: Address) -> Option<Route> {
        loop {
            let found = self.table.get(&destination).copied();
            if found.is_some() || self.frontier.is_empty() {
                return found;
            }
            self.extend(now, me, far);
        }
    }

    /// Step 4: one hop more.
    fn extend(&mut self, now: Time, me: Address, far: &Topology) {
        self.hops += 1;
        for (last, next_hop) in std::mem::take(&mut self.frontier) {
            for address in far.of(now, last).filter(|&address| address != me) {
                if let Entry::Vacant(entry) = self.table.entry(address) {
                    entry.insert(Route { next_hop, hops: self.hops });
                    self.frontier.push((address, next_hop));
                }
            }
        }
    }

    /// Begins the table: routes of one hop and of two.
    pub(super) fn begin(now: Time, me: Address, near: &Neighbourhood, far: &Topology) -> Self {
        let mut table = BTreeMap::new();
        // Step 2: neighbours.
        for (address, neighbour) in near.symmetric() {
            table.insert(address, Route { next_hop: neighbour.node, hops: 1 });
        }
        // Step 3: what willing neighbours reach. Of several the most willing, then one that chose this node as
        // relay (step 4.2, of routes of one hop).
        let mut best: Vec<_> = near.symmetric().filter(|(_, neighbour)| neighbour.is_willing()).collect();
        best.sort_by_key(|(_, n)| (std::cmp::Reverse(n.willingness), !n.selects_us(now)));
        let mut frontier = Vec::new();
        for (_, neighbour) in best {
            let route = Route { next_hop: neighbour.node, hops: 2 };
            for address in neighbour.reaches().filter(|&address| address != me) {
                if let Entry::Vacant(entry) = table.entry(address) {
                    entry.insert(route);
                    frontier.push((address, route.next_hop));
                }
            }
        }
        Self { table, hops: 2, frontier, valid_until: far.first_expiry(now) }
    }
}
