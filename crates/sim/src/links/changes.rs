//! What links become, what the ways over them are like, and who is told.

use hopwright_machine::{Machine, NodeId, Time};
use hopwright_routing::Protocol;
use hopwright_shape::{Input, Rate};
use hopwright_transport::adaptation::Source;
use hopwright_transport::{NetworkSignal, PathFacts};

use super::Links;
use super::node::Node;
use crate::endpoint::{Endpoint, Socket};
use crate::node::tell;
use crate::setup::{Backward, Flow, FlowKind, LinkChange, TwoWays};
use crate::trace::Sink;

/// Whether a flow's sender is told what its path is like.
pub(super) fn is_told(flow: &Flow) -> bool {
    let FlowKind::Tcp { params, .. } = &flow.kind else { return false };
    params.triggers.as_ref().is_some_and(|triggers| triggers.settings.source == Source::Told)
}

impl<T: Sink> Links<T> {
    /// Tells ends that decide what is sent, and go by it, what their paths are like.
    pub(super) fn tell_paths(&mut self, now: Time) {
        for flow in self.told.clone() {
            let (from, to) = self.flows[flow];
            let facts = self.path(from, to);
            let decides = |socket: &Socket| socket.end().is_some_and(|end| end.flow == flow && end.decides());
            let is_at = |node: &&NodeId| self.nodes[node.index()].sockets.iter().any(decides);
            let Some(&at) = [from, to].iter().find(is_at) else { continue };
            let Node { id, sockets, .. } = &mut self.nodes[at.index()];
            for socket in sockets.iter_mut().filter(|socket| decides(socket)) {
                socket.signal(now, NetworkSignal::Path(facts), &mut self.world.flows);
                tell(now, *id, socket, &mut self.world);
            }
            self.deadlines.set(at.index(), now);
        }
    }

    /// The pipes on the way from one node to another.
    fn way(&self, from: NodeId, to: NodeId) -> impl Iterator<Item = usize> {
        let mut at = from;
        std::iter::from_fn(move || {
            let next_hop = self.nodes[at.index()].router.next_hop(to.address()).filter(|_| at != to)?;
            let &(neighbour, pipe) = self.next[at.index()].iter().find(|(neighbour, _)| *neighbour == next_hop)?;
            at = neighbour;
            Some(pipe)
        })
    }

    /// What the way from one node to another is like.
    fn path(&self, from: NodeId, to: NodeId) -> PathFacts {
        let (mut arrives, mut delay_s, mut jitter_s) = (1.0, 0.0, 0.0);
        let (mut bandwidth_bps, mut period_s) = (f64::INFINITY, f64::INFINITY);
        for pipe in self.way(from, to) {
            let shape = &self.pipes[pipe].shape;
            arrives *= 1.0 - shape.loss.share();
            delay_s += shape.delay.as_secs_f64();
            jitter_s += shape.delay.as_secs_f64() * shape.jitter.share;
            bandwidth_bps = bandwidth_bps.min(shape.rate.mean_bps());
            if let Rate::Varying { period, .. } = shape.rate {
                period_s = period_s.min(period.as_secs_f64());
            }
        }
        // Without a delay nothing can vary in parts of it: a rate is steady, and a delay has no jitter.
        let share = |s: f64, without: f64| if delay_s > 0.0 { s / delay_s * 1e3 + 0.5 } else { without };
        PathFacts {
            loss_ppm: ((1.0 - arrives) * 1e6 + 0.5) as u32,
            delay_us: (delay_s * 1e6 + 0.5) as u32,
            bandwidth_bps: bandwidth_bps as u64,
            fluctuation_permille: share(period_s, f64::INFINITY) as u32,
            jitter_permille: share(jitter_s, 0.0) as u32,
        }
    }

    pub(super) fn plan_change(&mut self) {
        let place = self.nodes.len() + self.pipes.len();
        self.deadlines.set(place, self.changes.last().map_or(Time::NEVER, |change| change.0));
    }

    /// A link becomes another.
    pub(super) fn change(&mut self, now: Time) {
        let Some((_, link, place)) = self.changes.pop() else { return };
        self.plan_change();
        let change = self.links[link].changes[place].clone();
        self.turn_into(now, link, &change);
    }

    /// A link becomes what `change` says.
    pub(super) fn turn_into(&mut self, now: Time, link: usize, change: &LinkChange) {
        let TwoWays { forward, backward } = &change.shape;
        let (there, back) = self.of_link[link];
        let own = match backward {
            Backward::Own(config) => back.map(|pipe| (pipe, config.as_ref())),
            Backward::Never | Backward::Shared => None,
        };
        for (pipe, config) in [(there, forward)].into_iter().chain(own) {
            self.pipes[pipe].shape = config.clone();
            let shaped = &mut self.pipes[pipe].link;
            if change.clears {
                shaped.handle(now, Input::Clear);
            }
            shaped.handle(now, Input::Reshape(Box::new(config.clone())));
            self.drain(pipe, now);
        }
        if !self.told.is_empty() {
            self.tell_paths(now);
        }
        if let Some(network) = change.network {
            self.tell_network(now, link, network);
        }
    }

    /// Tells both ends of every flow whose data or answers go over a link that it is part of another network now.
    fn tell_network(&mut self, now: Time, link: usize, network: u32) {
        let (there, back) = self.of_link[link];
        let is_it = |pipe: usize| pipe == there || Some(pipe) == back;
        for (flow, (from, to)) in self.flows.clone().into_iter().enumerate() {
            if !self.way(from, to).chain(self.way(to, from)).any(is_it) {
                continue;
            }
            for end in [from, to] {
                let Node { id, sockets, .. } = &mut self.nodes[end.index()];
                let is_its_end = |socket: &&mut Socket| socket.end().is_some_and(|end| end.flow == flow);
                for socket in sockets.iter_mut().filter(is_its_end) {
                    socket.signal(now, NetworkSignal::Interface(network), &mut self.world.flows);
                    tell(now, *id, socket, &mut self.world);
                }
                self.deadlines.set(end.index(), now);
            }
        }
    }
}
