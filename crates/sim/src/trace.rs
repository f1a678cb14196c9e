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

use hopwright_bundle::News;
use hopwright_link::fba::Stage;
use hopwright_link::{Forecast, Frame, FrameKind};
use hopwright_machine::{DropCause, Duration, LossCause, NodeId, Time};
use hopwright_mobility::Trajectory;
use hopwright_radio::{Ended, Receiver, RxEvent, Signal};
use hopwright_transport::adaptation::Change;
use hopwright_transport::{Limit, Public};
use hopwright_wire::{Packet, Payload};

use crate::disturbance::Air;
use crate::medium::{Link, Medium, Role, Tag};
use crate::misses::{Miss, Silence};
use crate::setup::Setup;

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
    /// A frame that was for this node, or for everyone, was not received. Told when the node finds out, at the latest
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
    /// A relay sends a copy of a packet that it keeps.
    SentAgain(&'a Packet),
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

/// Where nodes report to.
pub(crate) trait Sink: Send {
    /// Whether anybody listens. What serves only the trace stands in `if T::ON`.
    const ON: bool;
    /// Whether that is to packets and frames too. What is about these stands in `if T::PACKETS`.
    const PACKETS: bool;

    fn event(&mut self, _at: Time, _node: NodeId, _event: Event<'_>) {}
    /// Everything that traced receivers noticed up to `now`.
    fn listen(&mut self, _now: Time) {}
    /// A node puts a frame on the air; `senses`: only after it had found the medium idle.
    fn launch(&mut self, _now: Time, _frame: &Frame<Packet>, _place: u32, _senses: bool) {}
    /// The frame launched last will arrive at a node.
    fn announce(&mut self, _now: Time, _node: u32, _signal: Signal<Tag>) {}
    /// A node goes down and hears nothing more.
    fn deafen(&mut self, _now: Time, _node: u32) {}
    /// The signal that ends at a node at a time, with this power, is cut off.
    fn spoil(&mut self, _now: Time, _node: u32, _until: Time, _power_mw: f64) {}
    /// Who disturbs whom, where that is followed.
    fn air(&mut self) -> Option<&mut Air> {
        None
    }
    /// A frame is on its way to all who hear it.
    fn heard(&mut self, _now: Time, _sender: NodeId, _heard: &[Link]) {}
    /// A station takes the medium for reserved for the frame at a place from `at` until then; it is told so at `now`.
    fn reserved(&mut self, _now: Time, _node: NodeId, _at: Time, _until: Time, _place: u32) {}
    /// A station is told at `at` that it could not receive something that lasts until then.
    fn failed(&mut self, _now: Time, _node: NodeId, _at: Time, _until: Time, _place: u32) {}
    /// Whether it wants to be told of back-offs.
    fn asks_for_waits(&self) -> bool {
        false
    }
    /// What a station was told of `at` has changed when it may begin.
    fn counted(&mut self, _now: Time, _node: NodeId, _at: Time, _before: Option<Forecast>, _after: Option<Forecast>) {}
    /// A frame that was for a node, or for everyone, is not received, because of another one; found out at `now`, true
    /// from `then` on.
    fn missed(&mut self, _now: Time, _then: Time, _node: NodeId, _frame: u32, _lost: LostTo, _medium: &mut Medium) {}
    /// A frame does not reach a node that it is for, whatever else is in the air.
    fn unreached(&mut self, _now: Time, _node: NodeId, _frame: u32, _why: Miss) {}
    /// The run is over.
    fn end(&mut self, _now: Time, _nodes: usize) {}
    /// Whether it is to be told of a packet between the layers of a node.
    fn shows(&self, _packet: &Packet) -> bool {
        false
    }
    /// A node has done what it had to do, and sends a frame of this kind, or none.
    fn acted(&mut self, _now: Time, _node: NodeId, _sent: Option<FrameKind>, _medium: &mut Medium) {}
}

/// What a frame was lost to: the place of another one, or the node's own transmission.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LostTo {
    Collision(u32),
    Captured(u32),
    Transmitting,
}

/// Nobody listens.
#[derive(Debug)]
pub(crate) struct Off;

impl Sink for Off {
    const ON: bool = false;
    const PACKETS: bool = false;
}

/// Events of flows and queues go to a trace.
pub(crate) struct Few<'a>(pub(crate) Box<dyn Trace + 'a>);

impl Sink for Few<'_> {
    const ON: bool = true;
    const PACKETS: bool = false;

    fn event(&mut self, at: Time, node: NodeId, event: Event<'_>) {
        self.0.event(at, node, event);
    }
}

