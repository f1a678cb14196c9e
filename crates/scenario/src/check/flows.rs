//! Flows in time, on the nodes there are, and over routes that suit them.

use hopwright_link::Config;
use hopwright_sim::MOST_FLOWS;
use hopwright_transport::Needs;

use crate::config;
use crate::model::{App, Ends, Flow, RoutingProtocol, Rts, Scenario, Transport};
use crate::read::{Document, list};

pub(super) fn times(document: &mut Document, scenario: &Scenario) {
    for (n, flow) in scenario.flows.iter().enumerate() {
        let (start, stop) = (format!("flows.{n}.start_s"), format!("flows.{n}.stop_s"));
        let duration_s = scenario.run.duration_s;
        let (start_s, stop_s) = (flow.times.start_s, flow.times.stop_s.unwrap_or(duration_s));
        if document.gives(&stop) && document.is_clean("duration_s") && stop_s > duration_s {
            let reason = format!("must not be after the end of the run (duration_s = {duration_s}), found {stop_s}");
            document.refuse(&stop, reason);
        }
        if !document.is_clean(&start) || !document.is_clean(&stop) || !document.is_clean("duration_s") {
            continue;
        }
        if start_s >= stop_s {
            let end = if document.gives(&stop) { "stop_s" } else { "stop_s, by default the end of the run" };
            let reason = format!("must be before {end} ({stop_s}), found {start_s}");
            document.refuse(&start, reason);
        }
        if let Transport::Tcp(tcp) = &flow.transport
            && tcp.params.min_rto > tcp.params.max_rto
        {
            let reason = "min_rto_ms must not exceed max_rto_s".to_owned();
            document.refuse(&format!("flows.{n}.transport.min_rto_ms"), reason);
        }
    }
}

/// The shortest time from one datagram of a source to the next. No radio sends as fast.
const SHORTEST_GAP_S: f64 = 1e-7;

/// Refuses more flows than there are ports for, and sources that never let time pass.
pub(super) fn amounts(document: &mut Document, scenario: &Scenario) {
    let mut flows = 0;
    for (n, flow) in scenario.flows.iter().enumerate() {
        let (pairs, key) = match &flow.ends {
            Ends::Random(drawn) if drawn.count > flow.copies.parallel => (drawn.count, "count"),
            Ends::Random(drawn) => (drawn.count, "parallel"),
            Ends::Two(_) => (1, "parallel"),
        };
        flows += pairs as usize * flow.copies.parallel as usize;
        if flows > MOST_FLOWS {
            let reason =
                format!("with this entry there are {flows} flows: there are ports for at most {MOST_FLOWS} flows");
            document.refuse(&format!("flows.{n}.{key}"), reason);
            return;
        }
        let (rate_kbps, payload_bytes) = match &flow.app {
            App::Cbr(source) => (source.rate_kbps, source.payload_bytes),
            App::OnOff(source) => (source.rate_kbps, source.payload_bytes),
            App::Bulk(_) | App::File(_) => continue,
        };
        let gap_s = f64::from(payload_bytes) * 8.0 / (rate_kbps * 1e3);
        if document.is_clean(&format!("flows.{n}")) && gap_s < SHORTEST_GAP_S {
            let reason = format!(
                "{rate_kbps} kb/s with payload_bytes = {payload_bytes} is one datagram every {gap_s:.1e} s: the \
                 shortest possible time is {SHORTEST_GAP_S:.0e} s"
            );
            document.refuse(&format!("flows.{n}.rate_kbps"), reason);
        }
    }
}

/// Refuses transports that live on messages about failed routes where no router makes any.
pub(super) fn notices(document: &mut Document, scenario: &Scenario) {
    if !scenario.has_static_routes() {
        return;
    }
    for (n, flow) in scenario.flows.iter().enumerate() {
        let Transport::Tcp(tcp) = &flow.transport else { continue };
        let recipe = tcp.recipe();
        let mut parts = recipe.parts().into_iter().zip(recipe.needs());
        let Some(((slot, part), _)) = parts.find(|(_, needs)| needs.has(Needs::ROUTE_NOTICES)) else { continue };
        let of_slot = format!("flows.{n}.transport.{slot}");
        let key = if document.gives(&of_slot) { of_slot } else { format!("flows.{n}.transport.protocol") };
        let tell: Vec<&str> = RoutingProtocol::FOUND.iter().map(|(_, name)| *name).collect();
        let reason = format!(
            "{slot} = '{part}' reacts to messages about failed routes, but static routes send no messages: the flow \
             would behave as with {slot} = 'ignore'; use routing.protocol = {}",
            list(&tell)
        );
        document.refuse(&key, reason);
    }
}

