//! The file, table by table.

use schemars::JsonSchema;

use super::document::{Document, Table};
use super::fields::fields;
use crate::model::{
    Area, BonnMotion, Chain, Cross, Energy, Grid, Links, Ns2, Output, Positions, Profile, Random, RoutingProtocol, Run,
    Scenario, Star, SumoFcd, Topology,
};

/// The tables at the top of the file.
const TABLES: &[&str] = &[
    "topology", "area", "mobility", "radio", "mac", "routing", "output", "energy", "events", "links", "relays",
    "attach", "errors", "flows",
];

/// Reads the whole document. What is wrong is noted there; without a scenario, something is.
pub(crate) fn scenario(document: &mut Document, root: &Table<'_>) -> Option<Scenario> {
    document.survey(root, "");
    let known: Vec<&str> = fields::<Run>().iter().chain(TABLES).copied().collect();
    document.refuse_unknown(root, "", &known, |_| None);
    let run: Option<Run> = document.read_part(root, "", "");
    let profile = match root.get("profile").and_then(|v| v.get_ref().as_str()) {
        Some("ns2") => Profile::Ns2,
        _ => Profile::Standard,
    };
    let topology = topology(document, root);
    let area: Option<Area> = plain(document, root, "area", "");
    let mobility = super::motion::mobility(document, root);
    let radio = super::radio::radio(document, root, profile);
    let routing = super::routing::routing(document, root, profile);
    let protocol = routing.as_ref().map_or(RoutingProtocol::default(), |r| r.protocol);
    let mac = super::mac::mac(document, root, profile, protocol);
    let output: Option<Output> = plain(document, root, "output", "");
    let energy: Option<Energy> = plain(document, root, "energy", "");
    let events = super::motion::events(document, root);
    let links = super::links::links(document, root);
    let relays = super::relays::relays(document, root);
    let attach = super::attach::attached(document, root);
    let errors = super::errors::errors(document, root);
    let flows = super::flows::flows(document, root, profile);
    let (mut radio, mut mac) = (radio?, mac?);
    radio.close();
    mac.close();
    Some(Scenario {
        run: run?,
        topology: topology?,
        area: area?,
        mobility: mobility?,
        radio,
        mac,
        routing: routing?,
        output: output?,
        energy: energy?,
        events: events?,
        links: links?,
        relays: relays?,
        attach: attach?,
        errors: errors?,
        flows: flows?,
    })
}

/// A table without surprises.
fn plain<T: serde::de::DeserializeOwned + JsonSchema>(
    document: &mut Document,
    root: &Table<'_>,
    key: &str,
    defaults: &str,
) -> Option<T> {
    let table = document.sub_table(root, "", key);
    document.read(&table, key, defaults, |_| None)
}

/// Where the nodes stand.
pub(crate) fn topology(document: &mut Document, root: &Table<'_>) -> Option<Topology> {
    let mut table = document.sub_table(root, "", "topology");
    if !document.is_clean("topology") {
        return None;
    }
    let kind = document.tag(&table, "topology", "kind", Topology::KINDS, None)?;
    table.remove("kind");
    let none = "";
    let elsewhere = |key: &str| super::motion::owners(&keys_by_kind(), key, "kind", &kind);
    let (d, t, p) = (document, &table, "topology");
    Some(match kind.as_str() {
        "chain" => Topology::Chain(d.read(t, p, none, elsewhere)?),
        "grid" => Topology::Grid(d.read(t, p, none, elsewhere)?),
        "cross" => Topology::Cross(d.read(t, p, none, elsewhere)?),
        "star" => Topology::Star(d.read(t, p, none, elsewhere)?),
        "links" => Topology::Links(d.read(t, p, none, elsewhere)?),
        "random" => Topology::Random(d.read(t, p, none, elsewhere)?),
        "positions" => Topology::Positions(d.read(t, p, none, elsewhere)?),
        "ns2" => Topology::Ns2(d.read(t, p, none, elsewhere)?),
        "bonnmotion" => Topology::BonnMotion(d.read(t, p, none, elsewhere)?),
        _ => Topology::SumoFcd(d.read(t, p, none, elsewhere)?),
    })
}

fn keys_by_kind() -> [(&'static str, &'static [&'static str]); 10] {
    [
        ("chain", fields::<Chain>()),
        ("grid", fields::<Grid>()),
        ("cross", fields::<Cross>()),
        ("star", fields::<Star>()),
        ("links", fields::<Links>()),
        ("random", fields::<Random>()),
        ("positions", fields::<Positions>()),
        ("ns2", fields::<Ns2>()),
        ("bonnmotion", fields::<BonnMotion>()),
        ("sumo-fcd", fields::<SumoFcd>()),
    ]
}
