//! The 802.11 distributed coordination function, its back-offs, its interface queue, what it
//! tells transports of contention, what is written on packets that pass, and address resolution above them.

pub mod arp;
mod config;
mod dcf;
mod delay;
pub mod fba;
mod frame;
pub mod lred;
mod pacing;
mod queue;
mod stamp;

pub use arp::Arp;
pub use config::{ACK_BYTES, CTS_BYTES, Config, Eifs, RTS_BYTES, RetryCounters};
pub use dcf::{Dcf, Draws, Forecast, Input, Output};
pub use delay::DelayLine;
pub use frame::{Frame, FrameKind};
pub use lred::Lred;
pub use queue::{Class, Discipline, Queue};
pub use stamp::Stamper;
