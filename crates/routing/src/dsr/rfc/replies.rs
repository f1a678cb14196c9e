//! Replies: the target's own and those from the cache.
//!
//! Spec      RFC 4728 §3.3.2, §3.3.3, §8.2.3, §8.2.4, §8.2.5
//! Deviates  what else a request carries ends with it when it is answered from the cache (§8.2.3); §8.2.5 asks for an H
//!           of at least twice a link's propagation delay; which is a parameter
//! Holds     a reply tells a route that names no node twice, and goes back the way of the request

use hopwright_machine::{Address, Time};
use hopwright_wire::dsr::{DsrOption, Header, MAX_ADDRESSES, Reply};
use hopwright_wire::{Packet, Payload};

use super::Rfc;
use crate::dsr::route::Route;

/// A reply that waits.
#[derive(Debug)]
pub(super) struct Delayed {
    pub(super) due: Time,
    packet: Packet,
    back: Vec<Address>,
    /// Whether it comes from the cache, and is not needed if the initiator is heard to use a route as good.
    from_cache: bool,
    /// The route it tells.
    whole: Vec<Address>,
}

impl Rfc {
    /// The target's reply, after a random time as it answers a broadcast. `path` leads from the initiator here.
    pub(super) fn answer(&mut self, path: &[Address]) {
        let wait = self.out.duration_below(self.config.broadcast_jitter);
        self.delay(self.now + wait, path, path.to_vec(), false);
    }

    /// A reply from the cache, if the routes together name no node twice (§8.2.3).
    pub(super) fn answer_from_cache(&mut self, path: &[Address], target: Address) -> bool {
        let Some(rest) = self.cache.find(self.now, target) else { return false };
        let whole = [path, &rest[1..]].concat();
        let repeats = rest[1..].iter().any(|node| path.contains(node));
        if repeats || whole.len() > MAX_ADDRESSES {
            return false;
        }
        // d = H (h - 1 + r), r in [0, 1) (§8.2.5).
        let unit = self.config.reply_delay;
        let wait = unit * (whole.len() as u64 - 2) + self.out.duration_below(unit);
        self.delay(self.now + wait, path, whole, true);
        true
    }

    fn delay(&mut self, due: Time, path: &[Address], whole: Vec<Address>, from_cache: bool) {
        let back: Vec<Address> = path.iter().rev().copied().collect();
        let packet = self.reply(&whole);
        self.delayed.push(Delayed { due, packet, back, from_cache, whole });
    }

    /// A reply that tells the first node of `whole` this route.
    pub(super) fn reply(&mut self, whole: &[Address]) -> Packet {
        let mut packet = self.out.message(whole[0], self.config.discovery_hop_limit, Payload::Nothing);
        let reply = Reply { last_hop_external: false, addresses: whole[1..].to_vec() };
        packet.dsr = Some(Box::new(Header::with(DsrOption::Reply(reply))));
        packet
    }

    /// Whether this node's reply to `initiator` is still to leave.
    pub(super) fn is_answering(&self, initiator: Address) -> bool {
        self.delayed.iter().any(|delayed| !delayed.from_cache && delayed.whole.first() == Some(&initiator))
    }

    /// Sends the replies whose time has come. Transports here that wait for a route to an initiator hear of it now,
    /// so that what they send comes after the reply.
    pub(super) fn send_due_replies(&mut self) {
        while let Some(place) = (0..self.delayed.len()).find(|&place| self.delayed[place].due <= self.now) {
            let Delayed { packet, back, from_cache, whole, .. } = self.delayed.remove(place);
            self.send_over(packet, &back);
            if !from_cache {
                self.tell_up(whole[0]);
            }
        }
    }

    /// A packet was heard, or came by. If its source uses a route of its own, replies that tell it no shorter one are
    /// not sent.
    pub(super) fn cancel_replies(&mut self, packet: &Packet, route: &Route) {
        let is_idle = |delayed: &Delayed| {
            delayed.from_cache
                && delayed.whole.first() == Some(&packet.source)
                && delayed.whole.last() == Some(&packet.destination)
                && route.path.len() <= delayed.whole.len()
        };
        if packet.is_routing() || route.salvage > 0 {
            return;
        }
        while let Some(place) = self.delayed.iter().position(is_idle) {
            let reply = self.delayed.remove(place);
            // Made but never sent: nobody misses it.
            self.out.unmake(&reply.packet);
        }
    }

    /// A reply has come to this node.
    pub(super) fn on_reply(&mut self, reply: &Reply) {
        let mut whole = vec![self.me()];
        whole.extend_from_slice(&reply.addresses);
        self.learn(&whole);
    }
}
