//! What `events.parquet` says of one event.

use hopwright_machine::{NodeId, PacketId, Time};

use super::foreign::Foreign;

/// An event's number. Events are numbered in the order in which they begin; a row is written when its event has ended.
pub(super) type Id = i64;

/// What is to blame, in words, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Blame {
    /// The word of `cause`.
    pub(super) cause: Option<&'static str>,
    /// The word of `loss`: what the network lost it to, in the words of `losses`.
    pub(super) loss: Option<&'static str>,
    /// Where that is.
    pub(super) peer: Option<NodeId>,
}

/// The frame that stood in the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct By {
    /// The packet that it is about.
    pub(super) packet: Option<PacketId>,
    pub(super) node: NodeId,
    pub(super) frame: &'static str,
    pub(super) at: Time,
    pub(super) relation: &'static str,
}

/// One event.
// Most have no `by`, no `window` and no `foreign`, and many are kept at once: these are elsewhere.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) id: Id,
    pub(super) at: Time,
    pub(super) kind: &'static str,
    pub(super) node: NodeId,
    pub(super) peer: Option<NodeId>,
    pub(super) flow: Option<usize>,
    pub(super) packet: Option<PacketId>,
    /// Position in the stream: of a segment's first byte, or of what an acknowledgement asks for.
    pub(super) first_byte: Option<u64>,
    /// Bytes of data in the segment.
    pub(super) bytes: Option<u32>,
    pub(super) carries: Option<&'static str>,
    /// Which try this is.
    pub(super) tries: Option<u32>,
    /// The frame of the try that was lost.
    pub(super) frame: Option<&'static str>,
    pub(super) cause: Option<&'static str>,
    pub(super) loss: Option<&'static str>,
    pub(super) because: Option<Id>,
    pub(super) by: Option<Box<By>>,
    /// The congestion window before and after, segments.
    pub(super) window: Option<Box<(f64, f64)>>,
    pub(super) diagnosis: Option<&'static str>,
    /// What a trigger saw and set.
    pub(super) detail: Option<Box<str>>,
    /// The bundle that it is about.
    pub(super) bundle: Option<u32>,
    /// What a program's packet is.
    pub(super) foreign: Option<Box<Foreign>>,
}

impl Row {
    pub(super) const fn new(id: Id, at: Time, kind: &'static str, node: NodeId) -> Self {
        Self {
            id,
            at,
            kind,
            node,
            peer: None,
            flow: None,
            packet: None,
            first_byte: None,
            bytes: None,
            carries: None,
            tries: None,
            frame: None,
            cause: None,
            loss: None,
            because: None,
            by: None,
            window: None,
            diagnosis: None,
            detail: None,
            bundle: None,
            foreign: None,
        }
    }

    pub(super) fn blaming(self, blame: Blame) -> Self {
        Self { cause: blame.cause, loss: blame.loss, peer: blame.peer, ..self }
    }
}
