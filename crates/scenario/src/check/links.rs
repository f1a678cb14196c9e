//! Shaped links: that they join different nodes, once, and that nothing is asked of a medium that is not there.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hopwright_machine::NodeId;
use hopwright_shape::Loss;
use hopwright_transport::Needs;
use hopwright_transport::adaptation::{Monitor, Source, Trigger};

use super::link_profiles;
use crate::model::{
    Captured, Directions, Ends, Link, LinkChange, LinkProfile, LinkShape, LinkState, LossPer, Ns2Trace, Quantity,
    Scenario, Transport, Variation,
};
use crate::read::{Document, LinkFile, join};

/// Ups and downs within a packet are nobody's wish, and take long to work out.
const SHORTEST_PERIOD_MS: f64 = 0.1;
/// A packet of 1500 bytes, in thousands of bits.
const PACKET_KBIT: f64 = 12.0;
/// More in the time that one packet takes are not worked out.
const MOST_PERIODS: f64 = 10_000.0;

/// Refuses what cannot be.
pub(super) fn rules(document: &mut Document, scenario: &Scenario) {
    if !scenario.has_links() {
        told(
            document,
            scenario,
            "'told' needs topology.kind = 'links': the properties of a path over a medium are not known",
        );
        let reason = "'interface' needs topology.kind = 'links': on a medium there are no hand-overs";
        refuse_interface(document, scenario, reason);
        if !scenario.links.is_empty() {
            let reason = "needs topology.kind = 'links': nodes of other topologies share a medium".to_owned();
            document.refuse("links", reason);
        }
        return;
    }
    if scenario.links.is_empty() && document.is_clean("links") {
        document.refuse("topology.kind", "'links' needs links: add [[links]]".to_owned());
    }
    for key in Scenario::OF_A_MEDIUM.iter().filter(|key| document.gives(key)).copied().collect::<Vec<_>>() {
        let reason = match key {
            "events" => {
                "has no effect with topology.kind = 'links': nodes do not go down; a change of a link can cut the link"
            }
            "routing" => "has no effect with topology.kind = 'links': routes are the shortest paths",
            _ => "has no effect with topology.kind = 'links': there is no medium",
        };
        document.refuse(key, reason.to_owned());
    }
    let mut joined = BTreeMap::new();
    for (n, link) in scenario.links.iter().enumerate() {
        one(document, scenario, n, link);
        let ends = &link.ends;
        let pair = (ends.from.min(ends.to), ends.from.max(ends.to));
        let is_one_way = ends.directions == Directions::OneWay;
        let ways = if is_one_way { vec![(ends.from, ends.to)] } else { vec![pair, (pair.1, pair.0)] };
        let before = ways.iter().find_map(|way| joined.get(way)).copied();
        if let Some(before) = before {
            document.refuse(
                &format!("links.{n}.to"),
                format!("the same direction as link {before}: there is one link for each direction"),
            );
        }
        joined.extend(ways.into_iter().map(|way| (way, n)));
    }
    if scenario.links.iter().enumerate().any(|(n, link)| link.profiles(n).next().is_some()) {
        told(
            document,
            scenario,
            "'told' needs links that tell their properties: a link that follows a profile does not tell them",
        );
    }
    output(document, scenario);
    transports(document, scenario);
    interface(document, scenario);
}

fn one(document: &mut Document, scenario: &Scenario, n: usize, link: &Link) {
    let ends = &link.ends;
    if ends.from == ends.to {
        document.refuse(&format!("links.{n}.to"), "a link joins two nodes, not a node with itself".to_owned());
    }
    state(document, &format!("links.{n}"), &link.state(), ends.directions);
    let end_s = document.is_clean("duration_s").then_some(scenario.run.duration_s);
    changes(document, &format!("links.{n}"), &link.changes, ends.directions, end_s);
}

/// Refuses what cannot be in a file about one link.
pub(super) fn of_a_file(document: &mut Document, file: &LinkFile) {
    state(document, "", &file.state, Directions::Separate);
    changes(document, "", &file.changes, Directions::Separate, None);
}

