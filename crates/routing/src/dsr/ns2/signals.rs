//! What transports get from the router: routes restored, searches of their own.
//!
//! Spec      none in ns-2: signals are the project's
//! Deviates  nothing
//! Holds     a notice goes where a route is known or nowhere

use hopwright_machine::{Address, Duration};
use hopwright_wire::notice::Notice;
use hopwright_wire::{Payload, ip};

use super::Ns2;
use super::view::View;

impl Ns2 {
    /// A transport wants a route: looked for as long as a packet would wait for one.
    pub(super) fn on_seek(&mut self, destination: Address) {
        if destination == self.me() || self.cache.find(destination).is_some() {
            return;
        }
        self.tick();
        self.sought.insert(destination, self.now + self.config.send_buffer_timeout);
        self.miss(destination);
        self.seek(destination, true);
    }

    pub(super) fn look_over_sought(&mut self) {
        let now = self.now;
        self.sought.retain(|_, until| now <= *until);
        for destination in self.sought.keys().copied().collect::<Vec<_>>() {
            if self.cache.find(destination).is_some() {
                self.sought.remove(&destination);
            } else {
                self.seek(destination, true);
            }
        }
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
            && self.cache.find(notice.flow.destination).is_none()
        {
            self.miss(notice.flow.destination);
        }
    }

    /// Tells of destinations that have a route again.
    pub(super) fn tell_of_restored(&mut self) {
        if self.missed.is_empty() {
            return;
        }
        let is_back = |node: &Address| self.cache.find(*node).is_some() && !self.answering.contains_key(node);
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

    /// This node's reply to `initiator` leaves after this time: what a transport here sends on the news of the route is
    /// to come after it, or its answer would meet a node that does not know a route yet.
    pub(super) fn tell_up_after(&mut self, initiator: Address, wait: Duration) {
        if self.out.is_asked() {
            self.answering.insert(initiator, self.now + wait);
        }
    }

    /// Tells of the initiators whose replies have left.
    pub(super) fn tell_of_answered(&mut self) {
        while let Some((&initiator, _)) = self.answering.iter().find(|(_, left)| **left <= self.now) {
            self.answering.remove(&initiator);
            self.tell_up(initiator);
        }
    }

    fn tell(&mut self, to: Address, notice: Notice) {
        if to == self.me() {
            self.out.notify(to, notice, None);
        } else if let Some(path) = self.cache.find(to) {
            let packet = self.out.message(to, ip::DEFAULT_TTL, Payload::Notice(notice));
            self.send_over(packet, View::default(), path, Duration::ZERO);
        }
    }
}
