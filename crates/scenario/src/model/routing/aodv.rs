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
    /// RFC 3561, and a wait before own requests.
    Rfc,
    /// ns-2.35.
    Ns2,
    /// The RFC's rules with the settings of Papanastasiou's thesis (2006), table A.1: all its runs but one.
    Papanastasiou,
    /// The same, table 3.1: its route-break trace (HELLO, no link-layer feedback).
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
    /// Which set of constants, and whose rules, hold.
    pub profile: AodvProfile,
    /// How long a route stays in use after the last packet, seconds. rfc: 3 without `link_feedback`.
    pub active_route_timeout_s: f64,
    /// The lifetime a destination puts into its replies, seconds. rfc: twice `active_route_timeout_s`.
    pub my_route_timeout_s: f64,
    /// The greatest length of a route, and the time to live of a network-wide request.
    pub net_diameter: u8,
    /// A conservative estimate of the time one hop takes, milliseconds.
    pub node_traversal_time_ms: f64,
    /// How long a request is remembered, milliseconds. rfc: 4 x `node_traversal_time_ms` x `net_diameter`.
    pub path_discovery_time_ms: f64,
    /// Time to live of the first request. rfc: at least 2 with `hello`.
    pub ttl_start: u8,
    /// By how much it grows.
    pub ttl_increment: u8,
    /// The largest below the network-wide one.
    pub ttl_threshold: u8,
    /// Repetitions of a network-wide request.
    pub rreq_retries: u32,
    /// Packets that a node keeps while it looks for routes.
    pub buffer_packets: u32,
    /// How long a packet is kept there, seconds.
    pub buffer_timeout_s: f64,
    /// Gap between kept packets when they leave, milliseconds.
    pub release_gap_ms: f64,
    /// Forwarded broadcasts wait for a random time below this, milliseconds.
    pub broadcast_jitter_ms: f64,
    /// rfc: own requests wait for a random time below this, milliseconds, so that nodes that begin to search in one
    /// instant do not collide each time that they ask (RFC 5148).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_jitter_ms: Option<f64>,
    /// rfc: how long a route out of use is remembered, seconds. Five times `active_route_timeout_s`, or
    /// `hello_interval_s` if that is longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete_period_s: Option<f64>,
    /// rfc: hops added to a ring when its traversal time is computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_buffer: Option<u8>,
    /// rfc: whether the first network-wide request counts as a retry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rreq_retries_include_first: Option<bool>,
    /// rfc: requests originated per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rreq_ratelimit: Option<u32>,
    /// rfc: errors originated per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerr_ratelimit: Option<u32>,
    /// rfc: whether an intermediate node that replies also tells the destination.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gratuitous: Option<bool>,
    /// rfc: whether only the destination may reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination_only: Option<bool>,
    /// rfc: whether a packet that the link layer gives up shows that the link is lost. If not, it is only a
    /// lost packet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_feedback: Option<bool>,
    /// rfc: whether nodes send HELLOs, and take neighbours that fall silent for lost. On where `link_feedback` is
    /// off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hello: Option<bool>,
    /// rfc: send HELLOs also where no active route leads through the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hello_always: Option<bool>,
    /// rfc: the longest time without a broadcast, seconds; then comes a HELLO.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hello_interval_s: Option<f64>,
    /// rfc: a HELLO comes earlier by a random time below this, milliseconds. Less than the interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hello_jitter_ms: Option<f64>,
    /// rfc: intervals of silence after which a neighbour that has sent HELLOs is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_hello_loss: Option<u32>,
    /// rfc: whether the node before a lost link keeps packets and looks for another way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_repair: Option<bool>,
    /// rfc: the greatest length of a route that is repaired, from the lost link on. 0.3 x `net_diameter`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_repair_ttl: Option<u8>,
    /// rfc: hops by which a repair's request goes beyond the old length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_add_ttl: Option<u8>,
    /// rfc: whether replies ask for an acknowledgement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rrep_ack: Option<bool>,
    /// rfc: ignore requests of neighbours that replies do not reach, as `link_feedback` or `rrep_ack` shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blacklist: Option<bool>,
    /// rfc: for how long, seconds. `rreq_retries` x 2 x `node_traversal_time_ms` x `net_diameter`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blacklist_timeout_s: Option<f64>,
    /// rfc: how long an acknowledgement is waited for, milliseconds. `node_traversal_time_ms` + 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_hop_wait_ms: Option<f64>,
    /// ns2: the least lifetime of a reverse route, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev_route_life_s: Option<f64>,
    /// ns2: the longest wait for a reply, and the pause after a failed search, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_rreq_timeout_s: Option<f64>,
    /// ns2: how often routes and kept packets are looked over, milliseconds.
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
