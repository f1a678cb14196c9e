//! Between the router and the endpoints of a node: what is delivered to them, what they send, what they are told.

use hopwright_link::Mac;
use hopwright_machine::{Address, DropCause, Duration, Machine, NodeId, PacketId, Time};
use hopwright_routing::{Input as Route, Protocol, Router};
use hopwright_transport::NetworkSignal;
use hopwright_wire::notice::{Kind, Notice};
use hopwright_wire::{Packet, Payload};

use super::Node;
use crate::endpoint::{Endpoint, Outgoing, Socket};
use crate::trace::{Event, Layer, Sink};
use crate::world::World;

impl<M: Mac<Packet>> Node<M> {
    /// Tells a transport what became of its route. Returns whether there is one to be told.
    pub(super) fn notify<T: Sink>(&mut self, now: Time, notice: &Notice, world: &mut World<T>) -> bool {
        let told = self.sockets.iter_mut().find_map(|socket| Some((socket.takes(notice)?, socket)));
        let Some((seeks, socket)) = told else { return false };
        let signal = match notice.kind {
            Kind::Rrn => NetworkSignal::RouteRestored,
            Kind::Elfn | Kind::Rfn | Kind::Unreachable => NetworkSignal::RouteFailed(Some(notice.seq)),
        };
        socket.signal(now, signal, &mut world.flows);
        tell(now, self.id, socket, world);
        if let Some(peer) = seeks {
            self.router.handle(now, Route::Seek(peer));
        }
        true
    }

    /// There is a route to `address` again: tells the transports here that asked. Traces see all that end there.
    pub(super) fn route_up<T: Sink>(&mut self, now: Time, address: Address, world: &mut World<T>) {
        for socket in self.sockets.iter_mut().filter(|socket| socket.peer() == Some(address)) {
            if socket.awaits_return() {
                socket.signal(now, NetworkSignal::RouteRestored, &mut world.flows);
            }
            tell(now, self.id, socket, world);
        }
    }

    pub(super) fn deliver<T: Sink>(&mut self, now: Time, packet: &Packet, world: &mut World<T>) {
        let first_ttl = self.router.first_ttl();
        if let Payload::Notice(notice) = &packet.payload {
            if self.notify(now, notice, world) {
                world.delivered(now, self.id, packet, first_ttl);
            } else {
                self.dropped(now, packet, DropCause::NoListener, Layer::Agent, world);
            }
            return;
        }
        if self.bundles.is_some() && self.bundle_message(now, packet, world) {
            return;
        }
        let Some(socket) = self.sockets.iter_mut().find(|socket| socket.is_for(packet)) else {
            return self.dropped(now, packet, DropCause::NoListener, Layer::Agent, world);
        };
        note_route(now, socket, &self.router, world);
        if let Some(place) = socket.wants().stamp {
            note_stamp(now, socket, (packet, place), first_ttl, world);
        }
        socket.receive(now, packet, &mut world.flows);
        if T::PACKETS {
            world.trace.event(now, self.id, Event::Delivered(packet));
        }
        tell(now, self.id, socket, world);
        world.delivered(now, self.id, packet, first_ttl);
    }

    /// Collects the next packet that an application or transport here wants to send.
    pub(super) fn send_next<T: Sink>(&mut self, now: Time, world: &mut World<T>) -> bool {
        for socket in &mut self.sockets {
            let Some(outgoing) = socket.poll(now, &mut world.flows) else { continue };
            self.packets += 1;
            let first_ttl = outgoing.ttl(self.router.first_ttl());
            let packet = packet(self.id, self.packets, outgoing, first_ttl);
            originated(now, &packet, &self.router, self.id, world);
            tell(now, self.id, socket, world);
            world.originated(now, self.id, &packet);
            self.router.handle(now, Route::Send(packet));
            return true;
        }
        false
    }
}

/// The packet of a node with this number.
pub(crate) fn packet(node: NodeId, number: u64, outgoing: Outgoing, ttl: u8) -> Packet {
    let id = PacketId(u64::from(node.0) << 40 | number);
    let Outgoing { to, flow, ecn, payload } = outgoing;
    Packet { flow, ecn, ..Packet::new(id, node.address(), to, ttl, payload) }
}

/// Tells a trace how an endpoint stands.
#[inline]
pub(crate) fn tell<T: Sink>(now: Time, node: NodeId, socket: &mut Socket, world: &mut World<T>) {
    if T::ON && socket.end().is_none_or(|end| world.tells_of(end.flow)) {
        let World { flows, trace, .. } = world;
        socket.show(flows, |event| trace.event(now, node, event));
    }
}

/// Tells an endpoint how long its route is, if it wants to know. A route that is down tells nothing.
#[inline]
pub(crate) fn note_route<T: Sink>(now: Time, socket: &mut Socket, router: &Router, world: &mut World<T>) {
    if let Some(hops) = socket.wants().hops_to.and_then(|peer| router.hops(peer)) {
        socket.signal(now, NetworkSignal::Hops(hops), &mut world.flows);
    }
}

/// Tells an endpoint what stations wrote on the packet that comes next.
#[cold]
fn note_stamp<T: Sink>(
    now: Time,
    socket: &mut Socket,
    (packet, place): (&Packet, usize),
    first_ttl: u8,
    world: &mut World<T>,
) {
    let hops = u32::from(first_ttl.saturating_sub(packet.ttl)) + 1;
    let number = Duration::from_micros(u64::from(packet.stamps.us(place)));
    socket.signal(now, NetworkSignal::Stamp(number, hops), &mut world.flows);
}

/// Tells a trace of a packet that begins here.
#[inline(always)]
pub(super) fn originated<T: Sink>(now: Time, packet: &Packet, router: &Router, node: NodeId, world: &mut World<T>) {
    if T::PACKETS {
        world.trace.event(now, node, Event::Originated(packet));
        if world.trace.shows(packet) {
            let bytes = router.packet_bytes(packet);
            world.trace.event(now, node, Event::Routing { packet, bytes, from: node });
        }
    }
}