/// Refuses what a link cannot become. `end_s`: the end of the run, if there is one.
fn changes(document: &mut Document, path: &str, changes: &[LinkChange], directions: Directions, end_s: Option<f64>) {
    let mut last_s = f64::NEG_INFINITY;
    for (k, change) in changes.iter().enumerate() {
        let path = join(path, &format!("changes.{k}"));
        let (at_s, key) = (change.when.at_s, format!("{path}.at_s"));
        if at_s < last_s {
            document.refuse(&key, format!("must not be before the change above ({last_s} s), found {at_s}"));
        } else if let Some(end_s) = end_s.filter(|end_s| at_s > *end_s) {
            document.refuse(&key, format!("must not be after the end of the run (duration_s = {end_s}), found {at_s}"));
        }
        last_s = at_s;
        state(document, &path, &change.state(), directions);
    }
}

/// Refuses what a link cannot be. `path`: the key of the table that says so; what that does not say was looked at before.
pub(super) fn state(document: &mut Document, path: &str, state: &LinkState, directions: Directions) {
    let LinkState { shape, reverse, profile } = state;
    let profile = profile.as_ref();
    if directions != Directions::Separate && reverse.is_some() {
        let reason =
            "needs directions = 'separate': here the opposite direction has no properties of its own".to_owned();
        document.refuse(&join(path, "reverse"), reason);
    }
    let key = join(path, "profile");
    if let Some(profile) = profile.filter(|_| document.gives(&key)) {
        if directions == Directions::Shared {
            let reason = "needs directions that are not shared: the directions of a profile differ in their losses";
            document.refuse(&key, reason.to_owned());
        }
        link_profiles::pipes(document, &key, profile);
    }
    self::shape(document, path, shape, profile);
    if let Some(back) = reverse {
        self::shape(document, &join(path, "reverse"), back, profile);
    }
}

fn shape(document: &mut Document, path: &str, shape: &LinkShape, profile: Option<&LinkProfile>) {
    match profile {
        Some(profile) => link_profiles::beside(document, path, shape, profile),
        None => variation(document, path, shape),
    }
    losses(document, path, shape);
}

/// How the rate goes up and down.
fn variation(document: &mut Document, path: &str, shape: &LinkShape) {
    let varies = shape.variation != Variation::None;
    if varies && shape.trace.is_some() {
        let reason = "contradicts 'trace': the rate of a recorded link varies as it was recorded".to_owned();
        document.refuse(&join(path, "variation"), reason);
        return;
    }
    if varies && shape.rate_kbps.is_none() {
        let reason = "a rate that varies needs rate_kbps".to_owned();
        document.refuse(&join(path, "variation"), reason);
    }
    let period_ms = shape.delay_ms * shape.period_percent / 100.0;
    if varies && period_ms < SHORTEST_PERIOD_MS {
        let reason = format!(
            "a period is given in per cent of the delay, and must last for at least {SHORTEST_PERIOD_MS} ms: here it \
             lasts {period_ms} ms; set delay_ms, or another period"
        );
        document.refuse(&join(path, "period_percent"), reason);
    }
    let low_kbps = shape.rate_kbps.unwrap_or(f64::INFINITY) * (1.0 - shape.amplitude_percent / 100.0);
    let periods = PACKET_KBIT / (low_kbps * period_ms / 1e3);
    if varies && period_ms >= SHORTEST_PERIOD_MS && periods > MOST_PERIODS {
        let reason = format!(
            "a packet of 1500 bytes would take {periods:.0} periods, more than {MOST_PERIODS}: set a higher rate, or a \
             longer period"
        );
        document.refuse(&join(path, "rate_kbps"), reason);
    }
}

/// What is lost, and how that goes together.
fn losses(document: &mut Document, path: &str, shape: &LinkShape) {
    if shape.loss_per == LossPer::Bit && shape.burst_packets > 1.0 {
        let reason = "bursts consist of packets: set loss_per = 'packet', or no burst_packets".to_owned();
        document.refuse(&join(path, "burst_packets"), reason);
    }
    let most_percent = Loss::most(shape.burst_packets) * 100.0;
    if shape.burst_packets > 1.0 && shape.loss_percent > most_percent {
        let reason = format!(
            "bursts of {} packets lose at most {most_percent:.4} % of all packets: between two bursts at least one \
             packet arrives",
            shape.burst_packets
        );
        document.refuse(&join(path, "burst_packets"), reason);
    }
    let has_states = shape.bad_begins_percent > 0.0;
    if has_states && shape.loss_percent > 0.0 {
        let reason = "contradicts 'loss_percent': a link with a bad state loses bad_loss_percent and good_loss_percent";
        document.refuse(&join(path, "bad_begins_percent"), reason.to_owned());
    }
    if has_states && shape.bad_ends_percent == 0.0 {
        let reason = "must be above 0 with bad_begins_percent: a bad link would stay bad".to_owned();
        document.refuse(&join(path, "bad_ends_percent"), reason);
    }
    if shape.loss_trace.is_some() && (shape.loss_percent > 0.0 || has_states) {
        let other = if has_states { "bad_begins_percent" } else { "loss_percent" };
        let reason = format!("contradicts '{other}': the recorded file already says which packets are lost");
        document.refuse(&join(path, "loss_trace"), reason);
    }
    let goes_by_delay = shape.loss_delay_correlation_percent != 0.0;
    if goes_by_delay && (has_states || shape.burst_packets > 1.0 || shape.loss_trace.is_some()) {
        let reason = "needs packets that are lost independently: with a bad state use bad_delay_ms".to_owned();
        document.refuse(&join(path, "loss_delay_correlation_percent"), reason);
    }
}

