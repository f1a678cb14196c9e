//! Relays: that each stands between two links of a flow that it can help, alone at its node.

use std::collections::BTreeMap;

use hopwright_machine::NodeId;
use hopwright_routing::NextHops;
use hopwright_sim::MOST_FLOWS;
use hopwright_transport::params::Place;
use hopwright_transport::{Needs, protocol};

use super::flows::how_many;
use crate::model::{Directions, Relay, Scenario, Transport};
use crate::read::Document;

/// Refuses what cannot be, whatever the ways of flows are.
pub(super) fn rules(document: &mut Document, scenario: &Scenario) {
    if !scenario.has_links() && !scenario.relays.is_empty() {
        let reason = "needs topology.kind = 'links': on a medium no node is between two links".to_owned();
        document.refuse("relays", reason);
        return;
    }
    let mut taken = BTreeMap::new();
    for (n, relay) in scenario.relays.iter().enumerate() {
        let (node, _) = relay.place();
        if let Some(before) = taken.insert(node, n) {
            document.refuse(
                &format!("relays.{n}.node"),
                format!("relay {before} is already at node {node}: a node can have one relay"),
            );
        }
        let Relay::Split(split) = relay else { continue };
        let Some(row) = split.protocol.as_deref().and_then(protocol) else { continue };
        let wants = |needs: Needs| needs.has(Needs::ROUTE_NOTICES) || needs.has(Needs::STAMPS);
        let mut parts = row.recipe.parts().into_iter().zip(row.recipe.needs());
        if let Some(((slot, part), _)) = parts.find(|(_, needs)| wants(*needs)) {
            let reason = format!(
                "{slot} = '{part}' needs information from routers or stations of a wireless network; shaped \
                 links do not give it"
            );
            document.refuse(&format!("relays.{n}.protocol"), reason);
        }
    }
}

/// The nodes before and behind a node that lies between both ends of a way.
fn around(way: &[NodeId], node: NodeId) -> Option<(NodeId, NodeId)> {
    way.windows(3).find(|hops| hops[1] == node).map(|hops| (hops[0], hops[2]))
}

/// Refuses relays that nothing passes which they could help. The ends of flows are joined by links.
pub(super) fn ways(document: &mut Document, scenario: &Scenario, ends: &[(usize, NodeId, NodeId)], nodes: usize) {
    if scenario.relays.is_empty() {
        return;
    }
    let mut neighbours = vec![Vec::new(); nodes];
    for link in &scenario.links {
        let (from, to) = (link.ends.from, link.ends.to);
        neighbours[from as usize].push(NodeId(to));
        if link.ends.directions != Directions::OneWay {
            neighbours[to as usize].push(NodeId(from));
        }
    }
    let routes = NextHops::shortest(neighbours.clone());
    let over_tcp = ends.iter().filter(|(n, ..)| matches!(scenario.flows[*n].transport, Transport::Tcp(_)));
    let ways: Vec<_> = over_tcp.map(|&(n, a, b)| (n, routes.way(a, b), routes.way(b, a))).collect();
    let mut connections = ends.len();
    for (n, relay) in scenario.relays.iter().enumerate() {
        let (number, towards) = relay.place();
        let (node, key) = (NodeId(number), format!("relays.{n}.node"));
        if number as usize >= nodes {
            document.refuse(&key, format!("there is no node {number}: {}", how_many(nodes, "node")));
            continue;
        }
        let is_neighbour = |other: u32| neighbours[node.index()].contains(&NodeId(other));
        if let Some(other) = towards.filter(|&other| !is_neighbour(other)) {
            let reason =
                format!("no link leads from node {number} to node {other}: the wireless side must be a neighbour");
            document.refuse(&format!("relays.{n}.towards"), reason);
            continue;
        }
        let passing: Vec<_> =
            ways.iter().filter_map(|way| Some((way, around(&way.1, node)?, around(&way.2, node)))).collect();
        let goes_there = |side: NodeId| towards.is_none_or(|towards| NodeId(towards) == side);
        let helped = passing.iter().filter(|(_, (before, behind), back)| match relay {
            Relay::Snoop(_) => back.is_some() && (goes_there(*behind) || goes_there(*before)),
            Relay::Split(_) => goes_there(*behind),
        });
        let helped: Vec<usize> = helped.map(|((flow, ..), ..)| *flow).collect();
        let asks = |flow: &&usize| match &scenario.flows[**flow].transport {
            Transport::Tcp(tcp) => tcp.params.place == Place::Receiver,
            Transport::Whole(_) | Transport::Udp => false,
        };
        if let Some(flow) = helped.iter().find(asks) {
            let reason = format!(
                "helps only senders, but the receiver of flow {flow} asks for its data; set \
                 flows.{flow}.transport.place = \"sender\""
            );
            document.refuse(&key, reason);
            continue;
        }
        let helped = helped.len();
        if matches!(relay, Relay::Split(_)) {
            connections += helped;
        }
        if connections > MOST_FLOWS {
            let reason = format!(
                "with the relay's own connections there are {connections}: there are ports for at most {MOST_FLOWS}"
            );
            document.refuse(&key, reason);
            return;
        }
        if helped > 0 {
            continue;
        }
        match (passing.first(), towards) {
            (None, _) => {
                let reason =
                    format!("no flow over TCP passes node {number}: a relay must be between two links of a flow");
                document.refuse(&key, reason);
            }
            (Some(((flow, ..), _, None)), _) if matches!(relay, Relay::Snoop(_)) => {
                let reason = format!(
                    "acknowledgements of flow {flow} come back on another path: 'snoop' must see both directions"
                );
                document.refuse(&key, reason);
            }
            (_, Some(other)) => {
                let what = if matches!(relay, Relay::Snoop(_)) { "goes" } else { "sends its data" };
                let reason = format!("no flow over TCP that passes node {number} {what} through node {other}");
                document.refuse(&format!("relays.{n}.towards"), reason);
            }
            (Some(_), None) => unreachable!("without a side, whatever passes is helped"),
        }
    }
}
