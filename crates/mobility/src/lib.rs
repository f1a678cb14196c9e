//! Where nodes are: placements, movement files.
//!
//! A placement is a list of positions; a movement is one `Trajectory` per node. Both are fixed before time
//! zero: nothing here draws, decides or keeps time while the run goes on.

pub mod ns2;
pub mod placement;
mod position;
mod trajectory;

pub use ns2::MovementError;
pub use position::{Bounds, Position, Velocity, bounding_box};
pub use trajectory::{Leg, Trajectory, Walker, Waypoint};