/// What frames would be needed for.
fn output(document: &mut Document, scenario: &Scenario) {
    let output = &scenario.output;
    let captures = match &output.pcap {
        Captured::Nodes(nodes) => !nodes.is_empty(),
        Captured::All => true,
    };
    if captures {
        document.refuse("output.pcap", "captures frames on the air, and shaped links have no frames".to_owned());
    }
    if output.ns2_trace != Ns2Trace::Off {
        document.refuse(
            "output.ns2_trace",
            "is a trace of a wireless network, and shaped links are not wireless".to_owned(),
        );
    }
    if output.series.contains(&Quantity::Backoff) {
        document.refuse("output.series", "'backoff' describes stations, and shaped links have no stations".to_owned());
    }
    if output.series.contains(&Quantity::ConnectionProgress) {
        let reason = "'connection-progress' counts hops of a wireless network, and shaped links have no such hops";
        document.refuse("output.series", reason.to_owned());
    }
    if output.frames {
        document.refuse("output.frames", "needs frames on the air, and shaped links have no frames".to_owned());
    }
    if output.positions {
        document.refuse(
            "output.positions",
            "needs nodes that share a medium: here shaped links connect the nodes".to_owned(),
        );
    }
    if output.medium_use {
        document.refuse("output.medium_use", "describes a medium, and shaped links have no medium".to_owned());
    }
}

/// Transports that want to be told what only stations and routers of a wireless network tell.
fn transports(document: &mut Document, scenario: &Scenario) {
    for (n, flow) in scenario.flows.iter().enumerate() {
        if let Transport::Whole(whole) = &flow.transport {
            let reason = format!(
                "'{}' needs information from stations of a wireless network; shaped links do not give it",
                whole.id
            );
            document.refuse(&format!("flows.{n}.transport.protocol"), reason);
        }
        let Transport::Tcp(tcp) = &flow.transport else { continue };
        let wants = |needs: Needs| needs.has(Needs::ROUTE_NOTICES) || needs.has(Needs::STAMPS);
        // The first recipe is that of the beginning; each trigger makes one more.
        let found = tcp.recipes().enumerate().find_map(|(which, recipe)| {
            let mut parts = recipe.parts().into_iter().zip(recipe.needs());
            parts.find(|(_, needs)| wants(*needs)).map(|(pair, _)| (which, pair))
        });
        let Some((which, (slot, part))) = found else { continue };
        let of_slot = format!("flows.{n}.transport.{slot}");
        let key = match which.checked_sub(1) {
            Some(row) => format!("flows.{n}.transport.triggers.{row}.set"),
            None if document.gives(&of_slot) => of_slot,
            None => format!("flows.{n}.transport.protocol"),
        };
        let reason = format!(
            "{slot} = '{part}' needs information from routers or stations of a wireless network; shaped links \
             do not give it"
        );
        document.refuse(&key, reason);
    }
}

/// A hand-over that no link makes is never told.
fn interface(document: &mut Document, scenario: &Scenario) {
    let has_network = scenario.links.iter().any(|link| link.changes.iter().any(|change| change.when.network.is_some()));
    if !has_network {
        let reason = "'interface' waits for a hand-over, and no change of a link has a hand-over: give a change a \
                      network";
        refuse_interface(document, scenario, reason);
    }
}

fn refuse_interface(document: &mut Document, scenario: &Scenario, reason: &str) {
    for (n, flow) in scenario.flows.iter().enumerate() {
        let Transport::Tcp(tcp) = &flow.transport else { continue };
        for place in tcp.params.triggers.iter().flat_map(|triggers| of_interfaces(&triggers.rows)) {
            document.refuse(&format!("flows.{n}.transport.{place}"), reason.to_owned());
        }
    }
}

