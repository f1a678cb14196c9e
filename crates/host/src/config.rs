//! What a host is made with.

use hopwright_machine::Address;
use hopwright_transport::{Connection, Params, Recipe};

/// What a host is made with.
#[derive(Clone, Debug)]
pub struct Config {
    /// Its address.
    pub address: Address,
    /// Length of the subnet's prefix in bits: tells the subnet's broadcast address.
    pub prefix_length: u8,
    /// The protocol of all its connections.
    pub recipe: Recipe,
    /// Their parameters.
    pub params: Params,
    /// Keys initial sequence numbers, timestamps, ports and cookies: nobody else may know it (RFC 6528 §3).
    pub secret: [u8; 16],
    /// Connections at the same time, those in TIME-WAIT among them.
    pub max_connections: usize,
    /// Bytes that one connection keeps for its application until the peer has them.
    pub send_buffer_bytes: u64,
    /// Bytes that all connections keep together, about: written and not acknowledged, or received and not read.
    /// Once there are so many, requests for connections are dropped, and a connection may be given more, two
    /// segments, only once its peer has everything. What lies beyond gaps is not counted; each connection
    /// has at most its receive buffer of it.
    pub max_buffered_bytes: u64,
    /// Payload that may leave as one packet for the device to cut into segments; 0: the device cuts nothing.
    pub largest_burst_bytes: u32,
}

impl Config {
    /// A host with 16,384 connections at most, 2 MiB for what each sends and 1 GiB for all of them.
    #[must_use]
    pub const fn new(address: Address, prefix_length: u8, recipe: Recipe, params: Params, secret: [u8; 16]) -> Self {
        Self {
            address,
            prefix_length,
            recipe,
            params,
            secret,
            max_connections: 16_384,
            send_buffer_bytes: 2 << 20,
            max_buffered_bytes: 1 << 30,
            largest_burst_bytes: 0,
        }
    }

    /// How many bytes a connection may be given; crowded is a host that keeps `max_buffered_bytes`.
    pub(crate) fn room(&self, connection: &Connection, is_crowded: bool) -> u64 {
        let backlog = connection.backlog();
        let usual = self.send_buffer_bytes.saturating_sub(backlog);
        match is_crowded {
            true if backlog > 0 => 0,
            true => usual.min(2 * u64::from(connection.public().mss)), // nobody starves
            false => usual,
        }
    }

    /// Whether a packet may come from this address: a host's, and not our own (RFC 1122 §3.2.1.3; a packet
    /// from ourselves through the network is the LAND attack).
    pub(crate) fn is_plausible_source(&self, source: Address) -> bool {
        let first = source.0 >> 24;
        let is_host = first != 0 && first != 127 && first < 224;
        is_host && source != self.address && !self.is_subnet_itself_or_broadcast(source)
    }

    /// Subnets of one or two addresses have neither (RFC 3021).
    fn is_subnet_itself_or_broadcast(&self, address: Address) -> bool {
        if self.prefix_length >= 31 {
            return false;
        }
        let host_bits = u32::MAX >> self.prefix_length;
        let is_here = (address.0 ^ self.address.0) & !host_bits == 0;
        is_here && (address.0 & host_bits == 0 || address.0 & host_bits == host_bits)
    }
}
