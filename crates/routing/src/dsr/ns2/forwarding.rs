//! Sending a packet to the next node of its route, with or without the route in it.
//!
//! Spec      ns-2.35
//! Deviates  see the parent module
//! Holds     a packet goes to the next node of its source route, or to the next hop of its flow

use hopwright_machine::{Address, DropCause, Duration};
use hopwright_wire::Packet;
use hopwright_wire::dsr::Flow as Header;

use super::Ns2;
use super::flows::Flow;
use super::view::View;

/// Packets of a flow that carry the route before it counts as established.
const ESTABLISHING: u32 = 2;

impl Ns2 {
    pub(super) fn on_receive(&mut self, mut packet: Packet) {
        let mut view = View::of(&packet);
        if let Some(request) = packet.dsr.as_ref().and_then(|header| header.request()) {
            packet.destination = request.target; // as ns-2 has it
        }
        if packet.destination == self.me() || packet.destination.is_broadcast() {
            return self.arrived(packet, &view);
        }
        self.on_errors(&view);
        self.see_notice(view.notice.as_ref());
        if self.out.repeats(&packet) {
            return self.out.drop(packet, DropCause::NoticeSpared);
        }
        if let Some(id) = view.request {
            return self.on_request(&packet, view, id);
        }
        if let Some(flow) = &mut view.flow {
            let (before, id) = (flow.hop_count, flow.id);
            if view.path.is_empty() {
                flow.hop_count = before.wrapping_add(1) & 0x7f;
                let ends = (packet.source, packet.destination);
                if self.flows.get(ends, id).is_none() {
                    let packet = self.out.again(packet);
                    return self.unknown_flow(packet, view, Some(id));
                }
                view.write(&mut packet, self.me());
                return self.forward_in_flow(packet, id);
            }
            flow.hop_count = before.wrapping_add(1) & 0x7f;
            self.establish(&packet, &view, id, usize::from(before));
        } else if view.path.is_empty() {
            return self.forward_by_default(packet, view);
        }
        if view.path.get(view.at) != Some(&self.me()) || view.at + 1 >= view.path.len() {
            return self.refuse(packet, DropCause::RoutingLoop);
        }
        self.cache.notice(&view.path, view.at);
        if packet.ttl == 0 {
            return self.refuse(packet, DropCause::TtlExpired);
        }
        packet.ttl -= 1;
        self.pass_on(packet, view);
    }

    /// Sends a packet of this node over these nodes, whatever flow it might belong to.
    pub(super) fn send_as_told(&mut self, mut packet: Packet, path: &[Address]) {
        let Some(next_hop) = path.get(1).and_then(|node| node.node()) else {
            return self.out.drop(packet, DropCause::NoRoute);
        };
        View { path: path.to_vec(), at: 1, ..View::default() }.write(&mut packet, self.me());
        self.out.transmit(packet, Some(next_hop));
    }

    /// A transport takes a packet from neighbour to neighbour itself: routes are seen in use when they come.
    pub(super) fn on_passed(&mut self, packet: &Packet, came: bool) {
        if came {
            let view = View::of(packet);
            self.cache.notice(&view.path, view.at);
        }
    }

    /// Sends a packet on that came from another node.
    pub(super) fn pass_on(&mut self, packet: Packet, view: View) {
        let packet = self.out.again(packet);
        self.send(packet, view, Duration::ZERO);
    }

    /// Drops a packet that came from another node; a message of the protocol is just forgotten.
    pub(super) fn refuse(&mut self, packet: Packet, cause: DropCause) {
        if !packet.is_routing() {
            self.out.drop(packet, cause);
        }
    }

    /// Learns of a flow from a packet that has both the flow's name and its route.
    fn establish(&mut self, packet: &Packet, view: &View, id: u16, hop_count: usize) {
        let ends = (packet.source, packet.destination);
        let Some(&next_hop) = view.path.get(view.at + 1) else { return };
        if self.flows.get(ends, id).is_none() {
            let timeout = self.now + Duration::from_secs(u64::from(view.timeout.unwrap_or_default()));
            let route = view.path.clone();
            let (ttl, count, allow_default, last_route) = (packet.ttl, 0, false, self.now);
            let flow = Flow { count, last_route, timeout, hop_count, ttl, allow_default, route, next_hop };
            self.flows.insert(ends, id, flow);
        }
    }

