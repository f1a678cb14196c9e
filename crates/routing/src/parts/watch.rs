//! Which destinations came back, for protocols whose routes change without anybody asking for one.
//!
//! A route that has just failed a packet counts as none, as long as it leads to the same neighbour and that one has
//! not been heard of: such a protocol keeps it until a timer tells, and then may replace it at once.
//!
//! Spec      Chandran et al. 2001 (the node that noticed a failure tells of the new route)
//! Deviates  nothing
//! Holds     a destination comes back only after it was gone

use std::collections::BTreeMap;

use hopwright_machine::{Address, NodeId, Time};
use hopwright_wire::Packet;
use hopwright_wire::notice::Notice;

use super::Outbox;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Up,
    Down,
    /// The route over this neighbour failed a packet.
    Failed(NodeId),
}

/// What is known of destinations that somebody wants to hear of.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    states: BTreeMap<Address, State>,
}

impl Watch {
    /// A packet could not go to `next_hop`, or to anybody. Gives the notice for its source, if that asks for one.
    pub(crate) fn undeliverable(
        &mut self,
        out: &mut Outbox,
        now: Time,
        packet: &Packet,
        next_hop: Option<NodeId>,
    ) -> Option<Notice> {
        let notice = out.undeliverable(now, packet, next_hop);
        // Only now: what has just been told is wanted.
        if out.is_wanted(packet.destination) {
            self.failed(packet.destination, next_hop);
        }
        notice
    }

    fn failed(&mut self, destination: Address, next_hop: Option<NodeId>) {
        self.states.insert(destination, next_hop.map_or(State::Down, State::Failed));
    }

    /// This neighbour has been heard of, and hears us: its failures are over.
    pub(crate) fn alive(&mut self, neighbour: NodeId) {
        for state in self.states.values_mut().filter(|state| **state == State::Failed(neighbour)) {
            *state = State::Down;
        }
    }

    /// Tells transports here and elsewhere of destinations that have come back; `routes` has the next hop to every
    /// address that the outbox wants.
    pub(crate) fn tell(&mut self, out: &mut Outbox, routes: BTreeMap<Address, Option<NodeId>>) {
        if routes.is_empty() {
            return; // the usual case: nobody asked
        }
        for address in self.look(&routes) {
            for (to, notice) in out.route_up(address) {
                out.notify(to, notice, routes.get(&to).copied().flatten());
            }
        }
    }

    /// Which of these destinations, given with their next hops, have come back since the last look. A destination that
    /// was not looked at before counts as gone.
    fn look(&mut self, routes: &BTreeMap<Address, Option<NodeId>>) -> Vec<Address> {
        let mut back = Vec::new();
        for (&destination, &next_hop) in routes {
            let state = self.states.entry(destination).or_insert(State::Down);
            match (*state, next_hop) {
                (State::Failed(failed), Some(next_hop)) if failed == next_hop => {}
                (State::Up, Some(_)) => {}
                (_, None) => *state = State::Down,
                (_, Some(_)) => {
                    *state = State::Up;
                    back.push(destination);
                }
            }
        }
        back
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_destination_comes_back_by_another_neighbour_or_when_the_lost_one_is_heard_again() {
        let to = Address(9);
        let mut watch = Watch::default();
        let look =
            |watch: &mut Watch, next: Option<u32>| !watch.look(&BTreeMap::from([(to, next.map(NodeId))])).is_empty();
        assert!(!look(&mut watch, None));
        assert!(look(&mut watch, Some(1)));
        assert!(!look(&mut watch, Some(2)), "another route, but never none");
        watch.failed(to, Some(NodeId(2)));
        assert!(!look(&mut watch, Some(2)), "the route that failed");
        assert!(look(&mut watch, Some(3)));
        watch.failed(to, Some(NodeId(3)));
        watch.alive(NodeId(2));
        assert!(!look(&mut watch, Some(3)));
        watch.alive(NodeId(3));
        assert!(look(&mut watch, Some(3)));
        assert!(!look(&mut watch, Some(3)), "told once");
    }
}
