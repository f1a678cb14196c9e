//! Who is next on the way from each node to each destination, known before the run.
//!
//! Spec      shortest paths by breadth-first search from the destination
//! Deviates  nothing
//! Holds     `shortest` gives loop-free routes of least hop count, each by the lowest next hop of those that are as short;
//!           work and memory are spent on destinations that somebody asks for, and of these on the way of whoever asks first

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
        links: Links,
        /// By destination.
        to: Vec<Towards>,
    },
}

/// Who can reach whom directly.
#[derive(Debug)]
struct Links {
    /// Those that each node can reach.
    neighbours: Vec<Vec<NodeId>>,
    /// Those that can reach each node.
    reached_by: Vec<Vec<NodeId>>,
}

/// The next hops on the way to one destination, as far as somebody has asked for them.
///
/// The node that asks first is nearly always the source, and all others that ever ask are on its way: in a large
/// network these are few.
#[derive(Debug, Default)]
struct Towards {
    /// The nodes on the way of the first that asked, with their next hops, by node.
    on_way: OnceLock<Vec<(NodeId, NodeId)>>,
    /// `[node]`: the next hop, or `NOBODY`. Once a node has asked that is not on that way.
    all: OnceLock<Vec<NodeId>>,
}

/// Up to this many nodes, the next hops of all are worked out at once: an index finds them faster than a search.
const FEW: usize = 256;

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
        let to = neighbours.iter().map(|_| Towards::default()).collect();
        Self(Table::Shortest { links: Links { neighbours, reached_by }, to })
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
            Table::Shortest { links, to } => to.get(destination.index())?.of(node, destination, links),
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

impl Towards {
    fn of(&self, node: NodeId, destination: NodeId, links: &Links) -> Option<NodeId> {
        if self.all.get().is_none() && links.neighbours.len() > FEW {
            if node == destination {
                return None;
            }
            let on_way = self.on_way.get_or_init(|| on_way(node, destination, links));
            if let Ok(at) = on_way.binary_search_by_key(&node, |&(node, _)| node) {
                return Some(on_way[at].1);
            }
        }
        let all = self.all.get_or_init(|| all(destination, links));
        all.get(node.index()).copied().filter(|&next| next != NOBODY)
    }
}

/// The nodes on the way from one to a destination, with their next hops, by node; none without a way.
fn on_way(from: NodeId, destination: NodeId, links: &Links) -> Vec<(NodeId, NodeId)> {
    let distance = links.distances(destination, Some(from));
    let mut found = Vec::new();
    let mut at = from;
    while at.index() < distance.len()
        && let Some(next) = links.nearer(at, &distance)
    {
        found.push((at, next));
        at = next;
    }
    found.sort_unstable();
    found
}

/// The next hops of all nodes.
fn all(destination: NodeId, links: &Links) -> Vec<NodeId> {
    let distance = links.distances(destination, None);
    (0..distance.len()).map(|node| links.nearer(NodeId(node as u32), &distance).unwrap_or(NOBODY)).collect()
}

/// Farther than any node.
const FAR: u32 = u32::MAX;

impl Links {
    /// Hops from each node to a destination, or `FAR`: of all nodes that are nearer than `until`, or of all.
    fn distances(&self, destination: NodeId, until: Option<NodeId>) -> Vec<u32> {
        let mut distance = vec![FAR; self.neighbours.len()];
        distance[destination.index()] = 0;
        let mut queue = VecDeque::from([destination]);
        while let Some(at) = queue.pop_front() {
            for &node in &self.reached_by[at.index()] {
                if distance[node.index()] == FAR {
                    distance[node.index()] = distance[at.index()] + 1;
                    if Some(node) == until {
                        return distance;
                    }
                    queue.push_back(node);
                }
            }
        }
        distance
    }

    /// The neighbour of the lowest number that is nearer to the destination.
    fn nearer(&self, node: NodeId, distance: &[u32]) -> Option<NodeId> {
        let own = distance[node.index()];
        let is_nearer = |next: &NodeId| own != FAR && distance[next.index()].checked_add(1) == Some(own);
        self.neighbours[node.index()].iter().copied().filter(is_nearer).min()
    }
}
