//! Dynamic source routing (DSR).
//!
//! A message that is sent on keeps its identity: passive acknowledgements and ns-2's tap go by it.
//!
//! Spec      RFC 4728; ns-2.35 as its sources say and its runs show it
//! Deviates  see `rfc` and `ns2`
//! Holds     no source route names a node twice; a packet visits no more nodes than its time to live says

mod config;
mod ns2;
mod rfc;
mod route;

use std::sync::Arc;

pub use config::{CacheKind, Config, Dialect, Order};
use hopwright_machine::{Address, Machine, NodeId, Time};
use hopwright_wire::{Packet, ip};
use ns2::Ns2;
use rfc::Rfc;

use crate::{Counters, Input, Output, Protocol, Wishes};

/// The DSR router of one node.
#[derive(Debug)]
pub struct Dsr(Engine);

#[derive(Debug)]
enum Engine {
    Rfc(Box<Rfc>),
    Ns2(Box<Ns2>),
}

impl Dsr {
    /// The router of `node`; `seed` is the run's, `wishes` what transports ask of all routers.
    #[must_use]
    pub fn new(node: NodeId, seed: u64, wishes: Arc<Wishes>, config: Config) -> Self {
        Self(match config.dialect {
            Dialect::Rfc4728 => Engine::Rfc(Box::new(Rfc::new(node, seed, wishes, config))),
            Dialect::Ns2 => Engine::Ns2(Box::new(Ns2::new(node, seed, wishes, config))),
        })
    }
}

impl Protocol for Dsr {
    fn next_hop(&self, destination: Address) -> Option<NodeId> {
        match &self.0 {
            Engine::Rfc(engine) => engine.next_hop(destination),
            Engine::Ns2(engine) => engine.next_hop(destination),
        }
    }

    fn hops(&self, destination: Address) -> Option<u32> {
        match &self.0 {
            Engine::Rfc(engine) => engine.hops(destination),
            Engine::Ns2(engine) => engine.hops(destination),
        }
    }

    fn path(&self, destination: Address) -> Option<Vec<Address>> {
        match &self.0 {
            Engine::Rfc(engine) => engine.path(destination),
            Engine::Ns2(engine) => engine.path(destination),
        }
    }

    fn source_route(&self, packet: &Packet) -> Option<(Vec<Address>, usize)> {
        route::Route::of(packet).map(|route| (route.path, route.at))
    }

    fn write_source_route(&self, packet: &mut Packet, path: &[Address], at: usize) {
        let salvage = u8::from(path.first() != Some(&packet.source));
        route::Route { path: path.to_vec(), at, salvage }.write(packet);
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

    fn first_ttl(&self) -> u8 {
        match &self.0 {
            Engine::Rfc(_) => ip::DEFAULT_TTL,
            Engine::Ns2(_) => ns2::TTL,
        }
    }

    fn packet_bytes(&self, packet: &Packet) -> u32 {
        match &self.0 {
            Engine::Rfc(_) => packet.bytes(),
            Engine::Ns2(_) => ns2::packet_bytes(packet),
        }
    }

    fn listens(&self) -> bool {
        match &self.0 {
            Engine::Rfc(engine) => engine.listens(),
            Engine::Ns2(engine) => engine.listens(),
        }
    }

    fn has_output(&self) -> bool {
        match &self.0 {
            Engine::Rfc(engine) => engine.has_output(),
            Engine::Ns2(engine) => engine.has_output(),
        }
    }

    fn follows(&self) -> bool {
        match &self.0 {
            Engine::Rfc(engine) => engine.follows(),
            Engine::Ns2(_) => false,
        }
    }
}

impl Machine for Dsr {
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
