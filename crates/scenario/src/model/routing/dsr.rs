//! `[routing.dsr]`.

use hopwright_machine::Duration;
use hopwright_routing::dsr::{CacheKind, Config, Order};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::limit::{LONGEST_S, Limit, SHORTEST_MS, SHORTEST_S, from};
use super::{Profile, REQUEST_JITTER, RoutingTable, millis, seconds};

/// Which set of constants holds for DSR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DsrProfile {
    /// RFC 4728, with link-layer feedback, and a node waits before it sends a request of its own.
    Rfc,
    /// ns-2.35.
    Ns2,
    /// Papanastasiou 2006, table A.2: DSR-UU with passive acknowledgements.
    Papanastasiou,
    /// DSR-UU 0.1, as its source has it in ns-2: it drops packets that others keep, and caches at most 100 links.
    DsrUu,
}

impl From<Profile> for DsrProfile {
    fn from(profile: Profile) -> Self {
        match profile {
            Profile::Standard => Self::Rfc,
            Profile::Ns2 => Self::Ns2,
        }
    }
}

impl DsrProfile {
    fn config(self) -> Config {
        match self {
            Self::Rfc => Config { request_jitter: REQUEST_JITTER, ..Config::rfc() },
            Self::Ns2 => Config::ns2(),
            Self::Papanastasiou => Config::papanastasiou(),
            Self::DsrUu => Config::dsr_uu(),
        }
    }
}

/// In which form routes are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DsrCache {
    /// Whole routes.
    Path,
    /// Links, with the lifetimes of appendix A of the RFC. Routes are computed from links.
    Link,
    /// Links that all have the lifetime `route_cache_timeout_s`, as in DSR-UU. Routes are computed from links.
    LinkStatic,
}

/// In which order packets for a lost neighbour are salvaged or sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MaintenanceOrder {
    /// The oldest first.
    Fifo,
    /// The newest first.
    Lifo,
}

