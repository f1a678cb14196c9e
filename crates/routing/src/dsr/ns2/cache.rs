//! ns-2's route cache: a primary cache for routes that were asked for, a secondary one for routes seen in use.
//!
//! Paths have no age: they leave when a link of them is reported broken or when a newer path needs their place.
//!
//! Spec      ns-2.35, its MobiCache
//! Deviates  nothing
//! Holds     every path starts at this node and names no node twice

use hopwright_machine::Address;

/// The longest path, its ends counted.
pub(super) const MAX_PATH: usize = 16;

/// Places for paths; an empty path is a free place. Those that were never taken are not there: there may be many.
#[derive(Debug)]
struct Places {
    paths: Vec<Vec<Address>>,
    most: usize,
    victim: usize,
}

impl Places {
    const fn new(most: usize) -> Self {
        Self { paths: Vec::new(), most, victim: 0 }
    }

    /// The first of the shortest paths to `destination`: its place and how many hops it needs. Only what is
    /// shorter than `below` counts.
    fn shortest(&self, destination: Address, below: usize) -> Option<(usize, usize)> {
        let mut best = None;
        let mut below = below;
        for (place, path) in self.paths.iter().enumerate() {
            if let Some(hops) = path.iter().position(|&node| node == destination).filter(|&hops| hops < below) {
                (best, below) = (Some((place, hops)), hops);
            }
        }
        best
    }

    fn add(&mut self, path: &[Address]) {
        for kept in &mut self.paths {
            let common = kept.iter().zip(path).take_while(|(a, b)| a == b).count();
            if common == kept.len() {
                kept.extend_from_slice(&path[common..]); // also into a free place
                return;
            }
            if common == path.len() {
                return;
            }
        }
        if self.paths.len() < self.most {
            self.paths.push(path.to_vec());
        } else if let Some(victim) = self.paths.get_mut(self.victim) {
            path.clone_into(victim);
            self.victim = (self.victim + 1) % self.most;
        }
    }

    fn remove_link(&mut self, from: Address, to: Address) {
        for path in &mut self.paths {
            if let Some(at) = path.windows(2).position(|link| link == [from, to]) {
                path.truncate(if at == 0 { 0 } else { at + 1 });
            }
        }
    }
}

/// The route cache of one node.
#[derive(Debug)]
pub(super) struct Cache {
    me: Address,
    primary: Places,
    secondary: Places,
}

impl Cache {
    pub(super) fn new(me: Address, primary: usize, secondary: usize) -> Self {
        Self { me, primary: Places::new(primary), secondary: Places::new(secondary) }
    }

    /// A route that was asked for, from this node on.
    pub(super) fn add(&mut self, path: &[Address]) {
        if path.len() >= 2 && path[0] == self.me {
            self.primary.add(path);
        }
    }

    /// A route seen in use; its packet was on its way to the node at `index`.
    pub(super) fn notice(&mut self, path: &[Address], index: usize) {
        if path.len() < 2 {
            return;
        }
        match path.iter().position(|&node| node == self.me) {
            Some(here) if here == path.len() - 1 => {}
            Some(here) => self.secondary.add(&path[here..]),
            // Whoever sent the packet was heard, so it is a neighbour.
            None if index > 0 => {
                let rest = path.get(index - 1..).unwrap_or_default();
                let stub: Vec<Address> = std::iter::once(self.me).chain(rest.iter().copied()).take(MAX_PATH).collect();
                self.secondary.add(&stub);
            }
            None => {}
        }
    }

    pub(super) fn remove_link(&mut self, from: Address, to: Address) {
        self.primary.remove_link(from, to);
        self.secondary.remove_link(from, to);
    }

    /// The shortest route to `destination`, without a change of the cache.
    pub(super) fn find(&self, destination: Address) -> Option<Vec<Address>> {
        let primary = self.primary.shortest(destination, MAX_PATH + 1);
        let below = primary.map_or(MAX_PATH + 1, |(_, hops)| hops);
        let secondary = self.secondary.shortest(destination, below);
        match (primary, secondary) {
            (_, Some((place, hops))) => Some(self.secondary.paths[place][..=hops].to_vec()),
            (Some((place, hops)), None) => Some(self.primary.paths[place][..=hops].to_vec()),
            (None, None) => None,
        }
    }

