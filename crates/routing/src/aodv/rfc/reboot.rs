//! A node that has lost its memory.
//!
//! Spec      RFC 3561 §6.13
//! Deviates  nothing is sent along routes learned while waiting, own packets neither: a neighbour may still
//!           send that way through this node
//! Holds     no route leads through this node before DELETE_PERIOD after the reboot, or after the last packet
//!           for another that came in the meantime

use hopwright_machine::{Address, DropCause};
use hopwright_wire::aodv::{Message, Rerr};
use hopwright_wire::{Packet, Payload};

use super::Rfc;
use super::connectivity::Connectivity;
use super::table::Table;
use super::unidirectional::Unidirectional;
use crate::parts::Seen;

impl Rfc {
    /// Whether the node waits until nobody sends through it any more.
    pub(super) fn is_rebooting(&self) -> bool {
        self.now < self.rebooting_until
    }

    /// Everything is forgotten, its own sequence number included; what was kept is lost.
    pub(super) fn reboot(&mut self) {
        while let Some(packet) = self.buffer.take_any() {
            self.out.drop(packet, DropCause::NoRoute);
        }
        self.out.drop_delayed(DropCause::NoRoute);
        self.seen = Seen::default();
        self.table = Table::new(self.config.delete_period);
        self.searches.clear();
        self.given_back.clear();
        self.connectivity = Connectivity::new();
        self.unidirectional = Unidirectional::default();
        (self.sequence, self.request_id) = (0, 0);
        self.rebooting_until = self.now + self.config.delete_period;
    }

    /// Another's packet comes to a node that does not know any more where to send it.
    pub(super) fn refuse_after_reboot(&mut self, packet: Packet) {
        self.rebooting_until = self.now + self.config.delete_period;
        if self.errors.admit(self.now, self.config.rerr_ratelimit).is_ok() {
            let unreachable = vec![(packet.destination, self.number_of(packet.destination))];
            let message = Message::Rerr(Rerr { no_delete: false, unreachable });
            let error = self.out.message(Address::BROADCAST, 1, Payload::Aodv(message));
            self.out.transmit(error, None);
        }
        self.out.drop(packet, DropCause::NoRoute);
    }

    fn number_of(&self, destination: Address) -> u32 {
        self.table.get(destination).and_then(|route| route.sequence).unwrap_or(0)
    }
}
