//! Between the bundle agent of a node, its router and its station.

use hopwright_bundle::{Agent, Input, News, Output, Route as Along, Way};
use hopwright_link::Mac;
use hopwright_link::arp::Input as Resolve;
use hopwright_machine::{Address, DropCause, FlowTag, Machine, NodeId, PacketId, Time};
use hopwright_routing::{Input as Route, Protocol};
use hopwright_wire::dsr::{DsrOption, Error, ErrorKind};
use hopwright_wire::nctp::{self, Kind};
use hopwright_wire::{Packet, Payload};

use super::{Downward, Node, originated};
use crate::setup::Flow;
use crate::trace::{Event, Layer, Sink};
use crate::world::World;

/// Whether it is a packet of a bundle, which goes from owner to owner without routers.
#[inline]
pub(super) fn is_of_bundle(packet: &Packet) -> bool {
    matches!(&packet.payload, Payload::Nctp(about) if about.kind == Kind::Data)
}

impl<M: Mac<Packet>> Node<M> {
    /// A connection over bundles begins here.
    pub(crate) fn add_origin(&mut self, number: usize, flow: &Flow, seed: u64) {
        if let Some(bundles) = &mut self.bundles {
            bundles.add(number, flow, seed);
        }
    }

    /// Its bundle agent, if it has one.
    pub(crate) fn agent(&self) -> Option<&Agent> {
        self.bundles.as_ref().map(|bundles| &bundles.agent)
    }

    #[cold]
    pub(super) fn wake_bundles(&mut self, now: Time) {
        if let Some(bundles) = &mut self.bundles {
            bundles.wake(now);
        }
    }

    /// A packet has come off the air. Returns whether it is one of a bundle, which is not for the router.
    pub(super) fn bundle_packet<T: Sink>(
        &mut self,
        now: Time,
        packet: &Packet,
        from: NodeId,
        world: &mut World<T>,
    ) -> bool {
        let Some(bundles) = &mut self.bundles else { return false };
        bundles.has_news_of_routes |= packet.is_routing() || packet.dsr.is_some();
        for option in packet.dsr.iter().flat_map(|header| &header.options) {
            if let DsrOption::Error(Error { source: from, kind: ErrorKind::NodeUnreachable(to), .. }) = *option {
                bundles.agent.handle(now, Input::Broken { from, to });
            }
        }
        let Payload::Nctp(about) = &packet.payload else { return false };
        if about.kind != Kind::Data {
            if about.kind == Kind::Ack && packet.destination != self.id.address() && bundles.agent.watches_acks() {
                bundles.agent.handle(now, Input::Passing(about));
            }
            return false;
        }
        self.router.handle(now, Route::Passed { packet, neighbour: from, came: true });
        let first_ttl = self.router.first_ttl();
        let hops = first_ttl.saturating_sub(packet.ttl) + 1;
        let route = self.router.source_route(packet);
        let route = route.as_ref().map(|(nodes, at)| Along { nodes, at: *at });
        bundles.agent.handle(now, Input::Packet { packet: about, from, hops, route });
        if T::PACKETS {
            world.trace.event(now, self.id, Event::Delivered(packet));
        }
        world.delivered(now, self.id, packet, first_ttl);
        true
    }

    /// A packet is delivered. Returns whether it is a message about a bundle.
    pub(super) fn bundle_message<T: Sink>(&mut self, now: Time, packet: &Packet, world: &mut World<T>) -> bool {
        let (Some(bundles), Payload::Nctp(about)) = (&mut self.bundles, &packet.payload) else { return false };
        let from = packet.source.node().unwrap_or(self.id);
        bundles.agent.handle(now, Input::Packet { packet: about, from, hops: 0, route: None });
        if T::PACKETS {
            world.trace.event(now, self.id, Event::Delivered(packet));
        }
        world.delivered(now, self.id, packet, self.router.first_ttl());
        true
    }

    /// The station is done with a packet, which its next hop has.
    pub(super) fn bundle_sent(&mut self, now: Time, packet: &Packet, next_hop: Option<NodeId>) {
        let (Some(bundles), Payload::Nctp(about)) = (&mut self.bundles, &packet.payload) else { return };
        if about.kind == Kind::Data {
            if let Some(neighbour) = next_hop {
                self.router.handle(now, Route::Passed { packet, neighbour, came: false });
            }
            bundles.agent.handle(now, Input::Sent(about));
        }
    }

    /// The next owner does not answer.
    #[cold]
    pub(super) fn bundle_failed<T: Sink>(
        &mut self,
        now: Time,
        packet: &Packet,
        (cause, layer): (DropCause, Layer),
        world: &mut World<T>,
    ) {
        self.dropped(now, packet, cause, layer, world);
        if let (Some(bundles), Payload::Nctp(about)) = (&mut self.bundles, &packet.payload) {
            bundles.agent.handle(now, Input::Failed(about));
        }
    }

    /// A packet was dropped before it was tried, or as its next hop is lost.
    #[cold]
    pub(super) fn bundle_not_sent(&mut self, now: Time, packet: &Packet, cause: DropCause) {
        if let (Some(bundles), Payload::Nctp(about)) = (&mut self.bundles, &packet.payload)
            && about.kind == Kind::Data
        {
            let input = if cause == DropCause::NextHopLost { Input::LinkLost(about) } else { Input::Refused(about) };
            bundles.agent.handle(now, input);
        }
    }

    /// The station has given up a packet of the router's: what asks over that link has no answer.
    #[cold]
    pub(super) fn bundle_link_broken(&mut self, now: Time, next_hop: NodeId) {
        if let Some(bundles) = &mut self.bundles {
            let (from, to) = (self.id.address(), next_hop.address());
            bundles.agent.handle(now, Input::Broken { from, to });
        }
    }

