//! What a transport asks of the network below it: which messages about the route its ends are sent.

use hopwright_wire::notice::Kind;

/// Whose routing layer tells the connection that it knows a route again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Restored {
    /// Nobody's.
    Nobody,
    /// The sender's.
    Sender,
    /// The receiver's, which answered the sender's search.
    Receiver,
}

/// What a transport asks of the network. One that asks for nothing has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asks {
    /// What nodes on the way send to the source when they cannot forward a segment of the flow.
    pub failed: Kind,
    /// Whether every node that notices a failure sends it, instead of one per flow and broken link.
    pub every_detector: bool,
    /// Who is told of a new route.
    pub restored: Restored,
    /// Whether the source's routing layer searches for a route while the sender stands still, although no packet waits
    /// for one.
    pub seeks: bool,
}
