//! How many stations could send at once: the links with work, and which of them exclude each other.
//!
//! A link is a node and a next hop for which it has a packet. An exchange of 802.11 has both of its ends send. So two links
//! exclude each other if an end of one is an end of the other, or senses it.
//!
//! Spec      Velayutham 2005 §7.3.2: "the maximum number of simultaneous transmissions possible within the network"
//! Deviates  the thesis does not say which transmissions, nor which of them are possible together. Decided here: of links
//!           with work, which exclude each other in the protocol model of Jain, Padhye, Padmanabhan and Qiu 2003, its range
//!           that of carrier sense, both ends counted. On a string of nodes 200 m apart with 250 m and 550 m that leaves
//!           one link in four, as Fu et al. 2003 have it. What shadows a link for good does not count: range is range. A
//!           node that a program moves from outside counts where its scenario has it
//! Holds     the answer is that for the end of an instant; where nobody moves it is worked out when links change

use hopwright_machine::{NodeId, Time};
use hopwright_mobility::{Position, Trajectory, Walker};
use hopwright_radio::Radio;
use hopwright_sim::Setup;

use crate::independent::{Conflicts, Most};

/// So much is tried for each part of a network whose links hang together. Enough for 150 links in a square kilometre, with
/// 550 m; of 200 to 400 in 4 to 16 of them what is found is up to 5 % short of what a hundred times as many steps find.
const STEPS: u32 = 100;

/// Where nodes are, and what was found last.
#[derive(Debug)]
pub(crate) struct Possible {
    walkers: Vec<Walker>,
    is_fixed: bool,
    range_squared: f64,
    links: Vec<(NodeId, NodeId)>,
    found: Most,
}

impl Possible {
    /// In the network of `setup`.
    pub(crate) fn new(setup: &Setup) -> Self {
        let range_m = Radio::new(&setup.radio).carrier_sense_range_m();
        Self {
            walkers: setup.nodes.iter().cloned().map(Walker::new).collect(),
            is_fixed: setup.nodes.iter().all(Trajectory::is_static),
            range_squared: range_m * range_m,
            links: Vec::new(),
            found: Most { count: 0, is_exact: true },
        }
    }

    /// How many of `links`, sorted and each once, do not exclude each other at `now`, at most.
    pub(crate) fn at_once(&mut self, now: Time, links: impl Iterator<Item = (NodeId, NodeId)> + Clone) -> Most {
        if !self.is_fixed || !links.clone().eq(self.links.iter().copied()) {
            self.links.clear();
            self.links.extend(links);
            self.found = self.look(now);
        }
        self.found
    }

    fn look(&mut self, now: Time) -> Most {
        let Self { walkers, links, range_squared, .. } = self;
        let mut place = |node: NodeId| walkers[node.index()].position(now);
        let ends: Vec<[Position; 2]> = links.iter().map(|&(from, to)| [place(from), place(to)]).collect();
        let senses = |a: Position, b: Position| a.distance_squared(b) <= *range_squared;
        let excludes = |m: usize, n: usize| ends[m].iter().any(|&a| ends[n].iter().any(|&b| senses(a, b)));
        Conflicts::new(ends.len(), excludes).most_at_once(STEPS)
    }
}
