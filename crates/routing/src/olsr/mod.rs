//! The optimized link state routing protocol (OLSR).
//!
//! Every node finds its neighbours and what they reach with HELLOs, chooses relays among them, and tells the whole
//! network, through relays alone, who chose it. Routes are worked out only when somebody asks for one.
//!
//! Packets without a route are dropped: OLSR keeps none.
//!
//! Spec      RFC 3626: core functions, §13 (link-layer notification), §14 (hysteresis), §15 (TC redundancy), §16 (more
//!           relays)
//! Deviates  MID and HNA messages are flooded, but not made or used: a node has one interface and no network behind
//!           it; the first HELLO leaves at a random time within HELLO_INTERVAL, so that nodes that start together do
//!           not go on together
//! Holds     a route is a shortest path in what the node knows at that time

mod config;
mod duplicates;
mod link;
mod messages;
mod mpr;
mod neighbourhood;
mod originators;
mod reached;
mod routes;
mod topology;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

pub use config::{Config, Hysteresis, WILL_ALWAYS, WILL_DEFAULT, WILL_NEVER};
use duplicates::Duplicates;
use hopwright_machine::{Address, DropCause, Duration, Machine, NodeId, Purpose, Stream, Time};
use hopwright_wire::olsr::{self, Body, Hello, Message};
use hopwright_wire::{Packet, Payload};
use neighbourhood::Neighbourhood;
use routes::{Route, Routes};
use topology::Topology;

use crate::parts::{Outbox, Watch};
use crate::{Counters, Input, Output, Protocol, Wishes};

/// The OLSR router of one node.
#[derive(Debug)]
pub struct Olsr {
    config: Config,
    now: Time,
    out: Outbox,
    watch: Watch,
    stream: Stream,
    near: Neighbourhood,
    // Apart, as other protocols' routers are smaller.
    far: Box<Topology>,
    seen: Box<Duplicates>,
    routes: RefCell<Routes>,
    hello_at: Time,
    tc_at: Time,
    /// Messages that wait for a packet, and when it leaves.
    waiting: Vec<Message>,
    flush_at: Time,
    packet_sequence: u16,
    message_sequence: u16,
    /// The advertised neighbours of the last TC message, their number, and until when somebody may believe in them.
    told: BTreeSet<Address>,
    ansn: u16,
    told_until: Time,
}

impl Olsr {
    /// The router of `node`; `seed` is the run's, `wishes` what transports ask of all routers.
    #[must_use]
    pub fn new(node: NodeId, seed: u64, wishes: Arc<Wishes>, config: Config) -> Self {
        Self {
            now: Time::ZERO,
            out: Outbox::new(node, seed, wishes, Packet::bytes),
            watch: Watch::default(),
            stream: Stream::new(seed, node, Purpose::Routing),
            near: Neighbourhood::new(node.address()),
            far: Box::default(),
            seen: Box::default(),
            routes: RefCell::new(Routes::NONE),
            hello_at: Time::NEVER,
            tc_at: Time::NEVER,
            waiting: Vec::new(),
            flush_at: Time::NEVER,
            packet_sequence: 0,
            message_sequence: 0,
            told: BTreeSet::new(),
            ansn: 0,
            told_until: Time::ZERO,
            config,
        }
    }

    fn me(&self) -> Address {
        self.out.node.address()
    }

    /// A random time below MAXJITTER (§3.5, §18.1).
    fn jitter(&mut self) -> Duration {
        self.stream.duration_below(self.config.max_jitter)
    }

    fn route(&self, destination: Address) -> Option<Route> {
        let mut routes = self.routes.borrow_mut();
        if routes.is_stale(self.now) {
            *routes = Routes::begin(self.now, self.me(), &self.near);
        }
        routes.get(self.now, self.me(), &self.far, destination)
    }

    fn on_time(&mut self) {
        self.out.release(self.now);
        self.near.advance(self.now, self.config.neighbour_hold_time);
        self.follow_changes();
        if self.hello_at <= self.now {
            self.send_hello();
        }
        if self.tc_at <= self.now {
            self.send_tc();
        }
        if self.flush_at <= self.now {
            self.flush();
        }
    }

    /// Acts on changes of the neighbourhood (§8.5, §9.3).
    fn follow_changes(&mut self) {
        let changes = self.near.take_changes();
        if !(changes.links || changes.selectors || changes.neighbours) {
            return; // the usual case
        }
        for neighbour in changes.lost {
            self.out.broke(neighbour);
        }
        if changes.links || changes.selectors {
            self.routes.get_mut().discard();
        }
        let advertised = match self.config.redundancy() {
            0 => changes.selectors,
            1 => changes.selectors || changes.links,
            _ => changes.neighbours,
        };
        if advertised && self.config.immediate_tc {
            self.hasten_tc();
        }
    }

    fn on_receive(&mut self, mut packet: Packet, from: NodeId) {
        match &packet.payload {
            Payload::Olsr(message) => self.on_packet(message, from),
            _ if packet.destination == self.me() || packet.destination.is_broadcast() => self.out.deliver(packet),
            _ if self.out.spares(&packet, from, |to| self.next_hop(to)) => {
                self.out.drop(packet, DropCause::NoticeSpared);
            }
            // RFC 1812 §5.3.1
            _ if packet.ttl <= 1 => self.out.drop(packet, DropCause::TtlExpired),
            _ => {
                packet.ttl -= 1;
                self.forward(packet);
            }
        }
    }

