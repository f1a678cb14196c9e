//! Movement models: each makes a node's whole way before time zero, out of the node's own random stream.
//!
//! Spec      each model's own file
//! Deviates  each model's own file
//! Holds     no node leaves the area; a way is continuous and lasts to the end of the run at least; a node's
//!           way does not depend on how many others there are; no stretch is faster than the model allows

mod gauss_markov;
mod manhattan;
mod path;
mod random_walk;
mod random_waypoint;
mod reference_point_group;

use hopwright_machine::{NodeId, Purpose, Stream};

pub use gauss_markov::GaussMarkov;
pub use manhattan::Manhattan;
pub use random_walk::{LegLength, RandomWalk};
pub use random_waypoint::{Pause, RandomWaypoint, Start, mean_leg_m};
pub use reference_point_group::ReferencePointGroup;

use crate::{Area, Position};

/// The stream from which a node's way is drawn.
fn stream(seed: u64, node: u32) -> Stream {
    Stream::new(seed, NodeId(node), Purpose::Mobility)
}

/// A number in [`low`, `high`), each equally likely.
fn between(stream: &mut Stream, low: f64, high: f64) -> f64 {
    low + stream.unit() * (high - low)
}

/// A point of the area, each equally likely.
fn anywhere(stream: &mut Stream, area: Area) -> Position {
    let x_m = stream.unit() * area.width_m;
    Position::new(x_m, stream.unit() * area.height_m)
}
