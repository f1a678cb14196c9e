//! Outputs on their way from machine to machine, until none is left.

use hopwright_link::arp::{Input as Resolve, Output as FromArp};
use hopwright_link::{Frame, Input as ToLink, Mac, Output as FromLink};
use hopwright_machine::{Address, DropCause, Machine, NodeId, PacketId, Time};
use hopwright_routing::{Input as Route, Output as FromRouter, Protocol, notice_in};
use hopwright_wire::{Packet, Payload, arp};

use super::bundles::is_of_bundle;
use super::{Downward, Node};
use crate::endpoint::{Endpoint, tell_of_drop};
use crate::medium::Medium;
use crate::trace::{Event, Layer, Sink};
use crate::world::World;

impl<M: Mac<Packet>> Node<M> {
    /// Carries outputs from machine to machine until none is left; `frame` becomes the one to be put on the air.
    ///
    /// `upper`: whether anything above the station has been touched.
    pub(super) fn settle<T: Sink>(
        &mut self,
        now: Time,
        mut upper: bool,
        medium: &mut Medium,
        world: &mut World<T>,
        frame: &mut Option<Frame<Packet>>,
    ) {
        loop {
            if let Some(output) = self.station.poll() {
                match output {
                    FromLink::Transmit(transmitted) => {
                        *frame = Some(transmitted);
                        continue;
                    }
                    FromLink::Deliver { packet, from } => self.take(now, packet, from, world),
                    FromLink::Sent { packet, next_hop } => {
                        if T::PACKETS {
                            world.trace.event(now, self.id, Event::Sent(&packet));
                        }
                        world.sent(self.id);
                        match next_hop {
                            None => world.ledger.broadcast_done += 1,
                            Some(_) if self.follows => {
                                self.router.handle(now, Route::Left { packet: packet.id, sent: true });
                            }
                            Some(_) => {}
                        }
                        if self.bundles.is_some() {
                            self.bundle_sent(now, &packet, next_hop);
                        }
                    }
                    FromLink::GaveUp { packet, next_hop, cause } => {
                        if T::PACKETS {
                            let bytes = self.router.packet_bytes(&packet);
                            let gave_up = Event::GaveUp { packet: &packet, bytes, next_hop, cause };
                            world.trace.event(now, self.id, gave_up);
                        }
                        world.gave_up(now, self.id, next_hop, &packet, cause);
                        self.not_reached(now, &packet, next_hop, medium, world);
                        if matches!(packet.payload, Payload::Arp(_) | Payload::Frame(_)) {
                            self.dropped(now, &packet, cause, Layer::Mac, world); // of no interest to routing
                        } else if is_of_bundle(&packet) {
                            self.bundle_failed(now, &packet, (cause, Layer::Mac), world);
                        } else if self.keeps(now, &packet, next_hop, medium) {
                            self.queue_again(now, packet, next_hop, world);
                        } else {
                            self.bundle_link_broken(now, next_hop);
                            self.router.handle(now, Route::LinkFailed { packet, next_hop, cause });
                        }
                    }
                    FromLink::Dropped { packet, next_hop: Some(next_hop), cause: DropCause::NextHopLost }
                    | FromLink::Reclaimed { packet, next_hop }
                        if matches!(packet.payload, Payload::Frame(_))
                            || self.keeps(now, &packet, next_hop, medium) =>
                    {
                        self.queue_again(now, packet, next_hop, world);
                    }
                    FromLink::Dropped { packet, next_hop, cause } => {
                        if cause == DropCause::NextHopLost
                            && let Some(next_hop) = next_hop
                        {
                            self.not_reached(now, &packet, next_hop, medium, world);
                        }
                        self.dropped_below(now, &packet, cause, Layer::Queue, world);
                    }
                    FromLink::Reclaimed { packet, .. } if matches!(packet.payload, Payload::Arp(_)) => {
                        self.dropped(now, &packet, DropCause::NextHopLost, Layer::Queue, world);
                    }
                    FromLink::Reclaimed { packet, next_hop } if is_of_bundle(&packet) => {
                        self.not_reached(now, &packet, next_hop, medium, world);
                        self.dropped(now, &packet, DropCause::NextHopLost, Layer::Queue, world);
                        self.bundle_not_sent(now, &packet, DropCause::NextHopLost);
                    }
                    FromLink::Reclaimed { packet, next_hop } => {
                        if T::PACKETS {
                            world.trace.event(now, self.id, Event::TakenBack(&packet));
                        }
                        self.not_reached(now, &packet, next_hop, medium, world);
                        self.router.handle(now, Route::Reclaimed { packet, next_hop });
                    }
                    FromLink::Repeated { packet, from } => {
                        // Numbers come round: one that nobody had before is lost.
                        if !world.taken[from.index()] {
                            world.handed_over(now, from, &packet);
                            self.dropped(now, &packet, DropCause::MistakenRepeat, Layer::Mac, world);
                        }
                    }
                }
                upper = true;
            } else if !upper {
                break; // the station alone was concerned
            } else if let Some(output) = self.arp.as_mut().and_then(|arp| arp.poll()) {
                self.resolved(now, output, medium, world);
            } else if let Some(output) = self.smf.as_mut().and_then(|smf| smf.poll()) {
                self.flood(now, output, world);
            } else if let Some(output) = self.router.poll() {
                match output {
                    FromRouter::Deliver(packet) => self.deliver(now, &packet, world),
                    FromRouter::Transmit { packet, next_hop } => {
                        if T::PACKETS && world.trace.shows(&packet) {
                            let bytes = self.router.packet_bytes(&packet);
                            world.trace.event(now, self.id, Event::Routed { packet: &packet, bytes, next_hop });
                        }
                        if self.down_now {
                            self.dropped_below(now, &packet, DropCause::NodeDown, Layer::Queue, world);
                            continue;
                        }
                        match (&mut self.arp, next_hop) {
                            (Some(arp), Some(next_hop)) => arp.handle(now, Resolve::Send { packet, next_hop }),
                            _ => self.send_down(now, Downward { packet, next_hop }, world),
                        }
                    }
                    FromRouter::PurgeNextHop(next_hop) => self.station.handle(now, ToLink::Purge(next_hop)),
                    FromRouter::ReclaimNextHop(next_hop) => self.station.handle(now, ToLink::Reclaim(next_hop)),
                    FromRouter::Doubled(packet) => world.copied(now, self.id, &packet),
                    FromRouter::Notify(notice) => {
                        self.notify(now, &notice, world);
                    }
                    FromRouter::RouteUp(address) => self.route_up(now, address, world),
                    FromRouter::RouteBroke(neighbour) => {
                        let in_range = medium.in_range(self.id, neighbour, now);
                        world.false_route_breaks += u64::from(in_range);
                        if T::PACKETS {
                            world.trace.event(now, self.id, Event::RouteBroke { neighbour, in_range });
                        }
                    }
                    FromRouter::Drop { packet, cause } => {
                        self.dropped(now, &packet, cause, Layer::Router, world);
                    }
                }
            } else if self.bundles.is_some() && self.carry_next(now, world) {
                // Another output may follow.
            } else if self.station.awaits_resume() {
                self.station.handle(now, ToLink::Resume);
            } else if !self.send_next(now, world) {
                break;
            }
        }
        if upper {
            self.settled(now, world);
        }
    }

