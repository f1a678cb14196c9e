//! Listening to packets for other nodes: routes seen in use, and shorter ways.
//!
//! Spec      ns-2.35
//! Deviates  the packets heard lately are found by a hash of their identity, not by its last ten bits
//! Holds     a gratuitous reply tells a route through this node without the hops that were not needed

use hopwright_machine::{Address, Duration, Time};
use hopwright_wire::{Packet, Payload};

use super::Ns2;
use super::view::View;

/// Routes for which a gratuitous reply was sent.
const ROUTES: usize = 10;

/// When gratuitous replies were sent for which routes.
#[derive(Debug, Default)]
pub(super) struct Shortened {
    routes: [(Vec<Address>, Option<Time>); ROUTES],
    next: usize,
}

impl Shortened {
    /// Whether a reply may be sent about this route; then it counts as sent. ns-2 notes the time of a new route
    /// at the next place, so that the second reply is not held back either.
    fn admit(&mut self, now: Time, hold: Duration, route: &[Address]) -> bool {
        if let Some(place) = self.routes.iter().position(|(known, _)| known == route) {
            if self.routes[place].1.is_some_and(|sent| now.since(sent) < hold) {
                return false;
            }
            self.routes[place].1 = Some(now);
            return true;
        }
        route.clone_into(&mut self.routes[self.next].0);
        self.next = (self.next + 1) % ROUTES;
        self.routes[self.next].1 = Some(now);
        true
    }
}

impl Ns2 {
    pub(super) fn on_overheard(&mut self, packet: &Packet) {
        if packet.dsr.as_ref().is_none_or(|header| header.source_route().is_none()) || packet.source == self.me() {
            return;
        }
        let view = View::of(packet);
        let me = self.me();
        if view.path.get(view.at) == Some(&me) || !self.is_news(packet.id.0) {
            return;
        }
        self.on_errors(&view);
        if let Some(reply) = &view.reply {
            self.cache.notice(reply, 0);
        }
        self.cache.notice(&view.path, view.at);
        if packet.is_routing() {
            return;
        }
        if let Some(here) = view.path.iter().position(|&node| node == me).filter(|&here| here > view.at) {
            self.shorten(&view, here);
        }
    }

    fn is_news(&mut self, id: u64) -> bool {
        let hash = (id ^ (id >> 40)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
        std::mem::replace(&mut self.heard[hash as usize], id) != id
    }

    /// The packet was on its way to `view.at` but was heard at `here`: tells the start of its route.
    fn shorten(&mut self, view: &View, here: usize) {
        let hold = self.config.grat_reply_holdoff;
        let start = view.path[0];
        if !self.config.gratuitous_replies || !self.shortened.admit(self.now, hold, &view.path) {
            return;
        }
        let back: Vec<Address> = std::iter::once(self.me()).chain(view.path[..view.at].iter().rev().copied()).collect();
        let whole = [&view.path[..view.at], &view.path[here..]].concat();
        self.cache.add(&back);
        let reply = self.out.message(start, u8::MAX, Payload::Nothing);
        self.send(reply, View { reply: Some(whole), path: back, ..View::default() }, Duration::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use hopwright_machine::NodeId;

    use super::*;

    #[test]
    fn the_third_reply_within_a_second_is_held_back() {
        let mut shortened = Shortened::default();
        let route = [0, 1, 2].map(|n| NodeId(n).address());
        let second = Duration::from_secs(1);
        let at = |n| Time::ZERO + Duration::from_millis(n);
        let sent = [0, 10, 20, 900, 1010].map(|n| shortened.admit(at(n), second, &route));
        assert_eq!(sent, [true, true, false, false, true]);
        // The time of one route is also that of the next: the second reply about that is held back.
        let mut shortened = Shortened::default();
        let other = [0, 3, 2].map(|n| NodeId(n).address());
        assert!(shortened.admit(at(0), second, &route) && shortened.admit(at(10), second, &other));
        assert_eq!([999, 1000].map(|n| shortened.admit(at(n), second, &other)), [false, true]);
    }
}
