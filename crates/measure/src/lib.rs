//! What the transport's own work costs, by function: CPU time, instructions, and joules where the machine counts them.
//!
//! A sender and a receiver talk over a path in memory (`drive`), and what happened to each is recorded (`tape`). Then
//! one end alone is given the same once more: with a clock (`timing`), stepped by another process (`stepping`), or for
//! as long as the package's energy takes to show (`rapl`). A transport is a machine, so its work is the same each time.
//!
//! `docs/energy-computation.md` says what is measured, and what is not.

mod clock;
mod drive;
mod measurement;
mod rapl;
mod stepping;
mod tape;
mod timing;

pub use drive::{Recording, record};
pub use measurement::{Measurement, Work, measure, power};
pub use rapl::{NoRapl, POWERCAP, Power, Rapl, Reading};
pub use stepping::{Uncounted, be_counted, count};
pub use tape::{Event, Stimulus, Tape};