    /// Processes the messages of a packet (§3.4).
    fn on_packet(&mut self, packet: &olsr::Packet, from: NodeId) {
        let sender = from.address();
        let was_known = self.near.get(sender).is_some();
        if was_known {
            self.near.packet(self.now, sender, packet.sequence, &self.config);
        }
        // A packet holds many messages, of which only HELLOs say something about its sender.
        let mut is_symmetric = self.near.is_symmetric(sender);
        for message in packet.messages.iter() {
            // §3.4 step 2
            if message.ttl == 0 || message.originator == self.me() {
                continue;
            }
            if let Body::Hello(hello) = &message.body {
                self.on_hello(message.validity.duration(), hello, from);
                is_symmetric = self.near.is_symmetric(sender);
            } else if is_symmetric {
                self.on_flooded(message, sender);
            }
        }
        if !was_known {
            self.near.packet(self.now, sender, packet.sequence, &self.config);
        }
        self.follow_changes();
    }

    /// A HELLO is never sent on, and makes one hop: its originator is its sender.
    fn on_hello(&mut self, validity: Duration, hello: &Hello, from: NodeId) {
        self.near.hello(self.now, validity, from, hello, &self.config);
        if self.near.is_symmetric(from.address()) {
            self.watch.alive(from);
        }
    }

    /// A message for the whole network comes from a symmetric neighbour. From any other, TC messages are discarded
    /// (§9.5 step 1) and nothing is forwarded (§3.4.1 step 1). Processed and considered for forwarding at once, by the
    /// only interface: steps 3 and 4 of §3.4 ask the same.
    fn on_flooded(&mut self, message: &Message, sender: Address) {
        let now = self.now;
        let originator = self.far.number(message.originator);
        if !self.seen.is_new(now, self.config.duplicate_hold_time, originator, message.sequence) {
            return;
        }
        if let Body::Tc(tc) = &message.body
            && self.far.update(now, message.validity.duration(), originator, tc)
            && self.routes.get_mut().read(message.originator)
        {
            self.routes.get_mut().discard();
        }
        if message.ttl > 1 && self.near.get(sender).is_some_and(|neighbour| neighbour.selects_us(now)) {
            self.send_further(message);
        }
    }

    /// §3.4.1 steps 6 to 8, §3.5.
    fn send_further(&mut self, message: &Message) {
        let hop_count = message.hop_count.saturating_add(1);
        let message = Message { ttl: message.ttl - 1, hop_count, ..message.clone() };
        if self.config.immediate_forwarding {
            self.broadcast(vec![message]);
        } else {
            let time = self.now + self.jitter();
            self.send_on(time, message);
        }
    }

    /// Sends a packet along its route, or drops it.
    fn forward(&mut self, packet: Packet) {
        if packet.destination == self.me() {
            return self.out.deliver(packet);
        }
        if packet.destination.is_broadcast() {
            return self.out.transmit(packet, None);
        }
        match self.route(packet.destination) {
            Some(route) => self.out.transmit(packet, Some(route.next_hop)),
            None => self.refuse(packet, None, DropCause::NoRoute),
        }
    }

    fn refuse(&mut self, packet: Packet, next_hop: Option<NodeId>, cause: DropCause) {
        let source = packet.source;
        let notice = self.watch.undeliverable(&mut self.out, self.now, &packet, next_hop);
        self.out.drop(packet, cause);
        if let Some(notice) = notice {
            let next_hop = self.next_hop(source);
            self.out.notify(source, notice, next_hop);
        }
    }

    fn on_link_failed(&mut self, packet: Packet, next_hop: NodeId, cause: DropCause) {
        self.on_link_lost(next_hop);
        self.refuse(packet, Some(next_hop), cause);
    }

    /// The link layer says that a neighbour does not answer.
    fn on_link_lost(&mut self, neighbour: NodeId) {
        self.out.counters.link_failures += 1;
        if self.config.link_layer_notification {
            self.near.fail(self.now, neighbour.address(), self.config.neighbour_hold_time);
            self.follow_changes();
        }
    }
}

impl Protocol for Olsr {
    fn next_hop(&self, destination: Address) -> Option<NodeId> {
        self.route(destination).map(|route| route.next_hop)
    }

    fn hops(&self, destination: Address) -> Option<u32> {
        self.route(destination).map(|route| route.hops)
    }

    fn held(&self) -> usize {
        self.out.held()
    }

    fn heed(&mut self, wishes: &Arc<Wishes>) {
        self.out.heed(wishes);
    }

    fn counters(&self) -> Counters {
        self.out.counters
    }
}

impl Machine for Olsr {
    type Input<'a> = Input<'a>;
    type Output = Output;

    fn handle(&mut self, now: Time, input: Input<'_>) {
        self.now = now;
        self.on_time();
        match input {
            Input::Start => {
                self.hello_at = now + self.stream.duration_below(self.config.hello_interval);
                self.tc_at = now + self.config.tc_interval.saturating_sub(self.jitter());
            }
            // There is no search: a route is known or not.
            Input::Wake | Input::Seek(_) | Input::Overheard { .. } | Input::Left { .. } | Input::Passed { .. } => {}
            Input::LinkLost(neighbour) => self.on_link_lost(neighbour),
            Input::Send(packet) | Input::SendOver { packet, .. } => self.forward(packet),
            Input::Receive { packet, from } => self.on_receive(packet, from),
            Input::LinkFailed { packet, next_hop, cause } => self.on_link_failed(packet, next_hop, cause),
            // Never asked for.
            Input::Reclaimed { packet, .. } => self.forward(packet),
        }
        if self.out.may_be_watched() {
            let routes = self.out.wanted(|address| self.next_hop(address));
            self.watch.tell(&mut self.out, routes);
        }
    }

    fn poll(&mut self) -> Option<Output> {
        self.out.poll()
    }

    fn deadline(&self) -> Time {
        let own = self.hello_at.min(self.tc_at).min(self.flush_at);
        self.out.deadline().min(self.near.deadline()).min(own)
    }
}
