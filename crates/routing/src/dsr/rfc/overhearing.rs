//! Listening to packets for other nodes: routes, passive acknowledgements, shorter ways.
//!
//! Spec      RFC 4728 §3.3.1, §3.4.3, §4.4, §8.1.4, §8.1.5, §8.2.5
//! Deviates  only packets with data are found shorter ways; of a salvaged one, who salvaged it is told, for its source
//!           is not on the route
//! Holds     a source is told of a shorter way past a neighbour once in GratReplyHoldoff

use hopwright_machine::{Address, NodeId};
use hopwright_wire::Packet;
use hopwright_wire::dsr::{DsrOption, Reply};

use super::Rfc;
use crate::dsr::route::Route;

impl Rfc {
    pub(super) fn on_overheard(&mut self, packet: &Packet, from: NodeId) {
        let Some(header) = packet.dsr.as_deref() else { return };
        for option in &header.options {
            match option {
                DsrOption::Error(error) => self.on_error(error),
                DsrOption::Acknowledgement(answer) if self.config.snoop => {
                    let link = [answer.source, answer.destination];
                    if answer.source == from.address() {
                        self.learn_overheard(&link, 0);
                    } else {
                        self.learn(&link);
                    }
                }
                DsrOption::Reply(reply) if self.config.snoop => self.learn_reply(packet.destination, reply),
                _ => {}
            }
        }
        let Some(route) = Route::read(packet, &mut self.memory) else { return };
        self.on_overheard_route(packet, &route, from);
        self.memory = route.path;
    }

    fn on_overheard_route(&mut self, packet: &Packet, route: &Route, from: NodeId) {
        self.note_passive(packet, route, from);
        self.cancel_replies(packet, route);
        let Some(sender) = route.path.iter().position(|&node| node == from.address()) else { return };
        if self.config.snoop {
            self.learn_overheard(&route.path, sender);
        }
        let me = self.me();
        if let Some(here) = route.path.iter().position(|&node| node == me).filter(|&here| here > route.at)
            && !packet.is_routing()
        {
            self.shorten(&route.path, sender, here, from);
        }
    }

    /// The route that a reply tells to `initiator`.
    pub(super) fn learn_reply(&mut self, initiator: Address, reply: &Reply) {
        let whole = [&[initiator], reply.addresses.as_slice()].concat();
        self.learn(&whole);
    }

    /// Who sent the packet was heard, so it is a neighbour, and both ways from it are known.
    fn learn_overheard(&mut self, path: &[Address], sender: usize) {
        self.cache.add_heard(self.now, path, sender);
        self.has_learnt = true;
    }

    /// Automatic route shortening: the nodes between `sender` and `here` are not needed.
    fn shorten(&mut self, path: &[Address], sender: usize, here: usize, from: NodeId) {
        let key = (path[0], from);
        let told = self.shortened.get(&key).is_some_and(|&then| self.now.since(then) < self.config.grat_reply_holdoff);
        if !self.config.gratuitous_replies || told || path[0] == self.me() {
            return;
        }
        let (now, hold) = (self.now, self.config.grat_reply_holdoff);
        self.shortened.retain(|_, then| now.since(*then) < hold);
        self.shortened.insert(key, now);
        let whole = [&path[..=sender], &path[here..]].concat();
        let back: Vec<Address> = std::iter::once(self.me()).chain(path[..=sender].iter().rev().copied()).collect();
        let reply = self.reply(&whole);
        self.send_over(reply, &back);
    }
}
