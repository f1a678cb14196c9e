//! Stations: 802.11's frame exchanges, the distributed coordination function and an ideal one, the interface queue, what is
//! told to transports of contention, what is written on packets that pass, and address resolution above them.

mod access;
pub mod arp;
mod config;
mod dcf;
mod delay;
mod exchange;
pub mod fba;
mod frame;
mod ideal;
pub mod lred;
mod mac;
pub mod ofdm;
mod outbox;
mod pacing;
mod queue;
mod stamp;

pub use arp::Arp;
pub use config::{ACK_BYTES, CTS_BYTES, Config, Eifs, Framing, Kind, RTS_BYTES, RetryCounters, RtsRetries};
pub use dcf::{Draws, Forecast};
pub use delay::DelayLine;
pub use frame::{Frame, FrameKind};
pub use lred::Lred;
pub use mac::{Ask, Input, Mac, Output};
pub use queue::{Class, Discipline, Queue};
pub use stamp::Stamper;

/// A station of the distributed coordination function.
pub type Dcf<P> = exchange::Exchanges<P, dcf::Contention>;

/// A station that sends when it is granted the air.
pub type Ideal<P> = exchange::Exchanges<P, ideal::Granted>;
