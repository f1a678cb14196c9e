//! `[routing.aodv]`.

use hopwright_machine::Duration;
use hopwright_routing::aodv::Config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Profile, RoutingTable, millis, seconds};

/// Which set of constants holds for AODV.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AodvProfile {
    /// RFC 3561.
    Rfc,
    /// ns-2.35.
    Ns2,
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
    /// How long a route stays in use after the last packet, seconds.
    pub active_route_timeout_s: f64,
    /// The lifetime a destination puts into its replies, seconds. rfc: twice `active_route_timeout_s`.
    pub my_route_timeout_s: f64,
    /// The greatest length of a route, and the time to live of a network-wide request.
    pub net_diameter: u8,
    /// A conservative estimate of the time one hop takes, milliseconds.
    pub node_traversal_time_ms: f64,
    /// How long a request is remembered, milliseconds. rfc: 4 x `node_traversal_time_ms` x `net_diameter`.
    pub path_discovery_time_ms: f64,
    /// Time to live of the first request.
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
    /// rfc: how long a route out of use is remembered, seconds. Five times `active_route_timeout_s`.
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

/// Keys that only the rules of the RFC know.
const RFC_ONLY: &[&str] = &[
    "delete_period_s",
    "timeout_buffer",
    "rreq_retries_include_first",
    "rreq_ratelimit",
    "rerr_ratelimit",
    "gratuitous",
    "destination_only",
];
/// Keys that only the rules of ns-2 know.
const NS2_ONLY: &[&str] = &["rev_route_life_s", "max_rreq_timeout_s", "purge_interval_ms"];

impl RoutingTable for Aodv {
    type Profile = AodvProfile;
    type Config = Config;
    const NAME: &'static str = "aodv";
    const ONLY: &'static [(&'static [&'static str], &'static [&'static str])] =
        &[(&["rfc"], RFC_ONLY), (&["ns2"], NS2_ONLY)];

    fn of_profile(profile: AodvProfile) -> Self {
        let (is_rfc, c) = match profile {
            AodvProfile::Rfc => (true, Config::rfc()),
            AodvProfile::Ns2 => (false, Config::ns2()),
        };
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
            delete_period_s: is_rfc.then(|| c.delete_period.as_secs_f64()),
            timeout_buffer: is_rfc.then_some(c.timeout_buffer),
            rreq_retries_include_first: is_rfc.then_some(c.rreq_retries_include_first),
            rreq_ratelimit: is_rfc.then_some(c.rreq_ratelimit),
            rerr_ratelimit: is_rfc.then_some(c.rerr_ratelimit),
            gratuitous: is_rfc.then_some(c.gratuitous),
            destination_only: is_rfc.then_some(c.destination_only),
            rev_route_life_s: (!is_rfc).then(|| c.rev_route_life.as_secs_f64()),
            max_rreq_timeout_s: (!is_rfc).then(|| c.max_rreq_timeout.as_secs_f64()),
            purge_interval_ms: (!is_rfc).then(|| ms(c.purge_interval)),
        }
    }

    /// Constants that the RFC derives from others follow these.
    fn derive(&mut self, given: impl Fn(&str) -> bool) {
        if self.profile == AodvProfile::Ns2 {
            return;
        }
        if !given("my_route_timeout_s") {
            self.my_route_timeout_s = 2.0 * self.active_route_timeout_s;
        }
        if !given("delete_period_s") {
            self.delete_period_s = Some(5.0 * self.active_route_timeout_s);
        }
        if !given("path_discovery_time_ms") {
            self.path_discovery_time_ms = 4.0 * self.node_traversal_time_ms * f64::from(self.net_diameter);
        }
    }

    fn config(&self) -> Config {
        let usual = match self.profile {
            AodvProfile::Rfc => Config::rfc(),
            AodvProfile::Ns2 => Config::ns2(),
        };
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
            purge_interval: self.purge_interval_ms.map_or(usual.purge_interval, millis),
            gratuitous: self.gratuitous.unwrap_or(usual.gratuitous),
            destination_only: self.destination_only.unwrap_or(usual.destination_only),
        }
    }
}
