//! A relay.

use hopwright_machine::NodeId;
use hopwright_sim as sim;
use hopwright_transport::{Protocol, protocol};

use crate::model::{Profile, Relay, Tcp};
use crate::units::millis;

pub(crate) fn relay(relay: &Relay, profile: Profile) -> sim::Relay {
    let (node, towards) = relay.place();
    let kind = match relay {
        Relay::Snoop(snoop) => sim::RelayKind::Snoop(sim::SnoopConfig {
            cache_packets: snoop.cache_packets as usize,
            min_timeout: millis(snoop.min_timeout_ms),
            most_tries: snoop.retry_limit,
        }),
        Relay::Split(split) => {
            let row = split.protocol.as_deref().and_then(protocol);
            let own = |row: &Protocol| {
                let params = row.params(Tcp::params_of_profile(profile));
                (row.id.to_owned(), Box::new(row.recipe), Box::new(params))
            };
            sim::RelayKind::Split(sim::Split { buffer_bytes: split.buffer_bytes, transport: row.map(own) })
        }
    };
    sim::Relay { node: NodeId(node), towards: towards.map(NodeId), kind }
}
