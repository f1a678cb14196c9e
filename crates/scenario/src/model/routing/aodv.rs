//! `[routing.aodv]`.

use hopwright_machine::Duration;
use hopwright_routing::aodv::Config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::limit::{COUNT, LONGEST_S, Limit, PERIOD_MS, PERIOD_S, SHORTEST_MS, SHORTEST_S, from};
use super::{Profile, REQUEST_JITTER, RoutingTable, millis, seconds};

/// Which set of constants holds for AODV.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AodvProfile {
    /// RFC 3561, and a node waits before it sends a request of its own.
    Rfc,
    /// ns-2.35.
    Ns2,
    /// The rules of the RFC with the settings of Papanastasiou's thesis (2006), table A.1, for all its runs except one.
    Papanastasiou,
    /// The rules of the RFC with the settings of this thesis, table 3.1, for its route-break trace (HELLO, no
    /// link-layer feedback).
    PapanastasiouTrace,
}

impl AodvProfile {
    fn constants(self) -> Config {
        match self {
            Self::Rfc => Config { request_jitter: REQUEST_JITTER, ..Config::rfc() },
            Self::Ns2 => Config::ns2(),
            Self::Papanastasiou => Config::papanastasiou(),
            Self::PapanastasiouTrace => Config::papanastasiou_trace(),
        }
    }
}

impl From<Profile> for AodvProfile {
    fn from(profile: Profile) -> Self {
        match profile {
            Profile::Standard => Self::Rfc,
            Profile::Ns2 => Self::Ns2,
        }
    }
}

