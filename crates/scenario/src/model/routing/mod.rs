//! How routes are found.

pub(super) mod aodv;
pub(super) mod dsdv;
pub(super) mod dsr;
pub(super) mod olsr;

use hopwright_machine::Duration;
use hopwright_routing as routing;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use self::aodv::{Aodv, AodvProfile};
pub use self::dsdv::{Dsdv, DsdvProfile};
pub use self::dsr::{Dsr, DsrProfile};
pub use self::olsr::{Olsr, OlsrProfile};
use super::Profile;
use super::limit::{Limit, from};
use crate::units::{millis, seconds};

/// The parameters of a protocol that finds routes: a table below `[routing]`.
pub trait RoutingTable: Serialize + DeserializeOwned + JsonSchema {
    /// The sets of constants that it knows by name.
    type Profile: DeserializeOwned + From<Profile>;
    /// What the routing layer takes.
    type Config: Into<routing::Config>;
    /// The table's name.
    const NAME: &'static str;
    /// Keys that only some profiles know: which profiles, which keys.
    const ONLY: &'static [(&'static [&'static str], &'static [&'static str])];

    /// Keys that follow from others where they are not given, as `derive` has it: which, from which.
    const FOLLOWS: &'static [(&'static str, &'static [&'static str])] = &[];

    /// The defaults of a profile: the constants of the routing layer.
    fn of_profile(profile: Self::Profile) -> Self;

    /// The profile whose constants these are, but for what is given.
    fn profile(&self) -> Self::Profile;

    /// Lets what is derived from other keys follow them, unless it is `given`.
    fn derive(&mut self, _given: impl Fn(&str) -> bool) {}

    /// Keys that do nothing, because of the values of others: the keys, and which values would make use of them.
    fn idle(&self) -> Vec<(&'static [&'static str], &'static str)> {
        Vec::new()
    }

    /// What the routing layer takes.
    fn config(&self) -> Self::Config;
}

/// Who can read the table of any protocol.
pub trait TableReader {
    /// The table, if it is wanted; `None` outside if something is wrong with it.
    fn read<T: RoutingTable>(&mut self, wanted: bool) -> Option<Option<T>>;
}

/// The table without its sub-tables.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Head {
    protocol: RoutingProtocol,
    multicast: Multicast,
    multicast_jitter_ms: Option<f64>,
    lost_notices: LostNotices,
}

/// What its numbers may be.
pub(super) const LIMITS: &[Limit] = &[from("multicast_jitter_ms", 0.0, 1e4)];

