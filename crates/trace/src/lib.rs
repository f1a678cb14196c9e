//! Files of what happens in a run.
//!
//! A [`Recorder`] is a [`hopwright_sim::Trace`] that writes what [`Config`] asks for: `pcapng` files, one per chosen
//! node, for Wireshark; a trace in a format of ns-2 (`ns2`); and flows and queues over time (`series`). Each writer
//! gets every event of the run and takes what it needs, over any `std::io::Write`. A further writer is a module here, a
//! field of `Config` and a field of `Recorder`.
//!
//! ```no_run
//! # fn example(setup: &hopwright_sim::Setup, seed: u64) {
//! use hopwright_machine::NodeId;
//! use hopwright_trace::{Config, Recorder, ns2};
//!
//! let config = Config { pcap: vec![NodeId(0)], ns2: Some(ns2::Config::default()), ..Config::default() };
//! let mut recorder = Recorder::new(&config, setup, "results".as_ref());
//! let outcome = hopwright_sim::run_traced(setup, seed, &Default::default(), &Default::default(), &mut recorder);
//! for missing in recorder.finish().unwritten {
//!     println!("{}: {}", missing.name, missing.error);
//! }
//! # }
//! ```

mod answer;
mod columns;
mod dot11;
pub mod flow_time;
pub mod frames;
pub mod hops;
mod independent;
pub mod lineage;
pub mod medium_use;
pub mod ns2;
mod packet_time;
pub mod pcapng;
pub mod positions;
mod possible;
mod progress;
mod recorder;
mod rows;
pub mod series;
pub mod words;

use hopwright_machine::Duration;
use hopwright_radio::Radio;
use hopwright_sim::{FlowKind, Setup};

pub use recorder::{Config, HandedOver, Recorded, Recorder, Unwritten};

/// So long after the last bit of a frame has left everybody has heard it who ever will, and whoever it was for has acted on
/// it, and has told what became of it.
fn decided_after(setup: &Setup) -> Duration {
    let radio = Radio::new(&setup.radio);
    radio.delay(radio.reach_m()) + setup.mac.sifs + Duration::from_nanos(1)
}

/// Whether bundles carry some flow: then files tell of them.
fn has_bundles(setup: &Setup) -> bool {
    setup.flows.iter().any(|flow| matches!(flow.kind, FlowKind::Bundles { .. }))
}

/// Whether some flow changes its mechanisms by triggers: then files tell of it.
fn has_triggers(setup: &Setup) -> bool {
    setup.flows.iter().any(|flow| matches!(&flow.kind, FlowKind::Tcp { params, .. } if params.triggers.is_some()))
}
