//! Who reaches whom, without a run.
//!
//! Spec      none
//! Deviates  nothing
//! Holds     where nothing is left to chance from frame to frame, a node's frames can be received by those named here, and
//!           by nobody else

use hopwright_machine::{NodeId, Time};
use hopwright_radio::Radio;

use crate::medium::{Medium, Obstacles};
use crate::setup::{Backward, Setup};

/// Whom each node reaches at a time of a run with a seed: who can decode its frames, but for what varies from frame to
/// frame; or, where links join nodes, to whom one leads. Nodes that are down reach nobody, and nobody them.
#[must_use]
pub fn reach(setup: &Setup, seed: u64, at: Time) -> Vec<Vec<NodeId>> {
    if !setup.links.is_empty() {
        return linked(setup);
    }
    let mut medium = medium_at(setup, seed, at);
    let all = (0..setup.nodes.len() as u32).map(NodeId);
    all.map(|node| if medium.is_down(node) { Vec::new() } else { medium.decoders(node, at) }).collect()
}

/// The medium of a run as it is at a time.
pub(crate) fn medium_at(setup: &Setup, seed: u64, at: Time) -> Medium {
    let obstacles = Obstacles::new(setup.radio.shadowing, seed);
    let mut medium = Medium::new(Radio::new(&setup.radio), obstacles, &setup.nodes, false);
    for switch in setup.switches.iter().filter(|switch| switch.at <= at) {
        medium.switch(switch.node, switch.up);
    }
    medium
}

fn linked(setup: &Setup) -> Vec<Vec<NodeId>> {
    let mut reached = vec![Vec::new(); setup.nodes.len()];
    for link in &setup.links {
        let [from, to] = link.ends;
        reached[from.index()].push(to);
        if !matches!(link.shape.backward, Backward::Never) {
            reached[to.index()].push(from);
        }
    }
    for nodes in &mut reached {
        nodes.sort_unstable();
        nodes.dedup(); // several links may join the same two
    }
    reached
}
