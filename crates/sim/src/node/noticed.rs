//! What a receiver notices, on its way to those whom it concerns.

use hopwright_link::{Frame, FrameKind, Input as ToLink, Mac};
use hopwright_machine::{Duration, Machine, NodeId, Time};
use hopwright_radio::{Ended, Listener, Missed};
use hopwright_routing::Input as Route;
use hopwright_transport::NetworkSignal;
use hopwright_wire::{Packet, Payload};

use super::Node;
use crate::endpoint::{Endpoint, Socket};
use crate::medium::{Medium, Role, Tag};
use crate::meter::FlowMeter;
use crate::trace::{LostTo, Sink};
use crate::world::World;

/// What a receiver notices, on its way to those whom it concerns.
pub(super) struct Noticed<'a, T, M> {
    /// When all of it is told.
    pub(super) now: Time,
    pub(super) node: &'a mut Node<M>,
    pub(super) medium: &'a mut Medium,
    pub(super) world: &'a mut World<T>,
}

// Inlined into `advance`: most of what is noticed is a carrier, and its end.
impl<T: Sink, M: Mac<Packet>> Listener<Tag> for Noticed<'_, T, M> {
    #[inline(always)]
    fn carrier(&mut self, at: Time, until: Time, of: Tag) {
        if let Some(air) = self.world.trace.air() {
            air.carrier(self.node.id, at, until, of.frame);
        }
        self.node.tell_station(self.now, at, ToLink::Carrier { until }, self.world);
    }

    #[inline(always)]
    fn held(&mut self, at: Time, until: Time, of: Tag) {
        if let Some(air) = self.world.trace.air() {
            air.carrier(self.node.id, at, until, of.frame);
        }
        self.world.trace.failed(self.now, self.node.id, at, until, of.frame);
        self.node.station.handle(at, ToLink::Held { until });
    }

    #[inline(always)]
    fn collided(&mut self, at: Time, tag: Tag, by: Tag) {
        if tag.role != Role::Mine {
            return;
        }
        if T::PACKETS {
            self.lost(at, tag, LostTo::Collision(by.frame));
        }
        self.world.collided(tag.class);
        if self.node.hears_damage
            && let Some(frame) = self.medium.frame(tag.frame)
        {
            tell_damage(at, self.node.id, frame, &mut self.node.sockets, &mut self.world.flows);
        }
        if self.medium.decide(tag.frame) {
            self.world.ledger.frames_collided += 1;
        }
    }

    #[inline(always)]
    fn missed(&mut self, at: Time, tag: Tag, why: Missed<Tag>) {
        if T::PACKETS && tag.role == Role::Mine {
            let lost = match why {
                Missed::Captured(by) => LostTo::Captured(by.frame),
                Missed::Transmitting => LostTo::Transmitting,
            };
            self.lost(at, tag, lost);
        }
    }

    #[inline(always)]
    fn ended(&mut self, at: Time, how: Ended<Tag>) {
        match how {
            Ended::Received(tag) if tag.role == Role::Mine => {
                if self.medium.decide(tag.frame) {
                    self.world.ledger.frames_received += 1;
                }
                if let Some(frame) = self.medium.frame(tag.frame) {
                    if let Some(tries) = &mut self.world.tries {
                        tries.received(self.node.id, frame.kind);
                    }
                    if let Some(air) = self.world.trace.air()
                        && frame.wants_answer()
                    {
                        air.asked(self.node.id, at, tag.frame);
                    }
                    self.node.station.handle(at, ToLink::Received(frame));
                }
            }
            Ended::Received(tag) => {
                let nav = Duration::from_nanos(u64::from(tag.nav_ns));
                self.world.trace.reserved(self.now, self.node.id, at, at + nav, tag.frame);
                self.node.station.handle(at, ToLink::Overheard(nav));
                if tag.role == Role::Tapped
                    && let Some(Frame { from, to: Some(to), payload: Some(packet), .. }) = self.medium.frame(tag.frame)
                {
                    self.node.has_listened = true;
                    self.node.router.handle(at, Route::Overheard { packet, from: *from, to: *to });
                }
            }
            Ended::Damaged(tag) => self.again().damaged(at, tag),
            Ended::Failed(tag) => {
                self.world.trace.failed(self.now, self.node.id, at, at, tag.frame);
                self.node.station.handle(at, ToLink::Failed);
            }
            Ended::Unnoticed => {}
        }
    }
}

impl<T: Sink, M: Mac<Packet>> Noticed<'_, T, M> {
    /// The same, in a place of its own: what is handed on whole has to have one, and on the usual way nothing is.
    #[inline(always)]
    fn again(&mut self) -> Noticed<'_, T, M> {
        Noticed { now: self.now, node: self.node, medium: self.medium, world: self.world }
    }

    /// The channel damaged the frame that was received.
    #[cold]
    #[inline(never)]
    fn damaged(&mut self, at: Time, tag: Tag) {
        if tag.role == Role::Mine {
            self.lost_to_channel(at, tag);
        }
        self.world.trace.failed(self.now, self.node.id, at, at, tag.frame);
        self.node.station.handle(at, ToLink::Failed);
    }

    fn lost_to_channel(&mut self, at: Time, tag: Tag) {
        if T::PACKETS {
            self.lost(at, tag, LostTo::Channel);
        }
        let frame = self.medium.frame(tag.frame);
        self.world.damaged(tag.class, frame);
        if let Some(frame) = frame.filter(|_| self.node.hears_damage) {
            tell_damage(at, self.node.id, frame, &mut self.node.sockets, &mut self.world.flows);
        }
        if self.medium.decide(tag.frame) {
            self.world.ledger.frames_damaged += 1;
        }
    }

    /// Tells a trace of a frame that was for this node and is lost.
    #[cold]
    fn lost(&mut self, at: Time, tag: Tag, to: LostTo) {
        self.world.trace.missed(at, self.node.id, tag.frame, to);
    }
}

/// A frame for this node came damaged: whoever would have got the segment in it is told.
#[cold]
fn tell_damage(now: Time, node: NodeId, frame: &Frame<Packet>, sockets: &mut [Socket], flows: &mut [FlowMeter]) {
    let Some(packet) = frame.payload.as_ref().filter(|_| frame.kind == FrameKind::Data && frame.to == Some(node))
    else {
        return;
    };
    let Payload::Tcp(segment) = &packet.payload else { return };
    if packet.destination != node.address() || segment.payload_bytes == 0 {
        return;
    }
    for socket in sockets.iter_mut().filter(|socket| socket.hears_damage() && socket.is_for(packet)) {
        socket.signal(now, NetworkSignal::Corrupted(segment.seq), flows);
    }
}