/// All events go to a trace.
pub(crate) struct On<'a> {
    trace: Box<dyn Trace + 'a>,
    asks_for_layers: bool,
    asks_for_waits: bool,
    /// Who heard each node's last frame, and whether strongly enough to be decoded.
    hearing: Vec<Vec<(u32, bool)>>,
    slot: Duration,
    air: Air,
    /// Per node whose hearing is traced, a receiver that is not lazy; empty if there is none.
    ears: Vec<Option<Receiver<Heard>>>,
    /// When to look at an ear: a nanosecond after each arrival, and at each end.
    alarms: BinaryHeap<Reverse<(Time, u32)>>,
    frames: Frames,
    /// Memory for what ears tell, and which.
    told: Vec<(Time, u32, RxEvent<Heard>)>,
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
    pub(crate) fn new(trace: Box<dyn Trace + 'a>, setup: &Setup) -> Self {
        let nodes = setup.nodes.len();
        let ear = |n| trace.hears(NodeId(n as u32)).then(|| Receiver::new(setup.radio.rule));
        let mut ears: Vec<_> = (0..nodes).map(ear).collect();
        if ears.iter().all(Option::is_none) {
            ears = Vec::new();
        }
        let (alarms, frames, told) = (BinaryHeap::new(), Frames::default(), Vec::new());
        let busy_from = trace.asks_how_busy().then_some(setup.warm_up);
        let (asks_for_layers, asks_for_waits) = (trace.asks_for_layers(), trace.asks_for_waits());
        let (air, slot) = (Air::new(&setup.mac, nodes, busy_from), setup.mac.slot);
        let hearing = vec![Vec::new(); if asks_for_waits { nodes } else { 0 }];
        Self { trace, asks_for_layers, asks_for_waits, hearing, slot, air, ears, alarms, frames, told }
    }

    #[inline]
    fn tell_reserved(&mut self, now: Time, node: NodeId, from: Time, until: Time) {
        if self.asks_for_waits && from < until {
            self.trace.event(now, node, Event::Reserved { from, until });
        }
    }

    fn catch_up(&mut self, now: Time, node: u32) {
        self.told.clear();
        self.hear(now, node);
        self.tell();
    }

    fn hear(&mut self, now: Time, node: u32) {
        if let Some(Some(ear)) = self.ears.get_mut(node as usize) {
            ear.advance(now, |at, event| self.told.push((at, node, event)));
        }
    }

    /// Tells what was heard, in the order of time.
    fn tell(&mut self) {
        self.told.sort_by_key(|&(at, ..)| at);
        for &(at, node, event) in &self.told {
            let (heard, event) = match event {
                RxEvent::Ended(Ended::Received(heard)) => {
                    let Some(frame) = self.frames.at(heard.frame) else { continue };
                    (heard, Event::Received { frame, power_mw: heard.power_mw, mine: heard.mine })
                }
                RxEvent::Collided { frame: heard, .. } => {
                    let Some(frame) = self.frames.at(heard.frame) else { continue };
                    let carrier = self.told.iter().find_map(|&(when, whose, other)| match other {
                        RxEvent::Carrier(until) if (when, whose) == (at, node) => Some(until),
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

    #[inline(always)] // asked before each event, and mostly there is no ear
    fn listen(&mut self, now: Time) {
        while let Some(&Reverse((at, _))) = self.alarms.peek()
            && at <= now
        {
            // Together: one tells of an arrival a nanosecond ago, another of an end now.
            self.told.clear();
            while let Some(&Reverse((_, node))) = self.alarms.peek().filter(|Reverse((same, _))| *same == at) {
                self.alarms.pop();
                self.hear(at, node);
            }
            self.tell();
            self.frames.forget(at);
        }
    }

    fn launch(&mut self, now: Time, frame: &Frame<Packet>, place: u32, senses: bool) {
        self.air.launch(now, frame, place, senses);
        self.trace.event(now, frame.from, Event::Transmitted(frame));
        if self.ears.is_empty() {
            return;
        }
        self.frames.forget(now);
        self.frames.launch(frame);
        self.catch_up(now, frame.from.0);
        if let Some(ear) = &mut self.ears[frame.from.index()] {
            let _ = ear.transmit(now + frame.air_time); // what is lost with that is told by the receiver itself
        }
    }

    #[inline]
    fn announce(&mut self, now: Time, node: u32, signal: Signal<Tag>) {
        if self.ears.is_empty() {
            return;
        }
        self.catch_up(now, node);
        let Some(Some(ear)) = self.ears.get_mut(node as usize) else { return };
        let Signal { from, until, power_mw, hurdle, frame: Tag { role, .. } } = signal;
        let mine = role == Role::Mine;
        let frame = self.frames.hold(until);
        let frame = Heard { frame, until, power_mw, mine };
        ear.announce(Signal { from, until, power_mw, hurdle, frame });
        // An ear takes account of an arrival a nanosecond later, and of an end at once.
        self.alarms.push(Reverse((from + Duration::from_nanos(1), node)));
        self.alarms.push(Reverse((until, node)));
    }

    fn deafen(&mut self, now: Time, node: u32) {
        if let Some(frame) = self.air.forget(NodeId(node)) {
            self.trace.event(now, NodeId(node), Event::Unanswered { frame, why: Silence::Down });
        }
        self.catch_up(now, node);
        if let Some(Some(ear)) = self.ears.get_mut(node as usize) {
            ear.clear();
        }
    }

    fn spoil(&mut self, now: Time, node: u32, until: Time, power_mw: f64) {
        self.catch_up(now, node);
        if let Some(Some(ear)) = self.ears.get_mut(node as usize) {
            ear.spoil(until, power_mw);
        }
    }

    fn air(&mut self) -> Option<&mut Air> {
        Some(&mut self.air)
    }

    fn heard(&mut self, now: Time, sender: NodeId, heard: &[Link]) {
        let hearing = &mut self.hearing[sender.index()];
        let is_same = |(was, is): (&(u32, bool), &Link)| *was == (is.node, is.hurdle.is_decodable());
        if hearing.len() == heard.len() && hearing.iter().zip(heard).all(is_same) {
            return;
        }
        let decodes = |node: u32| heard.iter().find(|link| link.node == node).map(|link| link.hurdle.is_decodable());
        for &(node, _) in hearing.iter().filter(|&&(node, was)| decodes(node) != Some(was)) {
            self.trace.event(now, NodeId(node), Event::Hears { whom: sender, decodes: decodes(node) });
        }
        for link in heard.iter().filter(|link| hearing.iter().all(|&(node, _)| node != link.node)) {
            let decodes = Some(link.hurdle.is_decodable());
            self.trace.event(now, NodeId(link.node), Event::Hears { whom: sender, decodes });
        }
        hearing.clear();
        hearing.extend(heard.iter().map(|link| (link.node, link.hurdle.is_decodable())));
    }

    #[inline]
    fn reserved(&mut self, now: Time, node: NodeId, at: Time, until: Time, place: u32) {
        self.air.reserved(node, at, until, place);
        self.tell_reserved(now, node, at, until);
    }

    #[inline]
    fn failed(&mut self, now: Time, node: NodeId, at: Time, until: Time, place: u32) {
        if let Some(held_until) = self.air.failed(node, at, until, place) {
            self.tell_reserved(now, node, at, held_until);
        }
    }

    #[inline]
    fn asks_for_waits(&self) -> bool {
        self.asks_for_waits
    }

    fn counted(&mut self, now: Time, node: NodeId, at: Time, before: Option<Forecast>, after: Option<Forecast>) {
        let Some((from, slots)) = before.map(|before| before.counts()) else { return };
        if slots == 0 || at <= from || after.is_some_and(|after| after.counts() == (from, slots)) {
            return;
        }
        // One that ran out with nothing to send ended then.
        let until = at.min(from + self.slot * u64::from(slots));
        let left = u64::from(slots).saturating_sub(until.since(from).whole(self.slot)) as u32;
        self.trace.event(now, node, Event::CountedDown { from, until, slots, left });
    }

    fn missed(&mut self, now: Time, then: Time, node: NodeId, frame: u32, lost: LostTo, medium: &mut Medium) {
        let Some(frame) = self.air.number(frame, then) else { return };
        let mut by = |place| self.air.disturber(frame, self.air.number(place, then)?, now, medium);
        let why = match lost {
            LostTo::Collision(place) => Miss::Collision(by(place)),
            LostTo::Captured(place) => Miss::Captured(by(place)),
            LostTo::Transmitting => {
                let own = self.air.own(node, then).and_then(|own| self.air.disturber(frame, own, now, medium));
                Miss::Transmitting(own)
            }
        };
        self.trace.event(now, node, Event::Missed { frame, why });
    }

    fn unreached(&mut self, now: Time, node: NodeId, frame: u32, why: Miss) {
        if let Some(frame) = self.air.number(frame, now) {
            self.trace.event(now, node, Event::Missed { frame, why });
        }
    }

    #[inline]
    fn shows(&self, packet: &Packet) -> bool {
        self.asks_for_layers || packet.payload.is_message() || matches!(packet.payload, Payload::Opaque(_))
    }

    fn end(&mut self, now: Time, nodes: usize) {
        self.listen(now);
        if !self.trace.asks_how_busy() {
            return;
        }
        for node in (0..nodes as u32).map(NodeId) {
            self.trace.event(now, node, Event::Busy(self.air.busy(node, now)));
        }
    }

    fn acted(&mut self, now: Time, node: NodeId, sent: Option<FrameKind>, medium: &mut Medium) {
        if let Some((frame, why)) = self.air.unanswered(now, node, sent, medium) {
            self.trace.event(now, node, Event::Unanswered { frame, why });
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
