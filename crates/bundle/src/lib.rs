//! NCTP: bundles of packets that go hop by hop.
//!
//! A connection's data are cut into bundles. The node that has the whole of a bundle owns it: it finds a way, hands the packets one
//! by one to the link, and lets go of the bundle when the next owner has all of it. The destination acknowledges a bundle to
//! its source, which sends the next one. There is no window, no rate and no retransmission of single packets: the link says of
//! each packet whether the neighbour has it.
//!
//! An [`Agent`] is the machine of one node, for all connections that begin, pass or end there. It stands between the
//! applications and the router: it asks the router for ways, and gives packets of bundles to the link itself.

/// Bytes that IP and NCTP add to the data of a packet.
pub const HEADER_BYTES: u32 = hopwright_wire::ip::HEADER_BYTES + hopwright_wire::nctp::BYTES;

mod agent;
mod bundle;
mod config;
mod news;
mod parts;
mod sink;
mod source;
mod timer;

pub use agent::Agent;
pub use bundle::Way;
pub use config::{AcksAgain, Config, InitialTimer, LetsGo, Resumes, Service, TimerStarts, WhenFull};
pub use news::{Input, News, Output, Route};
