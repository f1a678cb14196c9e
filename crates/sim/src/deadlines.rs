//! Who is to be woken next.
//!
//! Everything that happens, happens at a node: a timer runs out, or a frame has arrived. So there is one
//! deadline per node and no event list: a tree whose leaves are the nodes' deadlines and whose inner nodes
//! hold the earlier of their two children. Moving a deadline touches one path, and usually not all of it;
//! nothing is ever cancelled, and nothing stale is ever popped.

use hopwright_machine::{NodeId, Time};

/// One deadline per node.
#[derive(Debug)]
pub(crate) struct Deadlines {
    /// `tree[1]` is the root, `tree[leaves + i]` the deadline of node i.
    tree: Vec<Time>,
    leaves: usize,
}

impl Deadlines {
    /// Nobody is to be woken.
    pub(crate) fn new(nodes: usize) -> Self {
        let leaves = nodes.next_power_of_two();
        Self { tree: vec![Time::NEVER; 2 * leaves], leaves }
    }

    /// Sets the deadline of a node.
    pub(crate) fn set(&mut self, node: usize, at: Time) {
        let tree = self.tree.as_mut_slice();
        let mut place = self.leaves + node;
        if tree[place] == at {
            return;
        }
        tree[place] = at;
        while place > 1 {
            let earlier = tree[place].min(tree[place ^ 1]); // of the two children of one parent
            place /= 2;
            if tree[place] == earlier {
                return;
            }
            tree[place] = earlier;
        }
    }

    /// Sets the deadline of a node unless it is earlier already.
    #[inline]
    pub(crate) fn bring_forward(&mut self, node: usize, at: Time) {
        if at < self.tree[self.leaves + node] {
            self.set(node, at);
        }
    }

    /// The earliest deadline, and whose it is; of several at one time, the node with the lowest number.
    pub(crate) fn next(&self) -> (Time, NodeId) {
        let at = self.tree[1];
        let mut place = 1;
        while place < self.leaves {
            place = 2 * place + usize::from(self.tree[2 * place] != at);
        }
        (at, NodeId((place - self.leaves) as u32))
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::{Purpose, Stream};

    use super::*;

    #[test]
    fn the_earliest_comes_first_and_of_equals_the_lowest_number() {
        let mut stream = Stream::new(1, NodeId(0), Purpose::Placement);
        for nodes in [1, 2, 9, 50, 64] {
            let mut deadlines = Deadlines::new(nodes);
            let mut all = vec![Time::NEVER; nodes];
            for _ in 0..2000 {
                let node = stream.below(nodes as u32) as usize;
                let at = match stream.below(20) {
                    0 => Time::NEVER,
                    n => Time::from_nanos(u64::from(n)),
                };
                all[node] = at;
                deadlines.set(node, at);
                let first = (0..nodes).min_by_key(|&n| (all[n], n)).expect("there is a node");
                assert_eq!(deadlines.next(), (all[first], NodeId(first as u32)));
            }
        }
    }
}