    /// The way to a destination that the router knows now.
    fn way_to(&self, destination: Address) -> Option<Way> {
        let path = self.router.path(destination).unwrap_or_default();
        let next_hop = match path.get(1) {
            Some(next) => next.node()?,
            None => self.router.next_hop(destination)?,
        };
        let hops = if path.is_empty() { self.router.hops(destination) } else { Some(path.len() as u32 - 1) };
        Some(Way { next_hop, path: path.into(), at: 0, hops })
    }

    /// Does the next thing that the agent wants done. Returns whether there was one.
    pub(super) fn carry_next<T: Sink>(&mut self, now: Time, world: &mut World<T>) -> bool {
        let Some(bundles) = &mut self.bundles else { return false };
        if std::mem::take(&mut bundles.has_news_of_routes) && bundles.agent.seeks() && !self.down_now {
            let sought: Vec<Address> = bundles.agent.sought().collect();
            for destination in sought {
                self.offer_way(now, destination);
            }
        }
        let Some(output) = self.bundles.as_mut().and_then(|bundles| bundles.poll()) else { return false };
        match output {
            Output::Hop { packet, way, hops } => self.hand_on(now, packet, &way, hops, world),
            Output::Message { packet, path } => self.send_message(now, packet, &path, world),
            Output::LinkLost(neighbour) => self.router.handle(now, Route::LinkLost(neighbour)),
            Output::Seek(destination) => {
                if !self.offer_way(now, destination) {
                    self.router.handle(now, Route::Seek(destination));
                }
            }
            Output::Deliver { connection, bytes, .. } => {
                let flow = usize::from(connection);
                world.flows[flow].received(now, bytes);
                if T::ON {
                    let received_bytes = world.flows[flow].now.received_bytes;
                    world.trace.event(now, self.id, Event::Arrived { flow, received_bytes });
                }
            }
            Output::Acked { connection, bytes, round_trip } => {
                let meter = &mut world.flows[usize::from(connection)];
                meter.now.acked_bytes += bytes;
                if let Some(round_trip) = round_trip {
                    meter.observe_rtt(now, round_trip.as_secs_f64());
                }
                if let Some(bundles) = &mut self.bundles {
                    bundles.acked(now, connection, bytes);
                }
            }
            Output::Told(key, news) => self.tell_of_bundle(now, key, &news, world),
        }
        true
    }

    /// Tells the agent of the way to a destination, if the router knows one. Returns whether it does.
    fn offer_way(&mut self, now: Time, destination: Address) -> bool {
        let way = self.way_to(destination);
        if let (Some(way), Some(bundles)) = (&way, &mut self.bundles) {
            bundles.agent.handle(now, Input::Way { destination, way });
        }
        way.is_some()
    }

    /// Hands a packet of a bundle to the link.
    fn hand_on<T: Sink>(&mut self, now: Time, about: nctp::Packet, way: &Way, hops: u8, world: &mut World<T>) {
        let flow = usize::from(about.key.connection);
        let ttl = self.router.first_ttl().saturating_sub(hops).max(1);
        let mut packet = self.new_packet((about.key.source, about.destination), ttl, FlowTag::new(flow, true), about);
        if !way.path.is_empty() {
            self.router.write_source_route(&mut packet, &way.path, way.at + 1);
        }
        world.flows[flow].sent_datagram();
        self.begin(now, &packet, world);
        let next_hop = way.next_hop;
        if T::PACKETS && world.trace.shows(&packet) {
            let bytes = self.router.packet_bytes(&packet);
            world.trace.event(now, self.id, Event::Routed { packet: &packet, bytes, next_hop: Some(next_hop) });
        }
        if self.down_now {
            return self.dropped_below(now, &packet, DropCause::NodeDown, Layer::Queue, world);
        }
        match &mut self.arp {
            Some(arp) => arp.handle(now, Resolve::Send { packet, next_hop }),
            None => self.send_down(now, Downward { packet, next_hop: Some(next_hop) }, world),
        }
    }

    /// Sends a message about a bundle, over these nodes or as the router says.
    fn send_message<T: Sink>(&mut self, now: Time, about: nctp::Packet, path: &[Address], world: &mut World<T>) {
        let tag = FlowTag::new(usize::from(about.key.connection), false);
        let packet = self.new_packet((self.id.address(), about.receiver), self.router.first_ttl(), tag, about);
        self.begin(now, &packet, world);
        if path.is_empty() {
            self.router.handle(now, Route::Send(packet));
        } else {
            self.router.handle(now, Route::SendOver { packet, path });
        }
    }

    fn new_packet(&mut self, ends: (Address, Address), ttl: u8, tag: FlowTag, about: nctp::Packet) -> Packet {
        self.packets += 1;
        let id = PacketId(u64::from(self.id.0) << 40 | self.packets);
        Packet { flow: Some(tag), ..Packet::new(id, ends.0, ends.1, ttl, Payload::Nctp(about)) }
    }

    fn begin<T: Sink>(&self, now: Time, packet: &Packet, world: &mut World<T>) {
        originated(now, packet, &self.router, self.id, world);
        world.originated(now, self.id, packet);
    }

    /// Something has happened to a bundle.
    fn tell_of_bundle<T: Sink>(&self, now: Time, key: nctp::Key, news: &News, world: &mut World<T>) {
        let flow = usize::from(key.connection);
        let meter = &mut world.flows[flow];
        if let Some(tally) = &mut meter.bundles {
            tally.now.note(news);
        }
        if let News::Arrived(bytes) = news {
            meter.now.arrived_bytes += u64::from(*bytes);
        }
        if T::PACKETS {
            world.trace.event(now, self.id, Event::Bundle { flow, bundle: key.bundle, news });
        }
    }
}