/// Parameters of AODV. Those that only one profile knows stay open under the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Aodv {
    /// Which constants and which rules are used.
    pub profile: AodvProfile,
    /// How long a route stays in use after its last packet, seconds. Default with profile rfc and without
    /// `link_feedback`: 3.
    pub active_route_timeout_s: f64,
    /// The lifetime that a destination writes into its replies, seconds. Default, except with profile ns2: twice
    /// `active_route_timeout_s`.
    pub my_route_timeout_s: f64,
    /// The greatest length of a route, hops. It is also the time to live of a network-wide request.
    pub net_diameter: u8,
    /// A conservative estimate of the time that one hop takes, milliseconds.
    pub node_traversal_time_ms: f64,
    /// How long a node remembers a request, milliseconds. Default, except with profile ns2: 4 x
    /// `node_traversal_time_ms` x `net_diameter`.
    pub path_discovery_time_ms: f64,
    /// Time to live of the first request. The default, except with profile ns2, is at least 2 with `hello`.
    pub ttl_start: u8,
    /// By how much the time to live grows from one request to the next.
    pub ttl_increment: u8,
    /// The largest time to live of a request that is not network-wide.
    pub ttl_threshold: u8,
    /// Repetitions of a network-wide request.
    pub rreq_retries: u32,
    /// Largest number of packets that a node keeps while it looks for routes.
    pub buffer_packets: u32,
    /// How long a node keeps a packet while it looks for a route, seconds.
    pub buffer_timeout_s: f64,
    /// Time between two kept packets when they leave, milliseconds.
    pub release_gap_ms: f64,
    /// Upper limit of the random time that a forwarded broadcast waits, milliseconds.
    pub broadcast_jitter_ms: f64,
    /// Not with profile ns2: upper limit of the random time that a node waits before a request of its own,
    /// milliseconds. Without it, the requests of nodes that start to search at the same time would collide each time
    /// (RFC 5148).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_jitter_ms: Option<f64>,
    /// Not with profile ns2: how long a node remembers a route that is not in use, seconds. Default: five times
    /// `active_route_timeout_s`, or five times `hello_interval_s` if that is longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete_period_s: Option<f64>,
    /// Not with profile ns2: hops that are added to the radius of a search ring when its traversal time is computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_buffer: Option<u8>,
    /// Not with profile ns2: whether the first network-wide request counts as a retry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rreq_retries_include_first: Option<bool>,
    /// Not with profile ns2: largest number of requests that a node originates per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rreq_ratelimit: Option<u32>,
    /// Not with profile ns2: largest number of route errors that a node originates per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerr_ratelimit: Option<u32>,
    /// Not with profile ns2: whether an intermediate node that replies also tells the destination.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gratuitous: Option<bool>,
    /// Not with profile ns2: whether only the destination may reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination_only: Option<bool>,
    /// Not with profile ns2: whether a link is lost when the link layer gives up a packet. If not, only the packet is
    /// lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_feedback: Option<bool>,
    /// Not with profile ns2: whether nodes send HELLOs, and assume that silent neighbours are lost. Default: true if
    /// `link_feedback` is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hello: Option<bool>,
    /// Not with profile ns2: whether a node sends HELLOs even if no active route leads through this node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hello_always: Option<bool>,
    /// Not with profile ns2: the longest time without a broadcast, seconds. Then the node sends a HELLO.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hello_interval_s: Option<f64>,
    /// Not with profile ns2: upper limit of the random time by which a HELLO is sent earlier, milliseconds. It must be
    /// less than the interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hello_jitter_ms: Option<f64>,
    /// Not with profile ns2: number of intervals of silence after which a neighbour that has sent HELLOs is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_hello_loss: Option<u32>,
    /// Not with profile ns2: whether the node before a lost link keeps packets and looks for another route.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_repair: Option<bool>,
    /// Not with profile ns2: the greatest number of hops after the lost link with which a route is repaired. Default:
    /// 0.3 x `net_diameter`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_repair_ttl: Option<u8>,
    /// Not with profile ns2: number of hops by which the request of a repair goes beyond the old length of the route.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_add_ttl: Option<u8>,
    /// Not with profile ns2: whether replies ask for an acknowledgement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rrep_ack: Option<bool>,
    /// Not with profile ns2: whether a node ignores requests of neighbours that replies do not reach. `link_feedback`
    /// or `rrep_ack` shows this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blacklist: Option<bool>,
    /// Not with profile ns2: how long a node ignores these requests, seconds. Default: `rreq_retries` x 2 x
    /// `node_traversal_time_ms` x `net_diameter`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blacklist_timeout_s: Option<f64>,
    /// Not with profile ns2: how long a node waits for an acknowledgement, milliseconds. Default:
    /// `node_traversal_time_ms` + 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_hop_wait_ms: Option<f64>,
    /// Only with profile ns2: the shortest lifetime of a reverse route, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev_route_life_s: Option<f64>,
    /// Only with profile ns2: the longest wait for a reply, and also the pause after a failed search, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_rreq_timeout_s: Option<f64>,
    /// Only with profile ns2: time between two checks of routes and kept packets, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purge_interval_ms: Option<f64>,
}

/// What its numbers may be.
pub(crate) const LIMITS: &[Limit] = &[
    from("active_route_timeout_s", SHORTEST_S, LONGEST_S),
    from("my_route_timeout_s", SHORTEST_S, LONGEST_S),
    from("net_diameter", 1.0, 255.0),
    from("node_traversal_time_ms", SHORTEST_MS, 1e6),
    from("path_discovery_time_ms", SHORTEST_MS, 1e9),
    from("ttl_start", 1.0, 255.0),
    from("ttl_increment", 1.0, 255.0),
    from("ttl_threshold", 1.0, 255.0),
    from("rreq_retries", 0.0, 255.0),
    from("buffer_packets", 0.0, 1e6),
    from("buffer_timeout_s", SHORTEST_S, LONGEST_S),
    from("release_gap_ms", 0.0, 1e6),
    from("broadcast_jitter_ms", 0.0, 1e6),
    from("request_jitter_ms", 0.0, 1e6),
    from("delete_period_s", SHORTEST_S, 1e7),
    from("timeout_buffer", 0.0, 255.0),
    from("rreq_ratelimit", 1.0, COUNT),
    from("rerr_ratelimit", 1.0, COUNT),
    from("hello_interval_s", PERIOD_S, LONGEST_S),
    from("hello_jitter_ms", 0.0, 1e6),
    from("allowed_hello_loss", 1.0, 255.0),
    from("max_repair_ttl", 0.0, 255.0),
    from("local_add_ttl", 0.0, 255.0),
    from("blacklist_timeout_s", 0.0, LONGEST_S),
    from("next_hop_wait_ms", SHORTEST_MS, 1e6),
    from("rev_route_life_s", 0.0, LONGEST_S),
    from("max_rreq_timeout_s", 0.0, LONGEST_S),
    from("purge_interval_ms", PERIOD_MS, 1e6),
];

