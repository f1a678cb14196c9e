//! Packet formats: what a header holds and how long it is on the air. No behaviour.
//!
//! Packets are structures here; their bytes are written and read only where a real device or a trace
//! needs them. Every length counts what the bytes would be.

pub mod aodv;
pub mod arp;
pub mod atp;
pub mod checksum;
pub mod dsdv;
pub mod dsr;
mod ecn;
pub mod ethernet;
pub mod icmp;
pub mod ip;
pub mod nctp;
pub mod notice;
pub mod olsr;
pub mod stamp;
pub mod tcp;
pub mod udp;

pub use ip::{Packet, Payload};