/// What IP and TCP, UDP or ATP add to the data of a transport without options, bytes (RFC 791, 9293, 768).
const TCP_IP_BYTES: u32 = 40;
const UDP_IP_BYTES: u32 = 28;
const ATP_IP_BYTES: u32 = 38;

/// Refuses to tell data from acknowledgements by their length where that is impossible.
pub(super) fn rts(document: &mut Document, scenario: &Scenario) {
    if scenario.mac.rts != Some(Rts::Data) || !document.is_clean("mac") || !document.is_clean("flows") {
        return;
    }
    let mac = &scenario.mac;
    let mac = Config {
        rts_threshold_bytes: mac.rts_threshold(),
        rts_counts_preamble: mac.rts_counts_preamble,
        header_bytes: mac.header_bytes,
        ..Config::default()
    };
    for (n, flow) in scenario.flows.iter().enumerate() {
        let (bytes, key) = data_packet(flow);
        if !mac.needs_rts(bytes) {
            let reason = format!(
                "'data' means frames above {} bytes, but frames of flow {n} have {} bytes (flows.{n}.{key}); use \
                 'all', 'none' or rts_threshold_bytes",
                mac.rts_threshold_bytes,
                bytes + mac.header_bytes
            );
            document.refuse("mac.rts", reason);
            return;
        }
    }
}

/// Bytes of a flow's longest packets, and the key that says so.
fn data_packet(flow: &Flow) -> (u32, &'static str) {
    match (&flow.app, &flow.transport) {
        (App::Cbr(source), _) => (source.payload_bytes + UDP_IP_BYTES, "payload_bytes"),
        (App::OnOff(source), _) => (source.payload_bytes + UDP_IP_BYTES, "payload_bytes"),
        (App::File(file), Transport::Tcp(tcp)) if file.bytes < u64::from(tcp.params.segment_bytes) => {
            (file.bytes as u32 + TCP_IP_BYTES, "bytes")
        }
        (_, Transport::Tcp(tcp)) => (tcp.params.segment_bytes + TCP_IP_BYTES, "transport.segment_bytes"),
        (_, Transport::Whole(whole)) => match (config::atp::ends(flow), config::bundles::config(flow)) {
            (Some(atp), _) => match &flow.app {
                App::File(file) if file.bytes < u64::from(atp.segment_bytes) => {
                    (file.bytes as u32 + ATP_IP_BYTES, "bytes")
                }
                _ => (atp.segment_bytes + ATP_IP_BYTES, "transport.atp_segment_bytes"),
            },
            (_, Some(bundles)) => {
                (bundles.payload_bytes + hopwright_bundle::HEADER_BYTES, "transport.nctp_packet_bytes")
            }
            _ => unreachable!("'{}' is a transport without slots", whole.id),
        },
        (_, Transport::Udp) => unreachable!("a byte stream over UDP is refused before"),
    }
}

/// Checks the ends of all flows against the number of nodes.
pub(super) fn ends(document: &mut Document, scenario: &Scenario, nodes: usize) {
    for (n, flow) in scenario.flows.iter().enumerate() {
        match &flow.ends {
            Ends::Two(ends) => {
                for (key, node) in [("from", ends.from), ("to", ends.to)] {
                    if node as usize >= nodes {
                        let reason = format!("there is no node {node}: {}", how_many(nodes, "node"));
                        document.refuse(&format!("flows.{n}.{key}"), reason);
                    }
                }
                if ends.from == ends.to && (ends.from as usize) < nodes {
                    let reason = format!("a flow from node {} to itself", ends.from);
                    let [from, to] = ["from", "to"].map(|key| format!("flows.{n}.{key}"));
                    let is_set = document.is_overridden(&from) && !document.is_overridden(&to);
                    document.refuse(if is_set { &from } else { &to }, reason);
                }
            }
            Ends::Random(drawn) => {
                let pairs = nodes as u64 * (nodes as u64).saturating_sub(1);
                if u64::from(drawn.count) > pairs {
                    let reason = format!(
                        "{} different pairs cannot be drawn: {} make {pairs} ordered pairs",
                        drawn.count,
                        count(nodes)
                    );
                    let key = if document.gives(&format!("flows.{n}.count")) { "count" } else { "pairs" };
                    document.refuse(&format!("flows.{n}.{key}"), reason);
                }
            }
        }
    }
}

/// How many there are of what has numbers: nodes, flows, links.
pub fn how_many(count: usize, what: &str) -> String {
    match count {
        0 => format!("there is no {what}"),
        1 => format!("there is one {what}, number 0"),
        _ => format!("there are {count} {what}s, numbered 0 to {}", count - 1),
    }
}

fn count(nodes: usize) -> String {
    if nodes == 1 { "1 node".to_owned() } else { format!("{nodes} nodes") }
}
