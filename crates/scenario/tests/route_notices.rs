//! Transports that live on messages about failed routes go with routing protocols that send them.

use hopwright_scenario::model::RoutingProtocol;
use hopwright_transport::{PROTOCOLS, Params};

use crate::common::{CHAIN, lines};

fn told(settings: &[&str]) -> String {
    lines(CHAIN, settings)
}

#[test]
fn static_routes_tell_nothing() {
    let mut refused = Vec::new();
    for protocol in PROTOCOLS {
        let told = told(&[&format!("flows.transport.protocol={}", protocol.id)]);
        if told == "accepted\n" {
            continue;
        }
        refused.push(protocol.id);
        let reason = "static routes send no messages: the flow would behave as with path = 'ignore'; use \
                      routing.protocol = 'aodv', 'dsr', 'olsr', 'dsdv'";
        assert!(told.contains(&format!("flows.0.transport.protocol: path = '{}' reacts to", protocol.id)), "{told}");
        assert!(told.contains(reason) && told.lines().count() == 1, "{told}");
    }
    refused.sort_unstable();
    // ATCP also asks, but has losses to hide, too.
    assert_eq!(refused, ["elfn", "fsr", "simelfn", "tcp-f"]);
}

#[test]
fn the_others_tell() {
    for (_, routing) in RoutingProtocol::FOUND {
        for protocol in PROTOCOLS.iter().filter(|p| p.recipe.asks(&Params::default()).is_some()) {
            let protocol = format!("flows.transport.protocol={}", protocol.id);
            assert_eq!(told(&[&format!("routing.protocol={routing}"), &protocol]), "accepted\n", "{routing}");
        }
    }
}

#[test]
fn the_slot_counts_and_is_named() {
    let of_slot = told(&["flows.transport.path=elfn"]);
    assert!(of_slot.contains("flows.0.transport.path: path = 'elfn' reacts to"), "{of_slot}");
    assert_eq!(told(&["flows.transport.protocol=elfn", "flows.transport.path=ignore"]), "accepted\n");
}
