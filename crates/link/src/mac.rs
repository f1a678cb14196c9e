//! What a simulator asks of a station: the medium access control of one node.

use std::fmt::Debug;
use std::sync::Arc;

use hopwright_machine::{DropCause, Duration, Machine, NodeId, Time};

use crate::fba::Stage;
use crate::queue::Class;
use crate::{Config, Draws, Forecast, Frame, FrameKind, Lred, Stamper};

/// What can happen to a station. The time of an input is when it happened at the station's antenna.
#[derive(Debug)]
pub enum Input<'a, P> {
    /// A packet to be sent.
    Enqueue {
        /// The packet.
        packet: P,
        /// Its length, bytes.
        bytes: u32,
        /// The next hop; `None` for everyone.
        next_hop: Option<NodeId>,
        /// What it is to the queue.
        class: Class,
    },
    /// Take out of the queue, and report as dropped, what waits for this next hop.
    Purge(NodeId),
    /// Take out of the queue, and give back, what waits for this next hop.
    Reclaim(NodeId),
    /// The physical carrier is busy from now until then.
    Carrier {
        /// Until when, as far as known.
        until: Time,
    },
    /// Another frame overlaps the one in reception until then, without harm (ns-2: it holds the medium for EIFS
    /// after its end).
    Held {
        /// The end of that frame.
        until: Time,
    },
    /// A frame for this station, or for everyone, has been received.
    Received(&'a Frame<P>),
    /// A frame for another station has been received; its Duration field.
    Overheard(Duration),
    /// A reception has ended in error.
    Failed,
    /// The sum of `Carrier`, `Overheard` and `Failed` for frames that came one after the other since the last input. None
    /// was for this station. No back-off may be counting down.
    HeardAside {
        /// When the last of it ended.
        over_at: Time,
        /// The frames that were received reserve the medium until then.
        reserved_until: Time,
        /// When the last reception ended that failed; `ZERO`: none did.
        failed_at: Time,
    },
    /// The air that the station has asked for (`Mac::ask`) is granted: it may begin now.
    Granted,
    /// The station goes off: whatever it has is dropped (`NodeDown`), what it was doing and heard is forgotten.
    ShutDown,
    /// The node has handled the packet that was given up: the next packet may be served.
    Resume,
    /// The deadline may have come.
    Wake,
}

/// What a station wants done.
#[derive(Debug, PartialEq, Eq)]
pub enum Output<P> {
    /// Put this frame on the air now.
    Transmit(Frame<P>),
    /// A packet has arrived.
    Deliver {
        /// The packet.
        packet: P,
        /// The station it came from.
        from: NodeId,
    },
    /// A packet has been sent: acknowledged, or broadcast.
    Sent {
        /// The packet.
        packet: P,
        /// Where it went; `None` for everyone.
        next_hop: Option<NodeId>,
    },
    /// A packet has been given up after the retry limit.
    GaveUp {
        /// The packet.
        packet: P,
        /// The station that did not answer.
        next_hop: NodeId,
        /// `RetryLimitRts` or `RetryLimitData`.
        cause: DropCause,
    },
    /// A packet has been dropped without being tried.
    Dropped {
        /// The packet.
        packet: P,
        /// Where it was to go; `None` for everyone.
        next_hop: Option<NodeId>,
        /// `QueueFull`, `LinkRed`, `NextHopLost` or `NodeDown`.
        cause: DropCause,
    },
    /// A packet that waited in the queue is given back, as asked.
    Reclaimed {
        /// The packet.
        packet: P,
        /// The station it waited for.
        next_hop: NodeId,
    },
    /// By its number, a packet that was delivered before has arrived again. It has been acknowledged again.
    Repeated {
        /// The packet.
        packet: P,
        /// The station it came from.
        from: NodeId,
    },
}

/// A wish for the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Since when the station has waited for it.
    pub since: Time,
    /// Whom the exchange is with; `None`: everyone.
    pub next_hop: Option<NodeId>,
    /// How long the exchange lasts if all goes well, but for propagation.
    pub lasts: Duration,
}

/// The medium access control of one station.
///
/// A run knows its kind at compile time: asked through an enum, the station would cost each frame some tens of
/// instructions, for it is asked at every signal and a dozen times whenever a node is woken.
pub trait Mac<P>: for<'a> Machine<Input<'a> = Input<'a, P>, Output = Output<P>> + Debug + Send + Sized {
    /// Whether stations wait for air that is granted to them; if not, they find out by themselves when it is theirs.
    const IS_GRANTED: bool;

    /// A station that has nothing to send and has heard nothing.
    fn new(config: Arc<Config>, me: NodeId, draws: Draws) -> Self;

    /// The same station with Link RED or adaptive pacing.
    #[must_use]
    fn with_lred(self, lred: Lred<P>) -> Self;

    /// The same station, which shows these what passes.
    #[must_use]
    fn with_stampers(self, stampers: Vec<Box<dyn Stamper<P>>>) -> Self;

    /// Data begin to be heard then: for stampers alone, which are told of nothing that the station senses.
    fn hears(&mut self, at: Time);

    /// Packets in the interface queue, without the one in service.
    fn queued(&self) -> usize;

    /// Packets in the station: queued and in service.
    fn held(&self) -> usize;

    /// The packet in service.
    fn serving(&self) -> Option<&P>;

    /// Whether a frame of this kind, sent now, is the first of a try to send the packet in service.
    fn begins_a_try(&self, kind: FrameKind) -> bool;

    /// Whether the station rests after giving a packet up, until `Input::Resume`.
    fn awaits_resume(&self) -> bool;

    /// The frame that `poll` would return next: taken so, it is moved once less than as an output.
    fn take_frame(&mut self) -> Option<Frame<P>>;

    /// Whether `poll` would return something.
    fn has_output(&self) -> bool;

    /// Whether the station may be told in sum (`Input::HeardAside`) of frames for others, until it is woken: it then needs
    /// to know only until when they occupy and reserve the medium.
    fn is_idle(&self) -> bool {
        false
    }

    /// The deadline, but for what `forecast` says.
    fn timeout(&self) -> Time;

    /// When the station may begin at the earliest, as far as it knows and as signals on their way to it change that;
    /// `None` if it waits for no silence.
    fn forecast(&self) -> Option<Forecast> {
        None
    }

    /// Contention window, slots; `None`: it has none.
    fn contention_window(&self) -> Option<u32> {
        None
    }

    /// The stage of fair back-off; `None` with another back-off.
    fn stage(&self) -> Option<Stage> {
        None
    }

    /// The air that it waits for, where that is granted; `None`: it has it, or does not need it.
    fn ask(&self) -> Option<Ask> {
        None
    }

    /// Whether the station has the air, where that is granted: for an exchange that begins, or is not over.
    fn has_air(&self) -> bool {
        false
    }
}
