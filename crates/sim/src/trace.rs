//! What a run tells a trace, and what it costs not to have one: nothing.
//!
//! Nodes report to a `Sink`. There are three: `Off`, whose calls compile to nothing; `Few`, which passes on to a
//! [`Trace`] how flows and queues stand; and `On`, which passes on everything. The run is compiled once for each.
//!
//! Receivers are lazy: what a node overhears is looked at when the node is next asked, and the frame may be gone by
//! then. A trace cannot wait: it would have to hold back everybody else's events. So `On` gives each node whose
//! hearing is wanted a second receiver, an ear, which is told the same and is looked at whenever it may have noticed
//! something. The node's own receiver stays as lazy as it was.
//!
//! Holds     events come in the order of their times; the results of a run do not depend on its trace

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use hopwright_link::Frame;
use hopwright_machine::{DropCause, Duration, NodeId, Time};
use hopwright_radio::{Ended, Receiver, ReceptionRule, RxEvent, Signal};
use hopwright_transport::Public;
use hopwright_wire::Packet;

use crate::medium::{Role, Tag};

/// Who wants to know what happens in a run.
pub trait Trace {
    /// Something has happened at a node. Times never go back.
    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>);

    /// Whether what this node hears is wanted: `Received` and `Collided`. Asked once, before the run.
    fn hears(&self, node: NodeId) -> bool;

    /// Whether the way of packets and frames is wanted. If not, only `Hop`, `InNetwork`, `Sender`, `Arrived` and
    /// `QueueLength` are told, and the run is nearly as fast as without a trace. Asked once, before the run.
    fn follows_packets(&self) -> bool {
        true
    }
}

/// Something that happened at a node.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A transport or an application here made a packet.
    Originated(&'a Packet),
    /// A packet reached its transport or application.
    Delivered(&'a Packet),
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
    /// A frame leaves; the time is that of its first bit.
    Transmitted(&'a Frame<Packet>),
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
    },
    /// A packet with a flow's data has entered the network, or has left it: it arrived or was dropped.
    InNetwork {
        /// The flow's number.
        flow: usize,
        /// Packets with its data, or of its handshake and end, that are on their way now.
        segments: f64,
    },
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

/// Where nodes report to.
pub(crate) trait Sink {
    /// Whether anybody listens. What serves only the trace stands in `if T::ON`.
    const ON: bool;
    /// Whether that is to packets and frames too. What is about these stands in `if T::PACKETS`.
    const PACKETS: bool;

    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>);
    /// Everything that traced receivers noticed up to `now`.
    fn listen(&mut self, now: Time);
    /// A node puts a frame on the air.
    fn launch(&mut self, now: Time, frame: &Frame<Packet>);
    /// The frame launched last will arrive at a node.
    fn announce(&mut self, now: Time, node: u32, signal: Signal<Tag>);
    /// A node goes down and hears nothing more.
    fn deafen(&mut self, now: Time, node: u32);
    /// The signal that ends at a node at a time, with this power, is cut off.
    fn spoil(&mut self, now: Time, node: u32, until: Time, power_mw: f64);
}

/// Nobody listens.
#[derive(Debug)]
pub(crate) struct Off;

impl Sink for Off {
    const ON: bool = false;
    const PACKETS: bool = false;

    fn event(&mut self, _: Time, _: NodeId, _: Event<'_>) {}
    fn listen(&mut self, _: Time) {}
    fn launch(&mut self, _: Time, _: &Frame<Packet>) {}
    fn announce(&mut self, _: Time, _: u32, _: Signal<Tag>) {}
    fn deafen(&mut self, _: Time, _: u32) {}
    fn spoil(&mut self, _: Time, _: u32, _: Time, _: f64) {}
}

/// Events of flows and queues go to a trace.
pub(crate) struct Few<'a>(pub(crate) &'a mut dyn Trace);

impl Sink for Few<'_> {
    const ON: bool = true;
    const PACKETS: bool = false;

    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        self.0.event(at, node, event);
    }

    fn listen(&mut self, _: Time) {}
    fn launch(&mut self, _: Time, _: &Frame<Packet>) {}
    fn announce(&mut self, _: Time, _: u32, _: Signal<Tag>) {}
    fn deafen(&mut self, _: Time, _: u32) {}
    fn spoil(&mut self, _: Time, _: u32, _: Time, _: f64) {}
}

/// All events go to a trace.
pub(crate) struct On<'a> {
    trace: &'a mut dyn Trace,
    /// Per node whose hearing is traced, a receiver that is not lazy.
    ears: Vec<Option<Receiver<Heard>>>,
    /// When to look at an ear: a nanosecond after each arrival, and at each end.
    alarms: BinaryHeap<Reverse<(Time, u32)>>,
    frames: Frames,
    /// Memory for what an ear tells.
    told: Vec<(Time, RxEvent<Heard>)>,
}