/// Parameters of DSR. Those that only some profiles know stay open under the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dsr {
    /// Which constants and which rules are used.
    pub profile: DsrProfile,
    /// Upper limit of the random time that forwarded requests and replies of the target wait, milliseconds.
    pub broadcast_jitter_ms: f64,
    /// How long a packet waits for a route, seconds.
    pub send_buffer_timeout_s: f64,
    /// Largest number of packets that wait for routes. If there are too many, the oldest packet is dropped.
    pub send_buffer_packets: u32,
    /// The first wait between network-wide requests, milliseconds. With profile ns2, the first wait is four times this time,
    /// because the first search already counts as one that got no answer.
    pub request_period_ms: f64,
    /// The longest wait between network-wide requests, seconds.
    pub max_request_period_s: f64,
    /// Whether a search first asks only the neighbours.
    pub nonpropagating_request: bool,
    /// How long a node waits for the answer of neighbours, milliseconds.
    pub nonprop_request_timeout_ms: f64,
    /// Whether nodes on the path of a request reply from their caches.
    pub reply_from_cache: bool,
    /// Whether a packet whose next hop is lost may take another route from the cache.
    pub salvage: bool,
    /// How often a packet may take another route.
    pub max_salvage_count: u8,
    /// Whether nodes listen to packets for other stations.
    pub promiscuous: bool,
    /// Whether nodes tell a source about a shorter path (automatic route shortening). Off without `promiscuous`.
    pub gratuitous_replies: bool,
    /// How long a node does not tell the same source again, seconds.
    pub grat_reply_holdoff_s: f64,
    /// Not with profile ns2: upper limit of the random time that a node waits before a request of its own,
    /// milliseconds. Without it, the requests of nodes that start to search at the same time would collide each time
    /// (RFC 5148).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_jitter_ms: Option<f64>,
    /// Not with profile ns2: in which form a node keeps routes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<DsrCache>,
    /// Not with profile ns2: number of routes in the path cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_paths: Option<u32>,
    /// Not with profile ns2: largest number of links in a link cache. While a node has so many, it learns no others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_links: Option<u32>,
    /// Not with profile ns2: whether a link that a node learns leads both ways. If not, a link leads the way of the packet
    /// whose route has the link. A node also learns the way to a neighbour that it hears.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub two_way_links: Option<bool>,
    /// Not with profile ns2: how long a node keeps a path after its last use, or a link of `link-static` after the node
    /// last learnt it, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route_cache_timeout_s: Option<f64>,
    /// Not with profile ns2: the first lifetime of a link in the link cache, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub init_stability_s: Option<f64>,
    /// Not with profile ns2: the lifetime that the ends of a link gain when it is used again, as a factor of the time
    /// between the two uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stability_increase: Option<f64>,
    /// Not with profile ns2: the share of the lifetime that remains to the ends of a link when the link breaks, as a
    /// factor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stability_decrease: Option<f64>,
    /// Not with profile ns2: the shortest lifetime of a link, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_lifetime_s: Option<f64>,
    /// Not with profile ns2: how long a node keeps a link after its use, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_extends_s: Option<f64>,
    /// Not with profile ns2: whether a node forgets all links when one link breaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flush_link_cache: Option<bool>,
    /// Not with profile ns2: number of nodes of which requests are remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_table_size: Option<u32>,
    /// Not with profile ns2: number of requests of each node that are remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_table_ids: Option<u32>,
    /// Not with profile ns2: how often a request is repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_request_rexmt: Option<u32>,
    /// Not with profile ns2: time to live of a network-wide request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discovery_hop_limit: Option<u8>,
    /// Not with profile ns2: the time H, milliseconds. Replies from the cache wait H (h - 1 + r) for a route of h hops,
    /// with a random r below 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_delay_ms: Option<f64>,
    /// Not with profile ns2: whether a link is lost when the link layer reports a failure. If not, acknowledgements
    /// decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_layer_feedback: Option<bool>,
    /// Not with profile ns2: whether a packet is acknowledged when the node hears the next hop pass it on. Needs
    /// `promiscuous`. The last hop is asked for an acknowledgement. Off with `link_layer_feedback`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passive_acks: Option<bool>,
    /// Not with profile ns2: whether nodes ask for acknowledgements on all hops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_acks: Option<bool>,
    /// Not with profile ns2: number of packets that a node keeps until the next hop has confirmed them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maintenance_buffer_packets: Option<u32>,
    /// Not with profile ns2: the order in which packets for a lost neighbour are salvaged or sent again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maintenance_order: Option<MaintenanceOrder>,
    /// Not with profile ns2: how long a confirmed neighbour needs no other confirmation, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maint_holdoff_ms: Option<f64>,
    /// Not with profile ns2: repetitions of a packet with a request for an acknowledgement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_maint_rexmt: Option<u32>,
    /// Not with profile ns2: repetitions of a packet that waits for a passive acknowledgement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub try_passive_acks: Option<u32>,
    /// Not with profile ns2: how long a node waits for a passive acknowledgement, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passive_ack_timeout_ms: Option<f64>,
    /// Not with profile ns2: whether a packet of a node's own waits for a new route if its next hop is lost and the node
    /// knows no other route. If not, the packet is dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_packets_wait: Option<bool>,
    /// Not with profile ns2: whether a node keeps routes that it sees in forwarded packets and, with `promiscuous`, in
    /// overheard packets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snoop: Option<bool>,
    /// Only with profile ns2: number of paths in the cache of routes that the node asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primary_paths: Option<u32>,
    /// Only with profile ns2: number of paths in the cache of routes that the node saw in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secondary_paths: Option<u32>,
    /// Only with profile ns2: whether packets of an established flow carry no source route.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow_state: Option<bool>,
    /// Only with profile ns2: how long nodes remember a flow after its last packet, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow_timeout_s: Option<f64>,
    /// Only with profile ns2: time between two packets of a flow that carry the route, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow_route_interval_s: Option<f64>,
    /// Only with profile ns2: time between two kept packets when they leave, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release_gap_ms: Option<f64>,
}

