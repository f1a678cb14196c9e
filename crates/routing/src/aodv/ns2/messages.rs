//! Requests, replies and errors of ns-2's AODV.
//!
//! Hop counts on the air follow the RFC: zero where the message starts. ns-2 starts at one and does not add
//! one on reception, which is the same.
//!
//! Spec      ns-2.35, as packet traces of its runs show it
//! Deviates  see the parent module
//! Holds     only the destination and nodes with an entry at least as fresh as asked for reply

use hopwright_machine::{Address, Duration, NodeId, Time};
use hopwright_wire::Payload;
use hopwright_wire::aodv::{MAX_UNREACHABLE, Message, Rerr, Rrep, Rreq};

use super::Ns2;
use super::route::State;

impl Ns2 {
    /// Asks for a route, unless it is too early to ask again.
    pub(super) fn request(&mut self, destination: Address) {
        let now = self.now;
        let (retries, pause) = (self.config.rreq_retries, self.config.max_rreq_timeout);
        let (first, step, threshold) = (self.config.ttl_start, self.config.ttl_increment, self.config.ttl_threshold);
        let (diameter, unmeasured) = (self.config.net_diameter, self.config.node_traversal_time);
        let route = self.route(destination);
        if route.state == State::Up || route.request_timeout > now {
            return;
        }
        if route.request_count > retries {
            route.request_timeout = now + pause;
            route.request_count = 0;
            return self.give_up(destination);
        }
        let last = route.last_ttl.max(route.last_hops);
        let ttl = if last == 0 {
            u32::from(first)
        } else if last < u32::from(threshold) {
            last + u32::from(step)
        } else {
            route.request_count += 1;
            u32::from(diameter)
        };
        route.last_ttl = ttl;
        let wait = route.per_hop_time(unmeasured) * 2 * u64::from(ttl) * u64::from(route.request_count.max(1));
        route.request_timeout = now + wait.min(pause);
        route.expiry = Time::ZERO;
        route.last_request = now;
        let destination_sequence = route.sequence;
        self.sequence = self.sequence.wrapping_add(2);
        let request = Rreq {
            gratuitous: false,
            destination_only: false,
            unknown_sequence: destination_sequence == 0,
            hop_count: 0,
            id: self.request_id,
            destination,
            destination_sequence,
            originator: self.me(),
            originator_sequence: self.sequence,
        };
        self.request_id = self.request_id.wrapping_add(1);
        let packet = self.out.message(Address::BROADCAST, ttl as u8, Payload::Aodv(Message::Rreq(request)));
        self.out.transmit(packet, None);
    }

    pub(super) fn on_request(&mut self, mut request: Rreq, ttl: u8, from: NodeId) {
        let (now, me) = (self.now, self.me());
        let keep = self.config.path_discovery_time;
        if request.originator == me || !self.seen.is_new(now, keep, request.originator, request.id) {
            return;
        }
        self.note_reverse_route(&request, from);

        if request.destination == me {
            let sequence = self.sequence.max(request.destination_sequence) + 1;
            self.sequence = sequence + sequence % 2;
            return self.send_reply(request.originator, 0, me, self.sequence, self.config.my_route_timeout);
        }
        if let Some(route) = self.routes.get(&request.destination) {
            if route.is_known() && route.sequence >= request.destination_sequence {
                let (hops, sequence, next_hop) = (route.hops, route.sequence, route.next_hop);
                // Whole seconds; a route under repair has the expiry zero and is promised for ever, since
                // the negative rest wraps round.
                let rest = if route.expiry == Time::ZERO { Duration::MAX } else { route.expiry.since(now) };
                self.send_reply(request.originator, hops, request.destination, sequence, rest);
                return self.note_precursors(request.originator, request.destination, next_hop);
            }
            request.destination_sequence = request.destination_sequence.max(route.sequence);
        }
        if ttl > 0 {
            request.hop_count = request.hop_count.saturating_add(1);
            let packet = self.out.message(Address::BROADCAST, ttl, Payload::Aodv(Message::Rreq(request)));
            self.out.broadcast_jittered(now, self.config.broadcast_jitter, packet);
        }
    }

