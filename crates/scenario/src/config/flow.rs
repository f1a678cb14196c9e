//! What a flow is carried by, and what it sends.

use std::sync::Arc;

use hopwright_sim as sim;

use super::{atp, bundles};
use crate::model::{App, Flow, Tcp, Transport};

pub(crate) fn kind(flow: &Flow) -> sim::FlowKind {
    let source = |rate_kbps: f64, payload_bytes, jitter, pattern| {
        sim::FlowKind::Udp(sim::Source { payload_bytes, rate_bps: rate_kbps * 1e3, jitter, pattern })
    };
    let bytes = match &flow.app {
        App::Cbr(c) => return source(c.rate_kbps, c.payload_bytes, c.jitter, sim::Pattern::Steady),
        App::OnOff(o) => return source(o.rate_kbps, o.payload_bytes, o.jitter, sim::Pattern::OnOff(o.on_s, o.off_s)),
        App::Bulk(_) => None,
        App::File(file) => Some(file.bytes),
    };
    match &flow.transport {
        Transport::Tcp(tcp) => tcp_kind(tcp, bytes),
        Transport::Whole(whole) => {
            if let Some(params) = atp::ends(flow) {
                return sim::FlowKind::Atp { params: Box::new(params), bytes };
            }
            let config = bundles::config(flow).expect("the only other transport without slots");
            sim::FlowKind::Bundles { protocol: whole.id.clone(), config: Arc::new(config), bytes }
        }
        Transport::Udp => unreachable!("a byte stream over UDP is refused when a scenario is checked"),
    }
}

fn tcp_kind(tcp: &Tcp, bytes: Option<u64>) -> sim::FlowKind {
    sim::FlowKind::Tcp {
        protocol: tcp.protocol.clone(),
        recipe: Box::new(tcp.recipe()),
        params: Box::new(tcp.params.clone()),
        bytes,
    }
}
