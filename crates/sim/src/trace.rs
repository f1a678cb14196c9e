//! What a run tells a trace, and what it costs not to have one: nothing.
//!
//! Nodes report to a `Sink`. There are three: `Off`, whose calls compile to nothing; `Few`, which passes on to a
//! [`Trace`] how flows and queues stand; and `On`, which passes on everything. The run is compiled once for each.
//!
//! Receivers are lazy: what a node overhears is looked at when the node is next asked, and the frame may be gone by
//! then. A trace cannot wait: it would have to hold back everybody else's events. So `On` gives each node whose
//! hearing is wanted a second receiver, an ear, which is told the same and is looked at whenever it may have noticed
//! something. The node's own receiver stays as lazy as it was. A trace that asks for no hearing, no waits and not how busy
//! nodes are is told the same of a run in which nodes sleep (`run/sleepers.rs`), and of one in which they do not.
//!
//! Holds     events come in the order of their times; the results of a run do not depend on its trace

mod on;
mod sink;

use hopwright_bundle::News;
use hopwright_link::Frame;
use hopwright_link::fba::Stage;
use hopwright_machine::{DropCause, Duration, LossCause, NodeId, Time};
use hopwright_mobility::Trajectory;
use hopwright_transport::adaptation::Change;
use hopwright_transport::{Limit, Public};
use hopwright_wire::Packet;

use crate::misses::{Miss, Silence};
pub(crate) use on::On;
pub(crate) use sink::{Few, LostTo, Off, Sink};

/// Who wants to know what happens in a run; which may go on in another thread than it began in.
pub trait Trace: Send {
    /// Something has happened at a node. Times never go back.
    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>);

    /// Whether what this node hears is wanted: `Received` and `Collided`. Asked once, before the run.
    fn hears(&self, node: NodeId) -> bool;

    /// Whether the way of packets and frames is wanted. If not, only `Hop`, `InNetwork`, `Sender`, `Adapted`, `Arrived`,
    /// `QueueLength`, `Backoff`, `Moved` and `Switched` are told, and the run is nearly as fast as without a trace. Asked once, before the run.
    fn follows_packets(&self) -> bool {
        true
    }

    /// Whether it is to be told of the packets of flows between the layers of a node, too: `Routed`, `Enqueued`, and
    /// `Routing` from the node itself. Of messages, and of what programs outside sent, it always is. Asked once, before
    /// the run.
    fn asks_for_layers(&self) -> bool {
        true
    }

    /// Whether it is wanted for how long nodes find the medium busy: `Busy`. Asked once, before the run.
    fn asks_how_busy(&self) -> bool {
        false
    }

    /// Whether it is wanted what each station waits for: `Hears`, `Reserved` and `CountedDown`. Asked once, before the run.
    fn asks_for_waits(&self) -> bool {
        false
    }
}

impl<T: Trace + ?Sized> Trace for &mut T {
    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        (**self).event(at, node, event);
    }

    fn hears(&self, node: NodeId) -> bool {
        (**self).hears(node)
    }

    fn follows_packets(&self) -> bool {
        (**self).follows_packets()
    }

    fn asks_for_layers(&self) -> bool {
        (**self).asks_for_layers()
    }

    fn asks_how_busy(&self) -> bool {
        (**self).asks_how_busy()
    }

    fn asks_for_waits(&self) -> bool {
        (**self).asks_for_waits()
    }
}

