//! The parameters of DSR.
//!
//! Spec      RFC 4728 §9 and appendix A; Papanastasiou 2006, table A.2; values of ns-2.35 as its sources have them
//! Deviates  nothing
//! Holds     nothing of the run: constants only

use hopwright_machine::Duration;

/// Whose rules are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// RFC 4728.
    Rfc4728,
    /// The DSR of ns-2.35, CMU's.
    Ns2,
}

/// How routes are kept (RFC 4728 §4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheKind {
    /// Whole routes, each with RouteCacheTimeout.
    Path,
    /// Links, each with the lifetime of Link-MaxLife (appendix A); routes are computed.
    Link,
    /// Links that all live RouteCacheTimeout from when they were last learnt, as in DSR-UU; routes are computed.
    LinkStatic,
}

/// In which order the packets for a lost neighbour are salvaged or sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The oldest first.
    Fifo,
    /// The newest first, as Papanastasiou (2006, §4.3.4) saw DSR-UU do.
    Lifo,
}

/// Parameters of DSR. Fields that only one dialect reads say so.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Whose rules are followed.
    pub dialect: Dialect,
    /// How routes are kept (RFC only; ns-2 keeps paths).
    pub cache: CacheKind,
    /// Routes of the path cache (RFC only, which fixes no number).
    pub cache_paths: usize,
    /// Links of a link cache; while it has as many, it learns no others (RFC only, which fixes no number).
    pub cache_links: usize,
    /// Whether a link that is learnt leads both ways (RFC only). If not, a packet's route tells of the way that the packet
    /// goes, and hearing a neighbour tells of the way to it.
    pub two_way_links: bool,
    /// RouteCacheTimeout: how long a path is kept after its last use, or a link of `LinkStatic` after it was last
    /// learnt (RFC only; ns-2 forgets nothing).
    pub route_cache_timeout: Duration,
    /// InitStability of Link-MaxLife (RFC, appendix A).
    pub init_stability: Duration,
    /// StabilityIncrFactor of Link-MaxLife.
    pub stability_increase: f64,
    /// StabilityDecrFactor of Link-MaxLife.
    pub stability_decrease: f64,
    /// MinLifetime of Link-MaxLife.
    pub min_lifetime: Duration,
    /// UseExtends of Link-MaxLife.
    pub use_extends: Duration,
    /// Forget all links when one breaks instead of that link alone (RFC only).
    pub flush_link_cache: bool,
    /// BroadcastJitter: forwarded requests and the target's replies wait for a random time below this.
    pub broadcast_jitter: Duration,
    /// Own requests wait for a random time below this (RFC only): nodes that begin to search in one instant would
    /// collide, and each time again, for they repeat their requests in one instant, too (RFC 5148 §5.2).
    pub request_jitter: Duration,
    /// SendBufferTimeout: how long a packet waits for a route.
    pub send_buffer_timeout: Duration,
    /// Packets that wait; the oldest goes when one too many comes.
    pub send_buffer_packets: usize,
    /// RequestTableSize: nodes whose requests are remembered (RFC only).
    pub request_table_size: usize,
    /// RequestTableIds: requests of each that are remembered (RFC only).
    pub request_table_ids: usize,
    /// MaxRequestRexmt: how often a request is repeated (RFC only).
    pub max_request_rexmt: u32,
    /// RequestPeriod: the first wait between network-wide requests.
    pub request_period: Duration,
    /// MaxRequestPeriod: the longest.
    pub max_request_period: Duration,
    /// Whether a search asks the neighbours first.
    pub nonpropagating_request: bool,
    /// NonpropRequestTimeout: how long they have to answer.
    pub nonprop_request_timeout: Duration,
    /// DiscoveryHopLimit: the time to live of a network-wide request (RFC only).
    pub discovery_hop_limit: u8,
    /// Whether nodes on the way reply from their caches.
    pub reply_from_cache: bool,
    /// H of §8.2.5: replies from the cache wait H (h - 1 + r) for a route of h hops (RFC only).
    pub reply_delay: Duration,
    /// Whether the link layer's report of a failure counts; if not, acknowledgements decide (RFC only).
    pub link_layer_feedback: bool,
    /// Whether hearing the next hop pass a packet on acknowledges it (RFC only).
    pub passive_acks: bool,
    /// Whether acknowledgements are asked for (RFC only). Where passive ones are used, the last hop is always asked:
    /// it passes nothing on.
    pub network_acks: bool,
    /// Size of the maintenance buffer (RexmtBufferSize), packets (RFC only).
    pub maintenance_buffer_packets: usize,
    /// The order in which it is emptied when a neighbour is lost (RFC only).
    pub maintenance_order: Order,
    /// MaintHoldoffTime: for how long a confirmed neighbour needs no confirmation (RFC only).
    pub maint_holdoff: Duration,
    /// MaxMaintRexmt: repetitions of a packet with an acknowledgement request (RFC only).
    pub max_maint_rexmt: u32,
    /// TryPassiveAcks: repetitions of a packet that is to be acknowledged passively (RFC only).
    pub try_passive_acks: u32,
    /// PassiveAckTimeout (RFC only).
    pub passive_ack_timeout: Duration,
    /// Whether a packet of a node's own waits for a new route if its next hop is lost and the cache has no other. If
    /// not, it is dropped (RFC only; ns-2 lets it wait).
    pub own_packets_wait: bool,
    /// Whether a packet whose next hop is lost may take another route from the cache.
    pub salvage: bool,
    /// MAX_SALVAGE_COUNT: how often.
    pub max_salvage_count: u8,
    /// Whether the router listens to packets for other stations.
    pub promiscuous: bool,
    /// Whether routes seen in packets are kept: forwarded ones, and with `promiscuous` overheard ones (RFC only; ns-2
    /// always does).
    pub snoop: bool,
    /// Whether a source is told of a shorter way (automatic route shortening); needs `promiscuous`.
    pub gratuitous_replies: bool,
    /// GratReplyHoldoff: how long the same source is not told again.
    pub grat_reply_holdoff: Duration,
    /// Paths of the cache of routes that were asked for (ns-2 only).
    pub primary_paths: usize,
    /// Paths of the cache of routes seen in use (ns-2 only).
    pub secondary_paths: usize,
    /// Whether packets of an established flow go without a source route (ns-2 only).
    pub flow_state: bool,
    /// How long nodes remember a flow after its last packet (ns-2 only).
    pub flow_timeout: Duration,
    /// How often a packet of a flow carries the route (ns-2 only).
    pub flow_route_interval: Duration,
    /// Gap between kept packets when they leave (ns-2 only).
    pub release_gap: Duration,
}