/// Keys that only the rules of the RFC know.
const RFC_ONLY: &[&str] = &[
    "request_jitter_ms",
    "delete_period_s",
    "timeout_buffer",
    "rreq_retries_include_first",
    "rreq_ratelimit",
    "rerr_ratelimit",
    "gratuitous",
    "destination_only",
    "link_feedback",
    "hello",
    "hello_always",
    "hello_interval_s",
    "hello_jitter_ms",
    "allowed_hello_loss",
    "local_repair",
    "max_repair_ttl",
    "local_add_ttl",
    "rrep_ack",
    "blacklist",
    "blacklist_timeout_s",
    "next_hop_wait_ms",
];
/// Keys that only the rules of ns-2 know.
const NS2_ONLY: &[&str] = &["rev_route_life_s", "max_rreq_timeout_s", "purge_interval_ms"];

impl RoutingTable for Aodv {
    type Profile = AodvProfile;
    type Config = Config;
    const NAME: &'static str = "aodv";
    const ONLY: &'static [(&'static [&'static str], &'static [&'static str])] =
        &[(&["rfc", "papanastasiou", "papanastasiou-trace"], RFC_ONLY), (&["ns2"], NS2_ONLY)];
    const FOLLOWS: &'static [(&'static str, &'static [&'static str])] = &[
        ("hello", &["link_feedback"]),
        ("active_route_timeout_s", &["link_feedback"]),
        ("ttl_start", &["hello"]),
        ("my_route_timeout_s", &["active_route_timeout_s"]),
        ("delete_period_s", &["active_route_timeout_s", "hello_interval_s"]),
        ("path_discovery_time_ms", &["node_traversal_time_ms", "net_diameter"]),
        ("max_repair_ttl", &["net_diameter"]),
        ("blacklist_timeout_s", &["node_traversal_time_ms", "net_diameter", "rreq_retries"]),
        ("next_hop_wait_ms", &["node_traversal_time_ms"]),
    ];

    fn of_profile(profile: AodvProfile) -> Self {
        let (is_rfc, c) = (profile != AodvProfile::Ns2, profile.constants());
        let ms = |d: Duration| d.as_nanos() as f64 / 1e6;
        Self {
            profile,
            active_route_timeout_s: c.active_route_timeout.as_secs_f64(),
            my_route_timeout_s: c.my_route_timeout.as_secs_f64(),
            net_diameter: c.net_diameter,
            node_traversal_time_ms: ms(c.node_traversal_time),
            path_discovery_time_ms: ms(c.path_discovery_time),
            ttl_start: c.ttl_start,
            ttl_increment: c.ttl_increment,
            ttl_threshold: c.ttl_threshold,
            rreq_retries: c.rreq_retries,
            buffer_packets: c.buffer_packets as u32,
            buffer_timeout_s: c.buffer_timeout.as_secs_f64(),
            release_gap_ms: ms(c.release_gap),
            broadcast_jitter_ms: ms(c.broadcast_jitter),
            request_jitter_ms: is_rfc.then(|| ms(c.request_jitter)),
            delete_period_s: is_rfc.then(|| c.delete_period.as_secs_f64()),
            timeout_buffer: is_rfc.then_some(c.timeout_buffer),
            rreq_retries_include_first: is_rfc.then_some(c.rreq_retries_include_first),
            rreq_ratelimit: is_rfc.then_some(c.rreq_ratelimit),
            rerr_ratelimit: is_rfc.then_some(c.rerr_ratelimit),
            gratuitous: is_rfc.then_some(c.gratuitous),
            destination_only: is_rfc.then_some(c.destination_only),
            link_feedback: is_rfc.then_some(c.link_feedback),
            hello: is_rfc.then_some(c.hello),
            hello_always: is_rfc.then_some(c.hello_always),
            hello_interval_s: is_rfc.then(|| c.hello_interval.as_secs_f64()),
            hello_jitter_ms: is_rfc.then(|| ms(c.hello_jitter)),
            allowed_hello_loss: is_rfc.then_some(c.allowed_hello_loss),
            local_repair: is_rfc.then_some(c.local_repair),
            max_repair_ttl: is_rfc.then_some(c.max_repair_ttl),
            local_add_ttl: is_rfc.then_some(c.local_add_ttl),
            rrep_ack: is_rfc.then_some(c.rrep_ack),
            blacklist: is_rfc.then_some(c.blacklist),
            blacklist_timeout_s: is_rfc.then(|| c.blacklist_timeout.as_secs_f64()),
            next_hop_wait_ms: is_rfc.then(|| ms(c.next_hop_wait)),
            rev_route_life_s: (!is_rfc).then(|| c.rev_route_life.as_secs_f64()),
            max_rreq_timeout_s: (!is_rfc).then(|| c.max_rreq_timeout.as_secs_f64()),
            purge_interval_ms: (!is_rfc).then(|| ms(c.purge_interval)),
        }
    }

    fn profile(&self) -> AodvProfile {
        self.profile
    }

    /// Constants that the RFC derives from others follow these.
    fn derive(&mut self, given: impl Fn(&str) -> bool) {
        if self.profile == AodvProfile::Ns2 {
            return;
        }
        if !given("hello") {
            self.hello = self.link_feedback.map(|link_feedback| !link_feedback); // §6.10: one of the two
        }
        if !given("active_route_timeout_s") && self.profile == AodvProfile::Rfc && self.link_feedback == Some(false) {
            self.active_route_timeout_s = 3.0; // §10: 10 s are for link-layer feedback
        }
        if !given("ttl_start") && self.hello == Some(true) {
            self.ttl_start = self.ttl_start.max(2); // §10
        }
        if !given("my_route_timeout_s") {
            self.my_route_timeout_s = 2.0 * self.active_route_timeout_s;
        }
        if !given("delete_period_s") {
            let hello_interval_s = self.hello_interval_s.unwrap_or_default();
            self.delete_period_s = Some(5.0 * self.active_route_timeout_s.max(hello_interval_s));
        }
        let net_traversal_time_ms = 2.0 * self.node_traversal_time_ms * f64::from(self.net_diameter);
        if !given("path_discovery_time_ms") {
            self.path_discovery_time_ms = 2.0 * net_traversal_time_ms;
        }
        if !given("max_repair_ttl") {
            self.max_repair_ttl = Some((u16::from(self.net_diameter) * 3 / 10) as u8);
        }
        if !given("blacklist_timeout_s") {
            self.blacklist_timeout_s = Some(f64::from(self.rreq_retries) * net_traversal_time_ms / 1e3);
        }
        if !given("next_hop_wait_ms") {
            self.next_hop_wait_ms = Some(self.node_traversal_time_ms + 10.0);
        }
    }

    fn idle(&self) -> Vec<(&'static [&'static str], &'static str)> {
        let mut idle: Vec<(&'static [&'static str], _)> = Vec::new();
        if self.hello == Some(false) {
            idle.push((&["hello_always", "hello_jitter_ms", "allowed_hello_loss"], "hello = true"));
            // DELETE_PERIOD may follow from it (§10).
            if self.delete_period_s != self.hello_interval_s.map(|interval_s| 5.0 * interval_s) {
                idle.push((&["hello_interval_s"], "hello = true"));
            }
        }
        if self.local_repair == Some(false) {
            idle.push((&["max_repair_ttl", "local_add_ttl"], "local_repair = true"));
        }
        // Who replies for the destination tells it so; with the D flag nobody does (§6.6.2, §6.6.3).
        if self.destination_only == Some(true) {
            idle.push((&["gratuitous"], "destination_only = false"));
        }
        if self.blacklist == Some(false) {
            idle.push((&["blacklist_timeout_s", "next_hop_wait_ms"], "blacklist = true"));
        } else if self.rrep_ack == Some(false) {
            idle.push((&["next_hop_wait_ms"], "rrep_ack = true"));
        }
        idle
    }

    fn config(&self) -> Config {
        let usual = self.profile.constants();
        Config {
            dialect: usual.dialect,
            active_route_timeout: seconds(self.active_route_timeout_s),
            my_route_timeout: seconds(self.my_route_timeout_s),
            rev_route_life: self.rev_route_life_s.map_or(usual.rev_route_life, seconds),
            delete_period: self.delete_period_s.map_or(usual.delete_period, seconds),
            net_diameter: self.net_diameter,
            node_traversal_time: millis(self.node_traversal_time_ms),
            path_discovery_time: millis(self.path_discovery_time_ms),
            ttl_start: self.ttl_start,
            ttl_increment: self.ttl_increment,
            ttl_threshold: self.ttl_threshold,
            timeout_buffer: self.timeout_buffer.unwrap_or(usual.timeout_buffer),
            rreq_retries: self.rreq_retries,
            rreq_retries_include_first: self.rreq_retries_include_first.unwrap_or(usual.rreq_retries_include_first),
            rreq_ratelimit: self.rreq_ratelimit.unwrap_or(usual.rreq_ratelimit),
            rerr_ratelimit: self.rerr_ratelimit.unwrap_or(usual.rerr_ratelimit),
            max_rreq_timeout: self.max_rreq_timeout_s.map_or(usual.max_rreq_timeout, seconds),
            buffer_packets: self.buffer_packets as usize,
            buffer_timeout: seconds(self.buffer_timeout_s),
            release_gap: millis(self.release_gap_ms),
            broadcast_jitter: millis(self.broadcast_jitter_ms),
            request_jitter: self.request_jitter_ms.map_or(usual.request_jitter, millis),
            purge_interval: self.purge_interval_ms.map_or(usual.purge_interval, millis),
            gratuitous: self.gratuitous.unwrap_or(usual.gratuitous),
            destination_only: self.destination_only.unwrap_or(usual.destination_only),
            link_feedback: self.link_feedback.unwrap_or(usual.link_feedback),
            hello: self.hello.unwrap_or(usual.hello),
            hello_always: self.hello_always.unwrap_or(usual.hello_always),
            hello_interval: self.hello_interval_s.map_or(usual.hello_interval, seconds),
            hello_jitter: self.hello_jitter_ms.map_or(usual.hello_jitter, millis),
            allowed_hello_loss: self.allowed_hello_loss.unwrap_or(usual.allowed_hello_loss),
            local_repair: self.local_repair.unwrap_or(usual.local_repair),
            max_repair_ttl: self.max_repair_ttl.unwrap_or(usual.max_repair_ttl),
            local_add_ttl: self.local_add_ttl.unwrap_or(usual.local_add_ttl),
            rrep_ack: self.rrep_ack.unwrap_or(usual.rrep_ack),
            blacklist: self.blacklist.unwrap_or(usual.blacklist),
            blacklist_timeout: self.blacklist_timeout_s.map_or(usual.blacklist_timeout, seconds),
            next_hop_wait: self.next_hop_wait_ms.map_or(usual.next_hop_wait, millis),
        }
    }
}
