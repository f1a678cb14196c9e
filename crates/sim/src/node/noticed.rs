//! What a receiver notices, on its way to those whom it concerns.

use hopwright_link::{Dcf, Frame, FrameKind, Input as Link};
use hopwright_machine::{Duration, Machine, NodeId, Time};
use hopwright_radio::{Ended, Listener, Missed};
use hopwright_routing::{Input as Route, Router};
use hopwright_wire::Packet;

use crate::medium::{Medium, Role, Tag};
use crate::sockets::Socket;
use crate::trace::Sink;
use crate::world::World;

/// What a receiver notices, on its way to those whom it concerns.
pub(super) struct Noticed<'a, T> {
    pub(super) id: NodeId,
    pub(super) station: &'a mut Dcf<Packet>,
    pub(super) router: &'a mut Router,
    pub(super) sockets: &'a mut [Socket],
    pub(super) hears_damage: bool,
    pub(super) has_listened: &'a mut bool,
    pub(super) medium: &'a mut Medium,
    pub(super) world: &'a mut World<T>,
}

// Inlined into `advance`: most of what is noticed is a carrier, and its end.
impl<T: Sink> Listener<Tag> for Noticed<'_, T> {
    #[inline(always)]
    fn carrier(&mut self, at: Time, until: Time, _of: Tag) {
        self.station.handle(at, Link::Carrier { until });
    }

    #[inline(always)]
    fn held(&mut self, at: Time, until: Time, _of: Tag) {
        self.station.handle(at, Link::Held { until });
    }

    #[inline(always)]
    fn collided(&mut self, at: Time, tag: Tag, _by: Tag) {
        if tag.role != Role::Mine {
            return;
        }
        self.world.collided(tag.class);
        if self.hears_damage
            && let Some(frame) = self.medium.frame(tag.frame)
        {
            tell_damage(at, self.id, frame, self.sockets);
        }
        if self.medium.decide(tag.frame) {
            self.world.ledger.frames_collided += 1;
        }
    }

    #[inline(always)]
    fn missed(&mut self, _at: Time, _tag: Tag, _why: Missed<Tag>) {}

    #[inline(always)]
    fn ended(&mut self, at: Time, how: Ended<Tag>) {
        match how {
            Ended::Received(tag) if tag.role == Role::Mine => {
                if self.medium.decide(tag.frame) {
                    self.world.ledger.frames_received += 1;
                }
                if let Some(frame) = self.medium.frame(tag.frame) {
                    self.station.handle(at, Link::Received(frame));
                }
            }
            Ended::Received(tag) => {
                self.station.handle(at, Link::Overheard(Duration::from_nanos(u64::from(tag.nav_ns))));
                if tag.role == Role::Tapped
                    && let Some(Frame { from, to: Some(to), payload: Some(packet), .. }) = self.medium.frame(tag.frame)
                {
                    *self.has_listened = true;
                    self.router.handle(at, Route::Overheard { packet, from: *from, to: *to });
                }
            }
            Ended::Failed(_) => self.station.handle(at, Link::Failed),
            Ended::Unnoticed => {}
        }
    }
}

/// A frame for this node came damaged: whoever would have got the segment in it is told.
#[cold]
fn tell_damage(now: Time, node: NodeId, frame: &Frame<Packet>, sockets: &mut [Socket]) {
    let Some(packet) = frame.payload.as_ref().filter(|_| frame.kind == FrameKind::Data && frame.to == Some(node))
    else {
        return;
    };
    if packet.destination != node.address() {
        return;
    }
    for socket in sockets.iter_mut().filter(|s| s.peer == packet.source && s.hears_damage()) {
        if socket.is_for(&packet.payload) {
            socket.damaged(now, &packet.payload);
        }
    }
}
