//! One IPv4 address and its TCP connections, without a device and without a clock.
//!
//! A [`Host`] is what stands between a network interface and [`Connection`](hopwright_transport::Connection):
//! it finds the connection a segment belongs to, opens new ones, answers what belongs to none, and keeps
//! strangers from filling its memory. A driver gives it packets and the time, collects every [`Output`], and
//! writes packets with [`Host::emit`] into a buffer of its own. Applications use connections by [`Handle`].
//!
//! ```
//! use hopwright_host::{Checksums, Config, Endpoint, EventKind, Host, Input, Output};
//! use hopwright_machine::{Address, Machine, Time};
//! use hopwright_transport::{Params, protocol};
//!
//! let newreno = protocol("newreno").unwrap().recipe;
//! let params = Params { explicit_read: true, ..Params::default() };
//! let host = |n: u32| Host::new(Config::new(Address(0x0a00_0000 + n), 24, newreno, params.clone(), [n as u8; 16]));
//! let (mut server, mut client) = (host(1), host(2));
//! server.listen(80, 16).unwrap();
//! let handle = client.connect(Time::ZERO, Endpoint { address: Address(0x0a00_0001), port: 80 }).unwrap();
//! client.write(Time::ZERO, handle, b"hello");
//!
//! let mut heard = Vec::new();
//! for _ in 0..3 {
//!     for (from, to) in [(1, 0), (0, 1)] {
//!         let mut hosts = [&mut server, &mut client];
//!         while let Some(output) = hosts[from].poll() {
//!             match output {
//!                 Output::Send(packet) => {
//!                     let mut bytes = Vec::new();
//!                     hosts[from].emit(&packet, Checksums::Complete, &mut bytes);
//!                     hosts[to].handle(Time::ZERO, Input::packet(&bytes));
//!                 }
//!                 Output::Event(event) => heard.push(event.kind),
//!             }
//!         }
//!     }
//! }
//! assert!(heard.contains(&EventKind::Readable));
//! ```

mod admission;
mod budget;
mod config;
mod control;
mod cookies;
mod deadlines;
mod events;
mod host;
mod identification;
mod identity;
mod limits;
mod listener;
mod open;
mod outgoing;
mod patience;
mod receive;
mod secrets;
mod settle;
mod shares;
mod spare;
mod statistics;
mod strays;
mod table;
mod time_wait;
mod transmit;
mod work;

pub use config::Config;
pub use events::{Event, EventKind, Input, Output};
pub use host::{ConnectError, Host, ListenError};
pub use identity::{Endpoint, Handle};
pub use outgoing::Outgoing;
pub use statistics::Statistics;
pub use transmit::Checksums;
pub use work::{Cost, INTERRUPTED_NS, Stopwatch, Work};