    /// Nothing is left to be carried.
    #[inline(always)]
    pub(super) fn settled<T: Sink>(&mut self, now: Time, world: &mut World<T>) {
        if self.station.queued() != self.queued {
            self.queued = self.station.queued();
            self.queue.set(now, self.queued as f64);
            if T::ON {
                world.trace.event(now, self.id, Event::QueueLength(self.queued));
            }
        }
        let arp = self.arp.as_ref().map_or(Time::NEVER, |arp| arp.deadline());
        let below = self.up.deadline().min(self.down.deadline()).min(self.router.deadline()).min(arp);
        let below = below.min(self.smf.as_ref().map_or(Time::NEVER, |smf| smf.deadline()));
        let below = below.min(self.bundles.as_ref().map_or(Time::NEVER, |bundles| bundles.deadline()));
        self.upper = self.sockets.iter().fold(below, |earliest, socket| earliest.min(socket.deadline()));
    }

    /// Does what address resolution wants.
    fn resolved<T: Sink>(&mut self, now: Time, output: FromArp<Packet>, medium: &mut Medium, world: &mut World<T>) {
        match output {
            FromArp::Pass { packet, next_hop } => {
                self.send_down(now, Downward { packet, next_hop: Some(next_hop) }, world);
            }
            FromArp::Release { packet, next_hop } => {
                self.enqueue(now, Downward { packet, next_hop: Some(next_hop) }, world);
            }
            FromArp::Message { message, to } => {
                let packet = self.arp_packet(message, to);
                self.enqueue(now, Downward { packet, next_hop: to }, world);
            }
            FromArp::Dropped { packet, cause } => self.dropped_below(now, &packet, cause, Layer::Arp, world),
            FromArp::Failed { packet, next_hop, cause } => {
                self.not_reached(now, &packet, next_hop, medium, world);
                if is_of_bundle(&packet) {
                    self.bundle_failed(now, &packet, (cause, Layer::Arp), world);
                } else {
                    self.router.handle(now, Route::LinkFailed { packet, next_hop, cause });
                }
            }
        }
    }

