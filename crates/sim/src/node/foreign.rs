//! Packets of programs outside that no router sees: Ethernet frames, and packets to groups that are flooded.
//!
//! Spec      a frame goes from station to station, with the interface queue, contention and losses of any packet, and to
//!           whoever is attached for frames at the other node. A packet to a group goes through `Smf`
//! Deviates  nothing
//! Holds     of each copy the books know the end: a packet to a group that came before, or that nobody here wants, has
//!           been absorbed; a frame that nobody here wants is dropped

use hopwright_link::Mac;
use hopwright_machine::{DropCause, Machine, NodeId, Time};
use hopwright_routing::Protocol;
use hopwright_routing::smf::{Input as Flood, Output as FromSmf};
use hopwright_wire::{Packet, Payload};

use super::{Downward, Node};
use crate::endpoint::Endpoint;
use crate::trace::{Event, Layer, Sink};
use crate::world::World;

impl<M: Mac<Packet>> Node<M> {
    /// A program's packet passes the router by; if none of these, it is given back.
    pub(super) fn passes_by<T: Sink>(&mut self, now: Time, packet: Packet, world: &mut World<T>) -> Option<Packet> {
        if matches!(packet.payload, Payload::Frame(_)) {
            let next_hop = packet.destination.node();
            self.send_foreign(now, packet, next_hop, world);
            return None;
        }
        match self.smf.as_mut().filter(|_| is_flooded(&packet)) {
            Some(smf) => smf.handle(now, Flood::Send(packet)),
            None => return Some(packet),
        }
        None
    }

    /// A packet has come; if it is for the router, it is given back.
    #[inline(always)] // as `enqueue`
    pub(super) fn comes_by<T: Sink>(
        &mut self,
        now: Time,
        packet: Packet,
        from: NodeId,
        world: &mut World<T>,
    ) -> Option<Packet> {
        if matches!(packet.payload, Payload::Frame(_)) {
            self.frame_came(now, &packet, world);
            return None;
        }
        if self.smf.is_some() && is_flooded(&packet) {
            self.flooded(now, packet, from, world);
            return None;
        }
        Some(packet)
    }

    #[cold]
    fn flooded<T: Sink>(&mut self, now: Time, packet: Packet, from: NodeId, world: &mut World<T>) {
        if T::PACKETS {
            let bytes = self.router.packet_bytes(&packet);
            world.trace.event(now, self.id, Event::Routing { packet: &packet, bytes, from });
        }
        self.smf.as_mut().expect("it floods").handle(now, Flood::Receive(packet));
    }

    #[cold]
    fn frame_came<T: Sink>(&mut self, now: Time, packet: &Packet, world: &mut World<T>) {
        if !self.hand_over(now, packet, world) {
            self.dropped(now, packet, DropCause::NoListener, Layer::Agent, world);
        }
    }

    /// Does what flooding wants.
    pub(super) fn flood<T: Sink>(&mut self, now: Time, output: FromSmf, world: &mut World<T>) {
        match output {
            FromSmf::Transmit(packet) => self.send_foreign(now, packet, None, world),
            FromSmf::Repeated(_) => world.ledger.absorbed += 1,
            FromSmf::Deliver { packet, goes_on } => {
                if goes_on {
                    world.copied(now, self.id, &packet);
                }
                if !self.hand_over(now, &packet, world) {
                    world.ledger.absorbed += 1;
                }
            }
        }
    }

    /// Gives a packet to the program here that takes it, if there is one.
    fn hand_over<T: Sink>(&mut self, now: Time, packet: &Packet, world: &mut World<T>) -> bool {
        let Some(socket) = self.sockets.iter_mut().find(|socket| socket.is_for(packet)) else { return false };
        socket.receive(now, packet, &mut world.flows);
        if T::PACKETS {
            world.trace.event(now, self.id, Event::Delivered(packet));
        }
        world.delivered(now, self.id, packet, self.router.first_ttl());
        true
    }

    /// A packet goes down to the station: to one other, or to all that hear it.
    fn send_foreign<T: Sink>(&mut self, now: Time, packet: Packet, next_hop: Option<NodeId>, world: &mut World<T>) {
        if T::PACKETS && world.trace.shows(&packet) {
            let bytes = self.router.packet_bytes(&packet);
            world.trace.event(now, self.id, Event::Routed { packet: &packet, bytes, next_hop });
        }
        if self.down_now {
            self.dropped_below(now, &packet, DropCause::NodeDown, Layer::Queue, world);
        } else {
            self.send_down(now, Downward { packet, next_hop }, world);
        }
    }

    /// The router has the queue cleared of packets for a neighbour: frames are none of its business, and wait again. So does
    /// a notice that is not to be lost.
    #[cold]
    pub(super) fn queue_again<T: Sink>(&mut self, now: Time, packet: Packet, next_hop: NodeId, world: &mut World<T>) {
        self.enqueue(now, Downward { packet, next_hop: Some(next_hop) }, world);
    }
}

/// Whether a packet is a program's, to a group.
#[inline]
fn is_flooded(packet: &Packet) -> bool {
    packet.destination.is_group() && !packet.payload.is_message()
}
