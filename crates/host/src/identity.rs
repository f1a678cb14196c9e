//! What a connection is named by: its ends, and its handle.

use hopwright_machine::Address;

/// An address and a port.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Endpoint {
    /// The address.
    pub address: Address,
    /// The port.
    pub port: u16,
}

/// Names a connection of a host. Never used twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Handle {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

/// The two ends of a connection; our address is the host's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Tuple {
    pub(crate) local_port: u16,
    pub(crate) remote: Endpoint,
}