/// The keys of the conditions that wait for a hand-over, in a table of triggers.
pub(crate) fn of_interfaces(rows: &[Trigger]) -> impl Iterator<Item = String> {
    rows.iter().enumerate().flat_map(|(row, trigger)| {
        let conditions = trigger.when.iter().enumerate().filter(|(_, c)| c.monitor == Monitor::Interface);
        conditions.map(move |(place, _)| format!("triggers.{row}.when.{place}.monitor"))
    })
}

/// Only links know what they are like.
fn told(document: &mut Document, scenario: &Scenario, reason: &str) {
    for (n, flow) in scenario.flows.iter().enumerate() {
        let Transport::Tcp(tcp) = &flow.transport else { continue };
        if tcp.params.triggers.as_ref().is_some_and(|triggers| triggers.settings.source == Source::Told) {
            document.refuse(&format!("flows.{n}.transport.monitor_source"), reason.to_owned());
        }
    }
}

/// How many nodes there are: those that links name.
pub(crate) fn nodes(scenario: &Scenario) -> usize {
    let ends = scenario.links.iter().map(|link| link.ends.from.max(link.ends.to) as usize + 1);
    ends.max().unwrap_or(0)
}

/// Whether a packet may take no time over such a link.
fn takes_none(shape: &LinkShape, profile: Option<&LinkProfile>) -> bool {
    let is_limited = shape.rate_kbps.is_some() || shape.trace.is_some();
    let passes_by =
        |profile: &LinkProfile| profile.pipes.iter().any(|pipe| pipe.rtt_ms == 0.0 && pipe.rate_kbps.is_none());
    !is_limited && profile.map_or(shape.delay_ms == 0.0, passes_by)
}

/// Whether a packet may take no time over a link in one of its directions, there and back.
pub(crate) fn free_ways(state: &LinkState) -> [bool; 2] {
    let back = state.reverse.as_ref().unwrap_or(&state.shape);
    [&state.shape, back].map(|shape| takes_none(shape, state.profile.as_ref()))
}

/// Refuses flows whose data, or whose answers, no links carry.
pub(super) fn connected(document: &mut Document, scenario: &Scenario, ends: &[(usize, NodeId, NodeId)], nodes: usize) {
    let (mut next, mut free) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
    for link in &scenario.links {
        let ends = &link.ends;
        let back = link.reverse.as_ref().unwrap_or(&link.shape);
        let later = |is_back: bool| {
            link.changes.iter().any(move |change| {
                let reverse = change.reverse.as_ref().filter(|_| is_back);
                takes_none(reverse.unwrap_or(&change.shape), change.profile.as_ref())
            })
        };
        let mut join = |from: u32, to: u32, is_free: bool| {
            next[from as usize].push(to as usize);
            if is_free {
                free[from as usize].push(to as usize);
            }
        };
        join(ends.from, ends.to, takes_none(&link.shape, link.profile.as_ref()) || later(false));
        if ends.directions != Directions::OneWay {
            join(ends.to, ends.from, takes_none(back, link.profile.as_ref()) || later(true));
        }
    }
    let reaches = |next: &[Vec<usize>], from: NodeId, to: NodeId| {
        let (mut seen, mut queue) = (BTreeSet::from([from.index()]), VecDeque::from([from.index()]));
        while let Some(node) = queue.pop_front() {
            queue.extend(next[node].iter().copied().filter(|&other| seen.insert(other)));
        }
        seen.contains(&to.index())
    };
    let key = |n: usize| if matches!(scenario.flows[n].ends, Ends::Two(_)) { "to" } else { "pairs" };
    let mut told = BTreeSet::new();
    for &(n, from, to) in ends {
        let answers = matches!(scenario.flows[n].transport, Transport::Tcp(_));
        let missing = if !reaches(&next, from, to) {
            Some((from, to))
        } else {
            (answers && !reaches(&next, to, from)).then_some((to, from))
        };
        if missing.is_none() && answers && reaches(&free, from, to) && reaches(&free, to, from) {
            let reason = format!(
                "between nodes {from} and {to} packets take no time, and a connection would send without end: give a \
                 link rate_kbps or delay_ms"
            );
            document.refuse(&format!("flows.{n}.{}", key(n)), reason);
        }
        let Some((from, to)) = missing.filter(|_| told.insert(n)) else { continue };
        document.refuse(&format!("flows.{n}.{}", key(n)), format!("no links lead from node {from} to node {to}"));
    }
}
