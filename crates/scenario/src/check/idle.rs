//! Parameters that are given and that nobody reads: taken, and told of, as one scenario may serve several variants.

use hopwright_transport::parameters;
use toml::Value;

use crate::config;
use crate::model::{
    Backoff, Flow, LinkProfile, LinkShape, LostNotices, Mac, ProfilePipe, QueueKind, RoutingProtocol, Scenario,
    Transport, TriggerSettings, Variation,
};
use crate::read::Document;

/// Parameters that have no effect: the name of each, and a line about it.
pub(crate) fn idle_parameters(document: &mut Document, scenario: &Scenario) -> Vec<(&'static str, String)> {
    let mut idle = of_transports(document, scenario);
    idle.extend(of_the_mac(document, scenario));
    idle.extend(of_routing(document, scenario));
    idle.extend(of_links(document, scenario));
    idle
}

/// Of routing: what is said of notices where no transport asks for any, or nobody makes them.
fn of_routing(document: &mut Document, scenario: &Scenario) -> Option<(&'static str, String)> {
    let asks = |flow: &Flow| match &flow.transport {
        Transport::Tcp(tcp) => tcp.recipes().any(|recipe| recipe.asks(&tcp.params).is_some()),
        Transport::Whole(_) => config::atp::ends(flow).is_some(),
        Transport::Udp => false,
    };
    let is_read = scenario.routing.protocol != RoutingProtocol::Static && scenario.flows.iter().any(asks);
    if is_read || scenario.routing.lost_notices == LostNotices::default() || !document.gives("routing.lost_notices") {
        return None;
    }
    let reason =
        "has no effect: it needs a routing protocol, and a flow with a transport that asks for notices".to_owned();
    Some(("lost_notices", document.refuse("routing.lost_notices", reason).to_string()))
}

/// What says so of a shape of a link that reads a key.
type Reader = fn(&LinkShape) -> bool;