    fn forward_by_default(&mut self, packet: Packet, view: View) {
        let ends = (packet.source, packet.destination);
        let named = match self.flows.usual(ends) {
            Some(id) if self.flows.get(ends, id).is_some_and(|flow| flow.ttl == packet.ttl) => {
                return self.forward_in_flow(packet, id);
            }
            Some(id) if self.flows.get(ends, id).is_none() => Some(id),
            _ => None,
        };
        let packet = self.out.again(packet);
        self.unknown_flow(packet, view, named);
    }

    fn forward_in_flow(&mut self, mut packet: Packet, id: u16) {
        let keep_until = self.now + self.config.flow_timeout;
        let Some(flow) = self.flows.get_mut((packet.source, packet.destination), id) else {
            return self.refuse(packet, DropCause::NoRoute);
        };
        if packet.ttl == 0 {
            return self.refuse(packet, DropCause::TtlExpired);
        }
        packet.ttl -= 1;
        flow.timeout = keep_until;
        let next_hop = flow.next_hop.node();
        let packet = self.out.again(packet);
        self.out.transmit(packet, next_hop);
    }

    /// Sends a packet to the node behind `view.at` on its path, or a request to all; after `delay`.
    pub(super) fn send(&mut self, mut packet: Packet, mut view: View, delay: Duration) {
        let me = self.me();
        let next = if view.request.is_some() {
            view.write(&mut packet, me);
            let wait = self.out.duration_below(self.config.broadcast_jitter);
            return self.out.transmit_at(self.now + delay + wait, packet, None);
        } else if packet.destination == me {
            return self.arrived(packet, &view);
        } else if self.config.flow_state
            && packet.source == me
            && view.at == 0
            && view.errors.is_empty()
            && view.reply.is_none()
        {
            self.send_in_flow(&packet, &mut view)
        } else {
            view.at += 1;
            view.path.get(view.at).copied()
        };
        let Some(next_hop) = next.and_then(Address::node) else {
            return self.out.drop(packet, DropCause::NoRoute);
        };
        view.write(&mut packet, me);
        if delay == Duration::ZERO {
            self.out.transmit(packet, Some(next_hop));
        } else {
            self.out.transmit_at(self.now + delay, packet, Some(next_hop));
        }
    }

    /// Chooses the flow of a packet of this node, and what of it the packet names; answers the next hop.
    fn send_in_flow(&mut self, packet: &Packet, view: &mut View) -> Option<Address> {
        let (now, ends) = (self.now, (packet.source, packet.destination));
        let (lifetime, interval) = (self.config.flow_timeout, self.config.flow_route_interval);
        let seconds = lifetime.whole(Duration::from_secs(1)) as u16;
        let default = self.flows.usual(ends);
        if let Some(flow) = default.and_then(|id| self.flows.get(ends, id))
            && flow.timeout >= now
            && flow.route.len() <= view.path.len()
        {
            view.path.clone_from(&flow.route); // the flow's route is kept unless the new one is shorter
        }
        let known = self.flows.over(ends, &view.path);
        let known = known.filter(|&id| self.flows.get(ends, id).is_some_and(|flow| flow.timeout >= now));
        let id = known.unwrap_or_else(|| self.flows.new_id());
        if known.is_none() {
            let (route, next_hop) = (view.path.clone(), view.path.get(1).copied()?);
            let (count, allow_default, hop_count, ttl) = (1, true, 0, packet.ttl);
            let timeout = now + lifetime;
            let flow = Flow { count, last_route: now, timeout, hop_count, ttl, allow_default, route, next_hop };
            self.flows.insert(ends, id, flow);
        }
        let is_default = self.flows.usual(ends) == Some(id);
        let flow = self.flows.get_mut(ends, id)?;
        let advertise = if known.is_none() {
            true
        } else if flow.count <= ESTABLISHING || flow.last_route + interval < now {
            flow.allow_default &= flow.ttl == packet.ttl;
            flow.count += 1;
            flow.last_route = now;
            true
        } else {
            false
        };
        flow.timeout = now + lifetime;
        if advertise {
            view.timeout = Some(seconds);
            view.at += 1;
        } else {
            (view.path, view.at, view.timeout) = (Vec::new(), 0, None);
        }
        let unnamed = !advertise && is_default && flow.ttl == packet.ttl && flow.allow_default;
        view.flow = (!unnamed).then_some(Header { hop_count: 1, id });
        Some(flow.next_hop)
    }
}
