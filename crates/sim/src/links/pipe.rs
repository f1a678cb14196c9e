//! One direction of a link, and packets on their way over it.

use hopwright_machine::Machine;
use hopwright_machine::{DropCause, NodeId, Time};
use hopwright_routing::Input as Route;
use hopwright_shape::{Config, Input, Link, Output, Streams, Why};
use hopwright_transport::NetworkSignal;
use hopwright_wire::{Packet, Payload};

use super::Links;
use super::node::Node;
use crate::endpoint::{Endpoint, Socket};
use crate::statistics::TimeAverage;
use crate::trace::{Event, Layer, Sink};
use crate::world::flow_of;

/// One direction of a link, or both where they share it.
pub(super) struct Pipe {
    pub(super) link: Link<(Packet, NodeId)>,
    /// What it is like now.
    pub(super) shape: Config,
    /// Who sends into it, and who receives; of two that share it, the first of the link.
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    /// Packets that wait: the first's, and where both share it the second's.
    pub(super) queued: [usize; 2],
    pub(super) queue: TimeAverage,
    pub(super) is_shared: bool,
    pub(super) count: Count,
    pub(super) at_warm_up: Count,
}

/// What has gone over a pipe.
#[derive(Clone, Copy, Default)]
pub(super) struct Count {
    pub(super) arrived: u64,
    pub(super) arrived_bytes: u64,
    pub(super) lost: u64,
    pub(super) dropped: u64,
}

impl Pipe {
    pub(super) fn new(config: &Config, (from, to): (NodeId, NodeId), warm_up: Time, streams: Streams) -> Self {
        Self {
            link: Link::new(config.clone(), streams),
            shape: config.clone(),
            from,
            to,
            queued: [0; 2],
            queue: TimeAverage::new(warm_up),
            is_shared: false,
            count: Count::default(),
            at_warm_up: Count::default(),
        }
    }
}

impl<T: Sink> Links<T> {
    /// The pipe from a node to a neighbour.
    pub(super) fn pipe_to(&self, node: usize, next_hop: NodeId) -> usize {
        let place = self.next[node].iter().find(|(neighbour, _)| *neighbour == next_hop);
        place.expect("routes go over links").1
    }

    /// A packet goes into the link to its next hop.
    pub(super) fn offer(&mut self, node: usize, now: Time, packet: Packet, next_hop: NodeId) {
        let pipe = self.pipe_to(node, next_hop);
        let bytes = packet.bytes();
        self.world.note(now, u64::from(next_hop.0) << 16 | u64::from(bytes & 0xffff));
        self.pipes[pipe].link.handle(now, Input::Offer { packet: (packet, next_hop), bytes });
        self.drain(pipe, now);
    }

    /// Takes what comes out of a pipe.
    pub(super) fn drain(&mut self, pipe: usize, now: Time) {
        let mut reached = Vec::new();
        while let Some(output) = self.pipes[pipe].link.poll() {
            let of = &mut self.pipes[pipe];
            match output {
                Output::Arrived(one) => reached.push(self.come(pipe, now, one)),
                Output::ArrivedTwice((packet, to)) => {
                    let from = if to == of.to { of.from } else { of.to };
                    self.world.copied(now, from, &packet);
                    if T::PACKETS {
                        self.world.trace.event(now, from, Event::SentAgain { packet: &packet, by_relay: false });
                    }
                    self.come(pipe, now, (packet.clone(), to));
                    reached.push(self.come(pipe, now, (packet, to)));
                }
                Output::Gone((packet, to), why) => {
                    let from = if to == of.to { of.from } else { of.to };
                    let cause = match why {
                        Why::Full => DropCause::QueueFull,
                        Why::Late => DropCause::QueueDelay,
                        Why::Lost => DropCause::LinkLoss,
                        Why::Cleared => DropCause::HandOver,
                    };
                    if why == Why::Lost {
                        of.count.lost += 1;
                        self.world.ledger.frames += 1;
                        self.world.ledger.frames_damaged += 1;
                    } else {
                        of.count.dropped += 1;
                    }
                    let layer = if why == Why::Lost { Layer::Mac } else { Layer::Queue };
                    if why == Why::Lost && packet.destination == to.address() {
                        self.tell_damage(now, to, &packet);
                    }
                    self.dropped(from.index(), now, &packet, cause, layer);
                }
            }
        }
        self.deadlines.set(self.nodes.len() + pipe, self.pipes[pipe].link.deadline());
        self.note_queue(pipe, now);
        for node in reached {
            self.deadlines.set(node, now); // not at once: over links without delay, packets would go in circles
        }
    }

    /// A packet comes out of a pipe; returns the node that it has come to.
    fn come(&mut self, pipe: usize, now: Time, (packet, to): (Packet, NodeId)) -> usize {
        let of = &mut self.pipes[pipe];
        of.count.arrived += 1;
        of.count.arrived_bytes += u64::from(packet.bytes());
        let from = if to == of.to { of.from } else { of.to };
        self.world.ledger.frames += 1;
        self.world.ledger.frames_received += 1;
        self.arrive(now, packet, (from, to));
        to.index()
    }

    /// A packet came damaged where it was to go: whoever would have got the segment in it is told, if that is wanted.
    fn tell_damage(&mut self, now: Time, to: NodeId, packet: &Packet) {
        let Payload::Tcp(segment) = &packet.payload else { return };
        let Node { sockets, .. } = &mut self.nodes[to.index()];
        let concerned = |socket: &&mut Socket| socket.hears_damage() && socket.is_for(packet);
        for socket in sockets.iter_mut().filter(concerned).filter(|_| segment.payload_bytes > 0) {
            socket.signal(now, NetworkSignal::Corrupted(segment.seq), &mut self.world.flows);
        }
        self.deadlines.set(to.index(), now);
    }

    fn note_queue(&mut self, pipe: usize, now: Time) {
        let of = &mut self.pipes[pipe];
        let all = of.link.queued();
        let from_second = if of.is_shared { of.link.waiting().filter(|(_, to)| *to == of.from).count() } else { 0 };
        let queued = [all - from_second, from_second];
        let before = std::mem::replace(&mut of.queued, queued);
        if before == queued {
            return;
        }
        of.queue.set(now, all as f64);
        for (n, end) in [of.from, of.to].into_iter().enumerate().filter(|&(n, _)| before[n] != queued[n]) {
            let node = &mut self.nodes[end.index()];
            node.queued = node.queued + queued[n] - before[n];
            if T::ON {
                self.world.trace.event(now, node.id, Event::QueueLength(node.queued));
            }
        }
    }

    fn arrive(&mut self, now: Time, packet: Packet, (from, to): (NodeId, NodeId)) {
        if T::PACKETS {
            let bytes = packet.bytes();
            self.world.trace.event(now, to, Event::Routing { packet: &packet, bytes, from });
        }
        if T::ON
            && let Some((flow, true)) = flow_of(&packet)
            && self.world.tells_of(flow)
        {
            self.world.trace.event(now, to, Event::Hop { flow, from });
        }
        self.nodes[to.index()].router.handle(now, Route::Receive { packet, from });
    }
}
