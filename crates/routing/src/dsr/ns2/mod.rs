//! DSR as ns-2.35 runs it: CMU's, with flow state.
//!
//! How it differs from RFC 4728: the cache keeps paths without age, 30 that were asked for and 64 that were seen
//! in use, and leaves the RFC's link cache, RouteCacheTimeout and Link-MaxLife out; searches repeat after 2, 8 and
//! then every 10 s, each first at the neighbours; replies from the cache go at once, without the delay
//! against storms (§8.2.5); a route never has more than 16 nodes; maintenance is link-layer feedback alone, and
//! the packets in the interface queue for the lost neighbour are salvaged like the one that failed; a node that
//! cannot salvage a packet keeps it in its own send buffer and asks its neighbours once; errors nest up to three
//! deep; kept packets leave 30 ms apart when a reply comes; flow state is on: all packets of a flow but the first
//! three and one every 5 s go without a source route (§7 has it as an option), so neighbours learn little from
//! overheard data; TCP's segments count 20 bytes twice, a reply's addresses name both ends.
//!
//! Spec      ns-2.35, as its sources say and packet traces of its runs show it
//! Deviates  a packet of another node that leaves the send buffer counts as salvaged; the target's jittered reply
//!           enters its cache when it is made, not when it leaves; where ns-2 would stop at an assertion, the packet is
//!           dropped
//! Holds     every packet kept is sent or dropped; no route on the air names a node twice

mod cache;
mod errors;
mod flows;
mod forwarding;
mod requests;
mod searches;
mod send_buffer;
mod shortening;
mod signals;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cache::Cache;
use flows::Flows;
use hopwright_machine::{Address, DropCause, Duration, NodeId, Time};
use hopwright_wire::{Packet, Payload, ip};
use requests::Requests;
use send_buffer::{Kept, SendBuffer};
use shortening::Shortened;
use view::View;

use super::Config;
use crate::parts::Outbox;
use crate::{Counters, Input, Wishes};

/// The time to live of everything but replies and errors (ns-2's default).
pub(super) const TTL: u8 = 32;

/// The length of `packet` with IP header as ns-2 counts it: TCP's segments have the IP header twice, since agent and router
/// each add it; a reply takes
/// 5 + 4 bytes per node, both ends counted; a salvaged packet does not name who salvaged it; a request grows by its
/// whole header at every hop.
pub(super) fn packet_bytes(packet: &Packet) -> u32 {
    use hopwright_wire::dsr::{DsrOption, ErrorKind};
    let twice = if matches!(packet.payload, Payload::Tcp(_)) { ip::HEADER_BYTES } else { 0 };
    let Some(header) = packet.dsr.as_deref() else { return packet.bytes() + twice };
    let options: u32 = header
        .options
        .iter()
        .map(|option| {
            let bytes = option.bytes();
            match option {
                DsrOption::Reply(_) => bytes + 6,
                DsrOption::SourceRoute(route) if route.salvage > 0 => bytes - 4,
                DsrOption::Error(error) => match error.kind {
                    ErrorKind::UnknownFlow { .. } | ErrorKind::DefaultFlowUnknown(_) => bytes - 4,
                    _ => bytes,
                },
                _ => bytes,
            }
        })
        .sum();
    let fixed = if header.options.is_empty() { 0 } else { 4 };
    let flow = if header.flow.is_some() { 4 } else { 0 };
    let mut own = flow + (fixed + options).next_multiple_of(4);
    if let Some(request) = header.request() {
        // Whoever passes a request on adds the header's length to a packet that has it already.
        let passed = request.addresses.len() as u32;
        own = (passed + 1) * own - 4 * (passed * (passed + 1) / 2);
    }
    packet.bytes() - header.bytes() + twice + own
}

#[derive(Debug)]
pub(super) struct Ns2 {
    config: Config,
    now: Time,
    out: Outbox,
    cache: Cache,
    flows: Flows,
    requests: Requests,
    request_id: u16,
    /// Packets that wait for a route.
    kept: SendBuffer,
    next_check: Time,
    /// The last error told to this node, for its next request.
    held_error: Option<(Time, Address, Address)>,
    shortened: Shortened,
    /// Packets overheard lately, by a hash of their identity.
    heard: Vec<u64>,
    /// Destinations that a transport asked for though no packet waits, and until when.
    sought: BTreeMap<Address, Time>,
    /// Destinations without a route of which a transport somewhere wants to know when they have one again.
    missed: BTreeSet<Address>,
    /// Initiators to whom this node's reply is to leave, and when.
    answering: BTreeMap<Address, Time>,
}

impl Ns2 {
    pub(super) fn new(node: NodeId, seed: u64, wishes: Arc<Wishes>, config: Config) -> Self {
        Self {
            now: Time::ZERO,
            out: Outbox::new(node, seed, wishes, packet_bytes),
            cache: Cache::new(node.address(), config.primary_paths, config.secondary_paths),
            flows: Flows::default(),
            requests: Requests::default(),
            request_id: 1,
            kept: SendBuffer::new(config.send_buffer_packets),
            next_check: Time::ZERO,
            held_error: None,
            shortened: Shortened::default(),
            heard: vec![u64::MAX; 1024],
            sought: BTreeMap::new(),
            missed: BTreeSet::new(),
            answering: BTreeMap::new(),
            config,
        }
    }

    pub(super) fn next_hop(&self, destination: Address) -> Option<NodeId> {
        self.cache.find(destination)?.get(1)?.node()
    }

    pub(super) fn hops(&self, destination: Address) -> Option<u32> {
        self.cache.find(destination).map(|path| path.len() as u32 - 1)
    }

