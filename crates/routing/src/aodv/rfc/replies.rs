//! Answering requests and passing on requests and replies.
//!
//! Spec      RFC 3561 §6.5 (requests), §6.6 (replies, by destination and by others, gratuitous), §6.7
//!           (forwarding replies)
//! Deviates  the destination takes the newer of its own number and the request's (§6.1), also where §6.6.1
//!           asks for an increment only; a node that knows the destination's number clears the U flag of a
//!           request that it passes on; with `destination_only` a reply that only confirms this node's route
//!           goes on (by §6.7 it would end here, and who knows the destination would cut all others off)
//! Holds     a reply goes on only if this node's route is as good

use hopwright_machine::{Address, Duration, NodeId, Time};
use hopwright_wire::Payload;
use hopwright_wire::aodv::{Message, Rrep, Rreq};

use super::Rfc;
use super::table::{News, is_newer, newest};

impl Rfc {
    pub(super) fn on_request(&mut self, mut request: Rreq, ttl: u8, from: NodeId) {
        let (now, me) = (self.now, self.me());
        let keep = self.config.path_discovery_time;
        if request.originator == me || !self.seen.is_new(now, keep, request.originator, request.id) {
            return;
        }
        request.hop_count = request.hop_count.saturating_add(1);
        self.note_reverse_route(&request, from);

        if request.destination == me {
            if !request.unknown_sequence {
                self.sequence = newest(self.sequence, request.destination_sequence);
            }
            if self.is_rebooting() {
                return;
            }
            let lifetime = self.config.my_route_timeout;
            return self.send_reply(request.originator, me, self.sequence, 0, lifetime);
        }
        if self.is_rebooting() {
            return;
        }
        if !request.destination_only && self.reply_for_another(&request, from) {
            return;
        }
        if ttl <= 1 {
            return;
        }
        let known = self.table.get(request.destination).and_then(|route| route.sequence);
        let asked = request.destination_sequence;
        if let Some(known) = known.filter(|&known| request.unknown_sequence || is_newer(known, asked)) {
            request.destination_sequence = known;
            request.unknown_sequence = false;
        }
        let packet = self.out.message(Address::BROADCAST, ttl - 1, Payload::Aodv(Message::Rreq(request)));
        self.out.broadcast_jittered(now, self.config.broadcast_jitter, packet);
    }

    fn note_reverse_route(&mut self, request: &Rreq, from: NodeId) {
        // §6.5: MinimalLifetime. The reply must find the route.
        let back = self.config.node_traversal_time * 2 * u64::from(request.hop_count);
        let lifetime = self.now + (self.config.net_traversal_time() * 2).saturating_sub(back);
        let known = self.table.valid_until(request.originator).unwrap_or(Time::ZERO);
        let sequence = Some(request.originator_sequence);
        let lifetime = lifetime.max(known);
        self.learn(request.originator, News { sequence, hops: request.hop_count, next_hop: from, lifetime });
        self.table.extend(request.originator, lifetime);
    }

    /// §6.6.2: replies if the own route is at least as fresh as asked for.
    fn reply_for_another(&mut self, request: &Rreq, from: NodeId) -> bool {
        let Some(route) = self.table.valid(request.destination) else { return false };
        let (Some(sequence), hops, next_hop) = (route.sequence, route.hops, route.next_hop) else { return false };
        if !request.unknown_sequence && is_newer(request.destination_sequence, sequence) {
            return false;
        }
        let Some(back) = self.table.valid(request.originator) else { return false };
        let back_hops = back.hops;
        let rest_of = |until: Option<Time>| until.unwrap_or(self.now).since(self.now);
        let rest = rest_of(self.table.valid_until(request.destination));
        let rest_back = rest_of(self.table.valid_until(request.originator));
        if let Some(route) = self.table.get_mut(request.destination) {
            route.precursors.insert(from);
        }
        if let Some(back) = self.table.get_mut(request.originator) {
            back.precursors.insert(next_hop);
        }
        self.send_reply(request.originator, request.destination, sequence, hops, rest);
        if request.gratuitous {
            // §6.6.3: so that the destination learns the way back, too.
            let number = request.originator_sequence;
            self.send_reply(request.destination, request.originator, number, back_hops, rest_back);
        }
        true
    }

    /// Sends a reply about `destination` one hop on the way to `to`.
    fn send_reply(&mut self, to: Address, destination: Address, sequence: u32, hops: u8, lifetime: Duration) {
        let reply = Rrep {
            ack_required: self.config.rrep_ack,
            hop_count: hops,
            destination,
            destination_sequence: sequence,
            originator: to,
            lifetime_ms: u32::try_from(lifetime.whole(Duration::from_millis(1))).unwrap_or(u32::MAX),
        };
        if let Some(next_hop) = self.next_hop(to) {
            self.transmit_reply(reply, next_hop);
        }
    }

    fn transmit_reply(&mut self, reply: Rrep, next_hop: NodeId) {
        self.note_activity();
        if reply.ack_required {
            self.await_acknowledgement(next_hop);
        }
        let packet =
            self.out.message(next_hop.address(), self.config.net_diameter, Payload::Aodv(Message::Rrep(reply)));
        self.out.transmit(packet, Some(next_hop));
    }

    /// Whether news says what this node's route in use says already; then that lives on as long as the news.
    fn is_confirmed(&mut self, destination: Address, news: &News) -> bool {
        let route = self.table.valid(destination);
        let same = route.is_some_and(|route| {
            (route.next_hop, route.hops, route.sequence) == (news.next_hop, news.hops, news.sequence)
        });
        if same {
            self.table.extend(destination, news.lifetime);
        }
        same
    }

    pub(super) fn on_reply(&mut self, mut reply: Rrep, from: NodeId) {
        if reply.ack_required {
            self.acknowledge(from);
        }
        reply.hop_count = reply.hop_count.saturating_add(1);
        let news = News {
            sequence: Some(reply.destination_sequence),
            hops: reply.hop_count,
            next_hop: from,
            lifetime: self.now + Duration::from_millis(u64::from(reply.lifetime_ms)),
        };
        let only_destinations_reply = self.config.destination_only;
        let helps = self.learn(reply.destination, news)
            || (only_destinations_reply && self.is_confirmed(reply.destination, &news));
        if !helps || self.is_rebooting() {
            return;
        }
        if reply.originator == self.me() {
            return self.note_activity();
        }
        let Some(next_hop) = self.next_hop(reply.originator) else { return };
        // §6.7: whoever gets the reply will send this way; errors must reach it.
        for address in [reply.destination, from.address()] {
            if let Some(route) = self.table.get_mut(address) {
                route.precursors.insert(next_hop);
            }
        }
        self.table.extend(reply.originator, self.now + self.config.active_route_timeout);
        reply.ack_required = self.config.rrep_ack;
        self.transmit_reply(reply, next_hop);
    }
}
