//! The routing table: shortest paths over what HELLOs and TC messages say.
//!
//! A table is worked out when a route is asked for and something has changed since. Most changes come while
//! nobody asks. It is worked out as far as the destination asked for, and only changes within that distance discard
//! it: most traffic of a large network is local, and somewhere in it something always changes.
//!
//! Spec      RFC 3626 §10
//! Deviates  where the RFC leaves the choice, the next hop with the lowest address wins; addresses of further
//!           interfaces (§10 step 5) do not exist
//! Holds     a route of n hops is a shortest path in what the node knows

use std::collections::hash_map::Entry;

use hopwright_machine::{Address, NodeId, Time};
use rustc_hash::{FxBuildHasher, FxHashMap};

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
    table: FxHashMap<Address, Route>,
    hops: u32,
    /// The destinations at that distance, with their next hops; empty when there is nothing beyond.
    frontier: Vec<(Address, NodeId)>,
    /// Until then they hold, if no message comes: when the first list that was read runs out.
    valid_until: Time,
}

impl Routes {
    /// Routes that are asked for never.
    pub(super) const NONE: Self =
        Self { table: FxHashMap::with_hasher(FxBuildHasher), hops: 0, frontier: Vec::new(), valid_until: Time::ZERO };

    pub(super) fn is_stale(&self, now: Time) -> bool {
        self.valid_until <= now
    }

    /// They no longer hold.
    pub(super) fn discard(&mut self) {
        self.valid_until = Time::ZERO;
    }

    /// Whether what this node says in TC messages was read.
    pub(super) fn read(&self, node: Address) -> bool {
        self.table.get(&node).is_some_and(|route| (2..self.hops).contains(&route.hops))
    }

    /// The route to `destination`. `far` must know of all nodes that were `read` what it knew then.
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
            for list in far.of(now, last) {
                self.valid_until = self.valid_until.min(list.expiry);
                for &address in list.neighbours().iter().filter(|&&address| address != me) {
                    if let Entry::Vacant(entry) = self.table.entry(address) {
                        entry.insert(Route { next_hop, hops: self.hops });
                        self.frontier.push((address, next_hop));
                    }
                }
            }
        }
    }

    /// Begins the table: routes of one hop and of two.
    pub(super) fn begin(now: Time, me: Address, near: &Neighbourhood) -> Self {
        let mut table = FxHashMap::default();
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
        Self { table, hops: 2, frontier, valid_until: Time::NEVER }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hopwright_machine::{Duration, Machine, PacketId};
    use hopwright_wire::olsr::{
        Body, Hello, LinkCode, LinkMessage, LinkType, Message, NeighbourType, Packet, Tc, TimeCode,
    };
    use hopwright_wire::{self as wire, Payload};
    use proptest::prelude::*;

    use super::super::{Config, Olsr};
    use super::*;
    use crate::Input;

    const ME: NodeId = NodeId(0);
    const NODES: u32 = 12;

    /// What may happen at a node in a network of `NODES`.
    #[derive(Clone, Debug)]
    enum Step {
        Wait { ms: u64 },
        Hello { from: u32, reaches: Vec<u32> },
        Tc { originator: u32, new: bool, advertised: Vec<u32>, validity_s: u64 },
        Ask { destination: u32 },
    }

    fn step() -> impl Strategy<Value = Step> {
        let nodes = || prop::collection::vec(1..NODES, 0..5);
        let tc = (3..NODES, any::<bool>(), nodes(), 1..20u64);
        prop_oneof![
            2 => (1..4000u64).prop_map(|ms| Step::Wait { ms }),
            2 => (1..4u32, nodes()).prop_map(|(from, reaches)| Step::Hello { from, reaches }),
            4 => tc.prop_map(|(originator, new, advertised, validity_s)| {
                Step::Tc { originator, new, advertised, validity_s }
            }),
            8 => (1..NODES).prop_map(|destination| Step::Ask { destination }),
        ]
    }

    /// A router, and what it is told.
    struct Bench {
        olsr: Olsr,
        sequence: u16,
        ansn: u16,
    }

    impl Bench {
        fn hear(&mut self, from: u32, originator: u32, validity_s: u64, body: Body) {
            self.sequence += 1;
            let validity = TimeCode::at_least(Duration::from_secs(validity_s));
            let (originator, sequence) = (NodeId(originator).address(), self.sequence);
            let message = Message { validity, originator, ttl: 9, hop_count: 0, sequence, body };
            let payload = Payload::Olsr(Packet { sequence, messages: [message].into() });
            let packet = wire::Packet::new(PacketId(1), NodeId(from).address(), Address::BROADCAST, 1, payload);
            self.olsr.handle(self.olsr.now, Input::Receive { packet, from: NodeId(from) });
            while self.olsr.poll().is_some() {}
        }

        fn play(&mut self, step: &Step) {
            let addresses = |nodes: &[u32]| nodes.iter().map(|&node| NodeId(node).address()).collect::<Vec<_>>();
            match step {
                Step::Wait { ms } => {
                    self.olsr.handle(self.olsr.now + Duration::from_millis(*ms), Input::Wake);
                    while self.olsr.poll().is_some() {}
                }
                Step::Hello { from, reaches } => {
                    let code = LinkCode::new(LinkType::Symmetric, NeighbourType::Symmetric);
                    let mut neighbours = addresses(reaches);
                    neighbours.push(ME.address());
                    let links = vec![LinkMessage { code, neighbours }];
                    let interval = TimeCode::at_least(Duration::from_secs(2));
                    self.hear(*from, *from, 6, Body::Hello(Hello { interval, willingness: 3, links }.into()));
                }
                Step::Tc { originator, new, advertised, validity_s } => {
                    self.ansn += u16::from(*new);
                    let advertised = addresses(advertised).into();
                    self.hear(1, *originator, *validity_s, Body::Tc(Tc { ansn: self.ansn, advertised }.into()));
                }
                Step::Ask { destination } => {
                    self.olsr.route(NodeId(*destination).address());
                }
            }
        }
    }

    proptest! {
        /// A table that was kept, and worked out as far as was asked, says what one that is begun now would say.
        #[test]
        fn what_is_kept_is_what_would_be_found_now(steps in prop::collection::vec(step(), 0..60)) {
            let olsr = Olsr::new(ME, 1, Arc::default(), Config::rfc());
            let mut bench = Bench { olsr, sequence: 0, ansn: 0 };
            bench.play(&Step::Hello { from: 1, reaches: vec![3, 4] });
            for (n, step) in steps.iter().enumerate() {
                bench.play(step);
                let Step::Ask { destination } = step else { continue };
                let (olsr, destination) = (&bench.olsr, NodeId(*destination).address());
                let fresh =
                    Routes::begin(olsr.now, ME.address(), &olsr.near).get(olsr.now, ME.address(), &olsr.far, destination);
                prop_assert_eq!(olsr.route(destination), fresh, "step {}", n);
            }
        }
    }
}