/// Something that happened at a node.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A transport or an application here made a packet.
    Originated(&'a Packet),
    /// A packet reached its transport or application.
    Delivered(&'a Packet),
    /// Something has happened here to a bundle.
    Bundle {
        /// The flow that it carries.
        flow: usize,
        /// Its place among those of the flow, from 0.
        bundle: u32,
        /// What.
        news: &'a News,
    },
    /// The router got a packet: from below, or, if `from` is the node itself, from above.
    Routing {
        /// The packet.
        packet: &'a Packet,
        /// Its length on the air as the router counts it, bytes.
        bytes: u32,
        /// The neighbour it came from.
        from: NodeId,
    },
    /// The router sends a packet: one that started here, one that is passed on, or a message of its own.
    Routed {
        /// The packet.
        packet: &'a Packet,
        /// Its length, bytes.
        bytes: u32,
        /// Where to; `None` for everyone.
        next_hop: Option<NodeId>,
    },
    /// A packet goes to the interface queue; a station with nothing to do takes it at once.
    Enqueued {
        /// The packet.
        packet: &'a Packet,
        /// Its length, bytes.
        bytes: u32,
        /// Where to; `None` for everyone.
        next_hop: Option<NodeId>,
    },
    /// So many packets wait in the interface queue now.
    QueueLength(usize),
    /// The station's contention window, in slots, and its stage if it has any, as they stand when the node is next
    /// woken: what it only overhears it takes account of then.
    Backoff {
        /// The window that the last counter was drawn from, or the next will be.
        window: u32,
        /// Its stage, with fair back-off.
        stage: Option<Stage>,
    },
    /// The station tries to send the packet in service: the frame that leaves now is the first of the try.
    Attempt {
        /// The packet.
        packet: &'a Packet,
        /// Where to; `None` for everyone.
        next_hop: Option<NodeId>,
    },
    /// A frame leaves; the time is that of its first bit. Frames are numbered in this order, from 0.
    Transmitted(&'a Frame<Packet>),
    /// A frame that was for this node, or for everyone, was not received. Told when the node acts next, at the latest
    /// when it would have acted on the frame.
    Missed {
        /// The frame's number.
        frame: u64,
        /// Why.
        why: Miss,
    },
    /// A frame was received, and is not answered.
    Unanswered {
        /// Its number.
        frame: u64,
        /// Why.
        why: Silence,
    },
    /// The station has sent a packet: it was acknowledged, or was for everyone.
    Sent(&'a Packet),
    /// A frame has been received without error; the time is that of its last bit.
    Received {
        /// The frame.
        frame: &'a Frame<Packet>,
        /// The power at this node, milliwatts.
        power_mw: f64,
        /// Whether it is for this node, or for everyone; if not, it is overheard.
        mine: bool,
    },
    /// A frame that would have been received is spoilt by another one; the time is that at which the later of the two
    /// begins.
    Collided {
        /// The frame that is lost.
        frame: &'a Frame<Packet>,
        /// Whether it was for this node, or for everyone.
        mine: bool,
        /// When its last bit will have arrived.
        until: Time,
        /// When the last bit of all that now overlaps will have arrived, as far as known.
        busy_until: Time,
    },
    /// The station gave up a packet.
    GaveUp {
        /// The packet.
        packet: &'a Packet,
        /// Its length, bytes.
        bytes: u32,
        /// The neighbour that did not answer.
        next_hop: NodeId,
        /// `RetryLimitRts` or `RetryLimitData`.
        cause: DropCause,
    },
    /// A packet ends here.
    Dropped {
        /// The packet.
        packet: &'a Packet,
        /// Its length, bytes.
        bytes: u32,
        /// Why.
        cause: DropCause,
        /// Where in the node.
        layer: Layer,
        /// What is to blame, if with this the packet is lost: no copy of it is left, and none has arrived.
        lost: Option<LossCause>,
    },
    /// The router takes a packet back that was in the interface queue, or in service.
    TakenBack(&'a Packet),
    /// A packet that was taken for lost has arrived after all.
    Found(&'a Packet),
    /// There is a copy more of a packet.
    SentAgain {
        /// The packet.
        packet: &'a Packet,
        /// Whether a relay sends one that it keeps; if not, a link has delivered the packet twice.
        by_relay: bool,
    },
    /// A relay carries a flow on with a connection of its own, whose packets are tagged with the next number that no flow and no
    /// such connection has. Told before the run begins, in the order of these numbers.
    CarriesOn {
        /// The flow's number.
        flow: usize,
    },
    /// The router takes the routes over a neighbour out of use, because the link to it has failed.
    RouteBroke {
        /// The neighbour.
        neighbour: NodeId,
        /// Whether it was in range: the break is a false one.
        in_range: bool,
    },
    /// A packet that goes the way of a flow's data has come over a link: the router here got it from below.
    Hop {
        /// The flow's number.
        flow: usize,
        /// The neighbour it came from.
        from: NodeId,
    },
    /// The sender of a flow has been told something, or has sent.
    Sender {
        /// The flow's number.
        flow: usize,
        /// Everything it shows, but for `rtt_sample`, which may be over: that is `rtt`.
        public: &'a Public,
        /// The round-trip time that what it was told has measured.
        rtt: Option<Duration>,
        /// What keeps it from sending more.
        limit: Limit,
    },
    /// The triggers of a flow have changed mechanisms, or were refused: its sender shows the outcome next.
    Adapted {
        /// The flow's number.
        flow: usize,
        /// What they did.
        change: &'a Change,
    },
    /// A packet of a flow has entered the network, or has left it: it arrived or was dropped.
    InNetwork {
        /// The flow's number.
        flow: usize,
        /// Whether it goes the way of the flow's data; acknowledgements go the other.
        forward: bool,
        /// The flow's packets that are on their way in this direction now, those of its handshake and end included.
        packets: f64,
    },
    /// From the frame on that another one sends now, this node hears it in another way than it heard the frame before. Told
    /// after that frame's `Transmitted`; before the first, nobody hears anybody.
    Hears {
        /// Who sends.
        whom: NodeId,
        /// Whether strongly enough to be decoded, or only sensed; `None`: not at all.
        decodes: Option<bool>,
    },
    /// The station takes the medium for reserved: by the Duration field of a frame that it overheard (NAV), or, where EIFS
    /// is a time of its own before DIFS, by an error. Told when it takes account of that, which may be later; of one node
    /// they come in the order of `from`, and may overlap.
    Reserved {
        /// From when on.
        from: Time,
        /// Until when.
        until: Time,
    },
    /// The station counted slots of its back-off down: it begins now, or was interrupted, or had nothing to send. Told when
    /// the station takes account of that, which may be later.
    CountedDown {
        /// When the first of the slots began.
        from: Time,
        /// When it stopped.
        until: Time,
        /// Slots that it had to wait at first.
        slots: u32,
        /// Slots that were left.
        left: u32,
    },
    /// The node goes another way from now on than the setup says: it was moved from outside.
    Moved(&'a Trajectory),
    /// The node came up, or went down.
    Switched {
        /// Whether it is up now.
        up: bool,
    },
    /// The run is over: for how long of the measured time the node sent, sensed the carrier, or took the medium for
    /// reserved. The last few frames that it heard may be missing.
    Busy(Duration),
    /// A datagram has reached the receiver of a flow over UDP.
    Arrived {
        /// The flow's number.
        flow: usize,
        /// What the receiver has got so far.
        received_bytes: u64,
    },
}

/// The part of a node that drops a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Transport and application.
    Agent,
    /// Routing.
    Router,
    /// Address resolution.
    Arp,
    /// The interface queue.
    Queue,
    /// The station.
    Mac,
}
