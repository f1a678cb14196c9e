//! IPv4 packets; and what travels in their place.

mod error;
mod header;
mod opaque;
mod packet;
mod payload;
pub mod protocol;
#[cfg(test)]
mod tests;

pub use error::DecodeError;
pub use header::{DEFAULT_TTL, HEADER_BYTES, Header};
pub use opaque::{Head, Opaque};
pub use packet::Packet;
pub use payload::Payload;

pub use crate::ecn::Ecn;
