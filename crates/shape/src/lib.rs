//! A shaped link: what a packet goes through between two hosts where nobody looks at the medium.
//!
//! ```text
//! offer -> queue -> server -> loss -> delay, jitter -> arrival
//!            |
//!            drop-tail, CoDel
//! ```
//! The server sends one packet at a time, at a rate that may change while it does, or at the opportunities of a recorded
//! link. A packet that is then lost has taken the link's time. A [`Link`] is one direction of a link, or both where they
//! share it: whoever drives it knows where a packet goes.
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
mod link;
mod loss;
pub mod mahimahi;
pub mod profile;
mod queue;
mod rate;

pub use codel::Codel;
pub use link::{Config, Input, Jitter, JitterLaw, Link, Output, Streams, Why};
pub use loss::{Loss, Per};
pub use queue::{Discipline, Queue};
pub use rate::{Opportunities, Rate, Shape};
