//! A simulated network under real programs.
//!
//! An [`Emulation`] is a [`Simulation`](hopwright_sim::Simulation) with programs attached to some of its nodes: it takes
//! the packets that they send and gives back those that come for them, at the times of the simulation. It knows neither
//! clock nor device, so that the same one is paced by a clock ([`pace`]), tested without one, and replayed ([`replay`])
//! from what [`Recording`] kept of it.

mod attachment;
mod command;
mod emulation;
mod input;
mod lateness;
mod pace;
mod recording;
mod replay;
mod shaper;
mod waiting;
mod watch;

pub use attachment::{Counts, Layer, Place, Refused};
pub use command::{Command, Order};
pub use emulation::{Departure, Emulation};
pub use input::Input;
pub use lateness::{Lateness, Quantiles};
pub use pace::{Port, Status, Summary, pace};
pub use recording::{Record, Recorded, Recording, read};
pub use replay::{Mismatch, replay};
pub use shaper::{Carried, Relay, RelaySummary, Remembers, ShaperStatus, ShaperSummary, Side, Unusable, shape};
pub use watch::Watch;
