//! Where nodes are: placements, movement models, movement files, and who is near whom.
//!
//! A placement is a list of positions; a movement is one `Trajectory` per node. Both are fixed before time
//! zero: nothing here draws, decides or keeps time while the run goes on.

pub mod bonnmotion;
mod cells;
pub mod connectivity;
mod line;
pub mod links;
pub mod models;
pub mod ns2;
pub mod placement;
mod position;
pub mod sumo;
mod switch;
mod trajectory;

pub use cells::Cells;
pub use line::MovementError;
pub use position::{Area, Bounds, Position, Velocity, bounding_box};
pub use switch::{Switch, is_down, outages};
pub use trajectory::{Leg, Trajectory, Walker, Waypoint};
