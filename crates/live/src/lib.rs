//! Drivers that run the machines on real devices, with the real clock.
//!
//! [`run`] puts a [`Host`](hopwright_host::Host) behind a TUN device: the project's TCP against the TCP of any
//! kernel. It serves a file to whoever connects, or connects and sends or receives one.

mod apps;
mod clock;
mod defaults;
mod device;
mod error;
mod limits;
mod plan;
mod privileges;
mod routes;
mod run;
mod server;
mod settings;
mod source;
mod summary;
mod target;
mod watch;

pub use defaults::defaults;
pub use error::Error;
pub use privileges::{User, execute_unprivileged, give_up_privileges, keep_network_privileges};
pub use run::{Ready, prepare, run};
pub use settings::{Settings, Task};
pub use summary::Summary;
pub use watch::Watch;
