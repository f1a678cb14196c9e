//! Why a frame was not received, or a request not answered: the causes, and what is said of each.
//!
//! Holds     names and sentences stand here alone: files, reports and `hopwright explain` say what stands here

use hopwright_link::FrameKind;
use hopwright_machine::{NodeId, Time};

/// A frame that stood in the way of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disturber {
    /// Its number: frames are counted from 0 in the order in which they leave.
    pub number: u64,
    /// Who sent it.
    pub from: NodeId,
    /// What it is.
    pub kind: FrameKind,
    /// When it left.
    pub at: Time,
    /// How it came that both were in the air.
    pub relation: Relation,
}

/// Why a sender did not wait: of two frames in the air at once, that of the later one; of an RTS that is not answered,
/// that of the RTS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// It could not sense the other's frames: the other is a hidden terminal.
    Hidden,
    /// It sensed the other's frame, but too weakly to read for how long it reserves the medium.
    Unread,
    /// It answers a frame, and answers leave without sensing (802.11-1999 §9.2.8), or it is data that a CTS asked for.
    Answer,
    /// Both were due so closely that neither could know of the other: within a slot.
    Tie,
    /// None of these: it was sending itself, or has just come up or into range.
    Deaf,
}

impl Relation {
    /// All, in order.
    pub const ALL: [Self; 5] = [Self::Hidden, Self::Unread, Self::Answer, Self::Tie, Self::Deaf];

    /// The name used in results; what a sentence says of the frame that stood in the way, for which node `{other}` did not
    /// wait.
    #[must_use]
    pub const fn words(self) -> [&'static str; 2] {
        match self {
            Self::Hidden => ["hidden", "hidden from node {other}"],
            Self::Unread => ["unread", "which node {other} sensed but could not read"],
            Self::Answer => ["answer", "an answer, which leaves without sensing"],
            Self::Tie => ["tie", "begun in the same instant"],
            Self::Deaf => ["deaf", "which node {other} had not noticed"],
        }
    }

    /// The name used in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.words()[0]
    }
}

/// Why a node did not receive a frame that was for it, or for everyone in range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Miss {
    /// Another frame spoilt it.
    Collision(Option<Disturber>),
    /// The receiver was busy with another frame that was stronger by the capture ratio.
    Captured(Option<Disturber>),
    /// The node was transmitting itself.
    Transmitting(Option<Disturber>),
    /// The channel damaged the frame, or made it too weak for this node though it was in range.
    Channel,
    /// It was out of range when the frame left.
    OutOfRange,
    /// It was down when the frame left.
    Down,
    /// The sender went down in the middle of the frame, or the node itself.
    CutOff,
}

impl Miss {
    /// All, in order, without what stood in the way.
    pub const ALL: [Self; 7] = [
        Self::Collision(None),
        Self::Captured(None),
        Self::Transmitting(None),
        Self::Channel,
        Self::OutOfRange,
        Self::Down,
        Self::CutOff,
    ];

    /// The name used in results; what a sentence says of a try that came to nothing so, as node `{loser}` did not receive
    /// its `{frame}`; what a count of such tries says.
    #[must_use]
    #[rustfmt::skip]
    pub const fn words(self) -> [&'static str; 3] {
        match self {
            Self::Collision(_) => ["collision", "the {frame} collided at node {loser}", "collided"],
            Self::Captured(_) => ["captured", "node {loser} was receiving a stronger frame when the {frame} came", "met a stronger frame"],
            Self::Transmitting(_) => ["transmitting", "node {loser} was itself sending when the {frame} came", "met a node that was itself sending"],
            Self::Channel => ["channel", "the {frame} was damaged on its way to node {loser}", "damaged by the channel"],
            Self::OutOfRange => ["out_of_range", "node {loser} was out of range", "went to a node out of range"],
            Self::Down => ["down", "node {loser} was down", "went to a node that was down"],
            Self::CutOff => ["cut_off", "the {frame} was cut off: a node went down", "cut off as a node went down"],
        }
    }

    /// The name used in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.words()[0]
    }

    /// The frame that stood in the way, if one did and it is known.
    #[must_use]
    pub const fn disturber(self) -> Option<Disturber> {
        match self {
            Self::Collision(by) | Self::Captured(by) | Self::Transmitting(by) => by,
            Self::Channel | Self::OutOfRange | Self::Down | Self::CutOff => None,
        }
    }
}

/// Why a node did not answer a frame that it received: an RTS, or data, which it answers unless it goes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The medium was reserved (NAV), or held after an error, because of this frame.
    Reserved(Option<Disturber>),
    /// The carrier was busy with this frame.
    Carrier(Option<Disturber>),
    /// It was in the middle of another exchange.
    Engaged,
    /// It went down before it could.
    Down,
}

impl Silence {
    /// All, in order, without what it held back for.
    pub const ALL: [Self; 4] = [Self::Reserved(None), Self::Carrier(None), Self::Engaged, Self::Down];

    /// As `Miss::words`; node `{peer}` did not answer.
    #[must_use]
    #[rustfmt::skip]
    pub const fn words(self) -> [&'static str; 3] {
        match self {
            Self::Reserved(_) => ["reserved", "node {peer} held back: the medium was reserved", "met a reserved medium"],
            Self::Carrier(_) => ["carrier", "node {peer} held back: its carrier was busy", "met a busy carrier"],
            Self::Engaged => ["engaged", "node {peer} was in the middle of another exchange", "met a node in another exchange"],
            Self::Down => Miss::Down.words(),
        }
    }

    /// The name used in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.words()[0]
    }

    /// The frame because of which it held back.
    #[must_use]
    pub const fn disturber(self) -> Option<Disturber> {
        match self {
            Self::Reserved(by) | Self::Carrier(by) => by,
            Self::Engaged | Self::Down => None,
        }
    }
}
