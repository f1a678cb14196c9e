//! Transport protocols as compositions of mechanisms.
//!
//! A [`Connection`] is one end of a TCP connection. It owns neither a socket nor a clock: a driver gives it
//! the time and an [`Input`], collects every [`Output`], and comes back at the next input or at
//! [`deadline`](Machine::deadline). The simulator drives it; an emulator or a real host could drive the same machine.
//!
//! ```
//! use hopwright_machine::{Machine, Time};
//! use hopwright_transport::{Connection, Data, Input, Output, Params, Role, protocol};
//! use hopwright_wire::tcp::Seq;
//!
//! let newreno = protocol("newreno").unwrap().recipe.with("acking", "delayed").unwrap();
//! let params = Params::default();
//! let mut source = Connection::new(&newreno, &params, Role::Active, 5001, 5001, Seq(1));
//! let mut sink = Connection::new(&newreno, &params, Role::Passive, 5001, 5001, Seq(2));
//! sink.handle(Time::ZERO, Input::Open);
//! source.handle(Time::ZERO, Input::Write(Data::Count(100_000))); // nobody ever copies these bytes
//! source.handle(Time::ZERO, Input::Open);
//! let Some(Output::Segment(syn)) = source.poll() else { panic!("a SYN comes first") };
//! sink.handle(Time::from_nanos(1), Input::Segment { segment: &syn, data: &[] });
//! assert!(matches!(sink.poll(), Some(Output::Segment(_))));
//! ```
//!
//! # Engine and slots
//!
//! The engine ([`engine`]) manages connections, numbers bytes, keeps the buffers and timers and does all the
//! sending. Whatever protocols differ in is decided in twelve slots ([`mechanisms`]): a mechanism is told
//! what happened and returns a number or a verdict, and only the engine acts on it. Which mechanism fills
//! which slot is a [`Recipe`]; the protocols are a table of recipes ([`PROTOCOLS`]). Other crates add mechanisms and rows of
//! their own ([`registry`]).
//!
//! # Data, real and virtual
//!
//! [`Data::Count`] writes bytes that exist only as a number: nothing is stored, nothing is copied, and
//! `Count(u64::MAX / 2)` is an endless source. [`Data::Bytes`] writes real ones; the driver asks
//! [`Connection::payload`] for the bytes of each segment it sends, and hands the bytes of each segment it
//! receives in with [`Input::Segment`]. A connection uses one kind in each direction.
//!
//! # Beside TCP
//!
//! [`atp`] is a transport of its own, with other machines: rate based, driven by what stations write on its packets.
//!
//! # Profiles
//!
//! [`Params::default`] follows the RFCs; [`Params::ns2`] sets the switches that make the engine do what
//! ns-2.35 does. Each switch is a parameter of its own and names the behaviour it copies.

pub mod adaptation;
pub mod atp;
pub mod engine;
pub mod function;
pub mod mechanisms;
mod parameters;
pub mod params;
pub mod protocols;
mod refused;
pub mod registry;
mod table;
pub mod view;
pub mod whole;

pub use engine::{Connection, Data, Input, Limit, Output, Role, State};
pub use function::{Before, Function};
pub use hopwright_machine::Machine;
pub use hopwright_wire::stamp::Fact;
pub use mechanisms::{
    Cause, Conflict, Missing, Needs, NetworkSignal, Part, PartInfo, PathFacts, Recipe, SLOT_NAMES, Slot, SlotInfo,
    SwapError, UnknownPart, slots,
};
pub use parameters::{Parameter, parameters};
pub use params::{Knob, Params, Value};
pub use protocols::{PROTOCOLS, Protocol, protocol, protocols};
pub use refused::Refused;
pub use view::{Diagnosed, Phase, Public};
pub use whole::{WHOLE, Whole, whole};