/// What its numbers may be.
pub(crate) const LIMITS: &[Limit] = &[
    from("broadcast_jitter_ms", 0.0, 1e6),
    from("request_jitter_ms", 0.0, 1e6),
    from("send_buffer_timeout_s", SHORTEST_S, LONGEST_S),
    from("send_buffer_packets", 1.0, 1e6),
    from("request_period_ms", SHORTEST_MS, 1e6),
    from("max_request_period_s", SHORTEST_S, LONGEST_S),
    from("nonprop_request_timeout_ms", SHORTEST_MS, 1e6),
    from("max_salvage_count", 0.0, 15.0),
    from("grat_reply_holdoff_s", 0.0, LONGEST_S),
    from("cache_paths", 1.0, 1e6),
    from("cache_links", 1.0, 1e6),
    from("route_cache_timeout_s", SHORTEST_S, 1e7),
    from("init_stability_s", SHORTEST_S, 1e7),
    from("stability_increase", 0.0, 1e3),
    from("stability_decrease", 0.0, 1.0),
    from("min_lifetime_s", SHORTEST_S, 1e7),
    from("use_extends_s", 0.0, 1e7),
    from("request_table_size", 1.0, 1e6),
    from("request_table_ids", 1.0, 1e6),
    from("max_request_rexmt", 0.0, 1e6),
    from("discovery_hop_limit", 1.0, 255.0),
    from("reply_delay_ms", 0.0, 1e6),
    from("maintenance_buffer_packets", 1.0, 1e6),
    from("maint_holdoff_ms", 0.0, 1e6),
    from("max_maint_rexmt", 0.0, 255.0),
    from("try_passive_acks", 0.0, 255.0),
    from("passive_ack_timeout_ms", SHORTEST_MS, 1e6),
    from("primary_paths", 1.0, 1e6),
    from("secondary_paths", 1.0, 1e6),
    from("flow_timeout_s", SHORTEST_S, 65_535.0),
    from("flow_route_interval_s", SHORTEST_S, LONGEST_S),
    from("release_gap_ms", 0.0, 1e6),
];

/// Keys that only the rules of the RFC know.
const RFC_ONLY: &[&str] = &[
    "request_jitter_ms",
    "cache",
    "cache_paths",
    "cache_links",
    "two_way_links",
    "route_cache_timeout_s",
    "init_stability_s",
    "stability_increase",
    "stability_decrease",
    "min_lifetime_s",
    "use_extends_s",
    "flush_link_cache",
    "request_table_size",
    "request_table_ids",
    "max_request_rexmt",
    "discovery_hop_limit",
    "reply_delay_ms",
    "link_layer_feedback",
    "passive_acks",
    "network_acks",
    "maintenance_buffer_packets",
    "maintenance_order",
    "maint_holdoff_ms",
    "max_maint_rexmt",
    "try_passive_acks",
    "passive_ack_timeout_ms",
    "own_packets_wait",
    "snoop",
];
/// Keys of the path cache.
const PATHS: &[&str] = &["cache_paths"];
/// Keys of the caches that do not adapt.
const TIMEOUT: &[&str] = &["route_cache_timeout_s"];
/// Keys of the caches that keep links.
const LINKS: &[&str] = &["flush_link_cache", "cache_links", "two_way_links"];
/// Keys of Link-MaxLife.
const LINK_LIFETIMES: &[&str] =
    &["init_stability_s", "stability_increase", "stability_decrease", "min_lifetime_s", "use_extends_s"];