/// A signal at an ear.
#[derive(Clone, Copy, Debug)]
struct Heard {
    frame: u32,
    until: Time,
    power_mw: f64,
    mine: bool,
}

impl<'a> On<'a> {
    pub(crate) fn new(trace: &'a mut dyn Trace, nodes: usize, rule: ReceptionRule) -> Self {
        let ear = |n| trace.hears(NodeId(n as u32)).then(|| Receiver::new(rule));
        let ears = (0..nodes).map(ear).collect();
        Self { trace, ears, alarms: BinaryHeap::new(), frames: Frames::default(), told: Vec::new() }
    }

    fn catch_up(&mut self, now: Time, node: u32) {
        let Some(ear) = &mut self.ears[node as usize] else { return };
        self.told.clear();
        ear.advance(now, |at, event| self.told.push((at, event)));
        for &(at, event) in &self.told {
            let (heard, event) = match event {
                RxEvent::Ended(Ended::Received(heard)) => {
                    let Some(frame) = self.frames.at(heard.frame) else { continue };
                    (heard, Event::Received { frame, power_mw: heard.power_mw, mine: heard.mine })
                }
                RxEvent::Collided { frame: heard, .. } => {
                    let Some(frame) = self.frames.at(heard.frame) else { continue };
                    let carrier = self.told.iter().find_map(|&(when, other)| match other {
                        RxEvent::Carrier(until) if when == at => Some(until),
                        _ => None,
                    });
                    let busy_until = carrier.unwrap_or(heard.until);
                    (heard, Event::Collided { frame, mine: heard.mine, until: heard.until, busy_until })
                }
                RxEvent::Carrier(_) | RxEvent::Held(_) | RxEvent::Missed { .. } | RxEvent::Ended(_) => continue,
            };
            debug_assert!(heard.until >= at);
            self.trace.event(at, NodeId(node), event);
        }
    }
}

impl Sink for On<'_> {
    const ON: bool = true;
    const PACKETS: bool = true;

    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        self.trace.event(at, node, event);
    }

    fn listen(&mut self, now: Time) {
        while let Some(&Reverse((at, node))) = self.alarms.peek()
            && at <= now
        {
            self.alarms.pop();
            self.catch_up(at, node);
            self.frames.forget(at);
        }
    }

    fn launch(&mut self, now: Time, frame: &Frame<Packet>) {
        self.trace.event(now, frame.from, Event::Transmitted(frame));
        self.frames.forget(now);
        self.frames.launch(frame);
        self.catch_up(now, frame.from.0);
        if let Some(ear) = &mut self.ears[frame.from.index()] {
            ear.transmit(now + frame.air_time);
        }
    }

    fn announce(&mut self, now: Time, node: u32, signal: Signal<Tag>) {
        self.catch_up(now, node);
        let Some(ear) = &mut self.ears[node as usize] else { return };
        let Signal { from, until, power_mw, decodable, frame: Tag { role, .. } } = signal;
        let mine = role == Role::Mine;
        let frame = self.frames.hold(until);
        ear.announce(Signal { from, until, power_mw, decodable, frame: Heard { frame, until, power_mw, mine } });
        // An ear takes account of an arrival a nanosecond later, and of an end at once.
        self.alarms.push(Reverse((from + Duration::from_nanos(1), node)));
        self.alarms.push(Reverse((until, node)));
    }

    fn deafen(&mut self, now: Time, node: u32) {
        self.catch_up(now, node);
        if let Some(ear) = &mut self.ears[node as usize] {
            ear.clear();
        }
    }

    fn spoil(&mut self, now: Time, node: u32, until: Time, power_mw: f64) {
        self.catch_up(now, node);
        if let Some(ear) = &mut self.ears[node as usize] {
            ear.spoil(until, power_mw);
        }
    }
}

/// The frames in the air, as long as an ear may need them.
#[derive(Default)]
struct Frames {
    /// The frame that an ear was told of first is the oldest; with the end of its last signal.
    air: VecDeque<(Frame<Packet>, Time)>,
    /// The number of the oldest.
    first: u32,
}

impl Frames {
    fn launch(&mut self, frame: &Frame<Packet>) {
        self.air.push_back((frame.clone(), Time::ZERO));
    }

    /// The youngest frame is needed until then; returns its number.
    fn hold(&mut self, until: Time) -> u32 {
        if let Some((_, end)) = self.air.back_mut() {
            *end = until.max(*end);
        }
        self.first.wrapping_add(self.air.len() as u32).wrapping_sub(1)
    }

    fn at(&self, number: u32) -> Option<&Frame<Packet>> {
        self.air.get(number.wrapping_sub(self.first) as usize).map(|f| &f.0)
    }

    /// Lets go of the oldest frames whose last signal ended before `now`.
    fn forget(&mut self, now: Time) {
        while self.air.front().is_some_and(|f| f.1 < now) {
            self.air.pop_front();
            self.first = self.first.wrapping_add(1);
        }
    }
}
