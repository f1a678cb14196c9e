//! The Route Request Table: own searches, and the requests of others that were seen.
//!
//! Spec      RFC 4728 §4.3
//! Deviates  nothing
//! Holds     at most RequestTableSize initiators with RequestTableIds requests each; the ones used least lately go

use std::collections::VecDeque;

use hopwright_machine::Address;

/// The requests of one initiator.
#[derive(Debug)]
struct Initiator {
    node: Address,
    requests: VecDeque<(u16, Address)>,
}

/// The requests of others.
#[derive(Debug)]
pub(super) struct RequestTable {
    size: usize,
    ids: usize,
    /// The initiator heard of last is the last.
    initiators: VecDeque<Initiator>,
}

impl RequestTable {
    pub(super) fn new(size: usize, ids: usize) -> Self {
        Self { size, ids, initiators: VecDeque::new() }
    }

    /// Whether the request was not seen before; it is remembered.
    pub(super) fn is_new(&mut self, initiator: Address, id: u16, target: Address) -> bool {
        let place = self.initiators.iter().position(|known| known.node == initiator);
        let known = place.and_then(|place| self.initiators.remove(place));
        let mut known = known.unwrap_or_else(|| Initiator { node: initiator, requests: VecDeque::new() });
        let new = !known.requests.contains(&(id, target));
        if new {
            known.requests.push_back((id, target));
            if known.requests.len() > self.ids {
                known.requests.pop_front();
            }
        }
        self.initiators.push_back(known);
        if self.initiators.len() > self.size {
            self.initiators.pop_front();
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::NodeId;

    use super::*;

    #[test]
    fn the_least_lately_used_is_forgotten() {
        let [a, b, c, target] = [0, 1, 2, 9].map(|n| NodeId(n).address());
        let mut table = RequestTable::new(2, 2);
        assert!(table.is_new(a, 1, target));
        assert!(!table.is_new(a, 1, target));
        assert!(table.is_new(a, 1, c), "another target");
        assert!(table.is_new(a, 2, target));
        assert!(table.is_new(a, 1, target), "the third of two made room for it");
        assert!(table.is_new(b, 1, target));
        assert!(!table.is_new(a, 1, target));
        assert!(table.is_new(c, 1, target));
        assert!(!table.is_new(a, 1, target));
        assert!(table.is_new(b, 1, target), "forgotten: two others were heard of since");
    }
}
