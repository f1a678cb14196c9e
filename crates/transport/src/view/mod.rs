//! What mechanisms see of a connection: its public state, which the engine alone changes.

mod cause;
mod position;
mod public;
mod round;
mod scoreboard;
mod sent_log;

pub use cause::Cause;
pub(crate) use position::near;
pub use public::{Diagnosed, Phase, Public};
pub use round::Round;
pub use scoreboard::Scoreboard;
pub(crate) use sent_log::Covered;
pub use sent_log::{Sent, SentLog};
