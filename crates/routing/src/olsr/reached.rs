//! What one neighbour reaches: its symmetric neighbours, as its HELLOs say.
//!
//! A HELLO names all of them, as a rule, and they are believed until the same time: it stands once. In a dense network
//! these lists are much of a node's memory.
//!
//! Spec      RFC 3626 §4.3.2, §8.2.1
//! Deviates  nothing
//! Holds     in the order of addresses; every node has a time in `times`

use hopwright_machine::{Address, Time};
use hopwright_wire::olsr::NeighbourType;

/// The two-hop tuples of one neighbour, without this node.
#[derive(Debug, Default)]
pub(super) struct Reached {
    /// Each with the number of the HELLO that named it last.
    nodes: Vec<(Address, u32)>,
    /// N_time of the HELLOs from number `first` on.
    times: Vec<Time>,
    first: u32,
}

/// A HELLO that is being read.
pub(super) struct Reading {
    number: u32,
    /// Where the next node is looked for first: a HELLO names them in order, as a rule, and the same as the last.
    place: usize,
}

impl Reached {
    pub(super) fn nodes(&self) -> impl Iterator<Item = Address> {
        self.nodes.iter().map(|&(address, _)| address)
    }

    /// Nothing is reached any more.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// A HELLO begins; what it names is believed until `expiry`.
    pub(super) fn begin(&mut self, expiry: Time) -> Reading {
        if self.times.last() != Some(&expiry) {
            self.times.push(expiry);
        }
        Reading { number: self.first + self.times.len() as u32 - 1, place: 0 }
    }

    /// It names a node. Says whether that is news.
    pub(super) fn note(&mut self, reading: &mut Reading, address: Address, kind: NeighbourType) -> bool {
        let found = match self.nodes.get(reading.place) {
            Some(&(there, _)) if there == address => Ok(reading.place),
            _ => self.nodes.binary_search_by_key(&address, |&(address, _)| address),
        };
        reading.place = found.map_or_else(|place| place, |place| place + 1);
        match (kind, found) {
            (NeighbourType::Not, Ok(place)) => {
                self.nodes.remove(place);
                true
            }
            (NeighbourType::Not, Err(_)) => false,
            (NeighbourType::Symmetric | NeighbourType::Mpr, Ok(place)) => {
                self.nodes[place].1 = reading.number;
                false
            }
            (NeighbourType::Symmetric | NeighbourType::Mpr, Err(place)) => {
                if self.nodes.len() == self.nodes.capacity() {
                    self.nodes.reserve_exact(self.nodes.len() / 4 + 8);
                }
                self.nodes.insert(place, (address, reading.number));
                true
            }
        }
    }

    /// Ends what has run out. Says whether that is anything.
    pub(super) fn expire(&mut self, now: Time) -> bool {
        if self.times.iter().all(|time| *time > now) {
            return false; // the usual case
        }
        let before = self.nodes.len();
        let (times, first) = (&self.times, self.first);
        self.nodes.retain(|&(_, number)| times[(number - first) as usize] > now);
        // Nothing is left of those HELLOs.
        let over = self.times.iter().take_while(|time| **time <= now).count();
        self.times.drain(..over);
        self.first += over as u32;
        self.nodes.len() != before
    }

    /// When the next one runs out.
    pub(super) fn earliest(&self) -> Time {
        let time = |number: u32| self.times[(number - self.first) as usize];
        let numbers = self.nodes.iter().map(|&(_, number)| number);
        // HELLOs that come later are believed for longer, unless their validity is shorter.
        let earliest = if self.times.is_sorted() { numbers.min().map(time) } else { numbers.map(time).min() };
        earliest.unwrap_or(Time::NEVER)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use hopwright_machine::Duration;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// What it says is what a table of nodes and times says, whatever HELLOs name and for however long.
        #[test]
        fn it_is_a_table_of_nodes_with_times(
            hellos in prop::collection::vec((0..3_u64, 0..5_u64, prop::collection::vec((0..9_u32, 0..3_u8), 0..9)), 0..60),
        ) {
            let (mut reached, mut table) = (Reached::default(), BTreeMap::<Address, Time>::new());
            let mut now = Time::ZERO;
            for (wait_s, validity_s, named) in hellos {
                now += Duration::from_secs(wait_s);
                let before = table.len();
                table.retain(|_, expiry| *expiry > now);
                prop_assert_eq!(reached.expire(now), table.len() != before);
                let expiry = now + Duration::from_secs(validity_s);
                let mut reading = reached.begin(expiry);
                for (address, kind) in named {
                    let address = Address(address);
                    let kind = [NeighbourType::Not, NeighbourType::Symmetric, NeighbourType::Mpr][usize::from(kind)];
                    let was_there = table.contains_key(&address);
                    let is_news = if kind == NeighbourType::Not {
                        table.remove(&address);
                        was_there
                    } else {
                        table.insert(address, expiry);
                        !was_there
                    };
                    prop_assert_eq!(reached.note(&mut reading, address, kind), is_news);
                }
                prop_assert!(reached.nodes().eq(table.keys().copied()));
                prop_assert_eq!(reached.earliest(), table.values().copied().min().unwrap_or(Time::NEVER));
            }
        }
    }
}
