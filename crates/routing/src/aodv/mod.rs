//! Ad hoc on-demand distance vector routing (AODV).
//!
//! The machine consumes every AODV message it receives; a message sent on is a new packet with an identity
//! of its own. Packets of the transports keep theirs.
//!
//! Spec      RFC 3561; ns-2.35 as its runs show it
//! Deviates  see `rfc` and `ns2`
//! Holds     in the RFC's dialect, next hops towards a destination never form a loop

mod config;
mod ns2;
mod rfc;

use std::sync::Arc;

pub use config::{Config, Dialect};
use hopwright_machine::{Address, Machine, NodeId, Time};
use hopwright_wire::{Packet, ip};
use ns2::Ns2;
use rfc::Rfc;

use crate::{Counters, Input, Output, Protocol, Wishes};

/// The AODV router of one node.
#[derive(Debug)]
pub struct Aodv(Engine);

#[derive(Debug)]
enum Engine {
    Rfc(Box<Rfc>),
    Ns2(Box<Ns2>),
}

impl Aodv {
    /// The router of `node`; `seed` is the run's, `wishes` what transports ask of all routers.
    #[must_use]
    pub fn new(node: NodeId, seed: u64, wishes: Arc<Wishes>, config: Config) -> Self {
        Self(match config.dialect {
            Dialect::Rfc3561 => Engine::Rfc(Box::new(Rfc::new(node, seed, wishes, config))),
            Dialect::Ns2 => Engine::Ns2(Box::new(Ns2::new(node, seed, wishes, config))),
        })
    }
}

impl Protocol for Aodv {
    fn next_hop(&self, destination: Address) -> Option<NodeId> {
        match &self.0 {
            Engine::Rfc(engine) => engine.next_hop(destination),
            Engine::Ns2(engine) => engine.next_hop(destination),
        }
    }

    fn first_ttl(&self) -> u8 {
        match &self.0 {
            Engine::Rfc(_) => ip::DEFAULT_TTL,
            Engine::Ns2(engine) => engine.first_ttl(),
        }
    }

    fn hops(&self, destination: Address) -> Option<u32> {
        match &self.0 {
            Engine::Rfc(engine) => engine.hops(destination),
            Engine::Ns2(engine) => engine.hops(destination),
        }
    }

    fn held(&self) -> usize {
        match &self.0 {
            Engine::Rfc(engine) => engine.held(),
            Engine::Ns2(engine) => engine.held(),
        }
    }

    fn heed(&mut self, wishes: &Arc<Wishes>) {
        match &mut self.0 {
            Engine::Rfc(engine) => engine.heed(wishes),
            Engine::Ns2(engine) => engine.heed(wishes),
        }
    }

    fn counters(&self) -> Counters {
        match &self.0 {
            Engine::Rfc(engine) => engine.counters(),
            Engine::Ns2(engine) => engine.counters(),
        }
    }

    fn packet_bytes(&self, packet: &Packet) -> u32 {
        match &self.0 {
            Engine::Rfc(_) => packet.bytes(),
            Engine::Ns2(_) => ns2::packet_bytes(packet),
        }
    }
}

impl Machine for Aodv {
    type Input<'a> = Input<'a>;
    type Output = Output;

    fn handle(&mut self, now: Time, input: Input<'_>) {
        match &mut self.0 {
            Engine::Rfc(engine) => engine.handle(now, input),
            Engine::Ns2(engine) => engine.handle(now, input),
        }
    }

    fn poll(&mut self) -> Option<Output> {
        match &mut self.0 {
            Engine::Rfc(engine) => engine.poll(),
            Engine::Ns2(engine) => engine.poll(),
        }
    }

    fn deadline(&self) -> Time {
        match &self.0 {
            Engine::Rfc(engine) => engine.deadline(),
            Engine::Ns2(engine) => engine.deadline(),
        }
    }
}
