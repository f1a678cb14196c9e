//! Slot: growth of the window once its limits are known.

use core::fmt::Debug;

use super::{Ack, Part};
use crate::view::Public;

mod adaptive_slow;
mod additive;
mod byte_counting;
mod cubic;
mod delay;
mod few;
mod slow;
mod told;
mod vegas;
mod veno;

pub use adaptive_slow::ADAPTIVE_SLOW;
pub use additive::ADDITIVE;
pub use byte_counting::BYTE_COUNTING;
pub(super) use cubic::BETA as CUBIC_BETA;
pub use cubic::CUBIC;
pub use delay::DELAY;
pub use few::FEW;
pub use slow::SLOW;
pub use told::TOLD;
pub(crate) use vegas::ROUTE_RESETS_BASE;
pub use vegas::VEGAS;
pub(super) use vegas::{Backlog, KNOBS as VEGAS_KNOBS};
pub use veno::VENO;

/// Everything that can fill it.
pub const PARTS: &[Part<dyn Avoidance>] =
    &[ADDITIVE, BYTE_COUNTING, SLOW, ADAPTIVE_SLOW, CUBIC, FEW, VEGAS, VENO, DELAY, TOLD];

/// Opens (or closes) the window while the path looks uncongested.
pub trait Avoidance: Debug + Send {
    /// Called once per ACK of new data, outside start-up and recovery. Returns the bytes to add, negative to
    /// take away; the engine keeps the window at one segment at least.
    fn on_ack(&mut self, p: &Public, ack: &Ack<'_>) -> f64;

    /// Whether an acknowledgement ends start-up, whatever that slot says.
    fn takes_over(&self, _ack: &Ack<'_>) -> bool {
        false
    }

    /// Start-up has found the window at once; the segments that leave from now on leave under it.
    fn on_found(&mut self, _p: &Public) {}

    /// The window or the threshold was cut, the window from so many bytes to what it is now. Not called for a loss that
    /// was spared.
    fn on_cut(&mut self, _p: &Public, _from: f64) {}

    /// The mechanism was put into a running connection: takes over from what everybody can see.
    fn adopt(&mut self, _p: &Public) {}
}
