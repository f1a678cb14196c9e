//! The parameters of AODV.
//!
//! Spec      RFC 3561 §10; values of ns-2.35 as its runs show them
//! Deviates  nothing
//! Holds     nothing of the run: constants only

use hopwright_machine::Duration;

/// Whose rules are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// RFC 3561.
    Rfc3561,
    /// The AODV of ns-2.35, which grew from an early draft.
    Ns2,
}

/// Parameters of AODV. Fields that only one dialect reads say so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Whose rules are followed.
    pub dialect: Dialect,
    /// ACTIVE_ROUTE_TIMEOUT: how long a route stays in use after the last packet.
    pub active_route_timeout: Duration,
    /// MY_ROUTE_TIMEOUT: the lifetime a destination puts into its replies.
    pub my_route_timeout: Duration,
    /// REV_ROUTE_LIFE: the least lifetime of a reverse route (ns-2 only; the RFC computes it, §6.5).
    pub rev_route_life: Duration,
    /// DELETE_PERIOD: how long a route out of use is remembered (RFC only; ns-2 forgets nothing).
    pub delete_period: Duration,
    /// NET_DIAMETER: the greatest length of a route, and the time to live of a network-wide request.
    pub net_diameter: u8,
    /// NODE_TRAVERSAL_TIME: a conservative estimate of the time one hop takes.
    pub node_traversal_time: Duration,
    /// PATH_DISCOVERY_TIME: how long a request is remembered to recognize its copies.
    pub path_discovery_time: Duration,
    /// TTL_START: the first ring (ns-2 uses it only for a destination it knows at zero hops: never).
    pub ttl_start: u8,
    /// TTL_INCREMENT: by how much the ring grows.
    pub ttl_increment: u8,
    /// TTL_THRESHOLD: the largest ring; beyond it the request goes through the whole network.
    pub ttl_threshold: u8,
    /// TIMEOUT_BUFFER: hops added to a ring when its traversal time is computed (RFC only).
    pub timeout_buffer: u8,
    /// RREQ_RETRIES: repetitions of a network-wide request.
    pub rreq_retries: u32,
    /// Whether the first network-wide request counts as a retry (RFC only: §6.3 can be read both ways).
    pub rreq_retries_include_first: bool,
    /// RREQ_RATELIMIT: requests originated per second; a request beyond it waits (RFC only).
    pub rreq_ratelimit: u32,
    /// RERR_RATELIMIT: errors originated per second; an error beyond it is not sent (RFC only).
    pub rerr_ratelimit: u32,
    /// MAX_RREQ_TIMEOUT: the longest wait for a reply, and the pause after a failed search (ns-2 only).
    pub max_rreq_timeout: Duration,
    /// Packets the node keeps while it looks for routes; the oldest goes when one too many comes.
    pub buffer_packets: usize,
    /// How long a packet is kept there.
    pub buffer_timeout: Duration,
    /// Gap between kept packets when they leave (ns-2's ARP_DELAY).
    pub release_gap: Duration,
    /// Forwarded broadcasts wait for a random time below this (RFC 5148 says why).
    pub broadcast_jitter: Duration,
    /// Own requests wait for a random time below this (RFC only): nodes that begin to search in one instant would
    /// collide, and each time again, for they repeat their requests in one instant, too (RFC 5148 §5.2).
    pub request_jitter: Duration,
    /// How often routes and kept packets are looked over (ns-2 only).
    pub purge_interval: Duration,
    /// Set G in own requests: an intermediate node that replies also tells the destination (RFC only).
    pub gratuitous: bool,
    /// Set D in own requests: only the destination may reply (RFC only).
    pub destination_only: bool,
    /// Whether a packet that the link layer gives up shows that the link is lost (RFC only, §6.10).
    pub link_feedback: bool,
    /// Whether nodes send HELLOs and miss those of their neighbours (RFC only, §6.9).
    pub hello: bool,
    /// Send HELLOs also where no active route leads through the node (RFC only).
    pub hello_always: bool,
    /// HELLO_INTERVAL: the longest time without a broadcast (RFC only).
    pub hello_interval: Duration,
    /// A HELLO comes earlier by a random time below this (RFC only).
    pub hello_jitter: Duration,
    /// ALLOWED_HELLO_LOSS: intervals of silence after which a neighbour is lost (RFC only).
    pub allowed_hello_loss: u32,
    /// Whether the node before a lost link looks for another way (RFC only, §6.12).
    pub local_repair: bool,
    /// MAX_REPAIR_TTL: the longest distance of a destination to which a route is repaired (RFC only).
    pub max_repair_ttl: u8,
    /// LOCAL_ADD_TTL: hops that a repair's request goes beyond the old distance (RFC only).
    pub local_add_ttl: u8,
    /// Whether replies ask for an acknowledgement (RFC only, §6.8).
    pub rrep_ack: bool,
    /// Whether requests are ignored that come from where replies do not arrive (RFC only, §6.8).
    pub blacklist: bool,
    /// BLACKLIST_TIMEOUT: for how long (RFC only).
    pub blacklist_timeout: Duration,
    /// NEXT_HOP_WAIT: how long an acknowledgement is waited for (RFC only).
    pub next_hop_wait: Duration,
}