/// Keys of Route Maintenance without the link layer's help.
const ACKNOWLEDGEMENTS: &[&str] = &[
    "passive_acks",
    "network_acks",
    "maintenance_buffer_packets",
    "maint_holdoff_ms",
    "max_maint_rexmt",
    "try_passive_acks",
    "passive_ack_timeout_ms",
];
/// Keys that only the rules of ns-2 know.
const NS2_ONLY: &[&str] =
    &["primary_paths", "secondary_paths", "flow_state", "flow_timeout_s", "flow_route_interval_s", "release_gap_ms"];

impl RoutingTable for Dsr {
    type Profile = DsrProfile;
    type Config = Config;
    const NAME: &'static str = "dsr";
    const ONLY: &'static [(&'static [&'static str], &'static [&'static str])] =
        &[(&["rfc", "papanastasiou", "dsr-uu"], RFC_ONLY), (&["ns2"], NS2_ONLY)];
    const FOLLOWS: &'static [(&'static str, &'static [&'static str])] =
        &[("gratuitous_replies", &["promiscuous"]), ("passive_acks", &["link_layer_feedback"])];

    fn of_profile(profile: DsrProfile) -> Self {
        let (is_ns2, c) = (profile == DsrProfile::Ns2, profile.config());
        let ms = |d: Duration| d.as_nanos() as f64 / 1e6;
        Self {
            profile,
            broadcast_jitter_ms: ms(c.broadcast_jitter),
            send_buffer_timeout_s: c.send_buffer_timeout.as_secs_f64(),
            send_buffer_packets: c.send_buffer_packets as u32,
            request_period_ms: ms(c.request_period),
            max_request_period_s: c.max_request_period.as_secs_f64(),
            nonpropagating_request: c.nonpropagating_request,
            nonprop_request_timeout_ms: ms(c.nonprop_request_timeout),
            reply_from_cache: c.reply_from_cache,
            salvage: c.salvage,
            max_salvage_count: c.max_salvage_count,
            promiscuous: c.promiscuous,
            gratuitous_replies: c.gratuitous_replies,
            grat_reply_holdoff_s: c.grat_reply_holdoff.as_secs_f64(),
            request_jitter_ms: (!is_ns2).then(|| ms(c.request_jitter)),
            cache: (!is_ns2).then(|| c.cache.into()),
            cache_paths: (!is_ns2).then_some(c.cache_paths as u32),
            cache_links: (!is_ns2).then_some(c.cache_links as u32),
            two_way_links: (!is_ns2).then_some(c.two_way_links),
            route_cache_timeout_s: (!is_ns2).then(|| c.route_cache_timeout.as_secs_f64()),
            init_stability_s: (!is_ns2).then(|| c.init_stability.as_secs_f64()),
            stability_increase: (!is_ns2).then_some(c.stability_increase),
            stability_decrease: (!is_ns2).then_some(c.stability_decrease),
            min_lifetime_s: (!is_ns2).then(|| c.min_lifetime.as_secs_f64()),
            use_extends_s: (!is_ns2).then(|| c.use_extends.as_secs_f64()),
            flush_link_cache: (!is_ns2).then_some(c.flush_link_cache),
            request_table_size: (!is_ns2).then_some(c.request_table_size as u32),
            request_table_ids: (!is_ns2).then_some(c.request_table_ids as u32),
            max_request_rexmt: (!is_ns2).then_some(c.max_request_rexmt),
            discovery_hop_limit: (!is_ns2).then_some(c.discovery_hop_limit),
            reply_delay_ms: (!is_ns2).then(|| ms(c.reply_delay)),
            link_layer_feedback: (!is_ns2).then_some(c.link_layer_feedback),
            passive_acks: (!is_ns2).then_some(c.passive_acks),
            network_acks: (!is_ns2).then_some(c.network_acks),
            maintenance_buffer_packets: (!is_ns2).then_some(c.maintenance_buffer_packets as u32),
            maintenance_order: (!is_ns2).then(|| c.maintenance_order.into()),
            maint_holdoff_ms: (!is_ns2).then(|| ms(c.maint_holdoff)),
            max_maint_rexmt: (!is_ns2).then_some(c.max_maint_rexmt),
            try_passive_acks: (!is_ns2).then_some(c.try_passive_acks),
            passive_ack_timeout_ms: (!is_ns2).then(|| ms(c.passive_ack_timeout)),
            own_packets_wait: (!is_ns2).then_some(c.own_packets_wait),
            snoop: (!is_ns2).then_some(c.snoop),
            primary_paths: is_ns2.then_some(c.primary_paths as u32),
            secondary_paths: is_ns2.then_some(c.secondary_paths as u32),
            flow_state: is_ns2.then_some(c.flow_state),
            flow_timeout_s: is_ns2.then(|| c.flow_timeout.as_secs_f64()),
            flow_route_interval_s: is_ns2.then(|| c.flow_route_interval.as_secs_f64()),
            release_gap_ms: is_ns2.then(|| ms(c.release_gap)),
        }
    }

    fn profile(&self) -> DsrProfile {
        self.profile
    }

    /// What other keys leave nothing to do is off.
    fn derive(&mut self, given: impl Fn(&str) -> bool) {
        if !given("gratuitous_replies") {
            self.gratuitous_replies &= self.promiscuous;
        }
        if !given("passive_acks") && self.link_layer_feedback == Some(true) {
            self.passive_acks = self.passive_acks.and(Some(false));
        }
    }

    fn idle(&self) -> Vec<(&'static [&'static str], &'static str)> {
        let mut idle: Vec<(&'static [&'static str], _)> = match self.cache {
            None => Vec::new(),
            Some(DsrCache::Path) => vec![(LINK_LIFETIMES, "cache = link"), (LINKS, "cache = link or link-static")],
            Some(DsrCache::Link) => vec![(PATHS, "cache = path"), (TIMEOUT, "cache = path or link-static")],
            Some(DsrCache::LinkStatic) => vec![(PATHS, "cache = path"), (LINK_LIFETIMES, "cache = link")],
        };
        if !self.promiscuous {
            idle.push((&["gratuitous_replies"], "promiscuous = true"));
        }
        if !self.gratuitous_replies {
            idle.push((&["grat_reply_holdoff_s"], "gratuitous_replies = true"));
        }
        if !self.nonpropagating_request {
            idle.push((&["nonprop_request_timeout_ms"], "nonpropagating_request = true"));
        }
        if !self.reply_from_cache {
            idle.push((&["reply_delay_ms"], "reply_from_cache = true"));
        }
        // By the RFC's rules it also limits what errors take along (§8.3.5).
        if !self.salvage && self.profile == DsrProfile::Ns2 {
            idle.push((&["max_salvage_count"], "salvage = true"));
        }
        if self.flow_state == Some(false) {
            idle.push((&["flow_timeout_s", "flow_route_interval_s"], "flow_state = true"));
        }
        if self.link_layer_feedback == Some(true) {
            idle.push((ACKNOWLEDGEMENTS, "link_layer_feedback = false"));
        } else if self.passive_acks == Some(false) {
            idle.push((&["try_passive_acks"], "passive_acks = true"));
        }
        idle
    }

    fn config(&self) -> Config {
        let usual = self.profile.config();
        Config {
            dialect: usual.dialect,
            broadcast_jitter: millis(self.broadcast_jitter_ms),
            request_jitter: self.request_jitter_ms.map_or(usual.request_jitter, millis),
            send_buffer_timeout: seconds(self.send_buffer_timeout_s),
            send_buffer_packets: self.send_buffer_packets as usize,
            request_period: millis(self.request_period_ms),
            max_request_period: seconds(self.max_request_period_s),
            nonpropagating_request: self.nonpropagating_request,
            nonprop_request_timeout: millis(self.nonprop_request_timeout_ms),
            reply_from_cache: self.reply_from_cache,
            salvage: self.salvage,
            max_salvage_count: self.max_salvage_count,
            promiscuous: self.promiscuous,
            gratuitous_replies: self.gratuitous_replies,
            grat_reply_holdoff: seconds(self.grat_reply_holdoff_s),
            cache: self.cache.map_or(usual.cache, Into::into),
            cache_paths: self.cache_paths.map_or(usual.cache_paths, |n| n as usize),
            cache_links: self.cache_links.map_or(usual.cache_links, |n| n as usize),
            two_way_links: self.two_way_links.unwrap_or(usual.two_way_links),
            route_cache_timeout: self.route_cache_timeout_s.map_or(usual.route_cache_timeout, seconds),
            init_stability: self.init_stability_s.map_or(usual.init_stability, seconds),
            stability_increase: self.stability_increase.unwrap_or(usual.stability_increase),
            stability_decrease: self.stability_decrease.unwrap_or(usual.stability_decrease),
            min_lifetime: self.min_lifetime_s.map_or(usual.min_lifetime, seconds),
            use_extends: self.use_extends_s.map_or(usual.use_extends, seconds),
            flush_link_cache: self.flush_link_cache.unwrap_or(usual.flush_link_cache),
            request_table_size: self.request_table_size.map_or(usual.request_table_size, |n| n as usize),
            request_table_ids: self.request_table_ids.map_or(usual.request_table_ids, |n| n as usize),
            max_request_rexmt: self.max_request_rexmt.unwrap_or(usual.max_request_rexmt),
            discovery_hop_limit: self.discovery_hop_limit.unwrap_or(usual.discovery_hop_limit),
            reply_delay: self.reply_delay_ms.map_or(usual.reply_delay, millis),
            link_layer_feedback: self.link_layer_feedback.unwrap_or(usual.link_layer_feedback),
            passive_acks: self.passive_acks.unwrap_or(usual.passive_acks),
            network_acks: self.network_acks.unwrap_or(usual.network_acks),
            maintenance_buffer_packets: self
                .maintenance_buffer_packets
                .map_or(usual.maintenance_buffer_packets, |n| n as usize),
            maintenance_order: self.maintenance_order.map_or(usual.maintenance_order, Into::into),
            maint_holdoff: self.maint_holdoff_ms.map_or(usual.maint_holdoff, millis),
            max_maint_rexmt: self.max_maint_rexmt.unwrap_or(usual.max_maint_rexmt),
            try_passive_acks: self.try_passive_acks.unwrap_or(usual.try_passive_acks),
            passive_ack_timeout: self.passive_ack_timeout_ms.map_or(usual.passive_ack_timeout, millis),
            own_packets_wait: self.own_packets_wait.unwrap_or(usual.own_packets_wait),
            snoop: self.snoop.unwrap_or(usual.snoop),
            primary_paths: self.primary_paths.map_or(usual.primary_paths, |n| n as usize),
            secondary_paths: self.secondary_paths.map_or(usual.secondary_paths, |n| n as usize),
            flow_state: self.flow_state.unwrap_or(usual.flow_state),
            flow_timeout: self.flow_timeout_s.map_or(usual.flow_timeout, seconds),
            flow_route_interval: self.flow_route_interval_s.map_or(usual.flow_route_interval, seconds),
            release_gap: self.release_gap_ms.map_or(usual.release_gap, millis),
        }
    }
}

/// Two enumerations with the same variants.
macro_rules! same {
    ($here:ident, $there:ident: $($variant:ident),+) => {
        impl From<$here> for $there {
            fn from(here: $here) -> Self {
                match here {
                    $($here::$variant => Self::$variant,)+
                }
            }
        }

        impl From<$there> for $here {
            fn from(there: $there) -> Self {
                match there {
                    $($there::$variant => Self::$variant,)+
                }
            }
        }
    };
}

same!(DsrCache, CacheKind: Path, Link, LinkStatic);
same!(MaintenanceOrder, Order: Fifo, Lifo);