    /// Whether a packet stays with the station though its next hop has not taken it, or is believed to be lost: a notice to
    /// a transport may not be lost on a link that is there, where the scenario says so.
    fn keeps(&self, now: Time, packet: &Packet, next_hop: NodeId, medium: &mut Medium) -> bool {
        self.keeps_notices && notice_in(packet).is_some() && medium.in_range(self.id, next_hop, now)
    }

    /// A packet did not reach its next hop: notes whether that could have received it.
    fn not_reached<T: Sink>(
        &self,
        now: Time,
        packet: &Packet,
        next_hop: NodeId,
        medium: &mut Medium,
        world: &mut World<T>,
    ) {
        world.not_reached(now, (self.id, next_hop), packet, medium.in_range(self.id, next_hop, now));
    }

    pub(super) fn arp_packet(&mut self, message: arp::Message, to: Option<NodeId>) -> Packet {
        self.packets += 1;
        let id = PacketId(u64::from(self.id.0) << 40 | self.packets);
        let destination = to.map_or(Address::BROADCAST, NodeId::address);
        Packet::new(id, self.id.address(), destination, 1, Payload::Arp(message))
    }

    /// A packet has come off the air. Its sender may go on believing that it has not.
    fn take<T: Sink>(&mut self, now: Time, packet: Packet, from: NodeId, world: &mut World<T>) {
        if packet.destination.is_group() {
            world.ledger.broadcast_copies += 1;
        } else {
            world.handed_over(now, from, &packet);
        }
        if let Payload::Arp(message) = &packet.payload {
            world.ledger.absorbed += 1;
            if let Some(arp) = &mut self.arp {
                arp.handle(now, Resolve::Received(message));
            }
        } else if self.has_link_delay {
            self.up.push(now, (packet, from));
        } else {
            self.route_received(now, packet, from, world);
        }
    }

    /// A layer below the router dropped a packet, which did not leave.
    #[cold]
    pub(super) fn dropped_below<T: Sink>(
        &mut self,
        now: Time,
        packet: &Packet,
        cause: DropCause,
        layer: Layer,
        world: &mut World<T>,
    ) {
        self.dropped(now, packet, cause, layer, world);
        if self.follows {
            self.router.handle(now, Route::Left { packet: packet.id, sent: false });
        }
        if self.bundles.is_some() {
            self.bundle_not_sent(now, packet, cause);
        }
    }

    #[cold]
    pub(super) fn dropped<T: Sink>(
        &mut self,
        now: Time,
        packet: &Packet,
        cause: DropCause,
        layer: Layer,
        world: &mut World<T>,
    ) {
        let lost = world.dropped(now, self.id, packet, cause);
        if T::PACKETS {
            let bytes = self.router.packet_bytes(packet);
            world.trace.event(now, self.id, Event::Dropped { packet, bytes, cause, layer, lost });
        }
        if matches!(packet.payload, Payload::Opaque(_)) {
            tell_of_drop(&mut self.sockets, now, packet, (cause, self.router.first_ttl()));
        }
    }
}