/// Makes everything that must agree on the list of protocols.
macro_rules! protocols {
    ($($(#[doc = $doc:literal])+ $protocol:ident: $table:ident,)+) => {
        /// How nodes find routes.
        #[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct Routing {
            /// The routing protocol.
            pub protocol: RoutingProtocol,
            /// What happens to packets that programs of an emulation send to groups or to all nodes.
            #[serde(default, skip_serializing_if = "Multicast::is_default")]
            #[schemars(extend("default" = "refuse"))]
            pub multicast: Multicast,
            /// Upper limit of the random time that a node waits before it passes on a flooded packet, milliseconds. 0:
            /// no wait. Default if packets are flooded: 10.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub multicast_jitter_ms: Option<f64>,
            /// What happens to a notice to a transport (a route has failed, or is restored) if a next hop in range does
            /// not take it.
            #[serde(default, skip_serializing_if = "LostNotices::is_default")]
            #[schemars(extend("default" = "as-packets"))]
            pub lost_notices: LostNotices,
            $(
                #[doc = concat!("Parameters of the protocol `", stringify!($table), "`. They are kept without effect if another protocol runs.")]
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $table: Option<$protocol>,
            )+
        }

        /// The routing protocol.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum RoutingProtocol {
            /// Paths with the fewest hops, installed before the start.
            #[default]
            Static,
            $($(#[doc = $doc])+ $protocol,)+
        }

        impl RoutingProtocol {
            /// Those that find routes by themselves, with their names in scenario files.
            pub const FOUND: &[(Self, &str)] = &[$((Self::$protocol, $protocol::NAME)),+];
        }

        impl Routing {
            /// The tables below `[routing]`, with the keys that only some of their profiles know.
            pub const TABLES: &[(&str, &[(&[&str], &[&str])])] =
                &[$(($protocol::NAME, <$protocol as RoutingTable>::ONLY)),+];

            /// The keys that a key of the table `path` follows from where it is not given.
            pub(crate) fn sources(path: &str, key: &str) -> &'static [&'static str] {
                let follows: &[(&str, &[(&str, &'static [&'static str])])] =
                    &[$((concat!("routing.", stringify!($table)), <$protocol as RoutingTable>::FOLLOWS)),+];
                let table = follows.iter().find(|(table, _)| *table == path).map_or(&[][..], |(_, follows)| follows);
                table.iter().find(|(name, _)| *name == key).map_or(&[], |(_, sources)| sources)
            }

            /// Every table with the defaults of a profile.
            #[must_use]
            pub fn of_profile(profile: Profile) -> Self {
                Self {
                    protocol: RoutingProtocol::default(),
                    multicast: Multicast::default(),
                    multicast_jitter_ms: None,
                    lost_notices: LostNotices::default(),
                    $($table: Some($protocol::of_profile(profile.into())),)+
                }
            }

            /// Reads the tables of those protocols that are `wanted`.
            pub fn read(
                head: Head,
                wanted: impl Fn(&str) -> bool,
                reader: &mut impl TableReader,
            ) -> Option<Self> {
                let Head { protocol, multicast, multicast_jitter_ms, lost_notices } = head;
                Some(Self {
                    protocol,
                    multicast,
                    multicast_jitter_ms,
                    lost_notices,
                    $($table: reader
                        .read(protocol == RoutingProtocol::$protocol || wanted($protocol::NAME))?,)+
                })
            }

            /// The protocol and its parameters; none for static routes.
            #[must_use]
            pub fn found(&self) -> Option<routing::Config> {
                match self.protocol {
                    RoutingProtocol::Static => None,
                    $(RoutingProtocol::$protocol => self.$table.as_ref().map(|table| table.config().into()),)+
                }
            }
        }
    };
}

/// What becomes of packets of programs to groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Multicast {
    /// These packets do not enter the network. They are counted.
    #[default]
    Refuse,
    /// Every node passes each packet on once: simplified multicast forwarding, RFC 6621, classic flooding.
    Flood,
}

impl Multicast {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What becomes of a notice to a transport that a next hop in range has not taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LostNotices {
    /// As with any packet, routing assumes that the link is broken. The notice takes another path or is lost.
    #[default]
    AsPackets,
    /// The station sends the notice again as long as the next hop is in range. No notice is lost while there is a link,
    /// as Zhou et al. (section 2) assume.
    SentAgain,
}

impl LostNotices {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A node's own requests wait for a random time below this. Neither RFC 3561 nor RFC 4728 has them wait, but flows that
/// begin in one instant at nodes that do not hear each other would never find a route: their requests collide, and so
/// do all repetitions, which come in one instant, too. RFC 5148 §5.2 says so and names no number: this is as long as
/// RFC 4728's BroadcastJitter.
const REQUEST_JITTER: Duration = Duration::from_millis(10);

/// As long as AODV waits before it passes on a request: RFC 5148 §5.2 names no number.
const MULTICAST_JITTER_MS: f64 = 10.0;

impl Routing {
    /// How packets to groups are flooded, if they are.
    pub(crate) fn flooding(&self) -> Option<routing::smf::Config> {
        let jitter = millis(self.multicast_jitter_ms.unwrap_or(MULTICAST_JITTER_MS));
        (self.multicast == Multicast::Flood).then_some(routing::smf::Config { jitter })
    }
}

protocols! {
    /// Ad hoc on-demand distance vector, RFC 3561.
    Aodv: aodv,
    /// Dynamic source routing, RFC 4728.
    Dsr: dsr,
    /// Optimized link state routing, RFC 3626.
    Olsr: olsr,
    /// Destination-sequenced distance vectors, Perkins and Bhagwat 1994.
    Dsdv: dsdv,
}
