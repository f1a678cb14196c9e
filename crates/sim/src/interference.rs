//! Whose frames could be received at once, without a run: what a bound of a network's capacity is computed from.
//!
//! Spec      Jain, Padhye, Padmanabhan, Qiu: "Impact of interference on multi-hop wireless network performance", MobiCom
//!           2003, §3: links that cannot be used at once, of which sets that can are made
//! Deviates  powers are compared in pairs, as the receivers of a run compare them; where those add powers up, more frames
//!           are lost than pairs say
//! Holds     where a frame is received in a run while another is on the air, the pair is none of those given here; but
//!           with `hopwright_radio::Interference::Locked`, whose receivers overlook frames that an earlier one captured

use hopwright_machine::{Duration, NodeId, Time};
use hopwright_radio::{Interference as Rule, ReceptionRule};
use hopwright_wire::{atp, ip, nctp, tcp};

use crate::medium::Wanted;
use crate::reach::medium_at;
use crate::setup::{FlowKind, Setup};

/// The network at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Interference {
    /// By node: whom it notices.
    pub hears: Vec<Vec<NodeId>>,
    /// Over which frames can be received. In order.
    pub links: Vec<Link>,
    /// The frames of each flow.
    pub flows: Vec<Frames>,
}

/// From a node to one that can receive its frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Who sends.
    pub from: NodeId,
    /// Who receives.
    pub to: NodeId,
    /// Whose frames at the same time let nothing be received. Neither of the two.
    pub spoilt_by: Vec<NodeId>,
}

/// What a full packet of a flow takes at each hop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frames {
    /// The sending node.
    pub from: NodeId,
    /// The receiving node.
    pub to: NodeId,
    /// Bytes of application data in it.
    pub payload_bytes: u32,
    /// Air time of the RTS, if it has one, and of the data frame.
    pub data: Duration,
    /// Air time of the CTS, if there is one, and of the acknowledgement.
    pub answers: Duration,
    /// The whole exchange, with the spaces in it.
    pub exchange: Duration,
    /// Bits of application data per second that are to be sent while the source is on; `None`: as many as the network
    /// takes.
    pub demand_bps: Option<f64>,
}

/// Looks at the network of a run with a seed, at a time. Nodes that are down then have no links. Of transports, the data is
/// considered alone; routes are a matter of whoever asks.
#[must_use]
pub fn interference(setup: &Setup, seed: u64, at: Time) -> Interference {
    let mut medium = medium_at(setup, seed, at);
    let mut hears: Vec<Vec<(NodeId, f64)>> = vec![Vec::new(); setup.nodes.len()];
    let mut decoded = Vec::new();
    for sender in (0..setup.nodes.len() as u32).map(NodeId) {
        if medium.is_down(sender) {
            continue;
        }
        let heard = medium.heard_by(sender, at, Wanted::All);
        for link in &heard {
            hears[link.node as usize].push((sender, link.power_mw));
            if link.hurdle.is_decodable() {
                decoded.push((sender, NodeId(link.node), link.power_mw));
            }
        }
        medium.keep(sender, heard);
    }
    let rule = &setup.radio.rule;
    let link = |(from, to, power_mw): (NodeId, NodeId, f64)| {
        let others = hears[to.index()].iter().filter(|(other, _)| *other != from);
        let spoilt_by = others.filter(|(_, other)| !outdoes(rule, power_mw, *other)).map(|(other, _)| *other).collect();
        outdoes(rule, power_mw, 0.0).then_some(Link { from, to, spoilt_by })
    };
    Interference {
        links: decoded.into_iter().filter_map(link).collect(),
        hears: hears.into_iter().map(|heard| heard.into_iter().map(|(sender, _)| sender).collect()).collect(),
        flows: (0..setup.flows.len()).map(|flow| frames(setup, flow)).collect(),
    }
}

/// Whether a frame that arrives with a power can be received while another arrives with this one.
fn outdoes(rule: &ReceptionRule, power_mw: f64, other_mw: f64) -> bool {
    let noise_mw = if rule.interference == Rule::Sum { rule.noise_mw } else { 0.0 };
    power_mw >= rule.capture_ratio * (other_mw + noise_mw)
}

fn frames(setup: &Setup, flow: usize) -> Frames {
    let flow = &setup.flows[flow];
    let (payload_bytes, headers, demand_bps) = match &flow.kind {
        FlowKind::Tcp { params, .. } => (params.segment_bytes, tcp::HEADER_BYTES, None),
        FlowKind::Atp { params, .. } => (params.segment_bytes, atp::DATA_HEADER_BYTES, None),
        FlowKind::Bundles { config, .. } => (config.payload_bytes, nctp::BYTES, None),
        FlowKind::Udp(source) => {
            let headers = source.datagram_bytes() - source.payload_bytes;
            (source.payload_bytes, headers, Some(source.rate_bps)) // while it is on: that may be all of a run
        }
    };
    let (mac, bytes) = (&setup.mac, ip::HEADER_BYTES + headers + payload_bytes);
    let (rts, cts) = if mac.needs_rts(bytes) { (mac.rts_time(), mac.cts_time()) } else { Default::default() };
    Frames {
        from: flow.from,
        to: flow.to,
        payload_bytes,
        data: rts + mac.air_time(bytes + mac.header_bytes, mac.data_rate_bps),
        answers: cts + mac.ack_time(),
        exchange: mac.exchange_time(bytes),
        demand_bps,
    }
}