    pub(super) fn path(&self, destination: Address) -> Option<Vec<Address>> {
        self.cache.find(destination)
    }

    pub(super) fn held(&self) -> usize {
        self.kept.len() + self.out.held()
    }

    pub(super) fn heed(&mut self, wishes: &Arc<Wishes>) {
        self.out.heed(wishes);
    }

    pub(super) fn counters(&self) -> Counters {
        self.out.counters
    }

    pub(super) const fn listens(&self) -> bool {
        self.config.promiscuous
    }

    pub(super) fn has_output(&self) -> bool {
        self.out.has_output()
    }

    pub(super) fn poll(&mut self) -> Option<crate::Output> {
        self.out.poll()
    }

    pub(super) fn deadline(&self) -> Time {
        let check = if self.is_looking() { self.next_check } else { Time::NEVER };
        let next = self.out.deadline().min(check);
        if self.answering.is_empty() {
            return next; // nearly always, and all events ask
        }
        self.answering.values().fold(next, |next, &left| next.min(left))
    }

    pub(super) fn handle(&mut self, now: Time, input: Input<'_>) {
        self.now = now;
        self.out.release(now);
        if !self.answering.is_empty() {
            self.tell_of_answered();
        }
        if self.next_check <= now && self.is_looking() {
            self.tick();
            self.look_over_kept();
            self.look_over_sought();
        }
        match input {
            Input::Start | Input::Wake | Input::Left { .. } => {}
            Input::Send(packet) => self.on_send(packet),
            Input::Receive { packet, .. } => self.on_receive(packet),
            Input::LinkFailed { packet, next_hop, cause } => self.on_link_failed(packet, next_hop, cause),
            Input::Reclaimed { packet, .. } => {
                let view = View::of(&packet);
                self.salvage(packet, view);
            }
            Input::Overheard { packet, .. } => self.on_overheard(packet),
            Input::Seek(destination) => self.on_seek(destination),
            Input::SendOver { packet, path } => self.send_as_told(packet, path),
            Input::Passed { packet, came, .. } => self.on_passed(packet, came),
            Input::LinkLost(neighbour) => self.on_link_lost(neighbour),
        }
        self.tell_of_restored();
    }

    /// Whether a packet or a transport waits for a route.
    fn is_looking(&self) -> bool {
        !self.sought.is_empty() || !self.kept.is_empty()
    }

    fn me(&self) -> Address {
        self.out.node.address()
    }

    /// Moves the next look over the send buffer past `now`: one every 30 to 60 ms, whether there is something or
    /// not.
    fn tick(&mut self) {
        let interval = Duration::from_millis(30);
        while self.next_check <= self.now {
            self.next_check += interval + self.out.duration_below(interval);
        }
    }

    fn look_over_kept(&mut self) {
        for place in 0..self.kept.size() {
            let Some(kept) = self.kept.take(place) else { continue };
            if self.now.since(kept.since) > self.config.send_buffer_timeout {
                self.out.drop(kept.packet, DropCause::RouteBufferTimeout);
            } else if let Some(path) = self.cache.find_for_use(kept.packet.destination) {
                self.send_over(kept.packet, kept.view, path, Duration::ZERO);
            } else if self.seek(kept.packet.destination, kept.packet.source == self.me()) {
                self.kept.put(place, kept);
            } else {
                self.out.drop(kept.packet, DropCause::NoRoute);
            }
        }
    }

    fn on_send(&mut self, packet: Packet) {
        if packet.destination.is_broadcast() {
            return self.out.transmit(packet, None);
        }
        self.send_anyhow(packet, View::default());
    }

    /// Sends a packet over a route of the cache, or keeps it and looks for one.
    fn send_anyhow(&mut self, packet: Packet, view: View) {
        if packet.destination == self.me() {
            return self.arrived(packet, &view);
        }
        if let Some(path) = self.cache.find_for_use(packet.destination) {
            return self.send_over(packet, view, path, Duration::ZERO);
        }
        self.miss(packet.destination);
        if matches!(packet.payload, Payload::Notice(_)) {
            self.out.drop(packet, DropCause::NoRoute); // a notice starts no search
        } else if self.seek(packet.destination, packet.source == self.me()) {
            self.keep(packet, view);
        } else {
            self.out.drop(packet, DropCause::NoRoute);
        }
    }

    /// Keeps a packet until there is a route. A notice that it carries waits for none: by then it would stop a sender
    /// whose route is back.
    fn keep(&mut self, packet: Packet, view: View) {
        let view = View { notice: None, ..view };
        let place = self.kept.next_place();
        self.tick();
        let new = Kept { since: self.now, packet, view };
        if let Some(old) = self.kept.put(place, new) {
            self.out.drop(old.packet, DropCause::RouteBufferFull);
        }
    }

    fn send_over(&mut self, packet: Packet, mut view: View, path: Vec<Address>, delay: Duration) {
        (view.path, view.at) = (path, 0);
        if packet.source != self.me() {
            view.salvaged = view.salvaged.max(1); // or the header could not say that the route starts here
        }
        self.send(packet, view, delay);
    }

    /// A packet has come to its destination, which is this node.
    fn arrived(&mut self, mut packet: Packet, view: &View) {
        if let Some(route) = &view.reply {
            self.on_reply(route);
        }
        if let Some(id) = view.request {
            self.requests.entry(packet.source).heard = id;
            self.answer(&packet, view);
        }
        self.on_errors(view);
        self.on_unknown_flows(view);
        if let Some(notice) = view.notice.filter(|notice| notice.flow.source == self.me()) {
            self.out.notify(self.me(), notice, None);
        }
        if !packet.is_routing() {
            packet.dsr = None;
            self.out.deliver(packet);
        }
    }
}
