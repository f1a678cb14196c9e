//! Slot: when the next segment may leave.

use core::fmt::Debug;

use hopwright_machine::Time;

use super::Part;
use crate::view::Public;

mod explicit;
mod paced;
mod self_clocked;

pub use explicit::EXPLICIT;
pub use paced::PACED;
pub use self_clocked::SELF_CLOCKED;

/// Everything that can fill it.
pub const PARTS: &[Part<dyn Clocking>] = &[SELF_CLOCKED, PACED, EXPLICIT];

/// Spreads in time what the control slot allows.
pub trait Clocking: Debug + Send {
    /// How many segments the event at hand may release; `None` for no limit.
    fn burst(&mut self, p: &Public) -> Option<u32>;

    /// When the next segment, of this length, may leave. If that is later than `p.now`, the engine asks again
    /// then.
    fn departure(&mut self, p: &Public, bytes: u32) -> Time;

    /// The mechanism was put into a running connection: takes over from what everybody can see.
    fn adopt(&mut self, _p: &Public) {}
}
