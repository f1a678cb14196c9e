//! Who is next on the way from each node to each destination, known before the run.
//!
//! Spec      shortest paths by breadth-first search from the destination
//! Deviates  nothing
//! Holds     `shortest` gives loop-free routes of least hop count, each by the lowest next hop of those that are as short;
//!           work and memory are spent on destinations that somebody asks for, and on nodes up to where they ask

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
/// The node that asks first is nearly always the source, and all others that ever ask are nearer. So its answer is
/// kept for the nodes up to its distance: in a large network with short ways these are few.
#[derive(Debug, Default)]
struct Towards {
    near: OnceLock<Near>,
    /// `[node]`: the next hop, or `NOBODY`. Once a node has asked that is farther than those of `near`.
    all: OnceLock<Vec<NodeId>>,
}

/// The next hops of the nodes up to a distance.
#[derive(Debug)]
struct Near {
    /// Nodes with their next hops, by node.
    next_hops: Vec<(NodeId, NodeId)>,
    /// Whether no other node has a route.
    is_all: bool,
}

/// In a network of so many nodes, the next hops of all are worked out at once: they are found faster.
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
            let near = self.near.get_or_init(|| near(node, destination, links));
            match near.next_hops.binary_search_by_key(&node, |&(node, _)| node) {
                Ok(at) => return Some(near.next_hops[at].1),
                Err(_) if near.is_all => return None,
                Err(_) => {}
            }
        }
        let all = self.all.get_or_init(|| all(destination, links));
        all.get(node.index()).copied().filter(|&next| next != NOBODY)
    }
}

/// The next hops of the nodes that are no farther from the destination than one of them.
fn near(node: NodeId, destination: NodeId, links: &Links) -> Near {
    let Reached { nodes, distance, is_all } = links.reached(destination, Some(node));
    let next_hop = |node: NodeId| links.nearer(node, &distance).map(|next| (node, next));
    let mut next_hops: Vec<_> = nodes.into_iter().filter_map(next_hop).collect();
    next_hops.sort_unstable();
    Near { next_hops, is_all }
}

/// The next hops of all nodes.
fn all(destination: NodeId, links: &Links) -> Vec<NodeId> {
    let Reached { distance, .. } = links.reached(destination, None);
    (0..distance.len()).map(|node| links.nearer(NodeId(node as u32), &distance).unwrap_or(NOBODY)).collect()
}

/// What a breadth-first search has found.
struct Reached {
    nodes: Vec<NodeId>,
    /// Hops from each node to the destination, or `FAR`.
    distance: Vec<u32>,
    /// Whether these are all nodes that can reach the destination.
    is_all: bool,
}

/// Farther than any node.
const FAR: u32 = u32::MAX;

impl Links {
    /// The nodes that can reach a destination, those at the distance of `until` the last.
    fn reached(&self, destination: NodeId, until: Option<NodeId>) -> Reached {
        let mut distance = vec![FAR; self.neighbours.len()];
        distance[destination.index()] = 0;
        let mut nodes = vec![destination];
        let mut first = 0;
        // A round for each distance.
        while first < nodes.len() && until.is_none_or(|node| distance.get(node.index()).is_none_or(|&d| d == FAR)) {
            let last = nodes.len();
            for at in first..last {
                let here = nodes[at];
                for &node in &self.reached_by[here.index()] {
                    if distance[node.index()] == FAR {
                        distance[node.index()] = distance[here.index()] + 1;
                        nodes.push(node);
                    }
                }
            }
            first = last;
        }
        Reached { is_all: first == nodes.len(), nodes, distance }
    }

    /// The neighbour of the lowest number that is nearer to the destination.
    fn nearer(&self, node: NodeId, distance: &[u32]) -> Option<NodeId> {
        let own = distance[node.index()];
        let is_nearer = |next: &NodeId| own != FAR && distance[next.index()].checked_add(1) == Some(own);
        self.neighbours[node.index()].iter().copied().filter(is_nearer).min()
    }
}