impl Config {
    /// RFC 4728 §9, with the link cache that §4.1 recommends, and all options of §3.3 and §3.4.
    ///
    /// The RFC leaves open how breaks are noticed; here the link layer reports them, as it does in 802.11. H, the
    /// unit of the delay of cached replies, is only said to be at least twice a link's propagation delay: 2 ms.
    #[must_use]
    pub fn rfc() -> Self {
        Self {
            dialect: Dialect::Rfc4728,
            cache: CacheKind::Link,
            cache_paths: 64,
            cache_links: 1_000_000,
            two_way_links: true,
            route_cache_timeout: Duration::from_secs(300),
            init_stability: Duration::from_secs(25),
            stability_increase: 4.0,
            stability_decrease: 0.5,
            min_lifetime: Duration::from_secs(1),
            use_extends: Duration::from_secs(120),
            flush_link_cache: false,
            broadcast_jitter: Duration::from_millis(10),
            request_jitter: Duration::ZERO,
            send_buffer_timeout: Duration::from_secs(30),
            send_buffer_packets: 64,
            request_table_size: 64,
            request_table_ids: 16,
            max_request_rexmt: 16,
            request_period: Duration::from_millis(500),
            max_request_period: Duration::from_secs(10),
            nonpropagating_request: true,
            nonprop_request_timeout: Duration::from_millis(30),
            discovery_hop_limit: 255,
            reply_from_cache: true,
            reply_delay: Duration::from_millis(2),
            link_layer_feedback: true,
            passive_acks: false,
            network_acks: false,
            maintenance_buffer_packets: 50,
            maintenance_order: Order::Fifo,
            maint_holdoff: Duration::from_millis(250),
            max_maint_rexmt: 2,
            try_passive_acks: 1,
            passive_ack_timeout: Duration::from_millis(100),
            own_packets_wait: true,
            salvage: true,
            max_salvage_count: 15,
            promiscuous: true,
            snoop: true,
            gratuitous_replies: true,
            grat_reply_holdoff: Duration::from_secs(1),
            primary_paths: 0,
            secondary_paths: 0,
            flow_state: false,
            flow_timeout: Duration::ZERO,
            flow_route_interval: Duration::ZERO,
            release_gap: Duration::ZERO,
        }
    }

    /// Papanastasiou 2006, table A.2: DSR-UU on ns-2, with passive acknowledgements instead of link-layer feedback.
    /// DSR-UU keeps links, and gives every link that it learns RouteCacheTimeout. Its `FlushLinkCache` is a command to
    /// its kernel module, not a rule: a link that breaks takes no other link with it (its source of 2005 to 2012).
    #[must_use]
    pub fn papanastasiou() -> Self {
        Self {
            cache: CacheKind::LinkStatic,
            broadcast_jitter: Duration::from_millis(20),
            send_buffer_packets: 100,
            link_layer_feedback: false,
            passive_acks: true,
            maintenance_order: Order::Lifo,
            ..Self::rfc()
        }
    }

    /// DSR-UU in ns-2, as its source has it (0.1 of June 2005, and April 2006). The link layer reports lost neighbours; a
    /// link leads one way, never expires, and is not learnt while there are 100; searches go through the whole network,
    /// for ns-2 has no time to live there, and are repeated after 30, 60, 120 ms, and so on. A node waits at random before
    /// its own requests, and passes on those of others at once; before replies it waits there, and not here.
    #[must_use]
    pub fn dsr_uu() -> Self {
        Self {
            cache_links: 100,
            two_way_links: false,
            route_cache_timeout: Duration::from_secs(10_000_000),
            broadcast_jitter: Duration::ZERO,
            request_jitter: Duration::from_millis(20),
            request_period: Duration::from_millis(30),
            nonpropagating_request: false,
            link_layer_feedback: true,
            passive_acks: false,
            maintenance_order: Order::Fifo,
            own_packets_wait: false,
            ..Self::papanastasiou()
        }
    }

    /// The DSR of ns-2.35.
    #[must_use]
    pub fn ns2() -> Self {
        Self {
            dialect: Dialect::Ns2,
            cache: CacheKind::Path,
            cache_paths: 0,
            route_cache_timeout: Duration::MAX,
            primary_paths: 30,
            secondary_paths: 64,
            flow_state: true,
            flow_timeout: Duration::from_secs(60),
            flow_route_interval: Duration::from_secs(5),
            release_gap: Duration::from_millis(30),
            ..Self::rfc()
        }
    }
}
