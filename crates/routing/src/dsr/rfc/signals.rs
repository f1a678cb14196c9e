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

    /// Tells of destinations that have a route again.
    pub(super) fn tell_of_restored(&mut self) {
        if self.missed.is_empty() {
            return;
        }
        let (now, cache) = (self.now, &self.cache);
        let restored: Vec<Address> =
            self.missed.iter().copied().filter(|&node| cache.find(now, node).is_some()).collect();
        for node in restored {
            self.tell_up(node);
        }
    }

    /// There is a route to `destination`: told once for each search, who answers it having a route from it at once.
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
