//! What each option of the DSR Options header holds.
//!
//! Spec      RFC 4728 §6.2 to §6.7, §7.3
//! Deviates  the flags F and L for nodes outside the DSR network are kept but never set here
//! Holds     nothing of the run

use hopwright_machine::Address;

/// Route Request (§6.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Tells apart the requests of one initiator, which is the packet's IP source.
    pub id: u16,
    /// The node a route is wanted to.
    pub target: Address,
    /// The nodes that have passed the request on, in order; not the initiator.
    pub addresses: Vec<Address>,
}

/// Route Reply (§6.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// L: the last hop lies outside the DSR network.
    pub last_hop_external: bool,
    /// The route behind the initiator of the request (the packet's IP destination), the target last.
    pub addresses: Vec<Address>,
}

/// Route Error (§6.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// How often the packet that failed had been salvaged; four bits.
    pub salvage: u8,
    /// The node that found the error.
    pub source: Address,
    /// The node that is to be told.
    pub destination: Address,
    /// What happened.
    pub kind: ErrorKind,
}

/// Error Type with its type-specific information.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// NODE_UNREACHABLE (1): this neighbour of the error's source did not answer.
    NodeUnreachable(Address),
    /// FLOW_STATE_NOT_SUPPORTED (2).
    FlowStateNotSupported,
    /// OPTION_NOT_SUPPORTED (3): the option's type.
    OptionNotSupported(u8),
    /// UNKNOWN_FLOW (129, §7.3.1).
    UnknownFlow {
        /// Where the packet was going.
        destination: Address,
        /// The flow it named.
        id: u16,
    },
    /// DEFAULT_FLOW_UNKNOWN (130, §7.3.2): where the packet was going.
    DefaultFlowUnknown(Address),
    /// Another type, as it came.
    Other {
        /// Error Type.
        kind: u8,
        /// Type-specific information.
        data: Vec<u8>,
    },
}

/// Acknowledgement (§6.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// The identification of the request that is answered.
    pub id: u16,
    /// The node that acknowledges.
    pub source: Address,
    /// The node that asked.
    pub destination: Address,
}

/// DSR Source Route (§6.7).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct SourceRoute {
    /// F: the first hop lies outside the DSR network.
    pub first_hop_external: bool,
    /// L: the last hop lies outside the DSR network.
    pub last_hop_external: bool,
    /// How often the packet has been salvaged; four bits.
    pub salvage: u8,
    /// How many of the listed nodes are still to be visited; six bits.
    pub segments_left: u8,
    /// The nodes between source and destination, without either.
    pub addresses: Vec<Address>,
}

impl SourceRoute {
    /// The route over these nodes, none of them visited yet.
    #[must_use]
    pub fn over(addresses: Vec<Address>) -> Self {
        Self { segments_left: addresses.len() as u8, addresses, ..Self::default() }
    }

    /// The next node to visit; `None` if that is the packet's destination, or if Segments Left is wrong.
    #[must_use]
    pub fn next(&self) -> Option<Address> {
        let left = usize::from(self.segments_left);
        if left == 0 { None } else { self.addresses.len().checked_sub(left).map(|place| self.addresses[place]) }
    }
}