    fn note_reverse_route(&mut self, request: &Rreq, from: NodeId) {
        let now = self.now;
        let (least, active) = (now + self.config.rev_route_life, now + self.config.active_route_timeout);
        let hops = u32::from(request.hop_count) + 1;
        let route = self.route(request.originator);
        route.expiry = route.expiry.max(least);
        if route.is_worse_than(request.originator_sequence, hops) {
            let was_up = route.state == State::Up;
            route.update(request.originator_sequence, hops, from, route.expiry);
            if route.request_timeout > Time::ZERO {
                route.end_search(hops); // this node was itself looking for the originator
                route.expiry = active;
            }
            if !was_up {
                self.tell_route_up(request.originator);
            }
            self.release(request.originator, Duration::ZERO);
        }
    }

    fn note_precursors(&mut self, originator: Address, destination: Address, towards: Option<NodeId>) {
        let back = self.route(originator).next_hop;
        self.route(destination).precursors.extend(back);
        self.route(originator).precursors.extend(towards);
    }

    fn send_reply(&mut self, to: Address, hops: u32, destination: Address, sequence: u32, lifetime: Duration) {
        let Some(next_hop) = self.route(to).next_hop else { return };
        let seconds = lifetime.whole(Duration::from_secs(1));
        let reply = Rrep {
            ack_required: false,
            hop_count: hops as u8,
            destination,
            destination_sequence: sequence,
            originator: to,
            lifetime_ms: u32::try_from(seconds * 1000).unwrap_or(u32::MAX),
        };
        let packet = self.out.message(to, self.config.net_diameter, Payload::Aodv(Message::Rrep(reply)));
        self.out.transmit(packet, Some(next_hop));
    }

    pub(super) fn on_reply(&mut self, mut reply: Rrep, to: Address, ttl: u8, from: NodeId) {
        let (now, me) = (self.now, self.me());
        let hops = u32::from(reply.hop_count) + 1;
        let route = self.route(reply.destination);
        if !route.is_worse_than(reply.destination_sequence, hops) {
            return; // a reply that changes nothing is not passed on either
        }
        let expiry = now + Duration::from_millis(u64::from(reply.lifetime_ms));
        let was_up = route.state == State::Up;
        route.update(reply.destination_sequence, hops, from, expiry);
        route.end_search(hops);
        if to == me {
            route.note_latency(now.since(route.last_request) / u64::from(hops));
        }
        if !was_up {
            self.tell_route_up(reply.destination);
        }
        self.release(reply.destination, self.config.release_gap);
        if to == me {
            return;
        }
        let active = now + self.config.active_route_timeout;
        let back = self.routes.get_mut(&to).filter(|route| route.is_known());
        let Some((back, next_hop)) = back.and_then(|back| back.next_hop.map(|next_hop| (back, next_hop))) else {
            return;
        };
        if ttl > 0 {
            back.expiry = active;
            reply.hop_count = reply.hop_count.saturating_add(1);
            let packet = self.out.message(to, ttl, Payload::Aodv(Message::Rrep(reply)));
            self.out.transmit(packet, Some(next_hop));
        }
        self.route(reply.destination).precursors.insert(next_hop);
    }

    pub(super) fn on_error(&mut self, error: &Rerr, from: NodeId) {
        let mut passed_on = Vec::new();
        let mut lost_any = false;
        for &(destination, sequence) in &error.unreachable {
            let Some(route) = self.routes.get_mut(&destination) else { continue };
            if route.is_known() && route.next_hop == Some(from) && route.sequence <= sequence {
                route.sequence = sequence;
                route.take_down();
                lost_any = true;
                if !route.precursors.is_empty() {
                    passed_on.push((destination, sequence));
                    route.precursors.clear();
                }
            }
        }
        if lost_any {
            self.out.purge(from); // all of it, also what goes to other destinations
        }
        if !passed_on.is_empty() {
            self.send_error(passed_on, true);
        }
    }

    /// Tells all neighbours. An error passed on is jittered, a new one is not.
    pub(super) fn send_error(&mut self, mut unreachable: Vec<(Address, u32)>, jittered: bool) {
        unreachable.truncate(MAX_UNREACHABLE);
        let packet = self.out.message(
            Address::BROADCAST,
            1,
            Payload::Aodv(Message::Rerr(Rerr { no_delete: false, unreachable })),
        );
        if jittered {
            self.out.broadcast_jittered(self.now, self.config.broadcast_jitter, packet);
        } else {
            self.out.transmit(packet, None);
        }
    }
}
