//! ns-2's flow state: packets of an established flow carry no source route.
//!
//! Spec      ns-2.35; RFC 4728 §3.5, §7 (the idea)
//! Deviates  the table has no limit (ns-2 stops at 3000 flows with an assertion); automatic route shortening of
//!           flows is left out, as a packet without a source route never passes ns-2's test for it
//! Holds     a default flow always has an odd identifier and an entry in the table

use std::collections::BTreeMap;

use hopwright_machine::{Address, Time};

/// One flow that goes through this node.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// Packets sent with the route, at the source only.
    pub(super) count: u32,
    pub(super) last_route: Time,
    pub(super) timeout: Time,
    /// This node's place on the route.
    pub(super) hop_count: usize,
    pub(super) ttl: u8,
    /// Whether packets may go without any header.
    pub(super) allow_default: bool,
    pub(super) route: Vec<Address>,
    pub(super) next_hop: Address,
}

type Ends = (Address, Address);

/// The flows of one node.
#[derive(Debug, Default)]
pub(super) struct Flows {
    flows: BTreeMap<Ends, Vec<(u16, Flow)>>,
    defaults: BTreeMap<Ends, u16>,
    next: u16,
}

impl Flows {
    pub(super) fn get(&self, ends: Ends, id: u16) -> Option<&Flow> {
        self.flows.get(&ends)?.iter().rev().find(|(other, _)| *other == id).map(|(_, flow)| flow)
    }

    pub(super) fn get_mut(&mut self, ends: Ends, id: u16) -> Option<&mut Flow> {
        self.flows.get_mut(&ends)?.iter_mut().rev().find(|(other, _)| *other == id).map(|(_, flow)| flow)
    }

    /// The newest flow over this route.
    pub(super) fn over(&self, ends: Ends, route: &[Address]) -> Option<u16> {
        self.flows.get(&ends)?.iter().rev().find(|(_, flow)| flow.route == route).map(|(id, _)| *id)
    }

    /// The flow of packets that name none.
    pub(super) fn usual(&self, ends: Ends) -> Option<u16> {
        self.defaults.get(&ends).copied()
    }

    /// A new identifier for a flow of this node: odd, so that the flow can be a default.
    pub(super) fn new_id(&mut self) -> u16 {
        self.next |= 1;
        let id = self.next;
        self.next = self.next.wrapping_add(1);
        id
    }

    pub(super) fn insert(&mut self, ends: Ends, id: u16, flow: Flow) {
        self.flows.entry(ends).or_default().push((id, flow));
        if id & 1 == 1 {
            let default = self.defaults.entry(ends).or_insert(id);
            if (id.wrapping_sub(*default) as i16) > 0 {
                *default = id;
            }
        }
    }

    /// Flows of `source` over this link end.
    pub(super) fn remove_link(&mut self, now: Time, source: Address, from: Address, to: Address) {
        let own = (source, Address(0))..=(source, Address::BROADCAST);
        for (_, flow) in self.flows.range_mut(own).flat_map(|(_, flows)| flows) {
            if flow.timeout >= now && flow.route.windows(2).any(|link| link == [from, to]) {
                flow.timeout = Time::ZERO;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::{Duration, NodeId};

    use super::*;

    #[test]
    fn the_newest_odd_flow_is_the_default_and_a_broken_link_ends_it() {
        let [a, b, c] = [0, 1, 2].map(|n| NodeId(n).address());
        let now = Time::ZERO + Duration::from_secs(5);
        let flow = Flow {
            count: 1,
            last_route: now,
            timeout: now,
            hop_count: 0,
            ttl: 32,
            allow_default: true,
            route: vec![a, b, c],
            next_hop: b,
        };
        let mut flows = Flows::default();
        let (first, second) = (flows.new_id(), flows.new_id());
        assert_eq!((first, second), (1, 3));
        flows.insert((a, c), second, flow.clone());
        flows.insert((a, c), first, flow);
        assert_eq!(flows.usual((a, c)), Some(3));
        assert_eq!(flows.over((a, c), &[a, b, c]), Some(first));
        flows.remove_link(now, a, b, c);
        assert_eq!(flows.get((a, c), first).map(|flow| flow.timeout), Some(Time::ZERO));
        assert!(flows.get((c, a), first).is_none());
    }
}
