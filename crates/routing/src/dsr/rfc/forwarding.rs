//! Packets on their way: originated with a route, forwarded along it, and received.
//!
//! Spec      RFC 4728 §8.1.3 to §8.1.5, without the shortening of routes
//! Deviates  a packet with a wrong route is dropped without ICMP
//! Holds     a packet goes to the next node of its route and to no other

use hopwright_machine::{Address, DropCause, NodeId};
use hopwright_wire::Packet;
use hopwright_wire::dsr::{Acknowledgement, DsrOption};

use super::Rfc;
use crate::dsr::route::Route;
use crate::parts::notice_in;

impl Rfc {
    /// Sends a packet over a route that starts here (§8.1.3).
    pub(super) fn send_over(&mut self, mut packet: Packet, path: &[Address]) {
        self.cache.used(self.now, path);
        let Some(next_hop) = path.get(1).and_then(|node| node.node()) else {
            return self.out.drop(packet, DropCause::NoRoute);
        };
        Route { path: path.to_vec(), at: 1, salvage: 0 }.write(&mut packet);
        self.hand_down(packet, next_hop);
    }

    pub(super) fn on_receive(&mut self, mut packet: Packet, from: NodeId) {
        if packet.dsr.is_none() {
            if packet.destination == self.me() || packet.destination.is_broadcast() {
                return self.out.deliver(packet);
            }
            return self.refuse(packet, DropCause::NoRoute);
        }
        self.heed_acknowledgement_request(&mut packet, from);
        if !self.heed_unknown(&mut packet) {
            return self.refuse(packet, DropCause::UnknownOption);
        }
        let Some(header) = packet.dsr.clone() else { return };
        for (place, option) in header.options.iter().enumerate() {
            match option {
                DsrOption::Acknowledgement(answer) => self.on_acknowledgement(answer),
                DsrOption::Error(error) => {
                    self.on_error(error);
                    self.tell_again(error, &header.options[place + 1..]);
                }
                _ => {}
            }
        }
        if let Some(request) = header.request() {
            return self.on_request(packet, request);
        }
        let route = Route::of(&packet);
        if let Some(route) = &route {
            if self.config.snoop {
                self.learn(&route.path);
                self.cache.add_neighbour(self.now, from.address());
            }
            self.cancel_replies(&packet, route);
        }
        if packet.destination == self.me() {
            return self.arrived(packet);
        }
        self.see_notice(notice_in(&packet));
        if self.out.repeats(&packet) {
            return self.out.drop(packet, DropCause::NoticeSpared);
        }
        if let Some(reply) = header.reply()
            && self.config.snoop
        {
            self.learn_reply(packet.destination, reply);
        }
        match route {
            Some(route) if route.path.get(route.at) == Some(&self.me()) => self.forward(packet, route),
            _ => self.refuse(packet, DropCause::RoutingLoop),
        }
    }

    /// A transport takes a packet from neighbour to neighbour itself.
    pub(super) fn on_passed(&mut self, packet: &Packet, came: bool) {
        let Some(route) = Route::of(packet) else { return };
        if !came {
            self.cache.used(self.now, &route.path[route.at - 1..]);
        } else if self.config.snoop {
            self.learn(&route.path);
        }
    }

    fn on_acknowledgement(&mut self, answer: &Acknowledgement) {
        if self.config.snoop {
            self.learn(&[answer.source, answer.destination]);
        }
        if answer.destination == self.me() {
            self.on_answer(answer);
        }
    }

    fn forward(&mut self, mut packet: Packet, mut route: Route) {
        if packet.ttl <= 1 {
            return self.refuse(packet, DropCause::TtlExpired);
        }
        route.at += 1;
        let Some(next_hop) = route.path.get(route.at).and_then(|node| node.node()) else {
            return self.refuse(packet, DropCause::RoutingLoop);
        };
        packet.ttl -= 1;
        route.write(&mut packet);
        let packet = self.out.again(packet);
        self.hand_down(packet, next_hop);
    }

    /// Drops a packet that came from another node; a message of the protocol is just forgotten.
    fn refuse(&mut self, packet: Packet, cause: DropCause) {
        if !packet.is_routing() {
            self.out.drop(packet, cause);
        }
    }

    fn arrived(&mut self, mut packet: Packet) {
        if let Some(header) = packet.dsr.take() {
            for option in &header.options {
                match option {
                    DsrOption::Reply(reply) => self.on_reply(reply),
                    DsrOption::Notice(notice) if notice.flow.source == self.me() => {
                        self.out.notify(self.me(), *notice, None);
                    }
                    _ => {}
                }
            }
        }
        if !packet.is_routing() {
            self.out.deliver(packet);
        }
    }
}
