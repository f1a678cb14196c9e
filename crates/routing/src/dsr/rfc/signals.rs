//! What transports get from the router: routes restored, searches of their own.
//!
//! Spec      none in the RFC: signals are the project's
//! Deviates  nothing
//! Holds     a notice goes where a route is known or nowhere

use hopwright_machine::Address;
use hopwright_wire::notice::Notice;
use hopwright_wire::{Payload, ip};

use super::Rfc;

impl Rfc {
    /// A transport wants a route: looked for as long as a packet would wait for one.
    pub(super) fn on_seek(&mut self, destination: Address) {
        if destination == self.me() || self.cache.find(self.now, destination).is_some() {
            return;
        }
        self.sought.insert(destination, self.now + self.config.send_buffer_timeout);
        self.miss(destination);
        self.search(destination);
    }

    /// There is no route to `destination`.
    pub(super) fn miss(&mut self, destination: Address) {
        if self.out.is_asked() {
            self.missed.insert(destination);
        }
    }

    /// A notice of a failure passes through here: a node without a route itself may have to tell of its return (TCP-F).
    pub(super) fn see_notice(&mut self, notice: Option<&Notice>) {
        if let Some(notice) = notice
            && self.cache.find(self.now, notice.flow.destination).is_none()
        {
            self.miss(notice.flow.destination);
        }
    }

    /// Tells of destinations that have a route again.
    pub(super) fn tell_of_restored(&mut self) {
        if self.missed.is_empty() {
            return;
        }
        let is_back = |&node: &Address| self.cache.find(self.now, node).is_some() && !self.is_answering(node);
        let restored: Vec<Address> = self.missed.iter().copied().filter(is_back).collect();
        for node in restored {
            self.tell_up(node);
        }
    }

    /// There is a route to `destination`: told once for each search. Who answers it has a route from it at once, and
    /// tells of it when the reply has left.
    pub(super) fn tell_up(&mut self, destination: Address) {
        self.missed.remove(&destination);
        for (to, notice) in self.out.route_up(destination) {
            self.tell(to, notice);
        }
    }

    fn tell(&mut self, to: Address, notice: Notice) {
        if to == self.me() {
            self.out.notify(to, notice, None);
        } else if let Some(path) = self.cache.find(self.now, to) {
            let packet = self.out.message(to, ip::DEFAULT_TTL, Payload::Notice(notice));
            self.send_over(packet, &path);
        }
    }
}
