//! What happens when a packet cannot go on: salvage, errors, and what nodes make of errors.
//!
//! Spec      ns-2.35
//! Deviates  ns-2 reads an uninitialised flow when it is told of an unknown default flow; here that does nothing
//! Holds     a packet that cannot go on is sent another way, kept, or dropped

use hopwright_machine::{Address, DropCause, Duration, NodeId};
use hopwright_wire::{Packet, Payload};

use super::Ns2;
use super::view::{DeadLink, NOBODY, UnknownFlow, View};

/// How many errors a packet has room for.
const MAX_ERRORS: usize = 3;

impl Ns2 {
    pub(super) fn on_link_failed(&mut self, packet: Packet, next_hop: NodeId, cause: DropCause) {
        self.out.counters.link_failures += 1;
        let mut view = View::of(&packet);
        let ends = (packet.source, packet.destination);
        if view.path.is_empty() {
            let Some(id) = view.flow.map(|flow| flow.id).or_else(|| self.flows.usual(ends)) else {
                return self.unknown_flow(packet, view, None);
            };
            let Some(flow) = self.flows.get(ends, id).filter(|flow| flow.timeout >= self.now) else {
                return self.out.drop(packet, cause);
            };
            view.path.clone_from(&flow.route);
            view.at = flow.hop_count + 1;
        }
        view.at = view.at.saturating_sub(1);
        let (Some(&tell), Some(&from), Some(&to)) =
            (view.path.first(), view.path.get(view.at), view.path.get(view.at + 1))
        else {
            return self.out.drop(packet, cause);
        };
        self.out.broke(next_hop);
        self.forget_link(from, to);
        let mut error = self.error_about(&view, DeadLink { tell, from, to });
        // A notice for another node goes with the error, if that goes to the packet's source.
        let is_mine = packet.source == self.me();
        if (is_mine || (tell == packet.source && error.is_some()))
            && let Some(notice) = self.out.undeliverable(self.now, &packet, Some(next_hop))
        {
            match &mut error {
                Some(error) if tell == packet.source => error.notice = Some(notice),
                _ => self.out.notify(packet.source, notice, None),
            }
        }
        self.salvage(packet, view);
        self.out.reclaim(next_hop);
        if let Some(error) = error {
            let message = self.out.message(tell, u8::MAX, Payload::Nothing);
            self.send(message, error, Duration::ZERO);
        }
    }

    /// A neighbour did not answer to a packet that stays with its transport.
    pub(super) fn on_link_lost(&mut self, neighbour: NodeId) {
        self.out.counters.link_failures += 1;
        self.out.broke(neighbour);
        self.forget_link(self.me(), neighbour.address());
        self.out.reclaim(neighbour);
    }

    fn forget_link(&mut self, from: Address, to: Address) {
        self.cache.remove_link(from, to);
        self.flows.remove_link(self.now, self.me(), from, to);
    }

    /// The header of the error that the failed packet turns into, unless this node is the one to be told.
    fn error_about(&self, failed: &View, link: DeadLink) -> Option<View> {
        if link.tell == self.me() || failed.errors.len() >= MAX_ERRORS {
            return None;
        }
        let mut errors = failed.errors.clone();
        errors.push(link);
        let path = failed.path[..=failed.at].iter().rev().copied().collect();
        let (salvaged, unknown_flows) = (failed.salvaged, failed.unknown_flows.clone());
        Some(View { path, salvaged, errors, unknown_flows, ..View::default() })
    }

    /// Finds another way for a packet that its next hop did not take. `view.at` is the place on the path after
    /// which a reply is looked through for the broken link.
    pub(super) fn salvage(&mut self, packet: Packet, mut view: View) {
        (view.flow, view.timeout) = (None, None);
        if packet.source == self.me() {
            return self.send_anyhow(packet, view);
        }
        if view.salvaged >= self.config.max_salvage_count {
            return self.out.drop(packet, DropCause::NoRoute);
        }
        let Some(path) = self.cache.find(packet.destination).filter(|_| self.config.salvage) else {
            if self.config.salvage && !matches!(packet.payload, Payload::Notice(_)) {
                self.miss(packet.destination);
                return self.keep(packet, view);
            }
            return self.out.drop(packet, DropCause::NoRoute);
        };
        if let (Some(reply), Some(&to)) = (&view.reply, view.path.get(view.at + 1)) {
            let me = self.me();
            if reply.windows(2).any(|link| link == [me, to] || link == [to, me]) {
                view.reply = None; // it tells of the very link that is broken
                if view.errors.is_empty() && packet.is_routing() {
                    return self.out.drop(packet, DropCause::NextHopLost);
                }
            }
        }
        view.salvaged += 1;
        self.send_over(packet, view, path, Duration::ZERO);
    }

    /// A packet came without a route and its flow is not known: it is salvaged, and its source told.
    pub(super) fn unknown_flow(&mut self, packet: Packet, view: View, id: Option<u16>) {
        if packet.source == self.me() {
            return self.out.drop(packet, DropCause::NoRoute);
        }
        let (source, destination) = (packet.source, packet.destination);
        let mut unknown_flows = view.unknown_flows.clone();
        unknown_flows.push(UnknownFlow { source, destination, id });
        let errors = view.errors.clone();
        self.salvage(packet, view);
        if unknown_flows.len() <= MAX_ERRORS {
            let message = self.out.message(source, u8::MAX, Payload::Nothing);
            self.send_anyhow(message, View { errors, unknown_flows, ..View::default() });
        }
    }

    /// Errors in a packet that came by. The last is for the node it names; if others are left, that node sends
    /// them on.
    pub(super) fn on_errors(&mut self, view: &View) {
        let Some((last, others)) = view.errors.split_last() else { return };
        for link in &view.errors {
            self.forget_link(link.from, link.to);
        }
        // ns-2 writes 0 for nobody, which is also a node.
        if last.tell != self.me() && !(last.tell == NOBODY && self.out.node == NodeId(0)) {
            return;
        }
        self.held_error = Some((self.now, last.from, last.to));
        if let Some(next) = others.last() {
            let message = self.out.message(next.tell, u8::MAX, Payload::Nothing);
            let (errors, salvaged) = (others.to_vec(), view.salvaged);
            self.send_anyhow(message, View { errors, salvaged, ..View::default() });
        }
    }

    /// A node on the way does not know a flow of this node: its next packets carry the route again.
    pub(super) fn on_unknown_flows(&mut self, view: &View) {
        let Some((last, others)) = view.unknown_flows.split_last() else { return };
        if last.source != self.me() {
            return;
        }
        let ends = (last.source, last.destination);
        if let Some(flow) = last.id.and_then(|id| self.flows.get_mut(ends, id)) {
            flow.count = 0;
        }
        if let Some(next) = others.last() {
            let message = self.out.message(next.source, u8::MAX, Payload::Nothing);
            self.send_anyhow(message, View { unknown_flows: others.to_vec(), ..View::default() });
        }
    }
}
