//! What a user asks for, as it was typed.

use std::path::PathBuf;

use hopwright_transport::adaptation::Triggers;

/// What a user asks for, as it was typed. `run` checks it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Name of the TUN device, made if there is none.
    pub tun: String,
    /// Our TCP's address and the subnet's prefix: `10.9.0.2/24`.
    pub address: String,
    /// The kernel's address on the device; by default, the first other address of the subnet.
    pub kernel_address: Option<String>,
    /// Longest packet of the device, in bytes.
    pub mtu: u16,
    /// Whether the device cuts and joins segments and computes checksums.
    pub offload: bool,
    /// The transport protocol.
    pub protocol: String,
    /// Slots and transport parameters by name, set one after the other.
    pub overrides: Vec<(String, String)>,
    /// What changes mechanisms under way, if anything does.
    pub triggers: Option<Triggers>,
    /// Limits of what strangers may take, by name, set one after the other.
    pub limits: Vec<(String, String)>,
    /// The user to become once the device is there.
    pub user: Option<String>,
    /// Whether to measure what connections compute.
    pub compute: bool,
    /// What to do.
    pub task: Task,
}

/// What to do.
#[derive(Clone, Debug)]
pub enum Task {
    /// Write a file's bytes to whoever connects, and close.
    Serve {
        /// The file.
        file: PathBuf,
        /// Where to listen.
        port: u16,
        /// Stop after one connection.
        once: bool,
    },
    /// Connect, send one file, receive another.
    Connect {
        /// `HOST:PORT`.
        to: String,
        /// What to send.
        send: Option<PathBuf>,
        /// Where to put what comes.
        receive: Option<PathBuf>,
    },
}
