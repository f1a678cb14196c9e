//! What a host is made with.

use hopwright_machine::{Address, Duration};
use hopwright_transport::{Params, Recipe};

use crate::work::Stopwatch;

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
    /// Of those, connections with any one address; those in TIME-WAIT do not count.
    pub max_connections_per_address: usize,
    /// Half-open connections with any one address that are kept; beyond that, cookies.
    pub max_half_open_per_address: usize,
    /// Bytes that one connection keeps for its application until the peer has them: so many at first, and more as
    /// the peer takes more.
    pub first_send_buffer_bytes: u64,
    /// The most that it may become.
    pub send_buffer_bytes: u64,
    /// Memory of all connections' buffers together: what is written and not acknowledged, received and not read, or
    /// kept beyond gaps. Nobody is given more than is still free (`budget.rs`).
    pub max_buffered_bytes: u64,
    /// Of that, what is for the connections with any one address.
    pub max_buffered_bytes_per_address: u64,
    /// A peer that asked us for a connection and takes nothing for so long while something waits for it is given up, even
    /// if it answers. 0: never.
    pub stall_timeout: Duration,
    /// A peer that takes less than this counts as one that takes nothing, by and by. 0: whatever it takes will do.
    pub least_rate_bytes_per_s: u64,
    /// Payload that may leave as one packet for the device to cut into segments; 0: the device cuts nothing.
    pub largest_burst_bytes: u32,
    /// The clock that measures what connections compute; none: nothing is measured.
    pub stopwatch: Option<Stopwatch>,
}

impl Config {
    /// A host whose bounds are those that the fields below show.
    #[must_use]
    pub const fn new(address: Address, prefix_length: u8, recipe: Recipe, params: Params, secret: [u8; 16]) -> Self {
        Self {
            address,
            prefix_length,
            recipe,
            params,
            secret,
            max_connections: 16_384,
            max_connections_per_address: 4_096,
            max_half_open_per_address: 64,
            first_send_buffer_bytes: 64 << 10,
            send_buffer_bytes: 2 << 20,
            max_buffered_bytes: 1 << 30,
            max_buffered_bytes_per_address: 128 << 20,
            stall_timeout: Duration::from_secs(60),
            least_rate_bytes_per_s: 100,
            largest_burst_bytes: 0,
            stopwatch: None,
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
