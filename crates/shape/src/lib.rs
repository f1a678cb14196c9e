//! A shaped link: what a packet goes through between two hosts where nobody looks at the medium.
//!
//! ```text
//! offer -> queue -> server -> loss -> delay, jitter -> arrival, or two
//!            |                          |
//!            drop-tail, CoDel           or at once, ahead of others
//! ```
//! The server sends one packet at a time, at a rate that may change while it does, or at the opportunities of a recorded
//! link. A packet that is then lost has taken the link's time. A [`Link`] is one direction of a link, or both where they
//! share it: whoever drives it knows where a packet goes. Delay, loss and rate may be those of a [`profile`], pipe after pipe
//! or one for each packet.
//!
//! The same machine serves a simulation, which gives it the time of the run, and an emulation, which gives it that of a
//! clock.
//!
//! ```
//! use hopwright_machine::{Duration, Machine, Time};
//! use hopwright_shape::{Config, Input, Link, Output, Rate, Streams};
//!
//! let config = Config { rate: Rate::Fixed(1e6), delay: Duration::from_millis(10), ..Config::default() };
//! let mut link = Link::new(config, Streams::new(1, 0));
//! link.handle(Time::ZERO, Input::Offer { packet: "hello", bytes: 125 });
//! let arrives = Time::ZERO + Duration::from_millis(11); // a thousand bits at a megabit per second, and the delay
//! link.handle(link.deadline(), Input::Wake); // the packet has left the server
//! assert_eq!(link.deadline(), arrives);
//! link.handle(arrives, Input::Wake);
//! assert!(matches!(link.poll(), Some(Output::Arrived("hello"))));
//! ```

mod codel;
mod config;
mod delay;
mod follow;
mod link;
mod loss;
pub mod mahimahi;
pub mod profile;
mod queue;
mod rate;
mod recorded;
mod reorder;
mod under_way;

pub use codel::Codel;
pub use config::{Config, Streams};
pub use delay::{Jitter, JitterLaw};
pub use follow::{Following, Share};
pub use link::{Input, Link, Output, Why};
pub use loss::{GilbertElliott, Loss, Per};
pub use queue::{Discipline, Queue};
pub use rate::{Opportunities, Rate, Shape};
pub use recorded::{LossRecord, LossRecordError};
pub use reorder::Reordering;
