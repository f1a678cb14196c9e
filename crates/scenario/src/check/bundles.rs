//! Flows that bundles carry.

use hopwright_bundle::HEADER_BYTES;
use hopwright_transport::{Value, whole};

use crate::model::{Scenario, Transport, Whole};
use crate::read::Document;

/// What nodes do with bundles they do with those of all flows; packets must have room for data.
pub(super) fn rules(document: &mut Document, scenario: &Scenario) {
    let over = scenario.flows.iter().enumerate().filter_map(|(n, flow)| match &flow.transport {
        Transport::Whole(whole) if whole.id == "nctp" => Some((n, whole.as_ref())),
        Transport::Whole(_) | Transport::Tcp(_) | Transport::Udp => None,
    });
    let over: Vec<(usize, &Whole)> = over.collect();
    for &(n, flow) in &over {
        lengths(document, n, flow);
    }
    let Some((&(first, one), others)) = over.split_first() else { return };
    for &(n, other) in others {
        let names = whole(&one.id).into_iter().flat_map(|transport| transport.knobs).map(|knob| knob.name);
        if let Some(name) = names.into_iter().find(|name| one.params.value(name) != other.params.value(name)) {
            let key = |n: usize| format!("flows.{n}.transport.{name}");
            let (here, there) = (key(n), key(first));
            let at = if document.gives(&here) { &here } else { &there };
            let reason = format!("nodes do the same with the bundles of all flows: {here} and {there} must be equal");
            document.refuse(at, reason);
            return;
        }
    }
}

fn lengths(document: &mut Document, n: usize, flow: &Whole) {
    let whole_length = flow.params.value("nctp_packet_bytes_include_headers") == Some(Value::Bool(true));
    let Some(Value::Number(bytes)) = flow.params.value("nctp_packet_bytes") else { return };
    if whole_length && bytes <= f64::from(HEADER_BYTES) {
        let reason = format!("the headers of IP and NCTP alone have {HEADER_BYTES} bytes: data needs more bytes");
        document.refuse(&format!("flows.{n}.transport.nctp_packet_bytes"), reason);
    }
}