    /// The same for a packet of this node: a secondary path that is used moves to the primary cache.
    pub(super) fn find_for_use(&mut self, destination: Address) -> Option<Vec<Address>> {
        let below = self.primary.shortest(destination, MAX_PATH + 1).map_or(MAX_PATH + 1, |(_, hops)| hops);
        if let Some((place, hops)) = self.secondary.shortest(destination, below) {
            let mut path = std::mem::take(&mut self.secondary.paths[place]);
            self.primary.add(&path);
            path.truncate(hops + 1);
            return Some(path);
        }
        self.find(destination)
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::NodeId;

    use super::*;

    fn path(nodes: &[u32]) -> Vec<Address> {
        nodes.iter().map(|&n| NodeId(n).address()).collect()
    }

    fn cache() -> Cache {
        Cache::new(NodeId(0).address(), 2, 2)
    }

    #[test]
    fn a_path_grows_and_the_oldest_makes_room() {
        let mut cache = cache();
        cache.add(&path(&[0, 1]));
        cache.add(&path(&[0, 1, 2]));
        assert_eq!(cache.primary.paths, [path(&[0, 1, 2])]);
        cache.add(&path(&[0, 1]));
        cache.add(&path(&[0, 3]));
        cache.add(&path(&[0, 4]));
        assert_eq!(cache.primary.paths, [path(&[0, 4]), path(&[0, 3])]);
        cache.add(&path(&[7, 8])); // does not start here
        assert_eq!(cache.find(NodeId(8).address()), None);
    }

    /// Round robin over all places (`Cache::addRoute`, `pickVictim`), of which a shortened path keeps its own.
    #[test]
    fn places_are_taken_in_turn() {
        let mut cache = Cache::new(NodeId(0).address(), 3, 2);
        for node in 1..=8 {
            cache.add(&path(&[0, node]));
        }
        assert_eq!(cache.primary.paths, [path(&[0, 7]), path(&[0, 8]), path(&[0, 6])]);
        cache.remove_link(NodeId(0).address(), NodeId(8).address());
        cache.add(&path(&[0, 9, 10]));
        assert_eq!(cache.primary.paths, [path(&[0, 7]), path(&[0, 9, 10]), path(&[0, 6])], "a free place");
    }

    /// Of the two caches the shorter route counts, the primary one's where they are equal.
    #[test]
    fn the_shortest_route_of_both_caches_is_found() {
        let mut cache = cache();
        cache.add(&path(&[0, 1, 2, 9]));
        cache.notice(&path(&[0, 3, 4, 9]), 0);
        assert_eq!(cache.find(NodeId(9).address()), Some(path(&[0, 1, 2, 9])));
        cache.notice(&path(&[0, 5, 9]), 0);
        assert_eq!(cache.find(NodeId(9).address()), Some(path(&[0, 5, 9])));
        cache.add(&path(&[0, 6, 9]));
        assert_eq!(cache.find(NodeId(9).address()), Some(path(&[0, 6, 9])));
        assert_eq!(cache.find_for_use(NodeId(9).address()), Some(path(&[0, 6, 9])));
        assert_eq!(cache.secondary.paths.len(), 2);
    }

    #[test]
    fn what_is_overheard_starts_at_who_sent_it() {
        let mut cache = cache();
        cache.notice(&path(&[5, 6, 7]), 2);
        assert_eq!(cache.find(NodeId(7).address()), Some(path(&[0, 6, 7])));
        cache.notice(&path(&[8, 0, 9]), 2);
        assert_eq!(cache.find(NodeId(9).address()), Some(path(&[0, 9])));
        cache.notice(&path(&[5, 8]), 0);
        assert_eq!(cache.find(NodeId(8).address()), None);
    }

    #[test]
    fn a_used_path_moves_and_a_broken_link_cuts_paths() {
        let mut cache = cache();
        cache.notice(&path(&[0, 1, 2, 3]), 1);
        assert_eq!(cache.find_for_use(NodeId(2).address()), Some(path(&[0, 1, 2])));
        assert_eq!(cache.primary.paths[0], path(&[0, 1, 2, 3]));
        assert!(cache.secondary.paths[0].is_empty());
        cache.remove_link(NodeId(1).address(), NodeId(2).address());
        assert_eq!(cache.primary.paths[0], path(&[0, 1]));
        cache.remove_link(NodeId(0).address(), NodeId(1).address());
        assert!(cache.primary.paths[0].is_empty());
    }
}
