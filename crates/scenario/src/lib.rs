//! The scenario file: read, checked, printed.
//!
//! [`load`] turns a TOML file and `--set` overrides into a [`Loaded`] scenario in which nothing is left open, or
//! says everything that is wrong with it: file, line, column, the reason, the nearest right spelling.
//! [`Loaded::setup`] is what the simulator takes; [`Scenario::to_toml`] is the file with every default; [`schema`]
//! describes the file to editors and to the reference page.
//!
//! ```text
//! text --read--> tables with places --read--> model --check, place--> model and layout --setup--> hopwright_sim::Setup
//! ```
//!
//! To add a key: a field in `model`, its default and its limit beside it, its use in `config`.

mod check;
pub mod coefficients;
mod config;
mod error;
pub mod file;
mod files;
mod folder;
mod link_file;
mod live_links;
mod loader;
pub mod model;
mod network;
mod place;
mod print;
mod read;
mod render;
mod schema;
mod setup;
mod source;
mod suggest;
pub mod topology;
mod units;

pub use check::how_many;
pub use error::{ScenarioError, ScenarioErrors};
pub use link_file::{LinkPair, load_link, parse_link};
pub use live_links::{LiveLink, LiveLinks, PairChange};
pub use loader::{Carried, Loaded, load, load_triggers, parse, parse_carried};
pub use model::{Output, Scenario, limits};
pub use network::Network;
pub use schema::schema;
pub use topology::{Format, Topology};
