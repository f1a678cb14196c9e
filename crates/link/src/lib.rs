//! The 802.11 distributed coordination function, its interface queue, and address resolution above them.

pub mod arp;
mod config;
mod dcf;
mod delay;
mod frame;
mod queue;

pub use arp::Arp;
pub use config::{ACK_BYTES, CTS_BYTES, Config, Eifs, RTS_BYTES, RetryCounters};
pub use dcf::{Dcf, Draws, Forecast, Input, Output};
pub use delay::DelayLine;
pub use frame::{Frame, FrameKind};
pub use queue::{Class, Discipline, Queue};
