//! SEDLANE: from the trace of a connection to the few pipes that stand for its path.
//!
//! A reader makes a `Trace` of whatever recorded the connection (`read`). `reduce` makes pipes of it, by the document's
//! way and by a better one, and says how far both are from the trace. Nothing here opens a file.
//!
//! Spec      A. Ghaleb-Seddik, TCP performance study and enhancements within wireless multi-hop ad hoc network
//!           environments (2009), 3.5

mod classes;
mod clusters;
mod distance;
mod matching;
mod pairwise;
pub mod read;
mod reduce;
mod segments;
mod text;
mod trace;

pub use classes::{Class, Lost};
pub use distance::Distance;
pub use pairwise::Averaging;
pub use reduce::{Answer, Options, Reduction, Wrong, reduce};
pub use text::to_toml;
pub use trace::{Builder, Known, Sample, Trace};
