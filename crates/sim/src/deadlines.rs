//! Who is to be woken next.
//!
//! Everything that happens, happens at a node: a timer runs out, or a frame has arrived. So there is one
//! deadline per node and no event list: a tree whose leaves are the nodes' deadlines and whose inner nodes
//! hold the earliest of their four children. Moving a deadline touches one path, and usually not all of it;
//! nothing is ever cancelled, and nothing stale is ever popped. A few nodes have no tree: all are looked at.

use std::hint::select_unpredictable;

use hopwright_machine::{NodeId, Time};

/// Children of an inner node. With four, a path is half as long as with two, and its comparisons cost little more.
const CHILDREN: usize = 4;

/// Up to so many nodes, a look at all costs less than a tree does.
const FEW: usize = 16;

/// One deadline per node.
#[derive(Debug)]
pub(crate) struct Deadlines {
    /// `tree[0]` is the root, `tree[4 i + 1]` the first child of `tree[i]`, `tree[leaves + i]` the deadline of node i.
    /// With few nodes there is no root: `leaves` is zero.
    tree: Vec<Time>,
    leaves: usize,
}

impl Deadlines {
    /// Nobody is to be woken.
    pub(crate) fn new(nodes: usize) -> Self {
        if nodes <= FEW {
            return Self { tree: vec![Time::NEVER; nodes], leaves: 0 };
        }
        let (mut leaves, mut row) = (0, 1);
        while row < nodes {
            leaves += row;
            row *= CHILDREN;
        }
        Self { tree: vec![Time::NEVER; leaves + row], leaves }
    }

    /// Sets the deadline of a node.
    #[inline(always)]
    pub(crate) fn set(&mut self, node: usize, at: Time) {
        if self.leaves == 0 {
            self.tree[node] = at;
        } else {
            self.set_in_tree(node, at);
        }
    }

    #[inline(never)]
    fn set_in_tree(&mut self, node: usize, at: Time) {
        let before = self.tree[self.leaves + node];
        if at < before {
            self.advance(node, at);
        } else if at > before {
            self.put_off(node, at);
        }
    }

    /// The deadline of a node.
    #[inline]
    pub(crate) fn of(&self, node: usize) -> Time {
        self.tree[self.leaves + node]
    }

    /// Sets an earlier deadline: what is later above it becomes this.
    fn advance(&mut self, node: usize, at: Time) {
        let tree = self.tree.as_mut_slice();
        let mut place = self.leaves + node;
        tree[place] = at;
        while place > 0 {
            place = (place - 1) / CHILDREN;
            if tree[place] <= at {
                return;
            }
            tree[place] = at;
        }
    }

    /// Sets a later deadline: what was it above is the earliest of the children again.
    fn put_off(&mut self, node: usize, at: Time) {
        let tree = self.tree.as_mut_slice();
        let mut place = self.leaves + node;
        tree[place] = at;
        while place > 0 {
            place = (place - 1) / CHILDREN;
            let Some(&[a, b, c, d]) = tree[CHILDREN * place + 1..].first_chunk::<CHILDREN>() else { return };
            let earliest = a.min(b).min(c.min(d));
            if tree[place] == earliest {
                return;
            }
            tree[place] = earliest;
        }
    }

    /// The earliest deadline, and whose it is; of several at one time, the node with the lowest number.
    pub(crate) fn next(&self) -> (Time, NodeId) {
        if self.leaves == 0 {
            return self.earliest();
        }
        let at = self.tree[0];
        let mut place = 0;
        while place < self.leaves {
            place = CHILDREN * place + 1;
            // Which of them it is cannot be foreseen: counted, not branched on.
            let Some(&[a, b, c, _]) = self.tree[place..].first_chunk::<CHILDREN>() else { break };
            place += usize::from(a != at) * (1 + usize::from(b != at) * (1 + usize::from(c != at)));
        }
        (at, NodeId((place - self.leaves) as u32))
    }

    /// `next` without a tree. Which it is cannot be foreseen: chosen, not branched on.
    #[inline(always)]
    fn earliest(&self) -> (Time, NodeId) {
        let (mut first, mut node) = (Time::NEVER, 0);
        for (place, &at) in self.tree.iter().enumerate() {
            let is_earlier = at < first;
            first = select_unpredictable(is_earlier, at, first);
            node = select_unpredictable(is_earlier, place, node);
        }
        (first, NodeId(node as u32))
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::{Purpose, Stream};

    use super::*;

    #[test]
    fn the_earliest_comes_first_and_of_equals_the_lowest_number() {
        let mut stream = Stream::new(1, NodeId(0), Purpose::Placement);
        for nodes in [1, 2, 4, 5, 9, 16, 17, 50, 64, 65] {
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
