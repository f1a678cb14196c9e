//! The one shape every protocol has: inputs and time go in, outputs and a deadline come out.
//!
//! Everything that crosses a layer boundary and belongs to no layer stands here: time, node and packet
//! identities, the causes of loss, named random streams, and the trait that every protocol implements.

mod blame;
mod identity;
mod loss;
mod random;
mod time;

pub use blame::LossCause;
pub use identity::{Address, FlowTag, NodeId, PacketId};
pub use loss::DropCause;
pub use random::{Purpose, Stream};
pub use time::{Duration, Time};

/// A protocol that owns neither a socket nor a clock.
///
/// Drivers repeat: one `handle`, then `poll` until `None`, then wait for the next input or `deadline`,
/// whichever comes first. A deadline that has come is itself an input (see each machine's `Input`).
pub trait Machine {
    /// What can happen to the machine. May borrow, so that payloads are not copied on their way in.
    type Input<'a>;
    /// What the machine wants done.
    type Output;

    /// Tells the machine what happened at `now`. Times never run backwards.
    fn handle(&mut self, now: Time, input: Self::Input<'_>);

    /// The next thing to be done, oldest first.
    fn poll(&mut self) -> Option<Self::Output>;

    /// When the machine wants to be woken if nothing happens before; `Time::NEVER` for "not at all".
    fn deadline(&self) -> Time;
}
