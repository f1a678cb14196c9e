//! The nodes that flooded messages come from, numbered in the order in which they were first heard of: what is known of
//! each stands in lists, at its number.
//!
//! Spec      none: how the sets of RFC 3626 are kept
//! Deviates  nothing
//! Holds     a number is never given away

use hopwright_machine::Address;
use rustc_hash::FxHashMap;

/// Numbers of nodes below this are looked up in a list. A forged address cannot make it longer.
const MOST_LISTED: usize = 1 << 14;

#[derive(Debug, Default)]
pub(super) struct Originators {
    /// By the number of the node: one more than the number here, or zero. Looked into for every copy of every flooded
    /// message: what one costs must not grow with the network.
    of_nodes: Vec<u32>,
    /// Those with other addresses.
    others: FxHashMap<Address, u32>,
    count: u32,
}

impl Originators {
    /// The number of a node that was heard of.
    pub(super) fn find(&self, address: Address) -> Option<usize> {
        let number = match listed(address) {
            Some(node) => *self.of_nodes.get(node)?,
            None => *self.others.get(&address)?,
        };
        number.checked_sub(1).map(|number| number as usize)
    }

    /// The number of a node, from now on.
    pub(super) fn number(&mut self, address: Address) -> usize {
        let number = match listed(address) {
            Some(node) => {
                if node >= self.of_nodes.len() {
                    self.of_nodes.reserve_exact(node + 17 + node / 4 - self.of_nodes.len());
                    self.of_nodes.resize(node + 1, 0);
                }
                &mut self.of_nodes[node]
            }
            None => self.others.entry(address).or_default(),
        };
        if *number == 0 {
            self.count += 1;
            *number = self.count;
        }
        *number as usize - 1
    }
}

fn listed(address: Address) -> Option<usize> {
    address.node().map(|node| node.0 as usize).filter(|&node| node < MOST_LISTED)
}

#[cfg(test)]
mod tests {
    use hopwright_machine::NodeId;

    use super::*;

    #[test]
    fn each_address_keeps_a_number_of_its_own() {
        let nodes = [7, 0, 3000, MOST_LISTED as u32, 9_000_000].map(|node| NodeId(node).address());
        let foreign = [Address(1), Address::BROADCAST];
        let mut originators = Originators::default();
        for (number, &address) in nodes.iter().chain(&foreign).enumerate() {
            assert_eq!(originators.find(address), None);
            assert_eq!(originators.number(address), number);
        }
        for (number, &address) in nodes.iter().chain(&foreign).enumerate() {
            assert_eq!((originators.find(address), originators.number(address)), (Some(number), number));
        }
        assert_eq!(originators.of_nodes.len(), 3001);
        assert_eq!(originators.find(NodeId(8).address()), None);
    }
}
