//! Routes fixed before the run.
//!
//! Spec      RFC 1812 §5.3.1 (time to live)
//! Deviates  sends no ICMP messages
//! Holds     keeps no packet

use std::collections::VecDeque;
use std::sync::Arc;

use hopwright_machine::{Address, DropCause, Machine, NodeId, Time};
use hopwright_wire::Packet;

use crate::{Counters, Input, NextHops, Output, Protocol};

/// The static routes of one node. All nodes share one table.
#[derive(Debug)]
pub struct StaticRoutes {
    node: NodeId,
    next_hops: Arc<NextHops>,
    outputs: VecDeque<Output>,
    counters: Counters,
}

impl StaticRoutes {
    /// The router of `node`, with the table of all nodes.
    #[must_use]
    pub fn new(node: NodeId, next_hops: Arc<NextHops>) -> Self {
        Self { node, next_hops, outputs: VecDeque::new(), counters: Counters::default() }
    }

    fn on_receive(&mut self, mut packet: Packet) {
        if packet.destination == self.node.address() || packet.destination.is_broadcast() {
            self.outputs.push_back(Output::Deliver(packet));
        } else if packet.ttl <= 1 {
            // RFC 1812 §5.3.1: a packet whose time to live would become zero is not forwarded.
            self.outputs.push_back(Output::Drop { packet, cause: DropCause::TtlExpired });
        } else {
            packet.ttl -= 1;
            self.forward(packet);
        }
    }

    fn forward(&mut self, packet: Packet) {
        let output = if packet.destination == self.node.address() {
            Output::Deliver(packet)
        } else if packet.destination.is_broadcast() {
            Output::Transmit { packet, next_hop: None }
        } else {
            match self.next_hop(packet.destination) {
                Some(next_hop) => Output::Transmit { packet, next_hop: Some(next_hop) },
                None => Output::Drop { packet, cause: DropCause::NoRoute },
            }
        };
        self.outputs.push_back(output);
    }
}

impl Protocol for StaticRoutes {
    fn next_hop(&self, destination: Address) -> Option<NodeId> {
        self.next_hops.of(self.node, destination.node()?)
    }

    fn hops(&self, destination: Address) -> Option<u32> {
        let destination = destination.node()?;
        let mut at = self.node;
        let mut hops = 0;
        while at != destination {
            if hops as usize >= self.next_hops.nodes() {
                return None; // a handwritten table may go round in circles
            }
            at = self.next_hops.of(at, destination)?;
            hops += 1;
        }
        Some(hops)
    }

    fn held(&self) -> usize {
        self.outputs.len()
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}

impl Machine for StaticRoutes {
    type Input<'a> = Input<'a>;
    type Output = Output;

    fn handle(&mut self, _now: Time, input: Input<'_>) {
        match input {
            Input::Start
            | Input::Wake
            | Input::Seek(_)
            | Input::Overheard { .. }
            | Input::Left { .. }
            | Input::Passed { .. } => {}
            Input::Send(packet) | Input::SendOver { packet, .. } | Input::Reclaimed { packet, .. } => {
                self.forward(packet);
            }
            Input::LinkLost(_) => self.counters.link_failures += 1,
            Input::Receive { packet, .. } => self.on_receive(packet),
            Input::LinkFailed { packet, cause, .. } => {
                self.counters.link_failures += 1;
                self.outputs.push_back(Output::Drop { packet, cause });
            }
        }
    }

    fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn deadline(&self) -> Time {
        Time::NEVER
    }
}
