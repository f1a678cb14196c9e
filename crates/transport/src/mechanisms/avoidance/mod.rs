//! Slot: growth of the window once its limits are known.

use core::fmt::Debug;

use super::{Ack, Part};
use crate::engine::Public;

mod additive;
mod byte_counting;
mod veno;

pub use additive::ADDITIVE;
pub use byte_counting::BYTE_COUNTING;
pub use veno::VENO;

/// Everything that can fill it.
pub const PARTS: &[Part<dyn Avoidance>] = &[ADDITIVE, BYTE_COUNTING, VENO];

/// Opens (or closes) the window while the path looks uncongested.
pub trait Avoidance: Debug + Send {
    /// Called once per ACK of new data, outside start-up and recovery. Returns the bytes to add, negative to
    /// take away; the engine keeps the window at one segment at least.
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> f64;

    /// The window was cut, from so many bytes to what it is now.
    fn on_cut(&mut self, _p: &Public, _from: f64) {}

    /// The mechanism was put into a running connection: takes over from what everybody can see.
    fn adopt(&mut self, _p: &Public) {}
}
