//! The routing table: shortest paths over what HELLOs and TC messages say.
//!
//! A table is worked out when a route is asked for and something has changed since. Most changes come while
//! nobody asks.
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
    table: BTreeMap<Address, Route>,
    /// Until then they hold, if no message comes.
    valid_until: Time,
}

impl Routes {
    /// Routes that are asked for never.
    pub(super) const NONE: Self = Self { table: BTreeMap::new(), valid_until: Time::ZERO };

    pub(super) fn is_stale(&self, now: Time) -> bool {
        self.valid_until <= now
    }

    /// They no longer hold.
    pub(super) fn discard(&mut self) {
        self.valid_until = Time::ZERO;
    }

    pub(super) fn get(&self, destination: Address) -> Option<Route> {
        self.table.get(&destination).copied()
    }

    /// Works the table out.
    pub(super) fn compute(now: Time, me: Address, near: &Neighbourhood, far: &Topology) -> Self {
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
        // Step 4: one hop more at a time.
        let mut hops = 2;
        while !frontier.is_empty() {
            hops += 1;
            let mut beyond = Vec::new();
            for (last, next_hop) in frontier {
                for address in far.of(now, last).filter(|&address| address != me) {
                    if let Entry::Vacant(entry) = table.entry(address) {
                        entry.insert(Route { next_hop, hops });
                        beyond.push((address, next_hop));
                    }
                }
            }
            frontier = beyond;
        }
        Self { table, valid_until: far.first_expiry(now) }
    }
}