impl Config {
    /// RFC 3561 §10.
    ///
    /// ACTIVE_ROUTE_TIMEOUT is 10 s, not 3 s: the same section asks for at least 10 s where the link layer
    /// reports broken links, as here. MY_ROUTE_TIMEOUT and DELETE_PERIOD (K = 5) follow.
    #[must_use]
    pub fn rfc() -> Self {
        let active_route_timeout = Duration::from_secs(10);
        let node_traversal_time = Duration::from_millis(40);
        let net_diameter = 35;
        Self {
            dialect: Dialect::Rfc3561,
            active_route_timeout,
            my_route_timeout: active_route_timeout * 2,
            rev_route_life: Duration::ZERO,
            delete_period: active_route_timeout * 5,
            net_diameter,
            node_traversal_time,
            path_discovery_time: node_traversal_time * 2 * u64::from(net_diameter) * 2,
            ttl_start: 1,
            ttl_increment: 2,
            ttl_threshold: 7,
            timeout_buffer: 2,
            rreq_retries: 2,
            rreq_retries_include_first: false,
            rreq_ratelimit: 10,
            rerr_ratelimit: 10,
            max_rreq_timeout: Duration::ZERO,
            buffer_packets: 64,
            buffer_timeout: Duration::from_secs(30),
            release_gap: Duration::ZERO,
            broadcast_jitter: Duration::from_millis(10),
            request_jitter: Duration::ZERO,
            purge_interval: Duration::ZERO,
            gratuitous: false,
            destination_only: false,
            link_feedback: true,
            hello: false,
            hello_always: false,
            hello_interval: Duration::from_secs(1),
            hello_jitter: Duration::from_millis(100),
            allowed_hello_loss: 2,
            local_repair: false,
            max_repair_ttl: 10,
            local_add_ttl: 2,
            rrep_ack: false,
            blacklist: false,
            blacklist_timeout: node_traversal_time * 2 * u64::from(net_diameter) * 2,
            next_hop_wait: node_traversal_time + Duration::from_millis(10),
        }
    }

    /// Papanastasiou 2006, table A.1 (AODV-UU with link-layer feedback and local repair). What the table leaves
    /// open is the RFC's. The thesis switches off "optimised HELLOs" and the jitter of HELLOs: that would count if
    /// HELLOs were switched on.
    #[must_use]
    pub fn papanastasiou() -> Self {
        let active_route_timeout = Duration::from_secs(3);
        Self {
            active_route_timeout,
            my_route_timeout: active_route_timeout * 2,
            delete_period: active_route_timeout * 5,
            ttl_start: 2,
            hello_always: true,
            hello_jitter: Duration::ZERO,
            local_repair: true,
            ..Self::rfc()
        }
    }

    /// Papanastasiou 2006, table 3.1: the route-break trace, with HELLO and without link-layer feedback.
    #[must_use]
    pub fn papanastasiou_trace() -> Self {
        let active_route_timeout = Duration::from_secs(5);
        Self {
            active_route_timeout,
            my_route_timeout: active_route_timeout * 2,
            delete_period: active_route_timeout * 5,
            link_feedback: false,
            hello: true,
            local_repair: false,
            ..Self::papanastasiou()
        }
    }

    /// The AODV of ns-2.35.
    #[must_use]
    pub fn ns2() -> Self {
        Self {
            dialect: Dialect::Ns2,
            active_route_timeout: Duration::from_secs(10),
            my_route_timeout: Duration::from_secs(10),
            rev_route_life: Duration::from_secs(6),
            delete_period: Duration::MAX,
            net_diameter: 30,
            node_traversal_time: Duration::from_millis(30),
            path_discovery_time: Duration::from_secs(6),
            ttl_start: 5,
            ttl_increment: 2,
            ttl_threshold: 7,
            rreq_retries: 3,
            max_rreq_timeout: Duration::from_secs(10),
            buffer_packets: 64,
            buffer_timeout: Duration::from_secs(30),
            release_gap: Duration::from_millis(10),
            broadcast_jitter: Duration::from_millis(10),
            purge_interval: Duration::from_millis(500),
            ..Self::rfc() // what it does not read
        }
    }

    /// NET_TRAVERSAL_TIME (RFC 3561 §10).
    #[must_use]
    pub fn net_traversal_time(&self) -> Duration {
        self.node_traversal_time * 2 * u64::from(self.net_diameter)
    }

    /// RING_TRAVERSAL_TIME (RFC 3561 §10) of a request with this time to live.
    #[must_use]
    pub fn ring_traversal_time(&self, ttl: u8) -> Duration {
        self.node_traversal_time * 2 * (u64::from(ttl) + u64::from(self.timeout_buffer))
    }
}