/// Of links: keys that no shape of the link reads, now or after a change. The full text of a scenario gives them all: only
/// another value than the usual one is reported.
fn of_links(document: &mut Document, scenario: &Scenario) -> Vec<(&'static str, String)> {
    let is_limited: Reader = |shape| shape.rate_kbps.is_some() || shape.trace.is_some();
    let varies: Reader = |shape| shape.variation != Variation::None;
    let has_jitter: Reader = |shape| shape.jitter_percent > 0.0 && shape.delay_ms > 0.0;
    let has_delays: Reader = |shape| (shape.jitter_percent > 0.0 && shape.delay_ms > 0.0) || shape.bad_delay_ms > 0.0;
    let loses: Reader = |shape| shape.loss_percent > 0.0;
    let is_bad: Reader = |shape| shape.bad_begins_percent > 0.0;
    let goes_ahead: Reader = |shape| shape.reorder_percent > 0.0;
    let has_codel: Reader = |shape| shape.queue == QueueKind::Codel;
    let readers: [(&'static str, Reader, &str); 21] = [
        ("amplitude_percent", varies, "a variation"),
        ("period_percent", varies, "a variation"),
        ("jitter_percent", |shape| shape.delay_ms > 0.0, "a delay_ms"),
        ("jitter_law", has_jitter, "a jitter_percent"),
        ("jitter_correlation_percent", has_jitter, "a jitter_percent"),
        ("reorder", has_delays, "a jitter_percent or a bad_delay_ms"),
        ("reorder_percent", |shape| shape.delay_ms > 0.0, "a delay_ms"),
        ("reorder_gap", goes_ahead, "a reorder_percent"),
        ("reorder_correlation_percent", goes_ahead, "a reorder_percent"),
        ("loss_per", loses, "a loss_percent"),
        ("burst_packets", loses, "a loss_percent"),
        ("loss_delay_correlation_percent", |shape| loses_by_delay(shape), "a loss_percent and a jitter_percent"),
        ("bad_ends_percent", is_bad, "a bad_begins_percent"),
        ("bad_loss_percent", is_bad, "a bad_begins_percent"),
        ("good_loss_percent", is_bad, "a bad_begins_percent"),
        ("bad_delay_ms", is_bad, "a bad_begins_percent"),
        ("queue_packets", is_limited, "a rate_kbps or a trace"),
        ("queue", is_limited, "a rate_kbps or a trace"),
        ("codel_target_ms", has_codel, "queue = codel"),
        ("codel_interval_ms", has_codel, "queue = codel"),
        ("variation", |shape| shape.amplitude_percent > 0.0, "an amplitude_percent"),
    ];
    let table = |shape: &LinkShape| Value::try_from(shape).expect("a link can be printed");
    let usual = table(&LinkShape::default());
    let mut idle: Vec<(&'static str, String)> = Vec::new();
    for (n, link) in scenario.links.iter().enumerate() {
        for (name, reads, reader) in readers {
            let is_read = link.shapes(n).any(|(_, shape)| {
                reads(shape) || link.profiles(n).any(|(_, profile)| reads(&with_pipes(shape, profile)))
            });
            if is_read || idle.iter().any(|&(known, _)| known == name) {
                continue;
            }
            let is_given = |(path, shape): &(String, &LinkShape)| {
                document.gives(&format!("{path}.{name}")) && table(shape).get(name) != usual.get(name)
            };
            if let Some((path, _)) = link.shapes(n).find(is_given) {
                let reason = format!("has no effect without {reader}");
                idle.push((name, document.refuse(&format!("{path}.{name}"), reason).to_string()));
            }
        }
    }
    idle
}

fn loses_by_delay(shape: &LinkShape) -> bool {
    shape.loss_percent > 0.0 && shape.jitter_percent > 0.0 && shape.delay_ms > 0.0
}

/// What a link is like that follows a profile: what some pipe says, it says.
fn with_pipes(shape: &LinkShape, profile: &LinkProfile) -> LinkShape {
    let most = |of: fn(&ProfilePipe) -> f64| profile.pipes.iter().map(of).fold(0.0, f64::max);
    let rate_kbps = profile.pipes.iter().find_map(|pipe| pipe.rate_kbps).or(shape.rate_kbps);
    // A packet may meet another delay than the one before.
    let (delay_ms, bad_delay_ms) = (most(|pipe| pipe.rtt_ms), most(|pipe| pipe.rtt_ms));
    let loss_percent = most(|pipe| pipe.loss_percent);
    LinkShape { rate_kbps, delay_ms, bad_delay_ms, loss_percent, ..shape.clone() }
}

/// Of transports: those that no flow reads which has them.
fn of_transports(document: &mut Document, scenario: &Scenario) -> Vec<(&'static str, String)> {
    let reads = |flow: &Flow, name: &str| match &flow.transport {
        Transport::Tcp(tcp) => tcp.recipes().any(|recipe| recipe.parameters().any(|parameter| parameter.name == name)),
        Transport::Whole(whole) => whole.reads(name),
        Transport::Udp => false,
    };
    let mut idle = Vec::new();
    for parameter in parameters() {
        let key = |n: usize| format!("flows.{n}.transport.{}", parameter.name);
        let given: Vec<usize> = (0..scenario.flows.len()).filter(|&n| document.gives(&key(n))).collect();
        let Some(&first) = given.first() else { continue };
        if given.iter().any(|&n| reads(&scenario.flows[n], parameter.name)) {
            continue;
        }
        let readers: Vec<String> = parameter.used_by.iter().map(|reader| reader.replacen('.', " = ", 1)).collect();
        let reason =
            format!("has no effect: the flow's transport does not read this key; it needs {}", readers.join(" or "));
        idle.push((parameter.name, document.refuse(&key(first), reason).to_string()));
    }
    for name in TriggerSettings::KEYS {
        let key = |n: usize| format!("flows.{n}.transport.{name}");
        let has_triggers =
            |flow: &Flow| matches!(&flow.transport, Transport::Tcp(tcp) if tcp.params.triggers.is_some());
        let given: Vec<usize> = (0..scenario.flows.len()).filter(|&n| document.gives(&key(n))).collect();
        if let Some(&first) = given.first()
            && !given.iter().any(|&n| has_triggers(&scenario.flows[n]))
        {
            let reason = "has no effect: the flow has no triggers".to_owned();
            idle.push((name, document.refuse(&key(first), reason).to_string()));
        }
    }
    idle
}

/// Of the MAC. The full text of a scenario gives them all: only another value than the usual one, or one that an
/// override gives, is reported.
fn of_the_mac(document: &mut Document, scenario: &Scenario) -> Vec<(&'static str, String)> {
    let mac = &scenario.mac;
    let table = |mac: &Mac| Value::try_from(mac).expect("a table of the MAC can be printed");
    let mut usual = Mac::of_profile(scenario.run.profile, scenario.routing.protocol).with_phy(mac.phy);
    usual.follow(|_| false);
    let (here, usual) = (table(mac), table(&usual));
    let reads_averages = mac.lred || mac.adaptive_pacing;
    let kinds =
        Mac::KINDS.iter().map(|&(kind, keys)| (keys, here["kind"].as_str() == Some(kind), format!("kind = {kind}")));
    let of_kinds: Vec<_> = kinds.collect();
    let of_switches: [(&[&'static str], bool, &str); 4] = [
        (
            &["fba_tradeoff", "fba_min_threshold", "fba_max_threshold", "fba_lost_race", "fba_emptied", "fba_buffered"],
            mac.backoff == Backoff::Fba,
            "backoff = fba",
        ),
        (&["rts_retries"], mac.rts_threshold() != u32::MAX, "RTS: rts = all or data, or a lower rts_threshold_bytes"),
        (&["contention_delay"], config::has_contention(scenario), "a flow with offer = tcc"),
        (
            &["lred_min_threshold_tries", "lred_max_threshold_tries", "lred_max_probability", "lred_weight"],
            reads_averages,
            "lred or adaptive_pacing",
        ),
    ];
    let of_switches = of_switches.map(|(keys, is_read, reader)| (keys, is_read, reader.to_owned()));
    let mut idle: Vec<(&'static str, String)> = Vec::new();
    for (names, _, reader) in of_kinds.iter().chain(&of_switches).filter(|(_, is_read, _)| !is_read) {
        for &name in *names {
            let key = format!("mac.{name}");
            if idle.iter().any(|&(known, _)| known == name) {
                continue; // told of already
            }
            if document.gives(&key) && (here.get(name) != usual.get(name) || document.is_overridden(&key)) {
                let reason = format!("has no effect without {reader}");
                idle.push((name, document.refuse(&key, reason).to_string()));
            }
        }
    }
    idle
}
