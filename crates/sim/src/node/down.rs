//! A node goes down, and comes up: what becomes of what it holds. See `outage`.

use hopwright_link::arp::Output as FromArp;
use hopwright_link::{Input as ToLink, Mac, Output as FromLink};
use hopwright_machine::{DropCause, Time};

use super::{Downward, Node};
use crate::antenna::Antenna;
use crate::medium::Medium;
use crate::misses::Miss;
use crate::trace::{Layer, Sink};
use crate::world::World;
use hopwright_wire::Packet;

impl<M: Mac<Packet>> Node<M> {
    /// The node goes down: see `outage`.
    #[cold]
    pub(crate) fn go_down<T: Sink>(
        &mut self,
        now: Time,
        antenna: &mut Antenna,
        medium: &mut Medium,
        world: &mut World<T>,
    ) {
        self.catch_up(now, antenna, medium, world);
        if T::PACKETS {
            world.trace.tell_missed(now, self.id, medium);
        }
        if let Some(bundles) = &mut self.bundles {
            bundles.switch(now, false);
        }
        for &(_, place, mine) in &antenna.attending {
            if !mine {
                medium.tapped(place);
            } else if medium.visited(place) {
                world.ledger.frames_node_down += 1;
                if T::PACKETS {
                    world.trace.unreached(now, self.id, place, Miss::CutOff);
                }
            }
        }
        self.has_listened = false;
        antenna.clear();
        // Whose copy the next hop has already is a second one.
        let mut doubled = std::mem::take(&mut world.taken[self.id.index()]);
        if let Some(tries) = &mut world.tries {
            tries.done(self.id);
        }
        self.tell_station(now, now, ToLink::ShutDown, world);
        while let Some(output) = self.station.poll() {
            let FromLink::Dropped { packet, cause, .. } = output else { continue };
            if std::mem::take(&mut doubled) {
                world.doubled(now, self.id, &packet);
            }
            self.dropped_below(now, &packet, cause, Layer::Queue, world);
        }
        for output in self.arp.as_mut().map(|arp| arp.shut_down()).unwrap_or_default() {
            let packet = match output {
                FromArp::Message { message, to } => self.arp_packet(message, to),
                FromArp::Pass { packet, .. }
                | FromArp::Release { packet, .. }
                | FromArp::Dropped { packet, .. }
                | FromArp::Failed { packet, .. } => packet,
            };
            self.dropped_below(now, &packet, DropCause::NodeDown, Layer::Arp, world);
        }
        while let Some(Downward { packet, .. }) = self.down.pop(Time::NEVER) {
            self.dropped_below(now, &packet, DropCause::NodeDown, Layer::Queue, world);
        }
        while let Some((packet, _)) = self.up.pop(Time::NEVER) {
            self.dropped(now, &packet, DropCause::NodeDown, Layer::Queue, world);
        }
        self.down_now = true;
        let mut frame = None;
        self.settle(now, true, medium, world, &mut frame);
        debug_assert!(frame.is_none(), "a node that is down transmits");
    }

    /// The node comes up again.
    pub(crate) fn come_up<T: Sink>(&mut self, now: Time, medium: &mut Medium, world: &mut World<T>) {
        self.down_now = false;
        if let Some(bundles) = &mut self.bundles {
            bundles.switch(now, true);
            let mut frame = None;
            self.settle(now, true, medium, world, &mut frame);
            debug_assert!(frame.is_none(), "a station transmits when it is woken");
        }
    }

    /// A signal that ends here at a time, with this power, is cut off.
    #[cold]
    pub(crate) fn spoil<T: Sink>(
        &mut self,
        now: Time,
        until: Time,
        power_mw: f64,
        antenna: &mut Antenna,
        medium: &mut Medium,
        world: &mut World<T>,
    ) {
        self.catch_up(now, antenna, medium, world);
        antenna.receiver.spoil(until, power_mw);
    }
}
