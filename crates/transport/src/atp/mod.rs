//! ATP, the Ad hoc Transport Protocol: the stations of the way say how fast it may be used.
//!
//! Every station keeps, over all packets that it sends, the average time in its queue and at its head, and a packet carries
//! the largest sum of both on its way. That is the time which the busiest station needs for one packet, so its inverse is the
//! rate that the way bears. The [`Receiver`] averages what it reads and tells the rate once in an epoch, with what came beyond
//! gaps; the [`Sender`] follows, paced, with no window of its own and no retransmission time-out. Where it knows nothing, at
//! the beginning, after a route failed or when nobody answers, it sends no data but probes.
//!
//! ```text
//! PROBING --an answer with a rate--> OPEN
//! OPEN --a route failed, or three epochs without feedback--> PROBING
//! ```
//!
//! A machine of its own beside [`Connection`](crate::Connection) and no row of its table: nothing here is clocked by
//! acknowledgements, and the slots have nothing to decide.
//!
//! Spec      Sundaresan, Anantharaman, Hsieh and Sivakumar 2003 (MobiHoc; 2005, IEEE Transactions on Mobile Computing 4(6))
//! Deviates  the papers' constants could not be verified: all of them are [`Params`]. No layout of segments is known
//!           (`wire/src/atp.rs`). Bytes are only counted. What else was decided stands in the files
//! Holds     every byte is handed over once and in order, whatever the network does; nothing leaves between two ticks of the
//!           pace but probes

mod arrivals;
mod epochs;
mod numbers;
mod params;
mod rate;
mod receiver;
mod scoreboard;
mod sender;
#[cfg(test)]
mod tests;

use hopwright_wire::notice::{Asks, Kind, Restored};

pub use params::Params;
pub use receiver::{Receiver, ReceiverInput, ReceiverOutput};
pub use sender::{Public, Sender, SenderInput, SenderOutput, State};

/// What it asks of the network: what TCP-ELFN asks, whose probes, too, have routes searched for and find out that there is
/// one.
pub const ASKS: Asks = Asks { failed: Kind::Elfn, every_detector: false, restored: Restored::Nobody, seeks: false };
