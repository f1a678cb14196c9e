//! Who is next on the way from each node to each destination, known before the run.
//!
//! Spec      shortest paths by breadth-first search from the destination
//! Deviates  nothing
//! Holds     `shortest` gives loop-free routes of least hop count, each by the lowest next hop of those that are as short;
//!           work and memory are spent on destinations that somebody asks for

use std::collections::VecDeque;
use std::sync::OnceLock;

use hopwright_machine::NodeId;

/// Who is next on the way from each node to each destination. All nodes share one table.
#[derive(Debug)]
pub struct NextHops(Table);

#[derive(Debug)]
enum Table {
    /// `[node][destination]`; `None` for "no route".
    Written(Vec<Vec<Option<NodeId>>>),
    Shortest {
        /// Those that each node can reach.
        neighbours: Vec<Vec<NodeId>>,
        /// Those that can reach each node.
        reached_by: Vec<Vec<NodeId>>,
        /// `[destination][node]`: the next hop, or `NOBODY`. Once somebody has asked for the destination.
        to: Vec<OnceLock<Vec<NodeId>>>,
    },
}

/// No next hop. Half as large as an option: a table has an entry for each node.
const NOBODY: NodeId = NodeId(u32::MAX);

impl NextHops {
    /// A table read as `next_hop[node][destination]`. Destinations beyond it have no route.
    #[must_use]
    pub const fn written(next_hop: Vec<Vec<Option<NodeId>>>) -> Self {
        Self(Table::Written(next_hop))
    }

    /// Routes of least hop count. Among equally short routes each node takes the neighbour with the lowest number. Links
    /// need not be symmetric: `neighbours[n]` are those n can reach.
    #[must_use]
    pub fn shortest(neighbours: Vec<Vec<NodeId>>) -> Self {
        let mut reached_by = vec![Vec::new(); neighbours.len()];
        for (node, list) in neighbours.iter().enumerate() {
            for next in list {
                reached_by[next.index()].push(NodeId(node as u32));
            }
        }
        let to = neighbours.iter().map(|_| OnceLock::new()).collect();
        Self(Table::Shortest { neighbours, reached_by, to })
    }

    /// How many nodes have routes.
    pub(crate) fn nodes(&self) -> usize {
        match &self.0 {
            Table::Written(next_hop) => next_hop.len(),
            Table::Shortest { to, .. } => to.len(),
        }
    }

    /// The next hop of `node` on the way to `destination`; `None` for "no route".
    #[must_use]
    pub fn of(&self, node: NodeId, destination: NodeId) -> Option<NodeId> {
        match &self.0 {
            Table::Written(next_hop) => *next_hop.get(node.index())?.get(destination.index())?,
            Table::Shortest { neighbours, reached_by, to } => {
                let next_hop =
                    to.get(destination.index())?.get_or_init(|| towards(destination, neighbours, reached_by));
                next_hop.get(node.index()).copied().filter(|&next| next != NOBODY)
            }
        }
    }

    /// The nodes on the way from one to another, both included; nothing if there is no way.
    #[must_use]
    pub fn way(&self, from: NodeId, to: NodeId) -> Vec<NodeId> {
        let mut nodes = vec![from];
        while let Some(&last) = nodes.last().filter(|&&last| last != to) {
            let Some(next) = self.of(last, to) else { return Vec::new() };
            nodes.push(next);
        }
        nodes
    }
}

/// The next hop of each node on the shortest way to a destination.
fn towards(destination: NodeId, neighbours: &[Vec<NodeId>], reached_by: &[Vec<NodeId>]) -> Vec<NodeId> {
    let mut distance = vec![u32::MAX; neighbours.len()];
    distance[destination.index()] = 0;
    let mut queue = VecDeque::from([destination]);
    while let Some(at) = queue.pop_front() {
        for &node in &reached_by[at.index()] {
            if distance[node.index()] == u32::MAX {
                distance[node.index()] = distance[at.index()] + 1;
                queue.push_back(node);
            }
        }
    }
    let nearer = |node: usize| {
        let is_nearer = |next: &NodeId| distance[next.index()].checked_add(1) == Some(distance[node]);
        neighbours[node].iter().copied().filter(is_nearer).min()
    };
    let next_hop = |node: usize| if distance[node] == u32::MAX { None } else { nearer(node) };
    (0..neighbours.len()).map(|node| next_hop(node).unwrap_or(NOBODY)).collect()
}
