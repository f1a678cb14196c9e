//! 802.11 frames as far as stations act on them.

use hopwright_machine::{Duration, NodeId};

/// The frames of the basic access methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Data.
    Data,
    /// Acknowledgement.
    Ack,
}

impl FrameKind {
    /// Whether it answers a frame of somebody who has something to send, who owns the try that it belongs to.
    #[must_use]
    pub const fn is_answer(self) -> bool {
        matches!(self, Self::Cts | Self::Ack)
    }
}

/// A frame, with the packet it carries if it is a data frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame<P> {
    /// What it is.
    pub kind: FrameKind,
    /// The station that sends it.
    pub from: NodeId,
    /// The station it is for; `None` for everyone.
    pub to: Option<NodeId>,
    /// Time on the air, preamble included.
    pub air_time: Duration,
    /// The Duration field: for how long after its end the medium is reserved.
    pub nav: Duration,
    /// Sequence Control field of a data frame; the fragment number is always zero.
    pub sequence: u16,
    /// The Retry bit.
    pub retry: bool,
    /// The packet a data frame carries.
    pub payload: Option<P>,
}

impl<P> Frame<P> {
    /// The station with something to send whose try the frame belongs to.
    #[must_use]
    pub fn tries(&self) -> NodeId {
        if self.kind.is_answer() { self.to.unwrap_or(self.from) } else { self.from }
    }

    /// Whether its addressee is to answer it.
    #[must_use]
    pub const fn wants_answer(&self) -> bool {
        self.to.is_some() && !self.kind.is_answer()
    }
}
